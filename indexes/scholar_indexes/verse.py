"""Lines of verse in stored texts, which have a paragraph of prose on one line and verse in lines.

Some paragraphs of prose have line ends that only come from the width of a page, so a line end
counts only if the lines of its paragraph read as verse.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

LONGEST_LINE = 80
"""The most characters of a line of verse."""

CAPITALISED = 0.6
"""The least share of lines after the first that begin with a capital; in prose one in ten does."""

PARAGRAPH = "\u2029"
"""The end of a paragraph of prose within a passage."""

NUMBERED = 5
"""Editors number every fifth line of verse, or every tenth."""

_CAPITAL = re.compile(r"[\W_]*[A-Z]")
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_LINE_NUMBER = re.compile(r"(?<=[ \t])\d{1,5}(?=[ \t]*$)", re.MULTILINE)
_STANZA_NUMBER = re.compile(r"\d{1,3}\.?[ \t]*")
_SPACE = re.compile(r"\s+")


def is_verse_line(line: str) -> bool:
    """Return True for a line that may continue a stanza: short, with a capital at the start."""
    return len(line) <= LONGEST_LINE and _CAPITAL.match(line) is not None


def is_stanza(lines: Sequence[str]) -> bool:
    """Return True if the lines of a paragraph, two at least, read as verse."""
    short = sum(len(line) <= LONGEST_LINE for line in lines)
    going_on = sum(map(is_verse_line, lines[1:]))
    return (
        len(lines) > 1
        and short >= CAPITALISED * len(lines)
        and going_on >= CAPITALISED * (len(lines) - 1)
    )


def number_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each number that an editor added to verse, in order: line
    numbers, and stanza numbers if they are paragraphs of their own."""
    paragraphs = list(_PARAGRAPH.finditer(text))
    are_stanzas = [is_stanza(paragraph[0].split("\n")) for paragraph in paragraphs]
    for at, paragraph in enumerate(paragraphs):
        if are_stanzas[at]:
            numbers = list(_LINE_NUMBER.finditer(text, *paragraph.span()))
            if all(int(number[0]) % NUMBERED == 0 for number in numbers):
                yield from (number.span() for number in numbers)
        elif any(are_stanzas[max(at - 1, 0) : at + 2]) and _STANZA_NUMBER.fullmatch(paragraph[0]):
            yield paragraph.span()


def blank_numbers(text: str, before: str = "", after: str = "") -> str:
    """Return a text of the same length with spaces for the numbers that an editor added to verse;
    `before` and `after` are the text around it, if known."""
    whole = before + text + after
    parts, at = [], 0
    for start, end in number_spans(whole):
        parts += [whole[at:start], " " * (end - start)]
        at = end
    blanked = "".join((*parts, whole[at:]))
    return blanked[len(before) : len(before) + len(text)]


def keep_lines(text: str, before: str = "", after: str = "") -> str:
    r"""Return a text of the same length without the numbers of blank_numbers, in which white space
    is spaces, except \n at the ends of lines of verse, \n\n at the ends of stanzas, and PARAGRAPH
    at the ends of paragraphs of prose."""
    whole = blank_numbers(before + text + after)
    stanzas = [
        paragraph.span()
        for paragraph in _PARAGRAPH.finditer(whole)
        if is_stanza(paragraph[0].split("\n"))
    ]
    starts = [start for start, _ in stanzas]

    def kept(space: re.Match[str]) -> str:
        last = bisect_right(starts, space.end()) - 1
        line_ends = min(space[0].count("\n"), 2)
        if last >= 0 and space.start() <= stanzas[last][1]:
            return ("\n" * line_ends).ljust(len(space[0]))
        return (PARAGRAPH if line_ends > 1 else " ").ljust(len(space[0]))

    return _SPACE.sub(kept, whole)[len(before) : len(before) + len(text)]


def collapse_space(text: str) -> str:
    r"""Return a text from keep_lines with each run of white space as one space, \n, \n\n or
    PARAGRAPH."""
    return _SPACE.sub(lambda space: space[0].rstrip(" ") or " ", text)


def passage_lines(text: str, before: str = "", after: str = "") -> str:
    """Return a passage with a paragraph of prose on one line and verse in its lines, with an empty
    line between paragraphs and stanzas; the arguments are the same as for blank_numbers."""
    return _passage(text, before, after).replace(PARAGRAPH, "\n\n")


def slashed_passage(text: str, before: str = "", after: str = "") -> str:
    """Return a passage on one line, verse with the slashes of slash_lines; the arguments are the
    same as for blank_numbers."""
    return slash_lines(_passage(text, before, after))


def slash_lines(text: str) -> str:
    """Return a text from collapse_space on one line, with a slash at the end of each line of verse
    and two at the end of each stanza."""
    return text.replace("\n\n", " // ").replace("\n", " / ").replace(PARAGRAPH, " ")


def _passage(text: str, before: str, after: str) -> str:
    return collapse_space(keep_lines(text, before, after)).strip()
