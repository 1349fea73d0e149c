"""Whose relative somebody is, where no place alone says it: "her aunt, Mrs. Gardiner".

Each such place counts for the woman who was named last, or for the speaker of "my aunt"; what
most of them agree on is believed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scholar_indexes.characters.lexicon import closed, nouns
from scholar_indexes.characters.told import phrases, pronouns
from scholar_indexes.characters.told.appositions import before_name
from scholar_indexes.characters.told.said import RELATION, Said
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.types import Character, Gender, Span

AGREED = 2
"""Places that must agree on whose relative somebody is."""

WEIGHT = 0.9


class Vote(NamedTuple):
    """A place that seems to say whose relative, called by a noun, somebody is."""

    who: int
    noun: str
    owner: int
    passage: Span


def vote(sentence: Sentence, at: int, recent: Mapping[Gender, int], passage: Span) -> Vote | None:
    """What a phrase before the name at a place seems to say; recent are who of each gender was
    named last before the sentence."""
    place = before_name(sentence.tokens, at)
    if place is None:
        return None
    first, head = place
    who, noun = sentence.tokens[at].who, sentence.tokens[head].word
    if sentence.tokens[first].word not in closed.POSSESSIVE:
        return None
    if noun not in nouns.KIN | nouns.TIES or not phrases.fits(sentence.novel, noun, who):
        return None
    whose = _seeming_owner(sentence, first, who, recent)
    return None if whose is None or whose == who else Vote(who, noun, whose, passage)


def agreed(votes: Sequence[Vote], cast: Sequence[Character]) -> Iterator[Said]:
    """The relations that several places and most of all agree on."""
    places: dict[tuple[int, str], dict[int, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for each in votes:
        places[each.who, each.noun][each.owner].append(each.passage)
    for (who, noun), owners in places.items():
        whose, passages = max(owners.items(), key=lambda each: len(each[1]))
        total = sum(len(each) for each in owners.values())
        if len(passages) < AGREED or 2 * len(passages) <= total:
            continue
        text = f"the {noun} of {{{cast[whose].name}}}"
        yield Said(who, RELATION, text, WEIGHT, tuple(passages))
        if noun in nouns.KIN:
            text = f"the one whose {noun} is {{{cast[who].name}}}"
            yield Said(whose, RELATION, text, phrases.INVERSE_WEIGHT, tuple(passages))


def _seeming_owner(
    sentence: Sentence, at: int, who: int, recent: Mapping[Gender, int]
) -> int | None:
    """Whom a possessive at a place seems to mean that is not clear by itself."""
    word = sentence.tokens[at].word
    if sentence.quoted:  # of whom somebody talks is not to be seen from who was named last
        return sentence.speaker if word == "my" else None
    if word == "my" or pronouns.owner(sentence, at, who) is not None:
        return None
    gender, cast = closed.OWNED[word], sentence.novel.cast
    before = [
        each.who for each in sentence.tokens[:at]
        if each.who not in (-1, who) and cast[each.who].gender is gender
    ]  # fmt: skip
    return before[-1] if before else recent.get(gender)
