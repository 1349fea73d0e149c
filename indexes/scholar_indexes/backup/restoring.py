"""Replacing the existing library with a restored one, completely or not at all.

    .restore-new/     the content of the archive, until it is complete and verified
    .restore.json     after that: the names of the new entries; whatever happens now, the next
                      command that opens the library continues
    .restore-old/     the old library, until the new one is in its place

Every step can be repeated, so a command that is killed at any point loses nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from scholar_indexes.backup import carried, snapshot
from scholar_indexes.backup.archive import Archive, ArchiveManifest
from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.guarded import parse_json
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import sqlite_backup
from scholar_indexes.storage.atomic import atomic_folder, write_text
from scholar_indexes.types import Progress

SPARE_BYTES = 64 << 20
"""The space that must remain free on the disk."""


def extract(archive: Archive, folder: Path, progress: Progress) -> None:
    """Write the files of an archive into a new folder; raises Damaged if they do not match its
    manifest, and ScholarError if there is not enough space."""
    whole, done = archive.manifest.size_bytes, 0
    snapshot.discard(folder)
    with explain_write_errors(folder.parent):
        folder.mkdir(parents=True)
        if shutil.disk_usage(folder).free < whole + SPARE_BYTES:
            raise ScholarError(
                f"the library needs {whole >> 20:,} MiB, more than is free in {folder.parent}; "
                "free some space and run the same command again"
            )
        label = f"reading {archive.path.name}"
        for listed, pieces in archive.files():
            path = folder / listed.name
            path.parent.mkdir(parents=True, exist_ok=True)
            # "x", so that two names which are one file on this disk are an error.
            with path.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
                    done += len(piece)
                    progress(label, done, whole)
                file.flush()
                os.fsync(file.fileno())


def check(places: Paths, manifest: ArchiveManifest, folder: Path) -> None:
    """Inspect the databases that were extracted into a folder, and write their checksums.

    Raises Damaged for one that cannot be read or does not match the manifest, and ScholarError for
    one by a newer scholar.
    """
    for database in carried.databases(places):
        path = folder / database.path.name
        if not path.exists():
            continue
        try:
            inspection = sqlite_backup.inspect(path, database.counts)
        except Damaged as damage:
            why = one_line(str(damage.__cause__), 100)
            raise Damaged(
                f"{path.name} of the backup cannot be read ({why}); the library is unchanged; "
                "check that the disk is sound, or use another copy of the backup"
            ) from damage
        check_version(path.name, inspection.version, database.schema_version)
        for name, count in inspection.counts.items():
            if manifest.counts.get(name, count) != count:
                raise Damaged(
                    f"{path.name} has {count} {name}, but the backup lists another number; use "
                    "another copy of the backup"
                )
        sqlite_backup.write_checksum(path)


def check_version(name: str, version: int, known: int) -> None:
    """Raise ScholarError for a database written by a newer scholar."""
    if version > known:
        raise ScholarError(
            f"{name} in the backup was written by a newer scholar; upgrade with: "
            "pip install -U scholar-cli"
        )


def add_models(places: Paths, folder: Path) -> None:
    """Add the models that were extracted into a folder to the pulled ones; existing ones stay."""
    models = folder / carried.MODELS
    for model in sorted(models.iterdir()) if models.is_dir() else ():
        target = places.models / model.name
        if model.is_dir() and not target.exists():
            with explain_write_errors(places.models), atomic_folder(target, ".adding-") as new:
                shutil.copytree(model, new, dirs_exist_ok=True)
    snapshot.discard(models)


def put_in_place(places: Paths, folder: Path) -> None:
    """Replace the library with the contents of a folder; the caller holds all locks."""
    with explain_write_errors(places.data):
        names = sorted(path.name for path in folder.iterdir())
        snapshot.discard(places.replaced)
        write_text(places.restore_journal, json.dumps({"names": names}))
        finish(places)


def finish(places: Paths) -> None:
    """Finish putting a restored library in place, if that was begun; the caller holds all locks."""
    new, old = places.restored, places.replaced
    with explain_write_errors(places.data):
        try:
            names = set(map(str, parse_json(places.restore_journal.read_bytes())["names"]))
        except FileNotFoundError:
            return
        old.mkdir(exist_ok=True)
        # A journal of the old database would damage the new one, and under the old name the new
        # library would treat the old one's passages in an object store as its own.
        for name in (*_side_files(places), places.library_id.name):
            if name not in names or (new / name).exists():  # else the new one is in place
                _move_aside(places.data / name, old)
        for name in sorted(names | {entry.name for entry in carried.entries(places)}):
            if name not in names:
                _move_aside(places.data / name, old)
            elif (new / name).exists():
                _move_aside(places.data / name, old)
                os.replace(new / name, places.data / name)
        places.restore_journal.unlink()
    snapshot.discard(new)
    snapshot.discard(old)


def _side_files(places: Paths) -> list[str]:
    return [
        database.path.name + ending
        for database in carried.databases(places)
        for ending in carried.SIDE_FILES
    ]


def _move_aside(path: Path, folder: Path) -> None:
    """Move a file or a folder, if it exists, into another folder under an unused name."""
    if not (path.exists() or path.is_symlink()):
        return
    target, number = folder / path.name, 1
    while target.exists() or target.is_symlink():
        number += 1
        target = folder / f"{path.name}.{number}"
    os.replace(path, target)
