"""Select the headings of a book among the many lines that look like headings.

Two judgements are made over the whole book: bare numerals are headings only where they
count up, and a heading of the kind every book has ("Preface") must stand where such
headings stand. The entries of a table of contents are taken out before, in
scholar_indexes.books.segmentation.contents.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scholar_indexes.books.segmentation.headings import (
    HeadingMark,
    HeadingRank,
    is_contents,
    is_ending,
    is_title_like,
    parse_heading,
)

GAP = 400  # characters: less than this between two headings is not a chapter
SPARSE = 1500  # a division with less text than this before its first chapter has none of its own
LIST = 3  # headings in one block, or near together, that make a list of them
_TABLE_GAP = 6000  # characters of short lines that an entry of a table of contents may list below
_PROSE_LINE = 200  # characters of a line that is surely prose
_SENTENCE_ENDS = ".!?:;—-\"'”’)_]"
_LONGEST_HEADING = 320  # characters of a heading's first line
_STANZA = 60  # characters: even a stanza is longer than this, an entry of a table is not
_MIN_CHAIN = 3  # numerals that count up from one before they are believed
_NEAR_BLOCKS = 5  # blocks from an outer heading within which its first chapter begins
_CHAPTER_GAP = 1200  # characters: numerals nearer to each other are likely stanzas or items
_BLOCK_TITLE_LINES = 3
_BLOCK_TITLE_CHARS = 160
_MAX_TITLE_BLOCKS = 3  # title-like blocks above a first chapter that name its division


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph or another stretch without blank lines, and its first line."""

    start: int
    end: int
    first: str
    lines: int


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """A mark and the block it stands in; gap is the text between it and the next mark."""

    block: int
    mark: HeadingMark
    gap: int = 0


def split_blocks(text: str) -> list[TextBlock]:
    """Return the blocks of a text, in order; runs of blank lines separate them."""
    blocks: list[TextBlock] = []
    offset = 0
    for piece in text.split("\n\n"):
        bare = piece.strip("\n")
        if bare.strip():
            start = offset + piece.index(bare[0])
            first = bare.split("\n", 1)[0]
            blocks.append(TextBlock(start, start + len(bare), first, bare.count("\n") + 1))
        offset += len(piece) + 2
    return blocks


def find_candidates(text: str, blocks: Sequence[TextBlock]) -> list[HeadingCandidate]:
    """Return every block that could be a heading, with the length of the text after it."""
    candidates: list[HeadingCandidate] = []
    for number, block in enumerate(blocks):
        if len(block.first) > _LONGEST_HEADING:
            continue
        mark = parse_heading(block.first)
        if mark is not None and not _is_list(text, block, mark):
            candidates.append(HeadingCandidate(number, mark))
    return _measure_gaps(candidates, blocks)


def _is_list(text: str, block: TextBlock, mark: HeadingMark) -> bool:
    """Return True if a block lists several headings, on one line or on one line each."""
    if block.lines < LIST:
        words = block.first.lower().split()
        return mark.word != "" and words.count(mark.word) >= LIST
    lines = text[block.start : block.end].split("\n")
    return sum(parse_heading(line) is not None for line in lines[1:200]) >= LIST - 1


