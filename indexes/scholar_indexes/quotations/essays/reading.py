"""Read an essay in any of its formats, and find its quotations."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from scholar_indexes.books.formats.decoding import decode
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.quotations.essays import latex, markdown, marks, plain, word
from scholar_indexes.quotations.essays.stretches import Stretch, filled
from scholar_indexes.results import EssayFormat, EssayQuotation

MAX_BYTES = 16 * 1024 * 1024


SUFFIXES: Mapping[str, EssayFormat] = {
    ".md": EssayFormat.MARKDOWN,
    ".markdown": EssayFormat.MARKDOWN,
    ".qmd": EssayFormat.MARKDOWN,
    ".rmd": EssayFormat.MARKDOWN,
    ".tex": EssayFormat.LATEX,
    ".latex": EssayFormat.LATEX,
    ".docx": EssayFormat.WORD,
}
"""The format of a file by the end of its name; any other is plain text."""

_READERS: Mapping[EssayFormat, Callable[[str], Iterable[Stretch]]] = {
    EssayFormat.MARKDOWN: markdown.read,
    EssayFormat.LATEX: latex.read,
    EssayFormat.PLAIN: plain.read,
}


def quotations(source: str, format: EssayFormat | None = None) -> list[EssayQuotation]:
    """Return the quotations of a file, or of standard input for "-", in their order.

    Raises NotThere for a file that there is not, and UsageError for one that is too large, cannot
    be read, or is damaged.
    """
    data = _bytes(source)
    label = "standard input" if source == "-" else source
    format = format or SUFFIXES.get(Path(source).suffix.lower(), EssayFormat.PLAIN)
    if format is EssayFormat.WORD:
        return _of_word(word.paragraphs(data, label))
    if b"\0" in data[:4096]:
        raise UsageError(f"{label} is no text; give Markdown, LaTeX, docx or plain text")
    text, _ = decode(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _of_text(text, filled(_READERS[format](text)))


def _bytes(source: str) -> bytes:
    try:
        if source == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(source).expanduser().open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotThere(f"there is no {source}; name an essay, or - for stdin") from None
    except (OSError, RuntimeError) as refusal:
        raise UsageError(f"{source} cannot be read; check its name and permissions") from refusal
    if len(data) > MAX_BYTES:
        raise UsageError(f"{source} is larger than {MAX_BYTES >> 20} MiB; check it in parts")
    return data


def _of_text(text: str, stretches: Sequence[Stretch]) -> list[EssayQuotation]:
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]
    found = []
    for stretch, following in zip_longest(stretches, stretches[1:]):
        for quoted in marks.find(stretch.text, is_block=stretch.is_block):
            offset = stretch.offsets[quoted.span.start]
            line = bisect_right(starts, offset)
            found.append(
                EssayQuotation(
                    quoted.span.of(stretch.text),
                    line,
                    offset - starts[line - 1] + 1,
                    stretch.is_block,
                    quoted.is_open
                    and not marks.goes_on(
                        stretch.text, quoted.span, following.text if following else ""
                    ),
                )
            )
    return found


def _of_word(paragraphs: Iterable[word.Paragraph]) -> list[EssayQuotation]:
    """Return the quotations of paragraphs, whose numbers stand for lines."""
    filled_paragraphs = [
        (number, text, is_block)
        for number, (text, is_block) in enumerate(paragraphs, 1)
        if text.strip()
    ]
    following = [text for _, text, _ in filled_paragraphs[1:]]
    return [
        EssayQuotation(
            quoted.span.of(text),
            number,
            quoted.span.start + 1,
            is_block,
            quoted.is_open and not marks.goes_on(text, quoted.span, after or ""),
        )
        for (number, text, is_block), after in zip_longest(filled_paragraphs, following)
        for quoted in marks.find(text, is_block=is_block)
    ]
