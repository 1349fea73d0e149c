"""Making text from books, servers and files fit to be shown.

What is printed may reach a terminal, which obeys control characters, and people, whom
direction overrides deceive; both are taken out.
"""

from __future__ import annotations

_CONTROLS = (
    *(code for code in range(0x20) if chr(code) not in "\n\t"),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
_REMOVED = dict.fromkeys(_CONTROLS)


def safe(text: str) -> str:
    """Text without control characters, direction overrides and lone surrogates; line
    breaks and tabs stay."""
    return text.translate(_REMOVED)


def one_line(text: str, limit: int | None = None) -> str:
    """Safe text as one line of at most limit characters, white space folded."""
    return " ".join(safe(text).split())[:limit]
