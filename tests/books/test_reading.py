"""Navigation in a book: positions and locators, text search, and quotations by position."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.citation import locators
from scholar_indexes.books.reading.book_navigator import (
    BookNavigator,
    QuotationIndex,
    find_text,
    is_uncertain,
    speaker_of,
)
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.results import AttributedQuote
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Quotation,
    QuotationForm,
    QuoteKind,
    Sentence,
    Span,
)

FRONT = "A Tale\n\n"
ONE = "Chapter 1\n\nIt was “a well-known\nplace”.\n\nAnd _very_ well liked.\n\n"
TWO = "Chapter 2\n\nDon’t look. Mr. Darcy looked at darcy.\n\n\n"
THREE = "Chapter 1\n\nAgain."
TEXT = FRONT + ONE + TWO + THREE


def make_navigator(
    text: str = TEXT, parts: tuple[str, ...] = (FRONT, ONE, TWO, THREE)
) -> BookNavigator:
    chapters, start = [], 0
    for number, part in enumerate(parts):
        heading = part.partition("\n")[0] if number else ""
        parts_above = () if not number else ("Part II",) if number == 3 else ("Part I",)
        span = Span(start, start + len(part))
        body = Span(start + len(heading), span.end)
        kind = ChapterKind.CHAPTER if number else ChapterKind.FRONT
        chapters.append(Chapter(number, heading, parts_above, kind, span, body))
        start = span.end
    book = Book("own-tale", "A Tale", "Ann Example", "en", "tale.txt", "0")
    return BookNavigator(
        OpenBook.from_text(StoredBook(book, 1, len(text), 3, 9, "2026-01-01"), text, chapters)
    )


NAVIGATOR = make_navigator()


@given(st.integers(0, len(TEXT) - 1))
def test_every_position_has_the_locator_of_its_paragraph(at: int) -> None:
    paragraph = NAVIGATOR.paragraph(at)
    assert NAVIGATOR.span(locators.parse(NAVIGATOR.locator(at))) == paragraph
    if not TEXT[at].isspace() and not TEXT[at:].startswith("Chapter"):
        assert paragraph.start <= at < paragraph.end or at < NAVIGATOR.chapter(at).body.start


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_the_citable_part_of_a_span_is_that_of_its_locator(first: int, second: int) -> None:
    span = Span(min(first, second), max(first, second))
    if not span.of(TEXT).strip():
        return
    cited, locator = NAVIGATOR.citable(span)
    assert cited.of(TEXT) in span.of(TEXT)
    assert cited.of(TEXT).strip()
    place = locators.parse(locator)
    if place.span:
        assert NAVIGATOR.span(place) == cited


def test_a_heading_before_and_a_chapter_after_are_not_cited() -> None:
    cited, locator = NAVIGATOR.citable(Span(len(FRONT), len(TEXT)))
    assert cited.of(TEXT).startswith("It was")
    assert cited.of(TEXT).endswith("well liked.")
    assert locator.startswith("own-tale:1.1:0-")
    heading, chapter = NAVIGATOR.citable(Span(len(FRONT), len(FRONT) + 9))
    assert (heading.of(TEXT), chapter) == ("Chapter 1", "own-tale:1")


@pytest.mark.parametrize(
    ("reference", "beginning"),
    [
        pytest.param("2", "Chapter 2", id="a chapter"),
        pytest.param(" 1.2 ", "And _very_", id="a paragraph"),
        pytest.param("own-tale:1.2", "And _very_", id="a locator"),
        pytest.param("OWN-TALE:1.2:4-10", "_very_", id="characters"),
        pytest.param(":3", "Chapter 1\n\nAgain", id="a colon first"),
        pytest.param("chapter 2", "Chapter 2", id="a title"),
        pytest.param("II", "Chapter 2", id="a Roman numeral"),
        pytest.param("chapter two", "Chapter 2", id="a number in words"),
        pytest.param("chapter ii.i", "Chapter 1\n\nAgain", id="Roman numerals in a part"),
        pytest.param("chapter 2.1", "Chapter 1\n\nAgain", id="a number in its part"),
        pytest.param("part ii, chapter 1", "Chapter 1\n\nAgain", id="a title in its part"),
        pytest.param("0%", "A Tale", id="the beginning"),
        pytest.param("100 %", "", id="the end"),
    ],
)
def test_a_reference_is_resolved_to_its_span(reference: str, beginning: str) -> None:
    at = NAVIGATOR.resolve(reference).start
    assert TEXT[at:].startswith(beginning) if beginning else at == len(TEXT)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("", "enter a chapter"),
        ("9", "A Tale has no chapter 9; it has 1.1-1.2 and 2.1"),
        (":9", "no section 9; its last is 3"),
        ("1.7", "no paragraph 7; its last is 2"),
        ("1.2:0-900", "runs past the end of its chapter"),
        ("1.2:9-3", "put the smaller number first"),
        ("3.4.5", "is not a locator"),
        (
            "the whale",
            "no chapter is called 'the whale'; enter its number, or its position, :1 to :3",
        ),
        ("chapter 1", 'could be 1.1 or 2.1; write one of them, after the word "chapter"'),
        ("chapter", "several chapters have this title; choose one of: :1, :2, :3"),
        ("120%", "a book ends at 100%"),
    ],
)
def test_a_reference_to_nothing_is_refused_with_the_reason(reference: str, message: str) -> None:
    with pytest.raises(ScholarError, match=message.replace("(", r"\(")):
        NAVIGATOR.resolve(reference)


def test_reading_resumes_at_the_position_or_at_its_paragraph_in_a_replaced_text() -> None:
    at = TEXT.index("_very_")
    assert NAVIGATOR.resume(None) == 0
    assert NAVIGATOR.resume(ReadingPosition("own-tale", NAVIGATOR.locator(at), at)) == at
    assert NAVIGATOR.resume(ReadingPosition("own-tale", "own-tale:1.2", 3)) == TEXT.index(
        "And _very_"
    )
    assert NAVIGATOR.resume(ReadingPosition("own-tale", "own-tale:77.1", 10**9)) == len(TEXT) - 1
    assert NAVIGATOR.resume(ReadingPosition("own-tale", "nonsense!", -5)) == 0


def test_the_adjacent_paragraph_may_be_in_the_next_chapter() -> None:
    paragraph, beginnings = NAVIGATOR.adjacent_paragraph(0, 1), []
    while paragraph is not None:
        beginnings.append(paragraph.of(TEXT)[:5])
        paragraph = NAVIGATOR.adjacent_paragraph(paragraph.start, 1)
    assert beginnings == ["It wa", "And _", "Don’t", "Again"]
    last = NAVIGATOR.adjacent_paragraph(len(TEXT) - 1, -1)
    assert last is not None
    assert last.of(TEXT).startswith("Don’t")
    assert NAVIGATOR.adjacent_paragraph(0, -1) is None


def test_percent_read_is_a_hundred_at_the_end_only() -> None:
    assert NAVIGATOR.percent_read(Span(0, 20)) == 0
    assert NAVIGATOR.percent_read(Span(30, len(TEXT))) == 100
    assert NAVIGATOR.percent_read(Span(len(TEXT) - 3, len(TEXT) - 2)) < 100


def test_chapters_that_do_not_fit_the_text_are_damaged() -> None:
    with pytest.raises(Damaged, match=r"do not fit its text\b.*scholar add FILE --refresh"):
        make_navigator(TEXT[:40])
    with pytest.raises(Damaged):
        make_navigator(TEXT, ())


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("text.txt", lambda book: book.text),
        ("sentences.npy", lambda book: book.sentences),
        ("chapters.json", lambda book: book.chapters),
    ],
)
def test_a_recent_book_is_read_again_after_a_change_to_its_files(
    tmp_path: Path, name: str, read: Callable[[OpenBook], object]
) -> None:
    book = Book("pg84", "A Tale", "Ann Example", "en", "tale.txt", sha256(b"One.").hexdigest())
    chapter = Chapter(1, "", (), ChapterKind.CHAPTER, Span(0, 4), Span(0, 4))
    book_folder.save(tmp_path / "a", book, "One.", [chapter], [Sentence(1, 1, Span(0, 4))])
    stored = StoredBook(book, 1, 4, 1, 1, "2026-01-01")
    assert read(OpenBook(stored, tmp_path / "a")) is read(OpenBook(stored, tmp_path / "a"))
    with (tmp_path / "a" / name).open("ab") as file:
        file.write(b"!")
    with pytest.raises(Damaged):
        read(OpenBook(stored, tmp_path / "a"))


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        pytest.param("darcy", ["Darcy", "darcy"], id="small letters mean any"),
        pytest.param("Darcy", ["Darcy"], id="a capital means itself"),
        pytest.param("well-known place", ["well-known\nplace"], id="white space is any"),
        pytest.param("don't", ["Don’t"], id="a straight apostrophe is any"),
        pytest.param('"a well', ["“a well"], id="a straight quotation mark is any"),
        pytest.param("and very well", ["And _very_ well"], id="emphasis hides nothing"),
        pytest.param("mr.", ["Mr."], id="a full stop is one"),
        pytest.param("  ", [], id="nothing"),
        pytest.param("[", [], id="no pattern"),
    ],
)
def test_text_search_matches_words_as_they_are_typed(query: str, matches: list[str]) -> None:
    assert [span.of(TEXT) for span in find_text(NAVIGATOR, query)] == matches


def test_a_text_search_can_be_cancelled() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        find_text(NAVIGATOR, "a", stop)


ANN, BEN, CLEO = (Character(name.casefold(), name, (name,)) for name in ("Ann", "Ben", "Cleo"))


def quoted(
    start: int,
    end: int,
    speaker: Character | None,
    confidence: float = 0.9,
    form: QuotationForm = QuotationForm.SPEECH,
) -> AttributedQuote:
    quotation = Quotation((Span(start, end),))
    return AttributedQuote(
        NAVIGATOR.book,
        NAVIGATOR.chapters[1],
        1,
        quotation,
        "…",
        Attribution(speaker, QuoteKind.IMPLICIT, None, confidence, form),
        "",
        "own-tale:1.1",
    )


def test_quotations_are_found_by_position_and_by_speaker() -> None:
    quotes = [quoted(40, 44, BEN), quoted(10, 30, ANN), quoted(50, 60, None), quoted(70, 71, BEN)]
    index = QuotationIndex([*quotes, quoted(80, 90, CLEO)])
    assert [speaker_of(quote) for quote in index.within(Span(29, 51))] == [ANN, BEN, None]
    assert [speaker_of(quote) for quote in index.within(Span(30, 40))] == []
    assert index.ranks == {"ben": 0, "ann": 1, "cleo": 2}
    assert index.at(41) == quotes[0]
    assert index.at(44) is None
    assert index.next(40, speaker_id="ben") == quotes[3]
    assert index.next(70, speaker_id="ben", back=True) == quotes[0]
    assert index.next(70, speaker_id="ben") is None
    assert index.next(44, back=True) == quotes[0]
    assert index.number(quotes[3]) == 2


def test_thoughts_are_counted_and_numbered_apart_from_speech() -> None:
    quotes = [
        quoted(0, 9, CLEO, form=QuotationForm.THOUGHT),
        quoted(10, 30, ANN),
        quoted(40, 44, BEN, form=QuotationForm.THOUGHT),
        quoted(50, 60, ANN, form=QuotationForm.THOUGHT),
        quoted(62, 64, BEN, form=QuotationForm.THOUGHT),
        quoted(70, 71, ANN),
    ]
    index = QuotationIndex(quotes)
    assert list(index.counts.items()) == [("ann", (2, 1)), ("ben", (0, 2)), ("cleo", (0, 1))]
    assert index.ranks == {"ann": 0, "ben": 1, "cleo": 2}
    assert [index.number(quote) for quote in quotes] == [1, 1, 1, 1, 2, 2]
    assert index.next(10, speaker_id="ann") == quotes[3]


def test_a_quotation_goes_on_after_a_nested_one() -> None:
    index = QuotationIndex([quoted(10, 90, ANN), quoted(20, 25, BEN)])
    assert [speaker_of(quote) for quote in index.within(Span(60, 70))] == [ANN]
    assert index.at(22) is not None


def test_an_attribution_is_uncertain_below_the_limit_or_without_a_speaker() -> None:
    assert [is_uncertain(quote) for quote in (quoted(1, 2, ANN, 0.5), quoted(1, 2, ANN, 0.49))] == [
        False,
        True,
    ]
    assert is_uncertain(quoted(1, 2, None, 0.9))
