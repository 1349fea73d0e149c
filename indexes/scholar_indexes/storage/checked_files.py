"""Files of the user's own texts with a checksum beside each, by which a changed byte is noticed.

The checksum is written first, together with that of what the file holds until then, so that a
process that is killed between the two leaves a file that has one of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

from scholar_indexes.guarded import read_bytes
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import write_files


def write(files: Mapping[Path, bytes]) -> None:
    """Write files with their checksums; no file changes before all of them could be written."""
    records = {}
    for path, content in files.items():
        contents = [content, *([path.read_bytes()] if path.is_file() else [])]
        record = {"crc32": list(map(zlib.crc32, contents))}
        records[_checksum_path(path)] = sealed_json.dump(record)
    write_files(records)
    write_files(files)


def set_aside(path: Path, suffix: str) -> Path:
    """Rename a file to one with a suffix added, in the place of one that was set aside before;
    return its path."""
    aside = path.with_name(path.name + suffix)
    path.replace(aside)
    _checksum_path(path).unlink(missing_ok=True)
    return aside


def is_as_written(path: Path, content: bytes) -> bool:
    """Return False for a content that is not what was written to a file; True where no checksum
    can be read, as of a file that was put there by hand."""
    try:
        record = sealed_json.load(read_bytes(_checksum_path(path)))
        return zlib.crc32(content) in record["crc32"]
    except (OSError, ValueError, KeyError, TypeError):
        return True


def _checksum_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.sum")
