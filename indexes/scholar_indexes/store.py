"""The LanceDB tables: one row per sentence, its text for BM25 and its vector for cosine.

A table belongs to one schema version and one vector space, and both stand in its name,
so vectors of two models never meet. A book's rows are written in one commit; an index
over them is renewed when the rows outside it have grown by a quarter, which keeps the
cost of adding books linear in their length. docs/index-design.md has the measurements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.places import writing
from scholar_indexes.ranking import Floats1d, Floats2d, Ints1d
from scholar_indexes.tables import SCHEMA_VERSION, table_name, table_names

EDITION_BITS = 32
"""A row's key is its edition's number above these bits, its sentence's number below."""

VECTOR_INDEX_ROWS = 50_000
"""Below this many rows a scan of all vectors is as fast as an index."""

PARTITION_ROWS = 4_096
STALE_SHARE = 0.25

READING = timedelta(minutes=10)
"""How long the files of an older version stay for questions that still read it."""

_NEIGHBOURS = ["key", "chapter", "words", "vector", "weight"]
"""The columns of a Neighbourhood."""

_INDEXES = {"text": "FTS", "key": "BTREE", "edition": "BITMAP"}


@dataclass(frozen=True, slots=True)
class Rows:
    """Sentences of one edition: number, chapter and text of each, and its vector.

    vectors (n, d) are of unit length, weights (n,) the lengths they had.
    """

    numbers: Sequence[int]
    chapters: Sequence[int]
    texts: Sequence[str]
    vectors: Floats2d
    weights: Floats1d


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Stored sentences in key order: keys, chapters and words (m,), unit vectors (m, d),
    and the lengths the vectors had, weights (m,)."""

    keys: Ints1d
    chapters: Ints1d
    words: Ints1d
    vectors: Floats2d
    weights: Floats1d

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows may answer: None means all of them. chapters is an inclusive range, keys
    are those of single sentences."""

    editions: Collection[int] | None = None
    chapters: tuple[int, int] | None = None
    keys: Collection[int] | None = None


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class State:
    """A table as it stands: its rows, and how many each index has not seen (None: no index)."""

    name: str
    rows: int
    size_bytes: int
    unindexed: dict[str, int | None]


