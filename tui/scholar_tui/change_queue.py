"""Corrections, notes and marks, kept one after another in the order in which the user made them.

    a key -> ChangeQueue.put -> one thread -> the file of corrections, or desk.sqlite -> the screen

Nothing cancels a change: no other change, no other work, and not leaving the screen. A change that
another program holds up is tried again until it is kept, and the changes after it wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from scholar_indexes.errors import Busy, ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress
from scholar_tui.messages import Announcement, ProgressUpdate, WorkFinished

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

T = TypeVar("T")

RETRY_S = 0.5
"""Seconds before a change that another program held up is tried again."""


class GivenUp(Exception):
    """Ends a change that is waiting when nobody waits for it any more."""


@dataclass(eq=False, slots=True)
class Change:
    """A change that was asked for: what it is in a few words, and what to do."""

    label: str
    work: Callable[[Progress], Any]
    on_kept: Callable[[Any], None]
    on_refused: Callable[[ScholarError], None]
    is_wanted: Callable[[], bool]
    outcome: Future[ScholarError | None] = field(default_factory=Future)
    is_awaited: bool = False
    """True while a dialog waits for the outcome, which then says itself why it was refused."""

    async def refusal(self, within_s: float) -> ScholarError | None:
        """Return why the change was refused; None once it is kept, or is not yet after a time."""
        self.is_awaited = True
        outcome = asyncio.wrap_future(self.outcome)
        done, _ = await asyncio.wait({outcome}, timeout=within_s)
        self.is_awaited = bool(done)
        return outcome.result() if done else None


class ChangeQueue:
    """Keeps changes in a thread of its own, which ends when there are none."""

    def __init__(self, app: ScholarApp) -> None:
        self._app = app
        self._changes: deque[Change] = deque()
        self._changed = Condition()
        self._given_up = Event()
        self._outlives_screens = False
        self._has_reported = False
        self._thread: Thread | None = None
        self.made = 0
        """How many changes were asked for by keys."""
        self.refused: list[str] = []
        """Lines on the changes that were refused when there was no screen to say so any more."""

    @property
    def pending(self) -> list[str]:
        """The labels of the changes that are not kept yet, in order."""
        with self._changed:
            return [change.label for change in self._changes]

    def put(
        self,
        label: str,
        work: Callable[[Progress], T],
        on_kept: Callable[[T], None],
        on_refused: Callable[[ScholarError], None],
        is_wanted: Callable[[], bool] = lambda: True,
        *,
        in_passing: bool = False,
    ) -> Change:
        """Add a change at the end and return it.

        `work` is on the disk when it returns. One of the callbacks is called after it, in the
        thread of the screens, if `is_wanted` still holds. No key asked for a change `in_passing`,
        and the next key does not wait for it.
        """
        change = Change(one_line(label, 200), work, on_kept, on_refused, is_wanted)
        change.outcome.set_running_or_notify_cancel()  # who stops waiting for it cancels nothing
        with self._changed:
            self._changes.append(change)
            self.made += not in_passing
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="changes", daemon=True)
                self._thread.start()
        return change

    def wait(self, timeout_s: float) -> bool:
        """Wait until all changes are kept or refused; return False if some are not by then."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._changes, timeout_s)

    def outlive_screens(self) -> None:
        """Go on, and tell the screens nothing more: they are being closed."""
        self._outlives_screens = True

    def give_up(self) -> list[str]:
        """Keep no more changes, and return the labels of the rest."""
        self._given_up.set()
        return self.pending

    def _run(self) -> None:
        while (change := self._first()) is not None:
            self._keep(change)

    def _first(self) -> Change | None:
        with self._changed:
            if self._changes and not self._given_up.is_set():
                return self._changes[0]
            self._thread = None
            return None

    def _keep(self, change: Change) -> None:
        """Make a change, and tell its outcome."""
        try:
            answer, refusal = self._make(change)
        except GivenUp:
            return
        if self._has_reported:
            self._has_reported = False
            self._post(ProgressUpdate("", 0, 0))
        if refusal is None:
            self._post(WorkFinished(change.on_kept, answer, change.is_wanted))
        elif not self._post(WorkFinished(change.on_refused, refusal, change.is_wanted)):
            self.refused.append(f"{change.label}: {refusal}")
        change.outcome.set_result(refusal)
        with self._changed:
            self._changes.popleft()
            self._changed.notify_all()

    def _make(self, change: Change) -> tuple[Any, ScholarError | None]:
        """Make a change, and again while another program is in the way; return its answer, or why
        it was refused."""
        has_waited = False
        while True:
            try:
                return change.work(self._report), None
            except Busy:
                if not has_waited:
                    self._post(Announcement(_waiting_line(change.label)))
                has_waited = True
                if self._given_up.wait(RETRY_S):
                    raise GivenUp from None
            except GivenUp:
                raise
            except Exception as failure:
                return None, self._app.as_refusal(failure)

    def _report(self, label: str, done: int, total: int) -> None:
        """Show the progress of a change, and end it if all are given up: a Progress."""
        if self._given_up.is_set():
            raise GivenUp
        if label:
            self._has_reported = True
            self._post(ProgressUpdate(label, done, total))

    def _post(self, message: Announcement | ProgressUpdate | WorkFinished) -> bool:
        """Hand a message to the screens; return False if there are none any more."""
        if self._outlives_screens:
            return False
        try:
            return self._app.post_message(message)
        except RuntimeError:  # the loop of events has ended meanwhile
            return False


def _waiting_line(label: str) -> str:
    return f"{label} is not kept yet: another scholar is writing. It is kept when that has finished"
