"""Salience: the characters that the narration is about, at every position of a book.

A name makes a character salient, a subject more than an object; salience fades with sentences
and paragraphs, and a new scene nearly ends it. "He" and "she" mean the salient characters of
that gender, each in proportion, and renew their salience (as in Lappin and Leass 1994, without a
parser). Speakers are salient too, but they are guesses, so salience is computed again with better
guesses.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from scholar_indexes.attribution.scenes import find_headings, find_openings
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.coreference.narrator import Narrators
from scholar_indexes.lexicon.titles import ABBREVIATED
from scholar_indexes.stopping import WORDS, checked
from scholar_indexes.types import Gender, Quotation, Span

OTHER_THING = -1
"""The subject of a sentence about something other than a character."""

SUBJECT, OTHER, OWNER = 1.0, 0.6, 0.4
"""The salience that a name or a pronoun adds, by its role in the sentence."""

SPEAKER, CALLED = 0.7, 0.4
"""The salience that a quotation adds to its speaker, and to each addressee."""

FADING = ((0.55, 0.75), (0.8, 0.92))
"""The share of salience left after a sentence and a paragraph, for fast and for slow fading."""

SCENE = 0.1
"""The share of salience left when a new scene begins."""

FAINT = 0.02
"""Salience below this counts as none."""

UNKNOWN = 0.4
"""The degree to which a pronoun fits a character of unknown gender."""

SHARPER = 1.5
"""Exponent of the shares: a pronoun means the most salient character more often than its share."""

_PIECE = re.compile(r"(?P<end>[.!?…]+[\"”’)\]]*(?=\s|$))|(?P<word>[A-Za-z]+(?:['’][a-z]+)?)")
_PRONOUNS = {
    "he": (Gender.MALE, SUBJECT),
    "she": (Gender.FEMALE, SUBJECT),
    "him": (Gender.MALE, OTHER),
    "himself": (Gender.MALE, OTHER),
    "herself": (Gender.FEMALE, OTHER),
    "his": (Gender.MALE, OWNER),
    "her": (Gender.FEMALE, OWNER),
}

Shares = Mapping[int, float]


class EventKind(Enum):
    """The kinds of events that change salience; the last three are boundaries in the text."""

    NAME = auto()
    PRONOUN = auto()
    QUOTATION = auto()
    SENTENCE = auto()
    PARAGRAPH = auto()
    SCENE = auto()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that changes salience; `index` is the index of a character or a quotation."""

    start: int
    kind: EventKind
    index: int
    gender: Gender
    weight: float


