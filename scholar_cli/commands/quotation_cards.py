"""Located quotations as text: the status and the place, the changes, and the other places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholar_cli import render
from scholar_indexes.results import QuotationStatus
from scholar_indexes.serialize import quotations as records_of
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_indexes.results import LocatedQuotation

INDENT = "    "

LONGEST_SHOWN = 200
"""The most characters shown of a quotation that is not closed."""


def table_rows(records: Sequence[Mapping[str, Any]], format: Format) -> Sequence[Mapping[str, Any]]:
    """Return the records of located quotations as rows, with emphasis if the format has it."""
    if not render.has_styles(format):
        return records
    return [
        {
            **row,
            "exact": render.quotation_cell(row["exact"], selector["prefix"], selector["suffix"]),
        }
        if (selector := row["selector"])
        else row
        for row in render.with_quotations(records, ("quote",), format)
    ]


def card(
    quote: str,
    places: Sequence[LocatedQuotation],
    *,
    before: str = "",
    absence: str = QuotationStatus.ABSENT,
    is_open: bool = False,
    error: str = "",
) -> str:
    """Return a quotation and its places as text; `before` goes before its status, which is
    `absence` if it has no place. `is_open` is set if its marks are not closed, and `error` says why
    it is not a quotation."""
    status = "error" if error else str(places[0].status) if places else str(absence)
    head = [before, render.bold(status), error]
    if is_open:
        head.append(render.bold("not closed"))
    lines = [render.wrap_quotation(quote[:LONGEST_SHOWN] if is_open else quote, INDENT)]
    if places:
        first, *others = places
        head.append(f"{first.similarity:.2f}" if first.changes else "")
        head.append(render.dim(f"{records_of.cite_place(first)}  [{first.locator}]"))
        if not is_open:
            lines = [render.wrap_quotation(records_of.mark_changes(quote, first.changes), INDENT)]
        if others:
            also = ", ".join(f"{place.locator} ({place.status})" for place in others)
            lines.append(render.dim(render.wrap(f"also: {also}", INDENT)))
    return "\n".join(("  ".join(filter(None, head)), *lines)) + "\n"
