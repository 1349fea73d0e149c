"""The LanceDB tables of sentences: one row each, its text for BM25 and its vector for cosine.

A table belongs to one schema version and one vector space, and its name contains both,
so vectors of two models never mix. A book's rows are written in one commit; an index is
updated when more than a quarter of the rows are outside it, which keeps the cost of
adding books linear in their length. docs/scale.md has the measurements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.errors import ScholarError
from scholar_indexes.storage.edition_addresses import EditionAddresses
from scholar_indexes.storage.lance_table import (
    LanceTable,
    btree_index,
    full_text_index,
)
from scholar_indexes.storage.lancedb_import import load_lancedb
from scholar_indexes.storage.table_location import TableLocation
from scholar_indexes.storage.table_names import SCHEMA_VERSION, table_name

EDITION_BITS = 32
"""The number of low bits of a row's key for the sentence; the edition is above them."""

_NEIGHBOURS = ["key", "chapter", "words", "vector", "weight"]
"""The columns of a Neighbourhood."""


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """Sentences of one edition: the number, chapter, text and vector of each.

    vectors (n, d) have unit length; weights (n,) are their original lengths.
    """

    numbers: Sequence[int]
    chapters: Sequence[int]
    texts: Sequence[str]
    vectors: Floats2d
    weights: Floats1d


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Stored sentences in key order: keys, chapters and word counts (m,), unit vectors (m, d),
    and weights (m,), the original lengths of the vectors."""

    keys: Ints1d
    chapters: Ints1d
    words: Ints1d
    vectors: Floats2d
    weights: Floats1d

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class TextNeighbourhood:
    """Stored sentences in key order: keys and chapters (m,), and texts."""

    keys: Ints1d
    chapters: Ints1d
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The rows that a search may return; None means all. chapters gives the first and the last
    chapter by edition, keys the keys of single sentences."""

    editions: Collection[int] | None = None
    chapters: Mapping[int, tuple[int, int]] | None = None
    keys: Collection[int] | None = None


EVERYTHING = PassageFilter()


