"""Corrections to the character under the cursor of the list of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NarratorOf,
    NotAPerson,
    Rename,
)
from scholar_indexes.books.reading.chapter_ranges import LAST_SECTION, find_sections
from scholar_indexes.characters.book_cast import other_names
from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Gender
from scholar_tui.controllers.correcting import CorrectionController
from scholar_tui.screens.confirm import ConfirmScreen
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import CharacterProfile
    from scholar_tui.screens.characters import CharactersScreen

_KINDS = (
    ChoiceItem("merge", "is the same as …"),
    ChoiceItem("rename", "is called …"),
    ChoiceItem("remove", "is not a person"),
    ChoiceItem("set_gender", "is a woman, or a man"),
    ChoiceItem("set_narrator", "is the narrator"),
)
"""The corrections to a character, by method name."""


class CharacterCorrectionController:
    """Asks for the values of a correction, and makes it."""

    def __init__(self, screen: CharactersScreen) -> None:
        self._screen = screen
        self._corrections = CorrectionController(screen, screen.loader.update)

    def choose(self) -> None:
        """Let the user choose a kind of correction."""
        if (profile := self._correctable()) is not None:
            self._ask(profile.character.name, _KINDS, lambda kind: getattr(self, kind)())

    def merge(self) -> None:
        """Merge the character with another one that the user chooses."""
        if (profile := self._correctable()) is None:
            return
        name = profile.character.name
        others = [
            ChoiceItem(other.character.name, other.character.name, _appearance(other))
            for other in self._screen.loader.correctable
            if other.character.id != profile.character.id
        ]
        self._ask(
            f"{name} is the same as",
            others,
            lambda other: self._confirm_merge(profile, other),
        )

    def _confirm_merge(self, profile: CharacterProfile, other: str) -> None:
        """Merge a character with the named one, after asking."""
        name = profile.character.name

        def merge(confirmed: bool | None) -> None:
            if confirmed:
                self._add(Merge((other, name)), select=other)

        consequences = (
            f"What {name} says ({_appearance(profile)}) and every mention will count as those of "
            f"{other}, in searches, quizzes and the reader too. u takes it back."
        )
        self._screen.app.push_screen(
            ConfirmScreen(
                one_line(f"Is {name} the same as {other}?", 200),
                one_line(consequences, 400),
                "Yes, merge",
                "No, keep both",
            ),
            merge,
        )

    def rename(self) -> None:
        """Give the character a name that the user writes, or another of its names."""
        if (profile := self._correctable()) is None:
            return
        name = profile.character.name
        names = [
            ChoiceItem(alias, alias, "has this name already")
            for alias in other_names(profile.character)
        ]

        def rename(new_name: str) -> None:
            self._add(Rename(name, new_name), select=new_name)

        self._ask(f"{name} is called", names, rename, new="a new name")

    def remove(self) -> None:
        """Mark the character as not a person."""
        if (profile := self._correctable()) is not None:
            self._add(NotAPerson(profile.character.name))

    def set_gender(self) -> None:
        """Give the character a gender that the user chooses."""
        if (profile := self._correctable()) is None:
            return
        name = profile.character.name
        genders = [
            ChoiceItem(gender, gender, "as now" * (gender is profile.character.gender))
            for gender in Gender
        ]
        self._ask(
            f"The gender of {name}",
            genders,
            lambda gender: self._add(GenderOf(name, gender)),
        )

    def set_narrator(self) -> None:
        """Make the character the narrator of the book or of chapters that the user chooses."""
        cast = self._screen.cast
        if (profile := self._correctable()) is None or cast is None:
            return
        name = profile.character.name
        stretches = [ChoiceItem("", "the whole book")]
        stretches += [
            ChoiceItem(
                f"section {chapter.number}",
                f"chapter {chapter.printed}" if chapter.printed else f"section {chapter.number}",
                chapter.title,
            )
            for chapter in cast.chapters
        ]
        self._ask(
            f"{name} is the “I” of",
            stretches,
            lambda chapters: self._add(NarratorOf(name, _sections(cast, chapters))),
            new="chapters such as 3-9",
        )

    def undo(self) -> None:
        """Let the user choose a correction to take back."""
        if self._screen.cast is not None:
            self._corrections.choose_undo(self._screen.cast.stored.book.id)

    def _correctable(self) -> CharacterProfile | None:
        """Return the character under the cursor; show why if it cannot be corrected."""
        profile = self._screen.selected
        if profile is not None and profile not in self._screen.loader.correctable:
            self._screen.show_message(
                f"{one_line(profile.character.name, 60)} is known only from written descriptions, "
                "so there is nothing to correct"
            )
            return None
        return profile

    def _ask(
        self,
        title: str,
        choices: Sequence[ChoiceItem],
        correct: Callable[[str], None],
        *,
        new: str = "",
    ) -> None:
        """Let the user choose one value, and pass it to `correct`; `new` describes a value that is
        not in the list."""

        def take(chosen: list[str] | None) -> None:
            if not chosen:
                return
            try:
                correct(chosen[0])
            except ScholarError as refusal:
                self._screen.show_message(str(refusal), severity="error")

        self._screen.app.push_screen(ChooseScreen(one_line(title, 80), choices, new=new), take)

    def _add(self, correction: Correction, *, select: str = "") -> None:
        if self._screen.cast is not None:
            book_id = self._screen.cast.stored.book.id
            self._corrections.add(book_id, correction, select=select)


def _sections(cast: BookCast, chapters: str) -> str:
    """Return the sections of the chapters that a user chose or typed; "" for the whole book."""
    if not chapters:
        return ""
    first, last = find_sections(cast.chapters, chapters, cast.stored.book.title)
    if first == last:
        return str(first)
    return f"{first}-" if last == LAST_SECTION else f"{first}-{last}"


def _appearance(profile: CharacterProfile) -> str:
    """Return the number of quotations of a character, and its other names."""
    count = profile.quotations
    said = f"{count:,} quotation{'s' * (count != 1)}"
    return "; ".join((said, *other_names(profile.character)))
