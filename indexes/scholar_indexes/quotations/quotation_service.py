"""Locate quotations in the books of the library.

Every book is read once for all quotations: its words are looked up by number, and the most likely
places are compared with each quotation word by word.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np

from scholar_indexes.books.book_service import BookService
from scholar_indexes.books.citation import locators
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.books.unread import UnreadBooks
from scholar_indexes.errors import UsageError
from scholar_indexes.quotations import (
    alignment,
    changes,
    check,
    passage_candidates,
    quoted_words,
    word_places,
)
from scholar_indexes.quotations.alignment import Alignment
from scholar_indexes.quotations.word_places import WordPlaces
from scholar_indexes.quotations.words import WordSequence, number_book_words, number_words
from scholar_indexes.results import (
    Answers,
    CheckedQuotation,
    EssayQuotation,
    LocatedQuotation,
    QuotationStatus,
)
from scholar_indexes.stopping import checked
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import ChapterKind, Progress, Span, silent
from scholar_indexes.verse import blank_numbers

if TYPE_CHECKING:
    from typing import Unpack

SHORTEST = 2
"""The minimum number of words of a quotation that can be located."""

CONTEXT = 60
"""The number of characters of text before and after a quotation that are returned with it."""

COMPARED = 6
"""The number of places in all books compared with a quotation, besides equally likely ones."""

AS_LIKELY = 0.9
"""The minimum share of the likeliest place's weight for another place to be compared too."""

MOST_COMPARED = 40

LEAST_SIMILAR = 0.68
"""The similarity below which a quotation counts as absent."""

LEAST_TOLD = 13.0
"""The minimum information of the matching words beyond what singles out one place in the library:
the sum of the logarithms of their rarities, in nats."""

MOST_TOLD_ALIKE = 5.0
"""The maximum information of a similar word, in nats."""

MOST_KEPT_BYTES = 64 * 1024 * 1024
"""The memory for the word positions of books, enough for some fifty novels."""

RECENT_TEXTS = 8
"""The number of books whose words stay in memory."""


_PAGE_NUMBER = re.compile(r"[^\w\n]*(?:\d+|[ivxlc]+)[^\w\n]*(?:\n|$)")


class LocateOptions(TypedDict, total=False):
    """The options of QuotationService.locate."""

    books: Sequence[str]
    n: int
    progress: Progress


class _Place(NamedTuple):
    """A place that may contain a quotation: its weight, its edition, and its words."""

    weight: float
    edition: int
    candidate: passage_candidates.CandidatePlace


def _weight(place: _Place) -> float:
    return place.weight


class _Search:
    """A quotation to locate: its likeliest places, and how often its words occur in all books."""

    def __init__(self, text: str, n: int) -> None:
        """`n` is the number of places wanted."""
        self.quoted = quoted_words.read(text)
        self._per_book = max(passage_candidates.PER_TEXT, n)
        self._most = max(MOST_COMPARED, n)
        self._places: list[_Place] = []
        self._counts = np.zeros(len(self.quoted), np.int64)
        self._total = 0

    def look_up(self, edition: int, places: WordPlaces) -> None:
        """Record the likeliest places in a book."""
        self._total += len(places)
        first, after = places.ranges(self.quoted.numbers)
        self._counts += after - first
        for candidate in passage_candidates.find(self.quoted, places, self._per_book):
            self._places.append(_Place(candidate.weight, edition, candidate))
        if len(self._places) > 4 * self._most:
            self._places = heapq.nlargest(self._most, self._places, key=_weight)

    @property
    def likeliest(self) -> list[_Place]:
        """The places to compare, the likeliest first, including all verbatim ones."""
        places = heapq.nlargest(self._most, self._places, key=_weight)
        others = [place for place in places if place.weight < math.inf]
        least = AS_LIKELY * _weight(others[0]) if others else 0.0
        likely = [
            place for rank, place in enumerate(others) if rank < COMPARED or place.weight >= least
        ]
        return [*places[: len(places) - len(others)], *likely]

    def compare(
        self, book: OpenBook, words: WordSequence, place: _Place
    ) -> LocatedQuotation | None:
        """Return the quotation as located at a place; None if it is not there."""
        low, high = place.candidate.start, place.candidate.end
        spans = [
            Span(start, end)
            for start, end in zip(
                words.starts[low:high].tolist(), words.ends[low:high].tolist(), strict=True
            )
        ]
        letters = [span.of(book.text).casefold() for span in spans]
        aligned = alignment.align(self.quoted, words.numbers[low:high], letters)
        if aligned is None or aligned.similarity < LEAST_SIMILAR or not self._tells(aligned):
            return None
        aligned = alignment.keep_to_paragraphs(
            aligned, alignment.paragraph_numbers(book.text, spans)
        )
        span = Span(spans[aligned.start].start, spans[aligned.end - 1].end)
        differences = changes.describe(self.quoted, aligned.steps, book.text, spans)
        chapter, locator = book.place_of(span)
        return LocatedQuotation(
            book.book,
            chapter,
            changes.status(differences),
            round(aligned.similarity, 4) if differences else 1.0,
            span,
            span.of(book.text),
            book.text[max(0, span.start - CONTEXT) : span.start],
            book.text[span.end : span.end + CONTEXT],
            str(locator),
            differences,
        )

    def _tells(self, aligned: Alignment) -> bool:
        """Return True if all words match, or more of them than by chance."""
        equal = [step.quoted for step in aligned.steps if step.is_equal]
        if len(equal) == len(self.quoted) == len(aligned.steps):
            return True
        alike = [step.quoted for step in aligned.steps if step.is_alike]
        rarity = np.log((self._total + 1) / (self._counts + 1))
        told = rarity[equal].sum() + np.minimum(rarity[alike] / 2, MOST_TOLD_ALIKE).sum()
        return bool(told >= np.log(self._total + 1) + LEAST_TOLD)


