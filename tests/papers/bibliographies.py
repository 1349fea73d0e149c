"""Small bibliographies in every format, and how to read them."""

from __future__ import annotations

from scholar_indexes.papers import formats
from scholar_indexes.papers.entry import Entry, UnreadableEntry


def entries(source: str | bytes, name: str = "source") -> list[Entry | UnreadableEntry]:
    data = source.encode() if isinstance(source, str) else source
    return list(formats.read(data, name))


def good(source: str | bytes, name: str = "source") -> list[Entry]:
    return [entry for entry in entries(source, name) if isinstance(entry, Entry)]


def titles(source: str | bytes, name: str = "source") -> list[str]:
    return [entry.csl["title"] for entry in good(source, name)]
