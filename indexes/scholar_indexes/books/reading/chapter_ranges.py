"""Chapters as written by the user, and the sections of a book that they refer to.

    23            a chapter, by its printed number
    III, chapter iii, "chapter three", "the third chapter"
                  the same number in other forms
    3-9           a range; 3- and -9 have no end and no beginning
    2.5           volume (or part, or book) 2, chapter 5; 2.1-2.8 is a range, and so is 2.1-8
    act 3, scene 1
                  the same as 3.1, and so is "Act III, Scene I", as in citations
    act 3         all sections of a part
    letter 4      an item of a series numbered separately from the chapters, by its keyword
    section 3-9   sections, counted as in locators

If a book prints no numbers, its sections are counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholar_indexes.books.segmentation.chapter_numbers import (
    ChapterNumber,
    PrintedNumber,
    number_chapters,
)
from scholar_indexes.books.segmentation.headings import (
    CHAPTER_WORDS,
    OUTER_WORDS,
    parse_heading,
)
from scholar_indexes.books.segmentation.numerals import is_ordinal, parse_roman, parse_spelled
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Chapter

LAST_SECTION = 999_999
"""The end of an open range."""

_MAX_LISTED = 12
"""The maximum number of ranges or numbers listed in an error."""

_SECTIONS = "section"
_CHAPTER = "chapter"
_LONGEST_RANGE = 100
"""The maximum number of characters of a range of chapters."""

_DIGITS = re.compile(r"\d{1,6}", re.ASCII)
_KEYWORD = re.compile(r"[a-z]{1,40}", re.ASCII)
_ABBREVIATIONS = {
    "ch": _CHAPTER,
    "chap": _CHAPTER,
    "chapters": _CHAPTER,
    "sc": "scene",
    "vol": "volume",
}
_MOST_PARTS = 6
"""The maximum number of numbers in a path."""

_SECTION_RANGE = re.compile(r"\d{1,6},-,(\d{1,6})?|\d{1,6},,|,-,\d{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ChapterRange:
    """A range of printed numbers, or of sections; an end of None is open."""

    first: ChapterNumber | None
    last: ChapterNumber | None
    counts_sections: bool = False


def parse_range(written: str) -> ChapterRange:
    """Return the range written by the user; raises UsageError, showing the form."""
    wanted = " ".join(written.casefold().replace("sections", _SECTIONS).split())
    if wanted.startswith(f"{_SECTIONS} "):
        low, high = section_range(wanted.removeprefix(_SECTIONS))
        return ChapterRange(ChapterNumber((low,)), ChapterNumber((high,)), counts_sections=True)
    first, last = _parse_ends(wanted) if len(wanted) <= _LONGEST_RANGE else (None, None)
    if first and last and last.word in ("", first.word):
        outer = first.path[: max(len(first.path) - len(last.path), 0)]
        last = ChapterNumber(outer + last.path, first.word)
    if first is None and last is None:
        raise _not_a_range(written)
    if first and last and _is_backwards(first, last):
        raise UsageError(f"chapters {wanted} run backwards; write {last}-{first}")
    return ChapterRange(first, last)


def _is_backwards(first: ChapterNumber, last: ChapterNumber) -> bool:
    """Return True if a number comes after another with the same keyword and depth."""
    is_same_kind = first.word == last.word and len(first.path) == len(last.path)
    return is_same_kind and first.path > last.path


def section_range(written: str) -> tuple[int, int]:
    """Return the first and the last section of "3", "3-9", "3-" or "-9"; raises UsageError."""
    first, dash, last = (part.strip() for part in written.partition("-"))
    if not _SECTION_RANGE.fullmatch(f"{first},{dash},{last}"):
        raise UsageError(
            f"{written.strip()[:80]!r} is not a section or a range of sections; write 3 or 3-9"
        )
    low = int(first) if first else 0
    high = int(last) if last else (LAST_SECTION if dash else low)
    if low > high:
        raise UsageError(f"sections {low}-{high} run backwards; write {high}-{low}")
    return low, high


def find_sections(chapters: Sequence[Chapter], written: str, title: str) -> tuple[int, int]:
    """Return the first and last section of a book covered by the user's range of chapters.

    A range may extend beyond the book, or begin and end at numbers that the book does not have.
    Raises UsageError for an ambiguous number and NotThere if no chapter is in the range; both
    messages use the title.
    """
    wanted = parse_range(written)
    numbers = [] if wanted.counts_sections else number_chapters(chapters)
    words = _left_out_words(chapters, numbers)
    wanted = replace(wanted, first=_plain(wanted.first, words), last=_plain(wanted.last, words))
    finder = _SectionFinder(
        numbers or _count_sections(chapters), _find_parts(chapters), one_line(title, 60)
    )
    try:
        return finder.find(wanted)
    except LookupError:
        raise NotThere(_missing(finder, wanted, written, is_counted=not numbers)) from None


def is_number(written: str) -> bool:
    """Return True if a text can be the number of a chapter."""
    wanted = " ".join(written.casefold().split())
    return len(wanted) <= _LONGEST_RANGE and _parse_number(wanted) is not None


def find_section(chapters: Sequence[Chapter], written: str, title: str) -> int:
    """Return the section of a chapter, or the first section of a part, as written by the user.

    Raises the errors of find_sections.
    """
    _check_is_single(written)
    return find_sections(chapters, written, title)[0]


def find_last_section(chapters: Sequence[Chapter], written: str, title: str) -> int:
    """Return the last section of a chapter or part, as written by the user.

    Raises the errors of find_sections.
    """
    _check_is_single(written)
    return find_sections(chapters, written, title)[1]


def _check_is_single(written: str) -> None:
    """Raise UsageError for a range of chapters."""
    wanted = parse_range(written)
    if wanted.first is None or wanted.first != wanted.last:
        raise UsageError(f"{written.strip()[:80]!r} is a range; write one chapter, such as 12")


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a book: its keyword, its number (after the numbers of its outer parts), and its
    first and last section."""

    number: ChapterNumber
    first: int
    last: int


