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

_INTRODUCTION = re.compile(r"(?:[^\S\n]*[^\s>][^\n]*\n)+(?<=:\n)(?=[^\S\n]*>)")
"""The lines before a quotation in mail: "On Monday she wrote:"."""


def read(text: str) -> Iterator[Stretch]:
    """Yield the paragraphs of a text; one that is indented throughout has no block quotations."""
    paragraphs = list(checked(_PARAGRAPH.finditer(text)))
    indented = [
        all(_INDENTED.match(line) for line in match[0].split("\n")) for match in checked(paragraphs)
    ]
    has_blocks = not all(indented)
    for match, is_indented in zip(paragraphs, indented, strict=True):
        introduction = _INTRODUCTION.match(match[0])
        start = match.start() + (introduction.end() if introduction else 0)
        if (quoted := _without_marks(text[start : match.end()], start)) is None:
            yield Stretch(match[0], range(*match.span()), has_blocks and is_indented)
            continue
        yield Stretch(text[match.start() : start], range(match.start(), start))
        yield quoted


def _without_marks(paragraph: str, at: int) -> Stretch | None:
    """Return a paragraph that begins at an offset without the ">" before each line, None if a line
    has none."""
    if _GUILLEMETS.match(paragraph):
        return None
    builder = StretchBuilder(is_block=True)
    for line in paragraph.splitlines(keepends=True):
        mark = _MARKED.match(line)
        if mark is None:
            return None
        builder.add(line[mark.end() :], at + mark.end())
        at += len(line)
    return builder.build()