def is_prose(block: TextBlock) -> bool:
    """Return True if a block is one long line that ends as a sentence does."""
    if block.lines > 1 or len(block.first) < _PROSE_LINE or block.first[-1] not in _SENTENCE_ENDS:
        return False
    mark = parse_heading(block.first[: _LONGEST_HEADING // 2])
    if mark is None:
        return True
    return mark.rank == HeadingRank.NUMERAL and len(block.first) > _LONGEST_HEADING


def _measure_gaps(
    candidates: Sequence[HeadingCandidate], blocks: Sequence[TextBlock]
) -> list[HeadingCandidate]:
    """Return the candidates with their gaps; a short gap of short lines alone counts as 0."""
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
    """Return the gap after a mark: 0 for a list, at least GAP for the stanza of a poem."""
    is_bare = mark.rank == HeadingRank.NUMERAL and not mark.title
    if is_bare:
        return GAP if _STANZA <= gap < GAP else gap
    if not has_prose and gap < (_TABLE_GAP if in_contents else SPARSE):
        return 0
    return gap


def _select_numerals(
    candidates: Sequence[HeadingCandidate], outer: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the bare numerals that count up from one, of the form that divides the most text."""
    near_outer = {
        block for heading in outer for block in range(heading.block, heading.block + _NEAR_BLOCKS)
    }
    best: list[HeadingCandidate] = []
    best_extent = 0.0
    for form in ("roman", "arabic"):
        of_form = [c for c in candidates if c.mark.form.split()[0] == form]
        chosen = _select_chains(_keep_dominant_form(of_form, form), near_outer)
        if not chosen:
            continue
        gaps = sorted(candidate.gap for candidate in chosen)
        median = gaps[len(gaps) // 2]
        if median < GAP:
            continue  # the items of a list
        extent = (chosen[-1].block - chosen[0].block) * (1.0 if median >= _CHAPTER_GAP else 0.25)
        if extent > best_extent:
            best, best_extent = chosen, extent
    return best


def _keep_dominant_form(
    candidates: Sequence[HeadingCandidate], form: str
) -> list[HeadingCandidate]:
    """Return the numerals with titles or those without, where a book clearly uses one kind."""
    counts = Counter(c.mark.form for c in candidates if c.mark.number != 1)
    for kind, other in ((form, f"{form} titled"), (f"{form} titled", form)):
        if counts[kind] > 3 * counts[other]:
            return [candidate for candidate in candidates if candidate.mark.form == kind]
    return list(candidates)


def _select_chains(
    candidates: Sequence[HeadingCandidate], near_outer: Container[int]
) -> list[HeadingCandidate]:
    """Return the numerals that stand in a chain 1, 2, 3 …, each after the nearest one before.

    A chain of two is enough where it begins near an outer heading, in a block of near_outer.
    """
    previous, lengths = _link_numerals(candidates)
    chosen: set[int] = set()
    for end in sorted(range(len(candidates)), key=lambda index: -lengths[index]):
        if lengths[end] < 2 or end in chosen:
            continue
        chain = _follow_chain(end, previous, chosen)
        first = candidates[chain[-1]]
        needed = 2 if first.block in near_outer else _MIN_CHAIN
        counts_from_one = first.mark.number == 1 and len(chain) >= needed
        if counts_from_one or len(chain) > 2 * _MIN_CHAIN:
            chosen.update(chain)
    chosen |= _find_misprints(candidates, previous, chosen)
    return [candidates[index] for index in sorted(chosen)]


def _link_numerals(candidates: Sequence[HeadingCandidate]) -> tuple[dict[int, int], list[int]]:
    """Return the index each numeral counts on from, and the length of the chain up to each.

    One missing number is bridged; every numeral one starts anew.
    """
    latest: dict[int, int] = {}  # the index of the latest numeral of each number
    previous: dict[int, int] = {}
    lengths: list[int] = []
    for index, candidate in enumerate(candidates):
        number = candidate.mark.number or 0
        lengths.append(1)
        before = latest.get(number - 1)
        if before is None and number > 2:
            before = latest.get(number - 2)
        if number == 1:
            latest = {}
        elif before is not None:
            previous[index] = before
            lengths[index] = lengths[before] + 1
        elif number != 2:
            continue
        latest[number] = index
    return previous, lengths


def _follow_chain(end: int, previous: dict[int, int], chosen: Container[int]) -> list[int]:
    """Return the indices of a chain, last first, down to its first or a chosen one."""
    chain: list[int] = []
    link: int | None = end
    while link is not None and link not in chosen:
        chain.append(link)
        link = previous.get(link)
    return chain


def _find_misprints(
    candidates: Sequence[HeadingCandidate], previous: dict[int, int], chosen: set[int]
) -> set[int]:
    """Return the single numerals that stand where a chain lacks exactly one number."""
    misprints: set[int] = set()
    for index in chosen:
        before = previous.get(index, index)
        number, number_before = candidates[index].mark.number, candidates[before].mark.number or 0
        if index - before == 2 and number == number_before + 2:
            misprints.add(index - 1)
    return misprints


def select_numbered(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the numbered headings of a book, outer divisions and chapters, in order.

    The chapters are the headings of its commonest keyword; those of another are taken
    where they come in a row of their own (the four letters before Frankenstein's first
    chapter); bare numerals divide what no keyword divides.
    """
    outer = [c for c in candidates if c.mark.is_outer and c.mark.number is not None]
    chapters = _select_keyword_chapters(candidates)
    heads = sorted([*outer, *_divided_epilogues(candidates)], key=lambda head: head.block)
    numerals = _select_numerals(
        [c for c in candidates if c.mark.rank == HeadingRank.NUMERAL], heads
    )
    chapter_blocks = {chapter.block for chapter in chapters}
    numerals = [numeral for numeral in numerals if numeral.block not in chapter_blocks]
    numerals = _keep_in_undivided(numerals, heads, chapters)
    inner = sorted([*chapters, *numerals], key=lambda heading: heading.block)
    return sorted([*_drop_within_chapters(outer, inner), *inner], key=lambda c: c.block)


def _select_keyword_chapters(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the numbered headings of chapters that have a keyword."""
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
    """Return the epilogues and the like that are divided by numerals of their own."""
    return [
        candidate
        for candidate, after in pairwise(candidates)
        if candidate.mark.word == "close" and has_own_numbering(candidate, after)
    ]


def _drop_within_chapters(
    outer: Sequence[HeadingCandidate], chapters: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the outer headings that do not stand within a chapter.

    Those between a chapter and the next by number stand within it, unless several come
    together or one has text of its own.
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
    """Return the chapters without the few, such as scraps of a table, before a first one."""
    first = next((n for n, chapter in enumerate(chapters) if chapter.mark.number == 1), 0)
    return chapters[first:] if first <= len(chapters) // 10 else chapters


def _drop_scattered_runs(chapters: list[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the chapters without the few scattered ones of a work quoted in an appendix."""
    starts = [n for n, chapter in enumerate(chapters) if n == 0 or chapter.mark.number == 1]
    runs = [
        chapters[start:end] for start, end in zip(starts, [*starts[1:], len(chapters)], strict=True)
    ]
    longest = max(map(len, runs), default=0)
    whole = [run for run in runs if len(run) * 5 > longest or not _is_scattered(run)]
    return [chapter for run in whole for chapter in run]


def _is_scattered(run: Sequence[HeadingCandidate]) -> bool:
    """Return True if at most half of the chapters of a run count on from the one before."""
    numbers = [chapter.mark.number or 0 for chapter in run]
    steps = sum(after == number + 1 for number, after in pairwise(numbers))
    return len(run) > 1 and steps * 2 <= len(run) - 1


def _drop_half_titles(chapters: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the chapters without a half-title of the same number right before one."""
    single: list[HeadingCandidate] = []
    for chapter in chapters:
        if single and single[-1].mark.number == chapter.mark.number and single[-1].gap < GAP:
            single.pop()
        single.append(chapter)
    return single


def _select_rows_between(
    others: Sequence[HeadingCandidate], chapters: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the headings of another keyword that stand before a first chapter or after all."""
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
    """Return the titled numerals that go on counting after the last heading with a keyword."""
    continued: list[HeadingCandidate] = []
    for candidate in candidates:
        mark = candidate.mark
        if candidate.block <= last.block or mark.rank != HeadingRank.NUMERAL or not mark.title:
            continue
        if mark.number == (last.mark.number or 0) + 1:
            continued.append(candidate)
            last = candidate
    return continued if len(continued) >= _MIN_CHAIN else []


def _keep_in_undivided(
    numerals: Sequence[HeadingCandidate],
    outer: Sequence[HeadingCandidate],
    chapters: Sequence[HeadingCandidate],
) -> list[HeadingCandidate]:
    """Return the numerals in divisions that have no chapters with a keyword."""
    bounds = [-1, *(heading.block for heading in outer), 1 << 60]
    starts = [chapter.block for chapter in chapters]
    undivided: list[HeadingCandidate] = []
    for numeral in numerals:
        n = bisect_right(bounds, numeral.block)
        first = bisect_right(starts, bounds[n - 1])
        if first == len(starts) or starts[first] >= bounds[n]:
            undivided.append(numeral)
    return undivided


@dataclass(frozen=True, slots=True)
class _Position:
    """An unnumbered heading between the numbered ones before and after it."""

    heading: HeadingCandidate
    before: HeadingCandidate | None
    after: HeadingCandidate | None

    @property
    def opens_division(self) -> bool:
        """True if the next numbered heading is a first chapter or an outer heading."""
        return self.after is not None and (self.after.mark.number == 1 or self.after.mark.is_outer)

    @property
    def has_text(self) -> bool:
        return self.heading.gap >= GAP

    @property
    def is_title(self) -> bool:
        """True if the block is the title below a numbered heading that has none."""
        return (
            self.before is not None
            and self.before.block == self.heading.block - 1
            and self.before.mark.rank >= HeadingRank.CHAPTER
            and not self.before.mark.title
        )


def _is_preface(position: _Position) -> bool:
    return position.has_text and (position.before is None or position.opens_division)


def _is_close(position: _Position) -> bool:
    return position.before is not None and (position.after is None or position.opens_division)


def _is_back(position: _Position) -> bool:
    is_notes = "note" in position.heading.mark.label.lower()
    return position.after is None or ((position.opens_division or is_notes) and position.has_text)


_POSITION_RULES: dict[str, Callable[[_Position], bool]] = {
    "preface": _is_preface,
    "close": _is_close,
    "back": _is_back,
}
"""Where a heading without a number may stand, by the keyword of its mark."""


def select_unnumbered(
    candidates: Sequence[HeadingCandidate], numbered: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the prefaces, epilogues, notes and the like that stand as such headings do."""
    starts = [heading.block for heading in numbered]
    selected: list[HeadingCandidate] = []
    for candidate in candidates:
        stands_rightly = _POSITION_RULES.get(candidate.mark.word)
        if stands_rightly is None:
            continue
        n = bisect_left(starts, candidate.block)
        following = (heading for heading in numbered[n : n + 2] if heading.block > candidate.block)
        position = _Position(candidate, numbered[n - 1] if n else None, next(following, None))
        if position.is_title:
            continue
        if has_own_numbering(candidate, position.after) or stands_rightly(position):
            selected.append(candidate)
    return selected


def has_own_numbering(heading: HeadingCandidate, after: HeadingCandidate | None) -> bool:
    """Return True if a prologue or epilogue has numerals, or even chapters, of its own."""
    if after is None or after.mark.number != 1:
        return False
    divided_words = {
        HeadingRank.NUMERAL: ("preface", "close"),
        HeadingRank.CHAPTER: ("close",),
    }.get(after.mark.rank, ())
    is_near = heading.gap < GAP and after.block - heading.block < _NEAR_BLOCKS
    return heading.mark.word in divided_words and is_near


def has_own_text(heading: HeadingCandidate, after: HeadingCandidate | None) -> bool:
    """Return True if an outer division has text of its own, and so is a chapter itself."""
    if after is None or heading.gap >= SPARSE:
        return True
    return after.mark.rank <= heading.mark.rank and heading.gap > 0


def find_restarts(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Return the first chapters of divisions without a number, such as the tales of a volume."""
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
    """Return the numbered chapters by the block of the outer heading and by keyword."""
    groups: dict[tuple[int, str], list[HeadingCandidate]] = defaultdict(list)
    outer = -1
    for heading in headings:
        if heading.mark.is_outer:
            outer = heading.block
        elif heading.mark.number is not None and heading.mark.form != "compound":
            groups[outer, heading.mark.word].append(heading)
    return groups


def first_title_above(blocks: Sequence[TextBlock], block: int, floor: int) -> int:
    """Return the first of up to three title-like blocks right above a block.

    Return the block itself where there is none. Blocks up to floor are not looked at, and
    the title of the book itself, on its first page, is not one of them.
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
