"""The results that the library returns: evidence, extracts, attributed quotations, characters.

They are not in types, because lists of books and completion do without them.
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
    Span,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UnreadBook:
    """A book that a question was put to and that cannot be read, with the reason."""

    book: Book
    reason: str


class Answers(list[T]):
    """The answers that several books give, and those of the books that could not be read."""

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
    """A book that `add` was given: the outcome, and the numbers of its chapters and sentences."""

    book: Book
    outcome: AddOutcome
    chapters: int
    sentences: int


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """A backup of a library: its path, when it was made (UTC) and by which version, the numbers of
    what is in it and of its files, their bytes, and those of the backup itself.

    `quotations` are the passages in `collections`, `notes` those with a note, `answers` those to
    quizzes; `corrections` and `descriptions` are the user's own. Of a backup that was just written,
    `kept` is the path of the one that was there before, `fewer` what it has less of (the numbers
    before and now), and `damaged` a line on each thing in it that is damaged.
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
    """The place of a passage in the ranking of one retriever: rank from 1, and its own score."""

    rank: int
    score: float


class MatchKind(StrEnum):
    """The ways a place has the words of a claim: all in a row, most of them in their order, or a
    telling part of them in a row."""

    VERBATIM = "verbatim"
    ALTERED = "altered"
    PARTLY = "partly"


@dataclass(frozen=True, slots=True)
class Support:
    """The probability that a passage bears its claim out, if that is weak, and the score by which
    it was estimated, which compares across claims."""

    probability: float
    is_weak: bool
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that supports a claim, with its place in the book.

    `before` and `after` are the sentences around it; `dense` and `lexical` are its ranks by each
    retriever, None where one did not rank it; `locator` is its written form; `focus` is the span
    of the sentence that carries the claim; `nearby` are the locators of passages beside it, or
    alike, that were ranked lower and are folded into this one; `characters` are who
    is in it, those of most of its sentences first, None where the book was not read for that yet;
    `match` says if the passage has the very words of the claim; `support` how far it bears the
    claim out, and `parts` what counted for it: how
    much each part of the ranking lifted it above the mean of the passages ranked; both are None
    where it was not ranked so. `read_by` is the model that read it together with the claim, None
    where none did. `meant` are the phrases of the claim that were taken for somebody of this book
    ("her cousin"), and for whom.
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

    `people_unknown` are the books of the hits that have a name of the claim, and of which it is not
    known who is in their sentences; those of most hits come first. `people_wanted` is the one of
    them that the claim most likely means: it has at least half of the hits.
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
        """Return the passages book by book, as they stand in the text."""
        ordered = sorted(self, key=lambda hit: (hit.item.book.id, hit.item.passage.span.start))
        return FoundEvidence(ordered, self.not_searched, self.people_unknown, self.people_wanted)


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a book to read: (number, span) of its paragraphs, and the span that is marked.

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
        """Return the ornament that is not stored between a paragraph and the one before it; empty
        without one."""
        at = Span(paragraph.start, paragraph.start)
        return next((each.ornament for each in self.breaks if each.span == at), "")


@dataclass(frozen=True, slots=True)
class AttributedQuote:
    """A quotation of a book with its speaker and its place.

    `chapter` and `paragraph` are those in which it begins; `text` is its pieces joined; `cue` is
    the text that decided the attribution, empty where none did.
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
    """A correction to the characters of a book: its number, the kind and the words of what it
    says, a note of the user's, and why it is not applied, empty where it is."""

    number: int
    kind: str
    text: str
    note: str
    problem: str


@dataclass(frozen=True, slots=True)
class ChapterPresence:
    """The mentions and quotations of a character in a chapter, given by its number: how many of
    each, and the locator of the first."""

    chapter: int
    mentions: int
    quotations: int
    first: str


@dataclass(frozen=True, slots=True)
class CharacterProfile:
    """A character of a book: the numbers of mentions and quotations, the locator of the first
    mention, or of the first quotation of one who is never named, the chapters that have either,
    in reading order, and the numbers of those of which the character tells a part.

    The speech headings of a play are no mentions."""

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
    """A reason for a character, or against: it multiplies the odds against an average character
    of the book by exp(weight)."""

    why: str
    weight: float


