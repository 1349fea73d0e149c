"""The LanceDB table of papers, which proposes the candidates of a search.

One row per paper: its words for BM25, the vector of its whole abstract, one view of it per
facet (title and the facet's sentences, see match) and the vectors of all its sentences. A
paper that is similar only in its method is far away as a whole and near in that view, so the
candidates are the papers that are near in either way or share words with the query; match scores
their sentences. docs/papers.md has the measurements.

A row has the number and the revision of its paper, see catalog.store: it is ignored if the paper is
not listed, or if its text has changed since this revision.
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
"""The most candidates in all."""

_COLUMNS = ("whole", *(facet.value for facet in QUERY_FACETS))
_SCALE_BYTES = 4


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper as it is stored.

    text is searched by BM25; whole (d,), title (d,) and sentences (n, d) are of unit length;
    facets (n, 4) are the probabilities of FACETS for each sentence, see one_hot_facets;
    collections are their numbers in the catalogue.
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
    """The fields of a stored paper besides its text and vectors, see PaperRow."""

    number: int
    revision: int
    year: int | None
    collections: Sequence[int]


@dataclass(frozen=True, slots=True)
class PaperFilter:
    """The papers that may be returned: None means all of them.

    collections are numbers in the catalogue, and a paper in any of them passes; years is an
    inclusive range, which excludes papers without a year.
    """

    collections: Collection[int] | None = None
    years: tuple[int, int] | None = None


ALL_PAPERS = PaperFilter()


@dataclass(frozen=True, slots=True)
class CandidatePapers:
    """m stored papers: numbers and revisions (m,) as in the catalogue, the vectors that match
    compares, and bm25 (m,), which is 0 for a paper that shares no word."""

    numbers: Ints1d
    revisions: Ints1d
    documents: tuple[PaperVectors, ...]
    bm25: Floats1d

    def __len__(self) -> int:
        return len(self.numbers)


def one_hot_facets(facets: Sequence[Facet]) -> Floats2d:
    """Return known facets as probabilities (n, 4)."""
    at = np.array([FACETS.index(facet) for facet in facets], np.int64)
    likely: Floats2d = np.eye(len(FACETS), dtype=np.float32)[at]
    return likely


def facet_view(sentences: Floats2d, title: Floats1d, weights: Floats1d | None = None) -> Floats1d:
    """Return the unit vector (d,) of a facet, which match compares: the mean direction of sentences
    (n, d) with weights (n,), plus the title (d,)."""
    weights = np.ones(len(sentences), np.float32) if weights is None else weights
    return _unit(_unit(weights @ sentences) + title)


def pack_vectors(vectors: Floats2d) -> bytes:
    """Return unit vectors (n, d) as n float32 scales and n times d int8: each row is divided by its
    largest value and rounded to 127 steps, which changes a cosine by about 0.001."""
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
    """Return the first `limit` distinct numbers of rankings, taken from each in turn."""
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
        """Store papers in one batch, replacing rows with the same numbers.

        An interrupted write may leave some of the numbers without a row, but never with two;
        their papers are still pending in the catalogue, so they are written again.
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
        """Remove papers from the tables of all models, except a table that cannot be read and
        awaits its rebuild."""
        if numbers:
            self._delete_everywhere(_among(numbers))

    def revisions(self, numbers: Collection[int]) -> dict[int, int]:
        """Return the stored revisions by paper; papers without a row are missing."""
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
        """Update the metadata of papers whose vectors are still valid; papers without a row are
        skipped. An interruption has the same effect as in `write`."""
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
        """Return at most k papers that may be similar, taken in turn from several rankings: the
        nearest to whole (d,), the nearest to each of views (d,) in the view of its facet, and the
        best by BM25 for words. A stored paper that is the query is among them.

        Raises NotIndexed if there is no table.
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
        """Return the stored papers among the given numbers, in this order; bm25 is 0."""
        return self._found(numbers, {})

    def _nearest(self, column: str, query: Floats1d, k: int, scope: PaperFilter) -> list[int]:
        with self._explain_errors():
            search = self._search_vectors(column, query)
            if condition := _condition(scope):
                search = search.where(condition, prefilter=True)
            nearest = self._best_rows(search, "number", "_distance", k)
        return [int(number) for number in nearest["number"].to_pylist()]

    def _matching(self, words: str, k: int, condition: str | None) -> dict[int, float]:
        """Return the k best papers for words by BM25, best first, with their scores."""
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
        """Return the vectors of a paper. Raises ValueError if bytes are not packed vectors."""
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
    """Return the view of a facet with sentences weighted as in match: all, if none has it."""
    return facet_view(row.sentences, row.title, row.facets[:, FACETS.index(facet)] + MIN_RELEVANCE)


def _flat(column: Any) -> Any:
    return column.combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _unit(vector: Floats1d) -> Floats1d:
    unit: Floats1d = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
    return unit


def table_name(space: str) -> str:
    return f"papers_v{SCHEMA_VERSION}_{space}"
