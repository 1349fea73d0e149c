"""Find the titles of divisions, and divide a book by titles alone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.segmentation.heading_candidates import HeadingCandidate, TextBlock
from scholar_indexes.books.segmentation.headings import (
    TITLE,
    HeadingMark,
    HeadingRank,
    is_contents,
    is_title_like,
    parse_heading,
    recase,
)

_LONGEST_TITLE = 260  # characters of a title of several lines
_LONGEST_LINE = 120  # characters of a block's first line that can be a listed title
_MAX_ENTRIES = 400  # lines of a table of contents that are examined
_CONTENTS_BLOCKS = 400  # the contents begin within this many blocks of a book
_MIN_ENTRIES = 3
_MATCHED_SHARE = 0.5  # of a table's entries that the body must have to be divided by them
_USUAL_SHARE = 0.6  # of the chapters with such a block below the heading for it to be a title
_USUAL_CAPITALS_SHARE = 0.25
_MAX_MISPRINTS = 5  # entries of a table that may differ by a letter from their headings
_MIN_TALE = 1500  # characters of a division with a title in capitals
_LONE_ARTICLE = re.compile(r"(?<=\bThe)\. ")  # "THE" on a line above "EVE OF ST. AGNES"
_MAX_TITLE_LINES = 3
_MAX_TITLE_BLOCKS = 3  # between the title of a work and its first chapter
_MAX_REPEATS = 2  # a title that occurs more often than this is a speaker or an ornament


class _Appearance(StrEnum):
    """The appearance of a block under a heading."""

    OTHER = ""
    CAPITALS = "capitals"
    TITLED = "titled"
    SHORT = "short"


class Titles:
    """The titles of one book: on the heading's line, below it, or in the contents."""

    def __init__(self, text: str, blocks: Sequence[TextBlock]) -> None:
        self.text = text
        self.blocks = blocks
        self.entries, self.after_contents = _read_entries(text, blocks)
        self._entry_keys = {title_key(entry) for entry in self.entries}
        self._usual: set[_Appearance] = set()

    def learn(self, headings: Sequence[HeadingCandidate]) -> None:
        """Learn the usual appearance of the blocks below the headings of this book."""
        appearances = Counter(
            self._appearance(heading.block + 1)
            for heading in headings
            if not (heading.mark.title or heading.mark.is_unnumbered or heading.mark.is_outer)
        )
        total = appearances.total()
        self._usual = {
            appearance
            for appearance, count in appearances.items()
            if appearance is not _Appearance.OTHER and count >= _usual_share(appearance) * total
        }

    def read_title(self, heading: HeadingCandidate, is_part: bool = False) -> tuple[str, int]:
        """Return the title of a division for display, and the start of its text.

        A title below the heading belongs to a part only if it is in capitals.
        """
        block = self.blocks[heading.block]
        mark = heading.mark
        title, body = mark.title, block.end
        has_whole_title = mark.word == TITLE and title_key(mark.label) == title_key(
            self.line(heading.block)
        )
        if block.lines > 1 and not has_whole_title:
            title, body = self._title_in_block(block, mark)
        may_continue = mark.number is not None and not mark.is_unnumbered
        if not title and may_continue and body == block.end:
            below = heading.block + 1
            if self._is_title_below(below, is_part):
                title = recase(self.line(below))
                body = self.blocks[below].end
        if title and mark.label:
            return f"{mark.label}. {title}", body
        return title or mark.label, body

    def join_blocks(self, first: int, after: int) -> str:
        """Return the headings in the blocks from first to before after as one name."""
        name = ". ".join(recase(self.line(number).rstrip(".")) for number in range(first, after))
        return _LONE_ARTICLE.sub(" ", name)

    def line(self, number: int) -> str:
        """Return the first 400 characters of a block as one line."""
        block = self.blocks[number]
        return " ".join(self.text[block.start : min(block.end, block.start + 400)].split())

    def _title_in_block(self, block: TextBlock, mark: HeadingMark) -> tuple[str, int]:
        """Return the title and its end for a block with lines directly below the heading."""
        end_of_heading = block.start + len(block.first)
        rest = self.text[end_of_heading : block.end]
        lines = rest.strip("\n").split("\n")
        if len(rest) <= _LONGEST_TITLE and all(is_title_like(line) for line in lines):
            continued = " ".join(" ".join(lines).split())
            return f"{mark.title} {recase(continued)}".strip(), block.end
        return mark.title, end_of_heading

    def _is_title_below(self, number: int, is_part: bool) -> bool:
        """Return True if the block below a heading without a title is its title."""
        appearance = self._appearance(number)
        if appearance is _Appearance.OTHER:
            return False
        if parse_heading(self.blocks[number].first) is not None:
            return not is_part
        usual = {_Appearance.CAPITALS} if is_part else self._usual
        return appearance in usual or title_key(self.line(number)) in self._entry_keys

    def _appearance(self, number: int) -> _Appearance:
        """Return the appearance of a block, OTHER if it cannot be a title."""
        if number >= len(self.blocks):
            return _Appearance.OTHER
        block = self.blocks[number]
        line = self.line(number)
        mark = parse_heading(block.first)
        if block.end - block.start > _LONGEST_TITLE or line[:1] in "\"“‘'[(":
            return _Appearance.OTHER
        if mark is not None and mark.number is not None:
            return _Appearance.OTHER
        if _is_in_capitals(line):
            return _Appearance.CAPITALS
        if block.lines > 2 or line[-1] in ',;!?"”':
            return _Appearance.OTHER
        if is_title_like(line):
            return _Appearance.TITLED
        is_sentence = line[-1] in ".:" and not line.startswith("_")
        return _Appearance.OTHER if is_sentence else _Appearance.SHORT


