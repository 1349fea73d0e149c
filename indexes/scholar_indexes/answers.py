"""What the library answers: evidence, extracts, what was added, how the index stands.

Beside types, because no list or completion needs them and a prompt should not wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from scholar_indexes.books import shelf
from scholar_indexes.books.locators import Locator
from scholar_indexes.errors import NotThere
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    Character,
    Hit,
    Passage,
    Quotation,
    Span,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.catalog import Shelved
    from scholar_indexes.search import Answer
    from scholar_indexes.speakers.record import Dialogue
    from scholar_indexes.store import State


class Outcome(StrEnum):
    """What `add` did."""

    ADDED = "added"
    REPLACED = "replaced"
    ALREADY = "already here"
    PLANNED = "would be added"


@dataclass(frozen=True, slots=True)
class Added:
    book: Book
    outcome: Outcome
    chapters: int
    sentences: int


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index of the model in use: its table, what is missing, what is left over."""

    table: State
    model: str
    books: int
    missing: tuple[Book, ...]
    unfinished: int
    other_tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Where one ranker had something: rank from 1, and its own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that answers a claim, in its place.

    before and after are the sentences around it; dense and lexical say where each
    ranker had it, None when it did not; locator is its written form.
    """

    book: Book
    chapter: Chapter
    passage: Passage
    before: str
    after: str
    locator: str
    dense: Ranked | None
    lexical: Ranked | None


@dataclass(frozen=True, slots=True)
class Extract:
    """A stretch of a book to read: (number, span) of its paragraphs, and what is marked."""

    book: Book
    chapter: Chapter
    text: str
    paragraphs: tuple[tuple[int, Span], ...]
    marked: Span
    locator: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation of a book with its speaker, in its place.

    chapter and paragraph say where it begins; text is its pieces joined; cue is the text
    that decided who speaks, empty where none did.
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
class Presence:
    """A character in a chapter, by its number: names, what they say, the first place of either."""

    chapter: int
    mentions: int
    quotations: int
    first: str


@dataclass(frozen=True, slots=True)
class Portrait:
    """A character and where a book has them: names in all, what they say, the first place, and
    the chapters they are in, in reading order."""

    book: Book
    character: Character
    mentions: int
    quotations: int
    first: str
    presences: tuple[Presence, ...] = ()


@dataclass(frozen=True, slots=True)
class Cited:
    """A stretch of a book that tells something of a character: where it begins, its place and
    its text as stored."""

    chapter: Chapter
    paragraph: int
    span: Span
    text: str
    locator: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that speaks for a character, or against: the odds against an average character
    of the book are exp(weight) times what they would be without it."""

    why: str
    weight: float


