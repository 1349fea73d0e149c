"""The narration on both sides of each piece of a quotation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scholar_indexes.attribution.cues.tokens import SENTENCE_ENDS
from scholar_indexes.stopping import checked
from scholar_indexes.types import Quotation, Span

REACH = 700
"""The number of characters of narration examined on each side of a piece of a quotation."""

QUOTATION_EDGES = " \t\r\n\"'“”‘’«»`_*"
"""Characters around the words of a quotation."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_LEADING_ENDS = (",", ":", ";", "-", "—", "–")


class Surroundings(NamedTuple):
    """The narration before and after a piece of a quotation, within its paragraph."""

    before: Span
    after: Span


def split_paragraphs(text: str) -> list[Span]:
    """Return the paragraphs of a text, which are separated by blank lines."""
    return [Span(*match.span()) for match in _PARAGRAPH.finditer(text)]


def find_surroundings(text: str, quotations: Sequence[Quotation]) -> Mapping[Span, Surroundings]:
    """Return the narration around each piece of the quotations."""
    paragraphs = split_paragraphs(text) or [Span(0, len(text))]
    starts = [0, *(paragraph.start for paragraph in paragraphs[1:])]
    ends = [paragraph.end for paragraph in paragraphs]
    pieces = sorted({piece for quotation in quotations for piece in quotation.pieces})
    surroundings = {}
    reached = 0  # the end of the speech so far
    for piece, following in checked(zip(pieces, [*pieces[1:], None], strict=False)):
        first = bisect_right(starts, piece.start) - 1
        last = bisect_right(starts, max(piece.start, piece.end - 1)) - 1
        begin, end = starts[first], max(ends[last], piece.end)
        before = Span(min(max(reached, begin, piece.start - REACH), piece.start), piece.start)
        limit = min(following.start if following else len(text), end, piece.end + REACH)
        after = Span(piece.end, max(piece.end, limit))
        opens_paragraph = reached <= begin and not before.of(text).strip(QUOTATION_EDGES)
        if opens_paragraph and first > 0:
            # "He thought, and said:" may be a paragraph of its own.
            start = max(reached, starts[first - 1], piece.start - REACH)
            before = Span(min(start, ends[first - 1]), ends[first - 1])
            if not _leads_to_speech(before.of(text)):
                before = Span(piece.start, piece.start)
        surroundings[piece] = Surroundings(before, after)
        reached = max(reached, piece.end)
    return surroundings


def _leads_to_speech(paragraph: str) -> bool:
    """Return True if the end of a paragraph leads up to speech, and it is not a heading."""
    plain = paragraph.rstrip(QUOTATION_EDGES)
    if plain[-1:] in SENTENCE_ENDS:
        return False
    last_word = plain[plain.rfind(" ") + 1 :]
    return plain[-1:] in _LEADING_ENDS or last_word.islower()
