"""Chapters of Gutenberg novels with manually annotated quotations (docs/speakers.md).

chapters.jsonl.xz has one chapter per line. Spans are character offsets in a book's stored text,
identified by its hash; the texts themselves are read from a folder of Gutenberg files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import gutenberg_texts
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.errors import Damaged
from scholar_indexes.guarded import decode, parse_json, read_unpacked
from scholar_indexes.types import Gender, Quotation, Span

FILE = Path(__file__).with_name("chapters.jsonl.xz")

_GENDERS = {"f": Gender.FEMALE, "m": Gender.MALE}


@dataclass(frozen=True, slots=True)
class AnnotatedCharacter:
    """A character of a chapter; names are empty if the book never names the person."""

    id: str
    names: tuple[str, ...]
    description: str
    gender: Gender
    narrator: bool
    group: bool


@dataclass(frozen=True, slots=True)
class AnnotatedQuotation:
    """A quotation and the id of its speaker; None, with a reason, if nobody speaks it."""

    quotation: Quotation
    speaker: str | None
    reason: str
    addressees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnnotatedChapter:
    """A chapter: its position in the list of the book's chapters, its span and its annotation."""

    book: str
    title: str
    part: str
    chapter: int
    span: Span
    text_sha256: str
    characters: tuple[AnnotatedCharacter, ...]
    quotations: tuple[AnnotatedQuotation, ...]


def read(path: Path = FILE) -> list[AnnotatedChapter]:
    """Return the chapters of a file, in its order; raise Damaged for a broken file."""
    try:
        lines = decode(read_unpacked(path)).splitlines()
        return [_to_chapter(parse_json(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise Damaged(f"{path} cannot be read ({failure!r}); install scholar again") from failure


def sha256(path: Path = FILE) -> str:
    """Return the hash of a file of chapters."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def select(
    chapters: Sequence[AnnotatedChapter], parts: Sequence[str], books: Sequence[str]
) -> list[AnnotatedChapter]:
    """Return the chapters of the given parts and books (default: all).

    Raises UsageError for an unknown name.
    """
    return gutenberg_texts.select(chapters, parts, books, "chapter")


def open_books(
    texts: Path, chapters: Sequence[AnnotatedChapter]
) -> Iterator[tuple[BookDraft, list[AnnotatedChapter]]]:
    """Yield each book, read from texts/primary/<number>.txt, with its annotated chapters.

    Raises NotThere for a missing book, and UsageError if a text is not the annotated one.
    """
    by_book: dict[str, list[AnnotatedChapter]] = {}
    for chapter in chapters:
        by_book.setdefault(chapter.book, []).append(chapter)
    for annotated in by_book.values():
        yield gutenberg_texts.open_annotated(texts, annotated[0]), annotated


def _to_chapter(record: Mapping[str, Any]) -> AnnotatedChapter:
    return AnnotatedChapter(
        book=record["book"],
        title=record["title"],
        part=record["part"],
        chapter=record["chapter"],
        span=Span(*record["span"]),
        text_sha256=record["text_sha256"],
        characters=tuple(
            AnnotatedCharacter(
                id=character["id"],
                names=tuple(character["names"]),
                description=character.get("description", ""),
                gender=_GENDERS.get(character["gender"], Gender.UNKNOWN),
                narrator=character.get("narrator", False),
                group=character.get("group", False),
            )
            for character in record["characters"]
        ),
        quotations=tuple(
            AnnotatedQuotation(
                quotation=Quotation(tuple(Span(*piece) for piece in quotation["pieces"])),
                speaker=quotation["speaker"],
                reason=quotation.get("reason", ""),
                addressees=tuple(quotation.get("addressees", ())),
            )
            for quotation in record["quotations"]
        ),
    )
