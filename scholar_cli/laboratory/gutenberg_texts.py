"""Annotated Gutenberg novels: their texts in a folder, and the parts they are split into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.ingest import BookDraft, BookSource
from scholar_indexes.errors import NotThere, UsageError

DEVELOPMENT, TEST = PARTS = ("dev", "test")
"""Novels for developing rules and features, and novels for testing only."""


class BookAnnotation(Protocol):
    """An annotation of a book or of a part of it, with the hash of the book's stored text."""

    @property
    def book(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def part(self) -> str: ...

    @property
    def text_sha256(self) -> str: ...


Annotated = TypeVar("Annotated", bound=BookAnnotation)


def find_text(texts: Path, book: str, title: str) -> Path:
    """Return the file of a book such as "pg242", texts/primary/<number>.txt.

    Raises NotThere if it is missing.
    """
    path = texts / "primary" / f"{book.removeprefix('pg')}.txt"
    if not path.is_file():
        raise NotThere(f"the text of {title} is missing; put Gutenberg's text into {path}")
    return path


def open_annotated(texts: Path, annotation: BookAnnotation) -> BookDraft:
    """Return the book of an annotation, read from texts/primary/<number>.txt.

    Raises NotThere if the file is missing, and UsageError if its text is not the annotated one.
    """
    path = find_text(texts, annotation.book, annotation.title)
    draft = ingest.parse_draft(BookSource(ingest.read_file(path).data, str(path), int(path.stem)))
    if draft.book.sha256 != annotation.text_sha256:
        raise UsageError(f"{path} is not the annotated text of {annotation.title}; replace it")
    return draft


def select(
    annotations: Sequence[Annotated], parts: Sequence[str], books: Sequence[str], of: str
) -> list[Annotated]:
    """Return the annotations of the given parts and books (default: all).

    `of` is the word for an annotation in errors, such as "chapter". Raises UsageError for an
    unknown name.
    """
    known = {annotation.book for annotation in annotations}
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"{part!r} is not a part; choose from {', '.join(PARTS)}")
    for name in books:
        if name not in known:
            raise UsageError(
                f"no {of} of {name!r} is annotated; choose from {', '.join(sorted(known))}"
            )
    return [
        annotation
        for annotation in annotations
        if (not parts or annotation.part in parts) and (not books or annotation.book in books)
    ]
