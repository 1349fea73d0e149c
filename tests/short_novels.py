"""Short texts in the manner of a novel, for tests of names."""

from __future__ import annotations

import re

from scholar_indexes.types import Quotation, Span

FILLER = (
    "It was a long winter and the roads were bad, so that nothing much was done but talk. "
    "The house stood by the water, and the rain fell upon it all the day and all the night. "
)
"""Narration without a name, so that a short text has lower-case words, as a novel does."""


def find_quoted(text: str) -> list[Quotation]:
    """Return the quotations between curly quotation marks."""
    return [Quotation((Span(*match.span(1)),)) for match in re.finditer("“([^”]+)”", text)]
