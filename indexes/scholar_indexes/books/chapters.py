"""Dividing a book into its chapters.

A division begins at its heading and ends at the next one, so that divisions tile the
text. What counts as a heading is judged in scholar_indexes.books.outline; here the
headings chosen become chapters with titles, parts and kinds. Books that count nothing
are divided by the titles of their table of contents, by what their source marks as
headings, or else not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.books import outline
from scholar_indexes.books.contents import without_contents
from scholar_indexes.books.headings import Rank, is_ending, is_signed, is_title_like, read, recase
from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.outline import Block, Place
from scholar_indexes.books.titles import Titles, by_contents, by_headings, by_shouting
from scholar_indexes.types import Chapter, Kind, Span

__all__ = ["divide"]

_FEW = 2  # divisions that are worth having
_AFTER = 400  # characters after "The End" that are worth a division of their own

_LONG_OPENING = 3000  # characters before the first heading that cannot be a title page alone

_KINDS = {"preface": Kind.PREFACE, "back": Kind.BACK}


@dataclass(frozen=True, slots=True)
class _Division:
    """A chapter to be: where it begins, where its text begins, and what it is called."""

    start: int
    body: int
    title: str
    part: tuple[str, ...]
    kind: Kind


def divide(text: str, headings: Sequence[Heading] = ()) -> tuple[Chapter, ...]:
    """The divisions of a book, in order, covering all of it.

    The first is the front matter, number 0, perhaps empty; a book without headings has
    one chapter besides, with an empty title. Takes time linear in the text.
    """
    blocks = outline.blocks_of(text)
    if not blocks:
        return _tile(text, [], [])
    found = outline.places(text, blocks)
    if headings:
        found = _marked(found, blocks, headings)
    found, tables = without_contents(found, blocks)
    titles = Titles(text, blocks, tables)
    chosen = outline.counted(found)
    named = by_contents(titles)
    spoken = sum(p.mark.rank == Rank.CHAPTER for p in chosen)
    if spoken <= _FEW and len(named) > max(_FEW, 1.4 * len(chosen)):
        chosen = named
    if len(chosen) < _FEW and headings:
        chosen = by_headings(text, blocks, headings)
    if len(chosen) < _FEW:
        chosen = chosen or by_shouting(text, blocks)
    if not chosen:
        return _tile(text, [], [])
    everything = sorted([*chosen, *outline.uncounted(found, chosen)], key=lambda p: p.block)
    divisions = _divisions(everything, titles)
    opening = _opening(titles, divisions[0].start)
    return _tile(text, [*opening, *divisions], _cuts(blocks, tables))


def _marked(
    found: Sequence[Place], blocks: Sequence[Block], headings: Sequence[Heading]
) -> list[Place]:
    """The marks that the source itself calls headings, if they are several."""
    starts = sorted(h.span.start for h in headings)
    at = 0
    kept: list[Place] = []
    for place in found:
        while at < len(starts) and starts[at] < blocks[place.block].start:
            at += 1
        if at < len(starts) and starts[at] < blocks[place.block].end:
            kept.append(place)
    return kept if len(kept) > _FEW else list(found)


def _divisions(everything: Sequence[Place], titles: Titles) -> list[_Division]:
    titles.learn(everything)
    unnamed = set(outline.restarts(everything))
    out: list[_Division] = []
    above: list[tuple[Rank, str]] = []
    start: int | None = None
    floor = -1
    for n, place in enumerate(everything):
        mark = place.mark
        after = everything[n + 1] if n + 1 < len(everything) else None
        block = titles.blocks[place.block]
        if start is None and mark.label.lower().startswith(("prologue", "epilogue")):
            above = [(rank, name) for rank, name in above if rank < Rank.PART]
        if outline.is_divided(place, after):
            title, _ = titles.of(place, container=True)
            above.append((Rank.ACT, title))
            start = block.start if start is None else start
            floor = place.block
            continue
        if mark.rank < Rank.CHAPTER:
            above = [(rank, name) for rank, name in above if rank < mark.rank]
            if not outline.is_childless(place, after):
                title, _ = titles.of(place, container=True)
                above.append((mark.rank, title))
                start = block.start if start is None else start
                floor = place.block
                continue
        if place in unnamed and start is None:
            first = outline.names_above(titles.blocks, place.block, floor)
            if first < place.block:
                name = titles.joined(first, place.block)
                above = [(rank, said) for rank, said in above if rank < Rank.ACT]
                above.append((Rank.ACT, name))
                start = titles.blocks[first].start
        title, body = titles.of(place)
        kind = _KINDS.get(mark.word, Kind.CHAPTER)
        if kind is Kind.BACK and after is None:
            above = []
        out.append(
            _Division(
                block.start if start is None else start,
                body,
                title,
                tuple(name for _, name in above),
                kind,
            )
        )
        if mark.rank < Rank.CHAPTER and after is not None and after.mark.rank > mark.rank:
            above.append((mark.rank, title))
        start = None
        floor = place.block
    return out


def _opening(titles: Titles, until: int) -> list[_Division]:
    """What a book says at length before its first heading.

    Under a title of its own it is a preface; else the work itself begins there.
    """
    blocks = titles.blocks
    stop = next((n for n, block in enumerate(blocks) if block.start >= until), len(blocks))
    prose = [n for n in range(max(1, titles.after_contents), stop) if outline.is_prose(blocks[n])]
    if not prose or until - blocks[prose[0]].start < _LONG_OPENING:
        return []
    length = until - blocks[prose[0]].start
    if sum(blocks[n].end - blocks[n].start for n in prose) < length // 2:
        return []
    first = prose[0]
    marks = [read(block.first) for block in blocks[max(0, first - 12) : first]]
    if any(mark is not None and mark.word == "front" for mark in marks):
        return []  # a dedication
    if any(block.first.endswith(",") for block in blocks[max(0, first - 3) : first]):
        return []  # a letter to a patron, after "My Lord,"
    top = first - 2 if blocks[first - 1].first.startswith("[") else first - 1  # past a remark
    above = blocks[max(0, top)]
    if (
        top < 1
        or any(page.first.lower() == above.first.lower() for page in blocks[: min(top, 6)])
        or above.lines > 2
        or not is_title_like(above.first)
        or is_signed(above.first)
        or is_signed(blocks[top - 1].first + " ")
    ):
        return [_Division(blocks[first].start, blocks[first].start, "", (), Kind.CHAPTER)]
    return [_Division(above.start, above.end, recase(above.first), (), Kind.PREFACE)]


def _cuts(blocks: Sequence[Block], tables: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches of text that no body may hold: tables of contents and closing lines."""
    out = [(blocks[first].start, blocks[after - 1].end) for first, after in tables]
    out += [(block.start, block.end) for block in blocks if is_ending(block.first)]
    return sorted(out)


