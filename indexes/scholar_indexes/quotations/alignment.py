"""Align a quotation with a stretch of a text, word by word.

The alignment is the path of least cost from the first word of the quotation to its last, free to
begin and to end anywhere in the text (Sellers 1980). A similar word costs less than a different
one; words omitted at an ellipsis cost next to nothing, and so do words in square brackets; an
omitted clause costs less than its words one by one (affine gap costs, Gotoh 1982).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

import numpy as np
from rapidfuzz import fuzz, process

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.quotations.quoted_words import QuotedWords
from scholar_indexes.results import ChangeKind
from scholar_indexes.types import Span

OTHER_WORD = 0.95
"""The cost of a different word; a similar one costs less."""

LEAST_ALIKE = 0.55
"""The minimum similarity of two words (the share of their letters) that is not a coincidence."""

INSERTED = 1.0
"""The cost of a word that is not in the text."""

SKIPPED = 0.8
"""The cost of an omitted word of the text."""

CLAUSE, CLAUSE_WORD = 1.2, 0.04
"""The cost of omitting a clause, and of each of its words."""

ELLIPSIS, ELLIPSIS_WORD = 0.01, 0.0004
BRACKET, BRACKET_WORD = 0.05, 0.05
"""The same at an ellipsis, and next to words in square brackets."""

ADDED, REPLACED = 0.02, 0.3
"""The cost of a word in square brackets, and of one that replaces a word of the text."""

EDITED_ALIKE = 0.6
"""The maximum cost, ignoring brackets, at which "know[s]" matches "knew"."""

_NEAR = 1e-4


@dataclass(frozen=True, slots=True)
class Step:
    """Words [quoted, quoted_end) of a quotation aligned with words [start, end) of the text: one of
    each, or none on one side. `is_alike` is True for words that are nearly equal; `mark` is ELIDED
    or BRACKETED if an ellipsis or brackets account for the difference."""

    quoted: int
    quoted_end: int
    start: int
    end: int
    is_equal: bool = False
    is_alike: bool = False
    mark: ChangeKind | None = None

    @property
    def pairs_words(self) -> bool:
        """True for a word of the quotation aligned with one of the text."""
        return self.quoted < self.quoted_end and self.start < self.end


@dataclass(frozen=True, slots=True)
class Alignment:
    """A quotation aligned with words [start, end) of a text; `similarity` is at most 1."""

    start: int
    end: int
    similarity: float
    steps: tuple[Step, ...]


def align(quoted: QuotedWords, numbers: np.ndarray, words: Sequence[str]) -> Alignment | None:
    """Return the best alignment of a quotation with a stretch of a text, given by the numbers and
    the letters of its words (n,); None if no word is similar."""
    if not len(quoted) or not len(numbers):
        return None
    is_equal = np.asarray(quoted.numbers)[:, None] == numbers[None, :]
    costs = _substitution_costs(quoted, words, is_equal)
    rows, totals = _fill(quoted, costs)
    end = int(np.argmin(rows[-1]))
    total = float(rows[-1][end])
    steps = _trace(quoted, costs, is_equal, rows, totals, end)
    matched = [step for step in steps if step.pairs_words]
    if not matched:
        return None
    own = sum(not added for added in quoted.is_added)
    similarity = max(0.0, 1 - total / max(1, own))
    return Alignment(matched[0].start, matched[-1].end, similarity, tuple(steps))


def paragraph_numbers(text: str, words: Sequence[Span]) -> list[int]:
    """Return the paragraph number of each word, counted from the first word's."""
    breaks = ("\n\n" in text[word.end : following.start] for word, following in pairwise(words))
    return list(accumulate(breaks, initial=0))


def keep_to_paragraphs(aligned: Alignment, paragraphs: Sequence[int]) -> Alignment:
    """Return an alignment confined to the paragraphs of the quotation.

    The writer's own words before or after it are not aligned with other paragraphs: before the
    opening of a chapter they are additions, not a variant of its heading.

    `paragraphs` (n,) are the paragraph numbers of the words of the text. A paragraph at an edge
    belongs to the quotation if at least half of its words are equal.
    """
    equal = [step for step in aligned.steps if step.is_equal]
    if not equal:
        return aligned
    first = _first_of_quotation([(step.quoted, paragraphs[step.start]) for step in equal])
    last = _first_of_quotation([(-step.quoted, paragraphs[step.start]) for step in equal[::-1]])
    if first > last:  # single words of several paragraphs, none of which is the quotation's
        return aligned
    return _confine(aligned, bisect_left(paragraphs, first), bisect_right(paragraphs, last))


def _confine(aligned: Alignment, low: int, high: int) -> Alignment:
    """Return an alignment confined to the words [low, high) of the text."""
    steps = [
        step if low <= step.start and step.end <= high else _moved(step, low, high)
        for step in aligned.steps
    ]
    pairs = [step for step in steps if step.pairs_words]
    start, end = pairs[0].start, pairs[-1].end
    # Omitted words of the text before the first pair or after the last do not count.
    kept = [step for step in steps if step.quoted < step.quoted_end or start <= step.start < end]
    return replace(aligned, start=start, end=end, steps=tuple(kept))


def _first_of_quotation(equal: Sequence[tuple[int, int]]) -> int:
    """Return the first paragraph that belongs to a quotation, given the position in the quotation
    and the paragraph of each equal word, from the edge inwards."""
    by_paragraph: list[tuple[int, list[int]]] = [
        (paragraph, [place for place, _ in group])
        for paragraph, group in groupby(equal, key=lambda pair: pair[1])
    ]
    for (paragraph, places), (_, following) in pairwise(by_paragraph):
        others = following[0] - places[0] - len(places)
        if others <= len(places):
            return paragraph
    return by_paragraph[-1][0]


