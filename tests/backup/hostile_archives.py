"""Archives as the program writes them, and as only an attacker or a bad disk would."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scholar_indexes.storage import sealed_json

TEXT = b"A book of one line.\n"


def listed(files: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """Return the entries of files in a manifest."""
    return [
        {"name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files
    ]


def member(name: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    """Return a member of a tar file with its content; `fields` go into its header."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def write_archive(
    path: Path,
    contents: Sequence[tuple[str, bytes]],
    *,
    members: Sequence[tuple[tarfile.TarInfo, bytes]] | None = None,
    tar_format: int = tarfile.USTAR_FORMAT,
    after: bytes = b"",
    manifest: bytes | None = None,
    **record: Any,
) -> Path:
    """Write an archive whose manifest lists the contents; `members` replaces its members, `record`
    replaces values of the manifest, and `after` follows the last member."""
    values: Mapping[str, Any] = {
        "schema_version": 1,
        "program": "0.1.0",
        "made": "2026-01-01T00:00:00Z",
        "schemas": {},
        "counts": {},
        "files": listed(contents),
        **record,
    }
    head = sealed_json.dump(values) if manifest is None else manifest
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tar_format) as tar:
        for info, content in (
            member("manifest.json", head),
            *(members if members is not None else [member(*file) for file in contents]),
        ):
            tar.addfile(info, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue() + after, 1))
    return path
