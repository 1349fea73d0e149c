"""The nouns of scholar, shared by every room.

Positions are characters (Unicode code points) of a book's stored text, half-open,
everywhere: ``text[span.start:span.end]`` is the thing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")

Progress = Callable[[str, int, int], None]
"""Called with (label, done, total); total is 0 while it is not known."""


def silent(label: str, done: int, total: int) -> None:
    """A Progress that says nothing."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range of characters [start, end) of a stored text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Book:
    """One work on the shelf.

    id is "pg1342" for Gutenberg's number 1342 and "own-<slug>" for a person's own
    file; language is an ISO 639-1 code; source says where the text came from;
    sha256 is the hash of the stored text, so two books of one hash are one text.
    """

    id: str
    title: str
    author: str
    language: str
    source: str
    sha256: str


class Kind(StrEnum):
    """What a division of a book is; only BODY kinds are searched."""

    FRONT = "front"  # title page, contents, dedication, list of illustrations
    PREFACE = "preface"  # preface, introduction, foreword, prologue, author's note
    CHAPTER = "chapter"  # chapter, letter, story, act, canto, epilogue: the work itself
    BACK = "back"  # footnotes, appendix, index, glossary, advertisements


@dataclass(frozen=True, slots=True)
class Chapter:
    """One division of a book, from its heading to the next.

    number counts from 1 in reading order over everything but the front matter, which
    is 0 and always comes first (it may be empty of paragraphs). title is the heading
    as it reads ("Chapter 3", "Letter 2", "Preface"); part holds the headings it stands
    under, outermost first, such as ("Volume I",) or ("Book the First",). span covers
    the heading and the text; body covers the text after the heading.
    """

    number: int
    title: str
    part: tuple[str, ...]
    kind: Kind
    span: Span
    body: Span


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: chapter and paragraph numbers as in a locator, and its place."""

    chapter: int
    paragraph: int
    span: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of one or more sentences of one chapter.

    chapter and paragraph say where it begins, paragraphs counting from 1 in their
    chapter; span is in the book's stored text and text is exactly what stands there.
    """

    book_id: str
    chapter: int
    paragraph: int
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """Something found, and how well it answers; higher is better."""

    item: T
    score: float
