"""The results of commands on papers: reports of added papers, queries and similar papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from scholar_indexes.errors import NoMatch
from scholar_indexes.papers.catalog.stored import StoredPaper
from scholar_indexes.papers.entry import UnreadableEntry
from scholar_indexes.types import Facet, Paper


class PaperSourceKind(Enum):
    """The kind of source that papers are added from; folders and libraries are added repeatedly."""

    FILE = auto()
    FOLDER = auto()
    ZOTERO = auto()


@dataclass(frozen=True, slots=True)
class AddPapersReport:
    """The numbers of papers that a source added, changed and left unchanged, each counted once.

    without_abstract counts the papers read that have no abstract; unreadable are the records and
    the files that could not be read; others counts the items that are not papers, by type.
    """

    added: int
    merged: int
    unchanged: int
    without_abstract: int
    unreadable: tuple[UnreadableEntry, ...]
    source: PaperSourceKind = PaperSourceKind.FILE
    others: Mapping[str, int] = field(default_factory=dict)

    @property
    def papers(self) -> int:
        """The number of papers in the source."""
        return self.added + self.merged + self.unchanged


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two aligned sentences, by their rows from 0 in the query's and the candidate's abstract.

    query_row is None for a free question, candidate_row is None for the candidate's title.
    weight is the mass moved between them (all weights add up to 1), cosine their similarity.
    """

    query_row: int | None
    candidate_row: int | None
    weight: float
    cosine: float


@dataclass(frozen=True, slots=True)
class SimilarPaper:
    """A paper in a ranking: its aligned sentences, the largest share of the score first, and
    the parts of its score by name (cosines, and bm25)."""

    stored: StoredPaper
    matched: tuple[SentencePair, ...]
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class PaperQuery:
    """A query by example: a paper, its number if it is stored, the rows of the query
    sentences, and the facet if one was chosen."""

    paper: Paper
    number: int | None
    sentences: tuple[int, ...]
    facet: Facet | None


class NoFacet(NoMatch):
    """No sentence of a paper has the facet; nearest (from 1) is the most likely one."""

    def __init__(self, reason: str, nearest: int) -> None:
        super().__init__(f"{reason}; to use it: --sentences {nearest}")
        self.reason = reason
        self.nearest = nearest
