"""A widget for a long text, which draws only the lines in view.

Positions on a page are positions in the book's stored text, so styles, matches and selections
are spans of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from scholar_indexes.emphasis import Emphasis, find_emphasis
from scholar_indexes.sanitize import safe
from scholar_indexes.storage.bookmarks import COLOURS
from scholar_indexes.types import Span
from scholar_tui.widgets.component_styles import component_style
from scholar_tui.widgets.line_breaking import BrokenLines, break_lines, printable
from scholar_tui.widgets.margin_notes import KEPT, MarginNote

MEASURE = 76
"""The maximum width of a line in cells; longer lines are hard to read."""

SPEAKERS = 10
"""The number of colours for speakers; further speakers share the last."""

NOTE_WIDTH, NOTE_GAP = 18, 2
"""The minimum width of a note next to the text, and the gap between them, in cells."""

_WORD = re.compile(r"\w(?:[\w'’-]*\w)?")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """A span of the text in a style of the page: one of BookText.COMPONENT_CLASSES
    without "page--", such as "hit" or "speaker-3"."""

    span: Span
    style: str


class StyleLayers:
    """Styled spans in layers, which are stacked in the order in which they were first set."""

    def __init__(self) -> None:
        self._layers: dict[str, tuple[list[int], list[TextStyle]]] = {}

    def clear(self) -> None:
        self._layers.clear()

    def replace(self, layer: str, styles: Sequence[TextStyle]) -> None:
        """Replace the styles of a layer."""
        ordered = sorted(styles, key=attrgetter("span.start"))
        self._layers[layer] = ([style.span.start for style in ordered], ordered)

    def of(self, layer: str) -> Sequence[TextStyle]:
        """Return the styles of a layer in the order of the text."""
        return self._layers[layer][1] if layer in self._layers else ()

    def within(self, shown: Span) -> Iterator[TextStyle]:
        """Yield the parts of the styles within a span of the text, later layers last."""
        for starts, styles in self._layers.values():
            first = max(bisect_right(starts, shown.start) - 1, 0)
            after = bisect_left(starts, shown.end)
            for style in styles[first:after]:
                if part := _overlap(style.span, shown):
                    yield TextStyle(part, style.style)


def _overlap(span: Span, other: Span) -> Span | None:
    """Return the overlap of two spans, None if there is none."""
    start, end = max(span.start, other.start), min(span.end, other.end)
    return Span(start, end) if start < end else None


def _pieces(spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    """Yield the ranges between all edges of some spans, in order."""
    return pairwise(sorted({edge for span in spans for edge in (span.start, span.end)}))


class BookText(ScrollView, can_focus=True):
    """A text with layers of styles, later ones over earlier ones."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "page--heading",
        "page--italic",
        "page--bold",
        "page--dim",
        "page--hit",
        "page--found",
        "page--current",
        "page--unsure",
        "page--kept",
        *(f"page--kept-{colour}" for colour in COLOURS),
        "page--margin",
        *(f"page--margin-{colour}" for colour in COLOURS),
        "page--note",
        "page--selected",
        *(f"page--speaker-{number}" for number in range(SPEAKERS)),
    }
    DEFAULT_CSS = """
    BookText {
        background: $surface;
        color: $foreground;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .page--heading { text-style: bold; color: $primary; }
        & > .page--italic { text-style: italic; }
        & > .page--bold { text-style: bold; }
        & > .page--dim { text-style: dim; }
        & > .page--hit { text-style: bold; background: $primary-muted; color: $foreground; }
        & > .page--found { background: $warning-muted; color: $foreground; }
        & > .page--current { text-style: reverse; }
        & > .page--unsure { text-style: italic underline; }
        & > .page--kept { background: $success-muted; }
        & > .page--kept-yellow { background: $mark-yellow-muted; }
        & > .page--kept-blue { background: $mark-blue-muted; }
        & > .page--kept-pink { background: $mark-pink-muted; }
        & > .page--kept-orange { background: $mark-orange-muted; }
        & > .page--margin { color: $success; }
        & > .page--margin-yellow { color: $mark-yellow; }
        & > .page--margin-blue { color: $mark-blue; }
        & > .page--margin-pink { color: $mark-pink; }
        & > .page--margin-orange { color: $mark-orange; }
        & > .page--note { color: $foreground-muted; text-style: italic; }
        & > .page--selected { background: $primary; color: $background; }
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

    class TopChanged(Message):
        """Another line came to the top; top is its start in the text."""

        def __init__(self, page: BookText, top: int) -> None:
            self.page, self.top = page, top
            super().__init__()

        @property
        def control(self) -> BookText:
            return self.page

    class PlaceClicked(Message):
        """A place of the text was clicked."""

        def __init__(self, page: BookText, position: int) -> None:
            self.page, self.position = page, position
            super().__init__()

        @property
        def control(self) -> BookText:
            return self.page

    class SelectionChanged(Message):
        """The selection has changed."""

        def __init__(self, page: BookText) -> None:
            self.page = page
            super().__init__()

        @property
        def control(self) -> BookText:
            return self.page

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._text = ""
        self._within = Span(0, 0)
        self._emphasis: Sequence[Emphasis] = ()
        self._broken = BrokenLines()
        self._width = 0
        self._layers = StyleLayers()
        self._margin_notes: Sequence[MarginNote] = ()
        self._has_notes_beside = True
        self._signs: dict[int, tuple[str, str]] = {}
        self._beside: dict[int, str] = {}
        self._wanted: tuple[int, bool] | None = None
        self._told = -1
        self._came_to: tuple[int, int, bool] | None = None

    # -- what is shown -----------------------------------------------------------------------

    def show(self, text: str, within: Span | None = None) -> None:
        """Show a text, or a span of it, from its beginning and without styles."""
        self._text, self._within = text, within or Span(0, len(text))
        self._layers.clear()
        self._emphasis = find_emphasis(text, self._within.start, self._within.end)
        for style in ("italic", "bold"):
            words = (part for part in self._emphasis if part.style == style)
            spans = [TextStyle(Span(part.start, part.end), style) for part in words]
            self._layers.replace(style, spans)
        self._margin_notes = ()
        self._broken = BrokenLines()
        self._wanted, self._came_to = (self._within.start, False), None
        if self._chosen:
            self.screen.clear_selection()
        self._break()

    def style_spans(self, layer: str, styles: Sequence[TextStyle]) -> None:
        """Replace the styles of a layer; layers are stacked in the order in which they were first
        set. The spans of one layer do not overlap."""
        self._layers.replace(layer, styles)
        self.refresh()

    def show_margin_notes(self, notes: Sequence[MarginNote]) -> None:
        """Show marks in the left margin, and notes in the right one if it is wide enough; notes
        are in the order of the text."""
        self._margin_notes = notes
        self._lay_out_margins()
        self.refresh()

    @property
    def shows_notes_beside(self) -> bool:
        """Return True if notes are shown in the right margin."""
        return self._has_notes_beside and self._room_beside >= NOTE_WIDTH

    def show_notes_beside(self, wanted: bool) -> None:
        """Show the notes in the right margin, or only their marks in the left one."""
        if wanted != self._has_notes_beside:
            self._has_notes_beside = wanted
            self._lay_out_margins()
            self.refresh()

    def styles_of(self, layer: str) -> Sequence[TextStyle]:
        """Return the styles of a layer in the order of the text."""
        return self._layers.of(layer)

    def go_to(self, start: int, *, middle: bool = False) -> None:
        """Scroll a position to the top, or to the middle."""
        self._wanted = (start, middle)
        self.call_after_refresh(self._settle)

    @property
    def top(self) -> int:
        """The start of the first line in view."""
        line = round(self.scroll_y)
        return self._broken.starts[line] if line < len(self._broken) else self._within.start

    @property
    def reading_position(self) -> int:
        """The position that was jumped to, while the page rests there; else the one at the top.

        Near the end of a book no position can be scrolled to the top.
        """
        return self._came_to[1] if self._came_to and self._rests_there else self.top

    @property
    def visible_span(self) -> Span:
        """The part of the text that is in view."""
        last = min(round(self.scroll_y) + max(self.size.height, 1), len(self._broken)) - 1
        return Span(self.top, self._broken.ends[last] if last >= 0 else self._within.start)

    @property
    def text(self) -> str:
        return self._text

    @property
    def selected(self) -> Span | None:
        """The span of the text that is selected with the mouse."""
        chosen = self._chosen
        if chosen is None or not self._broken:
            return None
        start = self._broken.position(chosen.start) if chosen.start else self.top
        end = self._broken.position(chosen.end) if chosen.end else self.visible_span.end
        return Span(start, end) if start < end else None

    def select(self, span: Span | None) -> None:
        """Select a span of the text, or nothing."""
        others = {
            widget: chosen
            for widget, chosen in self.screen.selections.items()
            if widget is not self
        }
        if span is not None and self._broken:
            start, end = self._broken.offset(span.start), self._broken.offset(span.end)
            others[self] = Selection(start, end)
        self.screen.selections = others

    # -- inside ------------------------------------------------------------------------------

    @property
    def _rests_there(self) -> bool:
        return self._came_to is not None and self._came_to[0] == round(self.scroll_y)

    @property
    def _chosen(self) -> Selection | None:
        return self.text_selection if self.is_attached else None

    @property
    def _room(self) -> int:
        """The width of a line in cells, without the scrollbar."""
        return self.scrollable_content_region.width

    def _break(self) -> None:
        """Break the text into lines of the current width."""
        self._width = min(MEASURE, self._room - 2)
        if self._width < 1:
            return
        selected = self.selected
        self._broken = BrokenLines.of(self._text, self._within, self._width, self._emphasis)
        self.virtual_size = Size(self._width, len(self._broken))
        self._lay_out_margins()
        if selected:
            self.select(selected)
        self.refresh()
        self.call_after_refresh(self._settle)

    def _lay_out_margins(self) -> None:
        """Find the signs and the lines of notes next to each line."""
        self._signs, self._beside = {}, {}
        free = 0
        for kept in self._margin_notes if self._broken else ():
            first = self._broken.line_at(kept.span.start)
            last = self._broken.line_at(max(kept.span.end - 1, kept.span.start))
            for line, sign in kept.signs(first, last, self._left_margin):
                if sign == KEPT:
                    self._signs.setdefault(line, (sign, kept.colour))
                else:
                    self._signs[line] = sign, kept.colour
            if kept.note and self.shows_notes_beside:
                free = max(free, first)
                lines = break_lines(kept.note, Span(0, len(kept.note)), self._room_beside)
                for start, end in zip(*lines, strict=True):
                    self._beside[free] = kept.note[start:end]
                    free += 1

    @property
    def _room_beside(self) -> int:
        """The width of the notes in the right margin."""
        return self._room - self._left_margin - self._width - NOTE_GAP - 1

    @property
    def _left_margin(self) -> int:
        """The width of the left margin, with room for a sign and a space if possible."""
        spare = max(self._room - self._width, 0)
        return max(spare // 2, min(spare, 2))

    def _settle(self) -> None:
        """Scroll to the requested position, once there are lines."""
        if self._wanted is None or not self._broken or not self.size.height:
            return
        (start, middle), self._wanted = self._wanted, None
        line = self._broken.line_at(start)
        self.scroll_to(
            y=max(0, line - self.size.height // 3) if middle else line,
            animate=False,
            immediate=True,
            force=True,
        )
        self._came_to = (round(self.scroll_y), start, middle)
        self._tell_of_move()

    def on_resize(self) -> None:
        if min(MEASURE, self._room - 2) != self._width:
            if self._wanted is None:
                # While a window is dragged, lines are broken many times: the position that was
                # jumped to stays at the top, not the beginning of the line that it is in.
                self._wanted = (
                    self._came_to[1:] if self._came_to and self._rests_there else (self.top, False)
                )
            self._break()
        else:
            self._lay_out_margins()
            self.refresh()
            self._settle()

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        self._tell_of_move()

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Set a scrollbar that appears after scrolling to the position of the text."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def _tell_of_move(self) -> None:
        """Post that another line is at the top, after scrolling or breaking the lines again."""
        if self._broken and self.top != self._told:
            self._told = self.top
            self.post_message(self.TopChanged(self, self.top))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        chosen = self.selected
        return (safe(chosen.of(self._text)), "\n") if chosen else None

    def on_click(self, event: Click) -> None:
        """Post the position of a click; select its word on two clicks, its paragraph on three."""
        event.prevent_default()  # the default selects everything
        _, offset = self.screen.get_widget_and_offset_at(event.screen_x, event.screen_y)
        if offset is None or not self._broken:
            return
        at = self._broken.position(offset)
        if event.chain == 1:
            self.post_message(self.PlaceClicked(self, at))
        elif event.chain == 2:
            line = self._broken.span(self._broken.line_at(at))
            words = _WORD.finditer(self._text, line.start, line.end)
            self.select(next((Span(*word.span()) for word in words if word.end() > at), None))
        else:
            start = self._text.rfind("\n", self._within.start, at) + 1
            end = self._text.find("\n", at, self._within.end)
            last = end if end >= 0 else self._within.end
            self.select(Span(max(start, self._within.start), last))

    def action_page_down(self) -> None:
        self._turn(1)

    def action_page_up(self) -> None:
        self._turn(-1)

    def _turn(self, pages: int) -> None:
        """Turn a page; the last line stays in view as the first."""
        self._settle()
        self.scroll_relative(y=pages * max(self.size.height - 1, 1), animate=False, force=True)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
        self.post_message(self.SelectionChanged(self))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        width = self._room
        base = self.rich_style
        if line >= len(self._broken):
            return Strip.blank(width, base)
        margin = self._left_margin
        words = Strip([*self._sign(line, margin, base), *self._segments(line, base)])
        if note := self._beside.get(line):
            words = words.adjust_cell_length(margin + self._width + NOTE_GAP, base)
            style = base + component_style(self, "page--note")
            words = Strip([*words, Segment(printable(note), style)])
        return words.apply_offsets(-margin, line).adjust_cell_length(width, base)

    def _sign(self, line: int, margin: int, base: Style) -> list[Segment]:
        """Return the left margin of a line, with its sign one cell from the text if it has one."""
        sign, colour = self._signs.get(line, ("", ""))
        if not sign or not margin:
            return [Segment(" " * margin, base)]
        after = min(margin - 1, 1)
        name = f"page--margin-{colour}" if colour else "page--margin"
        style = base + self.get_component_rich_style(name, partial=True)
        return [
            Segment(" " * (margin - len(sign) - after), base),
            Segment(sign, style),
            Segment(" " * after, base),
        ]

    def _segments(self, line: int, base: Style) -> list[Segment]:
        """Return the segments of a line, split wherever its style changes."""
        shown = self._broken.span(line)
        styles = [
            (part.span, self.get_component_rich_style(f"page--{part.style}", partial=True))
            for part in self._layers.within(shown)
        ]
        if (selected := self.selected) and (part := _overlap(selected, shown)):
            style = self.get_component_rich_style("page--selected", partial=True)
            styles.append((part, style))
        marks = self._broken.marks_within(shown)
        characters = (Span(mark, mark + 1) for mark in marks)
        segments = []
        for start, end in _pieces((shown, *(span for span, _ in styles), *characters)):
            if start in marks:
                continue
            covering = (style for span, style in styles if span.start <= start and end <= span.end)
            segments.append(Segment(printable(self._text[start:end]), sum(covering, base)))
        return segments
