"""Parse JSON that anyone may have written, within bounds.

The parser of the standard library raises RecursionError for deep nesting and takes a text of any
size; here whatever cannot be parsed is a ValueError that says why.
"""

from __future__ import annotations

import json
from typing import Any

MAX_BYTES = 64 << 20
"""The largest text that is parsed, unless the caller names another bound."""


def parse_json(text: str | bytes, max_bytes: int = MAX_BYTES) -> Any:
    """Return the value of a JSON text.

    Raises ValueError for what is no JSON, is larger than max_bytes or is nested too deeply.
    """
    if len(text) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes:,} bytes")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
