"""Whom the narration is about, at every place of a book.

A name brings somebody into focus, a subject more than an object; sentences and paragraphs let
it fade, and a new scene nearly puts it out. "He" and "she" mean those in focus whom they fit,
each by as much, and keep them there (salience as in Lappin and Leass 1994, without a parser).
Whoever speaks is in focus too, which is a guess, so the focus is made again with better guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from scholar_indexes.books import headings
from scholar_indexes.speakers.mentions import ABBREVIATED
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.types import Gender, Span

OTHER_THING = -1
"""The subject of a sentence that is about no person in focus."""

SUBJECT, OTHER, OWNER = 1.0, 0.6, 0.4
"""What a name or a pronoun adds to its focus, by its part in the sentence."""

SPEAKER, CALLED = 0.7, 0.4
"""What a quotation adds to the focus of its speaker and of those whom it addresses."""

FADING = ((0.55, 0.75), (0.8, 0.92))
"""What is left of a focus after a sentence and after a paragraph: one that forgets, one that
remembers."""

SCENE = 0.1
"""What is left of every focus when a new scene begins."""

FAINT = 0.02
"""A focus below this is none."""

UNKNOWN = 0.4
"""How well a pronoun fits somebody of unknown gender."""

SHARPER = 1.5
"""A pronoun means the one most in focus more often than the shares say."""

LONGEST_HEADING = 90
"""Characters of a paragraph that may be a heading."""

_PIECE = re.compile(r"(?P<end>[.!?…]+[\"”’)\]]*(?=\s|$))|(?P<word>[A-Za-z]+(?:['’][a-z]+)?)")
_PRONOUNS = {
    "he": (Gender.MALE, SUBJECT), "she": (Gender.FEMALE, SUBJECT),
    "him": (Gender.MALE, OTHER), "himself": (Gender.MALE, OTHER),
    "herself": (Gender.FEMALE, OTHER),
    "his": (Gender.MALE, OWNER), "her": (Gender.FEMALE, OWNER),
}  # fmt: skip

Shares = Mapping[int, float]


class What(Enum):
    """What moves the focus; the last three begin where something ends."""

    NAME = auto()
    PRONOUN = auto()
    QUOTATION = auto()
    SENTENCE = auto()
    PARAGRAPH = auto()
    SCENE = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that moves the focus: who is a place in the cast, or a quotation's number."""

    start: int
    what: What
    who: int
    gender: Gender
    weight: float


