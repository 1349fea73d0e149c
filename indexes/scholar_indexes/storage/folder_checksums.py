"""Checksums of the files of a LanceDB table, which reveal a changed byte.

LanceDB writes a file once and never changes it, so each is read once, when it is new. The checksums
are in one file in the folder of the table, which has a checksum too. A file left without one by a
killed process gets one at the next change.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from scholar_indexes.guarded import read_bytes
from scholar_indexes.storage import checked_files, sealed_json

NAME = "checksums.json"
"""The name of the file of checksums."""

NAME_SUFFIX = ".json"
"""The suffix of that file, and of the one file that LanceDB rewrites: the newest version."""

_CHUNK_BYTES = 1 << 20


def record(folder: Path) -> None:
    """Write the checksums of the files in a folder that have none yet; raises OSError."""
    known = _read(folder)
    # Known files are not read again: a new checksum would accept their damage.
    now = {name: known.get(name) or _crc(path) for name, path in _files(folder)}
    if now != known or not checked_files.has_checksum(folder / NAME):
        checked_files.write({folder / NAME: sealed_json.dump({"files": now})})


def changed(folder: Path) -> list[str]:
    """Return the relative paths of the changed files in a folder: only the file of checksums if it
    is missing or damaged, since the others cannot be compared."""
    known, written = _read(folder), folder / NAME
    if checked_files.is_lost(written) or (written.exists() and not known):
        return [NAME]
    return [name for name, path in _files(folder) if name in known and _crc(path) != known[name]]


def _read(folder: Path) -> dict[str, str]:
    """Return the stored checksums, none if they cannot be read."""
    try:
        record = sealed_json.load(read_bytes(folder / NAME))
        return {str(name): str(value) for name, value in record["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (NAME_SUFFIX, checked_files.SUFFIX):
            yield path.relative_to(folder).as_posix(), path


def _crc(path: Path) -> str:
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc = zlib.crc32(chunk, crc)
    return f"{crc:08x}"
