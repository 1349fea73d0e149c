"""Quotations in books that mark speech with a dash at the beginning of a paragraph."""

from __future__ import annotations

import re

from scholar_indexes.attribution.quotes.conventions import OPENING_DASH
from scholar_indexes.attribution.quotes.paragraphs import strip_span
from scholar_indexes.attribution.quotes.speech import SPEECH_VERBS
from scholar_indexes.types import Quotation, Span

_WORD = r"[^\W_]"
_NAME = rf"(?:(?:M(?:r|rs|essrs)|Dr|St|Rev|Capt|Col)\.\s+)?[A-Z]{_WORD}*(?:\s+[A-Z]{_WORD}*)*"
_SUBJECT = (
    rf"(?:he|she|I|they|it|we|(?:[a-z]+\s+)?{_NAME}|(?:the|a|an|his|her|my)(?:\s+{_WORD}+){{1,3}}?)"
)
_TAG = re.compile(
    rf"(?<=[,!?;:…—-])\s+(?:{_SUBJECT}\s+{SPEECH_VERBS}|{SPEECH_VERBS}\s+{_SUBJECT})\b"
    rf"[^.!?,:]*(?:,\s+(?:{_WORD}+\s+)?{_WORD}{{2,}}ing\b[^.!?,:]*)*[.!?,:]*"
)


def find_dashed(text: str, paragraph: Span) -> list[Quotation]:
    """Return the quotation of a paragraph that begins with a dash: all but the narrator's tags.

    A tag follows a punctuation mark other than a full stop and has a verb of speech next to
    its subject. Speech continues after it, but not with a participle ("he said, rising").
    """
    opening = OPENING_DASH.match(text, paragraph.start, paragraph.end)
    if not opening:
        return []
    pieces: list[Span] = []
    start = opening.end()
    for tag in _TAG.finditer(text, start, paragraph.end):
        pieces += strip_span(text, start, tag.start())
        start = tag.end()
    pieces += strip_span(text, start, paragraph.end)
    return [Quotation(tuple(pieces))] if pieces else []
