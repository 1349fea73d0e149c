"""The hits of a search in a book: each with the words around it, and their number by chapter."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click
from textual.message import Message

from scholar_indexes import emphasis
from scholar_indexes.results import ConcordanceLine, Frequency
from scholar_indexes.serialize.concordance import styled_parts
from scholar_indexes.types import Span
from scholar_tui.keys import bind
from scholar_tui.widgets.line_breaking import fit_to_width
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
    hit and its number of hits."""

    reading: BookNavigator
    spans: Sequence[Span]
    firsts: Sequence[int]
    counts: Sequence[int]

    @classmethod
    def count(cls, reading: BookNavigator, spans: Sequence[Span]) -> BookHits:
        """Return the hits with their numbers in the chapters of a book."""
        starts = [span.start for span in spans]
        firsts = [bisect_left(starts, chapter.span.start) for chapter in reading.chapters]
        counts = [end - first for first, end in pairwise([*firsts, len(spans)])]
        return cls(reading, spans, firsts, counts)

    def chapter_of(self, number: int) -> int:
        """Return the index of the chapter of a hit."""
        return max(bisect_right(self.firsts, number) - 1, 0)


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
        self.hits: BookHits | None = None
        self._lists_chapters = False

    def show(self, hits: BookHits, number: int) -> None:
        """Show hits with the cursor on one of them."""
        self.hits = hits
        self.show_again(self._item_of(number))

    def go_to(self, number: int) -> None:
        """Move the cursor to a hit."""
        self.move_to(self._item_of(number))

    @property
    def number(self) -> int | None:
        """The number of the hit under the cursor; None in a chapter without hits."""
        if self.hits is None or not self.hits.spans:
            return None
        if not self._lists_chapters:
            return self.cursor
        return self.hits.firsts[self.cursor] if self.hits.counts[self.cursor] else None

    def _item_of(self, number: int) -> int:
        assert self.hits
        return self.hits.chapter_of(number) if self._lists_chapters else number

    def count(self) -> int:
        if self.hits is None:
            return 0
        return len(self.hits.counts if self._lists_chapters else self.hits.spans)

    def heights(self, width: int) -> Iterable[int]:
        return repeat(1, self.count())

    def lines(self, at: int, width: int) -> list[StyledLine]:
        assert self.hits
        line = _chapter_line if self._lists_chapters else _hit_line
        return [line(self.hits, at, width)]

    def action_numbers(self) -> None:
        """Switch between the hits and the chapters, at the same place."""
        number = self.number
        self._lists_chapters = not self._lists_chapters
        self.show_again(self._item_of(number or 0) if self.hits else 0)

    def action_chapter(self, by: int) -> None:
        number = self.number
        if self.hits is None or number is None:
            return
        here = self.hits.chapter_of(number)
        after, before = range(here + 1, len(self.hits.counts)), range(here - 1, -1, -1)
        chapter = next((at for at in (after if by > 0 else before) if self.hits.counts[at]), None)
        if chapter is not None:
            self.go_to(self.hits.firsts[chapter])


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

    class HitMarked(Message):
        """The cursor is on a hit."""

        def __init__(self, number: int) -> None:
            self.number = number
            super().__init__()

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._plot, self.list = HitPlot(), Concordance()

    def compose(self) -> ComposeResult:
        yield from (self._plot, self.list)

    def show(self, hits: BookHits, number: int) -> None:
        """Show hits with the cursor on one of them."""
        self.display = True
        self.list.show(hits, number)

    def go_to(self, number: int) -> None:
        """Move the cursor to a hit."""
        if self.display:
            self.list.go_to(number)

    def reset(self) -> None:
        """Hide the list."""
        self.display = False

    def on_scrollable_items_cursor_moved(self, event: Concordance.CursorMoved) -> None:
        event.stop()
        hits, number = self.list.hits, self.list.number
        if hits is None or not self.display:
            return
        numbers = [chapter.number for chapter in hits.reading.chapters]
        in_chapters = [count for count, at in zip(hits.counts, numbers, strict=True) if at]
        total, within = len(hits.spans), sum(map(bool, in_chapters))
        self._plot.show(
            hits.counts,
            numbers,
            f"{total:,} hit{'s' * (total != 1)} in {within:,} of {len(in_chapters):,} chapters",
            marked=self.list.cursor if number is None else hits.chapter_of(number),
        )
        if number is not None:
            self.post_message(self.HitMarked(number))

    async def on_scrollable_items_item_chosen(self, event: Concordance.ItemChosen) -> None:
        event.stop()
        await self.run_action("screen.read_on")

    def on_hit_plot_chapter_clicked(self, event: HitPlot.ChapterClicked) -> None:
        event.stop()
        hits = self.list.hits
        if hits is not None and hits.counts[event.chapter]:
            self.list.go_to(hits.firsts[event.chapter])


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
    reading, chapter = hits.reading, hits.reading.chapters[at]
    words = len(chapter.span.of(reading.text).split())
    frequency = Frequency(reading.book, chapter, hits.counts[at], words)
    bar = min(BAR, max(width - PLACE - NAME - 34, 0))
    return [
        (f"{set_cell_size(str(chapter.number), PLACE - 1)} ", "faint"),
        (f"{fit_to_width(label(chapter, reading.book.title), NAME)} ", ""),
        (horizontal_bar(frequency.count, max(hits.counts), bar), "score"),
        (f" {frequency.count:>6,} {frequency.per_ten_thousand:>8,.1f} in 10,000 words", ""),
    ]
