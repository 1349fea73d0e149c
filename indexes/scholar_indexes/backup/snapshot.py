"""A snapshot of the files of a library, which can be read while others write.

Every writer in scholar replaces a file with a new one. So hard links keep the old content, at once
and without using space; only the databases are copied. The locks of writers are held for that
moment, and readers need not wait.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scholar_indexes.backup.carried import BackupScope, databases, plain_files
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.storage import sqlite_backup


def take(places: Paths, scope: BackupScope, staging: Path) -> dict[str, Path]:
    """Return the files of a library by name, linked or copied into a new folder."""
    discard(staging)
    files = {}
    with explain_write_errors(places.data):
        staging.mkdir(parents=True)
        for database in databases(places):
            if database.path.exists():
                copy = staging / database.path.name
                change = "" if scope.with_index else database.forget_index
                sqlite_backup.copy_database(database.path, copy, change=change)
                files[database.path.name] = copy
        for name, path in plain_files(places, scope):
            kept = staging / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            try:
                _link(path, kept)
            except FileNotFoundError:
                continue  # derived from a book and replaced meanwhile: it can be derived again
            files[name] = kept
    return files


def discard(folder: Path) -> None:
    """Remove a folder that a stopped command may have left."""
    with explain_write_errors(folder.parent):
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder)


def _link(path: Path, kept: Path) -> None:
    """Link a file, or copy it if the file system has no links or is another one."""
    real = path.resolve()
    try:
        os.link(real, kept)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(real, kept)
