"""The content of a screen, to be exported as a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scholar_indexes.serialize import references
from scholar_indexes.serialize.references import Item
from scholar_indexes.serialize.result_formats import LISTING, Format, formats


@dataclass(frozen=True, slots=True)
class ExportListing:
    """The exported content of a screen: a name for the file, the content as Markdown and as
    records, and its books or papers as CSL-JSON items."""

    name: str
    markdown: str
    records: Sequence[dict[str, Any]]
    sources: Sequence[Item]

    @property
    def formats(self) -> dict[Format, str]:
        """The text in each format, Markdown first."""
        ordered = sorted(formats(LISTING), key=lambda format: format is not Format.MD)
        return {format: format.writer(LISTING)(self) for format in ordered}


def to_markdown(listing: ExportListing) -> str:
    """Return a listing as Markdown."""
    return listing.markdown


def to_json(listing: ExportListing) -> str:
    """Return the records of a listing as a JSON array, indented."""
    return json.dumps(listing.records, ensure_ascii=False, indent=2) + "\n"


def to_bibtex(listing: ExportListing) -> str:
    """Return the books or papers of a listing as a .bib file."""
    return references.format_bibtex(listing.sources)
