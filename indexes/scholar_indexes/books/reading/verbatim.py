"""Verbatim search for a quotation in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.types import Span


def find_verbatim(quote: str, text: str) -> Iterator[Span]:
    """Yield the spans of the words of a quotation in a text, with any white space between them.

    Yield nothing for a quotation without words.
    """
    words = r"\s+".join(map(re.escape, quote.split()))
    if words:
        yield from (Span(*match.span()) for match in re.finditer(words, text))