def _usual_share(appearance: _Appearance) -> float:
    """Return the share of chapters from which an appearance below the heading is usual."""
    return _USUAL_CAPITALS_SHARE if appearance is _Appearance.CAPITALS else _USUAL_SHARE


def _is_in_capitals(line: str) -> bool:
    return line == line.upper() and sum(char.isalpha() for char in line) > 2


def title_key(title: str) -> str:
    """Return the letters and digits of a title, the same for every printing of it."""
    mark = parse_heading(title.strip())
    bare = mark.title if mark is not None and mark.title else title
    bare = bare.replace("’", "'").rstrip(" .0123456789")
    return "".join(char for char in bare.lower() if char.isalnum())


def _read_entries(text: str, blocks: Sequence[TextBlock]) -> tuple[list[str], int]:
    """Return the lines of the first table of contents, and the first block after it."""
    opening = next(
        (n for n, block in enumerate(blocks[:_CONTENTS_BLOCKS]) if is_contents(block.first)), None
    )
    if opening is None:
        return [], 0
    entries: list[str] = []
    number = opening
    while number < len(blocks) and len(entries) < _MAX_ENTRIES:
        block = blocks[number]
        lines = text[block.start : block.end].split("\n")
        if max(map(len, lines)) > _LONGEST_TITLE:
            break
        listed = [line.strip() for line in lines if line.strip()]
        if number == opening:
            del listed[0]
        if _opens_body(listed, entries):
            break
        entries.extend(listed)
        number += 1
    return entries, number


def _opens_body(lines: Sequence[str], entries: Sequence[str]) -> bool:
    """Return True if the first line is one of the first titles in the contents."""
    return bool(lines) and title_key(lines[0]) in map(title_key, entries[:3])


def match_contents(titles: Titles) -> list[HeadingCandidate]:
    """Return the blocks with the titles listed in the table of contents, in order.

    Entries with a keyword and a number are skipped. Empty if too few are found.
    """
    keys = [title_key(entry) for entry in titles.entries if not _has_keyword(entry)]
    if len(keys) < _MIN_ENTRIES:
        return []
    blocks_by_key = _index_titles(titles)
    _add_misprints(blocks_by_key, keys)
    matched: list[HeadingCandidate] = []
    last = -1
    for key in keys:
        numbers = blocks_by_key.get(key, []) if len(key) > 2 else []
        following = bisect_left(numbers, last + 1)
        if following < len(numbers):
            last = numbers[following]
            block = titles.blocks[last]
            title = titles.line(last) if block.lines < 4 else block.first
            matched.append(HeadingCandidate(last, _title_mark(title)))
    return matched if len(matched) >= _MATCHED_SHARE * len(keys) else []