@dataclass(frozen=True, slots=True)
class Subject:
    """What a sentence is about: an event's number, or OTHER_THING."""

    start: int
    event: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A sentence beside a quotation: whether its subject is named, and who that may be."""

    named: bool
    shares: Shares


@dataclass(frozen=True, slots=True)
class Seen:
    """The focus where a quotation begins, before its own speaker counts: the one that forgets
    and the one that remembers; and SLOTS sentences, None where there is none."""

    near: Shares
    far: Shares
    slots: tuple[Slot | None, ...]


SLOTS = 5
"""Sentences beside a quotation whose subjects are looked at: the last one and the first one
before it in its paragraph, the one behind it there, the last one of a paragraph of narration
before, the first one of a paragraph of narration behind."""

_BEHIND = (2, 4)


class Narration:
    """What the narration of a book says, in order; roles say of each name in it (sieve.told)
    what it is in its clause, as features.role() does."""

    def __init__(self, sieve: Sieve, roles: Sequence[Sequence[bool]]) -> None:
        self.sieve = sieve
        self.narrator = next((n for n, each in enumerate(sieve.cast) if each.narrator), None)
        self.scenes = [_heading(block.of(sieve.text)) for block in sieve.blocks]
        self.events = list(self._events(roles))
        self.subjects = list(_subjects(self.events))
        self._places = [each.start for each in self.subjects]
        spoken = {n for q in range(len(sieve.quotations)) for n in (sieve.first[q], sieve.last[q])}
        self._told = [n not in spoken for n in range(len(sieve.blocks))]

    def slots(self, number: int) -> tuple[int | None, ...]:
        """The subjects beside a quotation as events' numbers or OTHER_THING, None where none is."""
        sieve = self.sieve
        first, last = sieve.first[number], sieve.last[number]
        pieces = sieve.quotations[number].pieces
        here = self._between(sieve.blocks[first].start, pieces[0].start)
        behind = self._between(pieces[0].end, max(sieve.blocks[last].end, pieces[-1].end))
        before: Sequence[Subject] = ()
        after: Sequence[Subject] = ()
        if first and self._told[first - 1] and not self.scenes[first - 1]:
            before = self._between(sieve.blocks[first - 1].start, sieve.blocks[first - 1].end)
        if last + 1 < len(sieve.blocks) and self._told[last + 1] and not self.scenes[last + 1]:
            after = self._between(sieve.blocks[last + 1].start, sieve.blocks[last + 1].end)
        return (
            here[-1].event if here else None,
            here[0].event if here else None,
            behind[0].event if behind else None,
            before[-1].event if before else None,
            after[0].event if after else None,
        )

    def _between(self, start: int, end: int) -> Sequence[Subject]:
        return self.subjects[bisect_left(self._places, start) : bisect_left(self._places, end)]

    def _events(self, roles: Sequence[Sequence[bool]]) -> Iterator[Event]:
        sieve = self.sieve
        pieces = sorted(
            (piece.start, piece.end, number, place)
            for number, each in enumerate(sieve.quotations)
            for place, piece in enumerate(each.pieces)
        )
        cued = sorted(each.span for each in sieve.cues if each.span is not None)
        at = 0
        for block, scene in zip(sieve.blocks, self.scenes, strict=True):
            yield Event(block.start, What.SCENE if scene else What.PARAGRAPH, -1, Gender.UNKNOWN, 0)
            place = block.start
            while at < len(pieces) and pieces[at][0] < block.end:
                start, end, number, part = pieces[at]
                at += 1
                if start > place:
                    told = Span(place, start)
                    yield from self._told_events(told, cued, roles)
                if part == 0:
                    yield Event(start, What.QUOTATION, number, Gender.UNKNOWN, 0)
                place = max(place, end)
            if place < block.end and not scene:
                yield from self._told_events(Span(place, block.end), cued, roles)

    def _told_events(
        self, span: Span, cued: Sequence[Span], roles: Sequence[Sequence[bool]]
    ) -> Iterator[Event]:
        """Names, pronouns and ends of sentences in a stretch of narration."""
        sieve, text = self.sieve, self.sieve.text
        at = bisect_left(sieve.starts, span.start)
        word = ""
        for found in _PIECE.finditer(text, span.start, span.end):
            while at < len(sieve.told) and sieve.told[at].span.end <= found.start():
                at += 1
            if found.lastgroup == "end":
                if word not in ABBREVIATED:
                    yield Event(found.start(), What.SENTENCE, -1, Gender.UNKNOWN, 0)
                continue
            word = found.group().lower()
            if at < len(sieve.told) and sieve.told[at].span.start <= found.start():
                mention = sieve.told[at]
                if mention.span.start == found.start():
                    owner, thing, _, _ = roles[at]
                    weight = OWNER if owner else OTHER if thing else SUBJECT
                    yield Event(found.start(), What.NAME, mention.who, Gender.UNKNOWN, weight)
                continue
            if word == "i" and self.narrator is not None:
                yield Event(found.start(), What.NAME, self.narrator, Gender.UNKNOWN, SUBJECT)
            elif word in _PRONOUNS:
                gender, weight = _PRONOUNS[word]
                near = bisect_right(cued, found.start(), key=lambda each: each.start) - 1
                if near < 0 or cued[near].end <= found.start():
                    yield Event(found.start(), What.PRONOUN, -1, gender, weight)


