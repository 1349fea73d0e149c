"""Application of the user's corrections to the dialogue detected in a book."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scholar_indexes.attribution.corrections.cast_draft import CastDraft
from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NarratorOf,
    NewCharacter,
    NotAPerson,
    Rename,
    SpeakerOf,
    Split,
)
from scholar_indexes.attribution.corrections.reattribution import Reattribute, keep_detected
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.citation import locators
from scholar_indexes.books.reading.chapter_ranges import section_range
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Attribution, Character, QuotationForm, Span

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook

WORDS_CHARS = 60
"""The most characters of a quotation's first words that are stored with its correction."""

VERSION = 2
"""Increased when the same corrections give another dialogue, so that derived data is rebuilt."""

_FIRST_PERSON = re.compile(r"(?:\w+\s+)?I(?:\s+\w+){0,3}")
"""A cue whose subject is the narrator: "I said", "said I", "I began to say"; in a longer one
another person may speak: "I had sat down when she said"."""


@dataclass(frozen=True, slots=True)
class CorrectedDialogue:
    """A dialogue with the corrections that fit it, and the problems of the others."""

    dialogue: Dialogue
    problems: Mapping[Correction, str]


def fingerprint(corrections: Sequence[Correction]) -> str:
    """Return a string that differs for corrections with another effect; empty without any."""
    if not corrections:
        return ""
    effective = repr([replace(correction, note="") for correction in corrections])
    return f"corrected-{VERSION}-{hashlib.sha256(effective.encode()).hexdigest()[:16]}"


def apply(
    book: OpenBook,
    detected: Dialogue,
    corrections: Sequence[Correction],
    reattribute: Reattribute = keep_detected,
) -> CorrectedDialogue:
    """Return the dialogue of a book with all fitting corrections applied.

    `reattribute` attributes the quotations again to the corrected cast; if it keeps the detected
    attributions, they follow their characters when these are merged, split or removed.

    Characters are added first; names are split before characters are renamed, merged and
    removed; genders, narrators and speakers come last. Of two that clash, the second is skipped.
    """
    draft = _DialogueDraft(book, detected)
    problems: dict[Correction, str] = {}
    for stage in draft.stages:
        pending = [
            (correction, method)
            for kind, method in stage
            for correction in dict.fromkeys(corrections)
            if isinstance(correction, kind)
        ]
        problems.update(_apply_all(pending))
    return CorrectedDialogue(draft.finished(reattribute), problems)


def add_first_words(
    book: OpenBook, detected: Dialogue, corrections: Sequence[Correction]
) -> tuple[Correction, ...]:
    """Return corrections, without duplicates, with the first words of their quotations."""
    quotations = _QuotationFinder(book, detected)
    return tuple(
        dict.fromkeys(
            replace(
                correction, words=quotations.first_words(str(locators.parse(correction.quotation)))
            )
            if isinstance(correction, SpeakerOf) and not correction.words
            else correction
            for correction in corrections
        )
    )


def _apply_all(
    pending: Sequence[tuple[Correction, Callable[[Any], None]]],
) -> dict[Correction, str]:
    """Apply corrections by their methods, retrying until no more can be applied; return the
    problems of the rest."""
    while True:
        problems: dict[Correction, str] = {}
        for correction, method in pending:
            try:
                method(correction)
            except ScholarError as error:
                problems[correction] = str(error)
        if len(problems) in (0, len(pending)):
            return problems
        pending = [entry for entry in pending if entry[0] in problems]


