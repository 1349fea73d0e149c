"""Divide a book into its chapters.

A division begins at its heading and ends at the next one, so that divisions tile the
text. scholar_indexes.books.segmentation.outline selects the headings; this module turns
them into chapters with titles, parts and kinds. Books without numbered headings are divided
by the titles in their table of contents, by the headings marked in their source, by
titles in capitals, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.segmentation import outline, titles
from scholar_indexes.books.segmentation.contents import strip_contents
from scholar_indexes.books.segmentation.heading_candidates import (
    HeadingCandidate,
    TextBlock,
    find_candidates,
    is_prose,
    split_blocks,
)
from scholar_indexes.books.segmentation.headings import (
    TITLE,
    HeadingRank,
    is_ending,
    is_signed,
    is_title_like,
    parse_heading,
    recase,
)
from scholar_indexes.books.segmentation.unnumbered import has_own_numbering, select_unnumbered
from scholar_indexes.types import Chapter, ChapterKind, Span

__all__ = ["divide"]

_MIN_DIVISIONS = 2  # fewer are not worth keeping
_MORE_TITLES = 1.4  # above this ratio of listed titles to numbered headings, titles divide

_AFTERWORD = 400  # characters after "The End" that are worth a separate division
_AFTERWORD_SHARE = 0.25  # of the text; anything longer after "The End" is another work
_AFTERWORD_TITLE = 60

_LONG_OPENING = 3000  # characters before the first heading that are more than a title page
_DEDICATION_BLOCKS = 12  # blocks above an opening in which the heading of a dedication occurs
_SALUTATION_BLOCKS = 3  # blocks above an opening in which a letter's salutation occurs
_TITLE_PAGE_BLOCKS = 6

_KINDS = {"preface": ChapterKind.PREFACE, "back": ChapterKind.BACK}
_OUTSIDE_PARTS = ("prologue", "epilogue")  # belong to no part of the book


@dataclass(frozen=True, slots=True)
class _Division:
    """The start of a chapter, the start of its body, its title, parts and kind."""

    start: int
    body: int
    title: str
    part: tuple[str, ...]
    kind: ChapterKind


def divide(text: str, headings: Sequence[Heading] = ()) -> tuple[Chapter, ...]:
    """Return the divisions of a book, in order, covering all of it.

    headings are those marked in the source. The first division is the front matter, number 0,
    which may be empty; a book without headings has one more chapter, with an empty title.
    Takes time linear in the text.
    """
    blocks = split_blocks(text)
    if not blocks:
        return _tile(text, [], [])
    candidates = find_candidates(text, blocks)
    if headings:
        candidates = _keep_marked(candidates, blocks, headings)
    candidates, tables = strip_contents(candidates, blocks)
    book_titles = titles.Titles(text, blocks)
    chosen = _choose_headings(candidates, book_titles, headings)
    if not chosen:
        return _tile(text, [], [])
    unnumbered = select_unnumbered(candidates, chosen)
    divisions = _build_divisions(sorted([*chosen, *unnumbered], key=_block_of), book_titles)
    opening = _find_opening(book_titles, divisions[0].start)
    return _tile(text, [*opening, *divisions], _find_cuts(blocks, tables))


def _block_of(heading: HeadingCandidate) -> int:
    return heading.block


def _choose_headings(
    candidates: Sequence[HeadingCandidate], book_titles: titles.Titles, headings: Sequence[Heading]
) -> list[HeadingCandidate]:
    """Return the numbered headings, or the headings from the next method that finds enough."""
    chosen = outline.select_numbered(candidates)
    listed = titles.match_contents(book_titles)
    with_keyword = sum(heading.mark.rank == HeadingRank.CHAPTER for heading in chosen)
    if with_keyword <= _MIN_DIVISIONS and len(listed) > max(
        _MIN_DIVISIONS, _MORE_TITLES * len(chosen)
    ):
        chosen = listed
    if len(chosen) < _MIN_DIVISIONS and headings:
        chosen = titles.take_marked(book_titles.text, book_titles.blocks, headings)
    if len(chosen) < _MIN_DIVISIONS:
        chosen = chosen or titles.find_capitals(book_titles.blocks)
    after_numerals = titles.select_after_numerals(book_titles, listed, chosen)
    return sorted([*chosen, *after_numerals], key=_block_of)


def _keep_marked(
    candidates: Sequence[HeadingCandidate],
    blocks: Sequence[TextBlock],
    headings: Sequence[Heading],
) -> list[HeadingCandidate]:
    """Return the candidates that the source marks as headings, or all if those are too few."""
    starts = sorted(heading.span.start for heading in headings)
    index = 0
    marked: list[HeadingCandidate] = []
    for candidate in candidates:
        block = blocks[candidate.block]
        while index < len(starts) and starts[index] < block.start:
            index += 1
        if index < len(starts) and starts[index] < block.end:
            marked.append(candidate)
    return marked if len(marked) > _MIN_DIVISIONS else list(candidates)


def _build_divisions(
    headings: Sequence[HeadingCandidate], book_titles: titles.Titles
) -> list[_Division]:
    """Return the divisions opened by the headings of a book, given in order."""
    book_titles.learn(headings)
    restarts = set(outline.find_restarts(headings))
    builder = _DivisionBuilder(book_titles)
    for heading, after in zip(headings, [*headings[1:], None], strict=True):
        builder.add(heading, after, heading in restarts)
    return builder.divisions


@dataclass(frozen=True, slots=True)
class _OpenPart:
    """An open part of the book.

    A part that has only a title, or that has text of its own, ends at the next bare title,
    as one poem ends where the next begins.
    """

    rank: HeadingRank
    title: str
    ends_at_title: bool = False


class _DivisionBuilder:
    """A builder of divisions from headings in order, with a stack of the open parts.

    A heading that only opens a part adds no division: the next division starts at it.
    """

    def __init__(self, book_titles: titles.Titles) -> None:
        self.divisions: list[_Division] = []
        self._titles = book_titles
        self._parts: list[_OpenPart] = []
        self._start: int | None = None  # of part headings whose division is not added yet
        self._last_block = -1

    def add(
        self, heading: HeadingCandidate, after: HeadingCandidate | None, restarts: bool
    ) -> None:
        """Add a heading, given the next one; restarts if it is another first chapter."""
        rank = heading.mark.rank
        if self._start is None and heading.mark.label.lower().startswith(_OUTSIDE_PARTS):
            self._close_parts(HeadingRank.PART)
        if heading.mark.word == TITLE:
            self._parts = [part for part in self._parts if not part.ends_at_title]
        if has_own_numbering(heading, after):
            self._open_part(heading, HeadingRank.ACT)
            return
        if heading.mark.is_outer:
            self._close_parts(rank)
            if not outline.has_own_text(heading, after):
                self._open_part(heading, rank)
                return
        if restarts and self._start is None:
            self._open_unnumbered_part(heading)
        self._add_division(heading, after)

    def _close_parts(self, rank: HeadingRank) -> None:
        """Close the parts of a rank and of all ranks inside it."""
        self._parts = [part for part in self._parts if part.rank < rank]

    def _open_part(self, heading: HeadingCandidate, rank: HeadingRank) -> None:
        title, _ = self._titles.read_title(heading, is_part=True)
        self._parts.append(_OpenPart(rank, title))
        if self._start is None:
            self._start = self._titles.blocks[heading.block].start
        self._last_block = heading.block

    def _open_unnumbered_part(self, heading: HeadingCandidate) -> None:
        """Open a part named by the title-like blocks above a first chapter, if there are any."""
        first = outline.first_title_above(self._titles.blocks, heading.block, self._last_block)
        if first < heading.block:
            self._close_parts(HeadingRank.ACT)
            name = self._titles.join_blocks(first, heading.block)
            self._parts.append(_OpenPart(HeadingRank.ACT, name, ends_at_title=True))
            self._start = self._titles.blocks[first].start

    def _add_division(self, heading: HeadingCandidate, after: HeadingCandidate | None) -> None:
        title, body = self._titles.read_title(heading)
        kind = _KINDS.get(heading.mark.word, ChapterKind.CHAPTER)
        if kind is ChapterKind.BACK and after is None:
            self._parts = []
        start = self._titles.blocks[heading.block].start if self._start is None else self._start
        part = tuple(outer.title for outer in self._parts)
        self.divisions.append(_Division(start, body, title, part, kind))
        rank = heading.mark.rank
        if heading.mark.is_outer and after is not None and after.mark.rank > rank:
            self._parts.append(_OpenPart(rank, title, ends_at_title=True))
        self._start = None
        self._last_block = heading.block


def _find_opening(book_titles: titles.Titles, until: int) -> list[_Division]:
    """Return a division for a long text before the first heading (at until), or an empty list.

    With its own title it is a preface; otherwise the work itself begins there.
    """
    blocks = book_titles.blocks
    stop = next((n for n, block in enumerate(blocks) if block.start >= until), len(blocks))
    contents_end = max(1, book_titles.after_contents)
    prose = [n for n in range(contents_end, stop) if is_prose(blocks[n])]
    if not prose:
        return []
    first = prose[0]
    length = until - blocks[first].start
    prose_length = sum(blocks[n].end - blocks[n].start for n in prose)
    if length < _LONG_OPENING or prose_length < length // 2:
        return []
    if _is_dedication(blocks, first):
        return []
    title = _opening_title(blocks, first)
    if title is None:
        start = blocks[first].start
        return [_Division(start, start, "", (), ChapterKind.CHAPTER)]
    return [_Division(title.start, title.end, recase(title.first), (), ChapterKind.PREFACE)]


def _is_dedication(blocks: Sequence[TextBlock], first: int) -> bool:
    """Return True if the text is a dedication or, after "My Lord,", a letter to a patron."""
    above = blocks[max(0, first - _DEDICATION_BLOCKS) : first]
    marks = [parse_heading(block.first) for block in above]
    if any(mark is not None and mark.word == "front" for mark in marks):
        return True
    return any(block.first.endswith(",") for block in above[-_SALUTATION_BLOCKS:])


def _opening_title(blocks: Sequence[TextBlock], first: int) -> TextBlock | None:
    """Return the title above the first block of an opening, skipping a remark in brackets.

    The title of the book and the name of the author do not count.
    """
    index = first - 2 if blocks[first - 1].first.startswith("[") else first - 1
    if index < 1:
        return None
    title = blocks[index]
    title_page = blocks[: min(index, _TITLE_PAGE_BLOCKS)]
    if any(block.first.lower() == title.first.lower() for block in title_page):
        return None
    if title.lines > 2 or not is_title_like(title.first) or is_signed(title.first):
        return None
    return None if is_signed(blocks[index - 1].first + " ") else title


def _find_cuts(
    blocks: Sequence[TextBlock], tables: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the ranges of text to keep out of bodies: tables of contents and closing lines."""
    cuts = [(blocks[first].start, blocks[after - 1].end) for first, after in tables]
    cuts += [(block.start, block.end) for block in blocks if is_ending(block.first)]
    return sorted(cuts)