def _tile(
    text: str, divisions: Sequence[_Division], cuts: Sequence[tuple[int, int]]
) -> tuple[Chapter, ...]:
    if not divisions:
        whole = Span(0, len(text))
        return (
            Chapter(0, "", (), Kind.FRONT, Span(0, 0), Span(0, 0)),
            Chapter(1, "", (), Kind.CHAPTER, whole, _trimmed(text, 0, len(text), cuts)),
        )
    divisions = _with_afterword(text, divisions, cuts)
    first = Span(0, divisions[0].start)
    out = [Chapter(0, "", (), Kind.FRONT, first, first)]
    ends = [division.start for division in divisions[1:]] + [len(text)]
    for number, (division, end) in enumerate(zip(divisions, ends, strict=True), 1):
        body = _trimmed(text, min(division.body, end), end, cuts)
        out.append(
            Chapter(
                number,
                division.title,
                division.part,
                division.kind,
                Span(division.start, end),
                body,
            )
        )
    return tuple(out)


def _with_afterword(
    text: str, divisions: Sequence[_Division], cuts: Sequence[tuple[int, int]]
) -> list[_Division]:
    """The divisions, and what stands after "The End" of the last as back matter."""
    last = divisions[-1]
    for start, end in cuts:
        said = text[start:end].strip("*_ .\n").lower()
        if start <= last.body or said not in ("the end", "finis"):
            continue
        rest = text[end:].lstrip()
        if _AFTER <= len(rest) < 0.25 * len(text):
            begin = len(text) - len(rest)
            title = rest.split("\n", 1)[0]
            title = title if len(title) <= 60 else ""
            body = begin + len(title)
            return [*divisions, _Division(begin, body, title.strip(), (), Kind.BACK)]
    return list(divisions)


def _trimmed(text: str, start: int, end: int, cuts: Sequence[tuple[int, int]]) -> Span:
    """A body without white space and closing lines at its ends, up to any table in it."""
    for cut_start, cut_end in cuts:
        if start <= cut_start < end and (cut_end >= end or not text[cut_end:end].strip()):
            end = cut_start
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
