"""Serializers of concordances: records of lines, collocates and frequencies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scholar_indexes.emphasis import Run, styled_runs
from scholar_indexes.sanitize import visible, visible_line
from scholar_indexes.serialize.passages import book_reference, chapter_reference

if TYPE_CHECKING:
    from scholar_indexes.results import Collocate, ConcordanceLine, Frequency

_SPACES = re.compile(r"\s+")


def plain_parts(line: ConcordanceLine) -> list[list[Run]]:
    """Return the left side, the keyword and the right side in runs, with their marks of
    emphasis."""
    return [[Run(text, 0)] for text in _parts(line)]


def styled_parts(line: ConcordanceLine) -> list[list[Run]]:
    """Return the left side, the keyword and the right side in runs, their emphasis as styles."""
    left, keyword, right = _parts(line)
    return [
        styled_runs(left, line.before, keyword + right + line.after),
        styled_runs(keyword, line.before + left, right + line.after),
        styled_runs(right, line.before + left + keyword, line.after),
    ]


def _parts(line: ConcordanceLine) -> tuple[str, str, str]:
    left, right = (_SPACES.sub(" ", visible(side)) for side in (line.left, line.right))
    return left, visible_line(line.keyword), right


def line_record(line: ConcordanceLine) -> dict[str, Any]:
    """Return an occurrence of a pattern with the words around it as a record."""
    return {
        "schema_version": 1,
        "book": book_reference(line.book),
        "chapter": chapter_reference(line.chapter),
        "locator": line.locator,
        "start": line.span.start,
        "end": line.span.end,
        "left": visible(line.left),
        "keyword": visible(line.keyword),
        "right": visible(line.right),
    }


def collocate_record(collocate: Collocate) -> dict[str, Any]:
    """Return a word that occurs near a pattern as a record."""
    return {
        "schema_version": 1,
        "word": collocate.word,
        "near": collocate.near,
        "everywhere": collocate.everywhere,
        "score": round(collocate.score, 1),
    }


def frequency_record(frequency: Frequency) -> dict[str, Any]:
    """Return the count of a pattern in a book or a chapter as a record."""
    return {
        "schema_version": 1,
        "book": book_reference(frequency.book),
        "chapter": frequency.chapter and chapter_reference(frequency.chapter),
        "count": frequency.count,
        "words": frequency.words,
        "per_10000": round(frequency.per_ten_thousand, 2),
    }
