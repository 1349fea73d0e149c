"""The hits of a search in a book: each with the words around it, and their number by chapter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click
from textual.message import Message

from scholar_indexes import emphasis
from scholar_indexes.results import ConcordanceLine
from scholar_indexes.serialize.concordance import styled_parts
from scholar_indexes.types import Span
from scholar_tui.keys import bind
from scholar_tui.widgets.outline import label
from scholar_tui.widgets.plot import Plot, horizontal_bar
from scholar_tui.widgets.scrollable_items import ScrollableItems, StyledLine

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator

PLACE, NAME, BAR = 9, 28, 20
"""The widths of a place, of the name of a chapter and of its bar, in cells."""

KEYWORD = 8
"""The usual width of a hit."""

CONTEXT_CHARS = 200
"""The characters on either side of a hit that are read, of which as many are shown as fit."""


@dataclass(frozen=True, slots=True)
class BookHits:
    """The hits of a search in a book in text order, and for each chapter the number of its first
    hit and its number of words."""

    reading: BookNavigator
    spans: Sequence[Span]
    firsts: Sequence[int]
    words: Sequence[int]

    @classmethod
    def count(cls, reading: BookNavigator, spans: Sequence[Span]) -> BookHits:
        """Return the hits with their numbers in the chapters of a book."""
        starts = [span.start for span in spans]
        firsts = [bisect_left(starts, chapter.span.start) for chapter in reading.chapters]
        words = [len(chapter.span.of(reading.text).split()) for chapter in reading.chapters]
        return cls(reading, spans, firsts, words)

    @property
    def counts(self) -> list[int]:
        """The number of hits in each chapter."""
        ends = [*self.firsts[1:], len(self.spans)]
        return [end - first for first, end in zip(self.firsts, ends, strict=True)]

    def chapter_of(self, number: int) -> int:
        """Return the index of the chapter of a hit."""
        start = self.spans[number].start
        starts = [chapter.span.start for chapter in self.reading.chapters]
        return max(bisect_left(starts, start + 1) - 1, 0)


class HitPlot(Plot):
    """A bar for each chapter, as high as its number of hits."""

    class ChapterClicked(Message):
        """The bar of a chapter was clicked."""

        def __init__(self, chapter: int) -> None:
            self.chapter = chapter
            super().__init__()

    def on_click(self, event: Click) -> None:
        if (chapter := self.item_at(event.x)) is not None:
            self.post_message(self.ChapterClicked(chapter))


class Concordance(ScrollableItems):
    """The hits, each on a line with the words around it; or the chapters with their numbers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.read_on", "Read", tooltip="Read on from this hit"),
        bind("details", "numbers", "Numbers", "The number of hits in each chapter, or the hits"),
        bind("part_on", "chapter(1)", "Next chapter", "The next chapter that has a hit"),
        bind("part_before", "chapter(-1)", "Previous chapter", "The previous one"),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hits: BookHits | None = None
        self._counts: Sequence[int] = ()
        self._lists_chapters = False

    def show(self, hits: BookHits, number: int) -> None:
        """Show hits with the cursor on one of them."""
        self._hits, self._counts = hits, hits.counts
        self.show_again(self._item_of(number))

    def go_to(self, number: int) -> None:
        """Move the cursor to a hit."""
        self.move_to(self._item_of(number))

    @property
    def number(self) -> int | None:
        """The number of the hit under the cursor; None in a chapter without hits."""
        if self._hits is None or not self._hits.spans:
            return None
        if not self._lists_chapters:
            return self.cursor
        return self._hits.firsts[self.cursor] if self._counts[self.cursor] else None

    def _item_of(self, number: int) -> int:
        assert self._hits
        return self._hits.chapter_of(number) if self._lists_chapters else number

    def count(self) -> int:
        if self._hits is None:
            return 0
        return len(self._counts if self._lists_chapters else self._hits.spans)

    def heights(self, width: int) -> Iterable[int]:
        return repeat(1, self.count())

    def lines(self, at: int, width: int) -> list[StyledLine]:
        assert self._hits
        line = _chapter_line if self._lists_chapters else _hit_line
        return [line(self._hits, at, width)]

    def action_numbers(self) -> None:
        """Switch between the hits and the chapters, at the same place."""
        number = self.number
        self._lists_chapters = not self._lists_chapters
        self.show_again(self._item_of(number or 0) if self._hits else 0)

    def action_chapter(self, by: int) -> None:
        number = self.number
        if self._hits is None or number is None:
            return
        here = self._hits.chapter_of(number)
        after, before = range(here + 1, len(self._counts)), range(here - 1, -1, -1)
        chapter = next((at for at in (after if by > 0 else before) if self._counts[at]), None)
        if chapter is not None:
            self.go_to(self._hits.firsts[chapter])


