"""Read an essay in any of its formats, and find its quotations."""

from __future__ import annotations

import re
import shlex
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scholar_indexes import file_formats, guarded
from scholar_indexes.books.formats.html import decode_markup
from scholar_indexes.books.formats.sources import binary_format, is_html
from scholar_indexes.decoding import decode, is_text
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.file_formats import FileFormat
from scholar_indexes.quotations.essays import (
    html,
    latex,
    latex_files,
    latex_source,
    markdown,
    marks,
    plain,
    word,
)
from scholar_indexes.quotations.essays.latex_files import IncludedFile
from scholar_indexes.quotations.essays.latex_source import Macro
from scholar_indexes.quotations.essays.stretches import Stretch, filled
from scholar_indexes.results import EssayFormat, EssayQuotation
from scholar_indexes.stopping import WORDS, checked

MAX_BYTES = 16 * 1024 * 1024
"""The maximum size of an essay in bytes."""

MOST_PARAGRAPHS = 4
"""The number of paragraphs in which the end of an open quotation is searched for."""

_ARCHIVE = b"PK\x03\x04"
_ARCHIVES = (
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"mimetypeapplication/epub+zip", "an EPUB"),
    (b"Index/", "a Pages document"),
)
"""Names near the beginning of an archive, and the name of its format."""


@dataclass(frozen=True, slots=True)
class EssayReader(FileFormat):
    """A format of essays, the function that splits their text (a Word document is not text), and
    what counts as a block quotation in it."""

    format: EssayFormat
    split: Callable[[str], Iterable[Stretch]] | None
    blocks: str


def _never(data: bytes) -> bool:
    """Return False: the bytes of Markdown and LaTeX look like plain text."""
    return False


READERS = (
    EssayReader(
        "plain text", (), lambda data: True, EssayFormat.PLAIN, plain.read, "indented paragraphs"
    ),
    EssayReader(
        "Markdown",
        (".md", ".markdown", ".mdown", ".mkd", ".mmd", ".mdx", ".qmd", ".rmd"),
        _never,
        EssayFormat.MARKDOWN,
        markdown.read,
        "paragraphs after >",
    ),
    EssayReader(
        "LaTeX",
        (".tex", ".latex", ".ltx", ".rnw"),
        _never,
        EssayFormat.LATEX,
        latex.read,
        "environments such as quote and displayquote, and the commands of csquotes",
    ),
    EssayReader(
        "HTML",
        (".html", ".htm", ".xhtml"),
        is_html,
        EssayFormat.HTML,
        html.read,
        "blockquote, and indented paragraphs",
    ),
    EssayReader(
        "docx",
        (".docx",),
        lambda data: data.startswith(_ARCHIVE),
        EssayFormat.WORD,
        None,
        "indented paragraphs, and paragraphs in a style for quotations",
    ),
)
"""The formats of essays, from the most general to the most specific. The ending of a file name
decides; the bytes decide if it is unknown."""

_PANDOC = "pandoc {name} -o essay.docx"


@dataclass(frozen=True, slots=True)
class UnreadFormat(FileFormat):
    """A format of essays that is not read, and the command that converts a file of it."""

    command: str


UNREAD = (
    UnreadFormat("Org mode", (".org",), _never, _PANDOC),
    UnreadFormat("reStructuredText", (".rst",), _never, _PANDOC),
    UnreadFormat("a Jupyter notebook", (".ipynb",), _never, _PANDOC),
    UnreadFormat("Typst", (".typ",), _never, _PANDOC),
    UnreadFormat("Textile", (".textile",), _never, _PANDOC),
    UnreadFormat("wikitext", (".wiki", ".mediawiki"), _never, "pandoc -f mediawiki" + _PANDOC[6:]),
    UnreadFormat("LyX", (".lyx",), _never, "lyx -e latex {name}"),
    UnreadFormat("AsciiDoc", (".adoc", ".asciidoc"), _never, "asciidoctor {name} -o essay.html"),
)
"""Formats that look like plain text, but have block quotations of their own."""


def quotations(
    source: str,
    format: EssayFormat | None = None,
    announce: Callable[[str], None] = lambda line: None,
) -> list[EssayQuotation]:
    """Return the quotations of a file, or of standard input for "-", in order; then the quotations
    of the files that a LaTeX document includes. Included files that cannot be read are announced.

    Raises NotThere if the file does not exist, and UsageError if it is too large, cannot be read,
    or is damaged.
    """
    data = _bytes(source)
    label = "standard input" if source == "-" else source
    _refuse_other_formats(data, label)
    if format is None and (unread := file_formats.of_name(UNREAD, source)):
        command = unread.command.format(name=shlex.quote(source))
        raise UsageError(f"{label} is {unread.name}; convert it first: {command}")
    format = format or _format_of(data, source)
    if format is EssayFormat.WORD:
        paragraphs, starts = word.read(data, label)
        return _find(filled(paragraphs), _places(starts))
    if not is_text(data[:4096]):
        raise UsageError(f"{label} is not text; give {file_formats.names(READERS)}")
    text = decode_markup(data) if format is EssayFormat.HTML else decode(data)[0]
    if format is EssayFormat.LATEX and source != "-":
        return _quotations_of_files(text, _included(source, text, announce))
    return quotations_of_text(text, format)


