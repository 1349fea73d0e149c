"""OpenAlex: works as its API and its snapshots give them (docs.openalex.org).

One work, a list of results, an array, or one work on each line. The abstract is an index of
its words, each with the places where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import records
from scholar_indexes.papers.formats.records import dig, many, prose, text

MAX_WORDS = 20_000  # of one abstract

_TYPES = {
    "article": "article-journal",
    "review": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "preprint": "article",
    "posted-content": "article",
    "book": "book",
    "monograph": "book",
    "book-chapter": "chapter",
    "dissertation": "thesis",
    "dataset": "dataset",
    "report": "report",
}


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The works of an OpenAlex file. Raises NoPapers when it is not one."""
    return records.read(data, name, _works, entry)


def is_work(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is an OpenAlex work."""
    here = str(record.get("id") or "")
    return "openalex.org/" in here or "abstract_inverted_index" in record


def entry(work: Mapping[str, Any], line: int = 0) -> Entry | Broken:
    """One work."""
    source = dig(work, "primary_location", "source")
    in_proceedings = text(source, "type") == "conference"
    kind = text(work, "type_crossref") or text(work, "type")
    item = {
        "type": "paper-conference" if in_proceedings else _TYPES.get(kind, "document"),
        "title": text(work, "title") or text(work, "display_name"),
        "author": [
            text(each, "author", "display_name") or text(each, "raw_author_name")
            for each in many(work, "authorships")
        ],
        "issued": {"raw": text(work, "publication_date") or text(work, "publication_year")},
        "container-title": text(source, "display_name"),
        "publisher": text(source, "host_organization_name"),
        "volume": text(work, "biblio", "volume"),
        "issue": text(work, "biblio", "issue"),
        "page": _pages(work),
        "DOI": _doi(work),
        "URL": text(work, "primary_location", "landing_page_url"),
        "language": text(work, "language"),
    }
    return records.make(item, _ids(work), abstract(work), line)


def abstract(work: Mapping[str, Any]) -> str:
    """The abstract in reading order, empty when the work has none."""
    index = work.get("abstract_inverted_index")
    if isinstance(index, str):  # so in the older snapshots
        try:
            index = json.loads(index)
        except (ValueError, RecursionError):
            return ""
        if isinstance(index, dict) and isinstance(index.get("InvertedIndex"), dict):
            index = index["InvertedIndex"]
    if not isinstance(index, dict):
        return prose(work, "abstract")
    placed = [
        (place, word)
        for word, places in index.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int) and not isinstance(place, bool) and place >= 0
    ]
    return " ".join(word for _, word in sorted(placed)[:MAX_WORDS])


def cited(work: Mapping[str, Any]) -> list[str]:
    """The OpenAlex addresses of the works that a work cites."""
    return [each for each in many(work, "referenced_works") if isinstance(each, str)]


def _works(document: Any) -> Iterable[Any] | None:
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        return list(document["results"])
    if isinstance(document, list):
        return document
    return [document] if isinstance(document, dict) and is_work(document) else None


def _doi(work: Mapping[str, Any]) -> str:
    address = text(work, "doi") or text(work, "ids", "doi")
    return address.removeprefix("https://doi.org/")


def _pages(work: Mapping[str, Any]) -> str:
    first, last = text(work, "biblio", "first_page"), text(work, "biblio", "last_page")
    return f"{first}-{last}" if first and last and first != last else first


def _ids(work: Mapping[str, Any]) -> Iterator[str]:
    yield text(work, "id")
    yield text(work, "doi")
    for service in ("openalex", "doi", "pmid"):
        found = text(work, "ids", service)
        yield f"pmid:{found}" if service == "pmid" and found.isdecimal() else found
    for location in many(work, "locations")[:100]:
        where = text(location, "landing_page_url")
        if "arxiv.org/" in where:
            yield where
