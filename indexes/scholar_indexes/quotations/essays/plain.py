"""Read plain text: paragraphs between empty lines; fully indented ones, and those with ">" before
each line as in mail, are block quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.quotations.essays.stretches import Stretch, StretchBuilder
from scholar_indexes.stopping import checked

_PARAGRAPH = re.compile(r"(?m)^[^\S\n]*+\S[^\n]*(?:\n[^\S\n]*+\S[^\n]*)*")
_INDENTED = re.compile(r"(?: {4}|\t)")
_MARKED = re.compile(r"(?:[ \t]*>)+[ \t]?")
_GUILLEMETS = re.compile(r">>?[^\s<>][^<>]{0,2000}<")
"""Speech in typed guillemets: ">>So<<, he said"."""


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs of a text; one that is indented throughout has no block quotations."""
    paragraphs = list(checked(_PARAGRAPH.finditer(text)))
    indented = [
        all(_INDENTED.match(line) for line in match[0].split("\n")) for match in checked(paragraphs)
    ]
    has_blocks = not all(indented)
    for match, is_indented in zip(paragraphs, indented, strict=True):
        if (quoted := _without_marks(match)) is not None:
            yield quoted
            continue
        yield Stretch(match[0], range(*match.span()), has_blocks and is_indented)


def _without_marks(paragraph: re.Match[str]) -> Stretch | None:
    """Return a paragraph without the ">" before each line, None if a line has none."""
    if _GUILLEMETS.match(paragraph[0]):
        return None
    builder, at = StretchBuilder(is_block=True), paragraph.start()
    for line in paragraph[0].splitlines(keepends=True):
        mark = _MARKED.match(line)
        if mark is None:
            return None
        builder.add(line[mark.end() :], at + mark.end())
        at += len(line)
    return builder.build()