@dataclass(frozen=True, slots=True)
class SalienceSubject:
    """The subject of a sentence: the index of an event, or OTHER_THING."""

    start: int
    event: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A sentence near a quotation: whether a name is its subject, and how likely the subject is
    each character."""

    is_named: bool
    shares: Shares


@dataclass(frozen=True, slots=True)
class SalienceState:
    """The shares of salience where a quotation begins, before its own speaker counts, with fast
    (`near`) and slow (`far`) fading; and the sentences of SLOTS, None for a missing one."""

    near: Shares
    far: Shares
    slots: tuple[Slot | None, ...]


SLOTS = 5
"""The number of sentences near a quotation whose subjects are examined: the last and the first
before it in its paragraph, the first after it there, the last of a preceding paragraph of
narration, and the first of a following one."""

_BEHIND = (2, 4)


class Narration:
    """The narration of a book as events in text order, and the `slots` of each quotation: the
    subjects near it (SLOTS) as indices of events or OTHER_THING, None for a missing one.

    `roles` are the roles of each mention of the narration (`Sieve.narrated`), as
    `name_roles.find_roles` returns them.
    """

    def __init__(self, sieve: Sieve, roles: Sequence[Sequence[bool]]) -> None:
        self.sieve = sieve
        self.narrators = Narrators(sieve.cast)
        self.is_heading = find_headings(sieve.text, sieve.paragraphs)
        self.opens_scene = find_openings(sieve.text, sieve.paragraphs)
        self.events = list(self._find_events(roles))
        self.subjects = list(_find_subjects(self.events))
        self._subject_starts = [subject.start for subject in self.subjects]
        with_speech = {*sieve.first_paragraphs, *sieve.last_paragraphs}
        self._is_narrated = [
            index not in with_speech and not heading
            for index, heading in enumerate(self.is_heading)
        ]
        self.slots = [self._find_slots(number) for number in range(len(sieve.quotations))]

    def is_name(self, subject: int) -> bool:
        """Return True if a subject, the index of an event or OTHER_THING, is a name."""
        return subject != OTHER_THING and self.events[subject].kind is EventKind.NAME

    def _find_slots(self, number: int) -> tuple[int | None, ...]:
        """Return the subjects near a quotation."""
        sieve = self.sieve
        first, last = sieve.first_paragraphs[number], sieve.last_paragraphs[number]
        pieces = sieve.quotations[number].pieces
        inside = self._subjects_between(sieve.paragraphs[first].start, pieces[0].start)
        behind = self._subjects_between(
            pieces[0].end, max(sieve.paragraphs[last].end, pieces[-1].end)
        )
        before = self._subjects_of_paragraph(first - 1)
        after = self._subjects_of_paragraph(last + 1)
        return (
            inside[-1].event if inside else None,
            inside[0].event if inside else None,
            behind[0].event if behind else None,
            before[-1].event if before else None,
            after[0].event if after else None,
        )

    def _subjects_between(self, start: int, end: int) -> Sequence[SalienceSubject]:
        starts = self._subject_starts
        return self.subjects[bisect_left(starts, start) : bisect_left(starts, end)]

    def _subjects_of_paragraph(self, index: int) -> Sequence[SalienceSubject]:
        """Return the subjects of a paragraph, none unless it contains only narration."""
        if not 0 <= index < len(self._is_narrated) or not self._is_narrated[index]:
            return ()
        paragraph = self.sieve.paragraphs[index]
        return self._subjects_between(paragraph.start, paragraph.end)

    def _find_events(self, roles: Sequence[Sequence[bool]]) -> Iterator[Event]:
        sieve = self.sieve
        pieces = _order_pieces(sieve.quotations)
        cue_spans = sorted(cue.span for cue in sieve.cues if cue.span is not None)
        index = 0
        for paragraph, heading, opens in checked(
            zip(sieve.paragraphs, self.is_heading, self.opens_scene, strict=True)
        ):
            kind = EventKind.SCENE if opens else EventKind.PARAGRAPH
            yield Event(paragraph.start, kind, -1, Gender.UNKNOWN, 0)
            position = paragraph.start
            while index < len(pieces) and pieces[index][0] < paragraph.end:
                start, end, number, part = pieces[index]
                index += 1
                if start > position:
                    yield from self._find_narrated_events(Span(position, start), cue_spans, roles)
                # The later pieces of an interrupted quotation are by the same speaker.
                if part == 0:
                    yield Event(start, EventKind.QUOTATION, number, Gender.UNKNOWN, 0)
                position = max(position, end)
            if position < paragraph.end and not heading:
                narrated = Span(position, paragraph.end)
                yield from self._find_narrated_events(narrated, cue_spans, roles)

    def _find_narrated_events(
        self, span: Span, cue_spans: Sequence[Span], roles: Sequence[Sequence[bool]]
    ) -> Iterator[Event]:
        """Yield names, pronouns and ends of sentences in a stretch of narration."""
        sieve = self.sieve
        narrated = sieve.narrated
        index = bisect_left(sieve.narrated_starts, span.start)
        word = ""
        for match in checked(_PIECE.finditer(sieve.text, span.start, span.end), WORDS):
            start = match.start()
            while index < len(narrated) and narrated[index].span.end <= start:
                index += 1
            if match.lastgroup == "end":
                # The full stop of "Mr." ends no sentence.
                if word not in ABBREVIATED:
                    yield Event(start, EventKind.SENTENCE, -1, Gender.UNKNOWN, 0)
                continue
            word = match.group().lower()
            if index < len(narrated) and narrated[index].span.start <= start:
                # The other words of a name are skipped.
                if narrated[index].span.start == start:
                    weight = _role_weight(roles[index])
                    character = narrated[index].character
                    yield Event(start, EventKind.NAME, character, Gender.UNKNOWN, weight)
                continue
            pronoun = self._find_pronoun(word, start, cue_spans)
            if pronoun is not None:
                yield pronoun

    def _find_pronoun(self, word: str, start: int, cue_spans: Sequence[Span]) -> Event | None:
        """Return the event of a pronoun, if any; "he" and "she" in cues count as speakers."""
        if word == "i":
            narrator = self.narrators.at(start)
            if narrator is None:
                return None
            return Event(start, EventKind.NAME, narrator, Gender.UNKNOWN, SUBJECT)
        if word not in _PRONOUNS:
            return None
        near = bisect_right(cue_spans, start, key=lambda span: span.start) - 1
        if near >= 0 and cue_spans[near].end > start:
            return None
        gender, weight = _PRONOUNS[word]
        return Event(start, EventKind.PRONOUN, -1, gender, weight)


def _order_pieces(quotations: Sequence[Quotation]) -> list[tuple[int, int, int, int]]:
    """Return the start, end, quotation and number within it of all pieces, in text order."""
    return sorted(
        (piece.start, piece.end, number, part)
        for number, quotation in enumerate(quotations)
        for part, piece in enumerate(quotation.pieces)
    )


def _role_weight(roles: Sequence[bool]) -> float:
    is_owner, is_object, _, _ = roles
    if is_owner:
        return OWNER
    return OTHER if is_object else SUBJECT


def _find_subjects(events: Sequence[Event]) -> Iterator[SalienceSubject]:
    """Yield the first subject of each sentence that has a name or a pronoun."""
    is_wanted = True
    for number, event in enumerate(events):
        if event.kind not in (EventKind.NAME, EventKind.PRONOUN):
            is_wanted = True
        elif is_wanted:
            yield SalienceSubject(event.start, number if event.weight == SUBJECT else OTHER_THING)
            is_wanted = False


def track_salience(
    narration: Narration, speakers: Sequence[int], probabilities: Sequence[float]
) -> list[SalienceState]:
    """Return the salience at each quotation, given a guess at each speaker (-1 for nobody) and
    its probability."""
    tracker = _SalienceTracker(narration, speakers, probabilities)
    for number, event in checked(enumerate(narration.events)):
        tracker.process(number, event)
    return [tracker.state(number) for number in range(len(narration.sieve.quotations))]


class _SalienceTracker:
    """The salience of characters while the events of a narration are processed in order."""

    def __init__(
        self, narration: Narration, speakers: Sequence[int], probabilities: Sequence[float]
    ) -> None:
        self._narration = narration
        self._speakers, self._probabilities = speakers, probabilities
        self._genders = [character.gender for character in narration.sieve.cast]
        self._near, self._far = self._both = [_Salience(*fading) for fading in FADING]
        self._referents: dict[int, Shares] = {}
        self._at_quotation: dict[int, tuple[Shares, Shares]] = {}

    def process(self, number: int, event: Event) -> None:
        """Update the salience with the event of this number."""
        match event.kind:
            case EventKind.NAME:
                self._add(event.index, event.weight)
                self._referents[number] = {event.index: 1.0}
            case EventKind.PRONOUN:
                shares = resolve_pronoun(self._near.weights, self._genders, event.gender)
                self._referents[number] = shares
                for character, share in shares.items():
                    self._add(character, event.weight * share)
            case EventKind.QUOTATION:
                self._process_quotation(event.index)
            case EventKind.SENTENCE:
                for salience in self._both:
                    salience.fade(salience.sentence)
            case EventKind.PARAGRAPH:
                for salience in self._both:
                    salience.fade(salience.paragraph)
            case EventKind.SCENE:
                for salience in self._both:
                    salience.fade(SCENE)

    def _process_quotation(self, quotation: int) -> None:
        self._at_quotation[quotation] = self._near.shares(), self._far.shares()
        for character in self._narration.sieve.vocatives[quotation]:
            self._add(character, CALLED)
        if self._speakers[quotation] >= 0:
            self._add(self._speakers[quotation], SPEAKER * self._probabilities[quotation])

    def _add(self, character: int, weight: float) -> None:
        for salience in self._both:
            salience.add(character, weight)

    def state(self, quotation: int) -> SalienceState:
        """Return the salience at a quotation and the subjects near it."""
        near, far = self._at_quotation.get(quotation, ({}, {}))
        slots = tuple(
            self._fill_slot(place, subject, near)
            for place, subject in enumerate(self._narration.slots[quotation])
        )
        return SalienceState(near, far, slots)

    def _fill_slot(self, place: int, subject: int | None, near: Shares) -> Slot | None:
        if subject is None:
            return None
        if subject == OTHER_THING:
            return Slot(False, {})
        is_named = self._narration.is_name(subject)
        if place in _BEHIND and not is_named:  # must not depend on the guess at the speaker
            gender = self._narration.events[subject].gender
            return Slot(is_named, resolve_pronoun(near, self._genders, gender))
        return Slot(is_named, self._referents[subject])


class _Salience:
    """Weights of the salient characters, and the share left after a sentence or paragraph."""

    def __init__(self, sentence: float, paragraph: float) -> None:
        self.sentence, self.paragraph = sentence, paragraph
        self.weights: dict[int, float] = {}

    def add(self, character: int, weight: float) -> None:
        self.weights[character] = self.weights.get(character, 0.0) + weight

    def fade(self, left: float) -> None:
        faded = ((character, value * left) for character, value in self.weights.items())
        self.weights = {character: value for character, value in faded if value > FAINT}

    def shares(self) -> Shares:
        total = sum(self.weights.values())
        return {character: value / total for character, value in self.weights.items()}


def resolve_pronoun(salience: Shares, genders: Sequence[Gender], gender: Gender) -> Shares:
    """Return the probability that a pronoun of a gender means each of the salient characters."""
    fits = {}
    for character, value in salience.items():
        known = genders[character]
        if known is gender or known is Gender.UNKNOWN:
            fits[character] = value**SHARPER * (1 if known is gender else UNKNOWN)
    total = sum(fits.values())
    return {character: value / total for character, value in fits.items()}
