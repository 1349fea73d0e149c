"""Find the files with papers in a folder, detect which have changed, and read them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from scholar_indexes.decoding import decode
from scholar_indexes.errors import NoPapers, ScholarError
from scholar_indexes.guarded import open_file, remedy
from scholar_indexes.papers import formats
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats.csl import TYPES
from scholar_indexes.papers.source import read_source

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
"""The suffixes of files that are read if they contain records of papers."""

SUFFIXES = (
    *(".pdf", ".bib", ".bibtex", ".ris", ".nbib", ".enw", ".atom"),
    *JSON_SUFFIXES,
    *TEXT_SUFFIXES,
)
"""The suffixes of files that are read."""

MAX_DEPTH = 16
"""Levels of subfolders that are searched."""

MAX_FILES = 20_000

_HEAD_BYTES = 1 << 17
_FIRST_BYTES = 1 << 12  # of a table or a text, which is recognized by its first lines
_TYPE = re.compile(r'"(?:type|itemType)"\s*:\s*"([A-Za-z_-]+)"')


@dataclass(frozen=True, slots=True)
class PaperFile:
    """A file: its origin in the catalogue (its path), its digest, and its name for messages."""

    path: Path
    origin: str
    digest: str
    name: str


def find_files(folder: Path) -> list[Path]:
    """Return the files with papers in a folder and its subfolders, by path.

    Hidden files and folders are skipped, and links to folders are not followed. A folder that
    cannot be read is among the files, so that it is reported. Raises NoPapers for more than
    MAX_FILES.
    """
    files: list[Path] = []
    refusals: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=refusals.append):
        depth = len(Path(parent).relative_to(folder).parts)
        folders[:] = sorted(n for n in folders if not n.startswith(".") and depth < MAX_DEPTH)
        files += (path for name in sorted(names) if is_paper_file(path := Path(parent, name)))
        if len(files) > MAX_FILES:
            raise NoPapers(
                f"{folder} has more than {MAX_FILES:,} files of papers; name the folders in it"
            )
    return [*files, *(Path(refusal.filename) for refusal in refusals)]


def is_paper_file(path: Path) -> bool:
    """Return True if a file may contain papers, by its name and, if other files have such names,
    by its beginning."""
    name = path.name.lower()
    if name.startswith(".") or not name.endswith(SUFFIXES) or not path.is_file():
        return False
    if name.endswith(TEXT_SUFFIXES):
        return formats.is_bibliography(decode(_head(path, _FIRST_BYTES))[0])
    return not name.endswith(JSON_SUFFIXES) or _has_records(path)


def describe_file(path: Path, folder: Path) -> PaperFile:
    """Return a file with the digest of its content. Raises ScholarError if it cannot be read."""
    name = str(path.relative_to(folder))
    if path.is_dir():
        raise ScholarError("this folder cannot be read; check its permissions")
    try:
        with open_file(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as refusal:
        why = f"it cannot be read ({refusal.strerror}); {remedy(refusal)}"
        raise ScholarError(why) from refusal
    return PaperFile(path, origin_of(path), digest, name)


def origin_of(path: Path) -> str:
    """Return the origin of a file in the catalogue."""
    return str(path.expanduser().resolve())


def read_file(file: PaperFile) -> list[Entry | UnreadableEntry]:
    """Return the records of a file, unreadable ones with its name. Raises ScholarError."""
    data, name = read_source(str(file.path))
    records = [
        replace(record, file=file.name) if isinstance(record, UnreadableEntry) else record
        for record in with_origins(formats.read(data, name), file.origin)
    ]
    if not records:
        raise NoPapers("it has no paper that can be read")
    return records


def with_origins(
    records: Iterator[Entry | UnreadableEntry], origin: str
) -> Iterator[Entry | UnreadableEntry]:
    """Yield the records of a file, entries with an origin: the file's, and the last of their ids,
    such as a citation key, numbered if it is repeated."""
    counts: dict[str, int] = {}
    for record in records:
        if isinstance(record, Entry):
            label = record.ids[-1]
            counts[label] = counts.get(label, 0) + 1
            number = f"#{counts[label]}" if counts[label] > 1 else ""
            record = replace(record, origin=f"{origin}#{label}{number}")
        yield record


def _has_records(path: Path) -> bool:
    """Return True for a JSON file whose first records are papers."""
    from scholar_indexes.papers.formats.zotero_items import TYPES as ZOTERO_TYPES

    head = _head(path, _HEAD_BYTES).decode("utf-8", "replace")
    if '"title"' not in head:
        return False
    kinds = {match[1] for match in _TYPE.finditer(head)}
    return '"abstract' in head or not kinds.isdisjoint(TYPES | ZOTERO_TYPES.keys())


def _head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, none if it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(size)
    except OSError:
        return b""
