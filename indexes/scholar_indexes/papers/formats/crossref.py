"""Read records of Crossref and DataCite, which register DOIs.

Crossref: a work, the message it comes in, or a message with items. DataCite: a document whose
data are one or more records with attributes, or the attributes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import service_records
from scholar_indexes.papers.formats.service_records import list_at, prose_at, text_at, value_at

_TYPES = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "book": "book",
    "edited-book": "book",
    "monograph": "book",
    "reference-book": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
    # DataCite's resourceTypeGeneral
    "JournalArticle": "article-journal",
    "ConferencePaper": "paper-conference",
    "Preprint": "article",
    "Text": "article",
    "Book": "book",
    "BookChapter": "chapter",
    "Dissertation": "thesis",
    "Report": "report",
    "Dataset": "dataset",
    "Software": "software",
}
_CITES = ("Cites", "References")


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the works of a Crossref or DataCite answer. Raises NoPapers if it is neither."""
    return service_records.read_entries(data, name, _works, parse_work)


def is_work(record: Mapping[str, Any]) -> bool:
    """Return True if a JSON object is a work of Crossref or of DataCite."""
    return _is_datacite(record) or ("DOI" in record and isinstance(record.get("title"), list))


def parse_work(record: Mapping[str, Any], line: int = 0) -> Entry | UnreadableEntry:
    """Return the entry of a work of either service."""
    attributes = record.get("attributes")
    work = attributes if isinstance(attributes, dict) else record
    return _datacite(work, line) if _is_datacite(work) else _crossref(work, line)


def cited_dois(record: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the DOIs that a work cites, and the number of references without one."""
    attributes = record.get("attributes")
    work = attributes if isinstance(attributes, dict) else record
    if _is_datacite(work):
        related = [
            identifier
            for identifier in list_at(work, "relatedIdentifiers")
            if text_at(identifier, "relationType") in _CITES
        ]
        dois = [
            text_at(identifier, "relatedIdentifier")
            for identifier in related
            if text_at(identifier, "relatedIdentifierType") == "DOI"
        ]
    else:
        related = list_at(work, "reference")
        dois = [doi for reference in related if (doi := text_at(reference, "DOI"))]
    return dois, len(related) - len(dois)


def _crossref(work: Mapping[str, Any], line: int) -> Entry | UnreadableEntry:
    title, subtitle = text_at(work, "title", 0), text_at(work, "subtitle", 0)
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}"
    dates = ("issued", "published", "published-print", "published-online", "created")
    item = {
        "type": _TYPES.get(text_at(work, "type"), "document"),
        "title": title,
        "author": list_at(work, "author"),
        "issued": next(
            (work[key] for key in dates if value_at(work, key, "date-parts", 0, 0)), None
        ),
        "container-title": text_at(work, "container-title", 0),
        "publisher": text_at(work, "publisher"),
        "volume": text_at(work, "volume"),
        "issue": text_at(work, "issue"),
        "page": text_at(work, "page"),
        "DOI": text_at(work, "DOI"),
        "URL": text_at(work, "URL"),
        "language": text_at(work, "language"),
    }
    return service_records.build_entry(
        item, [f"doi:{text_at(work, 'DOI')}"], prose_at(work, "abstract"), line
    )


def _datacite(work: Mapping[str, Any], line: int) -> Entry | UnreadableEntry:
    kind = text_at(work, "types", "resourceTypeGeneral")
    publisher = value_at(work, "publisher")
    item = {
        "type": _TYPES.get(kind, "document"),
        "title": text_at(work, "titles", 0, "title"),
        "author": [_creator(creator) for creator in list_at(work, "creators")],
        "issued": {"raw": text_at(work, "publicationYear")},
        "container-title": text_at(work, "container", "title"),
        "publisher": text_at(publisher, "name") or text_at(work, "publisher"),
        "volume": text_at(work, "container", "volume"),
        "issue": text_at(work, "container", "issue"),
        "page": text_at(work, "container", "firstPage"),
        "DOI": text_at(work, "doi"),
        "URL": text_at(work, "url"),
        "language": text_at(work, "language"),
    }
    abstract = next(
        (
            prose_at(description, "description")
            for description in list_at(work, "descriptions")
            if text_at(description, "descriptionType") == "Abstract"
        ),
        "",
    )
    return service_records.build_entry(item, [f"doi:{text_at(work, 'doi')}"], abstract, line)


def _creator(creator: Any) -> str | dict[str, str]:
    family, given, name = (text_at(creator, key) for key in ("familyName", "givenName", "name"))
    if family:
        return {"family": family, "given": given}
    return {"literal": name} if text_at(creator, "nameType") == "Organizational" else name


def _is_datacite(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("attributes"), dict) or isinstance(record.get("titles"), list)


def _works(document: Any) -> Iterable[Any] | None:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return None
    message = document.get("message")
    if isinstance(message, dict):
        items = message.get("items")
        return list(items) if isinstance(items, list) else [message]
    data = document.get("data")
    if isinstance(data, list):
        return list(data)
    if isinstance(data, dict):
        return [data]
    return [document] if is_work(document) else None
