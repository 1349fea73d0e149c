"""Read JSON with Zotero's own names of types and fields, as Better BibTeX exports it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import service_records
from scholar_indexes.papers.formats.zotero_items import TYPES, ZoteroItem, build_entry


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a file; items of other types, notes and attachments are skipped."""
    return service_records.read_entries(data, name, _papers, _entry)


def _papers(document: Any) -> list[Any] | None:
    """Return the items of a document that are papers, None if it is from another program."""
    if isinstance(document, Mapping) and "itemType" in document:
        items: Any = [document]
    else:
        items = document.get("items") if isinstance(document, Mapping) else document
    if not isinstance(items, list):
        return None
    return [item for item in items if not isinstance(item, Mapping) or _kind(item) in TYPES]


def _kind(item: Mapping[str, Any]) -> str:
    return service_records.text_at(item, "itemType")


def _entry(item: Mapping[str, Any], line: int) -> Entry | UnreadableEntry:
    creators = [
        (
            service_records.text_at(creator, "creatorType"),
            service_records.text_at(creator, "firstName"),
            service_records.text_at(creator, "lastName")
            or service_records.text_at(creator, "name"),
        )
        for creator in service_records.list_at(item, "creators")
    ]
    return build_entry(
        ZoteroItem(
            _kind(item),
            {name: service_records.prose_at(item, name) for name in item if name != "creators"},
            creators,
            [
                tag if isinstance(tag, str) else service_records.text_at(tag, "tag")
                for tag in service_records.list_at(item, "tags")
            ],
            [
                note if isinstance(note, str) else service_records.prose_at(note, "note")
                for note in service_records.list_at(item, "notes")
            ],
            service_records.text_at(item, "citationKey")
            or service_records.text_at(item, "citekey"),
            line,
        )
    )
