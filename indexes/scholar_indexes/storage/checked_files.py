"""Files of the user's own texts, each with a checksum, which reveals a changed byte or a lost file.

The checksum is written first, together with the checksum of the old content (null for none), so
that a process that is killed in between leaves a file that matches one of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

from scholar_indexes.guarded import read_bytes
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import write_files

SUFFIX = ".sum"
"""The suffix of a checksum, after the name of its file."""


def write(files: Mapping[Path, bytes]) -> None:
    """Write files with their checksums; no file changes until all contents are written."""
    before = {path: zlib.crc32(path.read_bytes()) if path.is_file() else None for path in files}
    _write_checksums({path: [zlib.crc32(files[path]), before[path]] for path in files})
    write_files(files)
    new = [path for path in files if before[path] is None]
    _write_checksums({path: [zlib.crc32(files[path])] for path in new})


def set_aside(path: Path, suffix: str) -> Path:
    """Rename a file by adding a suffix, replacing one that was set aside before; return the new
    path."""
    aside = path.with_name(path.name + suffix)
    _checksum_path(path).unlink(missing_ok=True)  # first, or the file would count as lost
    path.replace(aside)
    return aside


def is_as_written(path: Path, content: bytes) -> bool:
    """Return False if the content does not match the checksum of a file; True if no checksum can
    be read, as for a file that was put there by hand."""
    try:
        record = sealed_json.load(read_bytes(_checksum_path(path)))
        return zlib.crc32(content) in record["crc32"]
    except (OSError, ValueError, KeyError, TypeError):
        return True


def lost(folder: Path) -> list[Path]:
    """Return the missing files of a folder that have a checksum, sorted."""
    checksums = sorted(folder.glob(f"*{SUFFIX}"))
    return [path for path in (checksum.with_suffix("") for checksum in checksums) if is_lost(path)]


def has_checksum(path: Path) -> bool:
    """Return True for a file that has a checksum."""
    return _checksum_path(path).exists()


def is_lost(path: Path) -> bool:
    """Return True for a file that was written and is missing."""
    if path.exists() or not has_checksum(path):
        return False
    try:
        return None not in sealed_json.load(read_bytes(_checksum_path(path)))["crc32"]
    except (OSError, ValueError, KeyError, TypeError):
        return True


def forget_lost(folder: Path) -> list[Path]:
    """Delete the checksums of the lost files of a folder, which then count as never written;
    return these files."""
    files = lost(folder)
    for path in files:
        forget(path)
    return files


def forget(path: Path) -> None:
    """Delete the checksum of a file, which is then accepted as it is."""
    _checksum_path(path).unlink(missing_ok=True)


def record(path: Path) -> None:
    """Write the checksum of a file that another function has written."""
    _write_checksums({path: [zlib.crc32(path.read_bytes())]})


def _write_checksums(checksums: Mapping[Path, list[int | None]]) -> None:
    write_files(
        {
            _checksum_path(path): sealed_json.dump({"crc32": crcs})
            for path, crcs in checksums.items()
        }
    )


def _checksum_path(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)
