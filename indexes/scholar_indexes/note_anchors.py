"""The anchors of notes in stored texts, which are no words: mill,[1] nothing[A] water¹

Stored text keeps them, and the bodies of notes, for readers; quotations omit them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""Superscript digits."""

SIGNS = "\u2460-\u2473\u2776-\u277f\u2051\u203b\u204e\u2217‖"
"""The range of characters that are signs of notes wherever they are: ① ❶ ※ ⁎ ∗ ‖"""

MARKS = r"[*†‡§¶‖#+]{1,4}"
"""The regular expression of the marks of a note."""

_ANCHOR = re.compile(
    r"\[+(?:"
    r"(?P<number> ?[*†‡]?\d{1,3}[a-z]?[.:)*†‡]? ?|\d{1,4}[:.-][\dA-Z]{1,3}"
    r"|\d{1,3}(?:, ?\d{1,3}){1,4})"
    r"|(?P<year>\d{4})"
    rf"|{MARKS}|[{RAISED}]{{1,4}}|(?:(?:foot|end)?note|(?:ft?|e)?n)\.? ?#?\d{{1,4}}|#\d{{1,3}}"
    r"|(?:foot|end)note|(?-i:(?P<twice>[A-HJ-LN-WYZ])(?P=twice))"
    r"|(?P<letter>[a-z]|(?-i:[ivxlc]{2,6}))(?=\]+(?![^\W_]))"
    r")\]+"
    rf"|(?P<raised>⁽?(?:[{RAISED}]{{1,4}}|(?<=[^\W\d_]{{3}})[ᵃᵇᶜ])⁾?)(?![/⁄\d])|[{SIGNS}]"
    r"|(?<=\S)\^\{?(?P<power>\d{1,3})\}?(?![^\W_])"
    r"|<\d{1,3}>"
    r"|(?<!\^)\{(?:\d{1,3}|(?-i:[A-Z]))\}(?![^\W_])"
    r"|(?<=[^\s(\[—–-])\(\d{1,3}\)(?![^\W_])"
    r"|(?<=[^\s*†‡§¶])[*†‡§¶]{1,3}(?![^\W_]|[*†‡§¶])"
    r"|^[ \t]*[*†‡§¶]{1,3}(?=[ \t]?[^\W_]|[ \t]?[_“‘\"'])",
    re.IGNORECASE | re.MULTILINE,
)
_MAYBE = re.compile(rf"[\[{RAISED}{SIGNS}ᵃᵇᶜ^<{{*†‡§¶]|[^\s(]\(\d")
"""A part of every text with an anchor; it is found much faster than the anchors."""

_POWER = re.compile(rf"(?:(?<![^\W_])[^\W\d_IaO]|[\d{RAISED}])\Z")
"""The end of a text whose next raised number is an exponent: "10", "x"."""

_OPENS = re.compile(r"[\s(]?[\"'_]")
"""A mark at the beginning of a word, and the character before it."""

_AFTER_MARK = frozenset(".,;:!?”’\"'_)")

_LABEL = re.compile(
    r"(?m)^[ \t]*(?:\[(?:(?:foot|end)?notes? )?|\{)(?P<label>[^\s\[\]{}:]{1,8})"
    r"(?:[\]}]|: )[ \t]*\S",
    re.IGNORECASE,
)
"""The beginning of the body of a note."""

_FOOTNOTE = re.compile(
    r"\[_?(?:(?:foot|end)notes?\b(?! ?\d{1,3}\])|sidenotes?\b"
    r"|(?:note(?: \w{1,3})?|[fe]n ?#?\d{1,4}):)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[\[\]]")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")

BETWEEN_WORDS = (
    r"\[+(?: ?[FE]?N?\.? ?#?\d{1,4}(?:(?:[:.-]|, ?)\w{1,3}|[.:)*†‡])? ?|[A-Za-z]"
    rf"|{MARKS}|[{RAISED}]+)\]+(?![^\W_])|[{RAISED}{SIGNS}†‡§¶]+|[<{{]\d{{1,3}}[>}}]"
)
"""The regular expression of an anchor between two words, without the tests of `anchors`."""

