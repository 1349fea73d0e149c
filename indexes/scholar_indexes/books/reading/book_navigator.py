"""Navigation in a book: positions, locators, text search, and quotations by position."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.books.citation.locators import Locator
from scholar_indexes.books.reading import chapter_ranges
from scholar_indexes.books.references import matches_of_first_rule
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import book_folder
from scholar_indexes.types import Chapter, Span

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.results import AttributedQuote
    from scholar_indexes.storage.bookmarks import ReadingPosition
    from scholar_indexes.types import Character

UNSURE = 0.5
"""An attribution with a lower confidence is shown as uncertain."""

MAX_LISTED_CHAPTERS = 6
"""The maximum number of chapters listed for an ambiguous title."""

_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%", re.ASCII)
_NUMBERED = re.compile(r"\d+|[a-z]+ \d[\d.]*", re.ASCII)
_WITHIN = re.compile(r":?(\d[\d.:-]*)", re.ASCII)
_TYPOGRAPHIC = {"'": "['’‘]", '"': '["“”„]', "-": "[-‐‑–—]"}
"""The typographic characters that each keyboard character matches."""


class BookNavigator:
    """Positions in a book: their chapters, paragraphs and locators, and the parsing of user input.

    Raises Damaged if the chapters do not fit the text.
    """

    def __init__(self, book: OpenBook) -> None:
        self.book = book.book
        self.text = book.text
        self.chapters = book.chapters
        self._open_book = book
        if not self.chapters or self.chapters[-1].span.end > len(self.text):
            raise book_folder.damage(
                book.folder, "its chapters do not fit its text", follows_from_text=True
            )
        self._chapter_starts = [chapter.span.start for chapter in self.chapters]
        self._paragraphs = book.paragraphs

    def chapter(self, at: int) -> Chapter:
        """Return the chapter of a position."""
        return self.chapters[self._chapter(at)]

    def paragraph(self, at: int) -> Span:
        """Return the paragraph at a position, else the next one, else the last of its chapter."""
        _, number, span = self._near(at)
        return span if number else self.chapter(at).span

    def adjacent_paragraph(self, at: int, by: int) -> Span | None:
        """Return the paragraph after the one at a position, or before it if `by` is -1."""
        number = self._chapter(at)
        nearest = self._near(at)[1] - 1 + by
        while not 0 <= nearest < len(self._paragraphs[number]):
            number += by
            if not 0 <= number < len(self.chapters):
                return None
            nearest = 0 if by > 0 else len(self._paragraphs[number]) - 1
        return self._paragraphs[number][nearest]

    def locator(self, at: int) -> str:
        """Return the locator of the paragraph at a position, or of a chapter without paragraphs."""
        chapter, number, _ = self._near(at)
        return str(Locator(self.book.id, chapter.number, number or None))

    def citable(self, span: Span) -> tuple[Span, str]:
        """Return the part of a span that one locator can cover, and that locator.

        White space around it, a heading before it and text beyond the chapter are omitted; a
        heading alone gets the locator of its chapter.
        """
        selected = span.of(self.text)
        start = span.start + len(selected) - len(selected.lstrip())
        chapter, number, paragraph = self._near(start)
        end = min(span.end, chapter.body.end)
        end = start + len(self.text[start:end].rstrip())
        if not number or end <= paragraph.start:
            heading = Span(start, min(span.end, chapter.span.end))
            return heading, str(Locator(self.book.id, chapter.number))
        quoted = Span(max(start, paragraph.start), end)
        within = Span(quoted.start - paragraph.start, quoted.end - paragraph.start)
        return quoted, str(Locator(self.book.id, chapter.number, number, within))

    def percent_read(self, seen: Span) -> int:
        """Return the percentage of the book read when `seen` is on the screen."""
        if seen.end >= len(self.text.rstrip()):
            return 100
        return min(100 * seen.start // max(len(self.text), 1), 99)

    def span(self, place: Locator) -> Span:
        """Return the span of a locator; raises NotThere if the book does not have it."""
        if place.chapter is None:
            return Span(0, len(self.text))
        if place.paragraph is None:
            return self._open_book.chapter_numbered(place.chapter, self.book.id).span
        return self._open_book.locate(place, self.book.id)

    def resolve(self, reference: str) -> Span:
        """Return the span for user input.

        The input is a chapter number ("12", "chapter III", "letter 4"), a title, a position as
        in locators (":12", "3.4", "pg1342:3.4") or a percentage ("50 %"). Raises a ScholarError
        that explains the problem.
        """
        wanted = one_line(reference)
        if not wanted:
            raise UsageError("enter a chapter, title, position like 3.4 or percentage like 50%")
        if share := _PER_CENT.fullmatch(wanted):
            if float(share[1]) > 100:
                raise UsageError("a book ends at 100%")
            at = int(len(self.text) * float(share[1]) / 100)
            return Span(at, at)
        if _NUMBERED.fullmatch(wanted.casefold()):
            return self._find_numbered(wanted).span
        if within := _WITHIN.fullmatch(wanted):
            return self.span(locators.parse(f"{self.book.id}:{within[1]}"))
        if wanted.casefold().startswith(f"{self.book.id.casefold()}:"):
            return self.span(locators.parse(wanted))
        if chapter_ranges.is_number(wanted):
            return self._find_numbered(wanted).span
        return self._find_chapter(wanted).span

    def resume(self, place: ReadingPosition | None) -> int:
        """Return the position to resume at: as saved, or its paragraph in a replaced text."""
        if place is None:
            return 0
        if 0 <= place.start < len(self.text) and self.locator(place.start) == place.locator:
            return place.start
        try:
            return self.span(locators.parse(place.locator)).start
        except (UsageError, NotThere):
            return min(max(place.start, 0), max(len(self.text) - 1, 0))

    def _find_numbered(self, wanted: str) -> Chapter:
        """Return the chapter with a number, or with a title that looks like a number."""
        try:
            section = chapter_ranges.find_section(self.chapters, wanted, self.book.title)
        except UsageError as refusal:
            raise UsageError(f'{refusal}, after the word "chapter"') from None
        except NotThere:
            if wanted.isdigit():
                raise
            return self._find_chapter(wanted)
        return self._open_book.chapter_numbered(section, self.book.id)

    def _find_chapter(self, title: str) -> Chapter:
        """Return the chapter with a title, alone or after the titles of its parts, or part of it.

        Raises UsageError if there are several and NoMatch if there is none.
        """
        wanted = title.casefold()
        wanted_path = wanted.replace(",", "")
        rules: tuple[Callable[[Chapter], bool], ...] = (
            lambda chapter: wanted in (_folded_title(chapter), self._folded_name(chapter)),
            lambda chapter: wanted_path == _folded_path(chapter),
            lambda chapter: wanted_path in _folded_path(chapter),
        )
        numbered = (chapter for chapter in self.chapters if chapter.number)
        matches = matches_of_first_rule(numbered, rules)
        if len(matches) == 1:
            return matches[0]
        if matches:
            numbers = ", ".join(f":{chapter.number}" for chapter in matches[:MAX_LISTED_CHAPTERS])
            more = ", …" if len(matches) > MAX_LISTED_CHAPTERS else ""
            raise UsageError(f"several chapters have this title; choose one of: {numbers}{more}")
        raise NoMatch(
            f"no chapter is called {title[:60]!r}; enter its number, or its position, :1 to "
            f":{self.chapters[-1].number}"
        )

    def _folded_name(self, chapter: Chapter) -> str:
        return chapter_name(chapter, self.book.title).casefold()

    def _chapter(self, at: int) -> int:
        return max(bisect_right(self._chapter_starts, at) - 1, 0)

    def _near(self, at: int) -> tuple[Chapter, int, Span]:
        """Return the chapter of a position, and the number and span of the nearest paragraph.

        It is the paragraph at the position, else the next, else the last; the number is 0 if
        the chapter has no paragraphs.
        """
        number = self._chapter(at)
        spans = self._paragraphs[number]
        if not spans:
            return self.chapters[number], 0, self.chapters[number].span
        nearest = bisect_right(spans, at, key=attrgetter("end"))
        nearest = min(nearest, len(spans) - 1)
        return self.chapters[number], nearest + 1, spans[nearest]


def _folded_title(chapter: Chapter) -> str:
    return one_line(chapter.title).casefold()


def _folded_path(chapter: Chapter) -> str:
    """Return the titles of a chapter's parts and its own title, case-folded, without commas."""
    return one_line(" ".join((*chapter.part, chapter.title))).casefold().replace(",", "")


