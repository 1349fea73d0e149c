"""Read a quotation from an essay: its words, and the marks of the writer's omissions and additions.

    "It is a truth ... that a [young] man"  ->  it is a truth ‖ that a [young] man

At an ellipsis words may be missing; words in square brackets are the writer's own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes import note_anchors
from scholar_indexes.quotations.words import Numbers, number_words
from scholar_indexes.types import Span

LONGEST = 1_000
"""The maximum number of words of a quotation that are read; the rest is not compared."""

LONGEST_WORD = 12
"""The maximum average length of a word of a long quotation, with the space after it."""

_ELLIPSIS = re.compile(
    r"\[\s*(?:…|\.(?:\s?\.){2,3})\s*\]|\(\s*(?:…|\.(?:\s?\.){2,3})\s*\)|…|\.(?:\s?\.){2,}|\*(?:\s?\*){2,}"
)
_DIVIDED = re.compile(r"(?<=[^\W\d_])[-‐­¬][ \t]*\n[ \t]*(?=[a-zà-ÿ])")
"""The hyphen of a word that is divided at the end of a line."""

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """The words of a quotation: their numbers, and the span of each in the quotation; (m,).

    `ellipses` are the spans of ellipses by the index of the next word; `is_added` is True for a
    word in square brackets, `is_edited` for one with letters in brackets: "know[s]". The text after
    `end` was not read.
    """

    text: str
    numbers: Numbers
    spans: Sequence[Span]
    ellipses: Mapping[int, Span]
    is_added: Sequence[bool]
    is_edited: Sequence[bool]
    end: int

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def unread(self) -> str:
        """The unread end of a quotation that is too long, else ""."""
        return self.text[self.end :].strip()

    @property
    def has_gaps(self) -> bool:
        """True if there is an ellipsis between two words."""
        return any(0 < word < len(self) for word in self.ellipses)

    @property
    def words(self) -> list[str]:
        """The words as written, in lower case."""
        return [
            "".join(letter for letter in span.of(self.text) if letter.isalnum()).casefold()
            for span in self.spans
        ]


def read(text: str) -> QuotedWords:
    """Return the words of a quotation, at most LONGEST."""
    read_text = text[: LONGEST * LONGEST_WORD]
    gaps = [Span(*match.span()) for match in _ELLIPSIS.finditer(read_text)]
    without_ellipses = note_anchors.blank(
        _ELLIPSIS.sub(lambda match: " " * len(match[0]), read_text)
    )
    numbers, spans = _split(without_ellipses)
    numbers, spans, left_out = numbers[:LONGEST], spans[:LONGEST], spans[LONGEST:]
    starts = [span.start for span in spans]
    brackets = list(_brackets(without_ellipses))
    is_added = [_is_within(span, brackets) for span in spans]
    is_edited = [
        not added and _has_bracket(read_text, span)
        for span, added in zip(spans, is_added, strict=True)
    ]
    return QuotedWords(
        text,
        numbers,
        spans,
        {bisect_left(starts, gap.start): gap for gap in gaps},
        is_added,
        is_edited,
        left_out[0].start if left_out else len(read_text),
    )


def _brackets(text: str) -> Iterator[Span]:
    """Yield the square brackets of a text that contain whole words; "[I]t" and "know[s]" are single
    words with a changed letter."""
    for match in _BRACKETED.finditer(text):
        touches_left = match.start() > 0 and text[match.start() - 1].isalnum()
        touches_right = match.end() < len(text) and text[match.end()].isalnum()
        if not touches_left and not touches_right:
            yield Span(*match.span())


def _is_within(span: Span, brackets: Sequence[Span]) -> bool:
    at = bisect_right(brackets, span.start, key=lambda bracket: bracket.start) - 1
    return at >= 0 and span.start < brackets[at].end


def _has_bracket(text: str, span: Span) -> bool:
    """Return True for a word with a bracket in it, or before its first letter."""
    return "[" in span.of(text) or text[span.start - 1 : span.start] == "["


def _split(text: str) -> tuple[Numbers, list[Span]]:
    """Return the numbers and the spans of the words of a text; brackets within a word are part of
    it, and a word divided at the end of a line is one word."""
    divided = {at for match in _DIVIDED.finditer(text) for at in range(*match.span())}
    kept = [
        at
        for at, letter in enumerate(text)
        if at not in divided and (letter not in "[]" or not _is_within_word(text, at))
    ]
    words = number_words("".join(text[at] for at in kept))
    spans = [
        Span(kept[start], _bracket_end(text, kept[start], kept[end - 1] + 1))
        for start, end in zip(words.starts.tolist(), words.ends.tolist(), strict=True)
    ]
    return np.asarray(words.numbers), spans


def _bracket_end(text: str, start: int, end: int) -> int:
    """Return the end of a word, including a bracket after it that closes one within it."""
    return end + 1 if "[" in text[start:end] and text[end : end + 1] == "]" else end


def _is_within_word(text: str, at: int) -> bool:
    """Return True for a bracket that touches letters on both sides."""
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
