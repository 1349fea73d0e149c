"""Markdown of untrusted text: its special characters are escaped, and its emphasis is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from scholar_indexes.emphasis import Run, split_stanzas
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.types import Span

_BULLET = re.compile(r"^(\s*)([-+])(?=\s|[\s-]*$)", re.MULTILINE)
_NUMBERED = re.compile(r"^(\s*\d+)([.)])(?=\s|$)", re.MULTILINE)
_SIGN = re.compile(r"([~=$%])")
"""Special characters of Markdown's dialects: strikethrough, highlights, formulas, comments."""

_ENTITY = re.compile(r"&(?=#?\w+;)")


def escape_markdown(text: str) -> str:
    """Return a text with Markdown's special characters escaped."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, "\\" + mark)
    return text


def markdown_text(text: str) -> str:
    """Return a text as one line of Markdown, with all special characters escaped."""
    return markdown_line([Run(one_line(text), 0)])


def markdown_line(runs: Iterable[Run]) -> str:
    """Return the runs of a line as Markdown: *italics*, **bold**, and two spaces before the end of
    each line of verse.

    White space at the ends of a run, and punctuation there that adjoins a letter outside it, are
    excluded from the emphasis, because Markdown would not recognize its marks; so are italics that
    adjoin bold words.
    """
    safe_runs = [run._replace(text=safe(run.text)) for run in runs]
    text = "".join(run.text for run in safe_runs)
    opening, closing = _emphasis_marks(text, safe_runs)
    cuts = sorted({0, len(text), *opening, *closing})
    parts = [opening.get(0, "")]
    for start, end in pairwise(cuts):
        parts += [_escape(text[start:end]), closing.get(end, ""), opening.get(end, "")]
    escaped = _NUMBERED.sub(r"\1\\\2", _BULLET.sub(r"\1\\\2", "".join(parts)))
    return escaped.replace("\n", "  \n")


def _emphasis_marks(text: str, runs: Sequence[Run]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the opening and the closing marks of emphasis, by their positions in the text."""
    bold = list(_enclosed(text, [(run.text, run.bold) for run in runs], ()))
    edges = {edge for span in bold for edge in (span.start, span.end)}
    italic = [
        span
        for span in _enclosed(text, [(run.text, run.italic) for run in runs], sorted(edges))
        if not {span.start, span.end} & edges or _is_inside(span, bold)
    ]
    opening = {span.start: "**" for span in bold}
    closing = {span.end: "**" for span in bold}
    # Italics are the inner marks: they open after bold and close before it.
    for span in italic:
        opening[span.start] = opening.get(span.start, "") + "*"
        closing[span.end] = "*" + closing.get(span.end, "")
    return opening, closing


def markdown_quotation(runs: Iterable[Run]) -> str:
    """Return a passage from emphasis.styled_passage as a block quotation, with its paragraphs and
    stanzas."""
    stanzas = map(markdown_line, split_stanzas(runs))
    lines = "\n\n".join(stanzas).split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def _escape(text: str) -> str:
    return _ENTITY.sub(r"\\&", _SIGN.sub(r"\\\1", escape_markdown(text)))


def _is_inside(span: Span, others: Sequence[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in others)


def _enclosed(text: str, styled: Sequence[tuple[str, bool]], cuts: Sequence[int]) -> Iterator[Span]:
    """Yield the spans to put between marks of emphasis: the pieces of a text that have a style,
    split at `cuts`."""
    at = 0
    for has_style, group in groupby(styled, key=lambda piece: piece[1]):
        start, at = at, at + sum(len(words) for words, _ in group)
        if has_style:
            inner = [cut for cut in cuts if start < cut < at]
            for first, last in pairwise([start, *inner, at]):
                span = _trimmed(text, first, last)
                if span.start < span.end:
                    yield span


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return a span without the characters at its ends that marks of emphasis cannot enclose."""
    while start < end and _is_refused(text[start], text[max(start - 1, 0) : start]):
        start += 1
    while start < end and _is_refused(text[end - 1], text[end : end + 1]):
        end -= 1
    return Span(start, end)


def _is_refused(inside: str, outside: str) -> bool:
    """Return True for a character that no mark can separate from the one outside: white space, or
    punctuation next to a letter."""
    return inside.isspace() or (outside.isalnum() and not inside.isalnum())
