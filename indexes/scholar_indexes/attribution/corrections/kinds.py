"""The kinds of corrections that a user may make to the characters of a book.

The fields of a class are the keys of its table in the file of corrections; `note` is free text,
for a reason or a source. An invalid value raises UsageError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from scholar_indexes.books.citation import locators
from scholar_indexes.books.reading.chapter_ranges import section_range
from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Gender


@dataclass(frozen=True, slots=True)
class NewCharacter:
    """A character that was not detected, with a name or, if it has none, a description ("the man
    in the red sweater")."""

    name: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    gender: str = Gender.UNKNOWN.value
    note: str = ""

    def __post_init__(self) -> None:
        if bool(self.name) == bool(self.description):
            raise UsageError('a character needs either name = "..." or description = "..."')
        for name in (self.label, *self.aliases):
            _check_name(name)
        _check_gender(self.gender)

    @property
    def label(self) -> str:
        """The name or the description of the character."""
        return self.name or self.description

    def __str__(self) -> str:
        return f"{self.label} is a character"


@dataclass(frozen=True, slots=True)
class Split:
    """A name given to one character belongs to another, or to a new one."""

    name: str
    to: str = ""
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name} is {self.to or 'somebody else'}"


@dataclass(frozen=True, slots=True)
class Rename:
    """A character is called by another name."""

    name: str
    to: str
    note: str = ""

    def __post_init__(self) -> None:
        _check_name(self.to)

    def __str__(self) -> str:
        return f"{self.name} is called {self.to}"


@dataclass(frozen=True, slots=True)
class Merge:
    """Several characters are the same person, who is called by the first name."""

    names: tuple[str, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if len(set(self.names)) < max(2, len(self.names)):
            raise UsageError('a merge needs at least two different names: names = ["A", "B"]')

    def __str__(self) -> str:
        return f"{' and '.join(self.names)} are one"


@dataclass(frozen=True, slots=True)
class NotAPerson:
    """A character is not a person: a place, a ship, an exclamation."""

    name: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name} is not a person"


@dataclass(frozen=True, slots=True)
class GenderOf:
    """A character has a gender."""

    name: str
    gender: str
    note: str = ""

    def __post_init__(self) -> None:
        _check_gender(self.gender)

    def __str__(self) -> str:
        return f"the gender of {self.name} is {self.gender}"


@dataclass(frozen=True, slots=True)
class NarratorOf:
    """A character is the "I" of the book, or of a range of sections ("3", "3-9"), which are
    numbered as in locators."""

    name: str
    sections: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.sections:
            section_range(self.sections)

    def __str__(self) -> str:
        return (
            f"{self.name} narrates "
            f"{f'sections {self.sections}' * bool(self.sections) or 'the whole book'}"
        )


@dataclass(frozen=True, slots=True)
class SpeakerOf:
    """A quotation is said by a character; `quotation` is its locator, `words` are its first words,
    by which it is found again in another edition."""

    quotation: str
    speaker: str
    note: str = ""
    words: str = ""

    def __post_init__(self) -> None:
        if locators.parse(self.quotation).span is None:
            raise UsageError(
                f"{self.quotation!r} is not the locator of a quotation; copy it as "
                "scholar speakers prints it, such as pg64317:3.12:105-188"
            )

    def __str__(self) -> str:
        return f"{self.quotation} is said by {self.speaker}"


Correction: TypeAlias = (
    NewCharacter | Split | Rename | Merge | NotAPerson | GenderOf | NarratorOf | SpeakerOf
)

KINDS: Mapping[str, type[Correction]] = {
    "character": NewCharacter,
    "split": Split,
    "rename": Rename,
    "merge": Merge,
    "not_a_person": NotAPerson,
    "gender": GenderOf,
    "narrator": NarratorOf,
    "quotation": SpeakerOf,
}
"""The classes of corrections by the names of their tables, in the order of their application."""


def kind_of(correction: Correction) -> str:
    """Return the name of the table of a correction."""
    return next(name for name, kind in KINDS.items() if isinstance(correction, kind))


def _check_name(name: str) -> None:
    if not name_words(name):
        raise UsageError(f"{name!r} has no letters; write a name")


def _check_gender(gender: str) -> None:
    if gender not in list(Gender):
        raise UsageError(f"{gender!r} is not a gender; write one of {', '.join(Gender)}")
