"""Serializers of quotations that were located: records, and the difference from the book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.results import QuotationStatus
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.results import SELECTOR_CHARS, citation

if TYPE_CHECKING:
    from scholar_indexes.results import LocatedQuotation, QuotationChange


def located_record(quote: str, places: Sequence[LocatedQuotation]) -> dict[str, Any]:
    """Return a quotation with the place it is from, and the other places that have it, as a record;
    without places it is absent."""
    record: dict[str, Any] = {"schema_version": 1, "quote": one_line(quote)}
    if not places:
        nothing = dict.fromkeys(("locator", "start", "end", "exact", "book", "chapter", "citation"))
        return {
            **record,
            "status": str(QuotationStatus.ABSENT),
            "similarity": 0.0,
            **nothing,
            "changes": [],
            "selector": None,
            "others": [],
        }
    first, *others = places
    chapter = first.chapter
    return {
        **record,
        "status": str(first.status),
        "similarity": first.similarity,
        "locator": first.locator,
        "start": first.span.start,
        "end": first.span.end,
        "exact": first.exact,
        "book": {
            "id": first.book.id,
            "title": one_line(first.book.title),
            "author": one_line(first.book.author),
        },
        "chapter": chapter
        and {
            "number": chapter.number,
            "title": one_line(chapter.title),
            "printed": chapter.printed,
        },
        "citation": cite_place(first),
        "changes": [
            {
                "kind": str(change.kind),
                "start": change.span.start,
                "end": change.span.end,
                "quoted": one_line(change.quoted),
                "original": change.original,
            }
            for change in first.changes
        ],
        "selector": {
            "type": "TextQuoteSelector",
            "exact": first.exact,
            "prefix": first.before[-SELECTOR_CHARS:],
            "suffix": first.after[:SELECTOR_CHARS],
        },
        "others": [
            {
                "status": str(place.status),
                "similarity": place.similarity,
                "locator": place.locator,
                "start": place.span.start,
                "end": place.span.end,
            }
            for place in others
        ],
    }


def cite_place(place: LocatedQuotation) -> str:
    """Return the place of a quotation in words: author, title and chapter."""
    if place.chapter is None:
        return one_line(", ".join(filter(None, (place.book.author, place.book.title))))
    return citation(place.book, place.chapter)


def mark_changes(quote: str, changes: Sequence[QuotationChange]) -> str:
    """Return a quotation on one line with its changes: [-what it says-]{+what stands in the book+}.

    >>> mark_changes("a single woman", [])
    'a single woman'
    """
    parts, at = [], 0
    for change in changes:
        parts.append(quote[at : change.span.start])
        if change.quoted:
            parts.append(f"[-{change.quoted}-]")
        elif change.original:
            parts.append(" ")
        if change.original:
            parts.append(f"{{+{change.original}+}}")
        at = change.span.end
    return one_line("".join((*parts, quote[at:])))
