"""Vocatives: the characters whom a quotation addresses by name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.types import Quotation, Span

_CHARACTERS_BEFORE = 40
_CHARACTERS_BEHIND = 160

_PRECEDING = re.compile(
    r"(?:^|[.!?;:,…]|--|—|–)[\s\"'“”‘’_]*"
    r"(?:(?:my|oh|o|ah|ay|aye|well|now|but|yes|no|nay|good|thank|you|come|dear|dearest|"
    r"sweet|old|little|hullo|hello|hallo|look|here|see|why|so|for|then|please|bye|night|"
    r"morning|afternoon|evening|to)[\s,!]+)*$",
    re.IGNORECASE,
)
"""The text before a name that is a vocative."""

_TITLE = re.compile(r"\b(?:mr|mrs|miss|dr|lady|sir|captain|colonel)\.?\s*$", re.IGNORECASE)
_FOLLOWING = re.compile(r"[\s_]*(?:$|[.!?;:,…]|--|—|–)")
_ENUMERATION = re.compile(r"[\s_]*,[\s_]*(?:and|or|too|a|an|the|his|their)\b")
_RELATIVE_CLAUSE = re.compile(r"[\s_]*,[\s_]*(?:who|whose|which)\b[^.!?]*(?:[.!]|$)")
"""The text after a name with a relative clause: "Jane, who is here, knows."."""


def find_vocatives(text: str, quotation: Quotation, mentions: Sequence[Mention]) -> list[int]:
    """Return the characters that a quotation addresses by name, in text order, each once.

    `mentions` are in text order. A name is a vocative if punctuation or the ends of the speech
    separate it from the sentence ("Well, Jane, who is it from?"), unless it is in a list or has a
    relative clause.
    """
    addressees: dict[int, None] = {}
    for piece in quotation.pieces:
        index = bisect_left(mentions, piece.start, key=lambda mention: mention.span.start)
        while index < len(mentions) and mentions[index].span.end <= piece.end:
            if _is_vocative(text, piece, mentions[index].span):
                addressees[mentions[index].character] = None
            index += 1
    return list(addressees)


def _is_vocative(text: str, piece: Span, name: Span) -> bool:
    start = max(piece.start, name.start - _CHARACTERS_BEFORE)
    before = _TITLE.sub("", text[start : name.start])
    if start > piece.start:
        before = "x" + before  # the window's edge is not the beginning of the speech
    after = text[name.end : min(piece.end, name.end + _CHARACTERS_BEHIND)]
    if not _FOLLOWING.match(after) or not _PRECEDING.search(before):
        return False
    return not _ENUMERATION.match(after) and not _RELATIVE_CLAUSE.match(after)
