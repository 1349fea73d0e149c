"""Semantic Scholar: papers as the answers of its Graph API give them.

One paper, the array of a batch, the data of a search, or the references or citations of a
paper, each of which wraps one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import records
from scholar_indexes.papers.formats.records import dig, many, prose, text

FIELDS = (
    "title,abstract,authors.name,year,publicationDate,venue,journal,publicationTypes,externalIds"
)
"""What to ask the service for."""

_TYPES = {
    "JournalArticle": "article-journal",
    "Review": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
    "Dataset": "dataset",
}
_IDS = {"DOI": "doi", "ArXiv": "arxiv", "CorpusId": "corpusid", "PubMed": "pmid"}


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The papers of a Semantic Scholar answer. Raises NoPapers when it is not one."""
    return records.read(data, name, _papers, entry)


def is_paper(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a paper of this service, or wraps one."""
    return "paperId" in record or any(isinstance(dig(record, key), dict) for key in _WRAPPERS)


def entry(record: Mapping[str, Any], line: int = 0) -> Entry | Broken:
    """One paper, or the one that a reference or citation wraps."""
    paper = next((record[key] for key in _WRAPPERS if isinstance(record.get(key), dict)), record)
    kinds = [each for each in many(paper, "publicationTypes") if isinstance(each, str)]
    journal = dig(paper, "journal")
    volume = text(journal, "volume")
    item = {
        "type": next((_TYPES[each] for each in kinds if each in _TYPES), "article"),
        "title": text(paper, "title"),
        "author": [text(each, "name") for each in many(paper, "authors")],
        "issued": {"raw": text(paper, "publicationDate") or text(paper, "year")},
        "container-title": text(paper, "venue") or text(journal, "name"),
        "volume": "" if volume.startswith("abs/") else volume,  # that of a preprint is its id
        "page": text(journal, "pages"),
        "DOI": text(paper, "externalIds", "DOI"),
    }
    return records.make(item, _ids(paper), prose(paper, "abstract"), line)


_WRAPPERS = ("citedPaper", "citingPaper")


def _ids(paper: Mapping[str, Any]) -> Iterator[str]:
    yield f"s2:{text(paper, 'paperId')}"
    for service, scheme in _IDS.items():
        yield f"{scheme}:{text(paper, 'externalIds', service)}"


def _papers(document: Any) -> Iterable[Any] | None:
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        return list(document["data"])
    if isinstance(document, list):
        return document
    return [document] if isinstance(document, dict) and is_paper(document) else None
