"""What the screens have in common: they ask the library in a thread and never wait for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual.screen import Screen
from textual.worker import WorkerCancelled, get_current_worker

from scholar_indexes.errors import ScholarError
from scholar_indexes.types import Progress
from scholar_tui.messages import Answered, Doing

if TYPE_CHECKING:
    from scholar_indexes.desk import Desk
    from scholar_indexes.library import Library
    from scholar_tui.app import ScholarApp

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a screen shows as it leaves the program: a name for the file, and a text for each
    format, by the ending of its files ("md", "json", "bib")."""

    name: str
    formats: dict[str, str]


class Journey(Screen[None]):
    """A screen of the masthead: a thin view over methods of Library."""

    NAME: ClassVar[str]
    ABOUT: ClassVar[str]
    """What one does here, for the help; the keys are listed by themselves."""

    _in_front = False

    @property
    def scholar(self) -> ScholarApp:
        return cast("ScholarApp", self.app)

    @property
    def library(self) -> Library:
        return self.scholar.library

    @property
    def desk(self) -> Desk:
        return self.scholar.library.desk

    # -- to be overridden --------------------------------------------------------------------

    def arrive(self, errand: Any) -> None:
        """The screen came to the front. errand is what ScholarApp.go brought, or None."""

    def listing(self) -> Listing | None:
        """What can be exported now."""
        return None

    # -- asking ------------------------------------------------------------------------------

    def ask(
        self,
        work: Callable[[Progress], T],
        then: Callable[[T], None],
        *,
        refused: Callable[[ScholarError], None] | None = None,
        group: str = "asking",
        lasting: bool = False,
    ) -> None:
        """Do work in a thread, in place of what the group was doing, and hand on its answer.

        work gets a Progress, which also ends it once it was cancelled. What goes wrong is
        told, and to refused too. Leaving the screen cancels the work unless it is lasting.
        """
        node = self.app if lasting else self

        def run() -> None:
            worker = get_current_worker()
            # Quitting unmounts the screen before the last answers come.
            wanted = lambda: not worker.is_cancelled and self.is_running  # noqa: E731

            def progress(label: str, done: int, total: int) -> None:
                if worker.is_cancelled:
                    raise WorkerCancelled
                self.app.post_message(Doing(label, done, total))

            try:
                answer = work(progress)
            except WorkerCancelled:
                self.app.post_message(Doing("", 0, 0))
            except Exception as failure:
                self.app.post_message(Doing("", 0, 0))
                self.app.post_message(Answered(lambda f: self._fail(f, refused), failure, wanted))
            else:
                self.app.post_message(Doing("", 0, 0))
                self.app.post_message(Answered(then, answer, wanted))

        node.run_worker(run, group=group, thread=True, exclusive=True, exit_on_error=False)

    def cancel(self, group: str = "asking") -> bool:
        """End the work of a group; whether there was any."""
        workers = [
            each for each in self.app.workers
            if each.group == group and each.node in (self, self.app) and not each.is_finished
        ]  # fmt: skip
        for each in workers:
            each.cancel()
        return bool(workers)

    def tell(self, line: str, *, severity: Any = "information") -> None:
        self.scholar.tell(line, severity=severity)

    def _fail(self, failure: Exception, refused: Callable[[ScholarError], None] | None) -> None:
        if not isinstance(failure, ScholarError):
            failure = self.scholar.unforeseen(failure)
        if refused is None:
            self.tell(str(failure), severity="error")
        else:
            refused(failure)

    def bring(self) -> None:
        """Do what the screen was come to for."""
        self.arrive(self.scholar.take_errand(self.NAME))

    def on_screen_resume(self) -> None:
        if not self._in_front:  # Textual tells the first screen twice
            self._in_front = True
            self.bring()

    def on_screen_suspend(self) -> None:
        self._in_front = False
