"""The data types that all packages share.

Positions are offsets in characters (Unicode code points) of a book's stored text, and spans are
half-open: ``text[span.start:span.end]`` is what a span covers.
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
    """Ignore progress: a Progress that reports nothing."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The half-open range of characters [start, end) of a stored text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of a text that the span covers."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Book:
    """A stored book.

    id is "pg1342" for Gutenberg's number 1342 and "own-<slug>" for a user's file;
    language is an ISO 639-1 code; source is the address or path that the text came from;
    sha256 is the hash of the stored text, so two books with one hash have the same text.
    """

    id: str
    title: str
    author: str
    language: str
    source: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Imprint:
    """The details of an edition besides title and author, from its source: translators and editors
    as "First Last", and the year of publication, None if not stated."""

    translators: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()
    year: int | None = None


NO_IMPRINT = Imprint()
"""The imprint of a book whose source states none of it."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page of a source of several pages: its name, the number of its words, what it is if not a
    page of text, and whether it is lost because it could not be read."""

    name: str
    words: int = 0
    remark: str = ""
    is_lost: bool = False


class ChapterKind(StrEnum):
    """The kind of a division of a book; front and back matter are not searched."""

    FRONT = "front"  # title page, contents, dedication, list of illustrations
    PREFACE = "preface"  # preface, introduction, foreword, prologue, author's note
    CHAPTER = "chapter"  # chapter, letter, story, act, canto, epilogue: the work itself
    BACK = "back"  # footnotes, appendix, index, glossary, advertisements


@dataclass(frozen=True, slots=True)
class SceneBreak:
    """A rule or an ornament between two scenes of a chapter, on one line as printed.

    span is its position in the stored text; it is empty, before the next paragraph, if the
    ornament itself is not stored.
    """

    span: Span
    ornament: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """One division of a book, from its heading to the next.

    number counts from 1 in reading order over everything but the front matter, which
    is 0 and always comes first (it may have no paragraphs). title is the heading
    as it reads ("Chapter 3", "Letter 2", "Preface"); part holds the headings above it,
    outermost first, such as ("Volume I",) or ("Book the First",). span covers the heading and
    the text; body covers the text after the heading. printed is the number that the book itself
    prints, as `--chapter` takes it ("23", "2.5", "letter 4"; see chapter_numbers), if any.
    breaks are the scene breaks that are not in the stored text (see scene_breaks).
    """

    number: int
    title: str
    part: tuple[str, ...]
    kind: ChapterKind
    span: Span
    body: Span
    printed: str = ""
    breaks: tuple[SceneBreak, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: its chapter and paragraph numbers as in a locator, and its span."""

    chapter: int
    paragraph: int
    span: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of one or more sentences of one chapter.

    chapter and paragraph are the numbers for its first sentence, and paragraphs count from 1 in
    their chapter; span is in the book's stored text and text is exactly what it covers.
    """

    book_id: str
    chapter: int
    paragraph: int
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """A search result and its score; higher is better."""

    item: T
    score: float


class Gender(StrEnum):
    """The gender of the pronouns that a novel uses for a character."""

    FEMALE = "female"
    MALE = "male"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Character:
    """Someone in a book who can speak.

    id is unique within the book and made from the name ("elizabeth-bennet"); aliases are
    all names of this character and of no other, including the name itself; narrator is True
    if the "I" of the book, or of some of its chapters, is this character. narrates are the
    spans of text where that holds, in order; a narrator without any narrates the whole book.
    described are the places where other words mean this character: "the girl", in one scene.
    Somebody without a name has only those, and no aliases.
    """

    id: str
    name: str
    aliases: tuple[str, ...]
    gender: Gender = Gender.UNKNOWN
    narrator: bool = False
    narrates: tuple[Span, ...] = ()
    described: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words of one speaker, in one or more paragraphs.

    pieces are the spans inside the quotation marks, in text order and without the
    marks: two for "My dear Mr. Bennet," said his lady to him one day, "have you heard
    that Netherfield Park is let at last?"
    """

    pieces: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """The span from the start of the first piece to the end of the last."""
        return Span(self.pieces[0].start, self.pieces[-1].end)

    def of(self, text: str) -> str:
        """Return the text of the pieces, joined by spaces."""
        return " ".join(piece.of(text) for piece in self.pieces)


class QuoteKind(StrEnum):
    """The way a novel indicates the speaker of a quotation (Muzny et al. 2017, section 3)."""

    EXPLICIT = "explicit"  # a verb of speech and a name
    ANAPHORIC = "anaphoric"  # a verb of speech and a pronoun or a description
    IMPLICIT = "implicit"  # neither: turn-taking and sense


class QuotationForm(StrEnum):
    """The form of a quotation: speech, thought, or words that nobody in the scene says."""

    SPEECH = "speech"
    THOUGHT = "thought"  # thought, or meant by a look, and not said
    LETTER = "letter"  # a letter or another text that is written, or read silently
    SIGN = "sign"  # an inscription, a sign, a label
    VERSE = "verse"  # an epigraph, or lines of a poem
    TITLE = "title"  # of a book, a song, a chapter
    WORD = "word"  # a word or a phrase that is mentioned

    @property
    def has_speaker(self) -> bool:
        """Return True for words that someone in the scene says or thinks."""
        return self in (QuotationForm.SPEECH, QuotationForm.THOUGHT)


@dataclass(frozen=True, slots=True)
class Attribution:
    """The speaker of a quotation, None if unknown.

    evidence is the span of text that decided it, if there is one; confidence in [0, 1] is
    how often such an attribution is right. The speaker of a thought is its thinker; the forms
    after it have no speaker.
    """

    speaker: Character | None
    kind: QuoteKind
    evidence: Span | None
    confidence: float
    form: QuotationForm = QuotationForm.SPEECH

    @property
    def is_speech(self) -> bool:
        """Return True for spoken words."""
        return self.form is QuotationForm.SPEECH


class Facet(StrEnum):
    """The role of a sentence in an abstract (Mysore et al. 2021, section 3.1)."""

    BACKGROUND = "background"  # what is known, what is wanted: context and objective
    METHOD = "method"
    RESULT = "result"
    OTHER = "other"


FACETS = tuple(Facet)
"""The order of facets in the rows and columns of arrays."""

QUERY_FACETS = (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)
"""The facets that a query may be about."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and the sentences of its abstract.

    id and ids have the form scheme:value ("doi:10.18653/v1/n19-1423", "arxiv:1810.04805");
    ids are all known ones, including id; sentences are in order, with one facet each.
    """

    id: str
    title: str
    sentences: tuple[str, ...]
    facets: tuple[Facet, ...]
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    ids: tuple[str, ...] = ()
