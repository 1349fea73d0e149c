"""Adding papers, removing them, and rebuilding their index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize import papers as serializer
from scholar_indexes.types import Progress
from scholar_tui.controllers.paper_search import advise
from scholar_tui.job_queue import Job, Lane

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_results import AddPapersReport
    from scholar_indexes.papers.paper_service import PaperLibrary
    from scholar_tui.screens.papers import PapersScreen
    from scholar_tui.screens.papers_dialogs import PaperSource

INDEX_JOB = "index the papers"


class PaperChangesController:
    """Queues the changes to the papers of the library."""

    def __init__(
        self,
        screen: PapersScreen,
        on_change: Callable[[], None],
        on_removed: Callable[[StoredPaper], None],
    ) -> None:
        """on_change is called after an attempt to add papers, on_removed after a removal."""
        self._screen = screen
        self._on_change = on_change
        self._on_removed = on_removed

    def ask_for_source(self) -> None:
        """Open the dialog for papers to add."""
        from scholar_tui.screens.papers_dialogs import AddPapersScreen

        offline = self._screen.library.settings.offline
        collection = self._screen.scope.collection
        self._screen.app.push_screen(AddPapersScreen(collection, offline, self._add))

    def remove(self, stored: StoredPaper) -> None:
        """Remove a paper, after asking."""
        from scholar_tui.screens.papers_dialogs import RemovePaperScreen

        collection = self._screen.scope.collection

        def remove(where: str | None) -> None:
            if where is None:
                return
            taken_out_of = collection if where == "here" else None
            self._screen.run_in_worker(
                lambda _: self._screen.papers.remove(stored.paper.id, taken_out_of),
                lambda removed: self._show_removed(removed, taken_out_of),
                group="removing papers",
                lasting=True,
            )

        self._screen.app.push_screen(RemovePaperScreen(stored.paper.title, collection), remove)

    def rebuild(self) -> None:
        """Rebuild the index of papers, unless that is queued."""

        def work(progress: Progress) -> str:
            with _advised():
                return f"the index has {self._screen.papers.rebuild(progress):,} papers"

        if self._screen.scholar.jobs.add_once(Job(INDEX_JOB, work, lane=Lane.PAPERS)):
            self._screen.show_message("rebuilding the index of papers")

    def _add(self, source: PaperSource) -> str | None:
        """Queue a source and return None, or return why that is impossible."""
        lines: list[str] = []

        def work(progress: Progress) -> str:
            with _advised():
                report = add_source(self._screen.papers, source, progress)
            lines[:] = serializer.report_lines(report, source.name)
            return "; ".join([*lines[-1:], *lines[:-1][:3]])

        def finish(shown: Sequence[str]) -> None:
            self._show_in_dialog(shown)
            self._on_change()

        job = Job(
            f"add {source.name}",
            work,
            lane=Lane.PAPERS,
            on_done=lambda: finish(lines),
            on_failed=lambda refusal: finish([str(refusal)]),
        )
        is_new = self._screen.scholar.jobs.add_once(job)
        return None if is_new else f"{one_line(source.name, 60)} is still in progress"

    def _show_in_dialog(self, lines: Sequence[str]) -> None:
        """Show the outcome of a source in the dialog, if it is still open."""
        from scholar_tui.screens.papers_dialogs import AddPapersScreen

        dialog = self._screen.app.screen
        if isinstance(dialog, AddPapersScreen):
            dialog.show_lines(lines)

    def _show_removed(self, stored: StoredPaper, collection: str | None) -> None:
        where = f" from {collection}" if collection else ""
        self._screen.show_message(f"removed{where}: {stored.paper.title}")
        self._on_removed(stored)


@contextmanager
def _advised() -> Iterator[None]:
    """Add advice to the errors of work on papers."""
    try:
        yield
    except ScholarError as refusal:
        raise ScholarError(advise(refusal)) from refusal


def find_file(name: str) -> str:
    """Return the absolute path of the file of that name, or "" if there is none."""
    try:
        path = Path(name).expanduser()
        return str(path.absolute()) if path.is_file() else ""
    except (OSError, RuntimeError, ValueError):
        return ""


def add_source(papers: PaperLibrary, source: PaperSource, progress: Progress) -> AddPapersReport:
    """Add the file of that name if there is one, else the paper with that id."""
    from scholar_indexes.papers import ids

    try:
        path = Path(source.name).expanduser().absolute()
        exists = path.exists()
    except (RuntimeError, ValueError):
        raise NotThere(f"there is no file {one_line(source.name)}; check its name") from None
    paper_id = ids.canonical_id(source.name) or ""
    if not exists and paper_id and not paper_id.startswith(("key:", "title:")):
        return papers.fetch(
            source.name,
            references=source.references,
            collection=source.collection,
            progress=progress,
        )
    if exists and not path.is_file() and not path.is_dir():
        raise UsageError(f"{one_line(source.name)} is not a file; name a file of papers")
    return papers.add(str(path), collection=source.collection, progress=progress)
