"""Find the words that are divided at the ends of lines: "morn-/ing", but not "self-/control".

The hyphen at the end of a line belongs to a compound, or divides a word: scanned texts have both,
transcribed ones hardly any of the second kind. Words are joined in a text in which at least half of
the clear cases divide a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from scholar_indexes.lexicon.word_frequencies import is_listed

SIGN = "¬"
"""The hyphen of a divided word, as some scanning programs write it."""

_LINE_END = re.compile(
    rf"(?<=[^\W\d_])(?P<hyphen>[-‐{SIGN}])[ \t]*\n[ \t]*(?=(?P<second>[^\W\d_]+))"
)
_SOFT = re.compile(r"\u00ad(?=[ \t]*[\r\n])")
_FIRST = re.compile(r"(?<![\w'’‐-])[^\W\d_]+\Z")
_COMMON = 500
"""The sentences in a million with a second part that is a word: "faced", but not "ing"."""

_LONGEST = 40
"""The maximum number of letters of the first part of a divided word."""

_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_JOINED = re.compile(rf"(?<=[^\W\d_]){SIGN}(?:(?=[^\W\d_])|\n[ \t]*(?P<second>[^\W\d_]\S*) ?)")


def with_signs(text: str) -> str:
    """Return a text with a SIGN for each soft hyphen at the end of a line."""
    return _SOFT.sub(SIGN, text)


def marked(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a text with a SIGN for the hyphen of each divided word."""
    text = "\n".join(lines)
    ends = list(_LINE_END.finditer(text))
    if not ends:
        return lines
    words = _words(text, ends)
    verdicts = {end.start(): _divides(end, words) for end in ends}
    clear = [verdict for verdict in verdicts.values() if verdict is not None]
    if 2 * sum(clear) < len(clear) or not any(clear):
        return lines
    marks = [at for at, verdict in verdicts.items() if verdict is not False]
    parts = [text[at + 1 : after] for at, after in zip([-1, *marks], [*marks, None], strict=True)]
    return SIGN.join(parts).split("\n")


def joined(text: str) -> str:
    """Return a text without the signs of divided words; the second part moves to the first.

    >>> joined("the morn¬ing and the even¬\\ning were")
    'the morning and the evening\\nwere'
    """
    return _JOINED.sub(lambda end: f"{end['second']}\n" if end["second"] else "", text)


def _words(text: str, ends: Sequence[re.Match[str]]) -> Set[str]:
    """Return the words and compounds of a text, but not the parts of those at line ends."""
    whole: set[str] = set()
    at = 0
    for end in ends:
        whole.update(_WORD.findall(text[at : end.start() - len(_first(end))].casefold()))
        at = end.end("second")
    whole.update(_WORD.findall(text[at:].casefold()))
    return whole


def _first(end: re.Match[str]) -> str:
    """Return the first part of the word at a line end, "" for one with another hyphen."""
    first = _FIRST.search(end.string[max(0, end.start() - _LONGEST) : end.start()])
    return first[0] if first else ""


def _divides(end: re.Match[str], words: Set[str]) -> bool | None:
    """Return True for the hyphen of a divided word, False for the hyphen of a compound, and None in
    an unknown word."""
    first, second = _first(end).casefold(), end["second"]
    if end["hyphen"] == SIGN:
        return True
    if not first or not second.islower() or f"{first}-{second}" in words:
        return False
    if first + second in words:
        return True
    if is_listed(first + second):
        return None if second in words or is_listed(second, _COMMON) else True
    is_compound = all(part in words or is_listed(part) for part in (first, second))
    return False if is_compound else None
