"""Papers and what experts judged of them, in CSFCube's form.

A folder of lines of JSON (Mysore et al. 2021; papers.jsonl may be packed as .xz):

    papers.jsonl       {"paper_id", "title", "abstract": [{"facet", "text"}, ...]}
    annotations.jsonl  {"query_id", "facet", "candidate_id", "relevance"}

A sentence's facet is background, objective, method, result or other, and objective counts
as background. A query is a paper with a facet of background, method or result; its pool
is what is judged for it: 0 irrelevant, 1 related, 2 similar, 3 identical. A paper has no
id and no year here but in the keys of a Collection, so nothing can be ranked by them.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Facet, Paper

PAPERS, ANNOTATIONS = "papers.jsonl", "annotations.jsonl"

ASKED = (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)
"""Facets that a query may have."""

BEST = 3
"""The best grade."""

MAX_BYTES = 1024**3
"""What is read of a file, unpacked."""

Labeller = Callable[[Sequence[str]], Sequence[Facet]]
"""The sentences of one abstract, in order, to one facet each."""

_FACETS = {each.value: each for each in Facet} | {"objective": Facet.BACKGROUND}


@dataclass(frozen=True, slots=True)
class Query:
    """A paper to start from, the respect that is meant, and the grades of its pool by id.

    The paper itself is not in its pool (the official script takes it out).
    """

    paper_id: str
    facet: Facet
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Collection:
    """Papers by their id, queries in the order of their file, one hash of both files."""

    papers: Mapping[str, Paper]
    queries: tuple[Query, ...]
    sha256: str


def read(folder: Path) -> Collection:
    """The collection in a folder.

    Raises NotThere for a file that is not there, and UsageError naming the line of one
    that cannot be made out.
    """
    digest = sha256()
    papers: dict[str, Paper] = {}
    for where, line in _lines(_papers_file(folder), digest.update):
        paper_id = _id(where, line, "paper_id")
        if paper_id in papers:
            raise UsageError(f"{where}: there is a paper {paper_id!r} already; name each once")
        papers[paper_id] = _paper(where, line)
    pools: dict[tuple[str, Facet], dict[str, int]] = {}
    for where, line in _lines(folder / ANNOTATIONS, digest.update):
        query, candidate = _id(where, line, "query_id"), _id(where, line, "candidate_id")
        for each in (query, candidate):
            if each not in papers:
                raise UsageError(f"{where}: there is no paper {each!r} in {PAPERS}; mend either")
        pool = pools.setdefault((query, _asked(where, line)), {})
        if candidate in pool:
            raise UsageError(f"{where}: {candidate!r} is judged twice; keep one of the lines")
        pool[candidate] = _grade(where, line)
    if not pools:
        raise UsageError(f"{folder / ANNOTATIONS} judges nothing; write at least one line")
    for (query, facet), pool in pools.items():
        pool.pop(query, None)
        if not pool:
            raise UsageError(
                f"{folder / ANNOTATIONS}: the query {query!r} ({facet}) has no candidate but "
                "itself; judge others, or leave it out"
            )
    queries = tuple(Query(query, facet, pool) for (query, facet), pool in pools.items())
    return Collection(papers, queries, digest.hexdigest())


def relabelled(collection: Collection, label: Labeller, ids: Iterable[str]) -> Collection:
    """The collection with facets that were predicted in place of some papers' own.

    Raises ScholarError where label does not give every sentence one.
    """
    papers = dict(collection.papers)
    for paper_id in ids:
        paper = papers[paper_id]
        facets = tuple(label(paper.sentences)) if paper.sentences else ()
        if len(facets) != len(paper.sentences):
            raise ScholarError(
                f"{len(facets)} facets were given to the {len(paper.sentences)} sentences of paper "
                f"{paper_id!r}; give each sentence one"
            )
        papers[paper_id] = replace(paper, facets=facets)
    return replace(collection, papers=papers)


def _papers_file(folder: Path) -> Path:
    packed = folder / f"{PAPERS}.xz"
    return packed if packed.exists() and not (folder / PAPERS).exists() else folder / PAPERS


def _paper(where: str, line: Mapping[str, Any]) -> Paper:
    listed = line.get("abstract")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise UsageError(
            f'{where}: "abstract" is no list of sentences; write [{{"facet", "text"}}, ...]'
        )
    facets = []
    for each in listed:
        named = each.get("facet")
        if not isinstance(named, str) or named not in _FACETS:
            raise UsageError(
                f"{where}: {named!r} is no facet of a sentence; choose from {', '.join(_FACETS)}"
            )
        facets.append(_FACETS[named])
    sentences = tuple(_text(where, each, "text") for each in listed)
    return Paper("", _text(where, line, "title"), sentences, tuple(facets))


def _asked(where: str, line: Mapping[str, Any]) -> Facet:
    named = line.get("facet")
    if not isinstance(named, str) or named not in ASKED:
        raise UsageError(
            f"{where}: {named!r} is no facet of a query; choose from {', '.join(ASKED)}"
        )
    return Facet(named)


def _grade(where: str, line: Mapping[str, Any]) -> int:
    value = line.get("relevance")
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= BEST:
        raise UsageError(f'{where}: "relevance" is no whole number from 0 to {BEST}; mend the line')
    return value


def _id(where: str, line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f'{where}: there is no "{name}"; give it a text or a number')
    return str(value)


def _text(where: str, line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise UsageError(f'{where}: there is no "{name}"; give it a text')
    return value.encode("utf-8", "replace").decode()  # half a character is none


def _lines(path: Path, note: Callable[[bytes], object]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every line's place and its object; note is told all that is read, unpacked."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; name a folder with {PAPERS} (or {PAPERS}.xz) and {ANNOTATIONS}"
        ) from None
    except (lzma.LZMAError, EOFError) as refusal:
        raise UsageError(f"{path} cannot be unpacked; fetch it again") from refusal
    except (OSError, UnicodeDecodeError) as refusal:
        raise UsageError(f"{path} cannot be read as UTF-8 text; save it anew") from refusal
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path} holds more than {MAX_BYTES // 1024**2} MiB; take a part of it")
    note(content)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as broken:
            raise UsageError(f"{where}: this is not JSON; mend the line") from broken
        if not isinstance(record, dict):
            raise UsageError(f"{where}: this is not an object; write {{...}} with names and values")
        yield where, record
