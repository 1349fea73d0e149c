"""What the screen of papers is made of: papers in a list, an abstract with its facets, and
sentences side by side.

All three draw only the lines that are looked at, so a shelf of any length is there at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from scholar_indexes.papers import records
from scholar_indexes.types import Facet, Paper, Span
from scholar_indexes.untrusted import one_line
from scholar_tui.widgets.lines import broken

if TYPE_CHECKING:
    from scholar_indexes.papers.library import Matched
    from scholar_indexes.papers.shelf import Kept

Line = list[tuple[str, str]]
"""Pieces of a line, each with its style: one of Items.COMPONENT_CLASSES without "items--"."""

LETTERS = {facet: facet[0].upper() for facet in Facet}


@dataclass(frozen=True, slots=True)
class Row:
    """A paper in a list, with its score where it was found."""

    kept: Kept
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """A sentence with its facet (None: a title or a claim) and its number (0: none)."""

    text: str
    facet: Facet | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """What was asked beside what was found."""

    asked: Side
    found: Side
    weight: float
    cosine: float


def wrapped(text: str, width: int) -> list[str]:
    """A text as lines; none for an empty one."""
    said = one_line(text)
    starts, ends = broken(said, Span(0, len(said)), max(width, 1))
    return [said[start:end] for start, end in zip(starts, ends, strict=True)]


def cut(text: str, width: int) -> str:
    """A text as one line of at most width cells; what is cut is shown as an ellipsis."""
    said = one_line(text, 4 * width + 4)
    return said if cell_len(said) <= width else set_cell_size(said, max(width - 1, 0)) + "…"


def pairs(
    asked: Paper | None, claim: str, found: Paper, matched: Sequence[Matched]
) -> list[Pair]:  # fmt: skip
    """The pairs of sentences that are worth being shown, as they are shown."""
    return [
        Pair(
            _side(asked, each.asked, claim), _side(found, each.found, found.title),
            each.weight, each.cosine,
        )
        for each in records.telling(matched)
    ]  # fmt: skip


def _side(paper: Paper | None, at: int | None, otherwise: str) -> Side:
    if paper is None or at is None:
        return Side(otherwise)
    return Side(paper.sentences[at], paper.facets[at], at + 1)


class Items(ScrollView, can_focus=True):
    """Things one under another, some lines each, with a cursor on one of them."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, tooltip="To the one before"),
        Binding("down,j", "move(1)", "Down", show=False, tooltip="To the next one"),
        Binding("pageup", "page(-1)", "Page up", show=False, tooltip="A page back"),
        Binding("pagedown", "page(1)", "Page down", show=False, tooltip="A page on"),
        Binding("home,g", "move(-1000000000)", "First", show=False, tooltip="To the first one"),
        Binding("end,G", "move(1000000000)", "Last", show=False, tooltip="To the last one"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "items--cursor", "items--here", "items--strong", "items--faint", "items--matched",
        "items--marked", "items--background", "items--method", "items--result", "items--other",
        "items--score",
    }  # fmt: skip
    DEFAULT_CSS = """
    Items {
        background: $surface;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .items--cursor { background: $primary; color: $background; text-style: bold; }
        & > .items--here { background: $primary-muted; text-style: bold; }
        & > .items--strong { text-style: bold; }
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
    """The first thing that the cursor can be on."""

    MARGIN: ClassVar[int] = 0
    """Cells at the left that alone show the cursor; 0 for all of a line."""

    class Moved(Message):
        """The cursor came to another thing, or to another one in its place."""

        def __init__(self, items: Items, at: int) -> None:
            self.items, self.at = items, at
            super().__init__()

        @property
        def control(self) -> Items:
            return self.items

    class Chosen(Message):
        """Somebody clicked the thing under the cursor."""

        def __init__(self, items: Items, at: int) -> None:
            self.items, self.at = items, at
            super().__init__()

        @property
        def control(self) -> Items:
            return self.items

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.at = self.FIRST
        self.instead = ""
        """What is said where there is nothing."""
        self._tops: Sequence[int] = (0,)
        self._laid = 0
        self._drawn: dict[int, list[Line]] = {}

    # -- to be overridden --------------------------------------------------------------------

    def count(self) -> int:
        raise NotImplementedError

    def heights(self, width: int) -> Iterable[int]:
        """How many lines each thing takes."""
        return (len(self.lines(at, width)) for at in range(self.count()))

    def lines(self, at: int, width: int) -> list[Line]:
        """A thing as it is drawn, but for the cursor."""
        raise NotImplementedError

    # -- the cursor --------------------------------------------------------------------------

    def show_again(self, at: int | None = None) -> None:
        """What there is has changed; at is where the cursor goes, if it is to move."""
        self.at = max(self.FIRST, min(self.at if at is None else at, self.count() - 1))
        self._lay()
        if at is not None:
            self._reveal()
        self.post_message(self.Moved(self, self.at))

    def move_to(self, at: int) -> None:
        at = max(self.FIRST, min(at, self.count() - 1))
        if at != self.at:
            self.at = at
            self.refresh()
            self.post_message(self.Moved(self, at))
        self._reveal()

    def action_move(self, by: int) -> None:
        self.move_to(self.at + by)

    def action_page(self, by: int) -> None:
        top = self._top(self.at) + by * max(self.size.height - 1, 1)
        to = self._item(top)
        self.move_to(to if to != self.at else self.at + by)

    def on_click(self, event: Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not self._laid:
            return
        line = offset.y + round(self.scroll_y)
        if self.count() > self.FIRST and line < self._tops[-1]:
            at = max(self._item(line), self.FIRST)
            again = at == self.at and event.chain > 1
            self.move_to(at)
            self.clicked(at, offset.x)
            if again:
                self.post_message(self.Chosen(self, at))

    def clicked(self, at: int, column: int) -> None:
        """A thing was clicked; the cursor is on it."""

    # -- drawing -----------------------------------------------------------------------------

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
        """Bring the cursor into view, with what stands before it if it is on the first."""
        if self.count() <= self.FIRST or not self._laid:
            return
        first = 0 if self.at == self.FIRST else self._top(self.at)
        last = self._top(self.at + 1)
        if last - first > self.size.height:
            first = min(self._top(self.at), last - 1)
        region = Region(0, first, self._laid, max(last - first, 1))
        self.scroll_to_region(region, animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        width, base = self._width, self.rich_style
        line = y + round(self.scroll_y)
        if self.count() <= self.FIRST and self.instead:
            said = wrapped(self.instead, width - 2)
            pieces: Line = [(f" {said[line]}", "faint")] if line < len(said) else []
            return self._strip(pieces, base, width)
        if line >= self._tops[-1]:
            return Strip.blank(width, base)
        at = self._item(line)
        if at not in self._drawn:
            if len(self._drawn) > 500:
                self._drawn.clear()
            self._drawn[at] = self.lines(at, width)
        there = self._drawn[at]
        within = line - self._tops[at]
        pieces = there[within] if within < len(there) else []
        if at == self.at and at >= self.FIRST:
            return self._under_cursor(pieces, not within, base, width)
        return self._strip(pieces, base, width)

    def _under_cursor(self, pieces: Line, first: bool, base: Style, width: int) -> Strip:
        """A line of the thing that the cursor is on: a bar over its margin, or all of it."""
        if not self.has_focus:
            if self.MARGIN:
                return self._strip(pieces, base, width)
            return self._strip(pieces, base + self._style("here"), width)
        cursor = base + self._style("cursor")
        plain = [(text, "") for text, _ in pieces]  # their colours could not be read on it
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

    def _strip(self, pieces: Line, base: Style, width: int) -> Strip:
        segments = [
            Segment(text, base + self._style(name) if name else base) for text, name in pieces
        ]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, names: str) -> Style:
        """One style, or several of them by their names."""
        found = Style()
        for name in names.split():
            partial = self.get_component_rich_style(f"items--{name}", partial=True)
            blended = self.get_component_rich_style(f"items--{name}").color
            found += partial + Style(color=blended) if partial.color else partial
        return found

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()


class PaperList(Items):
    """Papers by title, and under it what else is known of them."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []

    def show_rows(self, rows: list[Row], at: int = 0, instead: str = "") -> None:
        """Show papers with the cursor on one, or what to say where there are none."""
        self.rows, self.instead = rows, instead
        self.show_again(at)

    @property
    def row(self) -> Row | None:
        return self.rows[self.at] if self.at < len(self.rows) else None

    def count(self) -> int:
        return len(self.rows)

    def heights(self, width: int) -> Iterable[int]:
        return (2 for _ in self.rows)

    def lines(self, at: int, width: int) -> list[Line]:
        row = self.rows[at]
        paper = row.kept.paper
        score = "" if row.score is None else f" {row.score:.2f} "
        rank = "" if row.score is None else f"{at + 1:>2} "
        room = max(width - 1 - len(rank) - len(score), 1)
        title = cut(paper.title or paper.id, room)
        gap = " " * max(room - cell_len(title), 0)
        year = "" if paper.year is None else str(paper.year)
        told = " · ".join(each for each in (year, records.people(paper.authors, 2), paper.venue)
                          if each) or paper.id  # fmt: skip
        return [
            [(f" {rank}", "faint"), (title, "strong"), (f"{gap}{score}", "score")],
            [(" " * (1 + len(rank)), ""), (cut(told, width - 2 - len(rank)), "faint")],
        ]


