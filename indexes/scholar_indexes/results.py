"""The results that the library returns: evidence, extracts, attributed quotations, characters.

They are not in types, because listing books and completion do not need them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    Character,
    Hit,
    Imprint,
    Passage,
    Quotation,
    SceneBreak,
    SourcePage,
    Span,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UnreadBook:
    """A book that was not searched because it cannot be read, with the reason."""

    book: Book
    reason: str


class Answers(list[T]):
    """The answers from several books, and the books that could not be read."""

    def __init__(self, answers: Iterable[T] = (), not_searched: Iterable[UnreadBook] = ()) -> None:
        super().__init__(answers)
        self.not_searched = tuple(not_searched)


class AddOutcome(StrEnum):
    """The outcome of `add` for a book."""

    ADDED = "added"
    REPLACED = "replaced"
    ALREADY = "already here"
    PLANNED = "would be added"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AddedBook:
    """A book given to `add`: the outcome, the numbers of its chapters and sentences, the pages
    of an EPUB that was read, and the encoding of a text."""

    book: Book
    outcome: AddOutcome
    chapters: int
    sentences: int
    pages: tuple[SourcePage, ...] = ()
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """A backup of a library: its path, the time (UTC) and the version that made it, the numbers of
    its items and of its files, their bytes, and the bytes of the backup itself.

    `quotations` are the passages in `collections`, `notes` the passages with a note, `answers` the
    answers to quizzes; `corrections` and `descriptions` are the user's own. Of a backup that was
    just written, `kept` is the path of the previous one, `fewer` the items that became fewer (their
    numbers before and now), and `damaged` a line on each damaged item.
    """

    path: str
    made: str
    program: str
    books: int
    papers: int
    quotations: int
    notes: int
    collections: int
    answers: int
    corrections: int
    descriptions: int
    files: int
    size_bytes: int
    archive_bytes: int
    kept: str | None = None
    fewer: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankerScore:
    """The position of a passage in the ranking of one retriever: its rank from 1, and its score."""

    rank: int
    score: float


class MatchKind(StrEnum):
    """The ways a passage has the words of a claim: all in a row, most of them in order, or a
    distinctive part of them in a row."""

    VERBATIM = "verbatim"
    ALTERED = "altered"
    PARTLY = "partly"


@dataclass(frozen=True, slots=True)
class Support:
    """The probability that a passage supports its claim, whether that is weak, and the score from
    which it was estimated, which is comparable across claims."""

    probability: float
    is_weak: bool
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that supports a claim, with its position in the book.

    `before` and `after` are the sentences around it; `dense` and `lexical` are its ranks by each
    retriever, None if it was not ranked; `locator` is its written position; `focus` is the span of
    the sentence that best matches the claim; `nearby` are the locators of adjacent or similar
    passages that were ranked lower and are folded into this one; `characters` are the people in it,
    the ones in most of its sentences first, None if they are not known yet; `match` is set if the
    passage contains the exact words of the claim; `support` is how well it supports the claim, and
    `parts` how much each part of the ranking raised its score above the mean of the ranked
    passages; both are None if it was not ranked that way. `read_by` is the model that read it
    together with the claim, None without one. `meant` are the phrases of the claim that were
    resolved to characters of this book ("her cousin"), with the characters.
    """

    book: Book
    chapter: Chapter
    passage: Passage
    before: str
    after: str
    locator: str
    focus: Span
    nearby: tuple[str, ...]
    characters: tuple[Character, ...] | None
    dense: RankerScore | None
    lexical: RankerScore | None
    match: MatchKind | None = None
    support: Support | None = None
    parts: Mapping[str, float] | None = None
    read_by: str | None = None
    meant: tuple[tuple[str, Character], ...] = ()


