"""The LanceDB table of papers, which proposes the candidates of a search.

One row per paper: its words for BM25, the vector of its whole abstract, one view of it per
facet (title and the facet's sentences, see match) and the vectors of all its sentences. A
paper that is alike only in its method is far away as a whole and near in that view, so
the candidates are those near in either way and those that share its words; scoring their
sentences is match's. docs/papers.md has the measurements.

A row bears its paper's number and the revision of its text, see shelf: a row whose paper
is not listed under this revision is out of date and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.papers.match import MIN_RELEVANCE, PaperVectors
from scholar_indexes.storage.lance_table import (
    LanceTable,
    btree_index,
    full_text_index,
)
from scholar_indexes.storage.lancedb_import import load_lancedb
from scholar_indexes.types import FACETS, QUERY_FACETS, Facet

if TYPE_CHECKING:
    from scholar_indexes.papers.encoding import EncodedPaper

SCHEMA_VERSION = 1

MAX_CANDIDATES = 1_000
"""Papers put forward in all."""

_COLUMNS = ("whole", *(facet.value for facet in QUERY_FACETS))
_SCALE_BYTES = 4


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper as it is stored.

    text is what BM25 reads; whole (d,), title (d,) and sentences (n, d) are of unit length;
    facets (n, 4) says how likely a sentence is of each of FACETS, see certain; collections
    are the catalogue's numbers of them.
    """

    number: int
    revision: int
    year: int | None
    collections: Sequence[int]
    text: str
    whole: Floats1d
    title: Floats1d
    sentences: Floats2d
    facets: Floats2d

    @classmethod
    def from_encoded(cls, metadata: PaperMetadata, text: str, encoded: EncodedPaper) -> PaperRow:
        """Return the row of a paper that encode_papers encoded."""
        return cls(
            metadata.number,
            metadata.revision,
            metadata.year,
            metadata.collections,
            text,
            encoded.whole,
            encoded.title,
            encoded.sentences,
            encoded.shares,
        )


@dataclass(frozen=True, slots=True)
class PaperMetadata:
    """The fields of a stored paper beside its text and vectors, see PaperRow."""

    number: int
    revision: int
    year: int | None
    collections: Sequence[int]


@dataclass(frozen=True, slots=True)
class PaperFilter:
    """The papers that may be returned: None means all of them.

    collections are the catalogue's numbers, one of which is enough; years is an inclusive
    range, which a paper without a year is not in.
    """

    collections: Collection[int] | None = None
    years: tuple[int, int] | None = None


ALL_PAPERS = PaperFilter()


@dataclass(frozen=True, slots=True)
class CandidatePapers:
    """m stored papers: numbers and revisions (m,) as in the catalogue, the papers themselves as
    match takes them, and bm25 (m,), which is 0 for a paper that shares no word."""

    numbers: Ints1d
    revisions: Ints1d
    documents: tuple[PaperVectors, ...]
    bm25: Floats1d

    def __len__(self) -> int:
        return len(self.numbers)


def one_hot_facets(facets: Sequence[Facet]) -> Floats2d:
    """Return known facets as likelihoods (n, 4)."""
    at = np.array([FACETS.index(facet) for facet in facets], np.int64)
    likely: Floats2d = np.eye(len(FACETS), dtype=np.float32)[at]
    return likely


def facet_view(sentences: Floats2d, title: Floats1d, weights: Floats1d | None = None) -> Floats1d:
    """Return the unit vector (d,) of some sentences (n, d) of weights (n,) on the topic of a title
    (d,), which match compares as view."""
    weights = np.ones(len(sentences), np.float32) if weights is None else weights
    return _unit(_unit(weights @ sentences) + title)


def pack_vectors(vectors: Floats2d) -> bytes:
    """Return unit vectors (n, d) as n float32 scales and n times d int8: each row is divided by its
    largest value and rounded to 127 steps, which moves a cosine by 0.001 or so."""
    scales = np.abs(vectors).max(axis=1, initial=1e-9).astype("<f4") / 127
    steps = np.rint(vectors / scales[:, None]).astype(np.int8)
    return bytes(scales.astype("<f4").tobytes() + steps.tobytes())


def unpack_vectors(data: bytes, dimensions: int) -> Floats2d:
    """Return the vectors (n, d) that pack_vectors packed, each value within half a step."""
    count = len(data) // (dimensions + _SCALE_BYTES)
    scales = np.frombuffer(data, "<f4", count)
    steps = np.frombuffer(data, np.int8, offset=count * _SCALE_BYTES)
    vectors: Floats2d = steps.reshape(count, dimensions).astype(np.float32) * scales[:, None]
    return vectors


def interleave(rankings: Sequence[Sequence[int]], limit: int) -> list[int]:
    """Return the first limit different numbers of some rankings, taken in turn from each."""
    numbers: dict[int, None] = {}
    for turn in zip_longest(*rankings):
        for number in turn:
            if number is not None and len(numbers) < limit:
                numbers.setdefault(number)
    return list(numbers)