class Abstract(Items):
    """A paper with its abstract, sentence by sentence: a colour and a letter for each facet, a
    tick for what is chosen, a dot and a ground for what was matched."""

    FIRST = 1
    MARGIN = 8

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.paper: Paper | None = None
        self.chosen: set[int] = set()
        """Sentences by their places from 0."""
        self._shown: tuple[Kept | None, Sequence[Matched]] = (None, ())
        self._matched: dict[int, None] = {}
        self._head: list[tuple[str, str]] = []

    def show_paper(self, kept: Kept | None, matched: Sequence[Matched] = ()) -> None:
        """Show a paper with what was matched; what is shown already stays as it is."""
        if (kept, matched) == self._shown:
            return
        self._shown = (kept, matched)
        self.paper = kept.paper if kept else None
        telling = [each.found for each in records.telling(matched) if each.found is not None]
        self._matched = dict.fromkeys(telling)
        self._head = _head(kept) if kept else []
        self.chosen = set()
        self.show_again(next(iter(self._matched), 0) + self.FIRST)

    @property
    def sentence(self) -> int | None:
        """The place of the sentence under the cursor, from 0."""
        at = self.at - self.FIRST
        return at if self.paper and at < len(self.paper.sentences) else None

    def toggle(self, at: int | None = None) -> None:
        """Choose a sentence, or choose it no more."""
        at = self.sentence if at is None else at
        if at is not None:
            self.chosen ^= {at}
            self._drawn.clear()
            self.refresh()

    def clicked(self, at: int, column: int) -> None:
        if column < self.MARGIN:
            self.toggle()

    def count(self) -> int:
        return 1 + len(self.paper.sentences) if self.paper else 0

    def lines(self, at: int, width: int) -> list[Line]:
        assert self.paper
        if not at:
            head: list[Line] = [
                [(f" {line}", style)] for text, style in self._head
                for line in wrapped(text, width - 2)
            ]  # fmt: skip
            return [*head, []]
        place = at - self.FIRST
        facet = str(self.paper.facets[place])
        matched = place in self._matched
        mark = "✓" if place in self.chosen else "•" if matched else " "
        ground = f"{facet} matched" if matched else facet
        lines: list[Line] = []
        said = wrapped(self.paper.sentences[place], width - self.MARGIN - 1) or [""]
        for number, line in enumerate(said):
            margin: Line = (
                [(f" {mark}", "marked"), (f"{LETTERS[self.paper.facets[place]]}", facet),
                 (f" {place + 1:>3} ", "faint")]
                if not number else [(" " * self.MARGIN, "")]
            )  # fmt: skip
            lines.append([*margin, (line, ground)])
        return lines


