"""Parse JSON and TOML from files that anyone may have written, within bounds.

The parsers of the standard library raise RecursionError for deep nesting and read a file of any
size; here whatever cannot be read is a ValueError that says why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import explain_read_errors

MAX_BYTES = 64 << 20
"""The largest file that is read as a whole, unless the caller names another bound."""

_MAX_DIGITS = 19
"""The digits of the largest number of 64 bits."""


def parse_json(text: str | bytes | bytearray, max_bytes: int = MAX_BYTES) -> Any:
    """Return the value of a JSON text.

    Raises ValueError for what is no JSON, is larger than max_bytes, is nested too deeply or holds
    a whole number of more than 64 bits.
    """
    _check_size(len(text), max_bytes)
    try:
        return json.loads(text, parse_int=_parse_int)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_toml(text: str, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """Return the table of a TOML text; raises ValueError as parse_json does."""
    import tomllib

    _check_size(len(text), max_bytes)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file; raises ValueError for a larger one, and OSError."""
    with path.open("rb") as file:
        content = file.read(max_bytes + 1)
    _check_size(len(content), max_bytes)
    return content


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the value of a JSON file; raises what read_bytes and parse_json raise."""
    return parse_json(read_bytes(path, max_bytes), max_bytes)


def load_json(
    path: Path, mend: str, failure: type[ScholarError], max_bytes: int = MAX_BYTES
) -> Any:
    """Return the value of a JSON file; raises `failure` naming the file, why it cannot be read and
    what to do, which is `mend`."""
    try:
        with explain_read_errors(path):
            return read_json(path, max_bytes)
    except (OSError, ValueError) as error:
        raise failure(f"{path} cannot be read ({reason(error)}); {mend}") from error


def reason(error: Exception) -> str:
    """Return on one line why a file could not be read."""
    message = error.strerror if isinstance(error, OSError) else None
    return " ".join((message or str(error) or type(error).__name__).split())[:160]


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        bound = f"{max_bytes >> 20} MiB" if max_bytes >= 1 << 20 else f"{max_bytes:,} bytes"
        raise ValueError(f"it is larger than {bound}")


def _parse_int(digits: str) -> int:
    if len(digits.lstrip("-")) > _MAX_DIGITS or not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"it has a whole number of more than 64 bits, {digits[:24]}…")
    return int(digits)
