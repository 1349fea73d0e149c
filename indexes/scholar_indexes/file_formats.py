"""Tables of file formats: which format a file has, and how messages name the formats.

A row of a table is a format. Specific formats follow more general ones, so that the last row that
matches wins: HTML is also plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The name of a format in messages, the endings of its files, and whether bytes have it."""

    name: str
    endings: tuple[str, ...]
    matches: Callable[[bytes], bool]


Format = TypeVar("Format", bound=FileFormat)


def of_bytes(formats: Iterable[Format], data: bytes) -> Format | None:
    """Return the last format that matches the bytes of a file, or None."""
    matching = (format for format in reversed(tuple(formats)) if format.matches(data))
    return next(matching, None)


def of_name(formats: Iterable[Format], name: str) -> Format | None:
    """Return the format with the ending of a file name, or None."""
    return next((format for format in formats if name.lower().endswith(format.endings)), None)


def names(formats: Iterable[FileFormat]) -> str:
    """Return the names of formats as a list in prose: "plain text, HTML or EPUB"."""
    *others, last = (format.name for format in formats)
    return f"{', '.join(others)} or {last}" if others else last