def find_text(
    navigator: BookNavigator, query: str, before_chapter: Callable[[], None] = lambda: None
) -> list[Span]:
    """Return the spans of a book that match the words typed by the user.

    Case matters only if capitals are typed. White space matches any white space, straight
    quotation marks and hyphens match typographic ones, and underscores of emphasis are ignored.
    `before_chapter` is called for each chapter, and may raise to stop the search.
    """
    words = query.split()
    if not words:
        return []
    expression = r"_*\s+_*".join(
        "".join(_TYPOGRAPHIC.get(sign) or re.escape(sign) for sign in word) for word in words
    )
    pattern = re.compile(expression, 0 if query != query.lower() else re.IGNORECASE)
    spans: list[Span] = []
    for chapter in navigator.chapters:
        before_chapter()
        spans.extend(
            Span(*match.span())
            for match in pattern.finditer(navigator.text, chapter.span.start, chapter.span.end)
        )
    return spans


class QuotationCount(NamedTuple):
    """The numbers of spoken quotations and of thoughts of a character."""

    spoken: int = 0
    thoughts: int = 0


def count_quotations(quotes: Iterable[AttributedQuote]) -> dict[str, QuotationCount]:
    """Return the counts by speaker id, in the order of the speakers' first quotations."""
    counts: dict[str, QuotationCount] = {}
    for quote in quotes:
        if (speaker := speaker_of(quote)) is not None:
            spoken, thoughts = counts.get(speaker.id, QuotationCount())
            is_speech = quote.attribution.is_speech
            counts[speaker.id] = QuotationCount(spoken + is_speech, thoughts + (not is_speech))
    return counts


