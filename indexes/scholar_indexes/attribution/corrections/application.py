"""Apply the corrections of a person to what was detected in a book."""

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
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books import locators
from scholar_indexes.books.chapter_ranges import section_range
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Attribution, Character, QuotationForm

if TYPE_CHECKING:
    from scholar_indexes.books.open_book import OpenBook

VERSION = 1
"""Counts up when the same corrections make another dialogue: what is derived from it is stale."""

_FIRST_PERSON = re.compile(r"(?:\w+\s+)?I(?:\s+\w+){0,3}")
"""A cue whose subject is the narrator: "I said", "said I", "I began to say"; in a longer one
somebody else may speak: "I had sat down when she said"."""


@dataclass(frozen=True, slots=True)
class CorrectedDialogue:
    """A dialogue with corrections applied, and why some could not be."""

    dialogue: Dialogue
    problems: Mapping[Correction, str]


def fingerprint(corrections: Sequence[Correction]) -> str:
    """Return a word that differs for corrections of another effect; empty without corrections."""
    if not corrections:
        return ""
    effective = repr([replace(correction, note="") for correction in corrections])
    return f"corrected-{VERSION}-{hashlib.sha256(effective.encode()).hexdigest()[:16]}"


def apply(
    book: OpenBook, detected: Dialogue, corrections: Sequence[Correction]
) -> CorrectedDialogue:
    """Return the dialogue of a book with all corrections applied that fit it.

    Characters are added first; names are split before characters are renamed, merged and
    removed; genders, narrators and speakers come last. Of two that clash the second is left out.
    """
    draft = _DialogueDraft(book, detected)
    problems: dict[Correction, str] = {}
    for kind, method in draft.steps:
        for correction in corrections:
            if isinstance(correction, kind):
                try:
                    method(correction)
                except ScholarError as error:
                    problems[correction] = str(error)
    return CorrectedDialogue(draft.finished(), problems)


class _DialogueDraft:
    """A dialogue while corrections change it: its cast, its narrators, and who says what."""

    def __init__(self, book: OpenBook, detected: Dialogue) -> None:
        self._book = book
        self._detected = detected
        self._cast = CastDraft(book.text, detected)
        self._narrators: list[tuple[int, int, str]] = []
        self._book_narrator: str | None = None
        self._named_speakers: dict[int, str] = {}
        self.steps: Sequence[tuple[type[Correction], Callable[[Any], None]]] = (
            (NewCharacter, self._cast.add),
            (Split, self._cast.split),
            (Rename, self._cast.rename),
            (Merge, self._cast.merge),
            (NotAPerson, self._cast.remove),
            (GenderOf, self._cast.set_gender),
            (NarratorOf, self._set_narrator),
            (SpeakerOf, self._set_speaker),
        )
        """The methods that apply corrections of each kind, in the order of application."""

    def finished(self) -> Dialogue:
        """Return the corrected dialogue."""
        characters = self._flag_narrators(self._cast.finished())
        attributions = [
            self._attribution(index, attribution, characters)
            for index, attribution in enumerate(self._detected.attributions)
        ]
        return Dialogue(tuple(characters.values()), self._detected.quotations, tuple(attributions))

    def _set_narrator(self, correction: NarratorOf) -> None:
        narrator = self._cast.find(correction.name).id
        if not correction.sections:
            if self._book_narrator not in (None, narrator):
                raise UsageError("the book is given two narrators; leave one out or say sections")
            self._book_narrator = narrator
            return
        first, last = section_range(correction.sections)
        numbers = self._book.chapters_by_number
        if not any(first <= number <= last for number in numbers):
            raise NotThere(f"there is no section {correction.sections}; the last is {max(numbers)}")
        for low, high, other in self._narrators:
            if first <= high and low <= last and other != narrator:
                raise UsageError(
                    f"sections {correction.sections} are given two narrators; leave out one"
                )
        self._narrators.append((first, last, narrator))

    def _set_speaker(self, correction: SpeakerOf) -> None:
        speaker = self._cast.find(correction.speaker).id
        locator = str(locators.parse(correction.quotation))
        index = self._quotations_by_locator.get(locator)
        if index is None:
            raise NotThere(
                f"no quotation stands at {locator}; see: scholar speakers {self._book.book.id}"
            )
        if self._named_speakers.setdefault(index, speaker) != speaker:
            raise UsageError(f"{locator} is given two speakers; leave out one of the two")

    def _flag_narrators(self, characters: Mapping[str, Character]) -> dict[str, Character]:
        """Return the characters with their narrator flags; one of the book excludes others."""
        narrators = {narrator for _, _, narrator in self._narrators}
        if self._book_narrator is not None:
            narrators.add(self._book_narrator)
        else:
            narrators |= {key for key, character in characters.items() if character.narrator}
        return {
            key: replace(character, narrator=key in narrators)
            for key, character in characters.items()
        }

    def _attribution(
        self, index: int, attribution: Attribution, characters: Mapping[str, Character]
    ) -> Attribution:
        if index in self._named_speakers:
            speaker = characters[self._named_speakers[index]]
            form = attribution.form if attribution.form.has_speaker else QuotationForm.SPEECH
            return replace(attribution, speaker=speaker, evidence=None, confidence=1.0, form=form)
        narrator = self._first_person_speaker(index, attribution)
        if narrator is not None:
            return replace(attribution, speaker=characters[narrator], confidence=1.0)
        key = self._cast.speakers[index]
        if key is not None:
            return replace(attribution, speaker=characters[key])
        if attribution.speaker is None:
            return attribution
        return replace(attribution, speaker=None, evidence=None, confidence=0.0)

    def _first_person_speaker(self, index: int, attribution: Attribution) -> str | None:
        """Return the narrator that a correction names, where the cue is "I said"."""
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
    def _quotations_by_locator(self) -> dict[str, int]:
        places = (self._book.cite(quotation.span) for quotation in self._detected.quotations)
        return {place.locator: index for index, place in enumerate(places) if place}
