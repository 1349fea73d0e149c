"""Motifs: things and places that a novel repeats near one character: "the kite" of Mr. Dick.

A motif is a noun whose sentences mention the character far more often than all sentences do, by the
log-likelihood ratio (Dunning 1993, "Accurate Methods for the Statistics of Surprise and
Coincidence"), and which recurs in several paragraphs and chapters, with no other character as much.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from scholar_indexes.characters.descriptions.patterns.drafts import (
    MOTIF,
    MOTIF_START,
    DraftDescription,
)
from scholar_indexes.characters.descriptions.patterns.mentioning_sentences import (
    MentioningSentence,
)
from scholar_indexes.characters.folded_words import name_terms
from scholar_indexes.lexicon import (
    adjectives,
    closed_classes,
    given_names,
    person_nouns,
    titles,
    verbs,
)
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.types import Character

MIN_SENTENCES, MIN_PARAGRAPHS, MIN_CHAPTERS = 4, 3, 2
"""The fewest sentences, paragraphs and chapters in which a motif occurs with its character."""

MIN_SURPRISE = 3.5
"""The lowest square root of the log-likelihood ratio of a motif."""

MIN_SHARE = 0.25
"""The lowest share of the sentences with a motif that mention its character."""

MAX_RIVAL_SHARE = 0.75
"""The most sentences with the motif that mention another character, as a share of the sentences
that mention its own."""

MIN_PASSAGES = 2
"""The passages of a description by one motif; by several, each has one."""

MAX_NOUNS = 3
"""The most nouns in one description: the best ones."""

WEIGHT = 1.0

_NO_MOTIFS = (
    adjectives.TRAITS
    | adjectives.EPITHETS
    | adjectives.PETTY
    | adjectives.UNFIT
    | closed_classes.SMALL
    | closed_classes.UNRESOLVED
    | closed_classes.NUMBERS
    | given_names.ALL
    | person_nouns.CLAIMS
    | person_nouns.EVERYDAY
    | person_nouns.PERSONS
    | titles.BEFORE_NAMES
    | titles.PERSONAL
)
_ABSTRACT = (
    "tion",
    "sion",
    "ness",
    "ity",
    "ence",
    "ance",
    "ency",
    "ancy",
    "ment",
    "ship",
    "hood",
    "tude",
    "ure",
)
"""Endings of nouns for what nobody can see."""


class _Motif(NamedTuple):
    """A noun, how surprisingly often it is near a character, and the sentences with both."""

    surprise: float
    noun: str
    sentences: Sequence[MentioningSentence]


def find_motifs(
    sentences: Sequence[MentioningSentence], text: str, cast: Sequence[Character]
) -> Iterator[DraftDescription]:
    """Yield at most one description of each character, by its best motifs, with a passage for
    each."""
    names = name_terms([alias for character in cast for alias in character.aliases])
    totals = Counter(character for sentence in sentences for character in sentence.mentioned)
    motifs: dict[int, list[_Motif]] = defaultdict(list)
    for noun, places in _group_by_noun(sentences):
        if len(places) < MIN_SENTENCES or not _may_be_motif(noun.casefold(), names):
            continue
        for character, own in _find_bearers(places, cast):
            share = (totals[character] + 1) / (len(sentences) + 2)
            surprise = _surprise(len(own), len(places), share)
            if len(own) > share * len(places) and surprise >= MIN_SURPRISE:
                motifs[character].append(_Motif(surprise, noun, own))
    for character in sorted(motifs):
        yield _describe(character, motifs[character], text)


def _group_by_noun(
    sentences: Sequence[MentioningSentence],
) -> Iterator[tuple[str, list[MentioningSentence]]]:
    """Yield the most frequent form of each noun, and the sentences with any of its forms."""
    forms: dict[str, dict[str, list[MentioningSentence]]] = defaultdict(lambda: defaultdict(list))
    for sentence in sentences:
        for noun in sentence.nouns:
            forms[stem(noun.casefold().split()[-1])][noun].append(sentence)
    for of_form in forms.values():
        noun = max(sorted(of_form), key=lambda form: len(of_form[form]))
        by_span = {sentence.span: sentence for places in of_form.values() for sentence in places}
        yield noun, [by_span[span] for span in sorted(by_span)]


def _may_be_motif(noun: str, names: frozenset[str]) -> bool:
    """Return True if a folded noun may be a thing or a place that is nobody's name (`names`)."""
    words = noun.split()
    if len(noun) < 3 or noun.endswith(_ABSTRACT) or verbs.is_participle(noun):
        return False
    singular = [word.removesuffix("s") for word in words]
    return (
        names.isdisjoint(words + singular)
        and titles.PERSONAL.isdisjoint(words[:1])
        and _NO_MOTIFS.isdisjoint((words[-1], singular[-1]))
    )


