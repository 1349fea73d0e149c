"""A book as it is read: its places, what is meant by one, what is sought, who is heard."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.answers import Quote
from scholar_indexes.books import locators
from scholar_indexes.catalog import Shelved
from scholar_indexes.desk import Place
from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.reading import Reading, Voices, matches, speaker, unsure
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    Character,
    Kind,
    Quotation,
    QuoteKind,
    Span,
)

FRONT = "A Tale\n\n"
ONE = "Chapter 1\n\nIt was “a well-known\nplace”.\n\nAnd _very_ well liked.\n\n"
TWO = "Chapter 2\n\nDon’t look. Mr. Darcy looked at darcy.\n\n\n"
THREE = "Chapter 1\n\nAgain."
TEXT = FRONT + ONE + TWO + THREE


def made(text: str = TEXT, parts: tuple[str, ...] = (FRONT, ONE, TWO, THREE)) -> Reading:
    chapters, at = [], 0
    for number, part in enumerate(parts):
        heading = part.partition("\n")[0] if number else ""
        above = () if not number else ("Part II",) if number == 3 else ("Part I",)
        span = Span(at, at + len(part))
        body = Span(at + len(heading), span.end)
        kind = Kind.CHAPTER if number else Kind.FRONT
        chapters.append(Chapter(number, heading, above, kind, span, body))
        at = span.end
    book = Book("own-tale", "A Tale", "Ann Example", "en", "tale.txt", "0")
    return Reading(Shelved(book, 1, len(text), 3, 9, "2026-01-01"), text, chapters)


READING = made()


@settings(deadline=None)
@given(st.integers(0, len(TEXT) - 1))
def test_every_place_has_a_locator_that_leads_to_its_paragraph(at: int) -> None:
    paragraph = READING.paragraph(at)
    assert READING.span(locators.parse(READING.locator(at))) == paragraph
    if not TEXT[at].isspace() and not TEXT[at:].startswith("Chapter"):
        assert paragraph.start <= at < paragraph.end or at < READING.chapter(at).body.start


@settings(deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_what_is_citable_is_named_by_its_locator(one: int, other: int) -> None:
    span = Span(min(one, other), max(one, other))
    if not span.of(TEXT).strip():
        return
    cited, locator = READING.citable(span)
    assert cited.of(TEXT) in span.of(TEXT)
    assert cited.of(TEXT).strip()
    place = locators.parse(locator)
    if place.span:
        assert READING.span(place) == cited


def test_a_heading_before_and_a_chapter_after_are_not_cited() -> None:
    cited, locator = READING.citable(Span(len(FRONT), len(TEXT)))
    assert cited.of(TEXT).startswith("It was")
    assert cited.of(TEXT).endswith("well liked.")
    assert locator.startswith("own-tale:1.1:0-")
    heading, chapter = READING.citable(Span(len(FRONT), len(FRONT) + 9))
    assert (heading.of(TEXT), chapter) == ("Chapter 1", "own-tale:1")


@pytest.mark.parametrize(
    ("written", "begins"),
    [
        pytest.param("2", "Chapter 2", id="a chapter"),
        pytest.param(" 1.2 ", "And _very_", id="a paragraph"),
        pytest.param("own-tale:1.2", "And _very_", id="a locator"),
        pytest.param("OWN-TALE:1.2:4-10", "_very_", id="characters"),
        pytest.param(":3", "Chapter 1\n\nAgain", id="a colon first"),
        pytest.param("chapter 2", "Chapter 2", id="a title"),
        pytest.param("part ii, chapter 1", "Chapter 1\n\nAgain", id="a title in its part"),
        pytest.param("0%", "A Tale", id="the beginning"),
        pytest.param("100 %", "", id="the end"),
    ],
)
def test_a_place_is_meant_as_it_is_written(written: str, begins: str) -> None:
    at = READING.meant(written).start
    assert TEXT[at:].startswith(begins) if begins else at == len(TEXT)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("", "write a chapter"),
        ("9", "no chapter 9; its last is 3"),
        ("1.7", "no paragraph 7; its last is 2"),
        ("1.2:0-900", "runs past the end of its chapter"),
        ("1.2:9-3", "write the smaller number first"),
        ("3.4.5", "is not a locator"),
        ("the whale", "no chapter is called 'the whale'; write its number, 1 to 3"),
        ("chapter 1", "several chapters are called so; write a number: 1, 3"),
        ("120%", "a book ends at 100%"),
    ],
)
def test_what_cannot_be_meant_says_why(written: str, says: str) -> None:
    with pytest.raises(ScholarError, match=says.replace("(", r"\(")):
        READING.meant(written)


def test_reading_goes_on_at_the_place_or_at_its_paragraph_in_another_text() -> None:
    at = TEXT.index("_very_")
    assert READING.resumed(None) == 0
    assert READING.resumed(Place("own-tale", READING.locator(at), at)) == at
    assert READING.resumed(Place("own-tale", "own-tale:1.2", 3)) == TEXT.index("And _very_")
    assert READING.resumed(Place("own-tale", "own-tale:77.1", 10**9)) == len(TEXT) - 1
    assert READING.resumed(Place("own-tale", "nonsense!", -5)) == 0


def test_paragraphs_are_stepped_through_over_chapters() -> None:
    at, starts = READING.beside(0, 1), []
    while at is not None:
        starts.append(at.of(TEXT)[:5])
        at = READING.beside(at.start, 1)
    assert starts == ["It wa", "And _", "Don’t", "Again"]
    last = READING.beside(len(TEXT) - 1, -1)
    assert last is not None
    assert last.of(TEXT).startswith("Don’t")
    assert READING.beside(0, -1) is None


def test_how_far_one_has_come_ends_at_a_hundred() -> None:
    assert READING.share(Span(0, 20)) == 0
    assert READING.share(Span(30, len(TEXT))) == 100
    assert READING.share(Span(len(TEXT) - 3, len(TEXT) - 2)) < 100


def test_divisions_that_do_not_fit_the_text_are_damage() -> None:
    with pytest.raises(Damaged, match="scholar books remove own-tale"):
        made(TEXT[:40])
    with pytest.raises(Damaged):
        made(TEXT, ())


@pytest.mark.parametrize(
    ("sought", "found"),
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
def test_words_are_found_as_a_reader_sees_them(sought: str, found: list[str]) -> None:
    assert [each.of(TEXT) for each in matches(READING, sought)] == found


def test_a_search_can_be_ended() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        matches(READING, "a", stop)


ANN, BEN, CLEO = (
    Character(name.casefold(), name, (name,)) for name in ("Ann", "Ben", "Cleo")
)  # fmt: skip


def said(start: int, end: int, who: Character | None, confidence: float = 0.9) -> Quote:
    quotation = Quotation((Span(start, end),))
    return Quote(
        READING.book, READING.chapters[1], 1, quotation, "…",
        Attribution(who, QuoteKind.IMPLICIT, None, confidence), "", "own-tale:1.1",
    )  # fmt: skip


def test_voices_are_heard_by_place_and_by_speaker() -> None:
    quotes = [said(40, 44, BEN), said(10, 30, ANN), said(50, 60, None), said(70, 71, BEN)]
    voices = Voices([*quotes, said(80, 90, CLEO)])
    assert [speaker(each) for each in voices.within(Span(29, 51))] == [ANN, BEN, None]
    assert [speaker(each) for each in voices.within(Span(30, 40))] == []
    assert voices.ranks == {"ben": 0, "ann": 1, "cleo": 2}
    assert voices.at(41) == quotes[0]
    assert voices.at(44) is None
    assert voices.next(40, who="ben") == quotes[3]
    assert voices.next(70, who="ben", back=True) == quotes[0]
    assert voices.next(70, who="ben") is None
    assert voices.next(44, back=True) == quotes[0]
    assert voices.number(quotes[3]) == 2


def test_a_long_quotation_is_heard_after_a_short_one_inside_it_began() -> None:
    voices = Voices([said(10, 90, ANN), said(20, 25, BEN)])
    assert [speaker(each) for each in voices.within(Span(60, 70))] == [ANN]
    assert voices.at(22) is not None


def test_a_guess_is_what_is_more_likely_wrong_or_nobody() -> None:
    assert [unsure(each) for each in (said(1, 2, ANN, 0.5), said(1, 2, ANN, 0.49))] == [False, True]
    assert unsure(said(1, 2, None, 0.9))