class FoundEvidence(Answers[Hit[Evidence]]):
    """The passages for a claim, and the books in which its names are matched as words.

    `people_unknown` are the books of the hits that have a name of the claim, while the people in
    their sentences are not known; the books with most hits come first. `people_wanted` is the one
    of them that the claim most likely means: it has at least half of the hits.
    """

    def __init__(
        self,
        hits: Iterable[Hit[Evidence]] = (),
        not_searched: Iterable[UnreadBook] = (),
        people_unknown: Iterable[Book] = (),
        people_wanted: Book | None = None,
    ) -> None:
        super().__init__(hits, not_searched)
        self.people_unknown = tuple(people_unknown)
        self.people_wanted = people_wanted

    def in_reading_order(self) -> FoundEvidence:
        """Return the passages book by book, in the order of the text."""
        ordered = sorted(self, key=lambda hit: (hit.item.book.id, hit.item.passage.span.start))
        return FoundEvidence(ordered, self.not_searched, self.people_unknown, self.people_wanted)


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a book to read: the (number, span) of its paragraphs, and the span to highlight.

    `breaks` are the scene breaks of the whole chapter.
    """

    book: Book
    chapter: Chapter
    text: str
    paragraphs: tuple[tuple[int, Span], ...]
    marked: Span
    locator: str
    breaks: tuple[SceneBreak, ...] = ()

    def break_before(self, paragraph: Span) -> str:
        """Return the ornament before a paragraph that the stored text does not have; empty if there
        is none."""
        at = Span(paragraph.start, paragraph.start)
        return next((one.ornament for one in self.breaks if one.span == at), "")


@dataclass(frozen=True, slots=True)
class AttributedQuote:
    """A quotation of a book with its speaker and its position.

    `chapter` and `paragraph` are where it begins; `text` is its pieces joined; `cue` is the text
    that decided the attribution, empty if none did.
    """

    book: Book
    chapter: Chapter
    paragraph: int
    quotation: Quotation
    text: str
    attribution: Attribution
    cue: str
    locator: str


@dataclass(frozen=True, slots=True)
class CorrectionStatus:
    """A correction to the characters of a book: its number, its kind and text, the user's note, and
    the reason why it is not applied, empty if it is."""

    number: int
    kind: str
    text: str
    note: str
    problem: str


@dataclass(frozen=True, slots=True)
class ChapterPresence:
    """The numbers of mentions and quotations of a character in a chapter, given by its number, and
    the locator of the first."""

    chapter: int
    mentions: int
    quotations: int
    first: str


@dataclass(frozen=True, slots=True)
class CharacterProfile:
    """A character of a book: the numbers of mentions and quotations, the locator of the first
    mention (of the first quotation if the character is never named), the chapters that have either,
    in reading order, and the numbers of the chapters that the character narrates in part.

    The speech headings of a play are not mentions."""

    book: Book
    character: Character
    mentions: int
    quotations: int
    first: str
    presences: tuple[ChapterPresence, ...] = ()
    narrates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage about a character: the chapter and paragraph in which it begins, its span, its
    text as stored, and its locator."""

    chapter: Chapter
    paragraph: int
    span: Span
    text: str
    locator: str


@dataclass(frozen=True, slots=True)
class ScoreReason:
    """A reason for or against a character: it multiplies the odds, relative to an average character
    of the book, by exp(weight)."""

    why: str
    weight: float