class Store:
    """The table of one vector space in one LanceDB folder, made on the first write.

    Every method raises Damaged when LanceDB cannot read what is there.
    """

    def __init__(self, folder: Path, space: str, dimensions: int) -> None:
        lancedb = load_lancedb()
        self._folder = folder
        self._dimensions = dimensions
        self.name = table_name(space)
        with writing(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
        with self._reading():
            self._db = lancedb.connect(str(folder))
            self._table = self._opened_now()

    def renewed(self) -> Store:
        """The same table as it stands now: others may have written to it, or made it anew."""
        store = copy(self)
        with self._reading():
            store._table = self._opened_now()
        return store

    def _opened_now(self) -> Any:
        there = (self._folder / f"{self.name}.lance").is_dir()
        return self._db.open_table(self.name) if there else None

    def write(self, edition: int, batches: Iterable[Rows]) -> int:
        """Store an edition's rows in one commit and return how many; batches are consumed
        one at a time. What stood there under the same number is replaced."""
        import pyarrow

        if self._table is None:
            with self._reading(), writing(self._folder):
                self._table = self._db.create_table(self.name, schema=self._schema(), exist_ok=True)
        written = 0
        failure: BaseException | None = None

        def records() -> Iterator[Any]:
            """Runs in a thread of LanceDB's, which passes on the text of a failure only and
            would go on after Ctrl-C."""
            nonlocal written, failure
            try:
                for batch in batches:
                    if failure is not None:
                        raise failure
                    written += len(batch.numbers)
                    yield self._record(edition, batch)
            except BaseException as stopped:
                failure = stopped
                raise

        before = self._table.version
        try:
            with self._reading(), writing(self._folder):
                self._table.delete(f"edition = {edition}")
                self._table.add(pyarrow.RecordBatchReader.from_batches(self._schema(), records()))
        except BaseException as stopped:
            cause, failure = failure, stopped
            if self._table.version != before:
                self._table.restore(before)
            raise (cause or stopped) from None
        return written

    def delete(self, edition: int) -> None:
        """Remove an edition's rows from this table and from those of every other model;
        one that cannot be read is left for `scholar index rebuild`."""
        for name in table_names(self._folder):
            try:
                with self._reading(), writing(self._folder):
                    table = self._table if name == self.name else self._db.open_table(name)
                    table.delete(f"edition = {edition}")
            except Damaged:
                if name == self.name:
                    raise

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
                    self._make_index(column, kind)
            if rows >= VECTOR_INDEX_ROWS:
                self._partition_vectors(max(1, rows // PARTITION_ROWS), thoroughly)

    def nearest(self, query: Floats1d, k: int, scope: Scope) -> tuple[Ints1d, Floats1d]:
        """The keys of the k sentences nearest to a unit vector (d,), and their cosines."""
        with self._reading():
            search = self._opened().search(query.astype(np.float32), vector_column_name="vector")
            search = search.distance_type("cosine").nprobes(self._probes()).refine_factor(2)
            found = self._scoped(search, scope).select(["key", "_distance"]).limit(k).to_arrow()
        keys = found["key"].to_numpy().astype(np.int64)
        return keys, (1 - found["_distance"].to_numpy()).astype(np.float32)

    def matching(self, words: str, k: int, scope: Scope) -> tuple[Ints1d, Floats1d]:
        """The keys of the k sentences that answer a text best by BM25, and their scores."""
        from lancedb.query import MatchQuery

        if not words.strip():
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        with self._reading():
            search = self._opened().search(MatchQuery(words, "text"), query_type="fts")
            found = self._scoped(search, scope).select(["key", "_score"]).limit(k).to_arrow()
        return (
            found["key"].to_numpy().astype(np.int64),
            found["_score"].to_numpy().astype(np.float32),
        )

    def around(self, keys: Ints1d, reach: int, scope: Scope) -> Neighbourhood:
        """The rows in scope within reach of some keys."""
        wanted = np.unique((keys[:, None] + np.arange(-reach, reach + 1)).ravel())
        if scope.keys is not None:
            wanted = np.intersect1d(wanted, np.fromiter(scope.keys, np.int64))
        condition = _keys(wanted.tolist())
        if scope.chapters is not None:
            condition += f" AND {_chapters(scope.chapters)}"
        with self._reading():
            found = (
                self._opened().search().where(condition).select(_NEIGHBOURS)
                .limit(max(len(wanted), 1)).to_arrow()
            )  # fmt: skip
        return self._neighbourhood(found)

    def edition(self, edition: int) -> Neighbourhood:
        """All rows of an edition."""
        with self._reading():
            search = self._opened().search().where(f"edition = {int(edition)}")
            found = search.select(_NEIGHBOURS).limit(None).to_arrow()
        return self._neighbourhood(found)

    def _neighbourhood(self, table: Any) -> Neighbourhood:
        found = table.combine_chunks().sort_by("key")
        vectors = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return Neighbourhood(
            found["key"].to_numpy().astype(np.int64),
            found["chapter"].to_numpy().astype(np.int64),
            found["words"].to_numpy().astype(np.int64),
            vectors.astype(np.float32).reshape(-1, self._dimensions),
            found["weight"].to_numpy().astype(np.float32),
        )

    def editions(self) -> set[int]:
        """The editions that have rows here."""
        if self._table is None:
            return set()
        with self._reading():
            found = self._table.search().select(["edition"]).limit(None).to_arrow()
        return set(found["edition"].unique().to_pylist())

    def state(self) -> State:
        if self._table is None:
            return State(self.name, 0, 0, {})
        with self._reading():
            rows = self._table.count_rows()
            folder = self._folder / f"{self.name}.lance"
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            return State(self.name, rows, size, self._indexes())

    def others(self, *, older_schemas_only: bool = False) -> list[str]:
        """The names of the other tables in this folder."""
        current = f"passages_v{SCHEMA_VERSION}_"
        return [
            name for name in table_names(self._folder)
            if name != self.name and not (older_schemas_only and name.startswith(current))
        ]  # fmt: skip

    def _opened(self) -> Any:
        if self._table is None:
            raise NotIndexed("there is no index yet; run: scholar index rebuild")
        return self._table

    def _scoped(self, search: Any, scope: Scope) -> Any:
        conditions = []
        if scope.editions is not None:
            listed = ", ".join(str(int(edition)) for edition in sorted(scope.editions))
            conditions.append(f"edition IN ({listed})" if listed else "false")
        if scope.chapters is not None:
            conditions.append(_chapters(scope.chapters))
        if scope.keys is not None:
            conditions.append(_keys(scope.keys))
        return search.where(" AND ".join(conditions), prefilter=True) if conditions else search

    def _indexes(self) -> dict[str, int | None]:
        """For each column that has or wants an index, the rows outside it; None without one."""
        there: dict[str, int | None] = dict.fromkeys((*_INDEXES, "vector"))
        for index in self._table.list_indices():
            there[index.columns[0]] = index.num_unindexed_rows or 0
        return there

    def _make_index(self, column: str, kind: str) -> None:
        from lancedb.index import FTS, Bitmap, BTree

        config: Callable[[], Any] = {
            # Function words stay: "to be or not to be" is made of nothing else.
            "FTS": lambda: FTS(with_position=False, language="English", stem=True,
                               remove_stop_words=False, ascii_folding=True),
            "BTREE": BTree,
            "BITMAP": Bitmap,
        }[kind]  # fmt: skip
        self._table.create_index(column, config=config(), replace=True)

    def _partition_vectors(self, wanted: int, afresh: bool) -> None:
        """Make the vector index, and again when it has come to want twice the partitions;
        its name says how many it has."""
        from lancedb.index import IvfSq

        names = [each.name for each in self._table.list_indices() if each.columns == ["vector"]]
        if not afresh and any(wanted < 2 * int(name.rpartition("_")[2]) for name in names):
            return
        for name in names:
            self._table.drop_index(name)
        self._table.create_index(
            "vector",
            config=IvfSq(distance_type="cosine", num_partitions=wanted),
            name=f"vector_{wanted}",
        )

    def _probes(self) -> int:
        """Enough partitions to lose next to nothing: a quarter of them, at least twenty."""
        rows: int = self._opened().count_rows()
        return max(20, rows // PARTITION_ROWS // 4)

    def _schema(self) -> Any:
        import pyarrow

        return pyarrow.schema(
            [
                ("key", pyarrow.int64()),
                ("edition", pyarrow.int32()),
                ("chapter", pyarrow.int32()),
                ("words", pyarrow.int32()),
                ("text", pyarrow.string()),
                ("weight", pyarrow.float32()),
                ("vector", pyarrow.list_(pyarrow.float16(), self._dimensions)),
            ]
        )

    def _record(self, edition: int, batch: Rows) -> Any:
        import pyarrow

        count = len(batch.numbers)
        flat = pyarrow.array(batch.vectors.astype(np.float16).ravel())
        return pyarrow.record_batch(
            [
                pyarrow.array((edition << EDITION_BITS) + np.asarray(batch.numbers, np.int64)),
                pyarrow.array(np.full(count, edition, np.int32)),
                pyarrow.array(np.asarray(batch.chapters, np.int32)),
                pyarrow.array([len(text.split()) for text in batch.texts], pyarrow.int32()),
                pyarrow.array(list(batch.texts), pyarrow.string()),
                pyarrow.array(batch.weights.astype(np.float32)),
                pyarrow.FixedSizeListArray.from_arrays(flat, self._dimensions),
            ],
            schema=self._schema(),
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with reading(self._folder, "scholar index rebuild"):
            yield


@contextmanager
def reading(folder: Path, again: str) -> Iterator[None]:
    """Turn what LanceDB raises into one line that says what to do; again is the command that
    makes the tables of this folder anew.

    LanceDB reports everything as RuntimeError, ValueError or OSError.
    """
    try:
        yield
    except ScholarError:
        raise
    except Exception as failure:  # a panic in LanceDB is an exception of a class it hides
        said = re.sub(r",? ?/\S+\.rs:\d.*", "", re.sub(r"\s+", " ", str(failure)))[:160]
        if re.search(r"no space left|disk quota|permission denied|read-only", said, re.I):
            raise ScholarError(
                f"the index {folder} cannot be written ({said}); free some space or "
                "change its permissions, and run the same command again"
            ) from failure
        raise Damaged(f"the index cannot be used ({said}); run: {again}") from failure


def load_lancedb() -> Any:
    """LanceDB without what takes half of its import and is not used here.

    That is the client of its remote service, whose package is entered without running it and
    whose models are classes without content; and the checks of the package overrides, which
    LanceDB does without by itself from Python 3.12 on.
    """
    import importlib.util
    import sys
    from types import ModuleType

    if "lancedb" not in sys.modules:
        client = "lance_namespace_urllib3_client"
        for name in (client, f"{client}.models"):
            if name not in sys.modules and (spec := importlib.util.find_spec(name)):
                sys.modules[name] = importlib.util.module_from_spec(spec)
                sys.modules[name].__dict__["__getattr__"] = _without_content
        unchecked = ModuleType("overrides")
        unchecked.__dict__.update(
            override=lambda method: method, EnforceOverrides=type("EnforceOverrides", (), {})
        )
        there = sys.modules.setdefault("overrides", unchecked)
        import lancedb

        if there is unchecked:
            del sys.modules["overrides"]
    import lancedb

    return lancedb


def _without_content(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


def _keys(keys: Collection[int]) -> str:
    return f"key IN ({', '.join(str(int(key)) for key in keys)})" if keys else "false"


def _chapters(between: tuple[int, int]) -> str:
    return f"chapter BETWEEN {int(between[0])} AND {int(between[1])}"