@lru_cache(maxsize=RECENT_TEXTS)
def _words_of_book(text: str) -> WordSequence:
    """Return the words of a text, from memory for recently used texts."""
    return number_book_words(text)


class QuotationService:
    """Locates quotations in the books of the library."""

    def __init__(self, books: BookService) -> None:
        self._books = books
        self._kept_places: dict[int, WordPlaces] = {}  # by edition
        self._room = MOST_KEPT_BYTES

    def locate(
        self,
        quotations: Sequence[str],
        *,
        books: Sequence[str] = (),
        n: int = 5,
        progress: Progress = silent,
    ) -> Answers[list[LocatedQuotation]]:
        """Return the places that each quotation is from, at most n, the most similar first; none
        for a quotation that is absent or has fewer words than SHORTEST.

        A damaged book may contain the exact words where the others have similar ones or none. So if
        any book cannot be read, only verbatim places are returned. Raises the errors of
        BookService.select.
        """
        selected = self._books.select(books, None).books
        readable = self._books.readable(selected)
        unread = UnreadBooks()
        searches = [_Search(text, n) for text in checked(quotations)]
        wanted = [search for search in searches if len(search.quoted) >= SHORTEST]
        for done, stored in enumerate(readable):
            progress("searching the books", done, len(readable))
            with unread.leaving_out(stored):
                places = self._word_places(stored)
                for search in checked(wanted):
                    search.look_up(stored.edition, places)
        # By the identity of a search, since the same quotation may be asked for twice.
        located: dict[int, list[LocatedQuotation]] = defaultdict(list)
        by_edition = {stored.edition: stored for stored in readable}
        for edition, compared in _by_edition(wanted).items():
            with unread.leaving_out(by_edition[edition]):
                book = self._books.open(by_edition[edition])
                words = _words_of_book(book.text)
                for search, place in checked(compared):
                    if (match := search.compare(book, words, place)) is not None:
                        located[id(search)].append(match)
        not_searched = (*readable.not_searched, *unread.books)
        best = (_best(located[id(search)], n) for search in checked(searches))
        return Answers(map(_verbatim_only, best) if not_searched else best, not_searched)

    def _word_places(self, stored: StoredBook) -> WordPlaces:
        """Return the positions of the words of a book. The first books searched stay in memory as
        far as there is room: when many books are searched in turn, the latest would be evicted
        before they are searched again."""
        places = self._kept_places.get(stored.edition)
        if places is None:
            places = word_places.of_book(self._books.open(stored))
            if places.size_bytes <= self._room:
                self._room -= places.size_bytes
                self._kept_places[stored.edition] = places
        return places

    def check(
        self, quotations: Sequence[EssayQuotation], **options: Unpack[LocateOptions]
    ) -> Answers[CheckedQuotation]:
        """Return the quotations of an essay with the places they are from; titles and single words
        in quotation marks are skipped. Raises the errors of `locate`."""
        counted = [
            (quotation, len(number_words(quotation.text))) for quotation in checked(quotations)
        ]
        likely = [pair for pair in checked(counted) if check.may_be_quotation(*pair)]
        located = self.locate([quotation.text for quotation, _ in likely], **options)
        is_known = not located.not_searched
        judged = [
            (CheckedQuotation(quotation, tuple(places), is_known), words)
            for (quotation, words), places in checked(zip(likely, located, strict=True))
        ]
        return Answers(
            (quotation for quotation, words in judged if check.is_quotation(quotation, words)),
            located.not_searched,
        )


def _verbatim_only(places: Sequence[LocatedQuotation]) -> list[LocatedQuotation]:
    return [place for place in places if place.status is QuotationStatus.VERBATIM]


def check_quotation(quotation: str) -> None:
    """Raise UsageError for a quotation of fewer words than SHORTEST."""
    words = quoted_words.read(quotation)
    own = sum(not is_added for is_added in words.is_added)
    if own < SHORTEST:
        raise UsageError(
            "a single word cannot be located; give two or more, or search for it: "
            "scholar find WORD --mode lexical"
            if own
            else "the quotation has no words; give two or more"
        )


def _by_edition(searches: Sequence[_Search]) -> Mapping[int, list[tuple[_Search, _Place]]]:
    """Return the searches and their places to compare, by edition."""
    compared: dict[int, list[tuple[_Search, _Place]]] = defaultdict(list)
    for search in checked(searches):
        for place in search.likeliest:
            compared[place.edition].append((search, place))
    return compared


def _best(matches: Sequence[LocatedQuotation], n: int) -> list[LocatedQuotation]:
    """Return the n most similar places, each once; among equally similar ones, front matter,
    headings and lines of a table of contents come last."""
    ranked = sorted(
        matches,
        key=lambda match: (-match.similarity, *_remoteness(match), match.book.id, match.span),
    )
    by_locator: dict[str, LocatedQuotation] = {}
    for match in ranked:
        by_locator.setdefault(match.locator, match)
    return list(by_locator.values())[:n]


def _remoteness(match: LocatedQuotation) -> tuple[bool, bool, bool]:
    """Return three signs that a place only cites words of its book: it is in the front matter,
    outside any paragraph, or before a page number at the end of a line."""
    rest_of_line = blank_numbers(match.after, match.before + match.exact)
    return (
        match.chapter.kind is ChapterKind.FRONT,
        locators.parse(match.locator).span is None,
        _PAGE_NUMBER.match(rest_of_line) is not None,
    )
