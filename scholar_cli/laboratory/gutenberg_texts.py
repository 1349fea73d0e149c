"""Annotated Gutenberg novels: their texts in a folder, and the parts they are split into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from scholar_indexes.books import ingest
from scholar_indexes.books.ingest import BookDraft, BookSource
from scholar_indexes.errors import NotThere, UsageError

DEVELOPMENT, TEST = PARTS = ("dev", "test")
"""Novels that rules and features may be made with, and novels that are for testing alone."""


class Annotation(Protocol):
    """An annotation of a book or of a part of it, with the hash of the book's stored text."""

    @property
    def book(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def part(self) -> str: ...

    @property
    def text_sha256(self) -> str: ...


Annotated = TypeVar("Annotated", bound=Annotation)


def find_text(texts: Path, book: str, title: str) -> Path:
    """Return the file of a book such as "pg242", texts/primary/<number>.txt.

    Raises NotThere without it.
    """
    path = texts / "primary" / f"{book.removeprefix('pg')}.txt"
    if not path.is_file():
        raise NotThere(f"{title} is not there; put Gutenberg's text into {path}")
    return path


def open_annotated(texts: Path, annotation: Annotation) -> BookDraft:
    """Return the book of an annotation, read from texts/primary/<number>.txt.

    Raises NotThere for a book that is not there, and UsageError for one whose text is not the
    annotated one.
    """
    path = find_text(texts, annotation.book, annotation.title)
    draft = ingest.parse_draft(BookSource(ingest.read_file(path).data, str(path), int(path.stem)))
    if draft.book.sha256 != annotation.text_sha256:
        raise UsageError(f"{path} is another text of {annotation.title} than the annotated one")
    return draft


def select(
    annotations: Sequence[Annotated], parts: Sequence[str], books: Sequence[str], of: str
) -> list[Annotated]:
    """Return the annotations of some parts and books, or of all where none is named.

    `of` says in errors what is annotated, such as "chapter". Raises UsageError for a name that
    is none.
    """
    known = {annotation.book for annotation in annotations}
    for part in parts:
        if part not in PARTS:
            raise UsageError(f"{part!r} is no part; choose from {', '.join(PARTS)}")
    for name in books:
        if name not in known:
            raise UsageError(
                f"no {of} of {name!r} is annotated; there are {', '.join(sorted(known))}"
            )
    return [
        annotation
        for annotation in annotations
        if (not parts or annotation.part in parts) and (not books or annotation.book in books)
    ]
