"""Mend what follows from the stored texts of books and the stored abstracts of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.library import Library
from scholar_indexes.types import Book, Progress


def mend(library: Library, progress: Progress) -> Iterator[str]:
    """Mend a library step by step, and yield a line on each.

    A database that is damaged is kept under another name, and a new one is begun in its place and
    in that of one that is lost; the books beside a lost list are listed again. What follows from
    texts is found again, and an index that is damaged or lacks a book or a paper is built again.
    What cannot be mended so stays as it is.
    """
    if line := library.repair.begin_list_anew(progress):
        yield line
    relisted = library.repair.relist(progress)
    yield f"{len(relisted)} books were listed again{_named(relisted)}"
    mended = library.repair.mend(progress)
    if mended:
        yield f"{len(mended)} books were mended from their texts{_named(mended)}"
    yield from _begin_own_anew(library, progress)
    if not _answers(library.index.check):
        rebuilt = library.index.rebuild(progress)
        yield f"the index was built again; {len(rebuilt.encoded)} books were encoded"
    if found := _find_people(library, progress):
        yield f"who is in each sentence was found again for {len(found)} books{_named(found)}"
    if not _answers(library.papers.check):
        yield f"the index of {library.papers.rebuild(progress)} papers was built again"


def _begin_own_anew(library: Library, progress: Progress) -> Iterator[str]:
    """Begin anew what the user made and what is damaged beyond mending; yield a line on each."""
    for line in (
        library.papers.begin_list_anew(progress),
        library.bookmarks.begin_anew(),
        library.quiz.history.begin_anew(),
    ):
        if line:
            yield line
    for path in (*library.corrections.forget_lost(progress), *library.quiz.forget_lost()):
        yield f"{path} is missing; without it, it counts as never written"


def _find_people(library: Library, progress: Progress) -> list[Book]:
    """Return the books whose people were found again; those whose text is damaged are left."""
    try:
        return library.index.mend_people(progress)
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
