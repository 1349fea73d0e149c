"""Passages from records that scholar printed, as JSON lines or a JSON array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import parse_json

MAX_RECORD_BYTES = 16 * 1024 * 1024
"""A longer line is cut; it is long because a claim may have a thousand passages."""

if TYPE_CHECKING:
    from scholar_indexes.storage.bookmarks import SavedQuotation


def read_passages(lines: Iterable[str]) -> Iterator[SavedQuotation]:
    """Yield the passages of lines with an object each, or of an array over many lines.

    Raises UsageError, with the number of the line, for anything that is not a passage.
    """
    from scholar_indexes.books.collections.printed_records import quotations_of

    for label, value in _values(list(lines)):
        if not isinstance(value, Mapping):
            raise UsageError(f"{label} is not an object with a locator; give hits or passages")
        if not any(isinstance(value.get(name), str | list) for name in ("locator", "hits")):
            if value.get("status") == "absent":
                continue
            raise UsageError(f"{label} has no locator; give hits or passages that scholar printed")
        try:
            yield from quotations_of(value)
        except UsageError as error:
            raise UsageError(f"{label}: {error}") from None


def _values(lines: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield each value with its label for error messages."""
    text = "".join(lines).lstrip()
    if text.startswith("["):
        for number, value in enumerate(_parse(text, "the array"), 1):
            yield f"item {number} of the array", value
    elif text.startswith(("{\n", "{\r\n")):  # one object over many lines
        yield "the object", _parse(text, "the object")
    else:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield f"line {number}", _parse(line, f"line {number}")


def _parse(text: str, label: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise UsageError(
            f"{label} is not JSON ({error}); give the output of find, locate or collection show "
            "with --json or --format jsonl"
        ) from None
