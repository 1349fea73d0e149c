"""Read works of OpenAlex, from its API and its snapshots (docs.openalex.org).

One work, a list of results, an array, or one work per line. The abstract is an inverted
index of its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.guarded import parse_json
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import service_records
from scholar_indexes.papers.formats.service_records import list_at, prose_at, text_at, value_at

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


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the works of an OpenAlex file. Raises NoPapers if it is not one."""
    return service_records.read_entries(data, name, _works, parse_work)


def is_work(record: Mapping[str, Any]) -> bool:
    """Return True if a JSON object is an OpenAlex work."""
    work_id = str(record.get("id") or "")
    return "openalex.org/" in work_id or "abstract_inverted_index" in record


def parse_work(work: Mapping[str, Any], line: int = 0) -> Entry | UnreadableEntry:
    """Return the entry of a work."""
    source = value_at(work, "primary_location", "source")
    in_proceedings = text_at(source, "type") == "conference"
    kind = text_at(work, "type_crossref") or text_at(work, "type")
    item = {
        "type": "paper-conference" if in_proceedings else _TYPES.get(kind, "document"),
        "title": text_at(work, "title") or text_at(work, "display_name"),
        "author": [
            text_at(authorship, "author", "display_name") or text_at(authorship, "raw_author_name")
            for authorship in list_at(work, "authorships")
        ],
        "issued": {"raw": text_at(work, "publication_date") or text_at(work, "publication_year")},
        "container-title": text_at(source, "display_name"),
        "publisher": text_at(source, "host_organization_name"),
        "volume": text_at(work, "biblio", "volume"),
        "issue": text_at(work, "biblio", "issue"),
        "page": _pages(work),
        "DOI": _doi(work),
        "URL": text_at(work, "primary_location", "landing_page_url"),
        "language": text_at(work, "language"),
    }
    return service_records.build_entry(item, _ids(work), restore_abstract(work), line)


def restore_abstract(work: Mapping[str, Any]) -> str:
    """Return the abstract in reading order, empty if the work has none."""
    index = work.get("abstract_inverted_index")
    if isinstance(index, str):  # as in the older snapshots
        try:
            index = parse_json(index, lenient=True)
        except ValueError:
            return ""
        inner = value_at(index, "InvertedIndex")
        index = inner if isinstance(inner, dict) else index
    if not isinstance(index, dict):
        return prose_at(work, "abstract")
    positions = sorted(_word_positions(index))
    return " ".join(word for _, word in positions[:MAX_WORDS])


def _word_positions(index: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if isinstance(position, int) and not isinstance(position, bool) and position >= 0:
                yield position, word


def cited_ids(work: Mapping[str, Any]) -> list[str]:
    """Return the OpenAlex addresses of the works that a work cites."""
    return [cited for cited in list_at(work, "referenced_works") if isinstance(cited, str)]


def _works(document: Any) -> Iterable[Any] | None:
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        return list(document["results"])
    if isinstance(document, list):
        return document
    return [document] if isinstance(document, dict) and is_work(document) else None


def _doi(work: Mapping[str, Any]) -> str:
    address = text_at(work, "doi") or text_at(work, "ids", "doi")
    return address.removeprefix("https://doi.org/")


def _pages(work: Mapping[str, Any]) -> str:
    first, last = text_at(work, "biblio", "first_page"), text_at(work, "biblio", "last_page")
    return f"{first}-{last}" if first and last and first != last else first


def _ids(work: Mapping[str, Any]) -> Iterator[str]:
    yield text_at(work, "id")
    yield text_at(work, "doi")
    for service in ("openalex", "doi", "pmid"):
        value = text_at(work, "ids", service)
        yield f"pmid:{value}" if service == "pmid" and value.isdecimal() else value
    for location in list_at(work, "locations")[:100]:
        address = text_at(location, "landing_page_url")
        if "arxiv.org/" in address:
            yield address
