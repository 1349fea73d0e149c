"""The printed numbers of a book's chapters, and of the parts that contain them.

A locator counts the divisions of a book ("sections") from its first page; a reader uses the
printed numbers: Chapter XXIII, or Volume II, Chapter V, which is written 2.5. Numbers are read
from the titles and parts of the sections, so books need not be added again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scholar_indexes.books.segmentation.headings import HeadingMark, parse_heading
from scholar_indexes.types import Chapter, ChapterKind

_MIN_NUMBERED = 0.5
"""The minimum share of chapters with numbers; below it the book counts as unnumbered."""

_LONGEST_MISPRINT = 3
"""The maximum number of consecutive misprints that are corrected from the numbers around them."""


@dataclass(frozen=True, slots=True)
class ChapterNumber:
    """A number as written on the command line: "23", "2.5", "letter 4", "epilogue 1.5".

    path has the numbers of the parts, outermost first, and ends with the number of the chapter;
    word is the lower-case keyword of a series that is numbered separately from the chapters.
    """

    path: tuple[int, ...]
    word: str = ""

    def __str__(self) -> str:
        return f"{self.word} {'.'.join(map(str, self.path))}".strip()

    def ends_with(self, other: ChapterNumber) -> bool:
        """Return True if the other is this number, with or without its outer parts."""
        return self.word == other.word and self.path[-len(other.path) :] == other.path


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """The number of a section: the shortest unambiguous form in its book, and the full form."""

    section: int
    number: ChapterNumber
    full: ChapterNumber


def print_numbers(chapters: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """Return the sections of a book with their printed numbers."""
    sections = tuple(chapters)
    numbers = {printed.section: str(printed.number) for printed in number_chapters(sections)}
    return tuple(replace(section, printed=numbers.get(section.number, "")) for section in sections)


def number_chapters(chapters: Sequence[Chapter]) -> list[PrintedNumber]:
    """Return the printed numbers of a book's sections, in reading order, without duplicates.

    The most common keyword ("Chapter") is omitted, and so are the parts if no number is
    repeated. Empty if fewer than half of the chapters have a number.
    """
    headings = _read_headings(chapters)
    of_work = sum(chapter.kind is ChapterKind.CHAPTER for chapter in chapters)
    if len(headings) < _MIN_NUMBERED * of_work:
        return []
    headings = _count_misprints(_name_series(headings))
    plain = {heading.section: _plain_number(heading) for heading in headings}
    full = _full_numbers(headings)
    shown = plain if _are_distinct(plain.values()) else _shorten(full)
    return [
        PrintedNumber(section, number, full.get(section, number))
        for section, number in shown.items()
    ]


@dataclass(frozen=True, slots=True)
class _Heading:
    """A numbered heading: its section, parts, keyword and number (-1 for "the last").

    is_outer is True for the keyword of a part, which has its own text.
    """

    section: int
    part: tuple[str, ...]
    word: str
    number: int
    is_outer: bool


def _read_headings(chapters: Iterable[Chapter]) -> list[_Heading]:
    headings = []
    for chapter in chapters:
        mark = parse_heading(chapter.title) if chapter.kind is ChapterKind.CHAPTER else None
        if mark is not None and mark.number is not None:
            headings.append(
                _Heading(chapter.number, chapter.part, mark.word, mark.number, mark.is_outer)
            )
    return headings


def _name_series(headings: Sequence[_Heading]) -> list[_Heading]:
    """Return the headings, with an empty word for members of the most common series.

    Headings with another keyword belong to it if they share no number with it: the first six
    of Sherlock Holmes's Adventures have the keyword, the others have only numerals. A part with
    its own text is not one of its chapters.
    """
    numbers_by_series: dict[tuple[str, bool], list[Hashable]] = defaultdict(list)
    for heading in headings:
        numbers_by_series[heading.word, heading.is_outer].append((heading.part, heading.number))
    commonest = sorted(numbers_by_series, key=lambda series: -len(numbers_by_series[series]))
    main: set[Hashable] = set()
    joined: set[str] = set()
    for word, is_outer in commonest:
        numbers = numbers_by_series[word, is_outer]
        if is_outer == commonest[0][1] and main.isdisjoint(numbers):
            main.update(numbers)
            joined.add(word)
    return [
        replace(heading, word="") if heading.word in joined else heading for heading in headings
    ]


def _count_misprints(headings: Sequence[_Heading]) -> list[_Heading]:
    """Return the headings, with misprinted numbers and "the last" replaced by the count.

    A misprint is between two numbers with exactly one place for it: 43, 64, 45. A number
    between two with no place for it is dropped: 84, 4, 85.
    """
    series: dict[Hashable, list[int]] = defaultdict(list)
    for index, heading in enumerate(headings):
        series[heading.part, heading.word].append(index)
    counted = list(headings)
    for indexes in series.values():
        numbers = _correct_numbers([headings[index].number for index in indexes])
        for index, number in zip(indexes, numbers, strict=True):
            counted[index] = replace(headings[index], number=number)
    return [heading for heading in counted if heading.number]


def _correct_numbers(printed: Sequence[int]) -> list[int]:
    """Return the numbers of a series with misprints corrected, and 0 for dropped ones."""
    numbers: list[int] = []
    last = 0
    for n, number in enumerate(printed):
        following = printed[n + 1 : n + 2 + _LONGEST_MISPRINT]
        numbers.append(_correct_number(number, last, following) if n else max(number, 1))
        last = numbers[-1] or last
    return numbers


def _correct_number(number: int, last: int, following: Sequence[int]) -> int:
    """Return a number, corrected by the last one and the following; 0 if it is dropped."""
    expected = last + 1
    if number < 0:
        return expected
    if number in (1, expected):
        return number
    if any(after == expected + gap for gap, after in enumerate(following, 1)):
        return expected
    return 0 if following and following[0] == expected else number


def _plain_number(heading: _Heading) -> ChapterNumber:
    return ChapterNumber((heading.number,), heading.word)


def _are_distinct(numbers: Iterable[ChapterNumber]) -> bool:
    listed = list(numbers)
    return len(listed) == len(set(listed))


def _full_numbers(headings: Sequence[_Heading]) -> dict[int, ChapterNumber]:
    """Return the numbers of sections below the numbers of all their parts.

    Sections in a part with neither number nor name are omitted, and so are sections that would
    share a number.
    """
    prefixes = _number_parts([heading.part for heading in headings])
    runs = _number_runs(headings)
    numbers: dict[int, ChapterNumber] = {}
    for heading in headings:
        prefix = prefixes[heading.part]
        if prefix is None or (prefix.word and heading.word):
            continue
        path = (*prefix.path, *runs[heading.section], heading.number)
        numbers[heading.section] = ChapterNumber(path, prefix.word or heading.word)
    counts = Counter(numbers.values())
    return {section: number for section, number in numbers.items() if counts[number] == 1}


def _number_runs(headings: Sequence[_Heading]) -> dict[int, tuple[int, ...]]:
    """Return the number of each section's run if numbering restarts within its part, or ()."""
    groups: dict[Hashable, list[_Heading]] = defaultdict(list)
    for heading in headings:
        groups[heading.part, heading.word].append(heading)
    runs: dict[int, tuple[int, ...]] = {}
    for group in groups.values():
        count = 1
        counts = [count]
        for heading, after in pairwise(group):
            count += after.number <= heading.number
            counts.append(count)
        for heading, run in zip(group, counts, strict=True):
            runs[heading.section] = (run,) if count > 1 else ()
    return runs


