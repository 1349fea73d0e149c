"""The parts of a library that a backup includes, and their names in it.

A name is the path of a file below the folder of user data, with slashes; the files of pulled
models, which are cache, are below models/. A backup includes the databases, the books with the
results of long analyses (speakers, and who is in each sentence), the user's descriptions and
corrections, and the indexes, so that the other machine answers at once: encoding a novel again
takes several seconds. What a query derives from a book within seconds is omitted, and so are
downloads; the catalogue of Project Gutenberg and pulled models can be downloaded again and are
included only on request.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.backup.extras import Extra
from scholar_indexes.characters.quiz import history
from scholar_indexes.errors import Damaged
from scholar_indexes.paths import Paths
from scholar_indexes.storage import bookmarks, catalog, checked_files, checksums

MODELS = "models"

DERIVED_AT_ONCE = frozenset({"who.npz", "words.npz", "described.json"})
"""Files in the folder of a book that are derived again within seconds."""

SIDE_FILES = ("-journal", "-wal", "-shm", ".sum")
"""The suffixes of the files next to a database: the files of SQLite, and its checksum."""


@dataclass(frozen=True, slots=True)
class BackupScope:
    """The choice of what a backup includes: with or without the indexes, and the extras."""

    with_index: bool = True
    extras: frozenset[Extra] = frozenset()


@dataclass(frozen=True, slots=True)
class Database:
    """A database of the library: its schema version in this program, the statements that count
    its contents, and one that deletes the records of what is indexed."""

    path: Path
    schema_version: int
    counts: dict[str, str]
    forget_index: str = ""


def databases(places: Paths) -> tuple[Database, ...]:
    """Return the databases of a library."""
    from scholar_indexes.papers.catalog import schema

    listed = "WHERE state = 'listed'"
    return (
        Database(
            places.catalog,
            catalog.SCHEMA_VERSION,
            {"books": f"SELECT count(*) FROM editions {listed}"},
            "DELETE FROM indexed",
        ),
        Database(
            places.papers,
            schema.SCHEMA_VERSION,
            {"papers": f"SELECT count(*) FROM papers {listed}"},
            "DELETE FROM spaces",
        ),
        Database(
            places.bookmarks,
            bookmarks.SCHEMA_VERSION,
            {
                "quotations": "SELECT count(*) FROM quotations",
                "notes": "SELECT count(*) FROM quotations WHERE note <> ''",
                "collections": "SELECT count(DISTINCT collection) FROM quotations",
            },
        ),
        Database(
            places.quiz_history,
            history.SCHEMA_VERSION,
            {"answers": "SELECT count(*) FROM answers"},
        ),
    )


COUNTED = {
    "books": "books",
    "papers": "papers",
    "quotations": "passages",
    "notes": "notes",
    "collections": "collections",
    "answers": "quiz answers",
    "corrections": "corrections",
    "descriptions": "own descriptions",
}
"""The counts in a backup, with the words that messages use for them."""


def entries(places: Paths) -> tuple[Path, ...]:
    """Return the files and folders that make up a library, whether they exist or not."""
    files = (*(database.path for database in databases(places)), places.sample_marker)
    return (*files, *_folders(places))


def _folders(places: Paths, *, with_index: bool = True) -> tuple[Path, ...]:
    indexes = (places.index, places.papers_index) if with_index else ()
    return (places.books, places.descriptions, places.corrections, *indexes)


def check_not_lost(places: Paths) -> None:
    """Raise Damaged if a file of a library is missing that cannot be recreated."""
    files = [database.path for database in databases(places) if checksums.is_lost(database.path)]
    for folder in (places.corrections, places.descriptions):
        files += checked_files.lost(folder)
    if files:
        name = files[0].relative_to(places.data).as_posix()
        raise Damaged(f"{name} is missing; to find out what to do, run: scholar doctor")


def is_empty(places: Paths) -> bool:
    """Return True for a library without user data."""
    return not any(
        any(entry.iterdir()) if entry.is_dir() else entry.exists()
        for entry in entries(places)
        if entry != places.sample_marker
    )


def top_names(places: Paths) -> dict[str, bool]:
    """Return the first parts of the names that a backup may have, and whether each is a folder."""
    folders = {folder.name for folder in _folders(places)} | {MODELS}
    files = {entry.name for entry in entries(places)} - folders
    return {
        **dict.fromkeys(folders, True),
        **dict.fromkeys((*files, places.gutenberg_catalog.name), False),
    }


def plain_files(places: Paths, scope: BackupScope) -> Iterator[tuple[str, Path]]:
    """Yield the names and the paths of the files to include, other than databases."""
    for folder in _folders(places, with_index=scope.with_index):
        for name, path in _below(folder, folder.name):
            if folder != places.books or path.name not in DERIVED_AT_ONCE:
                yield name, path
    singles = [places.sample_marker]
    if Extra.CATALOG in scope.extras:
        singles.append(places.gutenberg_catalog)
    for path in singles:
        if path.is_file():
            yield path.name, path
    if Extra.MODELS in scope.extras:
        yield from _below(places.models, MODELS)


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder and its subfolders, sorted; hidden ones are temporary."""
    for parent, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(child for child in folders if not child.startswith("."))
        for file in sorted(files):
            path = Path(parent, file)
            if not file.startswith(".") and path.is_file():
                yield f"{name}/{path.relative_to(folder).as_posix()}", path