def _included(source: str, text: str, announce: Callable[[str], None]) -> list[IncludedFile]:
    """Return the files that a LaTeX document includes, and announce the unreadable ones."""
    files = list(latex_files.included(Path(source), text))
    for file in files:
        if file.refusal:
            announce(f"not read: {file.name} ({file.refusal})")
    return files


def _quotations_of_files(text: str, included: Sequence[IncludedFile]) -> list[EssayQuotation]:
    """Return the quotations of a LaTeX document and of the files that it includes."""
    files = [("", _unified(text)), *((file.name, _unified(file.text)) for file in included)]
    macros: dict[str, Macro] = {}
    for _, part in reversed(files):
        macros |= latex_source.macros_of(part)
    return [
        replace(quotation, file=name)
        for name, part in files
        for quotation in _quotations(part, latex.read(part, macros))
    ]


def sought(source: str, format: EssayFormat | None = None) -> str:
    """Return a description of the text that is searched for in an essay; the ending of its name
    decides how it is read unless its format is given."""
    named = file_formats.of_name(READERS, source) or READERS[0]
    reader = next((reader for reader in READERS if reader.format is format), named)
    return f"text in quotation marks, and block quotations ({reader.blocks})"


def _refuse_other_formats(data: bytes, label: str) -> None:
    """Raise UsageError, naming the format, for a format in which quotations cannot be found."""
    opening = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    known = binary_format(opening)
    name = known.name if known else ""
    if data.startswith(_ARCHIVE):
        name = next((name for mark, name in _ARCHIVES if mark in data[:200]), "")
    elif opening.startswith(b"<?xml") and not is_html(data):
        name = "XML"
    if name:
        raise UsageError(f"{label} is {name}; save it as docx, HTML or plain text")


def _format_of(data: bytes, name: str) -> EssayFormat:
    """Return the format of an essay by the ending of its name, or else by its bytes."""
    known = file_formats.of_name(READERS, name) or file_formats.of_bytes(READERS, data)
    return known.format if known else EssayFormat.PLAIN


def quotations_of_text(text: str, format: EssayFormat) -> list[EssayQuotation]:
    """Return the quotations of the text of an essay; raises UsageError for a Word document."""
    split = next(reader.split for reader in READERS if reader.format is format)
    if split is None:
        known = file_formats.names(reader for reader in READERS if reader.split)
        raise UsageError(f"{format} is not text; give {known}")
    text = _unified(text)
    return _quotations(text, split(text))


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _quotations(text: str, stretches: Iterable[Stretch]) -> list[EssayQuotation]:
    """Return the quotations in the stretches of a text."""
    starts = [0, *(match.end() for match in checked(re.finditer("\n", text), WORDS))]
    return _find(filled(stretches), _places(starts))


def _bytes(source: str) -> bytes:
    try:
        if source == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with guarded.open_file(Path(source).expanduser()) as file:
                data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotThere(f"{source} does not exist; name an essay, or - for stdin") from None
    except (OSError, RuntimeError) as refusal:
        raise UsageError(f"{source} cannot be read; check its name and permissions") from refusal
    if len(data) > MAX_BYTES:
        raise UsageError(f"{source} is larger than {MAX_BYTES >> 20} MiB; check it in parts")
    return data


def _find(
    stretches: Sequence[Stretch], place: Callable[[int], tuple[int, int]]
) -> list[EssayQuotation]:
    """Return the quotations of stretches; `place` gives the line and column of an offset."""
    quotations = []
    first, start = 0, 0  # the stretch in which the last quotation ended, and the place after it
    for at, stretch in enumerate(checked(stretches)):
        if at < first:
            continue
        begin = start if at == first else 0
        for quoted in marks.find(stretch.text, is_block=stretch.is_block, start=begin):
            text, is_open = quoted.span.of(stretch.text), quoted.is_open
            if is_open and quoted.span.end == len(stretch.text.rstrip()):
                mark = marks.mark_before(stretch.text, quoted.span)
                following = stretches[at + 1 : at + 1 + MOST_PARAGRAPHS]
                if following and marks.goes_on(mark, following[0].text):
                    is_open = False
                elif end := _end_of(following, mark):
                    first, start = at + 1 + end[0], end[1] + 1
                    others = [next_one.text for next_one in following[: end[0]]]
                    text = "\n\n".join([text, *others, following[end[0]].text[: end[1]]]).rstrip()
                    is_open = False
            line, column = place(stretch.offsets[quoted.span.start])
            quotations.append(EssayQuotation(text, line, column, stretch.is_block, is_open))
    return quotations


def _end_of(following: Sequence[Stretch], mark: str) -> tuple[int, int] | None:
    """Return the paragraph that closes a quotation, and the place of its mark there; None if the
    quotation is not closed."""
    for at, stretch in enumerate(following):
        end = None if stretch.is_block else marks.closing_in(stretch.text, mark)
        if end != -1:
            return None if end is None else (at, end)
    return None


def _places(line_starts: Sequence[int]) -> Callable[[int], tuple[int, int]]:
    """Return a function from an offset to its line and column, both from 1."""

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(line_starts, offset)
        return line, offset - line_starts[line - 1] + 1

    return place
