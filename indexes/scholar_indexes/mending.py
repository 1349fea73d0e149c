"""Mend what follows from the stored texts of books and the stored abstracts of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scholar_indexes.errors import Damaged, NotIndexed
from scholar_indexes.library import Library
from scholar_indexes.types import Book, Progress


def mend(library: Library, progress: Progress) -> Iterator[str]:
    """Mend a library step by step, and yield a line on each.

    A list of books that is damaged is moved aside, and the books beside it are listed again; what
    follows from their texts is found again, and an index that is damaged or lacks a book or a
    paper is built again. What cannot be mended so stays as it is.
    """
    aside = library.repair.set_list_aside(progress)
    if aside:
        yield f"the list of books was damaged; it is kept as {aside}, and a new one is begun"
    relisted = library.repair.relist(progress)
    yield f"{len(relisted)} books were listed again{_named(relisted)}"
    mended = library.repair.mend(progress)
    if mended:
        yield f"{len(mended)} books were mended from their texts{_named(mended)}"
    if not _answers(library.index.check):
        rebuilt = library.index.rebuild(progress)
        yield f"the index was built again; {len(rebuilt.encoded)} books were encoded"
    if not _answers(library.papers.check):
        yield f"the index of {library.papers.rebuild(progress)} papers was built again"


def _answers(check: Callable[[], object]) -> bool:
    """Return True if the check of an index passes."""
    try:
        check()
    except (Damaged, NotIndexed):
        return False
    return True


def _named(books: Sequence[Book]) -> str:
    return ": " + ", ".join(f"{book.id} {book.title}" for book in books) if books else ""
