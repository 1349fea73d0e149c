"""Select conventional headings without a number, such as "Preface", by their position."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scholar_indexes.books.segmentation.heading_candidates import GAP, NEAR_BLOCKS, HeadingCandidate
from scholar_indexes.books.segmentation.headings import TITLE, HeadingRank


@dataclass(frozen=True, slots=True)
class _Position:
    """An unnumbered heading between the numbered ones before and after it."""

    heading: HeadingCandidate
    before: HeadingCandidate | None
    after: HeadingCandidate | None

    @property
    def opens_division(self) -> bool:
        """True if the next heading opens a division.

        It is a first chapter, an outer heading, or, after numbered headings, the title of
        another work.
        """
        if self.after is None:
            return False
        mark = self.after.mark
        is_numbered = self.before is not None and self.before.mark.number is not None
        return mark.number == 1 or mark.is_outer or (mark.word == TITLE and is_numbered)

    @property
    def has_text(self) -> bool:
        return self.heading.gap >= GAP

    @property
    def is_title(self) -> bool:
        """True if the block is the title of the heading directly above it, which has none."""
        return (
            self.before is not None
            and self.before.block == self.heading.block - 1
            and self.before.mark.rank >= HeadingRank.CHAPTER
            and not self.before.mark.title
        )


def _is_preface(position: _Position) -> bool:
    return position.has_text and (position.before is None or position.opens_division)


def _is_close(position: _Position) -> bool:
    return position.before is not None and (position.after is None or position.opens_division)


def _is_back(position: _Position) -> bool:
    is_notes = "note" in position.heading.mark.label.lower()
    return position.after is None or ((position.opens_division or is_notes) and position.has_text)


_POSITION_RULES: dict[str, Callable[[_Position], bool]] = {
    "preface": _is_preface,
    "close": _is_close,
    "back": _is_back,
}
"""The position rule for a heading without a number, by the keyword of its mark."""


def select_unnumbered(
    candidates: Sequence[HeadingCandidate], numbered: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Return the prefaces, epilogues, notes and similar headings in their usual positions."""
    starts = [heading.block for heading in numbered]
    selected: list[HeadingCandidate] = []
    for candidate in candidates:
        stands_rightly = _POSITION_RULES.get(candidate.mark.word)
        if stands_rightly is None:
            continue
        n = bisect_left(starts, candidate.block)
        following = (heading for heading in numbered[n : n + 2] if heading.block > candidate.block)
        position = _Position(candidate, numbered[n - 1] if n else None, next(following, None))
        if position.is_title:
            continue
        if has_own_numbering(candidate, position.after) or stands_rightly(position):
            selected.append(candidate)
    return selected


def has_own_numbering(heading: HeadingCandidate, after: HeadingCandidate | None) -> bool:
    """Return True if a prologue or epilogue has its own numerals, or even its own chapters."""
    if after is None or after.mark.number != 1:
        return False
    divided_words = {
        HeadingRank.NUMERAL: ("preface", "close"),
        HeadingRank.CHAPTER: ("close",),
    }.get(after.mark.rank, ())
    is_near = heading.gap < GAP and after.block - heading.block < NEAR_BLOCKS
    return heading.mark.word in divided_words and is_near
