"""A LanceDB table of one vector space: created on the first write, indexed as it grows.

Other processes may write to the same table at any time. LanceDB keeps versions, so that a
reader continues with the version that it opened.
"""

from __future__ import annotations

import math
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import Damaged, NotIndexed, ScholarError
from scholar_indexes.locks import explain_write_errors, full_disk
from scholar_indexes.storage import folder_checksums
from scholar_indexes.storage.lancedb_import import load_lancedb
from scholar_indexes.storage.table_location import FolderLocation, TableLocation

VECTOR_INDEX_ROWS = 50_000
"""Below this many rows a scan of all vectors is as fast as an index."""

STALE_SHARE = 0.25
"""The indexes are updated when more than this share of the rows is outside them."""

MOST_OUTSIDE = 16_384
"""They are also updated when more rows than this are outside them, which every query reads one by
one: a twentieth of a second."""

PARTITION_ROWS = 12_288
"""The maximum number of rows of a partition when a vector index is built."""

MOST_SEGMENTS = 64
"""The most updates of a vector index, each searched separately by a query, before a rebuild."""

VERSION_RETENTION = timedelta(minutes=10)
"""The time for which the files of an older version are kept for queries that still read it."""

MOST_OLD_VERSIONS = 32
"""Up to this many versions that no query reads any more are kept: deleting them costs as much as
updating the indexes."""

_NEVER = timedelta(days=36_500)
"""An age that no version has: the old one is needed until the new one is known to be complete."""

DELETIONS = "_deletions"
"""The folder of the files that list deleted rows, which have no common suffix or last bytes."""

_END = b"LANC"
"""The last bytes of the files that contain rows and indexes."""

_FEW_OF_ALL = 1 / 10
"""The share of all rows that, in addition to VECTOR_INDEX_ROWS, is scanned as fast as an index is
searched, which takes longer the more rows there are (docs/scale.md)."""

MOST_TIED = 1 << 16
"""The maximum number of rows read to find ties."""

_MIN_PROBES = 20
_PROBED_SHARE = 3 / 8
"""The minimum number of partitions that a query searches, and their share of all: in a hundred
novels it finds .97 of the nearest ten rows (docs/scale.md)."""

_TRAINING = {"max_iterations": 10, "sample_rate": 128}
"""The k-means for finding partitions: with Lance's defaults, 50 and 256, the vector index of a
hundred novels takes nearly twice as long, with the same recall."""

VECTOR_INDEXES: Mapping[str, Callable[[int], Any]] = {
    "ivf_sq": lambda partitions: load_lancedb().index.IvfSq(
        distance_type="cosine", num_partitions=partitions, **_TRAINING
    ),
    "ivf_pq": lambda partitions: load_lancedb().index.IvfPq(
        distance_type="cosine", num_partitions=partitions
    ),
    "ivf_hnsw_sq": lambda partitions: load_lancedb().index.HnswSq(
        distance_type="cosine", num_partitions=partitions
    ),
}
"""The kinds of vector index that `scholar-lab bench scale --kinds` compares, given a number of
partitions."""

VECTOR_INDEX = "ivf_sq"
"""The kind that tables use."""


@dataclass(frozen=True, slots=True)
class TableState:
    """The size of a table, and by index the number of rows outside it (None: no such index)."""

    name: str
    rows: int
    size_bytes: int
    unindexed: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class _VectorIndex:
    name: str
    partitions: int
    segments: int


