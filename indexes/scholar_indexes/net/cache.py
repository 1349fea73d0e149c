"""Cache downloads, so that nothing is downloaded twice.

    objects/ab/abcdef…          a complete body, named by its SHA-256
    urls/<sha256 of url>.json   the hash of an address's body, and how to ask whether it changed
    partial/<sha256 of url>     an incomplete body, next to a .json file for resuming it

Files are written under a temporary name and moved into place, so a reader never sees half of one;
a body is compared with its hash each time it is returned.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scholar_indexes.guarded import MAX_SETTINGS_BYTES, read_json
from scholar_indexes.storage import atomic

HEADER_VALUE = re.compile(r"[\x20-\x7e]{1,200}")
"""A header that is safe to store and to send back."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CacheRecord:
    """The body of an address; size in bytes, fetched_at in seconds since 1970 (UTC)."""

    url: str
    final_url: str
    sha256: str
    size: int
    etag: str | None
    last_modified: str | None
    fetched_at: float


@dataclass(frozen=True, slots=True)
class PartialDownload:
    """The first size bytes of a body, of total (0 if unknown)."""

    path: Path
    size: int
    total: int
    validator: str


class HttpCache:
    """The folder of downloads; every method may raise OSError."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def record(self, url: str) -> CacheRecord | None:
        """Return the record of an address, or None if there is no usable one."""
        fields = _read_json(self._record_path(url))
        try:
            record = CacheRecord(**fields)
            return record if _is_sound(record) else None
        except TypeError:  # other fields, or a value of another type
            return None

    def body(self, sha256: str) -> Path | None:
        """Return the path of the body with a hash, or None if it is absent or damaged."""
        path = self._object_path(sha256)
        try:
            return path if _sha256_of(path) == sha256 else None
        except FileNotFoundError:
            return None

    def forget(self, url: str) -> None:
        """Delete the body of an address, so that the next request fetches all of it."""
        record = self.record(url)
        if record is not None:
            self._object_path(record.sha256).unlink(missing_ok=True)
        self._record_path(url).unlink(missing_ok=True)

    def partial(self, url: str) -> PartialDownload | None:
        """Return an incomplete download, or None if it cannot be resumed."""
        path = self.partial_path(url)
        note = _read_json(_note_path(path))
        validator, total = note.get("validator"), note.get("total")
        if not isinstance(validator, str) or not HEADER_VALUE.fullmatch(validator):
            return None
        # Not isinstance: True is an integer too.
        if type(total) is not int:
            return None
        size = path.stat().st_size if path.exists() else 0
        return PartialDownload(path, size, total, validator) if size else None

    def begin(self, url: str, validator: str | None, total: int) -> Path:
        """Create an empty file for a new body; without a validator it cannot be resumed later."""
        self.discard(url)
        path = self.partial_path(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        if validator is not None:
            _write_json(_note_path(path), {"url": url, "validator": validator, "total": total})
        path.touch()
        return path

    def discard(self, url: str) -> None:
        """Delete an incomplete body."""
        path = self.partial_path(url)
        path.unlink(missing_ok=True)
        _note_path(path).unlink(missing_ok=True)

    def measure(self, url: str) -> tuple[str, int]:
        """Return the SHA-256 and the size in bytes of the body being downloaded."""
        path = self.partial_path(url)
        return _sha256_of(path), path.stat().st_size

    def keep(self, record: CacheRecord) -> Path:
        """Move the finished body of record.url to its place and write the record."""
        path = self._object_path(record.sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.move_file(self.partial_path(record.url), path)
        self.discard(record.url)
        # Last, since a record must not name a body that is not in its place.
        self.note(record)
        return path

    def note(self, record: CacheRecord) -> None:
        """Write the record of an address."""
        _write_json(self._record_path(record.url), asdict(record))

    def partial_path(self, url: str) -> Path:
        """Return the path of a body while it is downloaded."""
        return self.root / "partial" / _key(url)

    def lock_path(self, url: str) -> Path:
        """Return the lock to hold while downloading from an address."""
        return self.root / "locks" / f"{_key(url)}.lock"

    def _record_path(self, url: str) -> Path:
        return self.root / "urls" / f"{_key(url)}.json"

    def _object_path(self, sha256: str) -> Path:
        return self.root / "objects" / sha256[:2] / sha256


def _is_sound(record: CacheRecord) -> bool:
    """Return True for a record with a valid hash and size, and with headers that can be sent back;
    raises TypeError if a value is not a string."""
    headers = (record.etag, record.last_modified)
    return (
        _SHA256.fullmatch(record.sha256) is not None
        and type(record.size) is int
        and all(header is None or HEADER_VALUE.fullmatch(header) for header in headers)
    )


def _key(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()


def _note_path(partial: Path) -> Path:
    return partial.with_name(partial.name + ".json")


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, empty if the file is absent or has no object."""
    try:
        content = read_json(path, MAX_SETTINGS_BYTES)
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_text(path, json.dumps(content, indent=1))
