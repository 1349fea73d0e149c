"""Conversion of tokenized books to running text, and of its spans to spans of tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.litbank.litbank_data import TokenSpan
from scholar_indexes.types import Span

_NO_SPACE_BEFORE = frozenset([*",.;:!?)]}%", "...", "'s", "’s", "n't", "n’t"])
_CONTRACTIONS = ("'", "’")
_NO_SPACE_AFTER = frozenset("([{“‘")
_OPENING, _CLOSING = "“", "”"


@dataclass(frozen=True)
class PlainText:
    """A running text; its tokens have starts and ends in characters, and places: their sentence and
    their number in it."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    places: tuple[tuple[int, int], ...]

    def tokens_of(self, span: Span) -> TokenSpan | None:
        """Return the tokens that a span covers; None if it cuts one or crosses sentences."""
        first, last = bisect_left(self.starts, span.start), bisect_left(self.ends, span.end)
        if first > last or last == len(self.ends):
            return None
        if self.starts[first] != span.start or self.ends[last] != span.end:
            return None
        (sentence, start), (other, end) = self.places[first], self.places[last]
        return TokenSpan(sentence, start, end + 1) if sentence == other else None


def join_tokens(sentences: Sequence[Sequence[str]]) -> PlainText:
    """Return the running text of tokenized sentences, without spaces before punctuation and
    contractions.

    The format has no paragraphs. A new one begins where a sentence that opens a quotation follows
    a sentence that closes one, because a new speaker has a new paragraph.
    """
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    places: list[tuple[int, int]] = []
    length = 0
    previous = ""
    for sentence, tokens in enumerate(sentences):
        for position, token in enumerate(tokens):
            gap = _gap(previous, token, begins_sentence=position == 0)
            parts += gap, token
            starts.append(length + len(gap))
            length += len(gap) + len(token)
            ends.append(length)
            places.append((sentence, position))
            previous = token
    return PlainText("".join(parts), tuple(starts), tuple(ends), tuple(places))


def _gap(previous: str, token: str, *, begins_sentence: bool) -> str:
    """Return the white space between two tokens."""
    if not previous:
        return ""
    if begins_sentence and previous == _CLOSING and token == _OPENING:
        return "\n\n"
    is_ending = token.startswith(_CONTRACTIONS) and len(token) > 1
    if previous in _NO_SPACE_AFTER or token in _NO_SPACE_BEFORE or token == _CLOSING or is_ending:
        return ""
    return " "
