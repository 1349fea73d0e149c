"""Read the text of a book from the bytes of a source.

Accepts plain text, HTML and EPUB, regardless of the file name, and rejects everything that
is not a book with one clear line.
"""

from __future__ import annotations

from typing import NamedTuple

from scholar_indexes.books.formats import gutenberg
from scholar_indexes.books.manuscript import Heading, Manuscript
from scholar_indexes.errors import NotABook

__all__ = ["MAX_BYTES", "MIN_WORDS", "Heading", "Manuscript", "binary_format", "is_html", "read"]

MAX_BYTES = 64 * 1024 * 1024
MIN_WORDS = 50


class BinaryFormat(NamedTuple):
    """The first bytes of files of a format, the name of such a file, and how to convert it to a
    readable book."""

    magic: bytes
    name: str
    advice: str


_BINARY = (
    BinaryFormat(b"%PDF-", "a PDF", "convert it to text or EPUB first"),
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
    BinaryFormat(b"\x7fELF", "a program, not a book", "choose a text, HTML or EPUB file"),
)
_HTML_OPENS = (b"<!doctype html", b"<html", b"<?xml", b"<head", b"<body")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def read(data: bytes, name: str = "") -> Manuscript:
    """Return the book in the bytes of a source; name is used in error messages.

    Raises NotABook for a source that is empty, too large, too short, binary, encrypted or
    broken, and no other error.
    """
    label = name or "this source"
    if not data.strip():
        raise NotABook(f"{label} is empty; choose a text, HTML or EPUB file")
    if len(data) > MAX_BYTES:
        raise NotABook(f"{label} is larger than {MAX_BYTES >> 20} MiB; split it into volumes first")
    manuscript = _read_format(data, label)
    words = len(manuscript.text[: 100 * MIN_WORDS].split())
    if words < MIN_WORDS:
        raise NotABook(f"{label} has only {words} words; choose a file with the text of a book")
    return manuscript


def _read_format(data: bytes, label: str) -> Manuscript:
    if data.startswith(b"PK"):
        from scholar_indexes.books.formats import epub  # lxml is not needed for plain text

        return epub.read(data, label)
    _refuse_binary(data, label)
    if is_html(data):
        from scholar_indexes.books.formats import html

        return html.read(data)
    return gutenberg.read(data)


def _refuse_binary(data: bytes, label: str) -> None:
    """Raise NotABook for a file that is not text, with its format if known."""
    if known := binary_format(data):
        raise NotABook(f"{label} is {known.name}; {known.advice}")
    if b"\0" in data and not data.startswith(_WIDE_MARKS):
        raise NotABook(f"{label} is binary; choose a text, HTML or EPUB file")


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
    opening = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    head = data[:4096].lower()
    return opening.startswith(_HTML_OPENS) and (b"<html" in head or b"<body" in head)
