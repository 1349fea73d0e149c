"""The limits of a search: books, chapters and the words of a character; and marked passages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.books.citation.locators import parse as parse_locator
from scholar_indexes.books.reading import chapter_ranges
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.results import Answers, UnreadBook
from scholar_indexes.retrieval.places import Place
from scholar_indexes.storage.passages import EDITION_BITS, PassageFilter
from scholar_indexes.types import Progress

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.storage.catalog import StoredBook


@dataclass(frozen=True, slots=True)
class Limits:
    """The filters of a search as a user writes them; an empty one excludes nothing. `left_out` are
    the editions of unreadable books."""

    books: Sequence[str] = ()
    author: str | None = None
    chapters: str | None = None
    speaker: str | None = None
    about: Sequence[str] = ()
    left_out: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Scope:
    """The books to search, by edition, with the filter of their rows, and the books that are not
    searched because they cannot be read."""

    editions: Mapping[int, OpenBook]
    rows: PassageFilter
    not_searched: Sequence[UnreadBook] = ()


class ScopeReader:
    """Finds the books and sentences of filters and locators."""

    def __init__(
        self,
        books: BookService,
        index: PassageIndex,
        attribution: AttributionService,
        announce: Callable[[str], None],
    ) -> None:
        self._books = books
        self._index = index
        self._attribution = attribution
        self._announce = announce

    def scope(self, limits: Limits, progress: Progress) -> Scope:
        """Return the books and the rows that pass the filters.

        Of several books the ones without the chapters are skipped and announced. Raises NotThere
        if nothing passes, and NotIndexed if a book has no passages for the model in use.
        """
        selection = self._books.select(limits.books, limits.author)
        readable = self._readable(selection.books, limits.left_out)
        self._index.check_has(readable)
        editions = {stored.edition: self._books.open(stored) for stored in readable}
        sections = None
        if limits.chapters:
            sections = self._find_sections(editions, limits.chapters)
            editions = {edition: editions[edition] for edition in sections}
        books = list(editions.values())
        keys = self._character_keys(books, limits.speaker, limits.about, progress)
        is_complete = selection.complete and not readable.not_searched
        is_whole = is_complete or sections is not None
        rows = PassageFilter(None if is_whole else set(editions), sections, keys)
        return Scope(editions, rows, readable.not_searched)

    def unreadable(self, limits: Limits) -> frozenset[int]:
        """Return the editions of the books that pass the filters and have a damaged file."""
        selected = self._books.select(limits.books, limits.author).books
        readable = {stored.edition for stored in self._books.readable(selected, whole=True)}
        return frozenset(stored.edition for stored in selected) - readable

    def _readable(
        self, books: Sequence[StoredBook], left_out: frozenset[int]
    ) -> Answers[StoredBook]:
        """Return the books that are not left out and not missing from the index because of damage;
        raises Damaged if there are none."""
        known = self._index.editions() - left_out
        doubtful = [stored for stored in books if stored.edition not in known]
        checked = self._books.readable(doubtful, whole=True)
        damaged = {stored.edition for stored in doubtful} - {stored.edition for stored in checked}
        readable = [stored for stored in books if stored.edition not in damaged]
        if not readable:
            raise Damaged(checked.not_searched[0].reason)
        return Answers(readable, checked.not_searched)

    def places(self, locators: Sequence[str]) -> tuple[Place, ...]:
        """Return the sentences at locators; raises UsageError for a locator of more than a
        paragraph, and NotThere for one that no book has."""
        return tuple(self._find_place(parse_locator(locator)) for locator in locators)

    def _find_place(self, locator: Locator) -> Place:
        if locator.paragraph is None:
            raise UsageError(
                f"{locator} is more than a passage; give a paragraph or a part of one, "
                "as find prints after each passage: pg1342:1.2:0-99"
            )
        stored = self._books.get(locator.book_id)
        self._index.check_has([stored])
        book = self._books.open(stored)
        span = book.locate(locator, stored.book.title)
        starts, ends = book.sentences[:, 2], book.sentences[:, 3]
        first = int(np.searchsorted(ends, span.start, "right"))
        end = int(np.searchsorted(starts, span.end, "left"))
        if end <= first:
            raise NotThere(f"{locator} has no sentence that find searches; choose another passage")
        return Place(stored.edition, first, end)

    def _find_sections(
        self, editions: Mapping[int, OpenBook], chapters: str
    ) -> dict[int, tuple[int, int]]:
        """Return the sections of a range of chapters, by edition, for the books that have it."""
        chapter_ranges.parse_range(chapters)
        sections: dict[int, tuple[int, int]] = {}
        failures: list[ScholarError] = []
        for edition, book in editions.items():
            try:
                sections[edition] = chapter_ranges.find_sections(
                    book.chapters, chapters, book.book.title
                )
            except (NotThere, UsageError) as failure:
                failures.append(failure)
        if failures and len(editions) == 1:
            raise failures[0]
        if failures and not sections:
            raise NotThere(f"none of {len(editions)} books has these chapters: {failures[0]}")
        if failures:
            self._announce(
                f"skipped {len(failures)} of {len(editions)} books, for example: {failures[0]}"
            )
        return sections

    def _character_keys(
        self,
        books: Sequence[OpenBook],
        speaker: str | None,
        about: Sequence[str],
        progress: Progress,
    ) -> set[int] | None:
        """Return the keys of the sentences that `speaker` says and in which one of `about` is; None
        if neither is given."""
        parts = []
        if speaker is not None:
            parts.append(_row_keys(self._attribution.sentences_said(books, speaker, progress)))
        if about:
            sentences = (self._attribution.sentences_about(books, name, progress) for name in about)
            parts.append(set().union(*map(_row_keys, sentences)))
        return set.intersection(*parts) if parts else None


def _row_keys(sentences: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the keys of the rows of sentences, given by edition."""
    return {
        (edition << EDITION_BITS) + number
        for edition, numbers in sentences.items()
        for number in numbers
    }
