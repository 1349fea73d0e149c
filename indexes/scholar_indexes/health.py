"""Checks that everything scholar needs exists and is undamaged."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library

MIN_FREE_BYTES = 500_000_000
"""The size of a library of fifty novels with its index."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The outcome of one check; `detail` says how to fix what failed."""

    name: str
    passed: bool
    detail: str


def examine(library: Library) -> Iterator[HealthCheck]:
    """Run every check in turn and yield its outcome, even if others fail."""
    checks: dict[str, Callable[[], str]] = {
        "python": platform.python_version,
        "folders": lambda: _check_folders(library),
        "books": lambda: _check_books(library),
        "model": lambda: _check_models(library),
        "encoder": lambda: _check_encoder(library),
        "index": lambda: _check_index(library),
        "people": lambda: f"known in {library.index.check_people()} books",
        "papers": library.papers.check,
        "collections": lambda: _check_bookmarks(library),
        "quizzes": lambda: _check_quizzes(library),
        "corrections": lambda: _check_corrections(library),
    }
    for name, check in checks.items():
        try:
            yield HealthCheck(name, True, check())
        except ScholarError as failure:
            yield HealthCheck(name, False, str(failure))


def _check_folders(library: Library) -> str:
    for folder in (library.places.data, library.places.cache):
        existing = _existing_parent(folder)
        if not os.access(existing, os.W_OK):
            raise ScholarError(f"{existing} cannot be written; change its permissions")
        if shutil.disk_usage(existing).free < MIN_FREE_BYTES:
            raise ScholarError(f"less than 500 MB are free for {folder}; free some space")
    return f"{library.places.data} and {library.places.cache} can be written"


def _existing_parent(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _check_books(library: Library) -> str:
    library.books.repair.check_listed()
    books = library.books.all()
    damage = []
    for stored in books:
        try:
            library.books.repair.check(stored)
        except ScholarError as failure:
            damage.append(str(failure))
    added = library.books.repair.add_hashes()
    if damage:
        raise ScholarError("; ".join(damage))
    older = f"; {added} had no hashes and have them now" if added else ""
    return f"{len(books)} books, all intact{older}"


def _check_models(library: Library) -> str:
    verified = library.models.verify()
    return ", ".join(model.name for model in verified) + ": every file matches its card"


def _check_encoder(library: Library) -> str:
    vector = library.passages.encoder.encode(["a first question"])[0]
    return f"{library.settings.model} gives vectors of {len(vector)} dimensions"


def _check_index(library: Library) -> str:
    library.index.check()
    state = library.index.state()
    return f"{state.table.rows:,} sentences from {state.books} books"


def _check_bookmarks(library: Library) -> str:
    bookmarks = library.bookmarks
    bookmarks.check()
    passages = bookmarks.quotations()
    return f"{len(passages)} passages in {len(bookmarks.collections())} collections"


def _check_quizzes(library: Library) -> str:
    answers = library.quiz.history.check()
    library.quiz.check()
    return f"{answers} answers"


def _check_corrections(library: Library) -> str:
    return f"{library.corrections.check()} corrections"
