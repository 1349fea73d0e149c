"""Corrections of the user to the characters of a book: making them and taking them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen

if TYPE_CHECKING:
    from scholar_indexes.attribution.corrections.kinds import Correction
    from scholar_indexes.results import CorrectionStatus
    from scholar_indexes.types import Progress
    from scholar_tui.screens.mode_screen import ModeScreen

GROUP = "corrections"


class CorrectionController:
    """Changes the corrections of a book in workers, one change at a time."""

    def __init__(self, screen: ModeScreen, on_change: Callable[[str, str], None]) -> None:
        """on_change is called with the book's id, and with the name of the character to go to,
        or "", when corrections were changed."""
        self._screen = screen
        self._on_change = on_change
        self._is_changing = False

    def add(self, book_id: str, *corrections: Correction, select: str = "") -> None:
        """Put corrections in force together, or say why they cannot be."""
        shown = "; ".join(map(str, corrections))
        self._change(
            lambda progress: self._screen.library.corrections.add(book_id, corrections, progress),
            f"corrected: {shown}; u takes it back",
            book_id,
            select,
        )

    def choose_undo(self, book_id: str) -> None:
        """Let the user choose a correction to take back, the latest first."""
        self._screen.run_in_worker(
            lambda progress: self._screen.library.corrections.list(book_id, progress),
            lambda corrections: self._show_corrections(book_id, corrections),
            group=GROUP,
            opens_box=True,
        )

    def _show_corrections(self, book_id: str, corrections: list[CorrectionStatus]) -> None:
        if not corrections:
            self._screen.show_message("nothing was corrected in this book yet")
            return
        by_number = {str(correction.number): correction for correction in corrections}
        choices = [
            ChoiceItem(number, correction.text, _detail(correction))
            for number, correction in reversed(by_number.items())
        ]

        def undo(chosen: list[str] | None) -> None:
            if chosen:
                self._undo(book_id, by_number[chosen[0]])

        self._screen.app.push_screen(ChooseScreen("Take back a correction", choices), undo)

    def _undo(self, book_id: str, correction: CorrectionStatus) -> None:
        def undo(progress: Progress) -> object:
            return self._screen.library.corrections.undo(book_id, correction.number, progress)

        self._change(undo, f"taken back: {correction.text}", book_id, "")

    def _change(
        self, work: Callable[[Progress], object], line: str, book_id: str, select: str
    ) -> None:
        """Change corrections, say so with a line, and pass it on."""
        if self._is_changing:
            self._screen.show_message("the correction before is still being kept; wait for it")
            return
        self._is_changing = True

        def show(_: object) -> None:
            self._is_changing = False
            self._screen.show_message(one_line(line, 300))
            self._on_change(book_id, select)

        def refuse(refusal: ScholarError) -> None:
            self._is_changing = False
            self._screen.show_message(str(refusal), severity="error")

        self._screen.run_in_worker(work, show, on_error=refuse, group=GROUP, lasting=True)


def _detail(correction: CorrectionStatus) -> str:
    """Return the note of a correction, and that it is not applied where it is not."""
    problem = f"not applied: {correction.problem}" if correction.problem else ""
    return "; ".join(filter(None, (correction.note, problem)))
