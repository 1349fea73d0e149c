"""Size and speed of libraries of growing size.

The queries are graded claims over all books, in this process (warm) and as separate commands
(cold).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median, quantiles

import numpy as np

from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.speed.command_speed import scholar_command, timed_run
from scholar_cli.laboratory.speed.copies import SEED, GrowingLibrary
from scholar_indexes.arrays import Floats2d, Ints1d
from scholar_indexes.library import Library
from scholar_indexes.retrieval.search import CANDIDATES
from scholar_indexes.storage.lance_table import VECTOR_INDEX, VECTOR_INDEXES
from scholar_indexes.storage.passages import EVERYTHING, PassageTable
from scholar_indexes.types import Progress

CLAIMS = 40
"""The number of claims to search for in a library of each size."""

COMPARED = 20
"""The number of claims to search for without an index too, which reads all vectors."""

COLD_RUNS = 3
TOP = 10


@dataclass(frozen=True, slots=True)
class SizeFigures:
    """The contents, disk use and query times of a library of one size.

    write_s is the time to write the books added since the previous size to the index, without
    encoding; times of find are for claims over all books; peak_mb is the peak memory of a process
    that answers CLAIMS claims; recall_10 and recall_300 are the shares of the nearest 10 and 300
    sentences that the index finds.
    """

    books: int
    million_words: float
    sentences: int
    index_mb: float
    texts_mb: float
    write_s: float
    find_median_ms: float
    find_p95_ms: float
    cold_s: float
    peak_mb: float
    recall_10: float
    recall_300: float

    @property
    def mb_per_million_words(self) -> float:
        return (self.index_mb + self.texts_mb) / self.million_words

    def row(self) -> dict[str, float]:
        """Return a row of a table, rounded."""
        figures = {**asdict(self), "mb_per_million_words": self.mb_per_million_words}
        return {name: round(value, 3) for name, value in figures.items()}


@dataclass(frozen=True, slots=True)
class KindFigures:
    """A kind of vector index over one table: its build time and size, the shares of the nearest
    10 and 300 sentences that it finds, and the time of a query."""

    kind: str
    build_s: float
    mb: float
    recall_10: float
    recall_300: float
    median_ms: float
    p95_ms: float

    def row(self) -> dict[str, float | str]:
        """Return a row of a table, rounded."""
        return {
            name: value if isinstance(value, str) else round(value, 3)
            for name, value in asdict(self).items()
        }


def measure_sizes(
    source: Library, folder: Path, sizes: Sequence[int], progress: Progress
) -> Iterator[SizeFigures]:
    """Yield the figures of a library in `folder` as it grows to each of the numbers of books."""
    growing = GrowingLibrary(source, folder)
    claims = draw_claims()
    vectors = source.passages.encoder.encode_claims(claims)
    for size in sorted(sizes):
        write_s = growing.grow(size, progress)
        library = Library(growing.places, source.settings)
        library.find(claims[0])
        times = [seconds_of(lambda: library.find(claim)) for claim in claims]  # noqa: B023
        home = growing.places.data.parent
        cold = [
            timed_run(scholar_command("find", claim), home).seconds for claim in claims[:COLD_RUNS]
        ]
        answered = timed_run(
            scholar_command("find", "--claims", "-"), home, stdin="\n".join(claims)
        )
        table = growing.table
        compared = vectors[:COMPARED]
        exact = exact_neighbours(table, compared)
        shares = [recall(table, compared, exact, top) for top in (TOP, CANDIDATES)]
        yield SizeFigures(
            books=len(growing.books()),
            million_words=growing.words() / 1e6,
            sentences=table.state().rows,
            index_mb=size_mb(growing.places.index),
            texts_mb=size_mb(growing.places.books),
            write_s=write_s,
            find_median_ms=1000 * median(times),
            find_p95_ms=1000 * quantiles(times, n=20)[-1],
            cold_s=median(cold),
            peak_mb=answered.peak_mb,
            recall_10=shares[0],
            recall_300=shares[1],
        )


def measure_kinds(source: Library, folder: Path) -> Iterator[KindFigures]:
    """Yield the figures of each kind of vector index over the passages of a grown library; the kind
    in use comes last, so that it stays."""
    growing = GrowingLibrary(source, folder)
    claims = draw_claims()
    vectors = source.passages.encoder.encode_claims(claims)[:COMPARED]
    table = growing.table
    exact = exact_neighbours(table, vectors)
    for kind in sorted(VECTOR_INDEXES, key=lambda kind: kind == VECTOR_INDEX):
        before = index_folders(growing.places.index)
        build_s = seconds_of(lambda: table.index_vectors_as(kind))  # noqa: B023
        added = index_folders(growing.places.index) - before
        times = [
            seconds_of(lambda: table.nearest(vector, CANDIDATES, EVERYTHING))  # noqa: B023
            for vector in vectors
        ]
        yield KindFigures(
            kind=kind,
            build_s=build_s,
            mb=sum(map(size_mb, added)),
            recall_10=recall(table, vectors, exact, TOP),
            recall_300=recall(table, vectors, exact, CANDIDATES),
            median_ms=1000 * median(times),
            p95_ms=1000 * quantiles(times, n=20)[-1],
        )


def draw_claims() -> list[str]:
    """Return CLAIMS of the graded claims, always the same ones."""
    return Random(SEED).sample([claim.claim for claim in graded.load()], CLAIMS)


def exact_neighbours(table: PassageTable, vectors: Floats2d) -> list[Ints1d]:
    """Return the keys of the nearest CANDIDATES rows of each unit vector of (n, d), found without
    an index."""
    return [table.nearest(vector, CANDIDATES, EVERYTHING, exactly=True)[0] for vector in vectors]


def recall(table: PassageTable, vectors: Floats2d, exact: Sequence[Ints1d], top: int) -> float:
    """Return the share of the nearest `top` rows that are in the first `top` from the index."""
    shares = []
    for vector, nearest in zip(vectors, exact, strict=True):
        returned, _ = table.nearest(vector, CANDIDATES, EVERYTHING)
        shares.append(np.isin(nearest[:top], returned[:top]).mean())
    return float(np.mean(shares))


def seconds_of(action: Callable[[], object]) -> float:
    """Return the duration of an action in seconds."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def size_mb(folder: Path) -> float:
    """Return the size of the files in a folder in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def index_folders(folder: Path) -> set[Path]:
    """Return the folders of indexes in a LanceDB folder."""
    return set(folder.glob("*.lance/_indices/*"))
