"""Changes to the library as jobs: adding books, removing them, and rebuilding the index."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from scholar_indexes.books.adding import source_pages, source_parser
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress
from scholar_tui.job_queue import Job, JobQueue
from scholar_tui.screens.confirm import ConfirmScreen

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.requests import AddRequest
    from scholar_indexes.storage.catalog import StoredBook

INDEX_JOB = "index"

SAMPLE_JOB = "add the bundled sample"


class LibraryChanges:
    """Queues a job for every change."""

    def __init__(
        self,
        library: Library,
        jobs: JobQueue,
        confirm: Callable[[ConfirmScreen, Callable[[bool | None], None]], object],
    ) -> None:
        """`confirm` opens a dialog and passes on its answer."""
        self._library = library
        self._jobs = jobs
        self._confirm = confirm

    def add(self, line: str | None) -> None:
        """Add the books of a line as it is typed in the dialog; None adds nothing."""
        if line is None:
            return
        requests = source_parser.read(line).requests
        for request in requests:
            typed = line if len(requests) == 1 else source_parser.line(request)
            self._jobs.add(Job(f"add {request.source}", partial(self._add_book, request), typed))

    @property
    def adds_sample(self) -> bool:
        """Return True while the bundled books are being added, from whatever screen."""
        return SAMPLE_JOB in self._jobs.unfinished

    def add_sample(self) -> None:
        """Add the bundled books, unless that is queued."""
        self._jobs.add_once(sample_job(self._library))

    def rebuild_index(self) -> None:
        """Rebuild the index, unless that is queued."""

        def work(progress: Progress) -> str:
            rebuilt = self._library.index.rebuild(progress)
            held = f"all but {len(rebuilt.left_out)}" if rebuilt.left_out else "all"
            return f"the index contains {held} books; {len(rebuilt.encoded)} were encoded now"

        self._jobs.add_once(Job(INDEX_JOB, work))

    def remove(self, stored: StoredBook) -> None:
        """Remove a book, after asking."""
        book = stored.book

        def remove(confirmed: bool | None) -> None:
            if confirmed:
                label = f"remove {book.id} {one_line(book.title, 60)}"
                self._jobs.add(Job(label, work))

        def work(progress: Progress) -> str:
            return f"removed {self._library.books.remove(book.id, progress).title}"

        title = f"Remove {one_line(book.title, 100)} from the shelf?"
        self._confirm(ConfirmScreen(title, _removal_consequences(stored), "Remove"), remove)

    def _add_book(self, request: AddRequest, progress: Progress) -> str:
        added = self._library.add(request, progress=progress)
        pages = f"; {source_pages.summary(added.pages)}" if added.pages else ""
        return (
            f"{added.book.title}: {added.outcome}, {added.chapters:,} chapters and "
            f"{added.sentences:,} sentences{pages}"
        )


def sample_job(library: Library) -> Job:
    """Return the job that adds the bundled books."""

    def work(progress: Progress) -> str:
        if not library.books.add_sample_once(progress):
            library.books.adder.add_sample(progress)
        return "the sample is on the shelf"

    return Job(SAMPLE_JOB, work)


def _removal_consequences(stored: StoredBook) -> str:
    """Return a description of what removing a book deletes and what it keeps."""
    source = one_line(stored.book.source, 200)
    origin = (
        f"The file it came from stays where it is ({source})"
        if stored.book.source.startswith("/")
        else f"It came from: {source}"
    )
    return (
        f"Scholar's copy of its text is deleted, with {stored.sentences:,} indexed sentences and "
        f"the speakers that were found. {origin}. The quotations you kept, your notes and the "
        "history of your quizzes stay too."
    )
