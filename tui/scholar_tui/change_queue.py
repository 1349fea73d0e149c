"""Corrections, notes and marks, saved one after another in the order the user made them.

    a key -> ChangeQueue.put -> one thread -> the file of corrections, or desk.sqlite -> the screen

Nothing cancels a change: no other change, no other work, not even leaving the screen. A change that
another program blocks is retried until it is saved, and later changes wait. Waiting changes are in
a file (waiting_changes) before `put` returns; if the program ends, the next one saves them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Condition, Event, Thread
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import Busy, ScholarError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_tui import waiting_changes
from scholar_tui.changes import BringBack, Change, Desk, RecordPlace
from scholar_tui.messages import Announcement, ProgressUpdate, WorkFinished
from scholar_tui.waiting_changes import LeftChanges, WaitingChanges

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

RETRY_S = 0.5
"""Seconds before a change that another program blocked is retried."""

BUSY_S = 1.0
"""Seconds that a change waits for another program before the user is told; it waits on."""

MOST_NAMED = 3
"""The number of changes to name if there are many."""


class GivenUp(Exception):
    """Raised to end a waiting change that nobody waits for any more."""


@dataclass(eq=False, slots=True)
class QueuedChange:
    """A requested change, with the callbacks for its outcome."""

    change: Change
    on_kept: Callable[[Any], None]
    on_refused: Callable[[ScholarError], None]
    is_wanted: Callable[[], bool]
    outcome: Future[ScholarError | None] = field(default_factory=Future)
    is_awaited: bool = False
    """True while a dialog waits for the outcome; the dialog then shows a refusal itself."""

    @property
    def label(self) -> str:
        """A short description of the change."""
        return one_line(self.change.label, 200)

    async def refusal(self, within_s: float) -> ScholarError | None:
        """Return why the change was refused; None if it was saved, or is still pending after
        `within_s` seconds."""
        self.is_awaited = True
        outcome = asyncio.wrap_future(self.outcome)
        done, _ = await asyncio.wait({outcome}, timeout=within_s)
        self.is_awaited = bool(done)
        return outcome.result() if done else None


class ChangeQueue:
    """Saves changes in its own thread, which ends when none are left."""

    def __init__(self, app: ScholarApp) -> None:
        self._app = app
        self._changes: deque[QueuedChange] = deque()
        self._changed = Condition()
        places = app.library.places
        self._desk = Desk(app.library, Bookmarks(places.bookmarks, BUSY_S))
        self._file = WaitingChanges(places)
        self._given_up = Event()
        self._outlives_screens = False
        self._has_reported = False
        self._thread: Thread | None = None
        self._untold: list[Change] = []
        """The changes that were refused after the screens had closed."""
        self.made = 0
        """The number of changes requested by keys."""
        self.refused: list[str] = []
        """A line for each change that was refused after the screens had closed."""
        self.is_on_disk = True
        """False if the waiting changes could not be written to their file, so that exiting loses
        them."""

    @property
    def pending(self) -> list[str]:
        """The labels of the changes that are not saved yet, in order."""
        with self._changed:
            return [change.label for change in self._changes]

    def put(
        self,
        change: Change,
        on_kept: Callable[[Any], None],
        on_refused: Callable[[ScholarError], None],
        is_wanted: Callable[[], bool] = lambda: True,
        *,
        in_passing: bool = False,
    ) -> QueuedChange:
        """Append a change and return it.

        When it is done, one of the callbacks is called in the thread of the screens, if
        `is_wanted` still returns True. A change `in_passing` was not requested by a key, and the
        next key does not wait for it.
        """
        queued = QueuedChange(change, on_kept, on_refused, is_wanted)
        self._add([queued])
        self.made += not in_passing
        return queued

    def adopt(self) -> None:
        """Save the changes that closed screens left, and tell the user; screens that are closing
        now are waited for."""
        if left := self._file.left():
            Thread(target=self._adopt, args=[left], name="left changes", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Wait until all changes are saved or refused; return False on a timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._changes, timeout_s)

    def outlive_screens(self) -> None:
        """Keep working, but send the screens no more messages: they are being closed."""
        with self._changed:
            self._outlives_screens = True
            self._write()

    def give_up(self) -> list[str]:
        """Save no more changes, and return the labels of the rest."""
        self._given_up.set()
        return self.pending

    def _add(self, queued: Sequence[QueuedChange]) -> None:
        """Append changes, and write them to the file of waiting changes."""
        for change in queued:
            change.outcome.set_running_or_notify_cancel()  # a cancelled wait must not cancel it
        with self._changed:
            self._changes.extend(queued)
            self._write()
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="changes", daemon=True)
                self._thread.start()

    def _write(self) -> None:
        """Write the waiting changes to their file; the caller must hold the condition.

        A reading position is written with other changes or at exit, since pages are turned often.
        """
        changes = [*self._untold, *(queued.change for queued in self._changes)]
        only_places = all(isinstance(change, RecordPlace) for change in changes)
        if only_places and not (self._file.is_there or self._outlives_screens):
            return
        try:
            if changes:
                self._file.write(changes, self._dropped(changes))
            else:
                self._file.delete()
        except OSError as failure:
            self._app.log.error(failure)
            self.is_on_disk = False
        else:
            self.is_on_disk = True

    def _dropped(self, changes: Sequence[Change]) -> waiting_changes.Dropped:
        """Return the dropped quotations that the changes may bring back."""
        screens = {change.screen for change in changes if isinstance(change, BringBack)}
        return {name: self._desk.dropped.get(name, []) for name in screens}

    def _adopt(self, paths: Sequence[Path]) -> None:
        """Take over the files of other screens, closed screens first."""
        running = [path for path in paths if not self._adopt_one(path, waits=False)]
        for path in running:
            self._adopt_one(path, waits=True)

    def _adopt_one(self, path: Path, *, waits: bool) -> bool:
        try:
            return waiting_changes.adopt(path, self._take, waits=waits)
        except OSError as failure:
            self._post(Announcement(f"the changes in {path} are not saved: {failure.strerror}"))
            return True

    def _take(self, left: LeftChanges) -> None:
        """Append the changes that another screen left, and report their outcome."""
        if left.set_aside is not None:
            line = f"some changes of a closed screen cannot be read: {left.set_aside}"
            self._post(Announcement(line))
        with self._changed:
            for screen, quotations in left.dropped.items():
                self._desk.dropped.setdefault(screen, [])[:0] = quotations
        report = _Report(self._app, self._desk, len(left.changes))
        self._add(
            [
                QueuedChange(
                    change, partial(report.kept, change), partial(report.refused, change), _always
                )
                for change in left.changes
            ]
        )

    def _run(self) -> None:
        while (change := self._first()) is not None:
            self._keep(change)

    def _first(self) -> QueuedChange | None:
        with self._changed:
            if self._changes and not self._given_up.is_set():
                return self._changes[0]
            self._thread = None
            return None

    def _keep(self, queued: QueuedChange) -> None:
        """Make a change, and report its outcome."""
        try:
            answer, refusal = self._make(queued)
        except GivenUp:
            return
        if self._has_reported:
            self._has_reported = False
            self._post(ProgressUpdate("", 0, 0))
        is_told = self._post(
            WorkFinished(queued.on_kept, answer, queued.is_wanted)
            if refusal is None
            else WorkFinished(queued.on_refused, refusal, queued.is_wanted)
        )
        if refusal is not None and not is_told:
            self.refused.append(f"{queued.label}: {refusal}")
            self._untold.append(queued.change)
        queued.outcome.set_result(refusal)
        with self._changed:
            self._changes.popleft()
            self._write()
            self._changed.notify_all()

    def _make(self, queued: QueuedChange) -> tuple[Any, ScholarError | None]:
        """Make a change, retrying while another program is in the way; return its answer, or why
        it was refused."""
        has_waited = False
        while True:
            try:
                return queued.change.make(self._desk, self._report), None
            except Busy:
                if not has_waited:
                    self._post(Announcement(_waiting_line(queued.label)))
                has_waited = True
                if self._given_up.wait(RETRY_S):
                    raise GivenUp from None
            except GivenUp:
                raise
            except Exception as failure:
                return None, self._app.as_refusal(failure)

    def _report(self, label: str, done: int, total: int) -> None:
        """Show the progress of a change, or end it if all are given up; a Progress callback."""
        if self._given_up.is_set():
            raise GivenUp
        if label:
            self._has_reported = True
            self._post(ProgressUpdate(label, done, total))

    def _post(self, message: Announcement | ProgressUpdate | WorkFinished) -> bool:
        """Send a message to the screens; return False if there are none any more."""
        if self._outlives_screens:
            return False
        try:
            return self._app.post_message(message)
        except RuntimeError:  # the event loop has ended meanwhile
            return False


class _Report:
    """Reports the outcome of changes that a screen left; called in the thread of the screens."""

    def __init__(self, app: ScholarApp, desk: Desk, count: int) -> None:
        self._app = app
        self._desk = desk
        self._count = count
        self._kept: list[str] = []

    def kept(self, change: Change, _: object) -> None:
        if not isinstance(change, RecordPlace):
            self._kept.append(one_line(change.label, 200))
        self._finish_one()

    def refused(self, change: Change, refusal: ScholarError) -> None:
        line = f"{one_line(change.label, 200)}, of a closed screen, is not saved: {refusal}"
        try:
            place = waiting_changes.set_aside(self._app.library.places, change, self._desk.dropped)
        except OSError as failure:
            self._app.log.error(failure)
        else:
            line += f"; what you wrote is in {place}"
        self._app.show_message(line, severity="error")
        self._finish_one()

    def _finish_one(self) -> None:
        """Name the saved changes once all have been made or refused."""
        self._count -= 1
        if self._kept and not self._count:
            self._app.show_message(f"saved now, from a closed screen: {named(self._kept)}")


def named(labels: Sequence[str]) -> str:
    """Return the labels of changes on one line; of many, the first few and the count of others."""
    more = len(labels) - MOST_NAMED
    return ", ".join(labels[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _always() -> bool:
    return True


def _waiting_line(label: str) -> str:
    return f"{label} is not saved yet: another scholar is writing. It is saved when that finishes"
