"""Contrast sets: papers similar in one facet, against papers similar in something else.

sets.jsonl has one set per line of JSON (docs/papers.md describes how they were written):

    {"set", "part": "dev", "facet": "method", "field", "query": {"title", "abstract"},
     "like": [{"title", "abstract"}, ...], "unlike": [...]}

A like paper shares the facet with the query, and has another topic if the facet is method or
result; an unlike paper shares something else with it, such as the topic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines
from scholar_cli.laboratory.json_lines import read_id
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_bytes, shown
from scholar_indexes.types import QUERY_FACETS, Facet

FILE = Path(__file__).with_name("sets.jsonl")

PARTS = ("dev", "test")
"""Sets for choosing settings, and sets for reporting."""


@dataclass(frozen=True, slots=True)
class ContrastPaper:
    """A title and an abstract."""

    title: str
    abstract: str


@dataclass(frozen=True, slots=True)
class ContrastSet:
    """A query paper, its facet, and papers that are like and unlike it in that facet."""

    name: str
    part: str
    facet: Facet
    field: str
    query: ContrastPaper
    like: tuple[ContrastPaper, ...]
    unlike: tuple[ContrastPaper, ...]

    @property
    def papers(self) -> tuple[ContrastPaper, ...]:
        """The query, the like and the unlike papers, in this order."""
        return (self.query, *self.like, *self.unlike)


def read(path: Path = FILE) -> list[ContrastSet]:
    """Return the sets of a file, in its order.

    Raises NotThere for a missing file, and UsageError with the position of an invalid line or of a
    paper that is in two sets.
    """
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; give a file of contrast sets") from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    text = json_lines.decode(path, content)
    sets: list[ContrastSet] = []
    places: dict[str, str] = {}
    for where, line in json_lines.parse(path, text):
        contrast = _to_set(where, line)
        for key in (f"set {contrast.name}", *(paper.title.casefold() for paper in contrast.papers)):
            if key in places:
                raise UsageError(f"{where}: {key[:60]!r} is already in {places[key]}; keep one")
            places[key] = where
        sets.append(contrast)
    if not sets:
        raise UsageError(f"{path} has no contrast sets; write at least one")
    return sets


def sha256(path: Path = FILE) -> str:
    """Return the hash of a file of contrast sets."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _to_set(where: str, line: Mapping[str, Any]) -> ContrastSet:
    part, facet = line.get("part"), line.get("facet")
    if part not in PARTS:
        raise UsageError(f"{where}: {shown(part)} is not a part; write {' or '.join(PARTS)}")
    if facet not in QUERY_FACETS:
        raise UsageError(
            f"{where}: {shown(facet)} is not a facet; choose from {', '.join(QUERY_FACETS)}"
        )
    return ContrastSet(
        read_id(where, line, "set"),
        part,
        Facet(facet),
        str(line.get("field", "")),
        _to_paper(where, line.get("query")),
        _to_papers(where, line, "like"),
        _to_papers(where, line, "unlike"),
    )


def _to_papers(where: str, line: Mapping[str, Any], name: str) -> tuple[ContrastPaper, ...]:
    papers = line.get(name)
    if not isinstance(papers, list) or not papers:
        raise UsageError(f'{where}: "{name}" is not a list; write [{{"title", "abstract"}}]')
    return tuple(_to_paper(where, paper) for paper in papers)


def _to_paper(where: str, paper: object) -> ContrastPaper:
    fields = paper if isinstance(paper, dict) else {}
    title, abstract = fields.get("title"), fields.get("abstract")
    if not all(isinstance(text, str) and text.strip() for text in (title, abstract)):
        raise UsageError(f'{where}: a paper has no "title" or "abstract"; give it both as text')
    return ContrastPaper(str(title), str(abstract))
