"""Select the headings of a book among the many lines that look like headings.

Two decisions consider the whole book: bare numerals are headings only if they count up
(numeral_chains), and a conventional heading such as "Preface" must be in a position where
such headings occur (unnumbered). The entries of tables of contents are removed earlier
(contents).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from scholar_indexes.books.segmentation.heading_candidates import (
    GAP,
    SPARSE,
    HeadingCandidate,
    TextBlock,
)
from scholar_indexes.books.segmentation.headings import (
    HeadingRank,
    is_contents,
    is_ending,
    is_title_like,
    parse_heading,
)
from scholar_indexes.books.segmentation.numeral_chains import MIN_CHAIN, select_numerals
from scholar_indexes.books.segmentation.unnumbered import has_own_numbering

_BLOCK_TITLE_LINES = 3
_BLOCK_TITLE_CHARS = 160
_MAX_TITLE_BLOCKS = 3  # title-like blocks above a first chapter that form its division's name


def select_numbered(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the numbered headings of a book, outer divisions and chapters, in order.

    The chapters are the headings with the most common keyword; headings with another are
    kept if they form a separate row (the four letters before Frankenstein's first chapter);
    bare numerals divide only what no keyword divides.
    """
    outer = [c for c in candidates if c.mark.is_outer and c.mark.number is not None]
    chapters = _select_keyword_chapters(candidates)
    heads = sorted([*outer, *_divided_epilogues(candidates)], key=lambda head: head.block)
    numerals = select_numerals([c for c in candidates if c.mark.rank == HeadingRank.NUMERAL], heads)
    chapter_blocks = {chapter.block for chapter in chapters}
    numerals = [numeral for numeral in numerals if numeral.block not in chapter_blocks]
    numerals = _keep_in_undivided(numerals, heads, chapters)
    inner = sorted([*chapters, *numerals], key=lambda heading: heading.block)
    return sorted([*_drop_within_chapters(outer, inner), *inner], key=lambda c: c.block)


