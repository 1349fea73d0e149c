"""Emphasis in stored texts, as Project Gutenberg marks it: _italics_ and =bold=.

The stored text keeps its marks, and spans, locators and selectors count them. Text to be shown or
exported is split here into runs of plain text with a style.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from scholar_indexes import verse
from scholar_indexes.sanitize import visible

Style = Literal["italic", "bold"]

_UNDERSCORE = re.compile(r"_(?<!__)(?!_)")
_BOLD = re.compile(
    r"=(?<![\w=\"']=)(?=[^\W_]|[_“‘(])"
    r"(?P<words>[^=\n]*(?:\n(?![^\S\n]*\n)[^=\n]+)*)(?<=\S)=(?![\w=\"'])"
)
"""The character before a mark is checked after the mark, since searching is fast for a pattern that
begins with a character."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LETTER = re.compile(r"[^\W_]")
_SPACE = re.compile(r"\s+")
_MISPLACED = re.compile(r"(?:\s(?=\D)|(?=[^\s\d]))[^\n]*[^\W_][^\n]*")
"""The text between two marks of which one is on the wrong side of a space; a number after a mark is
a line or note number."""

LONGEST = 4_000
"""The maximum number of characters of emphasized text."""

LONGEST_PART = 40
"""The maximum number of characters of an italic part of a word."""

LONGEST_MISPLACED = 200
"""The maximum number of characters between two marks, one on the wrong side of a space."""


class Emphasis(NamedTuple):
    """Emphasized words: text[start] and text[end - 1] are their marks."""

    start: int
    end: int
    style: Style


class Run(NamedTuple):
    """Plain text in one style; `start` is its position in the original text."""

    text: str
    start: int
    italic: bool = False
    bold: bool = False


class _Mark(NamedTuple):
    """An underscore, and the characters before and after it."""

    at: int
    before: str
    after: str

    @property
    def is_in_word(self) -> bool:
        return self.before.isalnum() and self.after.isalnum()

    @property
    def can_open(self) -> bool:
        return not self.after.isspace() and (self.after.isalnum() or not self.before.isalnum())

    @property
    def can_close(self) -> bool:
        return not self.before.isspace() and (self.before.isalnum() or not self.after.isalnum())


def find_emphasis(text: str, start: int = 0, end: int | None = None) -> list[Emphasis]:
    """Return the emphasized words of text[start:end], in order; none extends across an empty line.

    An underscore without a partner is an ordinary character: a blank to fill in, a line number,
    "snake_case". One within a word marks part of that word as italic: "my_self_".
    """
    last = len(text) if end is None else end
    bold = (
        Emphasis(*match.span(), "bold")
        for match in _BOLD.finditer(text, start, last)
        if _LETTER.search(match["words"])
    )
    italic = (pair for marks in _paragraphs(text, start, last) for pair in _pairs(text, marks))
    return sorted([*italic, *bold])


def _paragraphs(text: str, start: int, end: int) -> Iterator[list[_Mark]]:
    """Yield the underscores of each paragraph of text[start:end] that has any."""
    marks: list[_Mark] = []
    for match in _UNDERSCORE.finditer(text, start, end):
        at = match.start()
        if marks and _BLANK_LINE.search(text, marks[-1].at, at):
            yield marks
            marks = []
        before = text[at - 1] if at > start else " "
        after = text[at + 1] if at + 1 < end else " "
        marks.append(_Mark(at, before, after))
    if marks:
        yield marks


def _pairs(text: str, marks: Sequence[_Mark]) -> Iterator[Emphasis]:
    """Yield the italics of a paragraph, in no particular order."""
    paired: set[_Mark] = set()
    opening: _Mark | None = None
    for mark in marks:
        if opening is not None and _is_pair(text, opening, mark):
            yield Emphasis(opening.at, mark.at + 1, "italic")
            paired |= {opening, mark}
            opening = None
        elif mark.can_open and not (
            opening is not None and mark.is_in_word and _are_in_word(text, opening, mark)
        ):
            opening = mark
    # Then the marks that are left over, which may be on the wrong side of a space.
    previous: _Mark | None = None
    for mark in marks:
        if mark in paired:
            previous = None
        elif previous is not None and _is_misplaced_pair(text, previous, mark):
            yield Emphasis(previous.at, mark.at + 1, "italic")
            previous = None
        else:
            previous = mark


def _is_pair(text: str, opening: _Mark, closing: _Mark) -> bool:
    """Return True if a mark ends the italics that an opening mark begins.

    Italics of part of a word begin or end with the word: both "find_all_files" and "_a b_c" are
    plain.
    """
    if not closing.can_close or closing.at - opening.at > LONGEST:
        return False
    if not _LETTER.search(text, opening.at + 1, closing.at):
        return False
    if not opening.before.isalnum() and not closing.after.isalnum():
        return True
    is_at_edge = not (opening.is_in_word and closing.is_in_word)
    return is_at_edge and _are_in_word(text, opening, closing)


