"""Sanitizing of untrusted text for display.

Text from books, servers and files may contain control characters, which a terminal obeys, direction
overrides, which mislead readers, and invisible characters: zero-width ones, and tags, which can
hide words from people but not from programs. `safe` removes them, for names, titles and notes;
`visible` replaces each with a sign, for the text of books, where a passage must keep the length of
the stored one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SIGN = "�"
"""The replacement in the text of a book for a character that is not shown."""

_CONTROLS = (
    *(code for code in range(0x20) if chr(code) not in "\n\t"),
    *range(0x7F, 0xA0),
    *range(0xD800, 0xE000),
)
_DIRECTION = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_INVISIBLE = (
    *(0x115F, 0x1160, 0x180E, 0x200B, 0x3164, 0xFEFF, 0xFFA0),  # fillers, and zero-width space
    *range(0x2060, 0x2065),  # joiners and mathematical operators
    *range(0x206A, 0x2070),  # shaping, deprecated
    *range(0xE0000, 0xE0080),  # tags
)
_REMOVED = dict.fromkeys((*_CONTROLS, *_DIRECTION, *_INVISIBLE))
_SHOWN = dict.fromkeys(_REMOVED, SIGN)

_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINED = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18aa\u2190-\u2bff\U0001f000-\U0001faff"
"""Letters of scripts that need joiners (Arabic, Indian scripts, Khmer, Mongolian), and emoji."""

_OUT_OF_PLACE = re.compile(
    rf"(?<![{_JOINED}{_VARIANTS}])[\u200c\u200d]|(?<=[\u200c\u200d{_VARIANTS}])[{_VARIANTS}]"
)
"""A joiner that joins nothing, and a variation selector that selects nothing: both can hide
data."""

_FORMULA = re.compile(r"'*[=+@\t\r-]")
_NO_FORMULA = re.compile(r"-?[\d.]+|-+")
_NOT_XML = dict.fromkeys((0xFFFE, 0xFFFF))


def safe(text: str) -> str:
    """Return the text without control characters, direction overrides, lone surrogates and
    invisible characters.

    Line breaks and tabs stay, and joiners where a script or an emoji needs them.
    """
    return _OUT_OF_PLACE.sub("", text.translate(_REMOVED))


def visible(text: str) -> str:
    """Return the text with SIGN for each character that `safe` removes, so of the same length."""
    return _OUT_OF_PLACE.sub(SIGN, text).translate(_SHOWN)


def one_line(text: str, limit: int | None = None) -> str:
    """Return safe text as one line of at most `limit` characters, with white space collapsed."""
    return " ".join(safe(text).split())[:limit]


def visible_line(text: str) -> str:
    """Return a passage of a book as one line, with white space collapsed; see visible."""
    return " ".join(visible(text).split())


def xml_text(text: str) -> str:
    """Return safe text without the characters that XML does not allow."""
    return safe(text).translate(_NOT_XML)


def escape_formula(cell: str) -> str:
    """Return a CSV cell with an apostrophe before text that a spreadsheet may read as a formula:
    all that begins with =, +, -, @, a tab or a return, except numbers and dashes alone."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NO_FORMULA.fullmatch(cell) else cell


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
