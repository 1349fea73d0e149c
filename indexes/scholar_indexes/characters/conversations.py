"""Conversations: a character who says something soon after another has answered them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scholar_indexes.results import AttributedQuote

MAX_PARAGRAPH_GAP = 3
"""An answer begins at most this many paragraphs after the turn that it answers."""

_PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two characters who speak with each other, by their ids, in alphabetical order.

    `turns` counts how often one of them answers the other; `chapters` are the numbers of the
    chapters of these answers; `first` is the locator of the first answer.
    """

    between: tuple[str, str]
    turns: int
    chapters: tuple[int, ...]
    first: str

    def partner(self, character_id: str) -> str:
        """Return the id of the other character."""
        first, second = self.between
        return second if character_id == first else first


def find_exchanges(text: str, quotes: Iterable[AttributedQuote]) -> list[Exchange]:
    """Return the exchanges between characters, most turns first.

    `quotes` are in reading order. Successive quotations of one character are one turn; the next
    turn answers it if it is in the same chapter and begins at most MAX_PARAGRAPH_GAP paragraphs
    after it. A turn without a known speaker neither answers nor is answered; quotations that are
    not speech are ignored. Linear in the text.
    """
    answers: dict[tuple[str, str], list[AttributedQuote]] = {}
    for answered, speaker, answer in _answers(text, quotes):
        pair = (min(answered, speaker), max(answered, speaker))
        answers.setdefault(pair, []).append(answer)
    exchanges = [
        Exchange(
            pair,
            len(turns),
            tuple(dict.fromkeys(turn.chapter.number for turn in turns)),
            turns[0].locator,
        )
        for pair, turns in answers.items()
    ]
    return sorted(exchanges, key=lambda exchange: -exchange.turns)


def exchanges_of(character_id: str, exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges of a character, most turns first."""
    return [exchange for exchange in exchanges if character_id in exchange.between]


def _answers(
    text: str, quotes: Iterable[AttributedQuote]
) -> Iterator[tuple[str, str, AttributedQuote]]:
    """Yield the id of the character answered, the id of the speaker, and the answer."""
    previous: AttributedQuote | None = None
    for quote in quotes:
        if not quote.attribution.is_speech:
            continue
        if previous and _answers_to(text, previous, quote):
            answered, speaker = previous.attribution.speaker, quote.attribution.speaker
            if answered and speaker:
                yield answered.id, speaker.id, quote
        previous = quote


def _answers_to(text: str, previous: AttributedQuote, quote: AttributedQuote) -> bool:
    """Return True if a quotation is another speaker's, soon after the previous one."""
    answered, speaker = previous.attribution.speaker, quote.attribution.speaker
    if not answered or not speaker or answered.id == speaker.id:
        return False
    if previous.chapter.number != quote.chapter.number:
        return False
    breaks = _PARAGRAPH_BREAK.finditer(
        text, previous.quotation.span.end, quote.quotation.span.start
    )
    return sum(1 for _ in breaks) <= MAX_PARAGRAPH_GAP