def _select_keyword_chapters(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the numbered chapter headings that have a keyword."""
    by_word: dict[str, list[HeadingCandidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.mark.rank == HeadingRank.CHAPTER and candidate.mark.number is not None:
            by_word[candidate.mark.word].append(candidate)
    if not by_word:
        return []
    commonest = max(by_word, key=lambda word: len(by_word[word]))
    chapters = _drop_scattered_runs(_drop_before_first(_drop_half_titles(by_word.pop(commonest))))
    for others in by_word.values():
        chapters += _select_rows_between(others, chapters)
    chapters.sort(key=lambda chapter: chapter.block)
    return chapters + _continue_numbering(candidates, chapters[-1])


def _divided_epilogues(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the epilogues and similar parts that have their own numerals."""
    return [
        candidate
        for candidate, after in pairwise(candidates)
        if candidate.mark.word == "close" and has_own_numbering(candidate, after)
    ]


def _drop_within_chapters(
    outer: Sequence[HeadingCandidate], chapters: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the outer headings that are not inside a chapter.

    A heading between consecutively numbered chapters is inside one if it is one of several
    with its keyword or has text of its own.
    """
    starts = [chapter.block for chapter in chapters]
    between: dict[tuple[int, str], list[HeadingCandidate]] = defaultdict(list)
    for heading in outer:
        between[bisect_right(starts, heading.block), heading.mark.word].append(heading)
    outside: list[HeadingCandidate] = []
    for (n, _), group in between.items():
        continues = 0 < n < len(chapters) and chapters[n].mark.number == (
            (chapters[n - 1].mark.number or 0) + 1
        )
        if not continues or (len(group) == 1 and group[0].gap < SPARSE):
            outside.extend(group)
    return outside


def _drop_before_first(chapters: list[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the chapters without a few, such as remnants of a table, before a first one."""
    first = next((n for n, chapter in enumerate(chapters) if chapter.mark.number == 1), 0)
    return chapters[first:] if first <= len(chapters) // 10 else chapters


def _drop_scattered_runs(chapters: list[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the chapters without the scattered few of a work quoted in an appendix."""
    starts = [n for n, chapter in enumerate(chapters) if n == 0 or chapter.mark.number == 1]
    runs = [
        chapters[start:end] for start, end in zip(starts, [*starts[1:], len(chapters)], strict=True)
    ]
    longest = max(map(len, runs), default=0)
    whole = [run for run in runs if len(run) * 5 > longest or not _is_scattered(run)]
    return [chapter for run in whole for chapter in run]


def _is_scattered(run: Sequence[HeadingCandidate]) -> bool:
    """Return True if at most half of the chapters of a run continue the count."""
    numbers = [chapter.mark.number or 0 for chapter in run]
    steps = sum(after == number + 1 for number, after in pairwise(numbers))
    return len(run) > 1 and steps * 2 <= len(run) - 1


def _drop_half_titles(chapters: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the chapters without the half-titles of the same number right before them."""
    single: list[HeadingCandidate] = []
    for chapter in chapters:
        if single and single[-1].mark.number == chapter.mark.number and single[-1].gap < GAP:
            single.pop()
        single.append(chapter)
    return single


def _select_rows_between(
    others: Sequence[HeadingCandidate], chapters: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the headings of another keyword that precede a first chapter or follow them all."""
    starts = [chapter.block for chapter in chapters]
    rows: list[HeadingCandidate] = []
    for heading in others:
        n = bisect_right(starts, heading.block)
        if n == len(chapters) or chapters[n].mark.number == 1:
            rows.append(heading)
    return rows if len(rows) >= 2 else []


def _continue_numbering(
    candidates: Sequence[HeadingCandidate], last: HeadingCandidate
) -> list[HeadingCandidate]:
    """Return the titled numerals that continue the count after the last keyword heading."""
    continued: list[HeadingCandidate] = []
    for candidate in candidates:
        mark = candidate.mark
        if candidate.block <= last.block or mark.rank != HeadingRank.NUMERAL or not mark.title:
            continue
        if mark.number == (last.mark.number or 0) + 1:
            continued.append(candidate)
            last = candidate
    return continued if len(continued) >= MIN_CHAIN else []


def _keep_in_undivided(
    numerals: Sequence[HeadingCandidate],
    outer: Sequence[HeadingCandidate],
    chapters: Sequence[HeadingCandidate],
) -> list[HeadingCandidate]:
    """Return the numerals in divisions without keyword chapters."""
    bounds = [-1, *(heading.block for heading in outer), 1 << 60]
    starts = [chapter.block for chapter in chapters]
    undivided: list[HeadingCandidate] = []
    for numeral in numerals:
        n = bisect_right(bounds, numeral.block)
        first = bisect_right(starts, bounds[n - 1])
        if first == len(starts) or starts[first] >= bounds[n]:
            undivided.append(numeral)
    return undivided


def has_own_text(heading: HeadingCandidate, after: HeadingCandidate | None) -> bool:
    """Return True if an outer division has its own text, and so is a chapter itself."""
    if after is None or heading.gap >= SPARSE:
        return True
    return after.mark.rank <= heading.mark.rank and heading.gap > 0


def find_restarts(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the first chapters of unnumbered divisions, such as the tales of a volume."""
    restarts: list[HeadingCandidate] = []
    for (outer, _), group in _group_by_division(headings).items():
        first_chapters = [heading for heading in group[1:] if heading.mark.number == 1]
        restarts += first_chapters
        if first_chapters and outer < 0 and group[0].mark.number == 1:
            restarts.append(group[0])
    return restarts


def _group_by_division(
    headings: Sequence[HeadingCandidate],
) -> dict[tuple[int, str], list[HeadingCandidate]]:
    """Return the numbered chapters, grouped by the outer heading's block and the keyword."""
    groups: dict[tuple[int, str], list[HeadingCandidate]] = defaultdict(list)
    outer = -1
    for heading in headings:
        if heading.mark.is_outer:
            outer = heading.block
        elif heading.mark.number is not None and heading.mark.form != "compound":
            groups[outer, heading.mark.word].append(heading)
    return groups


def first_title_above(blocks: Sequence[TextBlock], block: int, floor: int) -> int:
    """Return the first of up to three title-like blocks right above a block, or the block itself.

    Blocks up to floor are not examined, and the book's own title, on its first page, does
    not count.
    """
    first = block
    book_titles = {opening.first.strip().lower() for opening in blocks[:3]}
    while first - 1 > floor and block - first < _MAX_TITLE_BLOCKS:
        above = blocks[first - 1]
        if not _is_division_title(above) or above.first.strip().lower() in book_titles:
            break
        first -= 1
    return first


def _is_division_title(block: TextBlock) -> bool:
    """Return True if a short block can be the title of a division without a number."""
    if block.lines > _BLOCK_TITLE_LINES or block.end - block.start > _BLOCK_TITLE_CHARS:
        return False
    if not is_title_like(block.first) or is_ending(block.first) or is_contents(block.first):
        return False
    mark = parse_heading(block.first)
    return mark is None or mark.number is None
