"""Benchmark of `scholar who`: characters of whole novels identified by descriptions.

Each novel is added to its own library in a temporary folder, one at a time. An answer is right if
it has one of the names of the described person.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.gutenberg_texts import find_text
from scholar_cli.laboratory.report import Report, commit
from scholar_cli.laboratory.who import who_data
from scholar_cli.laboratory.who.who_data import TypedDescription
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.library import Library
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.types import Character, Progress, silent

CUTOFFS = (1, 3)
"""The numbers of top answers among which the right one must be."""

SPLITS = ("all", "main", "minor", "unnamed")
"""All descriptions; main characters with a name; minor characters with a name; the others."""

System = Callable[[Path, Sequence[str]], list[list[Character]]]
"""A function from the file of a novel and descriptions to candidate characters for each, the most
likely first."""


@dataclass(frozen=True, slots=True)
class ScoredDescription:
    """The split of a description, and whether each answer is right, the most likely first."""

    split: str
    right: tuple[bool, ...]


def ask_library(places: Paths, settings: Settings) -> System:
    """Return the system that adds a novel to an empty library and calls `Library.who`.

    Only models are read from places, and nothing is written there.
    """

    def ask(text: Path, descriptions: Sequence[str]) -> list[list[Character]]:
        with tempfile.TemporaryDirectory(prefix="scholar-bench-") as folder:
            own = Paths(Path(folder, "data"), places.cache, Path(folder, "config.toml"))
            library = Library(own, settings)
            book = library.add(str(text)).book.id
            return [_ask(library, book, description) for description in descriptions]

    return ask


def _ask(library: Library, book: str, description: str) -> list[Character]:
    """Return the characters that a description may mean, the most likely first; none without an
    answer."""
    try:
        hits = library.who(description, book, n=max(CUTOFFS))
    except (NoMatch, UsageError):
        return []
    return [hit.item.character for hit in hits]


def run(
    texts: Path,
    descriptions: Sequence[TypedDescription],
    system: System,
    *,
    model: str = "",
    data_sha256: str = "",
    progress: Progress = silent,
) -> list[Report]:
    """Return a report of a system for each of SPLITS.

    texts contains primary/<number>.txt. Raises NotThere if the folder or a book is missing.
    """
    by_book = who_data.group_by_book(descriptions)
    files = find_texts(texts, descriptions)
    books: list[list[ScoredDescription]] = []
    seconds = 0.0
    for done, (book, asked) in enumerate(by_book.items()):
        progress(asked[0].title, done, len(by_book))
        start = time.perf_counter()
        answers = system(files[book], [description.text for description in asked])
        seconds += time.perf_counter() - start
        books.append(list(map(score, asked, answers)))
    return [
        Report(
            bench="who",
            split=split,
            system="solver",
            metrics=summarize(books, split),
            n=sum(len(select_split(book, split)) for book in books),
            seconds=seconds,
            model=model,
            data_sha256=data_sha256,
            commit=commit(),
            queries=query_columns(books, split),
        )
        for split in SPLITS
    ]


def find_texts(texts: Path, descriptions: Sequence[TypedDescription]) -> dict[str, Path]:
    """Return the file of every book with descriptions.

    Raises NotThere if there is no folder, or for the first book that is not in it.
    """
    if not texts.is_dir():
        raise NotThere(f"there is no folder {texts}; give one with primary/<number>.txt")
    return {
        description.book: find_text(texts, description.book, description.title)
        for description in descriptions
    }


def score(description: TypedDescription, answers: Sequence[Character]) -> ScoredDescription:
    """Return the split of a description, and whether each of its answers is right."""
    return ScoredDescription(
        description.level if description.names else "unnamed",
        tuple(map(description.means, answers)),
    )


def select_split(book: Sequence[ScoredDescription], split: str) -> list[ScoredDescription]:
    """Return the descriptions of one of SPLITS."""
    return [scored for scored in book if split in ("all", scored.split)]


def summarize(books: Sequence[Sequence[ScoredDescription]], split: str) -> dict[str, float]:
    """Return the shares of descriptions of a split with a right answer among the first 1 and the
    first 3, with 95 % intervals over books."""
    figures: dict[str, float] = {}
    for cutoff in CUTOFFS:
        is_right = [
            [any(scored.right[:cutoff]) for scored in select_split(book, split)] for book in books
        ]
        interval = metrics.bootstrap_groups([values for values in is_right if values])
        figures |= interval.figures(f"top{cutoff}")
    return figures


def query_columns(
    books: Sequence[Sequence[ScoredDescription]], split: str
) -> dict[str, list[float]]:
    """Return the book number of each description of a split, and whether a top answer is right."""
    numbered = [
        (number, scored)
        for number, book in enumerate(books)
        for scored in select_split(book, split)
    ]
    return {
        "group": [number for number, _ in numbered],
        **{
            f"top{cutoff}": [float(any(scored.right[:cutoff])) for _, scored in numbered]
            for cutoff in CUTOFFS
        },
    }
