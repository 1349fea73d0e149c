"""The base class of the six screens, which calls the library in worker threads only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.actions import parse
from textual.dom import DOMNode
from textual.events import ScreenResume
from textual.screen import Screen
from textual.worker import WorkerCancelled, get_current_worker

from scholar_indexes.errors import ScholarError
from scholar_indexes.progress import TimeEstimate, describe_remaining
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.types import Progress
from scholar_tui.messages import ProgressUpdate, WorkFinished
from scholar_tui.widgets.key_bar import KeyBar
from scholar_tui.widgets.walk_line import WalkLine

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.storage.bookmarks import Bookmarks
    from scholar_tui.app import ScholarApp
    from scholar_tui.change_queue import QueuedChange
    from scholar_tui.changes import Change
    from scholar_tui.navigation import NavigationRequest

T = TypeVar("T")

BROAD = 160
"""The width in columns from which screens have one more panel, and the class "-broad"."""


class ModeScreen(Screen[None]):
    """A screen with a tab in the header: a thin view over methods of Library.

    An action that is a method of a controller is an attribute of the screen, as in
    `self.action_copy = self._passages.copy`; other actions are methods.
    """

    NAME: ClassVar[str]
    ABOUT: ClassVar[str]
    """The purpose of the screen, shown in the help; the keys are listed separately."""

    KEY_HELP: ClassVar[dict[str, type[DOMNode]]] = {}
    """Widgets of the screen that have their own keys, by heading in the help."""

    _in_front = False

    _theme = ""
    """The theme for which all widgets have their styles."""

    is_commanded = False
    """True while an action from the palette runs."""

    def on_compose(self) -> None:
        """Add the classes for the size while there are no widgets, whose styles would change."""
        self._theme = self.app.theme
        for breakpoints, cells in (
            (self.HORIZONTAL_BREAKPOINTS, self.app.size.width),
            (self.VERTICAL_BREAKPOINTS, self.app.size.height),
        ):
            reached = [pair for pair in breakpoints or () if pair[0] <= cells]
            if reached:
                self.add_class(max(reached)[1], update=False)

    def on_mount(self) -> None:
        """Add the line of the walk; Textual calls this in addition to the method of a subclass."""
        self.mount(WalkLine(), before=self.query_one(KeyBar))

    @property
    def scholar(self) -> ScholarApp:
        return cast("ScholarApp", self.app)

    @property
    def library(self) -> Library:
        return self.scholar.library

    @property
    def bookmarks(self) -> Bookmarks:
        return self.scholar.library.bookmarks

    @property
    def is_complete(self) -> bool:
        """Return True while the widgets are mounted: an answer may come while quitting."""
        return self.is_running

    def activate(self, request: NavigationRequest | None) -> None:
        """Handle the screen coming to the front, with the request given to ScholarApp.navigate."""

    def exports(self) -> Sequence[ExportListing]:
        """Return what can be exported now, the most likely first."""
        return ()

    def run_in_worker(
        self,
        work: Callable[[Progress], T],
        on_result: Callable[[T], None],
        *,
        on_error: Callable[[ScholarError], None] | None = None,
        group: str = "query",
        lasting: bool = False,
        opens_box: bool = False,
        moves_focus: bool = False,
    ) -> None:
        """Run work in a thread, replacing the running work of the group, and pass on its result.

        `work` gets a Progress, which also ends it once it was cancelled. An error is passed to
        on_error, or shown. Lasting work continues when the screen is left and when other work of
        its group begins, so that its outcome is always passed on. If on_result opens a box or moves
        the focus, what is typed meanwhile waits for that; keys that give the box up cancel the
        work.
        """
        node = self.app if lasting else self
        running, busy = self.scholar.running, self.scholar.busy

        def run() -> None:
            worker = get_current_worker()
            estimate = TimeEstimate()
            # Quitting unmounts the screen before the last answers come.
            is_wanted = lambda: not worker.is_cancelled and self.is_complete  # noqa: E731

            def progress(label: str, done: int, total: int) -> None:
                if worker.is_cancelled:
                    raise WorkerCancelled
                if label:
                    running[worker] = lambda stop: self._handle_error(stop, on_error)
                    remaining = describe_remaining(estimate.remaining_s(done, total))
                    self.app.post_message(ProgressUpdate(label, done, total, remaining))

            def finish(
                handle: Callable[[Any], None], answer: object, wanted: Callable[[], bool]
            ) -> None:
                if running.pop(worker, None):
                    self.app.post_message(ProgressUpdate("", 0, 0))
                box_worker = worker if opens_box or moves_focus else None
                self.app.post_message(WorkFinished(handle, answer, wanted, box_worker))

            busy.add(worker)
            try:
                answer = work(progress)
            except WorkerCancelled as cancelled:
                finish(lambda _: None, cancelled, lambda: False)
            except Exception as failure:
                finish(partial(self._handle_error, on_error=on_error), failure, is_wanted)
            else:
                finish(on_result, answer, is_wanted)
            finally:
                busy.discard(worker)

        worker = node.run_worker(
            run, group=group, thread=True, exclusive=not lasting, exit_on_error=False
        )
        if opens_box or moves_focus:
            self.scholar.type_ahead.expect_box(worker, cancels=opens_box)

    async def run_from_palette(self, action: str) -> None:
        """Run an action that was chosen by name, even one on a letter while a box has the focus;
        show a message if it is impossible. Dialogs are closed first, since the action is not for
        them."""
        if not await self.scholar.close_dialogs():
            return
        self.is_commanded = True
        try:
            done = await self.app.run_action(action, self)
        finally:
            self.is_commanded = False
        if not done:
            self.show_message("that cannot be done here now")

    def offers(self, action: str) -> bool:
        """Return True if an action can be run from the palette now."""
        _, name, parameters = parse(action)
        self.is_commanded = True
        try:
            return bool(self.check_action(name, parameters))
        finally:
            self.is_commanded = False

    def is_working(self, group: str) -> bool:
        """Return True while work of a group runs, started by this screen or another."""
        return any(worker.group == group and not worker.is_finished for worker in self.app.workers)

    def change(
        self,
        change: Change,
        on_kept: Callable[[Any], None],
        on_refused: Callable[[ScholarError], None] | None = None,
        *,
        in_passing: bool = False,
    ) -> QueuedChange:
        """Queue a correction, a note or a mark, and pass on its result; a refusal is shown if
        on_refused is not given. See ChangeQueue.put for `in_passing`."""
        refuse = on_refused or (lambda refusal: self.show_message(str(refusal), severity="error"))
        is_wanted = lambda: self.is_complete  # noqa: E731
        changes = self.scholar.changes
        return changes.put(change, on_kept, refuse, is_wanted, in_passing=in_passing)

    def cancel_work(self, group: str = "query") -> bool:
        """Cancel the unfinished work of a group and return True if there was any."""
        workers = [
            worker
            for worker in self.app.workers
            if worker.group == group and worker.node in (self, self.app) and not worker.is_finished
        ]
        for worker in workers:
            worker.cancel()
        return bool(workers)

    async def navigate(self, name: str, request: NavigationRequest) -> None:
        """Bring the named screen to the front and pass it a request."""
        await self.scholar.navigate(name, request)

    def copy(self, text: str, description: str) -> None:
        """Copy a text to the clipboard."""
        self.scholar.copy(text, description)

    def show_message(self, line: str, *, severity: Any = "information") -> None:
        self.scholar.show_message(line, severity=severity)

    def _handle_error(
        self, failure: Exception, on_error: Callable[[ScholarError], None] | None
    ) -> None:
        refusal = self.scholar.as_refusal(failure)
        if on_error is None:
            self.show_message(str(refusal), severity="error")
        else:
            on_error(refusal)

    def process_request(self) -> None:
        """Take the pending navigation request and activate the screen with it."""
        self.activate(self.scholar.take_request(self.NAME))

    def on_screen_resume(self, event: ScreenResume) -> None:
        event.refresh_styles = self._theme != self.app.theme
        self._theme = self.app.theme
        if not self._in_front:  # Textual resumes the first screen twice
            self._in_front = True
            self.process_request()

    def on_screen_suspend(self) -> None:
        self._in_front = False
