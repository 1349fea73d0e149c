"""Who speaks with whom: whoever says something soon after another has answered them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scholar_indexes.answers import Quote
    from scholar_indexes.types import Character

NEAR = 3
"""An answer begins at most as many paragraphs after what it answers."""

_BREAK = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two who speak with each other, by their ids.

    turns counts how often one of them answers the other; chapters are the numbers of those in
    which that is; first is the locator of the first answer.
    """

    between: tuple[str, str]
    turns: int
    chapters: tuple[int, ...]
    first: str

    def partner(self, who: str) -> str:
        """The other one."""
        one, other = self.between
        return other if who == one else one


def exchanges(text: str, quotes: Iterable[Quote]) -> list[Exchange]:
    """Who answers whom how often, most first.

    quotes are in reading order. What somebody says in several quotations is one turn until
    another speaks; the next turn answers it where it is of the same chapter and begins at most
    NEAR paragraphs after it. One whose speaker is not known answers nobody, and nobody answers
    it. Linear in the text.
    """
    found: dict[tuple[str, str], list[Quote]] = {}
    for one, other, answer in _answers(text, quotes):
        found.setdefault((min(one, other), max(one, other)), []).append(answer)
    counted = [
        Exchange(
            between, len(several), tuple(dict.fromkeys(each.chapter.number for each in several)),
            several[0].locator,
        )
        for between, several in found.items()
    ]  # fmt: skip
    return sorted(counted, key=lambda each: -each.turns)


def of(who: str, found: Sequence[Exchange]) -> list[Exchange]:
    """Those of one character, most turns first."""
    return [each for each in found if who in each.between]


def _answers(text: str, quotes: Iterable[Quote]) -> Iterator[tuple[str, str, Quote]]:
    """Who is answered, who answers, and with what."""
    before: Quote | None = None
    for quote in quotes:
        one = _speaker(before) if before else None
        other = _speaker(quote)
        if before and one and other and one.id != other.id and _near(text, before, quote):
            yield one.id, other.id, quote
        before = quote


def _speaker(quote: Quote) -> Character | None:
    return quote.attribution.speaker


def _near(text: str, before: Quote, quote: Quote) -> bool:
    if before.chapter.number != quote.chapter.number:
        return False
    between = _BREAK.finditer(text, before.quotation.span.end, quote.quotation.span.start)
    return sum(1 for _ in between) <= NEAR