@dataclass(frozen=True, slots=True)
class LikelyCharacter:
    """A character whom a description may mean, and the passages that say so, best first; the
    reasons, weightiest first, where they were asked for."""

    book: Book
    character: Character
    passages: tuple[CitedPassage, ...]
    reasons: tuple[ScoreReason, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptionResult:
    """A description of a character: `kind` is "relation", "calling", "trait", "deed" or, for one
    of the description bank, "description".

    `text` does not name the character, but may name others. `automatic` is True if it was
    extracted from the book by a program; `passages` are its evidence.
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
    """An edition in print that is cited in place of the stored one; the city may be empty."""

    city: str
    publisher: str
    year: int


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A place of a book to cite, None for the chapter of a book as a whole; `title` is the title in
    sentence case, `page` and `edition` what the user says of an edition in print."""

    book: Book
    imprint: Imprint
    chapter: Chapter | None
    locator: str
    title: str
    page: str = ""
    edition: PrintedEdition | None = None


class QuotationStatus(StrEnum):
    """The ways a quotation stands in a book."""

    VERBATIM = (
        "verbatim"  # its very words; quotation marks, dashes, hyphens and capitals may differ
    )
    ELIDED = "elided"  # with an ellipsis or square brackets for what was left out or put in
    ALTERED = "altered"  # with other words, or spelled otherwise
    ABSENT = "absent"
    UNKNOWN = "unknown"  # not verbatim in the books that were read, and another cannot be read


class ChangeKind(StrEnum):
    """The kinds of changes in a quotation; elided and bracketed ones are marked as such."""

    ELIDED = "elided"  # words of the book for which an ellipsis stands
    BRACKETED = "bracketed"  # words in square brackets
    SPELLING = "spelling"  # a word as others spell it: colour, color
    LETTERS = "letters"  # a word nearly alike: a slip, or a misreading
    WORDS = "words"  # other words
    ADDED = "added"  # words that the book does not have
    OMITTED = "omitted"  # words of the book that are left out without a mark
    UNREAD = "unread"  # the end of a long quotation, which was not compared


@dataclass(frozen=True, slots=True)
class QuotationChange:
    """A change in a quotation: what it says at a span of it, and what stands in the book; one may
    be empty."""

    kind: ChangeKind
    span: Span
    quoted: str
    original: str


@dataclass(frozen=True, slots=True)
class LocatedQuotation:
    """A place of a book that a quotation is from.

    `span` is the place in the stored text, `exact` what stands there, and `before` and `after` the
    text around it; `locator` is its written form, as OpenBook.place_of writes it; `similarity` is
    at most 1.
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
    document a line is a paragraph), if it is a block quotation, and if its marks are not closed."""

    text: str
    line: int
    column: int
    is_block: bool
    is_open: bool


@dataclass(frozen=True, slots=True)
class CheckedQuotation:
    """A quotation of an essay and the places it is from, the most similar first; without one it is
    absent if `is_known`, else it may be from a book that cannot be read."""

    quotation: EssayQuotation
    places: tuple[LocatedQuotation, ...]
    is_known: bool = True

    @property
    def status(self) -> QuotationStatus:
        """How the quotation stands in the book that it is from."""
        if self.places:
            return self.places[0].status
        return QuotationStatus.ABSENT if self.is_known else QuotationStatus.UNKNOWN

    @property
    def is_right(self) -> bool:
        """True for a quotation that is closed, and changes nothing that it does not mark."""
        right = (QuotationStatus.VERBATIM, QuotationStatus.ELIDED)
        return self.status in right and not self.quotation.is_open


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """A place of a pattern in a book, with the words on either side on one line: `left`, `keyword`
    and `right` together are what stands there, `before` and `after` what goes on in the text, as
    far as marks of emphasis are looked for."""

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
    """A word that stands near a pattern: how often there, how often in all, and how telling that
    is (a log-likelihood ratio; 10.8 is past chance at p = .001)."""

    word: str
    near: int
    everywhere: int
    score: float


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a pattern stands in a book or in one of its chapters, and the words of that."""

    book: Book
    chapter: Chapter | None
    count: int
    words: int

    @property
    def per_ten_thousand(self) -> float:
        return 10_000 * self.count / self.words if self.words else 0.0