def _head(kept: Kept) -> list[tuple[str, str]]:
    """What stands over an abstract."""
    paper = kept.paper
    told = " · ".join(each for each in (
        records.people(paper.authors, 6), str(paper.year or ""), paper.venue) if each)  # fmt: skip
    names = " · ".join([*paper.ids, f"in {', '.join(kept.collections)}"])
    lines = [(paper.title or paper.id, "strong"), (told, ""), (names, "faint")]
    if not paper.sentences:
        lines.append(("No abstract of it is known: f finds others by words.", "other"))
    return [(text, style) for text, style in lines if text]


class Pairs(Items):
    """What was asked and what was found, side by side, with how much of the match it is."""

    FIRST = 1
    MARGIN = 14

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.pairs: list[Pair] = []

    def show_pairs(self, pairs: list[Pair]) -> None:
        if pairs == self.pairs:
            return
        self.pairs = pairs
        self.show_again(self.FIRST)

    @property
    def pair(self) -> Pair | None:
        at = self.at - self.FIRST
        return self.pairs[at] if at < len(self.pairs) else None

    def count(self) -> int:
        return 1 + len(self.pairs) if self.pairs else 0

    def lines(self, at: int, width: int) -> list[Line]:
        shares = self.MARGIN
        left = max((width - shares - 3) // 2, 8)
        right = max(width - shares - 3 - left, 8)
        if not at:
            return [
                [(" weight  near".ljust(shares), "faint"), ("asked".ljust(left), "strong"),
                 (" │ ", "faint"), ("found", "strong")]
            ]  # fmt: skip
        pair = self.pairs[at - self.FIRST]
        asked, found = _told(pair.asked, left), _told(pair.found, right)
        lines: list[Line] = []
        for line in range(max(len(asked), len(found))):
            share = f" {pair.weight:>5.0%}  {pair.cosine:.2f}" if not line else ""
            lines.append(
                [(share.ljust(shares), "score"), *_padded(asked, line, left),
                 (" │ ", "faint"), *_padded(found, line, right)]
            )  # fmt: skip
        return lines


def _told(side: Side, width: int) -> list[Line]:
    """A sentence in its column, after the letter of its facet and its number."""
    style = str(side.facet) if side.facet else ""
    label = f"{LETTERS[side.facet] if side.facet else ' '} {side.number or ''}".rstrip()
    indent = 5 if label else 0
    lines = wrapped(side.text, width - indent) or [""]
    return [
        [((label if not at else "").ljust(indent), f"{style} strong".strip()), (line, style)]
        for at, line in enumerate(lines)
    ]


def _padded(lines: list[Line], at: int, width: int) -> Line:
    """A line of a column, filled up to its width."""
    pieces = lines[at] if at < len(lines) else []
    return [*pieces, (" " * max(width - sum(cell_len(text) for text, _ in pieces), 0), "")]
