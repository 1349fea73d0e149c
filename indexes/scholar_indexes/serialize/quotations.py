"""Serializers of located quotations: records, and the differences from the book."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as quote_uri

from scholar_indexes.results import QuotationStatus
from scholar_indexes.sanitize import one_line, visible
from scholar_indexes.serialize.passages import (
    SELECTOR_CHARS,
    book_reference,
    chapter_reference,
    citation,
)

if TYPE_CHECKING:
    from scholar_indexes.results import (
        CheckedQuotation,
        LocatedQuotation,
        QuotationChange,
        UnreadBook,
    )

SARIF_RULES = [
    {"id": "altered", "shortDescription": {"text": "A quotation that differs from its book"}},
    {"id": "absent", "shortDescription": {"text": "A quotation that is in no book of the library"}},
    {
        "id": "unknown",
        "shortDescription": {"text": "A quotation that may be from a book that cannot be read"},
    },
    {"id": "open", "shortDescription": {"text": "Quotation marks that are not closed"}},
]
"""The errors that `scholar check` reports, as SARIF rules; other statuses are correct."""


def located_record(
    quote: str,
    places: Sequence[LocatedQuotation],
    absence: QuotationStatus = QuotationStatus.ABSENT,
) -> dict[str, Any]:
    """Return a quotation with the passage it is from, and the other passages that have it, as a
    record; without any, it has the status `absence`."""
    record: dict[str, Any] = {"schema_version": 1, "quote": one_line(quote)}
    if not places:
        nothing = dict.fromkeys(("locator", "start", "end", "exact", "book", "chapter", "citation"))
        return {
            **record,
            "status": str(absence),
            "similarity": 0.0,
            **nothing,
            "changes": [],
            "selector": None,
            "others": [],
        }
    first, *others = places
    return {
        **record,
        "status": str(first.status),
        "similarity": first.similarity,
        "locator": first.locator,
        "start": first.span.start,
        "end": first.span.end,
        "exact": visible(first.exact),
        "book": book_reference(first.book),
        "chapter": chapter_reference(first.chapter),
        "citation": cite_place(first),
        "changes": [
            {
                "kind": str(change.kind),
                "start": change.span.start,
                "end": change.span.end,
                "quoted": one_line(change.quoted),
                "original": visible(change.original),
            }
            for change in first.changes
        ],
        "selector": {
            "type": "TextQuoteSelector",
            "exact": visible(first.exact),
            "prefix": visible(first.before[-SELECTOR_CHARS:]),
            "suffix": visible(first.after[:SELECTOR_CHARS]),
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


def absence(not_searched: Sequence[UnreadBook]) -> QuotationStatus:
    """Return the status of a quotation for which no passage was found."""
    return QuotationStatus.UNKNOWN if not_searched else QuotationStatus.ABSENT


def cite_place(place: LocatedQuotation) -> str:
    """Return the source of a quotation in words: author, title and chapter."""
    return citation(place.book, place.chapter)


def mark_changes(quote: str, changes: Sequence[QuotationChange]) -> str:
    """Return a quotation on one line with its changes: [-its words-]{+the words of the book+}.

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


def checked_record(checked: CheckedQuotation) -> dict[str, Any]:
    """Return a quotation of an essay as a record, with its position there and its source."""
    quotation = checked.quotation
    return {
        **located_record(quotation.text, checked.places, checked.status),
        "line": quotation.line,
        "column": quotation.column,
        "block": quotation.is_block,
        "closed": not quotation.is_open,
        "right": checked.is_right,
        **({"file": quotation.file} if quotation.file else {}),
    }


def is_only_absent(checked: CheckedQuotation) -> bool:
    """Return True for a quotation whose only error is that no book has it."""
    return checked.status is QuotationStatus.ABSENT and not checked.quotation.is_open


def check_to_sarif(essay: str, checked: Sequence[CheckedQuotation]) -> str:
    """Return incorrect quotations as SARIF 2.1.0, one result each."""
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "scholar check", "rules": SARIF_RULES}},
                "results": [_sarif_result(essay, quotation) for quotation in checked],
            }
        ],
    }
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _sarif_result(essay: str, checked: CheckedQuotation) -> dict[str, Any]:
    quotation = checked.quotation
    region = {"startLine": quotation.line, "startColumn": quotation.column}
    rule = "open" if quotation.is_open else str(checked.status)
    path = os.path.join(os.path.dirname(essay), quotation.file) if quotation.file else essay
    return {
        "ruleId": rule,
        "level": "warning" if rule == QuotationStatus.ABSENT else "error",
        "message": {"text": _explain(checked)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "stdin" if essay == "-" else quote_uri(os.fsencode(path))
                    },
                    "region": region,
                }
            }
        ],
    }


def _explain(checked: CheckedQuotation) -> str:
    """Return a sentence on the error in a quotation."""
    if checked.quotation.is_open:
        return "The quotation marks are not closed."
    if checked.status is QuotationStatus.UNKNOWN:
        return f"It may be from a book that cannot be read: {one_line(checked.quotation.text)}"
    if not checked.places:
        return f"No book of the library has: {one_line(checked.quotation.text)}"
    place = checked.places[0]
    marked = mark_changes(checked.quotation.text, place.changes)
    return f"{cite_place(place)} [{place.locator}] has: {marked}"