def _tile(
    text: str, divisions: Sequence[_Division], cuts: Sequence[tuple[int, int]]
) -> tuple[Chapter, ...]:
    """Return the front matter and the chapters made from the divisions."""
    if not divisions:
        divisions = [_Division(0, 0, "", (), ChapterKind.CHAPTER)]
    else:
        divisions = _add_afterword(text, divisions, cuts)
    front = Span(0, divisions[0].start)
    chapters = [Chapter(0, "", (), ChapterKind.FRONT, front, front)]
    ends = [division.start for division in divisions[1:]] + [len(text)]
    for number, (division, end) in enumerate(zip(divisions, ends, strict=True), 1):
        chapters.append(
            Chapter(
                number,
                division.title,
                division.part,
                division.kind,
                Span(division.start, end),
                _trim_body(text, min(division.body, end), end, cuts),
            )
        )
    return tuple(chapters)


def _add_afterword(
    text: str, divisions: Sequence[_Division], cuts: Sequence[tuple[int, int]]
) -> list[_Division]:
    """Return the divisions, with any text after "The End" of the last one as back matter."""
    last = divisions[-1]
    for start, end in cuts:
        closing = text[start:end].strip("*_ .\n").lower()
        if start <= last.body or closing not in ("the end", "finis"):
            continue
        rest = text[end:].lstrip()
        if _AFTERWORD <= len(rest) < _AFTERWORD_SHARE * len(text):
            start_of_rest = len(text) - len(rest)
            title = rest.split("\n", 1)[0]
            title = title if len(title) <= _AFTERWORD_TITLE else ""
            body = start_of_rest + len(title)
            return [
                *divisions,
                _Division(start_of_rest, body, title.strip(), (), ChapterKind.BACK),
            ]
    return list(divisions)


def _trim_body(text: str, start: int, end: int, cuts: Sequence[tuple[int, int]]) -> Span:
    """Return a body without outer white space and without closing lines or tables at its end."""
    for cut_start, cut_end in cuts:
        if start <= cut_start < end and (cut_end >= end or not text[cut_end:end].strip()):
            end = cut_start
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