WORD = rf"(?<![^\W_])(?!(?<=[\[<{{])(?:\d{{1,4}}|[A-Z])[\]>}}:.-])[^\W_{RAISED}{SIGNS}]+"
"""The regular expression of the letters of a word, or of its first part, that is no anchor."""

LONGEST_NOTE = 20_000
"""The most characters of a note in brackets."""


class Anchor(NamedTuple):
    """The span of an anchor, and its label: "1" for "[1]"."""

    start: int
    end: int
    label: str


def anchors(text: str) -> list[Anchor]:
    """Return the anchors of notes in a text in order, and the same labels at the notes.

    A letter in brackets, such as an editor's "[a]", is an anchor only after a mark, or if a
    paragraph begins with it; a raised number is none after a number or a single letter.
    """
    if not _MAYBE.search(text):
        return []
    labels = {match["label"] for match in _LABEL.finditer(text)}
    return [
        Anchor(*match.span(), match[0].strip("[]{}<>()^ \t"))
        for match in _ANCHOR.finditer(text)
        if _is_anchor(match, text, labels)
    ]


def _is_anchor(match: re.Match[str], text: str, labels: set[str]) -> bool:
    before = text[max(0, match.start() - 2) : match.start()]
    if match["raised"] or match["power"]:
        return not _POWER.search(before)
    if match["year"]:
        return before[-1:].isalpha() or before[-1:] in _AFTER_MARK
    if letter := match["letter"]:
        is_glued = before[-1:] in _AFTER_MARK and not _OPENS.fullmatch(before)
        is_after_word = (letter.isupper() or len(letter) > 1) and before[-1:].isalpha()
        return bool(before) and (is_glued or is_after_word or letter in labels)
    return True


def blank(text: str, known: Sequence[Anchor] | None = None) -> str:
    """Return a text of the same length with spaces for the anchors of notes; `known` are its
    anchors, if they are known.

    >>> blank("to the mill,[1] and on")
    'to the mill,    and on'
    """
    parts, at = [], 0
    for anchor in anchors(text) if known is None else known:
        parts += [text[at : anchor.start], " " * (anchor.end - anchor.start)]
        at = anchor.end
    return "".join((*parts, text[at:]))


def note_spans(text: str, known: Sequence[Anchor]) -> Iterator[tuple[int, int]]:
    """Yield the bodies of notes among a text, in order, given its anchors: "[Footnote 2: so]", and
    paragraphs that begin with the label of an anchor before them."""
    spans = sorted([*_footnotes(text), *_labelled_paragraphs(text, known)])
    end = 0
    for span in spans:
        if span[0] >= end:
            yield span
            end = span[1]


def _footnotes(text: str) -> Iterator[tuple[int, int]]:
    """Yield the notes in brackets, whose own brackets are closed."""
    for opening in _FOOTNOTE.finditer(text):
        depth = 0
        for bracket in _BRACKET.finditer(text, opening.start(), opening.start() + LONGEST_NOTE):
            depth += 1 if bracket[0] == "[" else -1
            if not depth:
                yield opening.start(), bracket.end()
                break


def _labelled_paragraphs(text: str, known: Sequence[Anchor]) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs that begin with the label of an anchor before them."""
    open_labels: set[str] = set()
    for anchor in known:
        line = text.rfind("\n", 0, anchor.start) + 1
        if text[line : anchor.start].strip():
            open_labels.add(anchor.label)
        elif anchor.label in open_labels and (not line or text[:line].endswith("\n\n")):
            end = _PARAGRAPH_END.search(text, anchor.end)
            yield anchor.start, end.start() if end else len(text)
            open_labels.discard(anchor.label)