def _find_parts(chapters: Sequence[Chapter]) -> list[_Part]:
    """Return the numbered parts of a book, such as its acts, in reading order."""
    sections: dict[tuple[ChapterNumber, ...], list[int]] = {}
    for chapter in chapters:
        marks = [parse_heading(heading) for heading in (*chapter.part, chapter.title)]
        path: tuple[ChapterNumber, ...] = ()
        for mark in marks:
            if mark is None or mark.number is None or mark.word not in OUTER_WORDS:
                break
            outer = path[-1].path if path else ()
            path = (*path, ChapterNumber((*outer, mark.number), mark.word))
            sections.setdefault(path, []).append(chapter.number)
    return [_Part(path[-1], inside[0], inside[-1]) for path, inside in sections.items()]


class _SectionFinder:
    """A finder of sections by number in a book; messages use the title."""

    def __init__(
        self, numbers: Sequence[PrintedNumber], parts: Sequence[_Part], title: str
    ) -> None:
        self.numbers = numbers
        self.parts = parts
        self.title = title

    def find(self, wanted: ChapterRange) -> tuple[int, int]:
        """Return the first and last section of a range.

        Raises LookupError if it is empty, and UsageError if a number is ambiguous or the range
        runs backwards.
        """
        if wanted.first is not None and wanted.first == wanted.last:
            sections = self._sections(wanted.first)
            if sections is None:
                raise LookupError
            return sections
        first = self._nearest(wanted.first, 1) if wanted.first else 0
        last = self._nearest(wanted.last, -1) if wanted.last else LAST_SECTION
        if first > last:
            self._check_order(wanted.first, wanted.last)
            raise LookupError
        return first, last

    def _check_order(self, first: ChapterNumber | None, last: ChapterNumber | None) -> None:
        """Raise UsageError if both ends of an empty range exist, so that it runs backwards."""
        if first and last and None not in (self._sections(first), self._sections(last)):
            raise UsageError(f"{last} comes before {first} in {self.title}; write {last}-{first}")

    def _sections(self, number: ChapterNumber) -> tuple[int, int] | None:
        """Return the first and last section of a number, or None.

        The number is matched exactly to a chapter, else with more outer parts, else to a part.
        A part with its own text extends to its last chapter.
        """
        section = self._section(number)
        if section is None:
            return self._part(number)
        lasts = [
            part.last
            for part in self.parts
            if part.first == section and part.number.word == number.word
        ]
        return section, max(lasts, default=section)

    def _section(self, number: ChapterNumber) -> int | None:
        """Return the section with a number, possibly with more outer parts, or None."""
        for candidates in (
            [printed for printed in self.numbers if number in (printed.number, printed.full)],
            [printed for printed in self.numbers if printed.full.ends_with(number)],
        ):
            self._check_is_clear(number, [printed.number for printed in candidates])
            if candidates:
                return candidates[0].section
        return None

    def _part(self, number: ChapterNumber) -> tuple[int, int] | None:
        """Return the first and last section of the part with a number, or None."""
        for candidates in (
            [part for part in self.parts if part.number == number],
            [part for part in self.parts if part.number.ends_with(number)],
        ):
            self._check_is_clear(number, [part.number for part in candidates])
            if candidates:
                return candidates[0].first, candidates[0].last
        return None

    def _check_is_clear(self, number: ChapterNumber, candidates: Sequence[ChapterNumber]) -> None:
        """Raise UsageError, listing the choices, for an ambiguous number."""
        if len(candidates) > 1:
            listed = _listing(list(map(str, candidates)), " or ")
            raise UsageError(
                f"{_name(number)} of {self.title} could be {listed}; write one of them"
            )

    def _nearest(self, number: ChapterNumber, step: int) -> int:
        """Return the section at which a range from a number begins, or ends if `step` is -1.

        If the number does not exist, use the next one in its part in the direction of the step.
        """
        sections = self._sections(number)
        if sections is None:
            sections = self._next(number, step)
        return sections[0 if step > 0 else -1]

    def _next(self, number: ChapterNumber, step: int) -> tuple[int, int]:
        """Return the sections of the next number after a missing one, by a step of 1 or -1."""
        numbered = [(printed.number, printed.section, printed.section) for printed in self.numbers]
        numbered += [(part.number, part.first, part.last) for part in self.parts]
        beyond = [
            (step * other.path[-1], first, last)
            for other, first, last in numbered
            if other.word == number.word
            and other.path[:-1] == number.path[:-1]
            and step * other.path[-1] > step * number.path[-1]
        ]
        if not beyond:
            raise LookupError
        return min(beyond)[1:]


