"""Whether everything scholar needs is there and whole."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library

ROOM_BYTES = 500_000_000
"""A library of fifty novels with its index; less free space than that is worth a word."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; detail says how to mend what is not well."""

    check: str
    well: bool
    detail: str


def examine(library: Library) -> Iterator[Finding]:
    """Every check in turn; one that fails does not keep the others from running."""
    checks: dict[str, Callable[[], str]] = {
        "python": platform.python_version,
        "folders": lambda: _folders(library),
        "books": lambda: _books(library),
        "model": lambda: _model(library),
        "encoder": lambda: _encoder(library),
        "index": lambda: _index(library),
        "papers": library.papers.check,
    }
    for name, check in checks.items():
        try:
            yield Finding(name, True, check())
        except ScholarError as failure:
            yield Finding(name, False, str(failure))


def _folders(library: Library) -> str:
    for folder in (library.places.data, library.places.cache):
        existing = _existing(folder)
        if not os.access(existing, os.W_OK):
            raise ScholarError(f"{existing} cannot be written; change its permissions")
        if shutil.disk_usage(existing).free < ROOM_BYTES:
            raise ScholarError(f"less than 500 MB are free for {folder}; free some space")
    return f"{library.places.data} and {library.places.cache} can be written"


def _existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _books(library: Library) -> str:
    books = library.books()
    for shelved in books:
        library.chapters(shelved)
        library.text(shelved)
    return f"{len(books)} books, all readable"


def _model(library: Library) -> str:
    verified = library.verify_models()
    return ", ".join(model.name for model in verified) + ": every file as its card says"


def _encoder(library: Library) -> str:
    vector = library.encoder.encode(["a first question"])[0]
    return f"{library.settings.model} gives vectors of {len(vector)} dimensions"


def _index(library: Library) -> str:
    library.check_index()
    state = library.index_state()
    return f"{state.table.rows:,} sentences of {state.books} books"
