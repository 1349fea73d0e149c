"""Papers and relevance judgements in CSFCube's format.

A folder of JSON lines (Mysore et al. 2021; papers.jsonl may be compressed as .xz):

    papers.jsonl       {"paper_id", "title", "abstract": [{"facet", "text"}, ...]}
    annotations.jsonl  {"query_id", "facet", "candidate_id", "relevance"}

A sentence's facet is background, objective, method, result or other, and objective counts
as background. A query is a paper and one of the facets background, method and result; its pool
is the papers judged for it: 0 irrelevant, 1 related, 2 similar, 3 identical. Paper objects have no
id and no year, so no system can rank by them; ids are the keys of a CsfcubeCollection.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines
from scholar_cli.laboratory.json_lines import read_id
from scholar_indexes import guarded
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import QUERY_FACETS, Facet, Paper

PAPERS, ANNOTATIONS = "papers.jsonl", "annotations.jsonl"

MAX_GRADE = 3
"""The highest grade."""

MAX_BYTES = 1024**3
"""The maximum size of a file in bytes, decompressed."""

Labeller = Callable[[Sequence[str]], Sequence[Facet]]
"""Maps the sentences of an abstract, in order, to one facet each."""

_FACETS = {facet.value: facet for facet in Facet} | {"objective": Facet.BACKGROUND}


@dataclass(frozen=True, slots=True)
class FacetQuery:
    """A query paper, its facet, and the grades of its pool by id.

    The query paper is not in its pool (the official script removes it).
    """

    paper_id: str
    facet: Facet
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CsfcubeCollection:
    """Papers by id, queries in the order of their file, and one hash of both files."""

    papers: Mapping[str, Paper]
    queries: tuple[FacetQuery, ...]
    sha256: str


def load_collection(folder: Path) -> CsfcubeCollection:
    """Load the collection of a folder.

    Raises NotThere for a missing file, and UsageError with the position of an invalid line.
    """
    digest = sha256()
    papers = _load_papers(_papers_file(folder), digest.update)
    queries = _load_queries(folder / ANNOTATIONS, papers, digest.update)
    return CsfcubeCollection(papers, queries, digest.hexdigest())


def _load_papers(path: Path, update: Callable[[bytes], object]) -> dict[str, Paper]:
    papers: dict[str, Paper] = {}
    for where, line in _lines(path, update):
        paper_id = read_id(where, line, "paper_id")
        if paper_id in papers:
            raise UsageError(f"{where}: duplicate paper {paper_id[:60]!r}; keep one of the lines")
        papers[paper_id] = _paper(where, line)
    return papers


def _load_queries(
    path: Path, papers: Container[str], update: Callable[[bytes], object]
) -> tuple[FacetQuery, ...]:
    pools: dict[tuple[str, Facet], dict[str, int]] = {}
    for where, line in _lines(path, update):
        query, candidate = (
            read_id(where, line, "query_id"),
            read_id(where, line, "candidate_id"),
        )
        for paper_id in (query, candidate):
            if paper_id not in papers:
                raise UsageError(
                    f"{where}: there is no paper {paper_id[:60]!r} in {PAPERS}; fix either file"
                )
        pool = pools.setdefault((query, _query_facet(where, line)), {})
        if candidate in pool:
            raise UsageError(f"{where}: {candidate[:60]!r} is judged twice; keep one of the lines")
        pool[candidate] = _grade(where, line)
    if not pools:
        raise UsageError(f"{path} judges nothing; write at least one line")
    for (query, facet), pool in pools.items():
        pool.pop(query, None)
        if not pool:
            raise UsageError(
                f"{path}: the query {query[:60]!r} ({facet}) has no candidate but "
                "itself; judge others, or remove it"
            )
    return tuple(FacetQuery(query, facet, pool) for (query, facet), pool in pools.items())


def relabel(
    collection: CsfcubeCollection, label: Labeller, ids: Iterable[str]
) -> CsfcubeCollection:
    """Return the collection with predicted facets for the given papers.

    Raises ScholarError if label does not return one facet per sentence.
    """
    papers = dict(collection.papers)
    for paper_id in ids:
        paper = papers[paper_id]
        facets = tuple(label(paper.sentences)) if paper.sentences else ()
        if len(facets) != len(paper.sentences):
            raise ScholarError(
                f"{len(facets)} facets were predicted for the {len(paper.sentences)} sentences of "
                f"paper {paper_id[:60]!r}; return one per sentence"
            )
        papers[paper_id] = replace(paper, facets=facets)
    return replace(collection, papers=papers)


def without_labels(collection: CsfcubeCollection) -> CsfcubeCollection:
    """Return the collection without the facets of its papers' sentences."""
    papers = {paper_id: replace(paper, facets=()) for paper_id, paper in collection.papers.items()}
    return replace(collection, papers=papers)


def _papers_file(folder: Path) -> Path:
    plain, compressed = folder / PAPERS, folder / f"{PAPERS}.xz"
    return compressed if compressed.exists() and not plain.exists() else plain


def _paper(where: str, line: Mapping[str, Any]) -> Paper:
    abstract = line.get("abstract")
    if not isinstance(abstract, list) or not all(isinstance(row, dict) for row in abstract):
        raise UsageError(
            f'{where}: "abstract" is not a list of sentences; write [{{"facet", "text"}}, ...]'
        )
    facets = []
    for row in abstract:
        facet = row.get("facet")
        if not isinstance(facet, str) or facet not in _FACETS:
            raise UsageError(
                f"{where}: {guarded.shown(facet)} is not a sentence facet; "
                f"choose from {', '.join(_FACETS)}"
            )
        facets.append(_FACETS[facet])
    sentences = tuple(_text(where, row, "text") for row in abstract)
    return Paper("", _text(where, line, "title"), sentences, tuple(facets))


def _query_facet(where: str, line: Mapping[str, Any]) -> Facet:
    facet = line.get("facet")
    if not isinstance(facet, str) or facet not in QUERY_FACETS:
        raise UsageError(
            f"{where}: {guarded.shown(facet)} is not a query facet; "
            f"choose from {', '.join(QUERY_FACETS)}"
        )
    return Facet(facet)


def _grade(where: str, line: Mapping[str, Any]) -> int:
    value = line.get("relevance")
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_GRADE:
        raise UsageError(
            f'{where}: "relevance" is not an integer from 0 to {MAX_GRADE}; fix the line'
        )
    return value


def _text(where: str, line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise UsageError(f'{where}: there is no "{name}"; set it to a string')
    return value.encode("utf-8", "replace").decode()  # without lone surrogates


def _lines(
    path: Path, update: Callable[[bytes], object]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the position and the object of each line; update gets the decompressed content."""
    content = _read(path)
    text = json_lines.decode(path, content)
    update(content)
    yield from json_lines.parse(path, text)


def _read(path: Path) -> bytes:
    """Return the decompressed content of a file; raise NotThere or UsageError."""
    try:
        return guarded.read_unpacked(path, MAX_BYTES)
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; give a folder with {PAPERS} (or {PAPERS}.xz) and {ANNOTATIONS}"
        ) from None
    except guarded.TooLarge as refusal:
        raise UsageError(f"{path} cannot be read ({refusal}); use a part of it") from refusal
    except ValueError as refusal:
        raise UsageError(f"{path} cannot be read ({refusal}); download it again") from refusal
    except OSError as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
