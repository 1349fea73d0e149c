"""Fold case and accents, so that texts compare as a reader takes them to be alike."""

from __future__ import annotations

import unicodedata


def fold_text(text: str) -> str:
    """Return a text without case and accents, of compatible characters the plain one.

    >>> fold_text("Brontë")
    'bronte'
    """
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
