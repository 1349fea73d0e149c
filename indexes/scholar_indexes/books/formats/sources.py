"""Read the text of a book from the bytes of a source.

A source has one of FORMATS, regardless of its file name; everything that is not a book is rejected
with one clear line. A new format is a function and a row of FORMATS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scholar_indexes import decoding, file_formats
from scholar_indexes.errors import NotABook
from scholar_indexes.file_formats import FileFormat

if TYPE_CHECKING:
    from scholar_indexes.books.manuscript import Manuscript
    from scholar_indexes.types import SourcePage

MAX_BYTES = 64 * 1024 * 1024
MIN_WORDS = 50


class BinaryFormat(NamedTuple):
    """The first bytes of files of a format, the name of such a file, and how to convert it to a
    readable book."""

    magic: bytes
    name: str
    advice: str


_BINARY = (
    BinaryFormat(b"%PDF-", "a PDF", "convert it to text first, with pdftotext -layout"),
    BinaryFormat(b"BOOKMOBI", "a Kindle file", "convert it to EPUB first"),
    BinaryFormat(b"\x89PNG", "an image", "scan it to text first"),
    BinaryFormat(b"\xff\xd8\xff", "an image", "scan it to text first"),
    BinaryFormat(b"GIF8", "an image", "scan it to text first"),
    BinaryFormat(b"\x1f\x8b", "compressed with gzip", "unpack it first"),
    BinaryFormat(b"BZh", "compressed with bzip2", "unpack it first"),
    BinaryFormat(b"\xfd7zXZ", "compressed with xz", "unpack it first"),
    BinaryFormat(b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
    BinaryFormat(b"Rar!", "a RAR archive", "unpack it first"),
    BinaryFormat(b"\xd0\xcf\x11\xe0", "an old Word document", "save it as text first"),
    BinaryFormat(b"{\\rtf", "an RTF document", "save it as text first"),
    BinaryFormat(b"\x7fELF", "a program, not a book", "choose a book"),
)
_HTML_OPENS = (b"<!doctype html", b"<html", b"<?xml", b"<head", b"<body")


def read(data: bytes, name: str = "") -> Manuscript:
    """Return the book in the bytes of a source; name is used in error messages.

    Raises NotABook for a source that is empty, too large, too short, binary, encrypted or
    broken, and no other error.
    """
    label = name or "this source"
    if not data.strip():
        raise NotABook(f"{label} is empty; give {file_formats.names(FORMATS)}")
    if len(data) > MAX_BYTES:
        raise NotABook(f"{label} is larger than {MAX_BYTES >> 20} MiB; split it into volumes first")
    manuscript = _format(data, label).read(data, label)
    words = len(manuscript.text[: 100 * MIN_WORDS].split())
    if words < MIN_WORDS:
        raise NotABook(
            f"{label} has only {words} words{_of_pages(manuscript.pages)}; "
            "choose a file with the text of a book"
        )
    return manuscript


def _of_pages(pages: Sequence[SourcePage]) -> str:
    """Return the reason why the pages of an EPUB have few words, empty if all have text."""
    remarks = Counter(page.remark for page in pages if page.remark)
    if not remarks:
        return ""
    (remark, count), *_ = remarks.most_common(1)
    return f" because {count:,} of its {len(pages):,} pages are {remark}"


def _format(data: bytes, label: str) -> BookFormat:
    """Return the format of a source; raises NotABook for a file that has none of FORMATS."""
    if known := file_formats.of_bytes(FORMATS, data):
        return known
    if binary := binary_format(data):
        raise NotABook(f"{label} is {binary.name}; {binary.advice}")
    raise NotABook(f"{label} is binary; give {file_formats.names(FORMATS)}")


def binary_format(data: bytes) -> BinaryFormat | None:
    """Return the known binary format with which the bytes begin, or None."""
    for known in _BINARY:
        if data.startswith(known.magic) or (
            known.magic == b"BOOKMOBI" and known.magic in data[:100]
        ):
            return known
    return None


def is_html(data: bytes) -> bool:
    """Return True for bytes that begin like an HTML page."""
    head = data[:8192].replace(b"\0", b"").lower()[:4096]  # UTF-16 is like ASCII without zeros
    opening = head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return opening.startswith(_HTML_OPENS) and (b"<html" in head or b"<body" in head)


def _is_text(data: bytes) -> bool:
    return not binary_format(data) and decoding.is_text(data)


def _is_page(data: bytes) -> bool:
    return is_html(data) and _is_text(data)


def _is_archive(data: bytes) -> bool:
    return data.startswith(b"PK")


def _read_text(data: bytes, label: str) -> Manuscript:
    from scholar_indexes.books.formats import gutenberg

    return gutenberg.read(data)


def _read_page(data: bytes, label: str) -> Manuscript:
    from scholar_indexes.books.formats import html  # lxml is not needed for plain text

    return html.read(data)


def _read_epub(data: bytes, label: str) -> Manuscript:
    from scholar_indexes.books.formats import epub

    return epub.read(data, label)


@dataclass(frozen=True, slots=True)
class BookFormat(FileFormat):
    """A format of books; `read` takes the bytes of a source and its name for error messages.

    `read` raises NotABook, and no other error.
    """

    read: Callable[[bytes, str], Manuscript]


FORMATS = (
    BookFormat("plain text", (".txt", ".text"), _is_text, _read_text),
    BookFormat("HTML", (".htm", ".html", ".xhtml"), _is_page, _read_page),
    BookFormat("EPUB", (".epub",), _is_archive, _read_epub),
)
"""The formats of books, from the most general to the most specific."""