class PaperTable(LanceTable):
    """The table of the papers in one vector space."""

    scalar_indexes: ClassVar[Mapping[str, Callable[[], Any]]] = {
        "text": lambda: full_text_index(remove_stop_words=True),
        "number": btree_index,
        "year": btree_index,
        "collections": lambda: load_lancedb().index.LabelList(),
    }
    vector_columns = _COLUMNS
    rebuild_command = "scholar papers rebuild"
    missing_message = "there is no index of papers yet; run: scholar papers rebuild"

    def __init__(self, folder: Path, space: str, dimensions: int) -> None:
        super().__init__(folder, table_name(space), dimensions)

    def write(self, rows: Sequence[PaperRow]) -> None:
        """Store papers, in one batch; what stood there under the same numbers is replaced.

        An interrupted write may leave some of the numbers without a row, never with two:
        the shelf still has them waiting, so they are written again.
        """
        if not rows:
            return
        with self._explain_write_errors():
            table = self._open_or_create()
            numbers = [row.number for row in rows]
            # a range is compared ten times as fast as a list, and new numbers are a range
            is_there = table.count_rows(f"number BETWEEN {min(numbers)} AND {max(numbers)}")
            with self._written_whole():
                if is_there:
                    table.delete(_among(numbers))
                table.add(self._record(rows))

    def delete(self, numbers: Collection[int]) -> None:
        """Remove papers from this table and from those of every other model; one that cannot
        be read is left for a rebuild."""
        if numbers:
            self._delete_everywhere(_among(numbers))

    def revisions(self, numbers: Collection[int]) -> dict[int, int]:
        """Return the stored revisions of those of some papers that are stored."""
        if self._table is None:
            return {}
        with self._explain_errors():
            rows = (
                self._table.search()
                .where(_among(numbers))
                .select(["number", "revision"])
                .limit(max(len(numbers), 1))
                .to_arrow()
            )
        return dict(zip(rows["number"].to_pylist(), rows["revision"].to_pylist(), strict=True))

    def renew(self, papers: Sequence[PaperMetadata]) -> None:
        """Change what is stored beside the vectors, where these are still right; papers that
        have no row stay without. An interrupted one is as an interrupted write."""
        import pyarrow

        if self._table is None or not papers:
            return
        among = _among([paper.number for paper in papers])
        by_number = {paper.number: paper for paper in papers}
        with self._explain_write_errors():
            stored = self._table.search().where(among).limit(len(papers)).to_arrow()
            now = [by_number[number] for number in stored["number"].to_pylist()]
            for name, values in {
                "revision": [metadata.revision for metadata in now],
                "year": [metadata.year for metadata in now],
                "collections": [list(metadata.collections) for metadata in now],
            }.items():
                at = stored.schema.get_field_index(name)
                changed = pyarrow.array(values, stored.schema.field(at).type)
                stored = stored.set_column(at, stored.schema.field(at), changed)
            if now:
                with self._written_whole():
                    self._table.delete(among)
                    self._table.add(stored)

    def candidates(
        self,
        whole: Floats1d,
        views: Mapping[Facet, Floats1d],
        words: str,
        k: int = MAX_CANDIDATES,
        scope: PaperFilter = ALL_PAPERS,
    ) -> CandidatePapers:
        """Return at most k papers that may be alike, taken in turn from several rankings: the
        nearest to whole (d,), those whose view of a facet is nearest to the one in views (d,),
        and the best by BM25 for words. An asked paper that is stored itself is among them.

        Raises NotIndexed when there is no table.
        """
        queries = [("whole", whole), *views.items()]
        with ThreadPoolExecutor(1 + len(queries)) as pool:
            nearest = [pool.submit(self._nearest, *query, k, scope) for query in queries]
            matched = self._matching(words, k, _condition(scope))
            chosen = interleave([*(future.result() for future in nearest), list(matched)], k)
        others = [number for number in chosen if number not in matched]
        if others and matched:
            matched |= self._matching(words, len(others), _among(others))
        return self._found(chosen, matched)

    def rows(self, numbers: Sequence[int]) -> CandidatePapers:
        """Return the stored papers among some numbers, in their order; bm25 is 0."""
        return self._found(numbers, {})

    def _nearest(self, column: str, query: Floats1d, k: int, scope: PaperFilter) -> list[int]:
        with self._explain_errors():
            search = self._search_vectors(column, query)
            if condition := _condition(scope):
                search = search.where(condition, prefilter=True)
            nearest = self._best_rows(search, "number", "_distance", k)
        return [int(number) for number in nearest["number"].to_pylist()]

    def _matching(self, words: str, k: int, condition: str | None) -> dict[int, float]:
        """Return the papers that answer some words best by BM25, best first, and their scores."""
        if not words.strip():
            return {}
        with self._explain_errors():
            search = self._search_text(words)
            if condition:
                search = search.where(condition, prefilter=True)
            matches = self._best_rows(search, "number", "_score", k)
        return dict(zip(matches["number"].to_pylist(), matches["_score"].to_pylist(), strict=True))

    def _found(self, numbers: Sequence[int], bm25: Mapping[int, float]) -> CandidatePapers:
        columns = ["number", "revision", "whole", "vectors", "facets"]
        with self._explain_errors():
            stored = (
                self._opened()
                .search()
                .where(_among(numbers))
                .select(columns)
                .limit(max(len(numbers), 1))
                .to_arrow()
            ).combine_chunks()
            return self._unpacked(stored, numbers, bm25)

    def _unpacked(
        self, stored: Any, numbers: Sequence[int], bm25: Mapping[int, float]
    ) -> CandidatePapers:
        place = {number: at for at, number in enumerate(stored["number"].to_pylist())}
        order = [place[number] for number in numbers if number in place]
        stored = stored.take(np.array(order, np.int64))
        whole = _flat(stored["whole"]).astype(np.float32).reshape(-1, self._dimensions)
        documents = tuple(
            self._document(*columns)
            for columns in zip(
                whole, stored["vectors"].to_pylist(), stored["facets"].to_pylist(), strict=True
            )
        )
        stored_numbers = stored["number"].to_numpy().astype(np.int64)
        return CandidatePapers(
            stored_numbers,
            stored["revision"].to_numpy().astype(np.int64),
            documents,
            np.array([bm25.get(int(number), 0.0) for number in stored_numbers], np.float32),
        )

    def _document(self, whole: Floats1d, vectors: bytes, facets: bytes) -> PaperVectors:
        """Return the vectors of a paper; raises ValueError for bytes that none was packed into."""
        title, *_ = unit = unpack_vectors(vectors, self._dimensions)
        shares = np.frombuffer(facets, np.uint8).reshape(len(unit) - 1, len(FACETS))
        likely = shares.astype(np.float32) / np.maximum(shares.sum(axis=1, keepdims=True), 1)
        return PaperVectors(unit[1:], likely.astype(np.float32), whole, title)

    def _schema(self) -> Any:
        import pyarrow

        vector = pyarrow.list_(pyarrow.float16(), self._dimensions)
        return pyarrow.schema(
            [
                ("number", pyarrow.int64()),
                ("revision", pyarrow.int64()),
                ("year", pyarrow.int32()),
                ("collections", pyarrow.list_(pyarrow.int32())),
                ("text", pyarrow.string()),
                *((column, vector) for column in _COLUMNS),
                ("vectors", pyarrow.binary()),  # of the title and of every sentence, packed
                ("facets", pyarrow.binary()),  # 255ths
            ]
        )

    def _record(self, rows: Sequence[PaperRow]) -> Any:
        import pyarrow

        def vectors(of: Sequence[Floats1d]) -> Any:
            flat = pyarrow.array(np.concatenate(of).astype(np.float16))
            return pyarrow.FixedSizeListArray.from_arrays(flat, self._dimensions)

        return pyarrow.table(
            [
                pyarrow.array([row.number for row in rows], pyarrow.int64()),
                pyarrow.array([row.revision for row in rows], pyarrow.int64()),
                pyarrow.array([row.year for row in rows], pyarrow.int32()),
                pyarrow.array(
                    [list(row.collections) for row in rows], pyarrow.list_(pyarrow.int32())
                ),
                pyarrow.array([row.text for row in rows], pyarrow.string()),
                vectors([row.whole for row in rows]),
                *(vectors([_view(row, facet) for row in rows]) for facet in QUERY_FACETS),
                pyarrow.array(
                    [pack_vectors(np.vstack([row.title, row.sentences])) for row in rows],
                    pyarrow.binary(),
                ),
                pyarrow.array(
                    [np.rint(row.facets * 255).astype(np.uint8).tobytes() for row in rows],
                    pyarrow.binary(),
                ),
            ],
            schema=self._schema(),
        )


def _condition(scope: PaperFilter) -> str | None:
    conditions = []
    if scope.collections is not None:
        listed = ", ".join(str(int(collection)) for collection in sorted(scope.collections))
        conditions.append(f"array_has_any(collections, [{listed}])" if listed else "false")
    if scope.years is not None:
        conditions.append(f"year BETWEEN {int(scope.years[0])} AND {int(scope.years[1])}")
    return " AND ".join(conditions) or None


def _among(numbers: Collection[int]) -> str:
    return (
        f"number IN ({', '.join(str(int(number)) for number in numbers)})" if numbers else "false"
    )


def _view(row: PaperRow, facet: Facet) -> Floats1d:
    """Return the view of a facet with sentences weighed as in match: all, where none has it."""
    return facet_view(row.sentences, row.title, row.facets[:, FACETS.index(facet)] + MIN_RELEVANCE)


def _flat(column: Any) -> Any:
    return column.combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _unit(vector: Floats1d) -> Floats1d:
    unit: Floats1d = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
    return unit


def table_name(space: str) -> str:
    return f"papers_v{SCHEMA_VERSION}_{space}"
