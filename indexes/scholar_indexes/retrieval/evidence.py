"""From sentences of the index to quotable passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.results import Evidence
from scholar_indexes.retrieval.edges import MOVE, BookEdges
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.support import Judge
from scholar_indexes.retrieval.window import Window
from scholar_indexes.storage.passages import EDITION_BITS, EVERYTHING, PassageFilter
from scholar_indexes.types import Hit, Passage, Span

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.coreference.people import SentencePeople


class Quoter:
    """Converts windows to quotations with `context` sentences of their chapter on either side.

    `editions` are the searched books by edition number; `people_of` returns the people in
    each sentence of an edition, None if they are not known. The edges of a passage are moved to
    where a reader would cut it (see edges); its number of sentences stays within `lengths`, and it
    gets none that `rows` excludes or that is `marked`. `judge` estimates how far it supports the
    claim.
    """

    def __init__(
        self,
        editions: Mapping[int, OpenBook],
        people_of: Callable[[int], SentencePeople | None],
        judge: Judge,
        *,
        context: int,
        lengths: tuple[int, int],
        rows: PassageFilter = EVERYTHING,
        marked: Sequence[Place] = (),
    ) -> None:
        self._editions = editions
        self._people_of = people_of
        self._context = context
        self._lengths = lengths
        self._judge = judge
        self._rows = rows
        self._marked = marked

    def quote(self, windows: Sequence[Window]) -> Iterator[Hit[Evidence]]:
        """Yield windows as quotations, none of which overlaps another.

        A window of an edition that is not among the books is skipped: its rows outlived the book in
        a table that could not be read when the book was removed.
        """
        taken = [*self._marked, *(place for window in windows for place in _all_places(window))]
        for window in windows:
            edition, own = window.place.edition, _all_places(window)
            book = self._editions.get(edition)
            if book is None:
                continue
            others = [place for place in taken if place.edition == edition and place not in own]
            others += self._left_out(window.place)
            core = window.core or window.place
            # Remembered words stay whole; of other passages only the best sentence is sure.
            kept = window.place if window.match else window.focus or window.place
            place = BookEdges(book).adjust(window.place, core, kept, self._lengths, others)
            # A passage may have grown beyond its window, where later ones must not go.
            taken.append(place)
            yield Hit(self._evidence(window, place, book), window.score)

    def _left_out(self, place: Place) -> Iterator[Place]:
        """Yield the sentences around a place that are not among the searched rows."""
        if self._rows.keys is None:
            return
        before = range(place.first - MOVE, place.first)
        for number in (*before, *range(place.end, place.end + MOVE)):
            if (place.edition << EDITION_BITS) + number not in self._rows.keys:
                yield Place(place.edition, number, number + 1)

    def _evidence(self, window: Window, place: Place, book: OpenBook) -> Evidence:
        people = self._people_of(place.edition)
        characters = None if people is None else tuple(people.within(place.first, place.end))
        chapter, paragraph, _, _ = book.sentences[place.first].tolist()
        span = _span(place, book)
        before, after = self._surroundings(place, book)
        return Evidence(
            book=book.book,
            chapter=book.chapters_by_number[chapter],
            passage=Passage(book.book.id, chapter, paragraph, span, span.of(book.text)),
            before=before,
            after=after,
            locator=_locator(place, book),
            focus=_span(window.focus or window.place, book),
            nearby=tuple(self._nearby_locators(window, place)),
            characters=characters,
            dense=window.dense,
            lexical=window.lexical,
            match=window.match,
            support=self._judge.support(window),
            parts=window.parts,
            read_by=window.read_by,
            meant=tuple((phrase, people.cast[number]) for phrase, number in window.meant)
            if people
            else (),
        )

    def _nearby_locators(self, window: Window, place: Place) -> Iterator[str]:
        """Yield the locators of the places folded into a window that `place` does not contain."""
        for nearby in window.nearby:
            book = self._editions.get(nearby.edition)
            is_part = (
                nearby.edition == place.edition
                and place.first <= nearby.first
                and nearby.end <= place.end
            )
            if book is not None and not is_part:
                yield _locator(nearby, book)

    def _surroundings(self, place: Place, book: OpenBook) -> tuple[str, str]:
        """Return the text of the sentences before and after a place, within its chapter."""
        rows = book.sentences
        first, end = max(0, place.first - self._context), place.end + self._context
        in_chapter = [
            row for row in range(first, min(len(rows), end)) if rows[row][0] == rows[place.first][0]
        ]
        span = _span(place, book)
        start, stop = int(rows[in_chapter[0]][2]), int(rows[in_chapter[-1]][3])
        return book.text[start : span.start], book.text[span.end : stop]


def _all_places(window: Window) -> tuple[Place, ...]:
    """Return the place of a window and the places that are folded into it."""
    return (window.place, *window.nearby)


def _span(place: Place, book: OpenBook) -> Span:
    """Return the span of a place in the text of its book."""
    return Span(int(book.sentences[place.first][2]), int(book.sentences[place.end - 1][3]))


def _locator(place: Place, book: OpenBook) -> str:
    chapter, paragraph, _, _ = book.sentences[place.first].tolist()
    start = _paragraph_start(place.first, book)
    span = _span(place, book)
    within = Span(span.start - start, span.end - start)
    return str(Locator(book.book.id, chapter, paragraph, within))


def _paragraph_start(row: int, book: OpenBook) -> int:
    """Return the start of the paragraph of a sentence."""
    rows = book.sentences
    paragraph = rows[row][:2].tolist()
    while row and rows[row - 1][:2].tolist() == paragraph:
        row -= 1
    return int(rows[row][2])