class QuotationIndex:
    """The quotations of a book in reading order, by position and by speaker."""

    def __init__(self, quotes: Sequence[AttributedQuote]) -> None:
        self.quotes = sorted(quotes, key=lambda quote: quote.quotation.span)
        self._starts = [quote.quotation.span.start for quote in self.quotes]
        self._reach = list(accumulate((quote.quotation.span.end for quote in self.quotes), max))
        speakers = [speaker for speaker in map(speaker_of, self.quotes) if speaker]
        self.cast = {speaker.id: speaker for speaker in speakers}
        counts = count_quotations(self.quotes)
        self.counts = dict(sorted(counts.items(), key=itemgetter(1), reverse=True))
        self.ranks = {speaker_id: rank for rank, speaker_id in enumerate(self.counts)}
        """Ranks of speakers by their counts, from 0; ties by first quotation."""

    def within(self, span: Span) -> list[AttributedQuote]:
        """Return the quotations that overlap a span."""
        first = bisect_right(self._reach, span.start)
        last = bisect_right(self._starts, span.end - 1)
        return [quote for quote in self.quotes[first:last] if quote.quotation.span.end > span.start]

    def at(self, position: int) -> AttributedQuote | None:
        """Return the quotation at a position, the innermost if nested, or None."""
        overlapping = [
            quote
            for quote in self.within(Span(position, position + 1))
            if any(piece.start <= position < piece.end for piece in quote.quotation.pieces)
        ]
        return overlapping[-1] if overlapping else None

    def next(
        self, start: int, *, speaker_id: str | None = None, back: bool = False
    ) -> AttributedQuote | None:
        """Return the first quotation that begins after a position, or with `back` the last before.

        With `speaker_id`, only quotations of that speaker count.
        """
        for quote in self._from(start, back):
            speaker = speaker_of(quote)
            if speaker_id is None or (speaker is not None and speaker.id == speaker_id):
                return quote
        return None

    def number(self, quote: AttributedQuote) -> int:
        """Return the number, from 1, of a quotation among its speaker's spoken quotations, or of a
        thought among the speaker's thoughts."""
        until = bisect_right(self._starts, quote.quotation.span.start)
        key = (speaker_of(quote), quote.attribution.is_speech)
        return sum(
            (speaker_of(earlier), earlier.attribution.is_speech) == key
            for earlier in self.quotes[:until]
        )

    def _from(self, start: int, back: bool) -> Iterator[AttributedQuote]:
        if back:
            yield from reversed(self.quotes[: bisect_right(self._starts, start - 1)])
        else:
            yield from self.quotes[bisect_right(self._starts, start) :]


def speaker_of(quote: AttributedQuote) -> Character | None:
    """Return the speaker of a quotation, or None if unknown."""
    return quote.attribution.speaker


def is_uncertain(quote: AttributedQuote) -> bool:
    """Return True if the speaker is unknown or the confidence is below UNSURE.

    False for a form of quotation without a speaker.
    """
    if not quote.attribution.form.has_speaker:
        return False
    return speaker_of(quote) is None or quote.attribution.confidence < UNSURE
