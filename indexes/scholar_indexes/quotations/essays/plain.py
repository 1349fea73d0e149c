"""Read plain text: paragraphs between empty lines; fully indented ones are block quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.quotations.essays.stretches import Stretch
from scholar_indexes.stopping import checked

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_INDENTED = re.compile(r"(?: {4}|\t)")


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs of a text; one that is indented throughout has no block quotations."""
    paragraphs = list(checked(_PARAGRAPH.finditer(text)))
    indented = [
        all(_INDENTED.match(line) for line in match[0].split("\n")) for match in checked(paragraphs)
    ]
    has_blocks = not all(indented)
    for match, is_indented in zip(paragraphs, indented, strict=True):
        yield Stretch(match[0], range(*match.span()), has_blocks and is_indented)
