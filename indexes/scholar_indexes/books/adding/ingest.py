"""Adding a book to the library: the steps of `add`, in order.

    source -> bytes -> text -> chapters -> sentences -> vectors -> index -> catalog

The catalog comes last, so an interrupted `add` lists nothing and can be repeated.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes import file_formats, guarded, note_anchors
from scholar_indexes.books.formats import sources
from scholar_indexes.books.gutenberg.mirrors import gutenberg_id
from scholar_indexes.books.segmentation import scene_breaks
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.errors import NotABook, NotThere, ScholarError, UsageError
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.types import Book, Chapter, Imprint, Progress, Sentence, SourcePage

if TYPE_CHECKING:
    from scholar_indexes.books.manuscript import Manuscript
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.storage.passages import SentenceRows

CHUNK = 2_048
"""Sentences encoded at a time; memory use does not depend on the length of the book."""

MAX_PARAGRAPH_CHARS = 4_000_000
"""The longest paragraph that is accepted; all of War and Peace is shorter."""

_DIVISION_HEADING = re.compile(
    r"(?:chapter|book|part|volume|act|letter|canto|stave|section)\s+"
    r"(?:the\s+)?(?:[0-9]+|[ivxlc]+|one|first)\b",
    re.IGNORECASE,
)
"""A first line that is the heading of a division, not of the book."""


@dataclass(frozen=True, slots=True)
class BookSource:
    """The bytes of a book and their origin; the year of its edition, if known."""

    data: bytes
    origin: str
    gutenberg_id: int | None
    year: int | None = None


@dataclass(frozen=True, slots=True)
class BookDraft:
    """A book that has been read and divided but not stored."""

    book: Book
    text: str
    chapters: tuple[Chapter, ...]
    sentences: tuple[Sentence, ...]
    imprint: Imprint
    pages: tuple[SourcePage, ...] = ()
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class SentenceChunk:
    """Sentences of a book that are always encoded together, so that their vectors are reproducible:
    the number of the first, and the chapter and text of each."""

    first: int
    chapters: Sequence[int]
    texts: Sequence[str]


Place = tuple[int, int, int]
"""The chapter, start and end of a sentence."""

OnChunk = Callable[[Book, SentenceChunk], None]
"""A callback that receives the book being read and a chunk of its sentences."""


def read_file(path: Path) -> BookSource:
    """Return the bytes of a file; raises NotThere, NotABook or ScholarError with one clear line."""
    try:
        if path.is_dir():
            known = file_formats.names(sources.FORMATS)
            raise UsageError(f"{path} is a folder; choose a file in it: {known}")
        if path.stat().st_size > sources.MAX_BYTES:
            raise NotABook(
                f"{path} is larger than {sources.MAX_BYTES >> 20} MiB; split it into volumes first"
            )
        with guarded.open_file(path) as file:
            return BookSource(file.read(sources.MAX_BYTES + 1), str(path.resolve()), None)
    except FileNotFoundError:
        raise NotThere(
            f"there is no file {path}; give a Gutenberg number, an address or a file. "
            f"To look a number up: scholar catalog search {path.stem!r}"
        ) from None
    except OSError as refusal:
        raise ScholarError(
            f"{path} cannot be read ({refusal.strerror}); {guarded.remedy(refusal)}"
        ) from refusal


def read_stdin() -> BookSource:
    """Return the bytes on standard input, up to the limit for a book."""
    return BookSource(sys.stdin.buffer.read(sources.MAX_BYTES + 1), "standard input", None)


def recode(source: BookSource, encoding: str) -> BookSource:
    """Return a source in an encoding named by the user as UTF-8; raises UsageError for an unknown
    name, and for bytes or a format that the encoding does not fit."""
    name = one_line(encoding, 40)
    if source.data.startswith(b"PK"):
        raise UsageError("an EPUB names its own encoding; leave out --encoding")
    try:
        text = source.data.decode(encoding)
    except UnicodeError:
        raise UsageError(f"{source.origin} is not in {name}; try another encoding") from None
    except (LookupError, ValueError):
        raise UsageError(
            f"there is no encoding {name!r}; examples are utf-8, cp1252, mac_roman, cp437, cp850"
        ) from None
    return replace(source, data=codecs.BOM_UTF8 + text.removeprefix("\ufeff").encode("utf-8"))


def parse_draft(
    source: BookSource,
    *,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
    on_chunk: OnChunk | None = None,
) -> BookDraft:
    """Return a source as a book with chapters and sentences.

    `title`, `author` and `language` override the metadata of the source. `on_chunk` receives
    the book and each chunk of its sentences as soon as they are found. Raises NotABook for a
    source that cannot be read, is not in English, or has no sentences to search.
    """
    from scholar_indexes.books.segmentation.sentences import chapter_sentences

    name = Path(source.origin).name
    manuscript = sources.read(source.data, name)
    _check_paragraphs(manuscript.text, name)
    stem = Path(name).stem.replace("_", " ")
    display_title = one_line(title or _source_title(manuscript) or stem, 300)
    book = Book(
        id=_book_id(source, manuscript, display_title or stem),
        title=display_title or "Untitled",
        author=one_line(author or manuscript.author, 300),
        language=language or _check_language(manuscript, display_title),
        source=safe(source.origin),
        sha256=hashlib.sha256(manuscript.text.encode("utf-8")).hexdigest(),
    )
    chapters = scene_breaks.assign(divide(manuscript.text, manuscript.headings), manuscript.breaks)
    sentences = chapter_sentences(manuscript.text, chapters)
    book_sentences: list[Sentence] = []
    # The sentences are found lazily, so encoding starts with the first chunk.
    while part := list(islice(sentences, CHUNK)):
        if on_chunk:
            places = [place_of(sentence) for sentence in part]
            on_chunk(book, _chunk(manuscript.text, len(book_sentences), places))
        book_sentences += part
    if not book_sentences:
        raise NotABook(
            f"{display_title} has no sentences to search; choose a file with the book's text"
        )
    imprint = manuscript.imprint
    imprint = replace(imprint, year=imprint.year or source.year)
    return BookDraft(
        book,
        manuscript.text,
        chapters,
        tuple(book_sentences),
        imprint,
        manuscript.pages,
        manuscript.encoding,
    )


def _book_id(source: BookSource, manuscript: Manuscript, title: str) -> str:
    """Return the id of a book: with its number at Project Gutenberg, or else with its title."""
    number = source.gutenberg_id or manuscript.gutenberg_id
    return f"pg{number}" if number else f"own-{slug(title)}"


def _check_paragraphs(text: str, name: str) -> None:
    """Raise NotABook for a text with a paragraph longer than MAX_PARAGRAPH_CHARS."""
    longest = max(map(len, text.split("\n\n")))
    if longest > MAX_PARAGRAPH_CHARS:
        raise NotABook(
            f"{one_line(name)} has a paragraph of {longest:,} characters; put blank lines between "
            "its paragraphs first"
        )


def _source_title(manuscript: Manuscript) -> str:
    """Return the title of the book in its source, empty if it is the title of a chapter."""
    return "" if _DIVISION_HEADING.match(manuscript.title) else manuscript.title


def _check_language(manuscript: Manuscript, title: str) -> str:
    """Return the language of a source; raises NotABook if it is not English."""
    language = manuscript.language or guess_language(manuscript.text)
    if language != "en":
        raise NotABook(
            f"{title} is in {_LANGUAGES.get(language, language)}, but scholar reads English; "
            f"to add it anyway: --language {language}"
        )
    return language


def place_of(sentence: Sentence) -> Place:
    """Return the chapter, the start and the end of a sentence."""
    return sentence.chapter, sentence.span.start, sentence.span.end


def sentence_chunks(text: str, places: Sequence[Place]) -> Iterator[SentenceChunk]:
    """Yield the sentences of a book, CHUNK at a time, given their places."""
    for first in range(0, len(places), CHUNK):
        yield _chunk(text, first, places[first : first + CHUNK])


def _chunk(text: str, first: int, places: Sequence[Place]) -> SentenceChunk:
    return SentenceChunk(
        first,
        [int(chapter) for chapter, _, _ in places],
        [text[start:end] for _, start, end in places],
    )


def encode_chunk(chunk: SentenceChunk, encoder: Encoder) -> SentenceRows:
    """Return the index rows of a chunk of sentences."""
    from scholar_indexes.storage.passages import SentenceRows

    vectors, weights = encoder.encode_sentences(
        [normalize_sentence(sentence) for sentence in chunk.texts], chunk.chapters
    )
    numbers = range(chunk.first, chunk.first + len(chunk.texts))
    return SentenceRows(numbers, chunk.chapters, chunk.texts, vectors, weights)


def encode_rows(
    text: str,
    places: Sequence[Place],
    encoder: Encoder,
    label: str,
    progress: Progress,
) -> Iterator[SentenceRows]:
    """Yield a book's index rows, CHUNK sentences at a time, given the places of its sentences."""
    for chunk in sentence_chunks(text, places):
        progress(label, chunk.first, len(places))
        yield encode_chunk(chunk, encoder)
    progress(label, len(places), len(places))


def normalize_sentence(sentence: str) -> str:
    """Return a sentence as the encoder reads it, without line breaks, emphasis marks and anchors
    of notes."""
    return re.sub(r"\s+", " ", note_anchors.blank(sentence).replace("_", "")).strip()


def slug(title: str) -> str:
    """Return the id, after "own-", of a book that is not from Gutenberg; never empty."""
    ascii_ = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_.lower()).strip("-")[:48].strip("-")
    return words or hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:12]


def reference_id(reference: str) -> str | None:
    """Return the book id of a Gutenberg number or address, or None for another source."""
    number = gutenberg_id(reference)
    return f"pg{number}" if number else None


def guess_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of a text, guessed from three samples."""
    import py3langid

    third = len(text) // 3
    samples = [text[start : start + 5_000] for start in (0, third, 2 * third)]
    guesses = [str(py3langid.classify(sample)[0]) for sample in samples]
    return max(guesses, key=guesses.count)


_LANGUAGES = {
    "de": "German",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "it": "Italian",
    "la": "Latin",
    "nl": "Dutch",
    "pt": "Portuguese",
    "zh": "Chinese",
}