def _left_out_words(
    chapters: Sequence[Chapter], numbers: Sequence[PrintedNumber]
) -> frozenset[str]:
    """Return the keywords that the numbers of a book omit.

    They are "chapter" and its equivalent in the book, such as "stave"; if the chapters have
    only numerals, all chapter keywords. Keywords used by a number are excluded.
    """
    plain = {printed.section for printed in numbers if not printed.number.word}
    titles = (chapter.title for chapter in chapters if chapter.number in plain)
    words = {mark.word for mark in map(parse_heading, titles) if mark}
    if words == {""}:
        words = set(CHAPTER_WORDS)
    return frozenset({_CHAPTER, *words} - {printed.number.word for printed in numbers})


def _plain(number: ChapterNumber | None, words: frozenset[str]) -> ChapterNumber | None:
    """Return a number, without its keyword if that is one of the given words."""
    return replace(number, word="") if number and number.word in words else number


def _count_sections(chapters: Sequence[Chapter]) -> list[PrintedNumber]:
    """Return the sections of a book numbered by count, with the front matter as 0."""
    counts = [(chapter.number, ChapterNumber((chapter.number,))) for chapter in chapters]
    return [PrintedNumber(section, count, count) for section, count in counts]


def _missing(
    finder: _SectionFinder, wanted: ChapterRange, written: str, *, is_counted: bool
) -> str:
    """Return the message that a book does not have a range, with the ranges that it has."""
    shown = " ".join(written.split())[:40]
    ends = parse_range(written)
    number = ends.first or ends.last
    shown = shown if number is None or number.word or ends.counts_sections else f"chapter {shown}"
    if not is_counted:
        listed = _listing(_list_ranges([printed.number for printed in finder.numbers]), " and ")
        return f"{finder.title} has no {shown}; it has {listed}"
    last = finder.numbers[-1].section
    if wanted.counts_sections:
        return f"{finder.title} has no {shown}; it has sections 0-{last}"
    return (
        f"{finder.title} has no {shown}; it prints no numbers, so its sections are counted: "
        f"0-{last}"
    )


