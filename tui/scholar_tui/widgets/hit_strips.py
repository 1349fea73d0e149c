"""The places of the hits of a claim: a line for each book, from its beginning to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.geometry import Size
from textual.widget import Widget

from scholar_tui.widgets.line_breaking import fit_to_width

TITLE, NARROW_TITLE = 24, 14
"""The width of a title, and its width in less than 60 cells."""

_MARKS = "▁▃▅█"
"""The marks of a cell without hits, with one, with two, and with more."""

_HERE = "◆"


@dataclass(frozen=True, slots=True)
class BookStrip:
    """The title of a book, and the share of it that is before each hit, by locator."""

    title: str
    shares: Mapping[str, float]


class HitStrips(Widget):
    """The hits of each book; the highlighted one has a mark of its own."""

    DEFAULT_CSS = """
    HitStrips {
        height: auto; max-height: 4; color: $foreground-muted; display: none;
        &.-some { display: block; }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._books: Sequence[BookStrip] = ()
        self._marked: str | None = None

    def show(self, books: Sequence[BookStrip]) -> None:
        """Show books, in the order of their best hits."""
        self._books = books
        self.set_class(bool(books), "-some")
        self.refresh(layout=True)

    def mark(self, locator: str | None) -> None:
        """Mark a hit; its book comes first if there is no room for all."""
        self._marked = locator
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._books)

    def render(self) -> Text:
        height = self.size.height
        first = [book for book in self._books if self._marked in book.shares]
        ordered = self._books
        if len(ordered) > height:
            ordered = [*first, *(book for book in ordered if book not in first)]
        lines = (self._line(book, self.size.width) for book in ordered[:height])
        return Text("\n").join(lines)

    def _line(self, book: BookStrip, width: int) -> Text:
        room = TITLE if width >= 60 else NARROW_TITLE
        count = f" {len(book.shares)}"
        cells = max(width - room - 1 - len(count), 1)
        counts = [0] * cells
        for share in book.shares.values():
            counts[_cell(share, cells)] += 1
        line = Text(f"{fit_to_width(book.title, room)} ", no_wrap=True)
        start = len(line)
        line.append("".join(_MARKS[min(count, len(_MARKS) - 1)] for count in counts))
        if self._marked is not None and self._marked in book.shares:
            at = start + _cell(book.shares[self._marked], cells)
            line = Text.assemble(line[:at], (_HERE, "bold"), line[at + 1 :], no_wrap=True)
        return line.append(count)


def _cell(share: float, cells: int) -> int:
    return min(int(share * cells), cells - 1)
