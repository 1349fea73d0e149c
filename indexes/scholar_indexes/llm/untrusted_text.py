"""Text from books in prompts, which cannot contain the marks of a prompt."""

from __future__ import annotations

import re

from scholar_indexes.sanitize import safe

_BRACKETS = str.maketrans("<>", "‹›")
_BRACKETED_MARK = re.compile(r"\[(/?[A-Z_]{2,40})\]")


def neutralize(text: str) -> str:
    """Return the text without anything that could be read as a mark of a chat template or prompt.

    Angle brackets become single guillemets, and [INST] and similar marks get parentheses.
    """
    return _BRACKETED_MARK.sub(r"(\1)", safe(text).translate(_BRACKETS))
