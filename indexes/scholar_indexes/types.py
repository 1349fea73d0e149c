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


class Gender(StrEnum):
    """As a novel's pronouns have it."""

    FEMALE = "female"
    MALE = "male"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Character:
    """Someone in a book who can speak.

    id is unique within the book and made of the name ("elizabeth-bennet"); aliases are
    all the names that mean this character and no other, the name itself among them;
    narrator says that the book's "I" is this character.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    gender: Gender = Gender.UNKNOWN
    narrator: bool = False


@dataclass(frozen=True, slots=True)
class Quotation:
    """What one speaker says within one paragraph or more.

    pieces are the stretches inside the quotation marks, in text order and without the
    marks: two for "My dear Mr. Bennet," said his lady to him one day, "have you heard
    that Netherfield Park is let at last?"
    """

    pieces: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the first piece's start to the last one's end."""
        return Span(self.pieces[0].start, self.pieces[-1].end)

    def of(self, text: str) -> str:
        """The pieces as they read, joined by blanks."""
        return " ".join(each.of(text) for each in self.pieces)


class QuoteKind(StrEnum):
    """How a novel says who speaks (Muzny et al. 2017, section 3)."""

    EXPLICIT = "explicit"  # a verb of speech and a name
    ANAPHORIC = "anaphoric"  # a verb of speech and a pronoun or a description
    IMPLICIT = "implicit"  # nothing: turn-taking and sense


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who says a quotation: None when nobody known does.

    evidence is the stretch of text that decided it, if one did; confidence in [0, 1] is
    how often such an answer is right.
    """

    speaker: Character | None
    kind: QuoteKind
    evidence: Span | None
    confidence: float


class Facet(StrEnum):
    """What a sentence of an abstract is for (Mysore et al. 2021, section 3.1)."""

    BACKGROUND = "background"  # what is known, what is wanted: context and objective
    METHOD = "method"
    RESULT = "result"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by what its abstract says.

    id and ids are written scheme:value ("doi:10.18653/v1/n19-1423", "arxiv:1810.04805"),
    ids are all that are known, id among them; sentences are those of the abstract in
    order, with one facet each.
    """

    id: str
    title: str
    sentences: tuple[str, ...]
    facets: tuple[Facet, ...]
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    ids: tuple[str, ...] = ()
