"""The data that the cluster tests compare: the rows of an index, and the files of books."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command_line import make_book_text
from scholar_indexes.library import Library

NAMES = ("lamplighter", "clockmaker", "ferryman", "beekeeper", "glazier", "miller")


def write_books(folder: Path) -> list[str]:
    """Write six books of 120 sentences and return their paths."""
    paths = [folder / f"{name}.txt" for name in NAMES]
    for path in paths:
        path.write_text(make_book_text(path.stem), "utf-8")
    return list(map(str, paths))


def index_rows(library: Library) -> Any:
    """Return every row of the index in use, by key, with its vector to the last bit."""
    return library.index._index.table._opened().to_arrow().sort_by("key")


def book_files(library: Library, *, without: str = "") -> dict[str, bytes]:
    """Return the files of all books by folder and name."""
    files = library.places.books.glob("*/*")
    return {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for path in files
        if path.name != without
    }
