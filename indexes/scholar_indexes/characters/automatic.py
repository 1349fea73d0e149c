"""Who somebody is in a novel, read from its text alone.

    text -> sentences with names -> what patterns say of one of them -> ranked descriptions

There is no parser here. Four kinds of things that novels say outright are looked for, in the
narration: what somebody is to another ("her aunt, Mrs. Gardiner"), what they are by calling
("Mr. Collins, the clergyman"), what they are like ("Lydia was a stout, well-grown girl of
fifteen") and what they did ("Mr. Collins married Charlotte"). A pattern holds on to what it can
read to the end, and leaves what is denied, doubted, asked or said of several. The patterns are
in the folder told, the words they know in the folder lexicon.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scholar_indexes.characters.told import (
    appositions,
    kinship,
    predicates,
    pronouns,
    ranking,
    sentences,
    subjects,
)
from scholar_indexes.characters.told.kinship import Vote
from scholar_indexes.characters.told.said import CALLING, DEED, RELATION, TRAIT, Said, gives_away
from scholar_indexes.characters.told.sentences import Novel, Sentence
from scholar_indexes.characters.wording import name_terms
from scholar_indexes.types import Character, Gender, Quotation, Span

KINDS = (RELATION, CALLING, TRAIT, DEED)

MAX_PASSAGE_CHARS = 700
"""What is said in a longer sentence, or so far behind a name, is left."""

MAX_SPOKEN_TOKENS = 120
"""What is said aloud in a longer sentence is left."""

MOST_PASSAGES = 5
"""Passages kept of one description."""

MOST_EACH = 40
"""Descriptions kept of one character."""

SPOKEN, SPOKEN_CLAUSE = 0.7, 0.6
"""What an apposition and a clause weigh that somebody says, against those of the narration."""

_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Told:
    """What a novel says of a character.

    who is a place in the cast; kind is one of KINDS; text is a noun phrase that could stand for
    the name, in which others are named in braces, as in a description bank; passages are where
    it is said, in text order; score is how well it singles the character out, higher is better.
    """

    who: int
    kind: str
    text: str
    passages: tuple[Span, ...]
    score: float


def find(
    text: str,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    speakers: Sequence[int | None] = (),
    most: int = MOST_EACH,
) -> list[Told]:
    """What a novel says of its characters: each one's best descriptions, best first.

    bodies are the chapters; quotations say what is dialogue, and speakers, as places in the
    cast, who says each, where that is known. The text of a description has no word of the names
    of the one it describes. Takes time linear in the text.
    """
    novel = sentences.novel(text, cast)
    read = list(_read(novel, bodies, quotations, speakers))
    votes = [each for each in read if isinstance(each, Vote)]
    said = [each for each in read if isinstance(each, Said)]
    said += kinship.agreed(votes, cast)
    own = [name_terms([each.name, *each.aliases]) for each in cast]
    merged = ranking.merged([each for each in said if not gives_away(each, own[each.who])])
    counts = Counter(_WORDS.findall(text.casefold()))
    return [
        Told(each.who, each.kind, each.text, tuple(sorted(each.passages)[:MOST_PASSAGES]), score)
        for each, score in ranking.ranked(merged, counts, most)
    ]


def _read(
    novel: Novel,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    speakers: Sequence[int | None],
) -> Iterator[Said | Vote]:
    """What each sentence says, in text order."""
    recent: dict[Gender, int] = {}
    for paragraph in sentences.by_paragraph(novel, bodies, quotations, speakers):
        topics: pronouns.Topics = {}
        for each in paragraph:
            if each.quoted:
                topics = {}
                if not each.asks and len(each.tokens) < MAX_SPOKEN_TOKENS:
                    yield from _spoken(each)
                continue
            sentence, topics, start = pronouns.resolved(each, topics)
            if sentence.asks or sentence.end - start > MAX_PASSAGE_CHARS:
                continue
            yield from _narrated(sentence, start, recent)
            recent |= _named(sentence)


def _named(sentence: Sentence) -> dict[Gender, int]:
    """Who of each gender is named last."""
    cast = sentence.novel.cast
    return {cast[each.who].gender: each.who for each in sentence.tokens if each.kind == "name"}


def _narrated(
    sentence: Sentence, start: int, recent: Mapping[Gender, int]
) -> Iterator[Said | Vote]:
    """What the narration says in a sentence. A passage that needs the name a pronoun stands
    for begins at start; recent are who was named last before."""
    tokens = sentence.tokens
    whole, near = sentence.passage(start), sentence.passage(sentence.start)
    for at, token in enumerate(tokens):
        if token.who < 0:
            continue
        found: list[Said] = []
        if token.kind == "name" and not subjects.is_word(sentence, at):
            found += appositions.beside(sentence, at)
            vote = kinship.vote(sentence, at, recent, near)
            if vote:
                yield vote
            verb = subjects.relative_verb(tokens, at)
            if verb is not None:
                found += predicates.of_clause(sentence, token.who, verb)
        if subjects.is_subject(sentence, at):
            verb = subjects.main_verb(tokens, at)
            if verb is not None:
                found += predicates.of_clause(sentence, token.who, verb)
        here = near if token.kind == "name" else whole
        for each in found:
            yield replace(each, passages=(here,))


def _spoken(sentence: Sentence) -> Iterator[Said | Vote]:
    """What somebody says of another in passing: what they are to whom, and what by trade."""
    tokens = sentence.tokens
    here = sentence.passage(sentence.start)
    for at, token in enumerate(tokens):
        if token.kind != "name" or subjects.is_word(sentence, at):
            continue
        vote = kinship.vote(sentence, at, {}, here)
        if vote:
            yield vote
        found = [(each, SPOKEN) for each in appositions.beside(sentence, at)]
        verb = subjects.main_verb(tokens, at)
        if verb == at + 1 and tokens[verb].word == "is" and subjects.is_subject(sentence, at):
            clause = predicates.of_clause(sentence, token.who, verb)
            found += [(each, SPOKEN_CLAUSE) for each in clause]
        for each, share in found:
            if each.kind in (RELATION, CALLING):
                yield replace(each, weight=each.weight * share, passages=(here,))