class PassageTable(LanceTable):
    """The table of the sentences of books in one vector space."""

    # Function words stay in the index: "to be or not to be" consists of nothing else.
    scalar_indexes: ClassVar[Mapping[str, Callable[[], Any]]] = {
        "text": lambda: full_text_index(remove_stop_words=False),
        "key": btree_index,
        "edition": lambda: load_lancedb().index.Bitmap(),
    }
    vector_columns = ("vector",)
    rebuild_command = "scholar index rebuild"
    missing_message = "there is no index yet; run: scholar index rebuild"

    def __init__(
        self, location: TableLocation | Path, space: str, dimensions: int, name: str | None = None
    ) -> None:
        """Open the table of a vector space, or its replacement `name`."""
        super().__init__(location, name or table_name(space), dimensions)
        self._addresses = EditionAddresses()

    def write(self, edition: int, batches: Iterable[SentenceRows]) -> int:
        """Store an edition's rows in one commit and return their number; batches are consumed
        one at a time. Existing rows of the edition are replaced."""
        import pyarrow

        with self._explain_write_errors():
            self._open_or_create()
        written = 0
        failure: BaseException | None = None

        def records() -> Iterator[Any]:
            """Yield the record batches, in a thread of LanceDB's, which passes on only the text of
            an error and would continue after Ctrl-C."""
            nonlocal written, failure
            try:
                for batch in batches:
                    if failure is not None:
                        raise failure
                    written += len(batch.numbers)
                    yield passage_batch(edition, batch)
            except BaseException as stopped:
                failure = stopped
                raise

        with self._explain_errors():
            # Deleting and adding are two versions: this is the one to return to.
            before = self._table.version
        try:
            with self._explain_write_errors(), self._written_whole():
                self._table.delete(f"edition = {edition}")
                self._table.add(pyarrow.RecordBatchReader.from_batches(self._schema(), records()))
        except BaseException as stopped:
            cause, failure = failure, stopped
            # If this fails too, the rows belong to an edition that is not listed.
            with suppress(ScholarError), self._explain_write_errors():
                if self._table.version != before:
                    self._table.restore(before)
            raise (cause or stopped) from None
        return written

    def delete(self, edition: int) -> None:
        """Remove an edition's rows from this table and from the tables of all other models."""
        self._delete_everywhere(f"edition = {edition}")

    def nearest(
        self, query: Floats1d, k: int, scope: PassageFilter, *, exactly: bool = False
    ) -> tuple[Ints1d, Floats1d]:
        """Return the keys of the k sentences nearest to a unit vector (d,), and their cosines;
        `exactly` compares all rows without an index, as is always done for a small scope."""
        with self._explain_errors():
            exactly = exactly or self._has_few(scope)
            # The index has rounded vectors: twice as many rows are compared exactly.
            search = self._search_vectors("vector", query, exactly=exactly).refine_factor(2)
            nearest = self._best(self._scoped(search, scope), "_distance", k)
        return nearest[0], (1 - nearest[1]).astype(np.float32)

    def matching(
        self, words: str, k: int, scope: PassageFilter, *, has_all: bool = False
    ) -> tuple[Ints1d, Floats1d]:
        """Return the keys of the k sentences that match a text best by BM25, and their scores;
        with `has_all`, only sentences with all of its words."""
        if not words.strip():
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        with self._explain_errors():
            search = self._search_text(words, has_all=has_all)
            return self._best(self._scoped(search, scope), "_score", k)

    def like_word(self, word: str, edits: int, k: int, scope: PassageFilter) -> list[str]:
        """Return the texts of the k sentences that match best a word with at most this many letters
        inserted, deleted or changed, except the first."""
        with self._explain_errors():
            search = self._search_text(word.lower(), edits=edits)
            keys, _ = self._best(self._scoped(search, scope), "_score", k)
        return list(self.texts(keys).values())

    def _best(self, search: Any, measure: str, k: int) -> tuple[Ints1d, Floats1d]:
        """Return the keys and measures of the best k rows of a search, and record the addresses of
        their editions."""
        rows = self._best_rows(search.with_row_id(True), "key", measure, k)
        keys = rows["key"].to_numpy().astype(np.int64)
        self._addresses.note(self._opened().version, *_split(keys), rows["_rowid"].to_numpy())
        return keys, rows[measure].to_numpy().astype(np.float32)

    def texts(self, keys: Ints1d) -> dict[int, str]:
        """Return the texts of sentences by key; missing sentences are omitted."""
        rows = self._read(np.unique(keys), ["key", "text"])
        return dict(zip(rows["key"].to_pylist(), rows["text"].to_pylist(), strict=True))

    def edition_texts(self, edition: int) -> list[str]:
        """Return the texts of all rows of an edition, in the order of its sentences."""
        with self._explain_errors():
            search = self._opened().search().where(f"edition = {int(edition)}")
            rows = search.select(["key", "text"]).limit(None).to_arrow()
        texts: list[str] = rows.sort_by("key")["text"].to_pylist()
        return texts

    def around(self, keys: Ints1d, reach: int, scope: PassageFilter) -> Neighbourhood:
        """Return the rows in scope at most `reach` sentences from a key."""
        return self._neighbourhood(self._read_around(keys, reach, scope, _NEIGHBOURS))

    def texts_around(self, keys: Ints1d, reach: int, scope: PassageFilter) -> TextNeighbourhood:
        """Return the texts of the rows in scope at most `reach` sentences from a key."""
        rows = self._read_around(keys, reach, scope, ["key", "chapter", "text"]).sort_by("key")
        return TextNeighbourhood(
            rows["key"].to_numpy().astype(np.int64),
            rows["chapter"].to_numpy().astype(np.int64),
            rows["text"].to_pylist(),
        )

    def _read_around(
        self, keys: Ints1d, reach: int, scope: PassageFilter, columns: list[str]
    ) -> Any:
        """Return columns, including key and chapter, of the rows in scope at most `reach` sentences
        from a key, unordered."""
        near = keys[:, None] + np.arange(-reach, reach + 1)
        # Keys before the first sentence of a book belong to another edition.
        wanted = np.unique(near[near >> EDITION_BITS == keys[:, None] >> EDITION_BITS])
        if scope.keys is not None:
            wanted = np.intersect1d(wanted, np.fromiter(scope.keys, np.int64))
        rows = self._read(wanted, columns)
        if scope.chapters is None:
            return rows
        return _in_chapters(rows, scope.chapters)

    def _read(self, keys: Ints1d, columns: list[str]) -> Any:
        """Return columns, including key, of the rows of ascending keys, unordered.

        Rows of an edition that an earlier search returned are read by address, without the index
        of keys, which would read and decode a page for every few rows.
        """
        import pyarrow

        with self._explain_errors():
            table = self._opened()
            addresses = self._addresses.of_rows(table.version, *_split(keys))
            parts = []
            if len(addresses):
                rows = table.take_row_ids(addresses.tolist()).select(columns).to_arrow()
                # An address after the end of an edition is a row of the next one.
                parts.append(rows.filter(pyarrow.array(np.isin(rows["key"].to_numpy(), keys))))
                keys = np.setdiff1d(keys, parts[0]["key"].to_numpy(), assume_unique=True)
            if len(keys) or not parts:
                search = table.search().where(_stretches(keys)).select(columns)
                parts.append(search.limit(max(len(keys), 1)).to_arrow())
        return pyarrow.concat_tables(parts)

    def edition(self, edition: int) -> Neighbourhood:
        """Return all rows of an edition."""
        with self._explain_errors():
            search = self._opened().search().where(f"edition = {int(edition)}")
            rows = search.select(_NEIGHBOURS).limit(None).to_arrow()
        return self._neighbourhood(rows)

    def _neighbourhood(self, table: Any) -> Neighbourhood:
        # Sorted here, since Arrow copies vectors slowly.
        order = np.argsort(table["key"].to_numpy(), kind="stable")
        vectors = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        return Neighbourhood(
            table["key"].to_numpy()[order].astype(np.int64),
            table["chapter"].to_numpy()[order].astype(np.int64),
            table["words"].to_numpy()[order].astype(np.int64),
            vectors.reshape(-1, self._dimensions)[order].astype(np.float32),
            table["weight"].to_numpy()[order].astype(np.float32),
        )

    def editions(self) -> set[int]:
        """Return the editions that have rows in this table."""
        if self._table is None:
            return set()
        with self._explain_errors():
            rows = self._table.search().select(["edition"]).limit(None).to_arrow()
        return set(rows["edition"].unique().to_pylist())

    def others(self, *, older_schemas_only: bool = False) -> list[str]:
        """Return the names of the other tables, or only of tables with an older schema."""
        current = f"passages_v{SCHEMA_VERSION}_"
        return [
            name
            for name in super().others()
            if not (older_schemas_only and name.startswith(current))
        ]

    def _has_few(self, scope: PassageFilter) -> bool:
        """Return True if the editions in scope have so few rows that comparing all of them is
        faster than searching the index, which covers all editions."""
        if scope.editions is None:
            return False
        return self._are_few(self._opened().count_rows(_editions(scope.editions)))

    def _scoped(self, search: Any, scope: PassageFilter) -> Any:
        conditions = []
        if scope.editions is not None:
            conditions.append(_editions(scope.editions))
        if scope.chapters is not None:
            conditions.append(_chapters(scope.chapters))
        if scope.keys is not None:
            conditions.append(_keys(scope.keys))
        return search.where(" AND ".join(conditions), prefilter=True) if conditions else search

    def make_room(self, editions: Collection[int]) -> None:
        """Create the table if there is none, and delete the rows of the given editions."""
        with self._explain_write_errors():
            self._open_or_create().delete(_editions(editions))

    def has_other_editions(self, editions: Collection[int]) -> bool:
        """Return True if the table has rows of editions other than the given ones."""
        if self._table is None:
            return False
        with self._explain_errors():
            return bool(self._table.count_rows(f"NOT ({_editions(editions)})"))

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Explain the errors of a block in which Lance, not LanceDB, adds to this table."""
        with self._explain_write_errors():
            yield

    def _schema(self) -> Any:
        return passage_schema(self._dimensions)


def passage_schema(dimensions: int) -> Any:
    """Return the Arrow schema of a table of passages."""
    import pyarrow

    return pyarrow.schema(
        [
            ("key", pyarrow.int64()),
            ("edition", pyarrow.int32()),
            ("chapter", pyarrow.int32()),
            ("words", pyarrow.int32()),
            ("text", pyarrow.string()),
            ("weight", pyarrow.float32()),
            ("vector", pyarrow.list_(pyarrow.float16(), dimensions)),
        ]
    )


def passage_batch(edition: int, rows: SentenceRows) -> Any:
    """Return sentences of an edition as an Arrow record batch of `passage_schema`."""
    import pyarrow

    count, dimensions = rows.vectors.shape
    flat = pyarrow.array(rows.vectors.astype(np.float16).ravel())
    return pyarrow.record_batch(
        [
            pyarrow.array((edition << EDITION_BITS) + np.asarray(rows.numbers, np.int64)),
            pyarrow.array(np.full(count, edition, np.int32)),
            pyarrow.array(np.asarray(rows.chapters, np.int32)),
            pyarrow.array([len(text.split()) for text in rows.texts], pyarrow.int32()),
            pyarrow.array(list(rows.texts), pyarrow.string()),
            pyarrow.array(rows.weights.astype(np.float32)),
            pyarrow.FixedSizeListArray.from_arrays(flat, dimensions),
        ],
        schema=passage_schema(dimensions),
    )


def _keys(keys: Collection[int]) -> str:
    return f"key IN ({', '.join(str(int(key)) for key in keys)})" if keys else "false"


def _split(keys: Ints1d) -> tuple[Ints1d, Ints1d]:
    """Return the editions and the sentence numbers of keys."""
    return keys >> EDITION_BITS, keys & ((1 << EDITION_BITS) - 1)


def _in_chapters(rows: Any, chapters: Mapping[int, tuple[int, int]]) -> Any:
    """Return the rows in the range of chapters of their edition."""
    import pyarrow

    editions, positions = np.unique(rows["key"].to_numpy() >> EDITION_BITS, return_inverse=True)
    ranges = [chapters.get(edition, (1, 0)) for edition in editions.tolist()]
    first, last = np.array(ranges, np.int64).reshape(-1, 2)[positions].T
    of_rows = rows["chapter"].to_numpy()
    return rows.filter(pyarrow.array((first <= of_rows) & (of_rows <= last)))


def _stretches(keys: Ints1d) -> str:
    """Return the SQL condition for ascending keys, as ranges of consecutive keys: for many keys
    this is a third faster than a list."""
    if not len(keys):
        return "false"
    breaks = np.flatnonzero(np.diff(keys) != 1)
    first, last = keys[np.append(0, breaks + 1)], keys[np.append(breaks, len(keys) - 1)]
    between = (f"key BETWEEN {low} AND {high}" for low, high in zip(first, last, strict=True))
    return f"({' OR '.join(between)})"


def _editions(editions: Collection[int]) -> str:
    listed = ", ".join(str(int(edition)) for edition in sorted(editions))
    return f"edition IN ({listed})" if listed else "false"


def _chapters(chapters: Mapping[int, tuple[int, int]]) -> str:
    """Return the SQL condition for ranges of chapters by edition, with equal ranges merged."""
    editions: dict[tuple[int, int], list[int]] = defaultdict(list)
    for edition, between in chapters.items():
        editions[between].append(edition)
    conditions = [
        f"({_editions(alike)} AND chapter BETWEEN {int(first)} AND {int(last)})"
        for (first, last), alike in editions.items()
    ]
    return f"({' OR '.join(conditions)})" if conditions else "false"
