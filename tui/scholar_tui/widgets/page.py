"""A stretch of a book to read: drawn line by line as it is looked at, however long it is.

Places on a page are places in the book's stored text, so what is painted, found or selected
is a span like everywhere in scholar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from scholar_indexes.types import Span
from scholar_tui.widgets.lines import broken

MEASURE = 76
"""Longer lines are hard to read."""

SPEAKERS = 10
"""Colours for speakers; further ones share."""

_SHOWN = {
    **dict.fromkeys((*range(32), *range(127, 160), *range(55296, 57344)), "�"),
    **dict.fromkeys((1564, 8206, 8207, 65279, *range(8234, 8239), *range(8294, 8298)), "�"),
    ord("\t"): " ", ord("\n"): " ",
}  # fmt: skip
"""What would control a terminal or deceive a reader is shown as a sign, of the same length."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A span of the text in a style of the page: one of Page.COMPONENT_CLASSES without
    "page--", such as "hit" or "speaker-3"."""

    span: Span
    style: str


class Page(ScrollView, can_focus=True):
    """A text with coats of paint, later ones over earlier ones."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "page--heading", "page--dim", "page--hit", "page--found", "page--current", "page--unsure",
        *(f"page--speaker-{each}" for each in range(SPEAKERS)),
    }  # fmt: skip
    DEFAULT_CSS = """
    Page {
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & > .page--heading { text-style: bold; color: $primary; }
        & > .page--dim { color: $foreground-muted; }
        & > .page--hit { text-style: bold; background: $primary-muted; color: $foreground; }
        & > .page--found { background: $warning-muted; color: $foreground; }
        & > .page--current { text-style: reverse; }
        & > .page--unsure { text-style: italic underline; }
        & > .page--speaker-0 { color: $speaker-0; }
        & > .page--speaker-1 { color: $speaker-1; }
        & > .page--speaker-2 { color: $speaker-2; }
        & > .page--speaker-3 { color: $speaker-3; }
        & > .page--speaker-4 { color: $speaker-4; }
        & > .page--speaker-5 { color: $speaker-5; }
        & > .page--speaker-6 { color: $speaker-6; }
        & > .page--speaker-7 { color: $speaker-7; }
        & > .page--speaker-8 { color: $speaker-8; }
        & > .page--speaker-9 { color: $speaker-9; }
    }
    """

    class Moved(Message):
        """Another line came to the top; top is its start in the text."""

        def __init__(self, page: Page, top: int) -> None:
            self.page, self.top = page, top
            super().__init__()

        @property
        def control(self) -> Page:
            return self.page

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._text = ""
        self._within = Span(0, 0)
        self._starts: Sequence[int] = ()
        self._ends: Sequence[int] = ()
        self._width = 0
        self._coats: dict[str, tuple[list[int], list[Paint]]] = {}
        self._wanted: tuple[int, bool] | None = None

    # -- what is shown -----------------------------------------------------------------------

    def show(self, text: str, within: Span | None = None) -> None:
        """Show a text, or a stretch of it, from its beginning and unpainted."""
        self._text, self._within = text, within or Span(0, len(text))
        self._coats.clear()
        self._wanted = (self._within.start, False)
        self._break()

    def paint(self, coat: str, paints: Sequence[Paint]) -> None:
        """Put on a coat of paint in place of the one of that name; coats lie on each other in
        the order in which they were first put on. Paints of a coat do not overlap."""
        ordered = sorted(paints, key=lambda each: each.span)
        self._coats[coat] = ([each.span.start for each in ordered], ordered)
        self.refresh()

    def go_to(self, start: int, *, middle: bool = False) -> None:
        """Bring a place to the top, or to the middle."""
        self._wanted = (start, middle)
        self.call_after_refresh(self._settle)

    @property
    def top(self) -> int:
        """The start of the first line that is seen."""
        line = round(self.scroll_y)
        return self._starts[line] if line < len(self._starts) else self._within.start

    @property
    def seen(self) -> Span:
        """What is seen of the text."""
        last = min(round(self.scroll_y) + max(self.size.height, 1), len(self._ends)) - 1
        return Span(self.top, self._ends[last] if last >= 0 else self._within.start)

    @property
    def text(self) -> str:
        return self._text

    @property
    def selected(self) -> Span | None:
        """What is selected with the mouse, as a span of the text."""
        chosen = self.text_selection
        if chosen is None or not self._starts:
            return None
        start = self._place(chosen.start.y, chosen.start.x) if chosen.start else self._within.start
        end = self._place(chosen.end.y, chosen.end.x) if chosen.end else self._within.end
        return Span(start, end) if start < end else None

    # -- inside ------------------------------------------------------------------------------

    def _place(self, line: int, column: int) -> int:
        line = min(max(line, 0), len(self._starts) - 1)
        return min(self._starts[line] + column, self._ends[line])

    def _break(self) -> None:
        """Break the text into lines of the present width."""
        self._width = min(MEASURE, self.size.width - 2)
        if self._width < 1:
            return
        self._starts, self._ends = broken(self._text, self._within, self._width)
        self.virtual_size = Size(self._width, len(self._starts))
        self.refresh()
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """Scroll to the place that is wanted, once there are lines."""
        if self._wanted is None or not self._starts or not self.size.height:
            return
        (start, middle), self._wanted = self._wanted, None
        line = max(bisect_right(self._starts, start) - 1, 0)
        self.scroll_to(
            y=max(0, line - self.size.height // 3) if middle else line,
            animate=False, immediate=True, force=True,
        )  # fmt: skip

    def on_resize(self) -> None:
        if min(MEASURE, self.size.width - 2) != self._width:
            if self._wanted is None:
                self._wanted = (self.top, False)
            self._break()
        else:
            self._settle()

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        if round(old) != round(new):
            self.post_message(self.Moved(self, self.top))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        chosen = self.selected
        return (chosen.of(self._text), "\n") if chosen else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self.size.width
        base = self.rich_style
        if line >= len(self._starts):
            return Strip.blank(width, base)
        margin = max((width - self._width) // 2, 0)
        words = Strip(self._segments(line, base)).apply_offsets(0, line)
        return Strip.join([Strip([Segment(" " * margin, base)], margin), words]).adjust_cell_length(
            width, base
        )

    def _segments(self, line: int, base: Style) -> list[Segment]:
        start, end = self._starts[line], self._ends[line]
        styles: list[tuple[Span, Style]] = []
        for starts, paints in self._coats.values():
            at = max(bisect_right(starts, start) - 1, 0)
            while at < len(paints) and starts[at] < end:
                span = paints[at].span
                if span.end > start:
                    style = self.get_component_rich_style(f"page--{paints[at].style}", partial=True)
                    styles.append((Span(max(span.start, start), min(span.end, end)), style))
                at += 1
        if self.text_selection and (chosen := self.text_selection.get_span(line)):
            first, last = chosen
            until = end if last == -1 else min(start + last, end)
            selection = self.screen.get_component_rich_style("screen--selection")
            styles.append((Span(start + first, until), selection))
        cuts = sorted({start, end, *(cut for span, _ in styles for cut in (span.start, span.end))})
        segments = []
        for first, last in pairwise(cuts):
            style = base
            for span, coat in styles:
                if span.start <= first and last <= span.end:
                    style += coat
            segments.append(Segment(self._text[first:last].translate(_SHOWN), style))
        return segments