def select_after_numerals(
    titles: Titles, listed: Sequence[HeadingCandidate], chosen: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the listed titles in capitals that follow the last numeral of a poem or tale.

    They are the titles of later works without numerals. listed are the titles that the
    contents list.
    """
    starts = [heading.block for heading in chosen]
    selected: list[HeadingCandidate] = []
    for title in listed:
        n = bisect_left(starts, title.block)
        before = chosen[n - 1] if n else None
        after = chosen[n] if n < len(chosen) else None
        if before is None or before.mark.rank != HeadingRank.NUMERAL or before.mark.title:
            continue
        if _follows_numerals(titles, title.block, before, after):
            mark = replace(title.mark, label=title.mark.label.rstrip("."))
            selected.append(replace(title, mark=mark))
    return selected


def _follows_numerals(
    titles: Titles, number: int, before: HeadingCandidate, after: HeadingCandidate | None
) -> bool:
    """Return True if a block between a numeral and another heading can be a new work's title.

    It is in capitals, is not the title of either heading, and is not among continuing numerals.
    """
    block = titles.blocks[number]
    if block.lines > _MAX_TITLE_LINES or not _is_in_capitals(titles.line(number)):
        return False
    if number - before.block == 1 or parse_heading(block.first) is not None:
        return False
    if after is None:
        return True
    goes_on = after.mark.number == (before.mark.number or 0) + 1
    return not goes_on and after.block - number > _MAX_TITLE_BLOCKS


def _index_titles(titles: Titles) -> dict[str, list[int]]:
    """Return the blocks after the contents that can be titles, by key."""
    blocks_by_key: dict[str, list[int]] = defaultdict(list)
    for number in range(titles.after_contents, len(titles.blocks)):
        block = titles.blocks[number]
        if block.end - block.start <= _LONGEST_TITLE:
            blocks_by_key[title_key(titles.line(number))].append(number)
        elif len(block.first) <= _LONGEST_LINE:
            blocks_by_key[title_key(block.first)].append(number)
    return blocks_by_key


def _add_misprints(blocks_by_key: dict[str, list[int]], keys: Sequence[str]) -> None:
    """Assign to each key without a block the blocks of a key that differs by a letter."""
    missing = [key for key in keys if key not in blocks_by_key]
    if len(missing) > _MAX_MISPRINTS:
        return
    for key in missing:
        similar = (n for other, n in blocks_by_key.items() if _is_misprint(key, other))
        blocks_by_key[key] = next(similar, [])


def _is_misprint(key: str, other: str) -> bool:
    """Return True if two titles differ by one letter deleted, inserted or changed."""
    if len(key) < 6 or abs(len(key) - len(other)) > 1 or key[0] != other[0]:
        return False
    same = next((n for n, (a, b) in enumerate(zip(key, other, strict=False)) if a != b), 0)
    rest, other_rest = key[same:], other[same:]
    return rest[1:] in (other_rest, other_rest[1:]) or rest == other_rest[1:]


def _has_keyword(entry: str) -> bool:
    """Return True if an entry is a numbered heading with a keyword."""
    mark = parse_heading(entry)
    return mark is not None and mark.number is not None and mark.rank < HeadingRank.NUMERAL


def take_marked(
    text: str, blocks: Sequence[TextBlock], headings: Sequence[Heading]
) -> list[HeadingCandidate]:
    """Return the source's headings of the outermost level that has at least two."""
    counts = Counter(heading.level for heading in headings)
    level = next((level for level in sorted(counts) if counts[level] >= 2), None)
    starts = [block.start for block in blocks]
    return [
        HeadingCandidate(
            max(0, bisect_left(starts, heading.span.start + 1) - 1),
            _title_mark(heading.span.of(text)),
        )
        for heading in headings
        if heading.level == level
    ]


def find_capitals(blocks: Sequence[TextBlock]) -> list[HeadingCandidate]:
    """Return the single-line blocks in capitals that divide long stretches of text."""
    lines = [number for number, block in enumerate(blocks) if _is_capitals_title(block)]
    counts = Counter(blocks[number].first for number in lines)
    lines = [number for number in lines if counts[blocks[number].first] <= _MAX_REPEATS]
    ends = [*lines[1:], len(blocks) - 1] if lines else []
    headings = [
        HeadingCandidate(number, _title_mark(blocks[number].first))
        for number, after in zip(lines, ends, strict=True)
        if blocks[after].start - blocks[number].end >= _MIN_TALE
    ]
    return headings if len(headings) >= 3 and len(headings) * 2 > len(lines) else []


def _is_capitals_title(block: TextBlock) -> bool:
    """Return True if a block is one short line in capitals that does not end like speech."""
    line = block.first
    if block.lines != 1 or not 3 < len(line) <= 80 or line != line.upper():
        return False
    return sum(char.isalpha() for char in line) > 3 and line.strip()[-1] not in ',;!?:"”'


def _title_mark(title: str) -> HeadingMark:
    return HeadingMark(HeadingRank.CHAPTER, TITLE, "", None, recase(title), "")
