"""The places of a quotation in a text, word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.types import Span


def find_verbatim(quote: str, text: str) -> Iterator[Span]:
    """Yield where the words of a quotation stand in a text, whatever white space is between them;
    nowhere for a quotation without words."""
    words = r"\s+".join(map(re.escape, quote.split()))
    if words:
        yield from (Span(*match.span()) for match in re.finditer(words, text))
