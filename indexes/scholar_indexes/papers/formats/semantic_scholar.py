"""Read papers of Semantic Scholar from the answers of its Graph API.

One paper, the array of a batch, the data of a search, or the references or citations of a
paper, each of which wraps one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import service_records
from scholar_indexes.papers.formats.service_records import list_at, prose_at, text_at, value_at

FIELDS = (
    "title,abstract,authors.name,year,publicationDate,venue,journal,publicationTypes,externalIds"
)
"""The fields that are requested from the service."""

_TYPES = {
    "JournalArticle": "article-journal",
    "Review": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
    "Dataset": "dataset",
}
_IDS = {"DOI": "doi", "ArXiv": "arxiv", "CorpusId": "corpusid", "PubMed": "pmid"}


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a Semantic Scholar answer. Raises NoPapers if it is not one."""
    return service_records.read_entries(data, name, _papers, parse_paper)


def is_paper(record: Mapping[str, Any]) -> bool:
    """Return True if a JSON object is a paper of this service, or wraps one."""
    return "paperId" in record or any(isinstance(value_at(record, key), dict) for key in _WRAPPERS)


def parse_paper(record: Mapping[str, Any], line: int = 0) -> Entry | UnreadableEntry:
    """Return the entry of a paper, or of the paper that a reference or citation wraps."""
    paper = next((record[key] for key in _WRAPPERS if isinstance(record.get(key), dict)), record)
    journal = value_at(paper, "journal")
    volume = text_at(journal, "volume")
    item = {
        "type": _csl_type(list_at(paper, "publicationTypes")),
        "title": text_at(paper, "title"),
        "author": [text_at(author, "name") for author in list_at(paper, "authors")],
        "issued": {"raw": text_at(paper, "publicationDate") or text_at(paper, "year")},
        "container-title": text_at(paper, "venue") or text_at(journal, "name"),
        "volume": "" if volume.startswith("abs/") else volume,  # the volume of a preprint is its id
        "page": text_at(journal, "pages"),
        "DOI": text_at(paper, "externalIds", "DOI"),
    }
    return service_records.build_entry(item, _ids(paper), prose_at(paper, "abstract"), line)


_WRAPPERS = ("citedPaper", "citingPaper")


def _csl_type(kinds: Iterable[Any]) -> str:
    known = (_TYPES[kind] for kind in kinds if isinstance(kind, str) and kind in _TYPES)
    return next(known, "article")


def _ids(paper: Mapping[str, Any]) -> Iterator[str]:
    yield f"s2:{text_at(paper, 'paperId')}"
    for service, scheme in _IDS.items():
        yield f"{scheme}:{text_at(paper, 'externalIds', service)}"


def _papers(document: Any) -> Iterable[Any] | None:
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        return list(document["data"])
    if isinstance(document, list):
        return document
    return [document] if isinstance(document, dict) and is_paper(document) else None