class _DialogueDraft:
    """A dialogue while corrections change it: its cast, narrators and speakers."""

    def __init__(self, book: OpenBook, detected: Dialogue) -> None:
        self._book = book
        self._detected = detected
        self._cast = CastDraft(book.text, detected)
        self._narrators: list[tuple[int, int, str]] = []
        self._book_narrator: str | None = None
        self._named_speakers: dict[int, str] = {}
        self.stages: Sequence[Sequence[tuple[type[Correction], Callable[[Any], None]]]] = (
            [(NewCharacter, self._cast.add)],
            [(Split, self._cast.split)],
            [(Rename, self._cast.rename), (Merge, self._cast.merge)],
            [(NotAPerson, self._cast.remove)],
            [(GenderOf, self._cast.set_gender)],
            [(NarratorOf, self._set_narrator)],
            [(SpeakerOf, self._set_speaker)],
        )
        """The methods that apply corrections of each kind, in the order of application; within a
        stage, the names in corrections may depend on one another."""

    def finished(self, reattribute: Reattribute) -> Dialogue:
        """Return the corrected dialogue."""
        characters = self._set_stretches(self._cast.finished())
        cast = tuple(characters.values())
        attributions = reattribute(cast)
        if attributions is None:
            attributions = [
                self._moved(index, attribution, characters)
                for index, attribution in enumerate(self._detected.attributions)
            ]
        decided = (
            self._decided(index, attribution, characters)
            for index, attribution in enumerate(attributions)
        )
        return Dialogue(cast, self._detected.quotations, tuple(decided))

    def _set_narrator(self, correction: NarratorOf) -> None:
        narrator = self._cast.find(correction.name).id
        if not correction.sections:
            if self._book_narrator not in (None, narrator):
                raise UsageError("the book is given two narrators; remove one or add sections")
            self._book_narrator = narrator
            return
        first, last = section_range(correction.sections)
        numbers = self._book.chapters_by_number
        if not any(first <= number <= last for number in numbers):
            raise NotThere(f"there is no section {correction.sections}; the last is {max(numbers)}")
        for low, high, other in self._narrators:
            if first <= high and low <= last and other != narrator:
                raise UsageError(
                    f"sections {correction.sections} are given two narrators; remove one"
                )
        self._narrators.append((first, last, narrator))

    def _set_speaker(self, correction: SpeakerOf) -> None:
        speaker = self._cast.find(correction.speaker).id
        locator = str(locators.parse(correction.quotation))
        index = self._quotations.find(locator, correction.words)
        if self._named_speakers.setdefault(index, speaker) != speaker:
            raise UsageError(f"{locator} is given two speakers; remove one of the two")

    def _set_stretches(self, characters: Mapping[str, Character]) -> dict[str, Character]:
        """Return the characters with the stretches that they narrate; a corrected narrator of the
        whole book excludes all detected narrators."""
        corrected = {key: self._stretches_of(key) for key in characters}
        taken = [stretch for stretches in corrected.values() for stretch in stretches]
        narrators = {}
        for key, character in characters.items():
            detected: Sequence[Span] = ()
            if self._book_narrator is not None:
                is_everywhere = key == self._book_narrator
            else:
                is_everywhere = character.narrator and not character.narrates
                detected = _outside(character.narrates, taken)
            stretches = () if is_everywhere else tuple(sorted((*corrected[key], *detected)))
            narrators[key] = replace(
                character, narrator=is_everywhere or bool(stretches), narrates=stretches
            )
        return narrators

    def _stretches_of(self, key: str) -> list[Span]:
        """Return the bodies of the chapters that a character narrates by the corrections."""
        return [
            chapter.body
            for first, last, narrator in self._narrators
            if narrator == key
            for number, chapter in self._book.chapters_by_number.items()
            if first <= number <= last
        ]

    def _decided(
        self, index: int, attribution: Attribution, characters: Mapping[str, Character]
    ) -> Attribution:
        """Return the attribution that a correction decides, or else the one given."""
        if index in self._named_speakers:
            speaker = characters[self._named_speakers[index]]
            form = attribution.form if attribution.form.has_speaker else QuotationForm.SPEECH
            return replace(attribution, speaker=speaker, evidence=None, confidence=1.0, form=form)
        narrator = self._first_person_speaker(index, attribution)
        if narrator is not None:
            return replace(attribution, speaker=characters[narrator], confidence=1.0)
        return attribution

    def _moved(
        self, index: int, attribution: Attribution, characters: Mapping[str, Character]
    ) -> Attribution:
        """Return a detected attribution with the character that its speaker has become."""
        key = self._cast.speakers[index]
        if key is not None:
            return replace(attribution, speaker=characters[key])
        if attribution.speaker is None:
            return attribution
        return replace(attribution, speaker=None, evidence=None, confidence=0.0)

    def _first_person_speaker(self, index: int, attribution: Attribution) -> str | None:
        """Return the narrator that a correction names, if the cue is "I said"."""
        evidence = attribution.evidence
        if evidence is None or not _FIRST_PERSON.fullmatch(evidence.of(self._book.text)):
            return None
        place = self._book.cite(self._detected.quotations[index].span)
        number = place.chapter.number if place and self._narrators else 0
        for first, last, narrator in self._narrators:
            if first <= number <= last:
                return narrator
        return self._book_narrator

    @cached_property
    def _quotations(self) -> _QuotationFinder:
        return _QuotationFinder(self._book, self._detected)


class _QuotationFinder:
    """The quotations of a book by their locators and first words."""

    def __init__(self, book: OpenBook, detected: Dialogue) -> None:
        self._book_id = book.book.id
        self._texts = [one_line(quotation.of(book.text)) for quotation in detected.quotations]
        places = (book.cite(quotation.span) for quotation in detected.quotations)
        self._by_locator = {place.locator: index for index, place in enumerate(places) if place}

    def first_words(self, locator: str) -> str:
        """Return the first words of the quotation at a locator; empty if there is none."""
        index = self._by_locator.get(locator)
        return "" if index is None else self._texts[index][:WORDS_CHARS].rstrip()

    def find(self, locator: str, words: str) -> int:
        """Return the index of the quotation at a locator or, if it does not begin with `words`, of
        the only one that does; raises NotThere."""
        index = self._by_locator.get(locator)
        if index is not None and self._texts[index].startswith(words):
            return index
        if not words:
            raise NotThere(
                f"there is no quotation at {locator}; see: scholar speakers {self._book_id}"
            )
        beginning = [row for row, text in enumerate(self._texts) if text.startswith(words)]
        if len(beginning) != 1:
            number = "several others do" if beginning else "no other does"
            raise NotThere(
                f"no quotation at {locator} begins with {words!r}, and {number}; "
                f"see: scholar speakers {self._book_id}"
            )
        return beginning[0]


def _outside(stretches: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """Return the parts of `stretches` that are outside all of `taken`."""
    parts = list(stretches)
    for other in taken:
        cut = (
            (
                Span(part.start, min(part.end, other.start)),
                Span(max(part.start, other.end), part.end),
            )
            if part.start < other.end and other.start < part.end
            else (part,)
            for part in parts
        )
        parts = [part for pieces in cut for part in pieces if part.start < part.end]
    return parts
