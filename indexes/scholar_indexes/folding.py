"""Folding of case and accents, so that texts which look the same to a reader compare equal."""

from __future__ import annotations

import unicodedata


def fold_text(text: str) -> str:
    """Return a text without case and accents, with compatibility characters made plain (NFKD).

    >>> fold_text("Brontë")
    'bronte'
    """
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
