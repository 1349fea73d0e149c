"""The LanceDB table of papers: what puts forward the papers that may be alike.

One row per paper: its words for BM25, the vector of its whole abstract, one view of it per
facet (title and the facet's sentences, see match) and the vectors of all its sentences. A
paper that is alike only in its method is far away as a whole and near in that view, so
the candidates are those near in either way and those that share its words; scoring their
sentences is match's. docs/papers.md has the measurements.

A row bears its paper's number and the revision of its text, see shelf: a row whose paper
is not listed under this revision is out of date and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.errors import Damaged, NotIndexed
from scholar_indexes.papers.match import FLOOR, Document
from scholar_indexes.places import writing
from scholar_indexes.store import (
    PARTITION_ROWS,
    READING,
    STALE_SHARE,
    VECTOR_INDEX_ROWS,
    State,
    load_lancedb,
    reading,
)
from scholar_indexes.tables import table_names
from scholar_indexes.types import Facet

Floats1d = NDArray[np.float32]
Floats2d = NDArray[np.float32]
Ints1d = NDArray[np.int64]

SCHEMA_VERSION = 1

FACETS = tuple(Facet)
"""The order of facets in what is stored, as in match."""

ASPECTS = (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)
"""The facets that can be asked for; each has a column of views of its name."""

CANDIDATES = 1_000
"""Papers put forward in all."""

_COLUMNS = ("whole", *(facet.value for facet in ASPECTS))
_INDEXES = {"text": "FTS", "number": "BTREE", "year": "BTREE", "collections": "LABEL_LIST"}
_SCALE_BYTES = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A paper as it is stored.

    text is what BM25 reads; whole (d,), title (d,) and sentences (n, d) are of unit length;
    facets (n, 4) says how likely a sentence is of each of FACETS, see certain; collections
    are the shelf's numbers of them.
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


@dataclass(frozen=True, slots=True)
class Standing:
    """What is stored of a paper beside its text and vectors, see Row."""

    number: int
    revision: int
    year: int | None
    collections: Sequence[int]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which papers may answer: None means all of them.

    collections are the shelf's numbers, one of which is enough; years is an inclusive
    range, which a paper without a year is not in.
    """

    collections: Collection[int] | None = None
    years: tuple[int, int] | None = None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Found:
    """m stored papers: numbers and revisions (m,) as in the shelf, the papers themselves as
    match takes them, and bm25 (m,), which is 0 for a paper that shares no word."""

    numbers: Ints1d
    revisions: Ints1d
    documents: tuple[Document, ...]
    bm25: Floats1d

    def __len__(self) -> int:
        return len(self.numbers)


def certain(facets: Sequence[Facet]) -> Floats2d:
    """Facets that are known, as likelihoods (n, 4)."""
    at = np.array([FACETS.index(facet) for facet in facets], np.int64)
    likely: Floats2d = np.eye(len(FACETS), dtype=np.float32)[at]
    return likely


def view(sentences: Floats2d, title: Floats1d, weights: Floats1d | None = None) -> Floats1d:
    """What some sentences (n, d) of weights (n,) say together on the topic of a title (d,):
    the unit vector (d,) that match compares as view."""
    weights = np.ones(len(sentences), np.float32) if weights is None else weights
    return _unit(_unit(weights @ sentences) + title)


def packed(vectors: Floats2d) -> bytes:
    """Unit vectors (n, d) as n float32 scales and n times d int8: each row is divided by its
    largest value and rounded to 127 steps, which moves a cosine by 0.001 or so."""
    scales = np.abs(vectors).max(axis=1, initial=1e-9).astype("<f4") / 127
    steps = np.rint(vectors / scales[:, None]).astype(np.int8)
    return bytes(scales.astype("<f4").tobytes() + steps.tobytes())


def unpacked(data: bytes, dimensions: int) -> Floats2d:
    """What packed made, (n, d), with an error of at most half a step in each value."""
    count = len(data) // (dimensions + _SCALE_BYTES)
    scales = np.frombuffer(data, "<f4", count)
    steps = np.frombuffer(data, np.int8, offset=count * _SCALE_BYTES)
    vectors: Floats2d = steps.reshape(count, dimensions).astype(np.float32) * scales[:, None]
    return vectors