def _find_bearers(
    places: Sequence[MentioningSentence], cast: Sequence[Character]
) -> Iterator[tuple[int, list[MentioningSentence]]]:
    """Yield the characters with whom a noun in these sentences recurs, more than with any other,
    and the sentences that mention each of them."""
    by_character = _group_by_character(places)
    counts = {
        character: len(own)
        for character, own in by_character.items()
        if not cast[character].narrator
    }
    for character, own in by_character.items():
        most = max((count for other, count in counts.items() if other != character), default=0)
        is_own = len(own) >= MIN_SHARE * len(places) and most <= MAX_RIVAL_SHARE * len(own)
        if is_own and _recurs(own) and any(character in sentence.named for sentence in own):
            yield character, own


def _group_by_character(
    sentences: Sequence[MentioningSentence],
) -> dict[int, list[MentioningSentence]]:
    """Return the sentences that mention each character."""
    by_character: dict[int, list[MentioningSentence]] = defaultdict(list)
    for sentence in sentences:
        for character in sentence.mentioned:
            by_character[character].append(sentence)
    return by_character


def _recurs(sentences: Sequence[MentioningSentence]) -> bool:
    return (
        len(sentences) >= MIN_SENTENCES
        and len({sentence.paragraph for sentence in sentences}) >= MIN_PARAGRAPHS
        and len({sentence.chapter for sentence in sentences}) >= MIN_CHAPTERS
    )


def _surprise(own: int, everywhere: int, share: float) -> float:
    """Return the square root of the log-likelihood ratio of `own` of the sentences with a noun
    mentioning a character, who is in a share of all sentences."""
    others = everywhere - own
    ratio = own * math.log(own / everywhere / share)
    if others:
        ratio += others * math.log(others / everywhere / (1 - share))
    return math.sqrt(2 * max(0.0, ratio))


def _describe(character: int, motifs: Sequence[_Motif], text: str) -> DraftDescription:
    """Return the description of a character by its best motifs."""
    best = sorted(motifs, key=lambda item: (-item.surprise, item.noun))[:MAX_NOUNS]
    *first, last = [_with_article(motif, text) for motif in best]
    phrase = f"{', '.join(first)} and {last}" if first else last
    count = 1 if first else MIN_PASSAGES
    passages = dict.fromkeys(
        sentence.span
        for motif in best
        for sentence in islice(_naming(motif.sentences, character), count)
    )
    return DraftDescription(character, MOTIF, f"{MOTIF_START} {phrase}", WEIGHT, tuple(passages))


def _naming(
    sentences: Iterable[MentioningSentence], character: int
) -> Iterator[MentioningSentence]:
    """Return the sentences that name a character."""
    return (sentence for sentence in sentences if character in sentence.named)


def _with_article(motif: _Motif, text: str) -> str:
    """Return a noun with its article; a name has one if it mostly has one in the text."""
    definite = f"the {motif.noun}"
    if motif.noun[0].islower():
        return definite
    count = sum(definite in sentence.span.of(text) for sentence in motif.sentences)
    return definite if 2 * count > len(motif.sentences) else motif.noun
