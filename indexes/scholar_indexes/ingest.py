"""From a source to a book on the shelf: the steps of `add`, in order.

    source -> bytes -> text -> chapters -> sentences -> vectors -> index -> catalog

The catalog comes last, so an interrupted `add` lists nothing and can be repeated.
"""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books import sources
from scholar_indexes.books.chapters import divide
from scholar_indexes.books.mirrors import gutenberg_id
from scholar_indexes.errors import NotABook, NotThere, ScholarError, UsageError
from scholar_indexes.types import Book, Chapter, Progress, Sentence
from scholar_indexes.untrusted import one_line, safe

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.store import Rows

CHUNK = 2_048
"""Sentences encoded at a time: memory stays the same however long the book."""

MAX_PARAGRAPH_CHARS = 4_000_000
"""No book has a longer one: this is more than the whole of War and Peace."""

_DIVISION = re.compile(
    r"(?:chapter|book|part|volume|act|letter|canto|stave|section)\s+"
    r"(?:the\s+)?(?:[0-9]+|[ivxlc]+|one|first)\b",
    re.IGNORECASE,
)
"""A first line that heads a part of a book, not the book."""


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a book and where they came from."""

    data: bytes
    origin: str
    gutenberg_id: int | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A book that has been read and divided but not stored."""

    book: Book
    text: str
    chapters: tuple[Chapter, ...]
    sentences: tuple[Sentence, ...]


def read_file(path: Path) -> Source:
    """The bytes of a file; raises NotThere, NotABook or ScholarError in one clear line."""
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a text, HTML or EPUB file in it")
        if path.stat().st_size > sources.MAX_BYTES:
            raise NotABook(
                f"{path} is larger than {sources.MAX_BYTES >> 20} MiB; split it into volumes first"
            )
        with path.open("rb") as file:
            return Source(file.read(sources.MAX_BYTES + 1), str(path.resolve()), None)
    except FileNotFoundError:
        raise NotThere(
            f"there is no file {path}; give a Gutenberg number, an address or a file. "
            f"To look a number up: scholar catalog search {path.stem!r}"
        ) from None
    except OSError as refusal:
        raise ScholarError(
            f"{path} cannot be read ({refusal.strerror}); check its permissions"
        ) from refusal


def read_stdin() -> Source:
    """The bytes on standard input, up to the limit for a book."""
    return Source(sys.stdin.buffer.read(sources.MAX_BYTES + 1), "standard input", None)


def draft(
    source: Source,
    *,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
) -> Draft:
    """Read, divide and split a source. What the person says counts over what it says.

    Raises NotABook for what cannot be read, is not in English, or has no sentences to
    search.
    """
    from scholar_indexes.books.passages import sentences

    name = Path(source.origin).name
    manuscript = sources.read(source.data, name)
    longest = max(map(len, manuscript.text.split("\n\n")))
    if longest > MAX_PARAGRAPH_CHARS:
        raise NotABook(
            f"{one_line(name)} has a paragraph of {longest:,} characters; put blank lines between "
            "its paragraphs first"
        )
    number = source.gutenberg_id or manuscript.gutenberg_id
    written = "" if _DIVISION.match(manuscript.title) else manuscript.title
    stem = Path(name).stem.replace("_", " ")
    called = one_line(title or written or stem, 300)
    spoken = language or manuscript.language or guessed(manuscript.text)
    if spoken != "en" and not language:
        raise NotABook(
            f"{called} is in {_LANGUAGES.get(spoken, spoken)}, and scholar reads English; "
            f"to add it all the same: --language {spoken}"
        )
    book = Book(
        id=f"pg{number}" if number else f"own-{slug(called or stem)}",
        title=called or "Untitled",
        author=one_line(author or manuscript.author, 300),
        language=spoken,
        source=safe(source.origin),
        sha256=hashlib.sha256(manuscript.text.encode("utf-8")).hexdigest(),
    )
    chapters = divide(manuscript.text, manuscript.headings)
    found = tuple(sentences(manuscript.text, chapters))
    if not found:
        raise NotABook(f"{called} has no sentences to search; choose a file with the book's text")
    return Draft(book, manuscript.text, chapters, found)


def encoded(
    text: str,
    places: Sequence[tuple[int, int, int]],
    encoder: Encoder,
    label: str,
    progress: Progress,
) -> Iterator[Rows]:
    """A book's rows for the index, a chunk at a time; places are the (chapter, start, end)
    of its sentences."""
    from scholar_indexes.store import Rows

    for first in range(0, len(places), CHUNK):
        chunk = places[first : first + CHUNK]
        progress(label, first, len(places))
        texts = [text[start:end] for _, start, end in chunk]
        chapters = [int(chapter) for chapter, _, _ in chunk]
        vectors, weights = encoder.encode_sentences([plain(each) for each in texts], chapters)
        yield Rows(range(first, first + len(chunk)), chapters, texts, vectors, weights)
    progress(label, len(places), len(places))


def plain(sentence: str) -> str:
    """A sentence as an encoder should read it: no line breaks, no marks of emphasis."""
    return re.sub(r"\s+", " ", sentence.replace("_", "")).strip()


def slug(title: str) -> str:
    """The part of an own book's id behind "own-"; never empty."""
    ascii_ = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_.lower()).strip("-")[:48].strip("-")
    return words or hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:12]


def reference_id(reference: str) -> str | None:
    """The book id that a Gutenberg number or address stands for."""
    number = gutenberg_id(reference)
    return f"pg{number}" if number else None


def guessed(text: str) -> str:
    """The ISO 639-1 code of a text whose source does not say, from three samples of it."""
    import py3langid

    third = len(text) // 3
    samples = [text[start : start + 5_000] for start in (0, third, 2 * third)]
    guesses = [str(py3langid.classify(sample)[0]) for sample in samples]
    return max(guesses, key=guesses.count)


_LANGUAGES = {
    "de": "German", "es": "Spanish", "fi": "Finnish", "fr": "French", "it": "Italian",
    "la": "Latin", "nl": "Dutch", "pt": "Portuguese", "zh": "Chinese",
}  # fmt: skip