@dataclass(frozen=True, slots=True)
class LikelyCharacter:
    """A character whom a description may mean, and the passages that support this, best first; the
    reasons, strongest first, if requested."""

    book: Book
    character: Character
    passages: tuple[CitedPassage, ...]
    reasons: tuple[ScoreReason, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptionResult:
    """A description of a character: `kind` is "relation", "calling", "motif", "trait", "deed"
    or, from the description bank, "description".

    `text` does not name the character, but may name others. `automatic` is True if a program
    extracted it from the book; `passages` are its evidence.
    """

    book: Book
    character: Character
    kind: str
    text: str
    automatic: bool
    passages: tuple[CitedPassage, ...]


class CitationStyle(StrEnum):
    """The styles of citations: MLA 9, Chicago 17 (notes and bibliography), APA 7."""

    MLA = "mla"
    CHICAGO = "chicago"
    APA = "apa"


@dataclass(frozen=True, slots=True)
class PrintedEdition:
    """A printed edition that is cited instead of the stored one; the city may be empty."""

    city: str
    publisher: str
    year: int


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A passage of a book to cite, or the whole book if `chapter` is None; `title` is in sentence
    case, `page` and `edition` are the user's details of a printed edition."""

    book: Book
    imprint: Imprint
    chapter: Chapter | None
    locator: str
    title: str
    page: str = ""
    edition: PrintedEdition | None = None


class QuotationStatus(StrEnum):
    """The agreement of a quotation with a book."""

    VERBATIM = (
        "verbatim"  # the exact words; quotation marks, dashes, hyphens and capitals may differ
    )
    ELIDED = "elided"  # with an ellipsis or square brackets for omitted or inserted words
    ALTERED = "altered"  # with other words or spellings
    ABSENT = "absent"
    UNKNOWN = "unknown"  # not verbatim in the books that were read, but another is unreadable


class ChangeKind(StrEnum):
    """The kinds of changes in a quotation; elided and bracketed ones are marked as such."""

    ELIDED = "elided"  # words of the book replaced by an ellipsis
    BRACKETED = "bracketed"  # words in square brackets
    SPELLING = "spelling"  # another spelling of a word: colour, color
    LETTERS = "letters"  # a similar word: a slip, or a misreading
    WORDS = "words"  # other words
    ADDED = "added"  # words that the book does not have
    OMITTED = "omitted"  # words of the book that are omitted without a mark
    UNREAD = "unread"  # the end of a long quotation, which was not compared


@dataclass(frozen=True, slots=True)
class QuotationChange:
    """A change in a quotation: its text at a span of it, and the text of the book; either may be
    empty."""

    kind: ChangeKind
    span: Span
    quoted: str
    original: str


@dataclass(frozen=True, slots=True)
class LocatedQuotation:
    """A passage of a book that a quotation is from.

    `span` is its position in the stored text, `exact` the text there, and `before` and `after` the
    text around it; `locator` is its written position, from OpenBook.place_of; `similarity` is at
    most 1.
    """

    book: Book
    chapter: Chapter
    status: QuotationStatus
    similarity: float
    span: Span
    exact: str
    before: str
    after: str
    locator: str
    changes: tuple[QuotationChange, ...]


class EssayFormat(StrEnum):
    """The formats of an essay."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"
    WORD = "docx"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class EssayQuotation:
    """A quotation of an essay: its text, its line and column there, counted from 1 (in a Word
    document a line is a paragraph), and whether it is a block quotation or has an open mark. `file`
    is the path of an included file, from the folder of the essay."""

    text: str
    line: int
    column: int
    is_block: bool
    is_open: bool
    file: str = ""


@dataclass(frozen=True, slots=True)
class CheckedQuotation:
    """A quotation of an essay and the passages it is from, the most similar first; without any, it
    is absent if `is_known`, and otherwise it may be from an unreadable book."""

    quotation: EssayQuotation
    places: tuple[LocatedQuotation, ...]
    is_known: bool = True

    @property
    def status(self) -> QuotationStatus:
        """The status of the most similar passage, or of having none."""
        if self.places:
            return self.places[0].status
        return QuotationStatus.ABSENT if self.is_known else QuotationStatus.UNKNOWN

    @property
    def is_right(self) -> bool:
        """True for a quotation that is closed and marks all its changes."""
        right = (QuotationStatus.VERBATIM, QuotationStatus.ELIDED)
        return self.status in right and not self.quotation.is_open


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """An occurrence of a pattern in a book, with the words on either side on one line: `left`,
    `keyword` and `right` together are the text there, `before` and `after` the text around that in
    which marks of emphasis are looked for."""

    book: Book
    chapter: Chapter
    span: Span
    left: str
    keyword: str
    right: str
    locator: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Collocate:
    """A word that occurs near a pattern: its count there, its count everywhere, and its
    log-likelihood ratio (10.8 is significant at p = .001)."""

    word: str
    near: int
    everywhere: int
    score: float


@dataclass(frozen=True, slots=True)
class Frequency:
    """The count of a pattern in a book or in one of its chapters, and the number of words there."""

    book: Book
    chapter: Chapter | None
    count: int
    words: int

    @property
    def per_ten_thousand(self) -> float:
        return 10_000 * self.count / self.words if self.words else 0.0
