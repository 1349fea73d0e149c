"""Quotations with their speakers as the rows of a typed table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.sanitize import one_line, visible_line

if TYPE_CHECKING:
    from scholar_indexes.results import AttributedQuote

COLUMNS = {
    "speaker": "string",
    "confidence": "float64",
    "kind": "string",
    "quote": "string",
    "locator": "string",
    "book": "string",
    "chapter": "int32",
    "chapter_title": "string",
    "form": "string",
    "chapter_printed": "string",
    "speaker_id": "string",
    "cue": "string",
    "paragraph": "int32",
    "start": "int64",
    "end": "int64",
}
"""The columns of a row in order, with their Arrow types: the columns of CSV, then others."""


def write_quotations(path: Path, groups: Iterable[Sequence[AttributedQuote]]) -> int:
    """Write quotations to a Parquet file, group by group; return their number."""
    from scholar_indexes.storage.parquet_file import write_parquet

    return write_parquet(path, COLUMNS, (list(map(quotation_row, quotes)) for quotes in groups))


def quotation_row(quote: AttributedQuote) -> dict[str, Any]:
    """Return a quotation with its speaker, None if unknown, as a row of COLUMNS."""
    speaker = quote.attribution.speaker
    return {
        "speaker": speaker and one_line(speaker.name),
        "confidence": round(quote.attribution.confidence, 4),
        "kind": str(quote.attribution.kind),
        "quote": visible_line(quote.text),
        "locator": quote.locator,
        "book": quote.book.id,
        "chapter": quote.chapter.number,
        "chapter_title": one_line(quote.chapter.title),
        "form": str(quote.attribution.form),
        "chapter_printed": quote.chapter.printed,
        "speaker_id": speaker and speaker.id,
        "cue": visible_line(quote.cue),
        "paragraph": quote.paragraph,
        "start": quote.quotation.span.start,
        "end": quote.quotation.span.end,
    }
