"""Repair of the data derived from the stored texts of books and abstracts of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.library import Library
from scholar_indexes.types import Book, Progress


def repair_library(library: Library, progress: Progress) -> Iterator[str]:
    """Repair a library step by step, and yield a line on each.

    A damaged database is kept under another name; a new one replaces it, and also a lost one. The
    books of a lost list are listed again. What is derived from texts is computed again, and an
    index that is damaged, or lacks a book or a paper, is rebuilt. What cannot be repaired this way
    stays as it is.
    """
    if line := library.books.repair.replace_list_if_damaged(progress):
        yield line
    relisted = library.books.repair.relist(progress)
    yield f"{len(relisted)} books were listed again{_named(relisted)}"
    repaired = library.books.repair.rebuild_damaged(progress)
    if repaired:
        yield f"{len(repaired)} books were repaired from their texts{_named(repaired)}"
    yield from _replace_own_files(library, progress)
    if not _answers(library.index.check):
        rebuilt = library.index.rebuild(progress)
        yield f"the index was rebuilt; {len(rebuilt.encoded)} books were encoded"
    if books := _find_people(library, progress):
        yield f"the people in each sentence were found again for {len(books)} books{_named(books)}"
    if not _answers(library.papers.check):
        yield f"the index of {library.papers.rebuild(progress)} papers was rebuilt"


def _replace_own_files(library: Library, progress: Progress) -> Iterator[str]:
    """Replace the user's own files that are lost or beyond repair; yield a line on each."""
    for line in (
        library.papers.replace_list_if_damaged(progress),
        library.bookmarks.replace_if_damaged(),
        library.quiz.history.replace_if_damaged(),
    ):
        if line:
            yield line
    for path in (*library.corrections.forget_lost(progress), *library.quiz.forget_lost()):
        yield f"{path} is missing; it now counts as never written"


def _find_people(library: Library, progress: Progress) -> list[Book]:
    """Return the books whose people were found again; none if that fails."""
    try:
        return library.index.repair_people(progress)
    except ScholarError:
        return []


def _answers(check: Callable[[], object]) -> bool:
    """Return True if a check passes."""
    try:
        check()
    except (Damaged, NotIndexed):
        return False
    return True


def _named(books: Sequence[Book]) -> str:
    return ": " + ", ".join(f"{book.id} {book.title}" for book in books) if books else ""