def _subjects(events: Sequence[Event]) -> Iterator[Subject]:
    """The first subject of each sentence that has a name or a pronoun."""
    wanted = True
    for number, event in enumerate(events):
        if event.what in (What.NAME, What.PRONOUN):
            if wanted and event.weight == SUBJECT:
                yield Subject(event.start, number)
                wanted = False
            elif wanted:
                yield Subject(event.start, OTHER_THING)
                wanted = False
        else:
            wanted = True


def seen(narration: Narration, who: Sequence[int], sure: Sequence[float]) -> list[Seen]:
    """The focus at each quotation, by who is thought to say each and how likely."""
    sieve = narration.sieve
    genders = [each.gender for each in sieve.cast]
    near, far = both = [_Focus(*fading) for fading in FADING]
    meant: dict[int, Shares] = {}
    at: dict[int, tuple[Shares, Shares]] = {}

    def add(each: int, weight: float) -> None:
        for focus in both:
            focus.add(each, weight)

    for number, event in enumerate(narration.events):
        match event.what:
            case What.NAME:
                add(event.who, event.weight)
                meant[number] = {event.who: 1.0}
            case What.PRONOUN:
                meant[number] = fitting(near.weights, genders, event.gender)
                for each, share in meant[number].items():
                    add(each, event.weight * share)
            case What.QUOTATION:
                at[event.who] = near.shares(), far.shares()
                for each in sieve.vocatives[event.who]:
                    add(each, CALLED)
                if who[event.who] >= 0:
                    add(who[event.who], SPEAKER * sure[event.who])
            case What.SENTENCE:
                for focus in both:
                    focus.fade(focus.sentence)
            case What.PARAGRAPH:
                for focus in both:
                    focus.fade(focus.paragraph)
            case What.SCENE:
                for focus in both:
                    focus.fade(SCENE)
    found = []
    for number in range(len(sieve.quotations)):
        here = at.get(number, ({}, {}))
        slots: list[Slot | None] = []
        for place, subject in enumerate(narration.slots(number)):
            if subject is None:
                slots.append(None)
            elif subject == OTHER_THING:
                slots.append(Slot(False, {}))
            else:
                event = narration.events[subject]
                named = event.what is What.NAME
                shares = meant[subject]
                if place in _BEHIND and not named:  # what it means must not hang on the guess
                    shares = fitting(here[0], genders, event.gender)
                slots.append(Slot(named, shares))
        found.append(Seen(*here, tuple(slots)))
    return found


class _Focus:
    """Weights of those in focus, of which shares are left after a sentence and a paragraph."""

    def __init__(self, sentence: float, paragraph: float) -> None:
        self.sentence, self.paragraph = sentence, paragraph
        self.weights: dict[int, float] = {}

    def add(self, who: int, weight: float) -> None:
        self.weights[who] = self.weights.get(who, 0.0) + weight

    def fade(self, left: float) -> None:
        faded = ((who, value * left) for who, value in self.weights.items())
        self.weights = {who: value for who, value in faded if value > FAINT}

    def shares(self) -> Shares:
        total = sum(self.weights.values())
        return {who: value / total for who, value in self.weights.items()}


def fitting(of: Shares, genders: Sequence[Gender], gender: Gender) -> Shares:
    """How likely a pronoun means each of those in focus, by as much as they are."""
    fits = {}
    for who, value in of.items():
        if genders[who] is gender or genders[who] is Gender.UNKNOWN:
            fits[who] = value**SHARPER * (1 if genders[who] is gender else UNKNOWN)
    total = sum(fits.values())
    return {who: value / total for who, value in fits.items()}


def _heading(block: str) -> bool:
    """Whether a paragraph only parts scenes or chapters."""
    plain = block.strip()
    return len(plain) < LONGEST_HEADING and (
        not any(map(str.isalnum, plain))
        or headings.read(plain) is not None
        or (plain.isupper() and plain[-1:] not in "!?\"”’'")
    )