def _moved(step: Step, low: int, high: int) -> Step:
    """Return a step clipped to the words [low, high) of the text; without any of them, its words of
    the quotation are additions."""
    start, end = (min(max(edge, low), high) for edge in (step.start, step.end))
    has_pair = start < end
    return replace(
        step,
        start=start,
        end=end,
        is_equal=step.is_equal and has_pair,
        is_alike=step.is_alike and has_pair,
    )


def _substitution_costs(
    quoted: QuotedWords, words: Sequence[str], is_equal: np.ndarray
) -> Floats2d:
    """Return the cost of aligning each word of a quotation with each word of the text (m, n)."""
    alike = process.cdist(quoted.words, words, scorer=fuzz.ratio, dtype=np.float32) / 100
    costs = np.where(alike >= LEAST_ALIKE, 1 - alike, OTHER_WORD)
    # Even the most similar word costs something, so that an equal one is preferred.
    costs = np.where(is_equal, 0, np.maximum(costs, 0.1))
    added = np.asarray(quoted.is_added, np.bool_)
    edited = np.asarray(quoted.is_edited, np.bool_)
    is_meant = edited[:, None] & (costs > ADDED) & (costs <= EDITED_ALIKE)
    costs = np.where(is_meant, ADDED, costs)
    costs[added] = np.minimum(costs[added], REPLACED)
    filled: Floats2d = costs.astype(np.float32)
    return filled


def _fill(quoted: QuotedWords, costs: Floats2d) -> tuple[list[Floats1d], list[Floats1d]]:
    """Return the least costs (n + 1,) after each number of words of the quotation: just after a
    word was read, and with words of the text possibly omitted after it."""
    size = costs.shape[1] + 1
    read: list[Floats1d] = [np.zeros(size, np.float32)]
    totals: list[Floats1d] = [np.zeros(size, np.float32)]
    for row, is_added in enumerate(quoted.is_added):
        before = totals[-1]
        best = before + (ADDED if is_added else INSERTED)
        best[1:] = np.minimum(best[1:], before[:-1] + costs[row])
        read.append(best)
        totals.append(_skip(best, _gap_costs(quoted, row + 1)))
    return read, totals


def _skip(best: Floats1d, gaps: Sequence[tuple[float, float]]) -> Floats1d:
    """Return the least costs if any number of words of the text may be omitted; each kind of gap
    has a cost for opening it and a cost per word."""
    at = np.arange(len(best), dtype=np.float32)
    skipped = best
    for opening, per_word in gaps:
        # A running minimum without the cost per word finds all best starts in linear time.
        lowest = np.minimum.accumulate(best - per_word * at) + per_word * at + opening
        skipped = np.minimum(skipped, lowest)
    return skipped.astype(np.float32)


def _gap_costs(quoted: QuotedWords, row: int) -> Sequence[tuple[float, float]]:
    """Return the costs of the kinds of gap after `row` words of a quotation; none at its end."""
    if row == len(quoted):
        return ()
    gaps = [(0.0, SKIPPED), (CLAUSE, CLAUSE_WORD)]
    if row in quoted.ellipses:
        gaps.append((ELLIPSIS, ELLIPSIS_WORD))
    if quoted.is_added[row] or quoted.is_added[row - 1]:
        gaps.append((BRACKET, BRACKET_WORD))
    return gaps


def _trace(
    quoted: QuotedWords,
    costs: Floats2d,
    is_equal: np.ndarray,
    read: Sequence[Floats1d],
    totals: Sequence[Floats1d],
    end: int,
) -> list[Step]:
    """Return the steps of the path that ends after `end` words of the text."""
    steps: list[Step] = []
    column, row = end, len(quoted)
    while row:
        # With a tolerance, since sums of float32 depend on the order of addition.
        if read[row][column] > totals[row][column] + _NEAR:
            origin = _gap_origin(quoted, read[row], row, column, float(totals[row][column]))
            steps.append(Step(row, row, origin, column, mark=_mark_of_gap(quoted, row)))
            column = origin
        is_added = quoted.is_added[row - 1]
        mark = ChangeKind.BRACKETED if is_added else None
        inserted = float(totals[row - 1][column]) + (ADDED if is_added else INSERTED)
        if column == 0 or inserted < read[row][column] + _NEAR / 2:
            steps.append(Step(row - 1, row, column, column, mark=mark))
        else:
            cost, equal = costs[row - 1, column - 1], bool(is_equal[row - 1, column - 1])
            is_alike = not equal and cost <= 1 - LEAST_ALIKE
            if quoted.is_edited[row - 1] and cost <= ADDED:
                mark = ChangeKind.BRACKETED
            steps.append(Step(row - 1, row, column - 1, column, equal, is_alike, mark))
            column -= 1
        row -= 1
    return steps[::-1]


def _mark_of_gap(quoted: QuotedWords, row: int) -> ChangeKind | None:
    """Return the mark, if any, that accounts for words of the text omitted after `row` words."""
    if row in quoted.ellipses:
        return ChangeKind.ELIDED
    return ChangeKind.BRACKETED if any(quoted.is_added[row - 1 : row + 1]) else None


def _gap_origin(quoted: QuotedWords, best: Floats1d, row: int, column: int, total: float) -> int:
    """Return the column before the words that were omitted up to a column."""
    lengths = column - np.arange(column)
    ways = [
        best[:column] + opening + per_word * lengths
        for opening, per_word in _gap_costs(quoted, row)
    ]
    return int(np.argmin(np.min(ways, axis=0)))