def interleaved(rankings: Sequence[Sequence[int]], limit: int) -> list[int]:
    """The first limit different numbers of some rankings, taken in turn from each."""
    found: dict[int, None] = {}
    for turn in zip_longest(*rankings):
        for number in turn:
            if number is not None and len(found) < limit:
                found.setdefault(number)
    return list(found)


class Index:
    """The table of one vector space in one LanceDB folder, made on the first write.

    Every method raises Damaged when LanceDB cannot read what is there.
    """

    def __init__(self, folder: Path, space: str, dimensions: int) -> None:
        self._folder = folder
        self._dimensions = dimensions
        self.name = table_name(space)
        with writing(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
        lancedb = load_lancedb()
        with self._reading():
            self._db = lancedb.connect(str(folder))
            self._table: Any = None
            if (folder / f"{self.name}.lance").is_dir():
                self._table = self._db.open_table(self.name)

    def write(self, rows: Sequence[Row]) -> None:
        """Store papers, in one batch; what stood there under the same numbers is replaced.

        An interrupted write may leave some of the numbers without a row, never with two:
        the shelf still has them waiting, so they are written again.
        """
        if not rows:
            return
        with self._reading(), writing(self._folder):
            if self._table is None:
                self._table = self._db.create_table(self.name, schema=self._schema(), exist_ok=True)
            numbers = [row.number for row in rows]
            # a range is compared ten times as fast as a list, and new numbers are a range
            if self._table.count_rows(f"number BETWEEN {min(numbers)} AND {max(numbers)}"):
                self._table.delete(_among(numbers))
            self._table.add(self._record(rows))

    def delete(self, numbers: Collection[int]) -> None:
        """Remove papers from this table and from those of every other model; one that cannot
        be read is left for a rebuild."""
        for name in table_names(self._folder) if numbers else ():
            try:
                with self._reading(), writing(self._folder):
                    table = self._table if name == self.name else self._db.open_table(name)
                    table.delete(_among(numbers))
            except Damaged:
                if name == self.name:
                    raise

    def revisions(self, numbers: Collection[int]) -> dict[int, int]:
        """The revision under which each of some papers is stored, of those that are."""
        if self._table is None:
            return {}
        with self._reading():
            found = (
                self._table.search().where(_among(numbers)).select(["number", "revision"])
                .limit(max(len(numbers), 1)).to_arrow()
            )  # fmt: skip
        return dict(zip(found["number"].to_pylist(), found["revision"].to_pylist(), strict=True))

    def renew(self, papers: Sequence[Standing]) -> None:
        """Change what is stored beside the vectors, where these are still right; papers that
        have no row stay without. An interrupted one is as an interrupted write."""
        import pyarrow

        if self._table is None or not papers:
            return
        among = _among([each.number for each in papers])
        by_number = {each.number: each for each in papers}
        with self._reading(), writing(self._folder):
            stored = self._table.search().where(among).limit(len(papers)).to_arrow()
            now = [by_number[number] for number in stored["number"].to_pylist()]
            for name, values in {
                "revision": [each.revision for each in now],
                "year": [each.year for each in now],
                "collections": [list(each.collections) for each in now],
            }.items():
                at = stored.schema.get_field_index(name)
                changed = pyarrow.array(values, stored.schema.field(at).type)
                stored = stored.set_column(at, stored.schema.field(at), changed)
            if now:
                self._table.delete(among)
                self._table.add(stored)

    def tend(self, *, thoroughly: bool = False) -> None:
        """Make or renew the indexes if enough rows stand outside them, or all of them."""
        if self._table is None or not (rows := self._table.count_rows()):
            return
        with self._reading(), writing(self._folder):
            there = self._indexes()
            outside = max([count for count in there.values() if count is not None], default=0)
            if thoroughly or outside > STALE_SHARE * rows:
                self._table.optimize(cleanup_older_than=READING)
            for column, kind in _INDEXES.items():
                if there[column] is None:
                    self._table.create_index(column, config=_config(kind), replace=True)
            if rows >= VECTOR_INDEX_ROWS:
                for column in _COLUMNS:
                    self._partition(column, max(1, rows // PARTITION_ROWS), thoroughly)

    def candidates(
        self,
        whole: Floats1d,
        views: Mapping[Facet, Floats1d],
        words: str,
        k: int = CANDIDATES,
        scope: Scope = EVERYTHING,
    ) -> Found:
        """At most k papers that may be alike, taken in turn from several rankings: the
        nearest to whole (d,), those whose view of a facet is nearest to the one in views (d,),
        and the best by BM25 for words. An asked paper that is stored itself is among them.

        Raises NotIndexed when there is no table.
        """
        asked = [("whole", whole), *views.items()]
        with ThreadPoolExecutor(1 + len(asked)) as pool:
            nearest = [pool.submit(self._nearest, *each, k, scope) for each in asked]
            matched = self._matching(words, k, _condition(scope))
            chosen = interleaved([*(each.result() for each in nearest), list(matched)], k)
        others = [number for number in chosen if number not in matched]
        if others and matched:
            matched |= self._matching(words, len(others), _among(others))
        return self._found(chosen, matched)

    def rows(self, numbers: Sequence[int]) -> Found:
        """The stored papers among some numbers, in their order; bm25 is 0."""
        return self._found(numbers, {})

    def state(self) -> State:
        if self._table is None:
            return State(self.name, 0, 0, {})
        with self._reading():
            rows = self._table.count_rows()
            folder = self._folder / f"{self.name}.lance"
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            return State(self.name, rows, size, self._indexes())

    def drop(self) -> None:
        """Remove this table, to be written anew."""
        with self._reading(), writing(self._folder):
            self._db.drop_table(self.name, ignore_missing=True)
        self._table = None

    def others(self) -> list[str]:
        """The names of the other tables in this folder."""
        return [name for name in table_names(self._folder) if name != self.name]

    def _nearest(self, column: str, query: Floats1d, k: int, scope: Scope) -> list[int]:
        with self._reading():
            search = self._opened().search(query.astype(np.float32), vector_column_name=column)
            search = search.distance_type("cosine").nprobes(self._probes())
            if condition := _condition(scope):
                search = search.where(condition, prefilter=True)
            found = search.select(["number", "_distance"]).limit(k).to_arrow()
        return [int(number) for number in found["number"].to_pylist()]

    def _matching(self, words: str, k: int, condition: str | None) -> dict[int, float]:
        """The papers that answer some words best by BM25, best first, and their scores."""
        if not words.strip():
            return {}
        lancedb = load_lancedb()
        with self._reading():
            search = self._opened().search(
                lancedb.query.MatchQuery(words, "text"), query_type="fts"
            )
            if condition:
                search = search.where(condition, prefilter=True)
            found = search.select(["number", "_score"]).limit(k).to_arrow()
        return dict(zip(found["number"].to_pylist(), found["_score"].to_pylist(), strict=True))

    def _found(self, numbers: Sequence[int], bm25: Mapping[int, float]) -> Found:
        columns = ["number", "revision", "whole", "vectors", "facets"]
        with self._reading():
            stored = (
                self._opened().search().where(_among(numbers)).select(columns)
                .limit(max(len(numbers), 1)).to_arrow()
            ).combine_chunks()  # fmt: skip
            return self._unpacked(stored, numbers, bm25)

    def _unpacked(self, stored: Any, numbers: Sequence[int], bm25: Mapping[int, float]) -> Found:
        place = {number: at for at, number in enumerate(stored["number"].to_pylist())}
        order = [place[number] for number in numbers if number in place]
        stored = stored.take(np.array(order, np.int64))
        whole = _flat(stored["whole"]).astype(np.float32).reshape(-1, self._dimensions)
        documents = tuple(
            self._document(*each)
            for each in zip(
                whole, stored["vectors"].to_pylist(), stored["facets"].to_pylist(), strict=True
            )
        )
        kept = stored["number"].to_numpy().astype(np.int64)
        return Found(
            kept,
            stored["revision"].to_numpy().astype(np.int64),
            documents,
            np.array([bm25.get(int(number), 0.0) for number in kept], np.float32),
        )

    def _document(self, whole: Floats1d, vectors: bytes, facets: bytes) -> Document:
        """Raises ValueError for bytes that no paper was packed into."""
        title, *_ = unit = unpacked(vectors, self._dimensions)
        shares = np.frombuffer(facets, np.uint8).reshape(len(unit) - 1, len(FACETS))
        likely = shares.astype(np.float32) / np.maximum(shares.sum(axis=1, keepdims=True), 1)
        return Document(unit[1:], likely.astype(np.float32), whole, title)

    def _opened(self) -> Any:
        if self._table is None:
            raise NotIndexed("there is no index of papers yet; run: scholar papers add FILE")
        return self._table

    def _indexes(self) -> dict[str, int | None]:
        """For each column that has or wants an index, the rows outside it; None without one."""
        there: dict[str, int | None] = dict.fromkeys((*_INDEXES, *_COLUMNS))
        for index in self._table.list_indices():
            there[index.columns[0]] = index.num_unindexed_rows or 0
        return there

    def _partition(self, column: str, wanted: int, afresh: bool) -> None:
        """Make a vector index, and again when it has come to want twice the partitions; its
        name says how many it has."""
        lancedb = load_lancedb()
        names = [each.name for each in self._table.list_indices() if each.columns == [column]]
        if not afresh and any(wanted < 2 * int(name.rpartition("_")[2]) for name in names):
            return
        for name in names:
            self._table.drop_index(name)
        self._table.create_index(
            column,
            config=lancedb.index.IvfSq(distance_type="cosine", num_partitions=wanted),
            name=f"{column}_{wanted}",
        )

    def _probes(self) -> int:
        """A quarter of the partitions, at least twenty, as in store."""
        rows: int = self._opened().count_rows()
        return max(20, rows // PARTITION_ROWS // 4)

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

    def _record(self, rows: Sequence[Row]) -> Any:
        import pyarrow

        def vectors(of: Sequence[Floats1d]) -> Any:
            flat = pyarrow.array(np.concatenate(of).astype(np.float16))
            return pyarrow.FixedSizeListArray.from_arrays(flat, self._dimensions)

        return pyarrow.table(
            [
                pyarrow.array([row.number for row in rows], pyarrow.int64()),
                pyarrow.array([row.revision for row in rows], pyarrow.int64()),
                pyarrow.array([row.year for row in rows], pyarrow.int32()),
                pyarrow.array([list(row.collections) for row in rows],
                              pyarrow.list_(pyarrow.int32())),
                pyarrow.array([row.text for row in rows], pyarrow.string()),
                vectors([row.whole for row in rows]),
                *(vectors([_view(row, facet) for row in rows]) for facet in ASPECTS),
                pyarrow.array([packed(np.vstack([row.title, row.sentences])) for row in rows],
                              pyarrow.binary()),
                pyarrow.array([np.rint(row.facets * 255).astype(np.uint8).tobytes()
                               for row in rows], pyarrow.binary()),
            ],
            schema=self._schema(),
        )  # fmt: skip

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with reading(self._folder, "scholar papers rebuild"):
            yield


def _config(kind: str) -> Any:
    index = load_lancedb().index
    match kind:
        case "FTS":
            return index.FTS(with_position=False, language="English", stem=True,
                             remove_stop_words=True, ascii_folding=True)  # fmt: skip
        case "LABEL_LIST":
            return index.LabelList()
    return index.BTree()


def _condition(scope: Scope) -> str | None:
    conditions = []
    if scope.collections is not None:
        listed = ", ".join(str(int(each)) for each in sorted(scope.collections))
        conditions.append(f"array_has_any(collections, [{listed}])" if listed else "false")
    if scope.years is not None:
        conditions.append(f"year BETWEEN {int(scope.years[0])} AND {int(scope.years[1])}")
    return " AND ".join(conditions) or None


def _among(numbers: Collection[int]) -> str:
    return f"number IN ({', '.join(str(int(each)) for each in numbers)})" if numbers else "false"


def _view(row: Row, facet: Facet) -> Floats1d:
    """As match weighs sentences: all of them, where none is of the facet."""
    return view(row.sentences, row.title, row.facets[:, FACETS.index(facet)] + FLOOR)


def _flat(column: Any) -> Any:
    return column.combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _unit(vector: Floats1d) -> Floats1d:
    unit: Floats1d = vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
    return unit


def table_name(space: str) -> str:
    return f"papers_v{SCHEMA_VERSION}_{space}"
