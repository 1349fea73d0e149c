"""The lists of the papers screen: papers, an abstract with its facets, and matched sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Input

from scholar_indexes.serialize import papers as serializer
from scholar_indexes.types import Facet, Paper
from scholar_tui.widgets.line_breaking import truncate_to_width, wrap_lines
from scholar_tui.widgets.scrollable_items import ScrollableItems, StyledLine

if TYPE_CHECKING:
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_results import SentencePair

LETTERS = {facet: facet[0].upper() for facet in Facet}


@dataclass(frozen=True, slots=True)
class PaperListRow:
    """A paper in a list, with its score if it is a hit."""

    stored: StoredPaper
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PairSide:
    """A sentence with its facet (None: a title or a claim) and its number (0: none)."""

    text: str
    facet: Facet | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class SideBySidePair:
    """A sentence of the query next to the sentence of a hit that matched it."""

    query: PairSide
    hit: PairSide
    weight: float
    cosine: float


def align_sentences(
    query: Paper | None, claim: str, hit: Paper, matched: Sequence[SentencePair]
) -> list[SideBySidePair]:
    """Return the pairs of matched sentences that are worth showing."""
    return [
        SideBySidePair(
            _pair_side(query, pair.query_row, claim),
            _pair_side(hit, pair.candidate_row, hit.title),
            pair.weight,
            pair.cosine,
        )
        for pair in serializer.shown_pairs(matched)
    ]


def _pair_side(paper: Paper | None, index: int | None, otherwise: str) -> PairSide:
    """Return a sentence of a paper, or another text if there is none."""
    if paper is None or index is None:
        return PairSide(otherwise)
    return PairSide(paper.sentences[index], paper.facets[index], index + 1)


class PaperList(ScrollableItems):
    """A list of papers: the title, and the year, authors and venue below it."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[PaperListRow] = []

    def show_rows(self, rows: list[PaperListRow], at: int = 0, instead: str = "") -> None:
        """Show papers with the cursor on one, or a text if there are none."""
        self.rows, self.instead = rows, instead
        self.show_again(at)

    @property
    def row(self) -> PaperListRow | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def count(self) -> int:
        return len(self.rows)

    def heights(self, width: int) -> Iterable[int]:
        return (2 for _ in self.rows)

    def lines(self, at: int, width: int) -> list[StyledLine]:
        row = self.rows[at]
        paper = row.stored.paper
        score = "" if row.score is None else f" {row.score:.2f} "
        rank = "" if row.score is None else f"{at + 1:>2} "
        room = max(width - 1 - len(rank) - len(score), 1)
        title = truncate_to_width(paper.title or paper.id, room)
        gap = " " * max(room - cell_len(title), 0)
        year = "" if paper.year is None else str(paper.year)
        parts = (year, serializer.format_authors(paper.authors, 2), paper.venue)
        details = " · ".join(filter(None, parts)) or paper.id
        return [
            [(f" {rank}", "faint"), (title, "strong"), (f"{gap}{score}", "score")],
            [
                (" " * (1 + len(rank)), ""),
                (truncate_to_width(details, width - 2 - len(rank)), "faint"),
            ],
        ]


