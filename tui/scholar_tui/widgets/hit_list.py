"""A list of quotations: a few lines of each, its source, and the mark of a saved one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Span
from scholar_tui.keys import bind
from scholar_tui.widgets.book_text import HAS_NOTE
from scholar_tui.widgets.emphasized import emphasized
from scholar_tui.widgets.line_breaking import break_lines

SAVED_HERE, SAVED_ELSEWHERE = "●", "○"

QUOTE_LINES, SHORT_QUOTE_LINES, SHORT_LIST_HEIGHT = 3, 2, 12
"""Lines of a quotation, in a list and in one lower than the last; the page shows all of it."""


LEAST_CITATION = 12
"""The minimum width of a citation next to a remark; if it is less, the remark is not shown."""


@dataclass(frozen=True, slots=True)
class HitRow:
    """A quotation as the list shows it; `saved_mark` is the sign of a saved one, or empty; `remark`
    is a short remark, such as "verbatim"; `before` and `after` are the text around it, as far as
    it is known."""

    number: int
    quote: str
    citation: str
    saved_mark: str = ""
    note: str = ""
    remark: str = ""
    before: str = ""
    after: str = ""


class HitList(OptionList, inherit_bindings=False):
    """The list of quotations."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down", "cursor_down", "Down", "The next quotation", show=False),
        bind("up", "cursor_up", "Up", "The previous quotation", show=False),
        Binding("home", "first", "First", show=False, tooltip="The first quotation"),
        Binding("end", "last", "Last", show=False, tooltip="The last quotation"),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="A page down"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="A page up"),
    ]
    DEFAULT_CSS = """
    HitList {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        &:focus { border: none; background-tint: $foreground 0%; }
        & > .option-list--option { padding: 0; }
        & > .option-list--option-highlighted {
            background: $panel; color: $foreground; text-style: none;
        }
        &:focus > .option-list--option-highlighted {
            background: $primary-muted; color: $foreground; text-style: none;
        }
    }
    """

    class HitOpened(Message):
        """A quotation was double-clicked."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._rows: list[HitRow] = []
        self._room = (0, QUOTE_LINES)

    def show(self, rows: Sequence[HitRow], highlighted: int | None = 0) -> None:
        """List rows, replacing the existing ones."""
        self._rows = list(rows)
        self._list(highlighted)

    def mark(self, at: int, row: HitRow) -> None:
        """Replace and redraw a row."""
        if row != self._rows[at]:
            self._rows[at] = row
            self.replace_option_prompt_at_index(at, render_row(row, *self._room))

    @property
    def rows(self) -> Sequence[HitRow]:
        return self._rows

    def on_resize(self) -> None:
        if self._measured() != self._room:
            self._list(self.highlighted)

    def on_click(self, event: Click) -> None:
        event.prevent_default()
        if (at := event.style.meta.get("option")) is not None:
            self.highlighted = at
            if event.chain == 2:
                self.post_message(self.HitOpened())

    def _measured(self) -> tuple[int, int]:
        """Return the width of a row, and the lines for its quotation."""
        return max(
            self.size.width - 1, 12
        ), SHORT_QUOTE_LINES if self.size.height < SHORT_LIST_HEIGHT else QUOTE_LINES

    def _list(self, highlighted: int | None) -> None:
        self._room = self._measured()
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options(Option(render_row(row, *self._room)) for row in self._rows)
            if highlighted is not None and self._rows:
                self.highlighted = min(highlighted, len(self._rows) - 1)


def render_row(row: HitRow, width: int, most: int = QUOTE_LINES) -> Content:
    """Return a row as the list shows it: at most `most` lines of the quotation, and no line wider
    than `width`."""
    inner = width - 4
    mark = row.saved_mark + (HAS_NOTE if row.note else "")
    lines = clip_content(emphasized(row.quote, row.before, row.after), inner, most)
    parts: list[str | tuple[str, str] | Content] = [(f"{row.number:>3} ", "dim")]
    parts.append(Content("\n    ").join(lines))
    room = inner - (cell_len(mark) + 1 if mark else 0)
    remark = row.remark if room - cell_len(row.remark) > LEAST_CITATION else ""
    room -= cell_len(remark) + 1 if remark else 0
    (where,) = clip_lines(one_line(row.citation), room, 1)
    parts.append("\n    ")
    if mark:
        parts.append((f"{mark} ", "$accent"))
    if remark:
        parts.append((f"{remark} ", "$secondary"))
    parts.append((where, "$foreground-muted"))
    if row.note:
        parts.append("\n    ")
        parts.append((clip_lines(one_line(row.note), inner, 1)[0], "italic $accent"))
    return Content.assemble(*parts)


def clip_lines(text: str, width: int, most: int) -> list[str]:
    """Return the first lines of a text broken to a width, the last with "…" if more follow."""
    return [line.plain for line in clip_content(Content(text), width, most)]


def clip_content(content: Content, width: int, most: int) -> list[Content]:
    """Return the first lines of styled text, as in clip_lines."""
    text = content.plain
    starts, ends = break_lines(text, Span(0, len(text)), max(width, 1))
    lines = [content[start:end] for start, end in zip(starts[:most], ends[:most], strict=True)]
    if len(starts) > most:
        last = lines[-1].plain.rstrip()
        while cell_len(last) >= max(width, 2):
            head, _, _ = last.rpartition(" ")
            last = head.rstrip() or chop_cells(last, max(width - 1, 1))[0]
        lines[-1] = lines[-1][: len(last)] + "…"
    return lines or [Content()]
