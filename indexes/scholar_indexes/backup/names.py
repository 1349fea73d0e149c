"""The names of files in a backup, which may be untrusted.

A name must be valid on every system: relative, with slashes, and different from all others in more
than case or the composition of accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

MAX_PART_BYTES = 255
MAX_PARTS = 12

_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|]|[ .]\Z')
"""Control characters, characters with a meaning in Windows, and endings that it drops."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def check(names: Iterable[str], tops: Mapping[str, bool]) -> None:
    """Raise ValueError for a name that is unsafe or means the same file or folder as another.

    A name begins with one of `tops`, each with True for a folder and False for a file.
    """
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        parts = name.split("/")
        if tops.get(parts[0]) is not (len(parts) > 1):
            raise ValueError(f"{name[:80]!r} is not a file of a library")
        if len(parts) > MAX_PARTS or not all(map(_is_safe, parts)):
            raise ValueError(f"{name[:80]!r} is not a safe file name")
        key = _folded(name)
        if key in files:
            raise ValueError(f"{name[:80]!r} occurs twice")
        files.add(key)
        pieces = key.split("/")
        folders.update("/".join(pieces[:count]) for count in range(1, len(pieces)))
    if files & folders:
        raise ValueError(f"{min(files & folders)[:80]!r} is both a file and a folder")


def _is_safe(part: str) -> bool:
    return (
        bool(part)
        and not _UNSAFE.search(part)
        and not _DEVICE.fullmatch(part)
        and not any(unicodedata.category(character) in ("Cf", "Cs") for character in part)
        and len(part.encode("utf-8")) <= MAX_PART_BYTES
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
