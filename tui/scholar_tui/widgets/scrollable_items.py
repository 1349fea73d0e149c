"""The base class of scrolling lists that draw only the lines in view, whatever their length."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from scholar_tui.keys import bind
from scholar_tui.widgets.component_styles import component_style
from scholar_tui.widgets.line_breaking import wrap_lines

StyledLine = list[tuple[str, str]]
"""Pieces of a line, each with its styles: names of ScrollableItems.COMPONENT_CLASSES without
"items--"."""

MAX_CACHED_ITEMS = 500
"""The maximum number of items whose drawn lines are cached."""


class ScrollableItems(ScrollView, can_focus=True):
    """A list of items of several lines, with a cursor on one of them."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("up", "move(-1)", "Up", "To the previous one", show=False),
        bind("down", "move(1)", "Down", "To the next one", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False, tooltip="A page up"),
        Binding("pagedown", "page(1)", "Page down", show=False, tooltip="A page down"),
        Binding("home", "move(-1000000000)", "First", show=False, tooltip="To the first one"),
        Binding("end", "move(1000000000)", "Last", show=False, tooltip="To the last one"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "items--cursor",
        "items--here",
        "items--strong",
        "items--italic",
        "items--faint",
        "items--matched",
        "items--marked",
        "items--background",
        "items--method",
        "items--result",
        "items--other",
        "items--score",
    }
    DEFAULT_CSS = """
    ScrollableItems {
        background: $surface;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .items--cursor { background: $primary; color: $background; text-style: bold; }
        & > .items--here { background: $primary-muted; text-style: bold; }
        & > .items--strong { text-style: bold; }
        & > .items--italic { text-style: italic; }
        & > .items--faint { color: $foreground-muted; }
        & > .items--score { color: $accent; }
        & > .items--matched { background: $primary-muted; color: $foreground; }
        & > .items--marked { color: $accent; text-style: bold; }
        & > .items--background { color: $speaker-0; }
        & > .items--method { color: $speaker-1; }
        & > .items--result { color: $speaker-2; }
        & > .items--other { color: $foreground-muted; }
    }
    """
    FIRST: ClassVar[int] = 0
    """The index of the first item that the cursor can be on."""

    MARGIN: ClassVar[int] = 0
    """The number of cells at the left that show the cursor; 0 for all of a line."""

    class CursorMoved(Message):
        """The cursor moved to another item, or the item under it was replaced."""

        def __init__(self, items: ScrollableItems, index: int) -> None:
            self.items, self.index = items, index
            super().__init__()

        @property
        def control(self) -> ScrollableItems:
            return self.items

    class ItemChosen(Message):
        """The item under the cursor was clicked."""

        def __init__(self, items: ScrollableItems, index: int) -> None:
            self.items, self.index = items, index
            super().__init__()

        @property
        def control(self) -> ScrollableItems:
            return self.items

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = self.FIRST
        self.instead = ""
        """The text shown if there are no items."""
        self._tops: Sequence[int] = (0,)
        self._laid = 0
        self._drawn: dict[int, list[StyledLine]] = {}

    # Textual has its own metaclass instead of ABCMeta, so that only mypy checks these two.
    @abstractmethod
    def count(self) -> int:
        """Return the number of items."""

    def heights(self, width: int) -> Iterable[int]:
        """Return the number of lines of each item."""
        return (len(self.lines(at, width)) for at in range(self.count()))

    @abstractmethod
    def lines(self, at: int, width: int) -> list[StyledLine]:
        """Return the lines of an item without the cursor."""

    def show_again(self, at: int | None = None) -> None:
        """Redraw the items after they changed; `at` is the new cursor, None to keep it."""
        self.cursor = max(self.FIRST, min(self.cursor if at is None else at, self.count() - 1))
        self._lay()
        if at is not None:
            self._reveal()
        self.post_message(self.CursorMoved(self, self.cursor))

    def move_to(self, at: int) -> None:
        at = max(self.FIRST, min(at, self.count() - 1))
        if at != self.cursor:
            self.cursor = at
            self.refresh()
            self.post_message(self.CursorMoved(self, at))
        self._reveal()

    def action_move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        top = self._top(self.cursor) + by * max(self.size.height - 1, 1)
        to = self._item(top)
        self.move_to(to if to != self.cursor else self.cursor + by)

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not self._laid:
            return
        line = offset.y + round(self.scroll_y)
        if self.count() > self.FIRST and line < self._tops[-1]:
            at = max(self._item(line), self.FIRST)
            again = at == self.cursor and event.chain > 1
            self.move_to(at)
            self.clicked(at, offset.x)
            if again:
                self.post_message(self.ItemChosen(self, at))

    def clicked(self, at: int, column: int) -> None:
        """Handle a click on an item, which is under the cursor."""

    def on_resize(self) -> None:
        if self._width != self._laid:
            self._lay()
        self.call_after_refresh(self._reveal)

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _lay(self) -> None:
        self._drawn.clear()
        self._laid = self._width
        if self._laid:
            self._tops = [0, *accumulate(self.heights(self._laid))]
            self.virtual_size = Size(self._laid, self._tops[-1])
        self.refresh()

    def _top(self, at: int) -> int:
        return self._tops[min(max(at, 0), len(self._tops) - 1)]

    def _item(self, line: int) -> int:
        return min(max(bisect_right(self._tops, line) - 1, 0), max(self.count() - 1, 0))

    def _reveal(self) -> None:
        """Scroll the cursor into view, with the lines above it if it is on the first item."""
        if self.count() <= self.FIRST or not self._laid:
            return
        first = 0 if self.cursor == self.FIRST else self._top(self.cursor)
        last = self._top(self.cursor + 1)
        if last - first > self.size.height:
            first = min(self._top(self.cursor), last - 1)
        region = Region(0, first, self._laid, max(last - first, 1))
        self.scroll_to_region(region, animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        width, base = self._width, self.rich_style
        line = y + round(self.scroll_y)
        if self.count() <= self.FIRST and self.instead:
            wrapped = wrap_lines(self.instead, width - 2)
            pieces: StyledLine = [(f" {wrapped[line]}", "faint")] if line < len(wrapped) else []
            return self._strip(pieces, base, width)
        if line >= self._tops[-1]:
            return Strip.blank(width, base)
        at = self._item(line)
        if at not in self._drawn:
            if len(self._drawn) > MAX_CACHED_ITEMS:
                self._drawn.clear()
            self._drawn[at] = self.lines(at, width)
        drawn = self._drawn[at]
        within = line - self._tops[at]
        pieces = drawn[within] if within < len(drawn) else []
        if at == self.cursor and at >= self.FIRST:
            return self._under_cursor(pieces, not within, base, width)
        return self._strip(pieces, base, width)

    def _under_cursor(self, pieces: StyledLine, first: bool, base: Style, width: int) -> Strip:
        """Return a line of the item under the cursor: a bar over its margin, or over all of it."""
        if not self.has_focus:
            if self.MARGIN:
                return self._strip(pieces, base, width)
            return self._strip(pieces, base + self._style("here"), width)
        cursor = base + self._style("cursor")
        plain = [(text, "") for text, _ in pieces]  # their colours would be illegible on it
        if not self.MARGIN:
            return self._strip(plain, cursor, width)
        if first and plain:
            plain[0] = (f"›{plain[0][0][1:]}", "")
        before = 0
        while pieces and before < self.MARGIN:
            before += cell_len(pieces[0][0])
            pieces = pieces[1:]
        head = self._strip(plain[: len(plain) - len(pieces)], cursor, self.MARGIN)
        return Strip.join([head, self._strip(pieces, base, width - self.MARGIN)])

    def _strip(self, pieces: StyledLine, base: Style, width: int) -> Strip:
        segments = [
            Segment(text, base + self._style(name) if name else base) for text, name in pieces
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, names: str) -> Style:
        """Return the combined style of these names."""
        style = Style()
        for name in names.split():
            style += component_style(self, f"items--{name}")
        return style

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