def _name(number: ChapterNumber) -> str:
    return str(number) if number.word else f"chapter {number}"


def _list_ranges(numbers: Sequence[ChapterNumber]) -> list[str]:
    """Return numbers, given in reading order, as ranges: "letter 1-4", "1.1-1.18"."""
    ranges: list[tuple[ChapterNumber, ChapterNumber]] = []
    for number in numbers:
        before = ranges[-1][1] if ranges else None
        follows = before and ChapterNumber((*before.path[:-1], before.path[-1] + 1), before.word)
        if follows == number:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return [_range_text(first, last) for first, last in ranges]


def _range_text(first: ChapterNumber, last: ChapterNumber) -> str:
    return str(first) if first == last else f"{first}-{ChapterNumber(last.path)}"


def _listing(items: Sequence[str], joint: str) -> str:
    """Return items as a list in prose, shortened if there are many."""
    if len(items) > _MAX_LISTED:
        return ", ".join([*items[:_MAX_LISTED], "…"])
    return joint.join([*filter(None, [", ".join(items[:-1])]), *items[-1:]])


def _parse_ends(wanted: str) -> tuple[ChapterNumber | None, ChapterNumber | None]:
    """Return the ends of a range in lower case, equal for a single number.

    An open end is None; both are None if the text is not a range.
    """
    number = _parse_number(wanted)
    if number:
        return number, number
    for dash in re.finditer("[-–]", wanted):  # "twenty-one-twenty-four" has several
        left, right = wanted[: dash.start()].strip(), wanted[dash.end() :].strip()
        first, last = _parse_number(left), _parse_number(right)
        if bool(left) == bool(first) and bool(right) == bool(last):
            return first, last
    return None, None


def _parse_number(text: str) -> ChapterNumber | None:
    """Return a number, with or without its parts ("act iii, scene i"); None if it is invalid."""
    if number := _parse_one(text):
        return number
    for space in re.finditer(" ", text):
        before, after = text[: space.start()], text[space.end() :]
        outer = _parse_one(before.removesuffix(","))
        inner = _parse_number(after) if outer and outer.word else None
        if outer and inner and (inner.word or before.endswith(",")):
            word = inner.word if outer.word in OUTER_WORDS else outer.word
            return ChapterNumber(outer.path + inner.path, word)
    return None


def _parse_one(text: str) -> ChapterNumber | None:
    """Return a number in digits, Roman numerals or words, or None.

    Its keyword comes before it or, for an ordinal, after it.
    """
    text = text.removeprefix("the ")
    if path := _parse_path(text):
        return ChapterNumber(path)
    word, _, number = text.partition(" ")
    path = _parse_path(number.lstrip().removeprefix("the "))
    if not path:
        number, _, word = text.rpartition(" ")
        path = _parse_path(number) if is_ordinal(number) else ()
    word = word.rstrip(".")
    if not path or not _KEYWORD.fullmatch(word) or _parse_path(word):
        return None
    return ChapterNumber(path, _ABBREVIATIONS.get(word, word))


def _parse_path(text: str) -> tuple[int, ...]:
    """Return the numbers of "2.5", "II.V" or "twenty-three"; empty if the text is not a number."""
    words = text.split()
    spelled = parse_spelled(words)
    if spelled and spelled[1] == len(words):
        return (spelled[0],)
    parts = text.split(".")
    numbers = [int(part) if _DIGITS.fullmatch(part) else parse_roman(part) for part in parts]
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(parts) <= _MOST_PARTS else ()


def _not_a_range(written: str) -> UsageError:
    return UsageError(
        f"{written.strip()[:80]!r} is not a chapter or a range of chapters; write 3, III or 3-9, "
        "2.5 for chapter 5 of volume 2, act 3, or section 3"
    )


def choose(
    chapter: str | None, section: str | None, options: str = "--chapter and --section"
) -> str | None:
    """Return the range of chapters given by one of two options, None for neither.

    Raises UsageError for both, and for sections that are not a range.
    """
    if section is None:
        return chapter
    if chapter is not None:
        raise UsageError(f"{options} cannot be combined; leave out one")
    section_range(section)
    return f"section {section}"
