"""A walk through the screens in five steps, for a user who opens an empty library for the first
time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scholar_indexes.errors import ScholarError

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

CHOICE = "walk"
"""The name of the choice that remembers the step, or OVER."""

OVER = "over"


@dataclass(frozen=True, slots=True)
class WalkStep:
    """A step: what to do, and the check whether it is done, given the number of kept passages when
    the step began."""

    task: str
    is_done: Callable[[ScholarApp, int], bool]


def _has_books(app: ScholarApp, kept: int) -> bool:
    return bool(app.library.books.all())


def _has_hits(app: ScholarApp, kept: int) -> bool:
    results = getattr(app.mode_screen, "results", None)
    return app.current_mode == "find" and bool(results and results.hits)


def _has_kept_more(app: ScholarApp, kept: int) -> bool:
    return len(app.library.bookmarks.quotations()) > kept


def _is_at(name: str) -> Callable[[ScholarApp, int], bool]:
    return lambda app, kept: app.current_mode == name


STEPS = (
    WalkStep("F2, then Enter adds three novels offline", _has_books),
    WalkStep("F3, then write a claim about a novel", _has_hits),
    WalkStep("Enter goes to the passages; s keeps one, e adds a note", _has_kept_more),
    WalkStep("Enter reads the passage in its book", _is_at("reader")),
    WalkStep("F5 shows the people of the book", _is_at("characters")),
)

THE_END = "that was the walk; ? shows the keys of a screen, Ctrl+E exports what it shows"


class Walk:
    """Leads from step to step, each of which is done when the program shows what it is about."""

    def __init__(self, app: ScholarApp) -> None:
        self._app = app
        self._step: int | None = None
        self._kept = 0

    def offer(self) -> None:
        """Begin in an empty library, if the walk was not left or ended before, and go on with a
        walk that was begun."""
        chosen = self._app.choice(CHOICE)
        with suppress(ScholarError):  # the screens report it
            if chosen is None and not self._app.library.books.all():
                self._go_to(0)
            elif chosen and chosen.isdecimal() and int(chosen) < len(STEPS):
                self._go_to(int(chosen))
                self.follow()

    def toggle(self) -> None:
        """Begin the walk, or leave it."""
        if self._step is None:
            self._go_to(0)
            self.follow()
        else:
            self._end()

    def follow(self) -> None:
        """Go on if what the step asks for is done."""
        with suppress(ScholarError):
            while self._step is not None and STEPS[self._step].is_done(self._app, self._kept):
                if self._step + 1 == len(STEPS):
                    self._end()
                    self._app.show_message(THE_END)
                else:
                    self._go_to(self._step + 1)

    def _go_to(self, step: int) -> None:
        self._kept = len(self._app.library.bookmarks.quotations())
        self._step = step
        self._app.walk_line = f"{step + 1} of {len(STEPS)}: {STEPS[step].task}"
        if step:
            self._app.set_choice(CHOICE, str(step))

    def _end(self) -> None:
        self._step = None
        self._app.set_choice(CHOICE, OVER)
        self._app.walk_line = ""
