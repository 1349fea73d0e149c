"""Read JSON Lines files; every error names the broken line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scholar_indexes import guarded
from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line


def decode(path: Path, content: bytes) -> str:
    """Return the text of a file; raises UsageError if it is not UTF-8."""
    try:
        return guarded.decode(content)
    except ValueError as refusal:
        raise unreadable(path, refusal) from refusal


def unreadable(path: Path, refusal: Exception) -> UsageError:
    """Return the error for a file that cannot be read, with the reason."""
    return UsageError(
        f"{path} cannot be read ({one_line(str(refusal), 200)}); save it again as UTF-8"
    )


def parse(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the location and the object of each non-blank line of a file's text.

    Raises UsageError for a line that is not a JSON object.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = guarded.parse_json(line)
        except ValueError as broken:
            raise UsageError(f"{where}: this is not JSON ({broken}); fix the line") from broken
        if not isinstance(record, dict):
            raise UsageError(f"{where}: this is not an object; write {{...}} with names and values")
        yield where, record


def read_id(where: str, line: Mapping[str, Any], name: str) -> str:
    """Return the id under a name, a string or a number; raises UsageError if it is missing."""
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f'{where}: there is no "{name}"; set it to a string or a number')
    return str(value)