class LanceTable(ABC):
    """A table in a LanceDB folder.

    Every method raises Damaged if LanceDB cannot read the table, and ScholarError if it
    cannot be written.
    """

    scalar_indexes: ClassVar[Mapping[str, Callable[[], Any]]]
    """For each column with a full-text or scalar index, a function that configures the index."""

    vector_columns: ClassVar[tuple[str, ...]]
    rebuild_command: ClassVar[str]
    """The command that rebuilds the table, for messages about damage."""

    missing_message: ClassVar[str]
    """The message of NotIndexed before the first write."""

    def __init__(self, location: TableLocation | Path, name: str, dimensions: int) -> None:
        self.name = name
        self.location = FolderLocation(location) if isinstance(location, Path) else location
        self._dimensions = dimensions
        with self._explain_errors():
            self._db = self.location.connect()
            self._table = self._open_if_present()

    @property
    def uri(self) -> str:
        """The address of the table itself, a Lance dataset."""
        return f"{self.location.uri}/{self.name}.lance"

    def reopen(self) -> Self:
        """Return this table in its newest version, over the same connection."""
        table = copy(self)
        with self._explain_errors():
            table._table = self._open_if_present()
        return table

    def optimize(self, *, thoroughly: bool = False, more_follow: bool = False) -> None:
        """Create missing indexes, and update all and delete old versions if the indexes are stale,
        if old versions have accumulated or if `thoroughly` is given.

        With `more_follow` (more writes and another call follow), only STALE_SHARE counts.
        """
        with self._explain_write_errors():
            if self._table is None:
                return
            # Another process may have created the indexes since this one read or wrote.
            self._table.checkout_latest()
            if not (rows := self._table.count_rows()):
                return
            unindexed = self._count_unindexed()
            is_due = thoroughly or self._needs_update(rows, unindexed, more_follow)
            with self._written_whole():
                if is_due:
                    # Delete nothing yet: if a new file is cut short, the old version is restored.
                    self._table.optimize(cleanup_older_than=_NEVER)
                self._index_scalars(unindexed)
                if rows >= VECTOR_INDEX_ROWS:
                    for column in self.vector_columns:
                        self._index_vectors(column, partitions_of(rows), thoroughly)
            if is_due:
                self._table.optimize(cleanup_older_than=VERSION_RETENTION)
            if folder := self._folder:
                folder_checksums.record(folder)

    def _needs_update(
        self, rows: int, unindexed: Mapping[str, int | None], more_follow: bool
    ) -> bool:
        """Return True if the indexes are stale or old versions have accumulated."""
        most = max([count for count in unindexed.values() if count is not None], default=0)
        if most > STALE_SHARE * rows:
            return True
        return not more_follow and (most > MOST_OUTSIDE or self._has_many_old_versions())

    def _index_scalars(self, unindexed: Mapping[str, int | None]) -> None:
        """Create the scalar indexes that are missing."""
        for column, configure in self.scalar_indexes.items():
            if unindexed[column] is None:
                self._table.create_index(column, config=configure(), replace=True)

    def check_files(self) -> None:
        """Read every file of the table; raises Damaged if one does not match its checksum."""
        with self._explain_errors():
            changed = folder_checksums.changed(self._folder) if self._folder else []
        if changed:
            raise Damaged(
                f"the index is damaged ({changed[0]} does not match its checksum); "
                f"run: {self.rebuild_command}"
            )

    def index_vectors_as(self, kind: str) -> None:
        """Replace the vector indexes with indexes of a kind in VECTOR_INDEXES, to compare kinds."""
        with self._explain_write_errors():
            partitions = partitions_of(self._opened().count_rows())
            for column in self.vector_columns:
                self._index_vectors(column, partitions, thoroughly=True, kind=kind)

    def state(self) -> TableState:
        """Return the size of the table and the rows that its indexes do not cover."""
        if self._table is None:
            return TableState(self.name, 0, 0, {})
        with self._explain_errors():
            rows = self._table.count_rows()
            size = self.location.size_bytes(self.name)
            if size is None:
                size = self._table.stats()["total_bytes"]
            return TableState(self.name, rows, size, self._count_unindexed())

    def others(self) -> list[str]:
        """Return the names of the other tables in the folder."""
        with self._explain_errors():
            return [name for name in self.location.names() if name != self.name]

    def drop(self) -> None:
        """Remove this table, so that it can be rebuilt."""
        with self._explain_write_errors():
            self._db.drop_table(self.name, ignore_missing=True)
        self._table = None

    @contextmanager
    def _written_whole(self) -> Iterator[None]:
        """Restore the version before a block and raise ScholarError if a file that the block wrote
        is truncated: LanceDB ignores an error in the last write to a file."""
        before, files = self._table.version, set(self._data_files())
        yield
        new = [path for path in self._data_files() if path not in files]
        cut = [path for path in new if path.parent.name != DELETIONS and _is_cut(path)]
        # Lists of deleted rows have no known last bytes, so LanceDB has to read them.
        deletions = [path for path in new if path.parent.name == DELETIONS]
        if deletions and not self._can_be_counted():
            cut += deletions
        if cut:
            # Before the deletion: restoring makes a version that does not need the cut files.
            self._table.restore(before)
            for path in cut:
                path.unlink()
            raise ScholarError(
                f"the disk that holds {self.location.uri} did not store all that was written; "
                "check that it has free space and is sound, and run the same command again"
            )

    def _can_be_counted(self) -> bool:
        """Return True if the files that list deleted rows can be read."""
        try:
            self._table.count_rows("_rowid >= 0")
        except Exception:  # LanceDB raises errors of any class
            return False
        return True

    def _data_files(self) -> Iterator[Path]:
        """Yield the files on a local disk; an object store has a file completely or not at all."""
        if folder := self._folder:
            yield from (folder / "data").glob("*.lance")
            yield from (folder / "_indices").glob("*/*.lance")
            yield from (folder / DELETIONS).glob("*.*")

    @abstractmethod
    def _schema(self) -> Any:
        """Return the Arrow schema of a new table."""

    def _has_many_old_versions(self) -> bool:
        """Return True if old versions have accumulated in a folder; False for an object store."""
        if not (folder := self._folder):
            return False
        oldest_in_use = time.time() - VERSION_RETENTION.total_seconds()
        times = (path.stat().st_mtime for path in (folder / "_versions").glob("*.manifest"))
        return sum(written < oldest_in_use for written in times) > MOST_OLD_VERSIONS

    @property
    def _folder(self) -> Path | None:
        return self.location.folder(self.name)

    def _open_if_present(self) -> Any:
        return self._db.open_table(self.name) if self.location.has(self.name) else None

    def _open_or_create(self) -> Any:
        if self._table is None:
            self._table = self._db.create_table(self.name, schema=self._schema(), exist_ok=True)
        return self._table

    def _opened(self) -> Any:
        """Return the open table; raises NotIndexed before the first write."""
        if self._table is None:
            raise NotIndexed(self.missing_message)
        return self._table

    def _delete_everywhere(self, condition: str) -> None:
        """Delete rows from this table and from the tables of all other models in the folder.

        Another model's table that cannot be read is left for a rebuild.
        """
        with self._explain_errors():
            names = self.location.names()
        for name in names:
            try:
                with self._explain_write_errors():
                    if name != self.name:
                        self._db.open_table(name).delete(condition)
                        continue
                    with self._written_whole():
                        self._table.delete(condition)
            except Damaged:
                if name == self.name:
                    raise

    def _search_vectors(self, column: str, query: Floats1d, *, exactly: bool = False) -> Any:
        """Return a LanceDB query for the rows nearest to a unit vector by cosine; `exactly` reads
        all rows instead of an index."""
        table = self._opened()
        partitions = max((index.partitions for index in self._vector_indexes(column)), default=0)
        probes = max(_MIN_PROBES, math.ceil(_PROBED_SHARE * partitions))
        search = table.search(query.astype(np.float32), vector_column_name=column)
        search = search.distance_type("cosine").nprobes(probes)
        return search.bypass_vector_index() if exactly else search

    def _are_few(self, rows: int) -> bool:
        """Return True if scanning this many rows is faster than searching a vector index."""
        return bool(rows <= VECTOR_INDEX_ROWS + _FEW_OF_ALL * self._opened().count_rows())

    def _best_rows(self, search: Any, number: str, measure: str, k: int) -> Any:
        """Return the best k rows of a search, best first, with ties broken by the lowest `number`.
        `measure` is _distance or _score.

        Lance breaks ties arbitrarily, so more rows are read until the last one differs from the
        k-th in its measure, or there are MOST_TIED.
        """
        sign = -1 if measure == "_score" else 1
        limit = k + max(k // 2, 8)
        while True:
            rows = search.select([number, measure]).limit(limit).to_arrow()
            measures = sign * rows[measure].to_numpy()
            best = np.lexsort((rows[number].to_numpy(), measures))
            is_cut = len(best) == limit and measures[best[k - 1]] == measures[best[-1]]
            if not is_cut or limit >= MOST_TIED:
                return rows.take(best[:k])
            limit = min(4 * limit, MOST_TIED)

    def _search_text(self, words: str, *, has_all: bool = False, edits: int = 0) -> Any:
        """Return a LanceDB query for the rows that match any, or all, of the words, by BM25; with
        `edits`, words in lower case also match others with at most this many letters inserted,
        deleted or changed, except the first."""
        queries = load_lancedb().query
        operator = queries.FullTextOperator.AND if has_all else queries.FullTextOperator.OR
        query = queries.MatchQuery(
            words, "text", operator=operator, fuzziness=edits, prefix_length=bool(edits)
        )
        return self._opened().search(query, query_type="fts")

    def _count_unindexed(self) -> dict[str, int | None]:
        columns = (*self.scalar_indexes, *self.vector_columns)
        unindexed: dict[str, int | None] = dict.fromkeys(columns)
        for index in self._table.list_indices():
            unindexed[index.columns[0]] = index.num_unindexed_rows or 0
        return unindexed

    def _vector_indexes(self, column: str) -> list[_VectorIndex]:
        """Return the vector indexes of a column, whose names end with the number of their
        partitions."""
        return [
            _VectorIndex(index.name, int(index.name.rpartition("_")[2]), index.num_segments)
            for index in self._table.list_indices()
            if index.columns == [column]
        ]

    def _index_vectors(
        self, column: str, partitions: int, thoroughly: bool, kind: str = VECTOR_INDEX
    ) -> None:
        """Create a vector index, or replace one that has at most half of these partitions or many
        segments, or any if `thoroughly`. The old one is used until the new one is built."""
        existing = self._vector_indexes(column)
        largest = max(existing, key=lambda index: index.partitions, default=None)
        if (
            thoroughly
            or largest is None
            or partitions >= 2 * largest.partitions
            or largest.segments > MOST_SEGMENTS
        ):
            name = f"{column}_{partitions}"
            self._table.create_index(column, config=VECTOR_INDEXES[kind](partitions), name=name)
        else:
            name = largest.name
        for index in existing:
            if index.name != name:
                self._table.drop_index(index.name)

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Raise an error of LanceDB as one line that says what to do.

        LanceDB reports everything as RuntimeError, ValueError or OSError.
        """
        try:
            with self.location.explain_refusal():
                yield
        except ScholarError:
            raise
        except Exception as error:  # a panic in LanceDB raises an exception of a private class
            message = re.sub(r",? ?/\S+\.rs:\d.*", "", re.sub(r"\s+", " ", str(error)))[:160]
            if re.search(r"no space left|disk quota", str(error), re.I):
                raise full_disk(Path(self.location.uri)) from error
            if re.search(r"permission denied|read-only", message, re.I):
                raise ScholarError(
                    f"the index {self.location.uri} cannot be written ({message}); change its "
                    "permissions and run the same command again"
                ) from error
            raise Damaged(
                f"the index cannot be used ({message}); run: {self.rebuild_command}"
            ) from error

    @contextmanager
    def _explain_write_errors(self) -> Iterator[None]:
        with self._explain_errors(), explain_write_errors(Path(self.location.uri)):
            yield


def partitions_of(rows: int) -> int:
    """Return the number of partitions for a vector index of `rows`: few, since the time to find
    them grows with their square, but none so large that Lance splits it at every update."""
    return max(1, round(math.sqrt(rows) / 8), rows // PARTITION_ROWS)


def _is_cut(path: Path) -> bool:
    """Return True for a file of LanceDB's that does not end with _END."""
    with path.open("rb") as file:
        file.seek(-min(len(_END), path.stat().st_size), os.SEEK_END)
        return file.read() != _END


def full_text_index(*, remove_stop_words: bool) -> Any:
    """Return the configuration of a full-text index of stemmed English."""
    return load_lancedb().index.FTS(
        with_position=False,
        language="English",
        stem=True,
        remove_stop_words=remove_stop_words,
        ascii_folding=True,
    )


def btree_index() -> Any:
    """Return the configuration of a B-tree index."""
    return load_lancedb().index.BTree()
