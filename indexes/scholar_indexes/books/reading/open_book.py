"""A book of the library opened for reading; each part is read once, on first use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.citation.contributors import title_page_translators
from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.books.segmentation.chapter_numbers import print_numbers
from scholar_indexes.books.segmentation.scene_breaks import find_breaks
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.errors import NotThere
from scholar_indexes.results import CitedPassage, Extract
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import NO_IMPRINT, Book, Chapter, Imprint, SceneBreak, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RECENT_BOOKS = 256
"""The number of books whose chapters stay in memory, tens of kilobytes each."""

RECENT_TEXTS = 32
"""The number of books whose text and sentences stay in memory, one or two megabytes each."""


class OpenBook:
    """A stored book with its text, chapters, paragraphs and sentences.

    The text is compared with its hash when it is read; the parts of recent books are read again
    only after a change to their files. Every part raises Damaged if its file is missing or broken.
    """

    def __init__(self, stored: StoredBook, folder: Path) -> None:
        """Open the book with files in `folder`; nothing is read yet."""
        self.stored = stored
        self.folder = folder
        self._paragraphs: dict[int, tuple[Span, ...]] = {}
        self._breaks: dict[int, tuple[SceneBreak, ...]] = {}

    @classmethod
    def from_text(cls, stored: StoredBook, text: str, chapters: Sequence[Chapter]) -> OpenBook:
        """Return a book with a text and chapters in memory; it has no stored sentences."""
        book = cls(stored, Path())
        book.text = text
        book.chapters = print_numbers(chapters)
        return book

    @property
    def book(self) -> Book:
        return self.stored.book

    @cached_property
    def text(self) -> str:
        return _read_text(self.folder, self.book.sha256, book_folder.state(self.folder))

    @cached_property
    def imprint(self) -> Imprint:
        """The translators, editors and year of the edition.

        For a book stored without translators, they are taken from the title page.
        """
        stored = book_folder.imprint(self.folder) or NO_IMPRINT
        if stored.translators:
            return stored
        return replace(stored, translators=title_page_translators(self.text))

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """The divisions in reading order, the front matter (number 0) first."""
        return _read_chapters(self.folder, book_folder.modified(self.folder))

    @cached_property
    def chapters_by_number(self) -> dict[int, Chapter]:
        return {chapter.number: chapter for chapter in self.chapters}

    @cached_property
    def sentences(self) -> NDArray[np.int32]:
        """The chapter, paragraph, start and end of each sentence, of shape (n, 4)."""
        return _read_sentences(self.folder, book_folder.state(self.folder))

    @property
    def places(self) -> list[tuple[int, int, int]]:
        """The chapter, start and end of each sentence."""
        return [(chapter, start, end) for chapter, _, start, end in self.sentences.tolist()]

    def check_text(self) -> None:
        """Compare the text and the chapters of the book with their hashes; raises Damaged."""
        book_folder.check_text(self.folder, self.book.sha256)

    def read_all(self) -> None:
        """Read every stored part of the book; raises Damaged if one is not as it was written."""
        book_folder.text(self.folder, self.book.sha256)
        book_folder.sentences(self.folder)
        _ = book_folder.chapters(self.folder), self.imprint

    @cached_property
    def paragraphs(self) -> tuple[tuple[Span, ...], ...]:
        """The paragraphs of each chapter in `chapters`."""
        return tuple(map(self.paragraphs_of, self.chapters))

    def paragraphs_of(self, chapter: Chapter) -> tuple[Span, ...]:
        """Return the paragraphs of a chapter, which are computed on first use."""
        if chapter.number not in self._paragraphs:
            spans = tuple(paragraph_spans(self.text, chapter.body))
            self._paragraphs[chapter.number] = spans
        return self._paragraphs[chapter.number]

    def breaks_of(self, chapter: Chapter) -> tuple[SceneBreak, ...]:
        """Return the scene breaks of a chapter in order, which are computed on first use."""
        if chapter.number not in self._breaks:
            paragraphs = self.paragraphs_of(chapter)
            self._breaks[chapter.number] = find_breaks(self.text, chapter, paragraphs)
        return self._breaks[chapter.number]

    def locate(self, place: Locator, name: str) -> Span:
        """Return the span of the locator of a paragraph or a part of one.

        Raises NotThere if the book does not have it; the message calls the book `name`.
        """
        chapter = self.chapter_numbered(place.chapter, name)
        spans = self.paragraphs_of(chapter)
        number = place.paragraph or 0
        if not 1 <= number <= len(spans):
            raise NotThere(
                f"chapter {place.chapter} of {name} has no paragraph {place.paragraph}; "
                f"its last is {len(spans)}"
            )
        paragraph = spans[number - 1]
        if place.span is None:
            return paragraph
        marked = Span(paragraph.start + place.span.start, paragraph.start + place.span.end)
        if marked.end > chapter.body.end:
            raise NotThere(f"{place} runs past the end of its chapter; check its last numbers")
        if not marked.of(self.text).strip():
            raise NotThere(f"{place} has no text, only the space after a paragraph; correct it")
        return marked

    def chapter_numbered(self, number: int | None, name: str) -> Chapter:
        """Return the section with a number; raises NotThere, calling the book `name`."""
        chapter = None if number is None else self.chapters_by_number.get(number)
        if chapter is None:
            last = max(self.chapters_by_number)
            raise NotThere(f"{name} has no section {number}; its last is {last}")
        return chapter

    def extract(self, place: Locator, context: int) -> Extract:
        """Return the paragraphs at a locator and `context` more on either side, or a chapter.

        Raises NotThere for a passage that the book does not have.
        """
        place = replace(place, book_id=self.book.id)
        chapter = self.chapter_numbered(place.chapter, self.book.title)
        spans = self.paragraphs_of(chapter)
        numbered = tuple(enumerate(spans, 1))
        breaks = self.breaks_of(chapter)
        if place.paragraph is None:
            return Extract(
                self.book, chapter, self.text, numbered, chapter.body, str(place), breaks
            )
        marked = self.locate(place, self.book.title)
        overlapping = [
            number
            for number, span in numbered
            if span.start < marked.end and span.end > marked.start
        ]
        first, last = overlapping[0] - context, overlapping[-1] + context
        nearby = tuple((number, span) for number, span in numbered if first <= number <= last)
        return Extract(self.book, chapter, self.text, nearby, marked, str(place), breaks)

    def cite(self, span: Span) -> CitedPassage | None:
        """Return a span with its chapter, paragraph and locator.

        Return None outside chapter bodies: in the front matter, in headings, and across the end
        of a chapter.
        """
        chapter, place = self.place_of(span)
        if not chapter.number or place.paragraph is None or place.span is None:
            return None
        return CitedPassage(chapter, place.paragraph, span, span.of(self.text), str(place))

    def place_of(self, span: Span) -> tuple[Chapter, Locator]:
        """Return the section in which a span begins (possibly the front matter), and its locator.

        The locator of a span across the end of its section has only the paragraph, and the
        locator of a span that begins in a heading only the section.
        """
        chapter = self._section_at(span.start)
        starts = [paragraph.start for paragraph in self.paragraphs_of(chapter)]
        number = bisect_right(starts, span.start)
        if not number or span.start >= chapter.body.end:
            return chapter, Locator(self.book.id, chapter.number)
        if span.end > chapter.body.end:
            return chapter, Locator(self.book.id, chapter.number, number)
        start = starts[number - 1]
        within = Span(span.start - start, span.end - start)
        return chapter, Locator(self.book.id, chapter.number, number, within)

    def _section_at(self, position: int) -> Chapter:
        return self.chapters[max(bisect_right(self._section_starts, position) - 1, 0)]

    @cached_property
    def _section_starts(self) -> list[int]:
        return [chapter.span.start for chapter in self.chapters]


@lru_cache(maxsize=RECENT_BOOKS)
def _read_chapters(folder: Path, modified: int) -> tuple[Chapter, ...]:
    """Return the chapters in a folder, cached by its state (see book_folder.modified)."""
    return print_numbers(book_folder.chapters(folder))


@lru_cache(maxsize=RECENT_TEXTS)
def _read_text(folder: Path, sha256: str, state: book_folder.State) -> str:
    """Return the text in a folder, cached by the state of the folder (see book_folder.state)."""
    return book_folder.text(folder, sha256)


@lru_cache(maxsize=RECENT_TEXTS)
def _read_sentences(folder: Path, state: book_folder.State) -> NDArray[np.int32]:
    """Return the sentences in a folder, cached by its state."""
    return book_folder.sentences(folder)
