"""The user's corrections to the characters of a book: making them and taking them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scholar_indexes.errors import ScholarError
from scholar_indexes.sanitize import one_line
from scholar_tui.changes import Correct, TakeBack
from scholar_tui.screens.dialogs import ChoiceItem, ChooseScreen

if TYPE_CHECKING:
    from scholar_indexes.attribution.corrections.kinds import Correction
    from scholar_indexes.results import CorrectionStatus
    from scholar_indexes.types import Progress
    from scholar_tui.screens.mode_screen import ModeScreen

WAIT_S = 0.1
"""Seconds between two checks whether the earlier changes are saved."""


class CorrectionController:
    """Queues changes to the corrections of a book, and shows their effect."""

    def __init__(self, screen: ModeScreen, on_change: Callable[[str, str], None]) -> None:
        """on_change is called with the book's id, and with the name of the character to go to or
        "", once corrections have changed and no other change to them waits."""
        self._screen = screen
        self._on_change = on_change
        self._waiting = 0
        """The number of changes that are queued."""
        self._unseen: tuple[str, str] | None = None
        """The arguments of on_change for the changes since its last call."""

    def add(self, book_id: str, *corrections: Correction, select: str = "") -> None:
        """Put corrections in force together, or show why that fails."""
        shown = "; ".join(map(str, corrections))
        line = f"corrected: {shown}; u takes it back"
        self._change(Correct(book_id, corrections), line, select)

    def choose_undo(self, book_id: str) -> None:
        """Let the user choose a correction to take back, the latest first."""
        changes, corrections = self._screen.scholar.changes, self._screen.library.corrections

        def work(progress: Progress) -> list[CorrectionStatus]:
            while not changes.wait(WAIT_S):
                progress("", 0, 0)  # ends the work if it was cancelled
            return corrections.list(book_id, progress)

        self._screen.run_in_worker(
            work,
            lambda listed: self._show_corrections(book_id, listed),
            group="corrections",
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
        change = TakeBack(book_id, correction.number, correction.text)
        self._change(change, f"taken back: {correction.text}", "")

    def _change(self, change: Correct | TakeBack, line: str, select: str) -> None:
        """Queue a change to corrections; once it is saved, show the line and pass the change on."""

        def show(_: object) -> None:
            self._screen.show_message(one_line(line, 300))
            self._unseen = change.book_id, select
            self._finish_one()

        def refuse(refusal: ScholarError) -> None:
            self._screen.show_message(str(refusal), severity="error")
            self._finish_one()

        self._waiting += 1
        self._screen.change(change, show, refuse)

    def _finish_one(self) -> None:
        """Pass the changes on, unless another change waits, which will do so."""
        self._waiting -= 1
        if not self._waiting and self._unseen is not None:
            unseen, self._unseen = self._unseen, None
            self._on_change(*unseen)


def _detail(correction: CorrectionStatus) -> str:
    """Return the note of a correction, and the reason if it is not applied."""
    problem = f"not applied: {correction.problem}" if correction.problem else ""
    return "; ".join(filter(None, (correction.note, problem)))