class SearchHits(Vertical):
    """The hits of the search in the open book, with a plot of their number by chapter."""

    DEFAULT_CSS = """
    SearchHits {
        height: 50%; max-height: 18; display: none; border-top: solid $panel;
        &:focus-within { border-top: solid $primary; }
        & HitPlot { height: 4; padding: 0 1; }
        & Concordance { height: 1fr; }
    }
    """

    class Marked(Message):
        """The cursor is on a hit."""

        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__()

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._plot, self.list = HitPlot(), Concordance()
        self._hits: BookHits | None = None

    def compose(self) -> ComposeResult:
        yield from (self._plot, self.list)

    def show(self, hits: BookHits, number: int) -> None:
        """Show hits with the cursor on one of them."""
        self._hits = hits
        self.display = True
        self.list.show(hits, number)

    def go_to(self, number: int) -> None:
        """Move the cursor to a hit."""
        if self._hits is not None:
            self.list.go_to(number)

    def reset(self) -> None:
        """Forget the hits."""
        self._hits = None
        self.display = False

    @property
    def has_hits(self) -> bool:
        return self._hits is not None

    def on_scrollable_items_cursor_moved(self, event: Concordance.CursorMoved) -> None:
        event.stop()
        if self._hits is None:
            return
        number = self.list.number
        counts = self._hits.counts
        numbers = [chapter.number for chapter in self._hits.reading.chapters]
        in_chapters = [count for count, at in zip(counts, numbers, strict=True) if at]
        total, within = len(self._hits.spans), sum(map(bool, in_chapters))
        self._plot.show(
            counts,
            numbers,
            f"{total:,} hit{'s' * (total != 1)} in {within:,} of {len(in_chapters):,} chapters",
            marked=self.list.cursor if number is None else self._hits.chapter_of(number),
        )
        if number is not None:
            self.post_message(self.Marked(number))

    async def on_scrollable_items_item_chosen(self, event: Concordance.ItemChosen) -> None:
        event.stop()
        await self.run_action("screen.read_on")

    def on_hit_plot_chapter_clicked(self, event: HitPlot.ChapterClicked) -> None:
        event.stop()
        if self._hits is not None and self._hits.counts[event.chapter]:
            self.list.go_to(self._hits.firsts[event.chapter])


def _hit_line(hits: BookHits, at: int, width: int) -> StyledLine:
    """Return a hit with the words around it, the hit in the middle of the line."""
    reading, span = hits.reading, hits.spans[at]
    chapter = reading.chapters[hits.chapter_of(at)]
    start = max(span.start - CONTEXT_CHARS, chapter.span.start)
    end = min(span.end + CONTEXT_CHARS, chapter.span.end)
    text = reading.text
    line = ConcordanceLine(
        reading.book,
        chapter,
        span,
        text[start : span.start],
        span.of(text),
        text[span.end : end],
        reading.locator(span.start),
    )
    left, keyword, right = styled_parts(line)
    room = max(width - PLACE - 1, 20)
    before = room // 2 - KEYWORD // 2
    length = emphasis.run_length(left)
    shown = emphasis.slice_runs(left, max(length - before, 0), length)
    place = line.locator.partition(":")[2]
    return [
        (f"{set_cell_size(place, PLACE - 1)} ", "faint"),
        (" " * (before - emphasis.run_length(shown)), ""),
        *((run.text, "italic" if run.italic else "") for run in shown),
        *((run.text, "matched") for run in keyword),
        *((run.text, "italic" if run.italic else "") for run in right),
    ]


def _chapter_line(hits: BookHits, at: int, width: int) -> StyledLine:
    """Return a chapter with its number of hits, also for 10,000 words."""
    chapter, counts = hits.reading.chapters[at], hits.counts
    name = label(chapter, hits.reading.book.title)
    if cell_len(name) > NAME:
        name = f"{set_cell_size(name, NAME - 1)}…"
    bar = min(BAR, max(width - PLACE - NAME - 34, 0))
    rate = 10_000 * counts[at] / hits.words[at] if hits.words[at] else 0.0
    return [
        (f"{set_cell_size(str(chapter.number), PLACE - 1)} ", "faint"),
        (f"{set_cell_size(name, NAME)} ", ""),
        (horizontal_bar(counts[at], max(counts, default=0), bar), "score"),
        (f" {counts[at]:>6,} {rate:>8,.1f} in 10,000 words", ""),
    ]