def _is_misplaced_pair(text: str, opening: _Mark, closing: _Mark) -> bool:
    """Return True for two unpaired marks of which one is on the wrong side of a space: "it _was
    _true", "_ Enter_"."""
    if opening.before.isalnum() or closing.after.isdigit():
        return False
    is_tight = opening.can_open or closing.can_close
    return (
        is_tight
        and closing.at - opening.at <= LONGEST_MISPLACED
        and (closing.before == " " or not closing.after.isalnum())
        and bool(_MISPLACED.fullmatch(text, opening.at + 1, closing.at))
    )


def _are_in_word(text: str, opening: _Mark, closing: _Mark) -> bool:
    """Return True for two marks in the same word."""
    is_near = closing.at - opening.at <= LONGEST_PART
    return is_near and not _SPACE.search(text, opening.at, closing.at)


def styled_runs(
    text: str, before: str = "", after: str = "", strong: tuple[int, int] | None = None
) -> list[Run]:
    """Return a text in runs without its emphasis marks.

    `before` and `after` are the text around it, as far as known: they contain the partners of its
    marks if it begins or ends within italics. text[strong[0]:strong[1]] is bold.
    """
    whole = before + text + after
    start, end = len(before), len(before) + len(text)
    cuts = [start + place for place in strong or () if 0 <= place <= len(text)]
    bold = range(*strong) if strong else range(0)
    return [
        run._replace(start=run.start - start, bold=run.bold or run.start - start in bold)
        for run in cut_runs(whole, start, end, find_emphasis(whole), cuts)
    ]


def cut_runs(
    text: str, start: int, end: int, emphasis: Sequence[Emphasis], cuts: Iterable[int] = ()
) -> Iterator[Run]:
    """Yield text[start:end] in runs, given the emphasis of the text; `cuts` are positions at which
    a run always ends."""
    marks: dict[int, Style] = {}
    for words in emphasis:
        marks[words.start] = marks[words.end - 1] = words.style
    styles: set[Style] = set()
    at = start
    for place in sorted({*marks, *cuts, end}):
        if at < min(place, end):
            yield Run(text[at : min(place, end)], at, "italic" in styles, "bold" in styles)
        at = max(at, place)
        if place in marks:
            styles ^= {marks[place]}
            at = max(at, place + 1)


def styled_line(
    text: str, before: str = "", after: str = "", strong: tuple[int, int] | None = None
) -> list[Run]:
    """Return a text as one line of visible text in runs; for the arguments see styled_runs.

    Whitespace is collapsed as in sanitize.visible_line.
    """
    runs = styled_runs(visible(text), before, after, strong)
    return _trimmed(run._replace(text=_SPACE.sub(" ", run.text)) for run in runs)


def styled_passage(
    text: str, before: str = "", after: str = "", strong: tuple[int, int] | None = None
) -> list[Run]:
    r"""Return a text like styled_line, but keep lines of verse and paragraphs: \n ends a line, \n\n
    a stanza, and verse.PARAGRAPH a paragraph of prose."""
    lines = verse.keep_lines(visible(text), before, after)
    return _trimmed(
        run._replace(text=verse.collapse_space(lines[run.start : run.start + len(run.text)]))
        for run in styled_runs(visible(text), before, after, strong)
    )


def _trimmed(runs: Iterable[Run]) -> list[Run]:
    """Return runs without whitespace at either end or twice in a row."""
    line: list[Run] = []
    for run in runs:
        follows_space = not line or line[-1].text[-1].isspace()
        words = run.text.lstrip() if follows_space else run.text
        if words:
            line.append(run._replace(text=words))
    if line and line[-1].text[-1].isspace():
        last = line.pop()
        line += [last._replace(text=last.text.rstrip())] if last.text.strip() else []
    return line


def slash_runs(runs: Iterable[Run]) -> list[Run]:
    """Return a passage of styled_passage on one line, as verse.slash_lines does."""
    return [run._replace(text=verse.slash_lines(run.text)) for run in runs]


def split_stanzas(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the stanzas and the paragraphs of prose of a passage of styled_passage."""
    return [part for prose in split_paragraphs(runs) for part in _split(prose, "\n\n")]


def split_paragraphs(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the paragraphs of prose of a passage of styled_passage; adjacent stanzas are one."""
    return _split(runs, verse.PARAGRAPH)


def _split(runs: Iterable[Run], separator: str) -> list[list[Run]]:
    parts: list[list[Run]] = [[]]
    for run in runs:
        first, *others = run.text.split(separator)
        parts[-1].append(run._replace(text=first))
        parts += [[run._replace(text=part)] for part in others]
    return parts


def run_length(line: Iterable[Run]) -> int:
    """Return the number of characters of a line in runs."""
    return sum(len(run.text) for run in line)


def slice_runs(line: Iterable[Run], start: int, end: int) -> list[Run]:
    """Return the characters [start, end) of a line in runs."""
    parts, at = [], 0
    for run in line:
        text = run.text[max(start - at, 0) : max(end - at, 0)]
        if text:
            parts.append(run._replace(text=text, start=run.start + max(start - at, 0)))
        at += len(run.text)
    return parts


def plain_text(text: str) -> str:
    """Return a text without its emphasis marks.

    >>> plain_text("I _did_ say snake_case.")
    'I did say snake_case.'
    """
    return "".join(run.text for run in styled_runs(text))


def plain_line(text: str) -> str:
    """Return a text as one line of visible text without its emphasis marks."""
    return "".join(run.text for run in styled_line(text))
