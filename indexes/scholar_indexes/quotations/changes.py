"""Describe how a quotation differs from the words it quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rapidfuzz import fuzz

from scholar_indexes.lexicon.spelling import spelling_key
from scholar_indexes.quotations.alignment import LEAST_ALIKE, Step
from scholar_indexes.quotations.quoted_words import QuotedWords
from scholar_indexes.results import ChangeKind, QuotationChange, QuotationStatus
from scholar_indexes.types import Span

MARKED = (ChangeKind.ELIDED, ChangeKind.BRACKETED)
"""The changes that a quotation marks as such."""


def describe(
    quoted: QuotedWords, steps: Sequence[Step], text: str, spans: Sequence[Span]
) -> tuple[QuotationChange, ...]:
    """Return the changes of a quotation in order; `spans` are the spans of the words of the text
    that the steps refer to."""
    changes: list[QuotationChange] = []
    for (is_equal, mark), group in groupby(steps, lambda step: (step.is_equal, step.mark)):
        if not is_equal:
            changes += _changes(quoted, tuple(group), mark, text, spans)
    if quoted.unread:
        end = Span(quoted.end, len(quoted.text))
        changes.append(QuotationChange(ChangeKind.UNREAD, end, quoted.unread, ""))
    return tuple(changes)


def status(changes: Sequence[QuotationChange]) -> QuotationStatus:
    """Return the status of a quotation with the given changes."""
    if not changes:
        return QuotationStatus.VERBATIM
    is_marked = all(change.kind in MARKED for change in changes)
    return QuotationStatus.ELIDED if is_marked else QuotationStatus.ALTERED


def _changes(
    quoted: QuotedWords,
    steps: Sequence[Step],
    mark: ChangeKind | None,
    text: str,
    spans: Sequence[Span],
) -> Iterator[QuotationChange]:
    """Yield the change of consecutive steps, except in hyphens, spaces or verse numbers."""
    first, end = steps[0].quoted, steps[-1].quoted_end
    before = quoted.spans[first - 1].end if first else 0
    span = quoted.ellipses[first] if mark is ChangeKind.ELIDED else None
    if first < end:
        span = Span(quoted.spans[first].start, quoted.spans[end - 1].end)
    written = span.of(quoted.text) if span else ""
    original = _original(steps, text, spans)
    kind = mark or _kind(written, original)
    if kind is ChangeKind.ADDED and _letters(written) == _letters(_between(steps, text, spans)):
        kind = None  # the number of a verse line
    if kind is not None:
        yield QuotationChange(kind, span or Span(before, before), written, original)


def _original(steps: Sequence[Step], text: str, spans: Sequence[Span]) -> str:
    """Return the text of the book at consecutive steps, on one line."""
    first, end = steps[0].start, steps[-1].end
    covered = text[spans[first].start : spans[end - 1].end] if first < end else ""
    return " ".join(covered.split())


def _between(steps: Sequence[Step], text: str, spans: Sequence[Span]) -> str:
    """Return the text between the two words of the book where a quotation adds some: an editor's
    verse numbers there are not words of the book."""
    after = steps[0].start
    return text[spans[after - 1].end : spans[after].start] if 0 < after < len(spans) else ""


def _kind(written: str, original: str) -> ChangeKind | None:
    """Return the kind of a change without a mark; None if only hyphens or spaces differ."""
    if not written:
        return ChangeKind.OMITTED
    if not original:
        return ChangeKind.ADDED
    left, right = _letters(written), _letters(original)
    if left == right:
        return None
    if spelling_key(left) == spelling_key(right):
        return ChangeKind.SPELLING
    if fuzz.ratio(left, right) / 100 >= LEAST_ALIKE:
        return ChangeKind.LETTERS
    return ChangeKind.WORDS


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
