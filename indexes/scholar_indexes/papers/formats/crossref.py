"""Crossref and DataCite: the records of those who give out DOIs.

Crossref: a work, the message it comes in, or a message with items. DataCite: a document whose
data are one or many with attributes, or the attributes alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import records
from scholar_indexes.papers.formats.records import dig, many, prose, text

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


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The works of a Crossref or DataCite answer. Raises NoPapers when it is neither."""
    return records.read(data, name, _works, entry)


def is_work(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a work of Crossref or of DataCite."""
    return _is_datacite(record) or ("DOI" in record and isinstance(record.get("title"), list))


def entry(record: Mapping[str, Any], line: int = 0) -> Entry | Broken:
    """One work, as either service gives it."""
    attributes = record.get("attributes")
    work = attributes if isinstance(attributes, dict) else record
    return _datacite(work, line) if _is_datacite(work) else _crossref(work, line)


def cited(record: Mapping[str, Any]) -> tuple[list[str], int]:
    """The DOIs that a work says it cites, and how many references are without one."""
    attributes = record.get("attributes")
    work = attributes if isinstance(attributes, dict) else record
    if _is_datacite(work):
        related = [
            each for each in many(work, "relatedIdentifiers")
            if text(each, "relationType") in _CITES
        ]  # fmt: skip
        dois = [
            text(each, "relatedIdentifier") for each in related
            if text(each, "relatedIdentifierType") == "DOI"
        ]  # fmt: skip
    else:
        related = many(work, "reference")
        dois = [doi for each in related if (doi := text(each, "DOI"))]
    return dois, len(related) - len(dois)


def _crossref(work: Mapping[str, Any], line: int) -> Entry | Broken:
    title, subtitle = text(work, "title", 0), text(work, "subtitle", 0)
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}"
    dates = ("issued", "published", "published-print", "published-online", "created")
    item = {
        "type": _TYPES.get(text(work, "type"), "document"),
        "title": title,
        "author": many(work, "author"),
        "issued": next((work[key] for key in dates if dig(work, key, "date-parts", 0, 0)), None),
        "container-title": text(work, "container-title", 0),
        "publisher": text(work, "publisher"),
        "volume": text(work, "volume"),
        "issue": text(work, "issue"),
        "page": text(work, "page"),
        "DOI": text(work, "DOI"),
        "URL": text(work, "URL"),
        "language": text(work, "language"),
    }
    known = [f"doi:{text(work, 'DOI')}"]
    return records.make(item, known, prose(work, "abstract"), line)


def _datacite(work: Mapping[str, Any], line: int) -> Entry | Broken:
    kind = text(work, "types", "resourceTypeGeneral")
    publisher = dig(work, "publisher")
    item = {
        "type": _TYPES.get(kind, "document"),
        "title": text(work, "titles", 0, "title"),
        "author": [_creator(each) for each in many(work, "creators")],
        "issued": {"raw": text(work, "publicationYear")},
        "container-title": text(work, "container", "title"),
        "publisher": text(publisher, "name") or text(work, "publisher"),
        "volume": text(work, "container", "volume"),
        "issue": text(work, "container", "issue"),
        "page": text(work, "container", "firstPage"),
        "DOI": text(work, "doi"),
        "URL": text(work, "url"),
        "language": text(work, "language"),
    }
    abstract = next(
        (
            prose(each, "description")
            for each in many(work, "descriptions")
            if text(each, "descriptionType") == "Abstract"
        ),
        "",
    )
    return records.make(item, [f"doi:{text(work, 'doi')}"], abstract, line)


def _creator(creator: Any) -> str | dict[str, str]:
    family, given, name = (text(creator, key) for key in ("familyName", "givenName", "name"))
    if family:
        return {"family": family, "given": given}
    return {"literal": name} if text(creator, "nameType") == "Organizational" else name


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
