"""The text that every screen shows while the library has no books."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from scholar_indexes import file_formats
from scholar_indexes.books.formats import sources
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_tui.job_queue import JobQueue

_SAMPLE = "The Great Gatsby, Pride and Prejudice and Frankenstein"


class WayOut(Enum):
    """The keys of a screen that fill an empty library."""

    HERE = f"""\
Enter adds the bundled sample: {_SAMPLE}. It needs no network.

a adds other books: by number or address at Project Gutenberg, from a file \
({file_formats.names(sources.FORMATS)}), or by searching Gutenberg's catalogue."""

    SAMPLE_HERE = f"""\
Enter adds the bundled sample: {_SAMPLE}. It needs no network.

F2 opens the library, where a adds other books."""

    ELSEWHERE = f"""\
F2 opens the library, where Enter adds the bundled sample: {_SAMPLE}. It needs no network.

In the library, a adds other books."""


def describe_empty(way_out: WayOut, jobs: JobQueue) -> str:
    """Return how to fill an empty library, or the jobs that are adding books to it."""
    if unfinished := jobs.unfinished_books:
        where = "the list below" if way_out is WayOut.HERE else "F2"
        return (
            f"The library is empty. In progress: {one_line('; '.join(unfinished), 100)}.\n\n"
            f"Each book appears as soon as it is ready; {where} shows the progress."
        )
    return f"The library is empty.\n\n{way_out.value}"
