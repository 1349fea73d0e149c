"""Read a quotation as it stands in an essay: its words, and the marks of what its writer left out
or put in.

    "It is a truth ... that a [young] man"  ->  it is a truth ‖ that a [young] man

Where an ellipsis stands words may be missing; words in square brackets are the writer's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.quotations.words import Numbers, number_words
from scholar_indexes.types import Span

LONGEST = 1_000
"""Words of a quotation that are read; what follows them is not compared."""

LONGEST_WORD = 12
"""Characters of a word, with the space behind it, that a long quotation has on average at most."""

_ELLIPSIS = re.compile(
    r"\[\s*(?:…|\.(?:\s?\.){2,3})\s*\]|\(\s*(?:…|\.(?:\s?\.){2,3})\s*\)|…|\.(?:\s?\.){2,}|\*(?:\s?\*){2,}"
)
_DIVIDED = re.compile(r"(?<=[^\W\d_])[-‐­][ \t]*\n[ \t]*(?=[a-zà-ÿ])")
"""The hyphen of a word that is divided at the end of a line."""

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """The words of a quotation: their numbers, and the span of each in the quotation; (m,).

    `ellipses` are the spans of ellipses by the word before which they stand; `is_added` is True for
    a word in square brackets, `is_edited` for one with letters in brackets: "know[s]".
    """

    text: str
    numbers: Numbers
    spans: Sequence[Span]
    ellipses: Mapping[int, Span]
    is_added: Sequence[bool]
    is_edited: Sequence[bool]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def has_gaps(self) -> bool:
        """True if an ellipsis stands between two words."""
        return any(0 < word < len(self) for word in self.ellipses)

    @property
    def words(self) -> list[str]:
        """The words as they are written, in small letters."""
        return [
            "".join(letter for letter in span.of(self.text) if letter.isalnum()).casefold()
            for span in self.spans
        ]


def read(text: str) -> QuotedWords:
    """Return the words of a quotation, the first LONGEST."""
    text = text[: LONGEST * LONGEST_WORD]
    gaps = [match.span() for match in _ELLIPSIS.finditer(text)]
    plain = list(text)
    for start, end in gaps:
        plain[start:end] = " " * (end - start)
    added = []
    for match in _BRACKETED.finditer("".join(plain)):
        # "[I]t" and "know[s]" are one word, of which a letter was changed.
        joined_left = match.start() > 0 and text[match.start() - 1].isalnum()
        joined_right = match.end() < len(text) and text[match.end()].isalnum()
        if not joined_left and not joined_right:
            added.append(match.span())
    cleaned = "".join(plain)
    numbers, spans = _split(cleaned)
    ellipses = {sum(span.start < start for span in spans): Span(start, end) for start, end in gaps}
    is_added = [any(start <= span.start < end for start, end in added) for span in spans]
    is_edited = ["[" in span.of(text) or text[: span.start].endswith("[") for span in spans]
    is_edited = [edited and not added for edited, added in zip(is_edited, is_added, strict=True)]
    return QuotedWords(
        text,
        numbers[:LONGEST],
        spans[:LONGEST],
        {word: span for word, span in ellipses.items() if word <= LONGEST},
        is_added[:LONGEST],
        is_edited[:LONGEST],
    )


def _split(text: str) -> tuple[Numbers, list[Span]]:
    """Return the numbers and the spans of the words of a text; brackets within a word are a
    part of it, and a word that is divided at the end of a line is one."""
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
    """Return the end of a word, with the bracket behind it that closes one within it."""
    return end + 1 if "[" in text[start:end] and text[end : end + 1] == "]" else end


def _is_within_word(text: str, at: int) -> bool:
    """Return True for a bracket that touches letters on both sides."""
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
