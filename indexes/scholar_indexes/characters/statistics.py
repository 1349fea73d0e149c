"""Statistics of a book's dialogue: how much each speaker says in each chapter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scholar_indexes.results import AttributedQuote
    from scholar_indexes.types import Chapter, Character

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class SpeechCount:
    """The numbers of quotations of a speaker in a chapter and of words in them; the speaker is
    None for quotations with an unknown speaker."""

    speaker: Character | None
    chapter: Chapter
    quotations: int
    words: int


def count_words(text: str) -> int:
    """Return the number of words in a text; "o'clock" and "good-bye" are one each."""
    return sum(1 for _ in _WORD.finditer(text))


def count_speech(quotes: Iterable[AttributedQuote]) -> list[SpeechCount]:
    """Return the speech counts by speaker and chapter: speakers with most words first, unknown
    ones last, chapters in reading order.

    `quotes` are in reading order; a quotation belongs to the chapter in which it begins. Only
    speech counts, not thoughts, letters or mentioned words.
    """
    groups: dict[str | None, dict[int, list[AttributedQuote]]] = {}
    for quote in quotes:
        if not quote.attribution.is_speech:
            continue
        speaker = quote.attribution.speaker
        chapters = groups.setdefault(speaker.id if speaker else None, {})
        chapters.setdefault(quote.chapter.number, []).append(quote)
    counts = [
        [
            SpeechCount(
                speech[0].attribution.speaker,
                speech[0].chapter,
                len(speech),
                sum(count_words(quote.text) for quote in speech),
            )
            for speech in chapters.values()
        ]
        for chapters in groups.values()
    ]
    counts.sort(key=lambda own: (own[0].speaker is None, -sum(count.words for count in own)))
    return [count for own in counts for count in own]
