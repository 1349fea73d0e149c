"""A book as it is read: where a place is, what is meant by one, what is sought, who is heard."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from scholar_indexes.books import locators
from scholar_indexes.books.locators import Locator
from scholar_indexes.books.passages import paragraphs
from scholar_indexes.errors import Damaged, NoMatch, NotThere, UsageError
from scholar_indexes.records import chapter_name
from scholar_indexes.types import Chapter, Span
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Quote
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Place
    from scholar_indexes.types import Character

UNSURE = 0.5
"""An attribution less likely right than this is a guess."""

_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%", re.ASCII)
_WITHIN = re.compile(r":?(\d[\d.:-]*)", re.ASCII)
_ALIKE = {"'": "['’‘]", '"': '["“”„]', "-": "[-‐‑–—]"}
"""What a keyboard has one sign for and a printer several."""


class Reading:
    """A book with its text and its divisions; raises Damaged where they do not fit."""

    def __init__(self, shelved: Shelved, text: str, chapters: Sequence[Chapter]) -> None:
        self.book = shelved.book
        self.text = text
        self.chapters = tuple(chapters)
        if not chapters or chapters[-1].span.end > len(text):
            raise Damaged(
                f"the chapters of {self.book.id} do not fit its text; "
                f"run: scholar books remove {self.book.id}, then add it again"
            )
        self._numbers = {each.number: at for at, each in enumerate(self.chapters)}
        self._openings = [each.span.start for each in self.chapters]
        self._paragraphs = [tuple(paragraphs(text, each.body)) for each in self.chapters]

    # -- where a place is --------------------------------------------------------------------

    def chapter(self, at: int) -> Chapter:
        """The chapter a place is in."""
        return self.chapters[self._chapter(at)]

    def paragraph(self, at: int) -> Span:
        """The paragraph a place is in, or the one after it, or the last of its chapter."""
        _, number, span = self._near(at)
        return span if number else self.chapter(at).span

    def beside(self, at: int, by: int) -> Span | None:
        """The paragraph after the one of a place, or before it for by -1."""
        number = self._chapter(at)
        nearest = self._near(at)[1] - 1 + by
        while not 0 <= nearest < len(self._paragraphs[number]):
            number += by
            if not 0 <= number < len(self.chapters):
                return None
            nearest = 0 if by > 0 else len(self._paragraphs[number]) - 1
        return self._paragraphs[number][nearest]

    def locator(self, at: int) -> str:
        """The written form of that paragraph; of the chapter if it has none."""
        chapter, number, _ = self._near(at)
        return str(Locator(self.book.id, chapter.number, number or None))

    def citable(self, span: Span) -> tuple[Span, str]:
        """As much of a span as one locator can name, and that locator.

        White space around it, a heading before it and what is beyond the chapter are left
        out; a heading alone is named as its chapter.
        """
        taken = span.of(self.text)
        start = span.start + len(taken) - len(taken.lstrip())
        chapter, number, paragraph = self._near(start)
        end = min(span.end, chapter.body.end)
        end = start + len(self.text[start:end].rstrip())
        if not number or end <= paragraph.start:
            heading = Span(start, min(span.end, chapter.span.end))
            return heading, str(Locator(self.book.id, chapter.number))
        quoted = Span(max(start, paragraph.start), end)
        within = Span(quoted.start - paragraph.start, quoted.end - paragraph.start)
        return quoted, str(Locator(self.book.id, chapter.number, number, within))

    def share(self, seen: Span) -> int:
        """How far reading has come, in per cent, by what is seen."""
        if seen.end >= len(self.text.rstrip()):
            return 100
        return min(100 * seen.start // max(len(self.text), 1), 99)

    # -- what is meant by a place ------------------------------------------------------------

    def span(self, place: Locator) -> Span:
        """What a locator means; raises NotThere for what the book does not have."""
        if place.chapter is None:
            return Span(0, len(self.text))
        if place.chapter not in self._numbers:
            last = self.chapters[-1].number
            raise NotThere(f"{self.book.id} has no chapter {place.chapter}; its last is {last}")
        chapter = self.chapters[self._numbers[place.chapter]]
        if place.paragraph is None:
            return chapter.span
        spans = self._paragraphs[self._numbers[place.chapter]]
        if not 1 <= place.paragraph <= len(spans):
            raise NotThere(
                f"chapter {place.chapter} of {self.book.id} has no paragraph {place.paragraph}; "
                f"its last is {len(spans)}"
            )
        paragraph = spans[place.paragraph - 1]
        if place.span is None:
            return paragraph
        marked = Span(paragraph.start + place.span.start, paragraph.start + place.span.end)
        if marked.end > chapter.body.end:
            raise NotThere(f"{place} runs past the end of its chapter; check its last numbers")
        return marked

    def meant(self, written: str) -> Span:
        """What a person means by "3.4", "pg1342:3.4", "12", "50 %" or a chapter's title.

        Raises a ScholarError that says what is wrong with it.
        """
        wanted = one_line(written)
        if not wanted:
            raise UsageError("write a chapter, a place such as 3.4, a title or a share such as 50%")
        if share := _PER_CENT.fullmatch(wanted):
            if float(share[1]) > 100:
                raise UsageError("a book ends at 100%")
            at = int(len(self.text) * float(share[1]) / 100)
            return Span(at, at)
        if within := _WITHIN.fullmatch(wanted):
            return self.span(locators.parse(f"{self.book.id}:{within[1]}"))
        if wanted.casefold().startswith(f"{self.book.id.casefold()}:"):
            return self.span(locators.parse(wanted))
        return self._titled(wanted).span

    def resumed(self, place: Place | None) -> int:
        """Where to read on: at that place, or at its paragraph where the text was replaced."""
        if place is None:
            return 0
        if 0 <= place.start < len(self.text) and self.locator(place.start) == place.locator:
            return place.start
        try:
            return self.span(locators.parse(place.locator)).start
        except (UsageError, NotThere):
            return min(max(place.start, 0), max(len(self.text) - 1, 0))

    def _titled(self, wanted: str) -> Chapter:
        words = wanted.casefold()
        names = [
            (each, one_line(each.title).casefold(), chapter_name(each).casefold(),
             one_line(" ".join((*each.part, each.title))).casefold().replace(",", ""))
            for each in self.chapters if each.number
        ]  # fmt: skip
        for found in (
            [each for each, title, name, _ in names if words in (title, name)],
            [each for each, *_, path in names if words.replace(",", "") == path],
            [each for each, *_, path in names if words.replace(",", "") in path],
        ):
            if len(found) > 1:
                shown = ", ".join(str(each.number) for each in found[:6])
                more = ", …" if len(found) > 6 else ""
                raise UsageError(f"several chapters are called so; write a number: {shown}{more}")
            if found:
                return found[0]
        raise NoMatch(
            f"no chapter is called {wanted[:60]!r}; write its number, 1 to "
            f"{self.chapters[-1].number}"
        )

    # -- inside ------------------------------------------------------------------------------

    def _chapter(self, at: int) -> int:
        return max(bisect_right(self._openings, at) - 1, 0)

    def _near(self, at: int) -> tuple[Chapter, int, Span]:
        """The chapter of a place, and the number and the span of the paragraph it is in, or of
        the next, or of the last; 0 where the chapter has none."""
        number = self._chapter(at)
        spans = self._paragraphs[number]
        if not spans:
            return self.chapters[number], 0, self.chapters[number].span
        nearest = bisect_right(spans, at, key=attrgetter("end"))
        nearest = min(nearest, len(spans) - 1)
        return self.chapters[number], nearest + 1, spans[nearest]


def matches(
    reading: Reading, sought: str, going_on: Callable[[], None] = lambda: None
) -> list[Span]:
    """Where words stand in a book, as one who types them sees it.

    Capitals count only where some are typed; white space is any white space, straight quotation
    marks and hyphens are curly and long ones too, and the underscores of emphasis do not hide
    a word. going_on is called now and then, and may raise to end the search.
    """
    words = sought.split()
    if not words:
        return []
    loose = r"_*\s+_*".join(
        "".join(_ALIKE.get(sign) or re.escape(sign) for sign in word) for word in words
    )
    pattern = re.compile(loose, 0 if sought != sought.lower() else re.IGNORECASE)
    found: list[Span] = []
    for chapter in reading.chapters:
        going_on()
        found.extend(
            Span(*each.span())
            for each in pattern.finditer(reading.text, chapter.span.start, chapter.span.end)
        )
    return found


class Voices:
    """The quotations of a book in reading order, by place and by speaker."""

    def __init__(self, quotes: Sequence[Quote]) -> None:
        self.quotes = sorted(quotes, key=lambda each: each.quotation.span)
        self._starts = [each.quotation.span.start for each in self.quotes]
        self._reach = list(accumulate((each.quotation.span.end for each in self.quotes), max))
        counts = Counter(who.id for who in map(speaker, self.quotes) if who)
        self.cast = {who.id: who for who in map(speaker, self.quotes) if who}
        self.counts = dict(counts.most_common())
        self.ranks = {who: rank for rank, who in enumerate(self.counts)}
        """Who says how much: 0 is the most talkative, and who speaks first among equals."""

    def within(self, span: Span) -> list[Quote]:
        """The quotations of which something stands within a span."""
        first = bisect_right(self._reach, span.start)
        last = bisect_right(self._starts, span.end - 1)
        return [each for each in self.quotes[first:last] if each.quotation.span.end > span.start]

    def at(self, place: int) -> Quote | None:
        """The quotation that a place is in."""
        here = [
            each for each in self.within(Span(place, place + 1))
            if any(piece.start <= place < piece.end for piece in each.quotation.pieces)
        ]  # fmt: skip
        return here[-1] if here else None

    def next(self, start: int, *, who: str | None = None, back: bool = False) -> Quote | None:
        """The next quotation that begins after a place, or the last before it; of one speaker
        if who is an id."""
        for each in self._from(start, back):
            said_by = speaker(each)
            if who is None or (said_by is not None and said_by.id == who):
                return each
        return None

    def number(self, quote: Quote) -> int:
        """The how-manieth of its speaker's quotations it is, from 1."""
        who = speaker(quote)
        until = bisect_right(self._starts, quote.quotation.span.start)
        return sum(speaker(each) == who for each in self.quotes[:until])

    def _from(self, start: int, back: bool) -> Iterator[Quote]:
        if back:
            yield from reversed(self.quotes[: bisect_right(self._starts, start - 1)])
        else:
            yield from self.quotes[bisect_right(self._starts, start) :]


def speaker(quote: Quote) -> Character | None:
    return quote.attribution.speaker


def unsure(quote: Quote) -> bool:
    """Whether who speaks is a guess, or not known at all."""
    return speaker(quote) is None or quote.attribution.confidence < UNSURE