class PaperListPane(Vertical):
    """A list of papers with a title, and a box for the words that filter it."""

    def compose(self) -> ComposeResult:
        yield Input(id="filter", placeholder="words of title, authors, year, venue")
        yield PaperList(id="papers")

    def set_title(self, title: str) -> None:
        self.border_title = Content(title)

    def set_filter(self, words: str) -> None:
        """Write words into the filter box without reporting a change."""
        box = self.query_one(Input)
        if box.value != words:
            with box.prevent(Input.Changed):
                box.value = words
        box.set_class(bool(words), "-used")

    def open_filter(self) -> None:
        """Show the filter box and focus it."""
        self.query_one(Input).add_class("-used").focus()

    def on_key(self, event: Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self._focus_list()

    @on(Input.Submitted)
    def _focus_list(self) -> None:
        self.query_one(PaperList).focus()


class AbstractView(ScrollableItems):
    """A paper with its abstract, sentence by sentence: a colour and a letter for each facet, a
    tick for chosen sentences, a dot and a background for matched ones."""

    FIRST = 1
    MARGIN = 8

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.paper: Paper | None = None
        self.chosen: set[int] = set()
        """The indices of the chosen sentences."""
        self._shown: tuple[StoredPaper | None, Sequence[SentencePair]] = (None, ())
        self._matched: dict[int, None] = {}
        self._heading: list[tuple[str, str]] = []

    def show_paper(self, stored: StoredPaper | None, matched: Sequence[SentencePair] = ()) -> None:
        """Show a paper with its matched sentences, unless it is already shown."""
        if (stored, matched) == self._shown:
            return
        self._shown = (stored, matched)
        self.paper = stored.paper if stored else None
        self._matched = dict.fromkeys(
            pair.candidate_row
            for pair in serializer.shown_pairs(matched)
            if pair.candidate_row is not None
        )
        self._heading = _heading_lines(stored) if stored else []
        self.chosen = set()
        self.show_again(next(iter(self._matched), 0) + self.FIRST)

    @property
    def sentence(self) -> int | None:
        """The index of the sentence under the cursor."""
        at = self.cursor - self.FIRST
        return at if self.paper and at < len(self.paper.sentences) else None

    def toggle(self, at: int | None = None) -> None:
        """Choose a sentence, or undo that."""
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

    def lines(self, at: int, width: int) -> list[StyledLine]:
        assert self.paper
        if not at:
            heading: list[StyledLine] = [
                [(f" {line}", style)]
                for text, style in self._heading
                for line in wrap_lines(text, width - 2)
            ]
            return [*heading, []]
        place = at - self.FIRST
        facet = str(self.paper.facets[place])
        is_matched = place in self._matched
        mark = "✓" if place in self.chosen else "•" if is_matched else " "
        background = f"{facet} matched" if is_matched else facet
        lines: list[StyledLine] = []
        wrapped = wrap_lines(self.paper.sentences[place], width - self.MARGIN - 1) or [""]
        for number, line in enumerate(wrapped):
            margin: StyledLine = (
                [
                    (f" {mark}", "marked"),
                    (f"{LETTERS[self.paper.facets[place]]}", facet),
                    (f" {place + 1:>3} ", "faint"),
                ]
                if not number
                else [(" " * self.MARGIN, "")]
            )
            lines.append([*margin, (line, background)])
        return lines


def _heading_lines(stored: StoredPaper) -> list[tuple[str, str]]:
    """Return the lines above an abstract with their styles."""
    paper = stored.paper
    parts = (serializer.format_authors(paper.authors, 6), str(paper.year or ""), paper.venue)
    details = " · ".join(filter(None, parts))
    names = " · ".join([*paper.ids, f"in {', '.join(stored.collections)}"])
    lines = [(paper.title or paper.id, "strong"), (details, ""), (names, "faint")]
    if not paper.sentences:
        lines.append(("It has no abstract: p finds others by words.", "other"))
    return [(text, style) for text, style in lines if text]


class SentencePairs(ScrollableItems):
    """Matched sentences side by side, each pair with its weight in the match."""

    FIRST = 1
    MARGIN = 14

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.pairs: list[SideBySidePair] = []

    def show_pairs(self, pairs: list[SideBySidePair]) -> None:
        if pairs == self.pairs:
            return
        self.pairs = pairs
        self.show_again(self.FIRST)

    @property
    def pair(self) -> SideBySidePair | None:
        at = self.cursor - self.FIRST
        return self.pairs[at] if at < len(self.pairs) else None

    def count(self) -> int:
        return 1 + len(self.pairs) if self.pairs else 0

    def lines(self, at: int, width: int) -> list[StyledLine]:
        shares = self.MARGIN
        left = max((width - shares - 3) // 2, 8)
        right = max(width - shares - 3 - left, 8)
        if not at:
            return [
                [
                    (" weight  sim.".ljust(shares), "faint"),
                    ("query".ljust(left), "strong"),
                    (" │ ", "faint"),
                    ("match", "strong"),
                ]
            ]
        pair = self.pairs[at - self.FIRST]
        query, hit = _column(pair.query, left), _column(pair.hit, right)
        lines: list[StyledLine] = []
        for line in range(max(len(query), len(hit))):
            share = f" {pair.weight:>5.0%}  {pair.cosine:.2f}" if not line else ""
            lines.append(
                [
                    (share.ljust(shares), "score"),
                    *_padded(query, line, left),
                    (" │ ", "faint"),
                    *_padded(hit, line, right),
                ]
            )
        return lines


def _column(side: PairSide, width: int) -> list[StyledLine]:
    """Return a sentence as lines of a column, after the letter of its facet and its number."""
    style = str(side.facet) if side.facet else ""
    label = f"{LETTERS[side.facet] if side.facet else ' '} {side.number or ''}".rstrip()
    indent = 5 if label else 0
    lines = wrap_lines(side.text, width - indent) or [""]
    return [
        [((label if not at else "").ljust(indent), f"{style} strong".strip()), (line, style)]
        for at, line in enumerate(lines)
    ]


def _padded(lines: list[StyledLine], at: int, width: int) -> StyledLine:
    """Return a line of a column, padded to its width."""
    pieces = lines[at] if at < len(lines) else []
    return [*pieces, (" " * max(width - sum(cell_len(text) for text, _ in pieces), 0), "")]
