"""Remove characters from text that are unsafe to show.

Text from books, servers and files may hold control characters, which a terminal obeys, and
direction overrides, which mislead readers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_CONTROLS = (
    *(code for code in range(0x20) if chr(code) not in "\n\t"),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
_REMOVED = dict.fromkeys(_CONTROLS)
_FORMULA = re.compile(r"'*(?:[=+@]|-[\w(@=+])")
_NUMBER = re.compile(r"-?[\d.]+")
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF))


def safe(text: str) -> str:
    """Return the text without control characters, direction overrides and lone surrogates.

    Line breaks and tabs stay.
    """
    return text.translate(_REMOVED)


def one_line(text: str, limit: int | None = None) -> str:
    """Return safe text as one line of at most `limit` characters, with white space collapsed."""
    return " ".join(safe(text).split())[:limit]


def xml_text(text: str) -> str:
    """Return safe text without the characters that XML does not allow."""
    return safe(text).translate(_NOT_XML)


def escape_formula(cell: str) -> str:
    """Return a cell of CSV with an apostrophe before what a spreadsheet would take for a
    formula."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def unescape_formula(cell: str) -> str:
    """Return a cell as it was before escape_formula."""
    return cell[1:] if cell.startswith("'") and escape_formula(cell[1:]) == cell else cell


def sanitize_values(value: Any) -> Any:
    """Return a value for JSON with every string in it sanitized."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, Mapping):
        return {key: sanitize_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [sanitize_values(item) for item in value]
    return value