def _number_parts(
    parts: Iterable[tuple[str, ...]],
) -> Mapping[tuple[str, ...], ChapterNumber | None]:
    """Return the numbers of parts by title, None for a part whose number cannot be written."""
    children: dict[tuple[str, ...], dict[str | None, None]] = defaultdict(dict)
    for part in parts:
        for depth, title in enumerate(part):
            children[part[:depth]][title] = None
        children[part][None] = None
    numbers: dict[tuple[str, ...], ChapterNumber | None] = {}
    above: dict[tuple[str, ...], ChapterNumber | None] = {(): ChapterNumber(())}
    for parent in sorted(children, key=len):
        titles = list(children[parent])
        for sibling, number in zip(titles, _number_siblings(titles), strict=True):
            joined = _join(above[parent], number)
            if sibling is None:
                numbers[parent] = joined
            else:
                above[*parent, sibling] = joined
    return numbers


def _join(parent: ChapterNumber | None, number: ChapterNumber | None) -> ChapterNumber | None:
    """Return the number of a part within another; a word is allowed only in first position."""
    if parent is None or number is None or (number.word and (parent.path or parent.word)):
        return None
    return ChapterNumber(parent.path + number.path, parent.word or number.word)


def _number_siblings(titles: Sequence[str | None]) -> list[ChapterNumber | None]:
    """Return the numbers of the parts of one division, given their titles in reading order.

    The title None represents chapters of the division that are in no part. Parts are counted
    if no number is printed or one is repeated; chapters before the second part are in the
    first.
    """
    if titles == [None]:
        return [ChapterNumber(())]
    numbers = _printed_numbers(titles)
    if not numbers:
        return [ChapterNumber((count,)) for count in range(1, len(titles) + 1)]
    if titles[0] is None and ChapterNumber((1,)) not in numbers:
        numbers[0] = ChapterNumber((1,))
    return numbers


def _printed_numbers(titles: Sequence[str | None]) -> list[ChapterNumber | None]:
    """Return the number that each title prints; an empty list if none is printed or one is
    repeated."""
    marks = [parse_heading(title) if title else None for title in titles]
    main = _find_main_word(marks)
    numbers = [_number_part(title, mark, main) for title, mark in zip(titles, marks, strict=True)]
    printed = [number for number in numbers if number and number.path]
    return numbers if main is not None and _are_distinct(printed) else []


def _find_main_word(marks: Sequence[HeadingMark | None]) -> str | None:
    """Return the most common word of numbered headings, or None if none has a number."""
    words = Counter(mark.word for mark in marks if mark and mark.number is not None)
    return max(words, key=lambda word: words[word], default=None)


def _number_part(
    title: str | None, mark: HeadingMark | None, main: str | None
) -> ChapterNumber | None:
    """Return the number of a part, with its keyword unless that is the main one of its siblings.

    A part without a number is written as its name if that is a single word ("Epilogue").
    """
    if title is None:
        return ChapterNumber(())
    if mark is None or mark.number is None:
        return ChapterNumber((), title.casefold()) if title.isalpha() else None
    if mark.number < 0:
        return None
    return ChapterNumber((mark.number,), "" if mark.word == main else mark.word)


def _shorten(full: Mapping[int, ChapterNumber]) -> dict[int, ChapterNumber]:
    """Return the numbers with the fewest outer parts that keep them distinct, at equal depth."""
    deepest = max((len(number.path) for number in full.values()), default=0)
    for depth in range(2, deepest):
        numbers = {
            section: replace(number, path=number.path[-depth:]) for section, number in full.items()
        }
        if _are_distinct(numbers.values()):
            return numbers
    return dict(full)
