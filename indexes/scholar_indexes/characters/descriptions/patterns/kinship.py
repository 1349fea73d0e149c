"""Kinship by votes: the relatives of characters, if no single passage states them clearly.

The speaker of "my aunt, Mrs. Gardiner" is not always known for certain; each such passage is a vote
for a speaker, and the majority wins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scholar_indexes.characters.descriptions.patterns import noun_phrases
from scholar_indexes.characters.descriptions.patterns.appositions import find_phrase_before
from scholar_indexes.characters.descriptions.patterns.drafts import RELATION, DraftDescription
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.lexicon import person_nouns
from scholar_indexes.types import Character, Span

MIN_VOTES = 2
"""The number of passages that must agree on a relation."""

WEIGHT = 0.9


class KinshipVote(NamedTuple):
    """A passage that may say that a character is a relative, given by a noun, of another."""

    character: int
    noun: str
    relative: int
    passage: Span


def find_vote(sentence: TokenizedSentence, name: int, passage: Span) -> KinshipVote | None:
    """Return the vote of a phrase before the name at an index of quoted speech, or None."""
    phrase = find_phrase_before(sentence.tokens, name)
    if phrase is None:
        return None
    first, head = phrase
    character, noun = sentence.tokens[name].character, sentence.tokens[head].word
    if sentence.tokens[first].word != "my":
        return None
    if noun not in person_nouns.KIN | person_nouns.TIES:
        return None
    if not noun_phrases.agrees(sentence.novel, noun, character):
        return None
    relative = sentence.speaker
    if relative is None or relative == character:
        return None
    return KinshipVote(character, noun, relative, passage)


def count_votes(
    votes: Sequence[KinshipVote], cast: Sequence[Character]
) -> Iterator[DraftDescription]:
    """Yield the relations that at least MIN_VOTES votes and a majority agree on."""
    ballots: dict[tuple[int, str], dict[int, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for vote in votes:
        ballots[vote.character, vote.noun][vote.relative].append(vote.passage)
    for (character, noun), passages_of in ballots.items():
        relative, passages = max(passages_of.items(), key=lambda item: len(item[1]))
        total = sum(map(len, passages_of.values()))
        if len(passages) < MIN_VOTES or 2 * len(passages) <= total:
            continue
        text = f"the {noun} of {{{cast[relative].name}}}"
        yield DraftDescription(character, RELATION, text, WEIGHT, tuple(passages))
        if noun in person_nouns.KIN:
            text = f"the one whose {noun} is {{{cast[character].name}}}"
            weight = noun_phrases.INVERSE_WEIGHT
            yield DraftDescription(relative, RELATION, text, weight, tuple(passages))
