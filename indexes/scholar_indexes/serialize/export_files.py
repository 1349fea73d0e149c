"""The files of exported passages, in every format of the table that has passages or references."""

from __future__ import annotations

from scholar_indexes.serialize import citations
from scholar_indexes.serialize.exports import Export
from scholar_indexes.serialize.result_formats import PASSAGES, REFERENCES, Format, encoded


def write(export: Export, format: Format) -> bytes:
    """Return the content of the file of an export: its passages, or the references of its books."""
    if format.writes(PASSAGES):
        return encoded(format.writer(PASSAGES)(export))
    places = [*export.places(), *(placed.place for placed in export.quotations)]
    return encoded(format.writer(REFERENCES)(citations.csl_items(places)))