@dataclass(frozen=True, slots=True)
class Likely:
    """A character whom a description may mean, and the passages that say so, best first; the
    reasons, weightiest first, where they were asked for."""

    book: Book
    character: Character
    passages: tuple[Cited, ...]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a character: kind is "relation", "calling", "trait", "deed" or, for one of
    the description bank, "description".

    text names the character nowhere; others stand in it by name. automatic says that a program
    read it from the book; the passages are where it stands.
    """

    book: Book
    character: Character
    kind: str
    text: str
    automatic: bool
    passages: tuple[Cited, ...]


def evidence(
    found: Sequence[Answer], editions: Mapping[int, Shelved], books: Path, context: int
) -> Iterator[Hit[Evidence]]:
    """Places of the index as quotations, with context sentences either side.

    editions are the books by edition number and books is the folder of their folders.
    """
    texts: dict[int, str] = {}
    divisions: dict[int, dict[int, Chapter]] = {}
    for answer in found:
        shelved = editions.get(answer.edition)
        if shelved is None:
            continue  # a row that outlived its book in a table that could not be read then
        folder = books / shelved.folder
        if answer.edition not in texts:
            texts[answer.edition] = shelf.text(folder, shelved.book.sha256)
            divisions[answer.edition] = {each.number: each for each in shelf.chapters(folder)}
        yield _hit(
            answer, shelved.book, texts[answer.edition], divisions[answer.edition],
            shelf.sentences(folder), context,
        )  # fmt: skip


def _hit(
    answer: Answer,
    book: Book,
    text: str,
    divisions: Mapping[int, Chapter],
    rows: NDArray[np.int32],
    context: int,
) -> Hit[Evidence]:
    chapter, paragraph, start, _ = rows[answer.first].tolist()
    span = Span(start, int(rows[answer.end - 1][3]))
    near = range(max(0, answer.first - context), min(len(rows), answer.end + context))
    around = [row for row in near if rows[row][0] == chapter]
    opening = answer.first
    while opening and rows[opening - 1][:2].tolist() == [chapter, paragraph]:
        opening -= 1
    offset = int(rows[opening][2])
    place = Locator(book.id, chapter, paragraph, Span(span.start - offset, span.end - offset))
    return Hit(
        Evidence(
            book=book,
            chapter=divisions[chapter],
            passage=Passage(book.id, chapter, paragraph, span, span.of(text)),
            before=text[int(rows[around[0]][2]) : span.start],
            after=text[span.end : int(rows[around[-1]][3])],
            locator=str(place),
            dense=Ranked(answer.dense.rank, answer.dense.score) if answer.dense else None,
            lexical=Ranked(answer.lexical.rank, answer.lexical.score) if answer.lexical else None,
        ),
        answer.score,
    )


def extract(place: Locator, shelved: Shelved, folder: Path, context: int) -> Extract:
    """The paragraphs at a place with context more on either side, or a whole chapter.

    Raises NotThere for a place that the book does not have.
    """
    from scholar_indexes.books.passages import paragraphs

    divisions = {each.number: each for each in shelf.chapters(folder)}
    if place.chapter not in divisions:
        last = max(divisions)
        raise NotThere(f"{shelved.book.title} has no chapter {place.chapter}; its last is {last}")
    chapter = divisions[place.chapter]
    text = shelf.text(folder, shelved.book.sha256)
    numbered = tuple(enumerate(paragraphs(text, chapter.body), 1))
    if place.paragraph is None:
        return Extract(shelved.book, chapter, text, numbered, chapter.body, str(place))
    if not 1 <= place.paragraph <= len(numbered):
        raise NotThere(
            f"chapter {place.chapter} of {shelved.book.title} has no paragraph "
            f"{place.paragraph}; its last is {len(numbered)}"
        )
    start = numbered[place.paragraph - 1][1].start
    marked = numbered[place.paragraph - 1][1]
    if place.span is not None:
        marked = Span(start + place.span.start, start + place.span.end)
        if marked.end > chapter.body.end:
            raise NotThere(f"{place} runs past the end of its chapter; check its last numbers")
    reached = [
        number for number, span in numbered if span.start < marked.end and span.end > marked.start
    ]
    first, last = reached[0] - context, reached[-1] + context
    nearby = tuple(each for each in numbered if first <= each[0] <= last)
    return Extract(shelved.book, chapter, text, nearby, marked, str(place))


def quotes(
    book: Book, text: str, chapters: Sequence[Chapter], dialogue: Dialogue
) -> Iterator[Quote]:
    """Every quotation in its place; those outside the chapters are left out."""
    place = _places(book, text, chapters)
    for quotation, said in zip(dialogue.quotations, dialogue.attributions, strict=True):
        found = place(quotation.span)
        if found is not None:
            chapter, paragraph, locator = found
            cue = said.evidence.of(text) if said.evidence else ""
            yield Quote(book, chapter, paragraph, quotation, quotation.of(text), said, cue, locator)


def portraits(
    book: Book, text: str, chapters: Sequence[Chapter], dialogue: Dialogue
) -> list[Portrait]:
    """The characters of a book, those who say most first. Linear in the text."""
    from collections import Counter, defaultdict

    from scholar_indexes.speakers import mentions

    said = Counter(each.speaker.id for each in dialogue.attributions if each.speaker)
    counts: Counter[int] = Counter()
    first: dict[int, str] = {}
    there: dict[int, dict[int, list[tuple[Span, bool, str]]]] = defaultdict(dict)
    place = _places(book, text, chapters)

    def note(who: int, span: Span, spoken: bool) -> str | None:
        found = place(span)
        if found is None:
            return None
        there[who].setdefault(found[0].number, []).append((span, spoken, found[2]))
        return found[2]

    for mention in mentions.find(text, dialogue.cast):
        if locator := note(mention.who, mention.span, False):
            counts[mention.who] += 1
            first.setdefault(mention.who, locator)
    numbers = {each.id: who for who, each in enumerate(dialogue.cast)}
    for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True):
        if attribution.speaker:
            note(numbers[attribution.speaker.id], quotation.span, True)
    portrayed = [
        Portrait(
            book, character, counts[who], said[character.id], first.get(who, ""),
            tuple(_presence(*each) for each in sorted(there[who].items())),
        )
        for who, character in enumerate(dialogue.cast)
    ]  # fmt: skip
    return sorted(
        portrayed, key=lambda each: (-each.quotations, -each.mentions, each.character.name)
    )


def _presence(chapter: int, found: Sequence[tuple[Span, bool, str]]) -> Presence:
    spoken = sum(said for _, said, _ in found)
    return Presence(chapter, len(found) - spoken, spoken, min(found)[2])


def citing(book: Book, text: str, chapters: Sequence[Chapter]) -> Callable[[Span], Cited | None]:
    """A function from a span to what may be cited there: None outside the chapters."""
    place = _places(book, text, chapters)

    def cited(span: Span) -> Cited | None:
        found = place(span)
        return Cited(found[0], found[1], span, span.of(text), found[2]) if found else None

    return cited


def _places(
    book: Book, text: str, chapters: Sequence[Chapter]
) -> Callable[[Span], tuple[Chapter, int, str] | None]:
    """A function from a span to its chapter, its paragraph and its locator."""
    from bisect import bisect_right

    from scholar_indexes.books.passages import paragraphs

    numbered = [
        (paragraph.start, number, chapter)
        for chapter in chapters
        if chapter.number
        for number, paragraph in enumerate(paragraphs(text, chapter.body), 1)
    ]
    starts = [start for start, _, _ in numbered]

    def place(span: Span) -> tuple[Chapter, int, str] | None:
        at = bisect_right(starts, span.start) - 1
        if at < 0:
            return None
        start, number, chapter = numbered[at]
        if span.end > chapter.body.end:
            return None
        within = Span(span.start - start, span.end - start)
        return chapter, number, str(Locator(book.id, chapter.number, number, within))

    return place
