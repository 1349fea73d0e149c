"""The occurrences of words and patterns in the books of the library; `concordance` counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scholar_indexes.books.reading import concordance

if TYPE_CHECKING:
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.results import Collocate, ConcordanceLine, Frequency


class ConcordanceService:
    """Concordance lines, collocates and frequencies of a pattern in the given books (default: all).

    A pattern is written as for `concordance.compile_pattern`.
    """

    def __init__(self, books: BookService) -> None:
        self._books = books

    def lines(
        self, pattern: str, *, books: Sequence[str] = (), window: int = 8, is_regex: bool = False
    ) -> Iterator[ConcordanceLine]:
        """Yield the occurrences of a pattern, book by book, with `window` words on either side."""
        compiled = concordance.compile_pattern(pattern, is_regex=is_regex)
        for book in self._books.open_each(books):
            yield from concordance.lines(book, compiled, window)

    def collocates(
        self, pattern: str, *, books: Sequence[str] = (), window: int = 8, is_regex: bool = False
    ) -> list[Collocate]:
        """Return the words that occur near a pattern more often than by chance, without function
        words."""
        compiled = concordance.compile_pattern(pattern, is_regex=is_regex)
        return concordance.collocates(self._books.open_each(books), compiled, window)

    def frequencies(
        self,
        pattern: str,
        *,
        books: Sequence[str] = (),
        is_regex: bool = False,
        by_chapter: bool = False,
    ) -> Iterator[Frequency]:
        """Yield the counts of a pattern in each book, or in each chapter."""
        compiled = concordance.compile_pattern(pattern, is_regex=is_regex)
        yield from concordance.frequencies(
            self._books.open_each(books), compiled, by_chapter=by_chapter
        )
