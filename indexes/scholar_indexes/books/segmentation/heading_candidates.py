"""Find the blocks of a text that look like headings, and measure the text after each.

scholar_indexes.books.segmentation.outline decides which of them are headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholar_indexes.books.segmentation.headings import (
    HeadingMark,
    HeadingRank,
    find_inner_heading,
    is_contents,
    parse_heading,
)

GAP = 400  # characters: less than this between two headings is not a chapter
SPARSE = 1500  # a division with less text than this before its first chapter has none of its own
LIST = 3  # headings in one block, or close together, that make a list
NEAR_BLOCKS = 5  # an outer heading's first chapter begins within this many blocks
_TABLE_GAP = 6000  # characters of short lines allowed below an entry of a table of contents
_PROSE_LINE = 200  # characters: a line at least this long is certainly prose
_SENTENCE_ENDS = ".!?:;—-\"'”’)_]"
_LONGEST_HEADING = 320  # characters of a heading's first line
_STANZA = 60  # characters: even a stanza is at least this long, a table entry is not


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph or other stretch without blank lines, and its first line."""

    start: int
    end: int
    first: str
    lines: int


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """A mark and its block; gap is the length of the text between it and the next mark."""

    block: int
    mark: HeadingMark
    gap: int = 0


def split_blocks(text: str) -> list[TextBlock]:
    """Return the blocks of a text, in order, separated by blank lines.

    A line with an outer and an inner heading is split in two.
    """
    blocks: list[TextBlock] = []
    offset = 0
    for piece in text.split("\n\n"):
        bare = piece.strip("\n")
        if bare.strip():
            start = offset + piece.index(bare[0])
            first = bare.split("\n", 1)[0]
            if inner := find_inner_heading(first):
                outer = first[:inner].rstrip()
                blocks.append(TextBlock(start, start + len(outer), outer, 1))
                start, bare, first = start + inner, bare[inner:], first[inner:]
            blocks.append(TextBlock(start, start + len(bare), first, bare.count("\n") + 1))
        offset += len(piece) + 2
    return blocks


def find_candidates(text: str, blocks: Sequence[TextBlock]) -> list[HeadingCandidate]:
    """Return each block that could be a heading, with the length of the text after it."""
    candidates: list[HeadingCandidate] = []
    for number, block in enumerate(blocks):
        if len(block.first) > _LONGEST_HEADING:
            continue
        mark = parse_heading(block.first)
        if mark is not None and not _is_list(text, block, mark):
            candidates.append(HeadingCandidate(number, mark))
    return _measure_gaps(candidates, blocks)


def _is_list(text: str, block: TextBlock, mark: HeadingMark) -> bool:
    """Return True if a block lists several headings, on one line or on separate lines."""
    if block.lines < LIST:
        words = block.first.lower().split()
        return mark.word != "" and words.count(mark.word) >= LIST
    lines = text[block.start : block.end].split("\n")
    return sum(parse_heading(line) is not None for line in lines[1:200]) >= LIST - 1


def is_prose(block: TextBlock) -> bool:
    """Return True if a block is one long line that ends like a sentence."""
    if block.lines > 1 or len(block.first) < _PROSE_LINE or block.first[-1] not in _SENTENCE_ENDS:
        return False
    mark = parse_heading(block.first[: _LONGEST_HEADING // 2])
    if mark is None:
        return True
    return mark.rank == HeadingRank.NUMERAL and len(block.first) > _LONGEST_HEADING


def _measure_gaps(
    candidates: Sequence[HeadingCandidate], blocks: Sequence[TextBlock]
) -> list[HeadingCandidate]:
    """Return the candidates with their gaps; a short gap with only short lines counts as 0."""
    in_contents = False
    measured: list[HeadingCandidate] = []
    for candidate, after in zip(candidates, [*candidates[1:], None], strict=False):
        stop = after.block if after else len(blocks)
        heading = blocks[candidate.block]
        gap = (blocks[stop].start if after else blocks[-1].end) - heading.start - len(heading.first)
        has_prose = any(is_prose(blocks[n]) for n in range(candidate.block, stop))
        in_contents = (in_contents or is_contents(heading.first)) and not has_prose
        gap = _effective_gap(candidate.mark, gap, has_prose, in_contents)
        measured.append(replace(candidate, gap=gap))
    return measured


def _effective_gap(mark: HeadingMark, gap: int, has_prose: bool, in_contents: bool) -> int:
    """Return the gap after a mark: 0 for a list, at least GAP for a stanza of a poem."""
    is_bare = mark.rank == HeadingRank.NUMERAL and not mark.title
    if is_bare:
        return GAP if _STANZA <= gap < GAP else gap
    if not has_prose and gap < (_TABLE_GAP if in_contents else SPARSE):
        return 0
    return gap
