"""The convention by which a book marks speech, decided by a vote of its paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum

from scholar_indexes.attribution.quotes.clipped_words import CLIPPED_BEFORE
from scholar_indexes.attribution.quotes.paragraphs import split_paragraphs
from scholar_indexes.types import Span


class Convention(StrEnum):
    """The marks of an outer quotation, whatever the marks of quotations inside it."""

    DOUBLE = "double"  # "Yes," “Yes,”
    DOUBLED = "doubled"  # ``Yes,'' ‘‘Yes,’’
    SINGLE = "single"  # 'Yes,' ‘Yes,’ `Yes,'
    GUILLEMETS = "guillemets"  # «Yes,» »Yes,«
    DASH = "dash"  # --Yes, a paragraph that begins with a dash
    NONE = "none"


DASHES = 5
"""In a book whose dashes mark speech, at least one paragraph in this many begins with one."""

_WORD = r"[^\W_]"
_FIRST_MARKS = (
    (re.compile(r"[\"“”„‟]"), Convention.DOUBLE),
    (re.compile(r"[«»]"), Convention.GUILLEMETS),
    (re.compile(r"``|''|‘‘|’’"), Convention.DOUBLED),
)
_SINGLE_OPENS = re.compile(r"(?:(?<=[\s(\[_—–―-])|^)['‘`](?=[_\"“]{0,2}([^\W\d_]+))")
_SINGLE_CLOSES = re.compile(rf"[.,;:!?…—–-][_\"”]{{0,2}}['’](?!{_WORD})")
OPENING_DASH = re.compile(rf"(?:[—–―]+|--+)[ \xa0]?(?=['’‘]?{_WORD})")


def detect_convention(text: str) -> Convention:
    """Return the convention by which a whole book marks speech.

    Quotations inside quotations have other marks, so the mark that comes first in a
    paragraph is the outer one; each paragraph has one vote.
    """
    votes = Counter(
        _paragraph_vote(text, paragraph) for paragraph in split_paragraphs(text, Span(0, len(text)))
    )
    count = votes.total()
    del votes[Convention.NONE]
    dashes = votes.pop(Convention.DASH, 0)
    best, most = max(votes.items(), key=lambda vote: vote[1], default=(Convention.NONE, 0))
    if dashes > most and dashes * DASHES >= count:
        return Convention.DASH
    return best


def _paragraph_vote(text: str, paragraph: Span) -> Convention:
    """Return the convention of the first mark of a paragraph that may open a quotation."""
    start, end = paragraph.start, paragraph.end
    if OPENING_DASH.match(text, start, end):
        return Convention.DASH
    vote = Convention.NONE
    for pattern, convention in _FIRST_MARKS:
        if mark := pattern.search(text, start, end):
            vote, end = convention, mark.start()
    for mark in _SINGLE_OPENS.finditer(text, start, end):
        if mark.group(1).lower() not in CLIPPED_BEFORE:
            if text[mark.start()] == "‘" or _SINGLE_CLOSES.search(text, mark.end(), paragraph.end):
                return Convention.SINGLE
            break
    return vote
