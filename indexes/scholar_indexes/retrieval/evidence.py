"""From sentences of the index to quotable passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scholar_indexes.books.locators import Locator
from scholar_indexes.results import Evidence, RankerScore
from scholar_indexes.types import Character, Hit, Passage, Span

if TYPE_CHECKING:
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.coreference.people import SentencePeople
    from scholar_indexes.retrieval.ranking import RankedWindow
    from scholar_indexes.retrieval.search import SearchHit


def quote_hits(
    hits: Sequence[SearchHit],
    editions: Mapping[int, OpenBook],
    context: int,
    people_of: Callable[[int], SentencePeople | None],
) -> Iterator[Hit[Evidence]]:
    """Yield the hits as quotations with `context` sentences of their chapter on either side.

    `editions` are the searched books by edition number; `people_of` returns who is in each
    sentence of an edition, None where that is not known. A hit of an edition that is not among the
    books is left out: its rows outlived the book in a table that could not be read at the time.
    """
    for hit in hits:
        book = editions.get(hit.edition)
        if book is None:
            continue
        people = people_of(hit.edition)
        characters = None if people is None else tuple(people.within(hit.first, hit.end))
        yield Hit(_quote(hit, book, context, characters), hit.score)


def _quote(
    hit: SearchHit, book: OpenBook, context: int, characters: tuple[Character, ...] | None
) -> Evidence:
    rows = book.sentences
    chapter, paragraph, start, _ = rows[hit.first].tolist()
    span = Span(start, int(rows[hit.end - 1][3]))
    before, after = _context(hit, book, span, context)
    offset = _paragraph_start(hit.first, book)
    within = Span(span.start - offset, span.end - offset)
    return Evidence(
        book=book.book,
        chapter=book.chapters_by_number[chapter],
        passage=Passage(book.book.id, chapter, paragraph, span, span.of(book.text)),
        before=before,
        after=after,
        locator=str(Locator(book.book.id, chapter, paragraph, within)),
        characters=characters,
        dense=_ranker_score(hit.dense),
        lexical=_ranker_score(hit.lexical),
        match=hit.match,
        parts=hit.parts,
    )


def _context(hit: SearchHit, book: OpenBook, span: Span, context: int) -> tuple[str, str]:
    """Return the text of `context` sentences before and after a hit, within its chapter."""
    rows = book.sentences
    chapter = rows[hit.first][0]
    nearby = range(max(0, hit.first - context), min(len(rows), hit.end + context))
    same_chapter = [row for row in nearby if rows[row][0] == chapter]
    start, end = int(rows[same_chapter[0]][2]), int(rows[same_chapter[-1]][3])
    return book.text[start : span.start], book.text[span.end : end]


def _paragraph_start(row: int, book: OpenBook) -> int:
    """Return where the first sentence of a sentence's paragraph begins."""
    rows = book.sentences
    paragraph = rows[row][:2].tolist()
    while row and rows[row - 1][:2].tolist() == paragraph:
        row -= 1
    return int(rows[row][2])


def _ranker_score(window: RankedWindow | None) -> RankerScore | None:
    return RankerScore(window.rank, window.score) if window else None
