"""The numbers that books print above their chapters, and the forms in which users write them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.reading.chapter_ranges import (
    LAST_SECTION,
    find_last_section,
    find_section,
    find_sections,
    parse_range,
    section_range,
)
from scholar_indexes.books.segmentation.chapter_numbers import number_chapters, print_numbers
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.types import Chapter, ChapterKind, Span

Title = str | tuple[str, ...]
"""The title of a chapter, or the titles of its parts followed by its own."""


def book(*titles: Title) -> tuple[Chapter, ...]:
    """Return the sections of a book by their titles, after its front matter."""
    nowhere = Span(0, 0)
    sections = [Chapter(0, "", (), ChapterKind.FRONT, nowhere, nowhere)]
    for number, title in enumerate(titles, 1):
        *part, heading = (title,) if isinstance(title, str) else title
        kind = ChapterKind.PREFACE if heading == "Preface" else ChapterKind.CHAPTER
        sections.append(Chapter(number, heading, tuple(part), kind, nowhere, nowhere))
    return tuple(sections)


def printed(sections: Sequence[Chapter]) -> list[str]:
    return [chapter.printed for chapter in print_numbers(sections)[1:]]


FRANKENSTEIN = book("Preface", "Letter 1", "Letter 2", "Chapter 1", "Chapter 2", "Chapter 3")
EMMA = book(
    ("Volume I", "Chapter I"),
    ("Volume I", "Chapter II"),
    ("Volume II", "Chapter I"),
    ("Volume II", "Chapter II"),
    ("Volume II", "Chapter III"),
)
TALES = book("Araby", "Eveline", "Clay")
HAMLET = book(
    ("Act I", "Scene I. A platform"),
    ("Act I", "Scene II. A room of state"),
    ("Act II", "Scene I. A room"),
    ("Act III", "Scene I. A room"),
    ("Act III", "Scene II. A hall"),
)
SONNETS = book("I", "II", "III", "IV")
MISERABLES = book(
    ("Volume I", "Book First", "Chapter I"),
    ("Volume I", "Book Second", "Chapter I"),
    ("Volume II", "Book First", "Chapter I"),
    ("Volume II", "Book First", "Chapter II"),
    ("Volume III", "Book Fourth", "Chapter I"),
)
EPILOGUES = book(
    ("Book One", "Chapter I"),
    ("Book Two", "Chapter I"),
    ("First Epilogue", "Chapter I"),
    ("Second Epilogue", "Chapter I"),
)
OWN_TEXT = book(
    "Book I. His Youth", ("Book I. His Youth", "Chapter I"), ("Book I. His Youth", "Chapter II")
)
STAVES = book("Stave One", "Stave Two", "Stave Twenty-One", "Stave Twenty-Two")


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        pytest.param(
            ["Preface", "Chapter XXII", "CHAPTER 23", "XXIV. A Storm"],
            ["", "22", "23", "24"],
            id="ways to write a number",
        ),
        pytest.param(
            ["Stave One", "Chapter the Second", "The Third Letter", "Letter the Last"],
            ["1", "2", "3", "4"],
            id="in words",
        ),
        pytest.param(
            ["Letter 1", "Letter 2", "Chapter 1", "Chapter 2", "Chapter 3"],
            ["letter 1", "letter 2", "1", "2", "3"],
            id="letters before the chapters",
        ),
        pytest.param(
            ["Adventure I", "Adventure II", "III. The Third", "IV. The Fourth"],
            ["1", "2", "3", "4"],
            id="the keyword ends and the numbers go on",
        ),
        pytest.param(
            [("Part One", "1"), ("Part One", "2"), ("Part Two", "3")],
            ["1", "2", "3"],
            id="parts through which the numbers go on",
        ),
        pytest.param(
            [("Volume I", "Chapter I"), ("Volume II", "Chapter I"), ("Volume II", "Chapter II")],
            ["1.1", "2.1", "2.2"],
            id="numbers that start again in a volume",
        ),
        pytest.param(
            [
                ("Volume I", "Book First", "Chapter I"),
                ("Volume I", "Book Second", "Chapter I"),
                ("Volume II", "Book First", "Chapter I"),
            ],
            ["1.1.1", "1.2.1", "2.1.1"],
            id="books that start again in a volume",
        ),
        pytest.param(
            [
                ("Part I", "Book I", "Chapter I"),
                ("Part I", "Book II", "Chapter I"),
                ("Part II", "Book III", "Chapter I"),
            ],
            ["1.1", "2.1", "3.1"],
            id="books that go on through the parts",
        ),
        pytest.param(
            [("Part I", "I"), ("Part I", "II"), ("Part II", "I"), ("Epilogue", "I")],
            ["1.1", "1.2", "2.1", "epilogue 1"],
            id="an epilogue",
        ),
        pytest.param(
            [
                ("Book One", "Chapter I"),
                ("Book Two", "Chapter I"),
                ("First Epilogue", "Chapter I"),
                ("Second Epilogue", "Chapter I"),
            ],
            ["1.1", "2.1", "epilogue 1.1", "epilogue 2.1"],
            id="two epilogues",
        ),
        pytest.param(
            [("Amos Barton", "Chapter 1"), ("Janet's Repentance", "Chapter 1")],
            ["1.1", "2.1"],
            id="tales without numbers",
        ),
        pytest.param(
            ["Chapter I", "Chapter II", "Chapter I", "Chapter II"],
            ["1.1", "1.2", "2.1", "2.2"],
            id="volumes without headings",
        ),
        pytest.param(
            ["Chapter I", "Chapter II", ("Volume II", "Chapter I"), ("Volume II", "Chapter II")],
            ["1.1", "1.2", "2.1", "2.2"],
            id="no heading of the first volume",
        ),
        pytest.param(
            ["Book I. His Youth", ("Book I", "Chapter I"), ("Book I", "Chapter II")],
            ["book 1", "1", "2"],
            id="a part with a text of its own",
        ),
        pytest.param(
            ["XLII", "XLIII", "LXIV", "XLIV", "XLVI", "XLVII"],
            ["42", "43", "44", "45", "46", "47"],
            id="misprints",
        ),
        pytest.param(["I", "II", "IV", "V"], ["1", "2", "4", "5"], id="a number left out"),
        pytest.param(
            ["Chapter 83", "Chapter 84", "Chapter 4", "Chapter 85", "Chapter 86"],
            ["83", "84", "", "85", "86"],
            id="a number too many",
        ),
        pytest.param(["Araby", "Eveline", "Clay"], ["", "", ""], id="no numbers"),
        pytest.param(["Araby", "Eveline", "Part I"], ["", "", ""], id="hardly any numbers"),
    ],
)
def test_sections_have_the_numbers_that_the_book_prints(
    titles: list[Title], expected: list[str]
) -> None:
    assert printed(book(*titles)) == expected


def test_a_book_that_is_read_from_its_text_has_its_numbers() -> None:
    body = "\n\nIt rained, and nobody came to the house by the sea that day.\n" * 30
    chapters = "".join(f"\n\nCHAPTER {numeral}{body}" for numeral in ("I", "II", "III"))
    text = f"A TALE\n\n\nPREFACE{body}\n\nVOLUME I{chapters}\n\nVOLUME II{chapters}"
    sections = print_numbers(divide(text))
    starts = {
        section.printed: text[section.span.start :].split("\n\nIt rained")[0].strip()
        for section in sections
        if section.printed
    }
    assert starts == {
        "1.1": "VOLUME I\n\nCHAPTER I",
        "1.2": "CHAPTER II",
        "1.3": "CHAPTER III",
        "2.1": "VOLUME II\n\nCHAPTER I",
        "2.2": "CHAPTER II",
        "2.3": "CHAPTER III",
    }


@pytest.mark.parametrize(
    ("sections", "written", "message"),
    [
        pytest.param(EMMA, "2", "chapter 2 of Novel could be 1.2 or 2.2; write one", id="several"),
        pytest.param(EMMA, "1-2", "chapter 1 of Novel could be 1.1 or 2.1", id="a range of them"),
        pytest.param(
            MISERABLES,
            "book 1",
            "book 1 of Novel could be book 1.1 or book 2.1; write one",
            id="a book of several volumes",
        ),
        pytest.param(EMMA, "2.1-1.2", "run backwards; write 1.2-2.1", id="volumes backwards"),
        pytest.param(
            FRANKENSTEIN,
            "chapter 1-letter 2",
            "letter 2 comes before 1 in Novel",
            id="letters after chapters",
        ),
    ],
)
def test_a_number_that_is_not_clear_is_refused_with_what_to_write(
    sections: Sequence[Chapter], written: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        find_sections(sections, written, "Novel")


@pytest.mark.parametrize(
    ("sections", "written", "message"),
    [
        pytest.param(
            FRANKENSTEIN, "4", "Novel has no chapter 4; it has letter 1-2 and 1-3", id="chapter"
        ),
        pytest.param(FRANKENSTEIN, "IV", "Novel has no chapter IV; it has", id="Roman numeral"),
        pytest.param(FRANKENSTEIN, "stave 1", "Novel has no stave 1; it has", id="another word"),
        pytest.param(HAMLET, "act 4", "Novel has no act 4; it has 1.1-1.2, 2.1 and", id="act"),
        pytest.param(
            HAMLET, "Act II, Scene II", "Novel has no Act II, Scene II; it has", id="scene"
        ),
        pytest.param(SONNETS, "act 2", "Novel has no act 2; it has 1-4", id="part of numerals"),
        pytest.param(FRANKENSTEIN, "letter 9", "has no letter 9; it has letter 1-2", id="letter"),
        pytest.param(FRANKENSTEIN, "7-9", "has no chapter 7-9; it has", id="range"),
        pytest.param(EMMA, "3.1", "has no chapter 3.1; it has 1.1-1.2 and 2.1-2.3", id="volume"),
        pytest.param(
            book("I", "II", "III", "VII", "VIII"),
            "4-6",
            "has no chapter 4-6; it has 1-3 and 7-8",
            id="what is left out",
        ),
        pytest.param(
            TALES, "4", "it prints no numbers, so its sections are counted: 0-3", id="no numbers"
        ),
        pytest.param(TALES, "1.2", "it prints no numbers", id="a volume and no numbers"),
        pytest.param(EMMA, "section 6", "has no section 6; it has sections 0-5", id="section"),
    ],
)
def test_a_missing_chapter_is_refused_with_a_list_of_the_chapters(
    sections: Sequence[Chapter], written: str, message: str
) -> None:
    with pytest.raises(NotThere, match=message):
        find_sections(sections, written, "Novel")


def test_an_error_lists_only_some_of_very_many_numbers() -> None:
    volumes = [
        (f"Volume {volume}", f"Chapter {chapter}") for volume in range(1, 30) for chapter in (1, 2)
    ]
    with pytest.raises(UsageError) as refusal:
        find_sections(book(*volumes), "2", "Novel")
    assert "12.2, …; write one of them" in str(refusal.value)


@pytest.mark.parametrize(
    ("sections", "written", "expected"),
    [
        pytest.param(FRANKENSTEIN, "2", (5, 5), id="a chapter"),
        pytest.param(FRANKENSTEIN, "Chapter 2", (5, 5), id="with its word"),
        pytest.param(FRANKENSTEIN, "II", (5, 5), id="in Roman numerals"),
        pytest.param(FRANKENSTEIN, "ii", (5, 5), id="in small Roman numerals"),
        pytest.param(FRANKENSTEIN, "Chapter III", (6, 6), id="in Roman numerals with its word"),
        pytest.param(FRANKENSTEIN, "ch. III", (6, 6), id="as a citation has it"),
        pytest.param(FRANKENSTEIN, "chapter two", (5, 5), id="in words"),
        pytest.param(FRANKENSTEIN, "Chapter the Second", (5, 5), id="as an ordinal"),
        pytest.param(FRANKENSTEIN, "The Second Letter", (3, 3), id="an ordinal before its word"),
        pytest.param(FRANKENSTEIN, "I-III", (4, 6), id="a range in Roman numerals"),
        pytest.param(FRANKENSTEIN, "i–chapter two", (4, 5), id="a range over a printed dash"),
        pytest.param(FRANKENSTEIN, "II-", (5, LAST_SECTION), id="Roman numerals without an end"),
        pytest.param(FRANKENSTEIN, "letter I-II", (2, 3), id="letters in Roman numerals"),
        pytest.param(EMMA, "II.II", (4, 4), id="Roman numerals in a volume"),
        pytest.param(STAVES, "Stave Two", (2, 2), id="by the keyword of all chapters"),
        pytest.param(STAVES, "twenty-one-twenty-two", (3, 4), id="numbers with hyphens"),
        pytest.param(STAVES, "twenty-one", (3, 3), id="a number with a hyphen"),
        pytest.param(TALES, "II", (2, 2), id="sections in Roman numerals"),
        pytest.param(FRANKENSTEIN, "letter 2", (3, 3), id="a letter"),
        pytest.param(FRANKENSTEIN, "letter 1-2", (2, 3), id="letters"),
        pytest.param(FRANKENSTEIN, "letter 2-chapter 1", (3, 4), id="from a letter to a chapter"),
        pytest.param(FRANKENSTEIN, "2-", (5, LAST_SECTION), id="without an end"),
        pytest.param(FRANKENSTEIN, "-2", (0, 5), id="without a beginning"),
        pytest.param(FRANKENSTEIN, "2-9", (5, 6), id="beyond the book"),
        pytest.param(FRANKENSTEIN, "section 2", (2, 2), id="a section"),
        pytest.param(FRANKENSTEIN, "sections 2-4", (2, 4), id="sections"),
        pytest.param(EMMA, "2.2", (4, 4), id="in a volume"),
        pytest.param(EMMA, "3", (5, 5), id="a number of one volume only"),
        pytest.param(EMMA, "1.2-2.1", (2, 3), id="over volumes"),
        pytest.param(EMMA, "2.1-3", (3, 5), id="the volume once"),
        pytest.param(book(("Part I", "1"), ("Part II", "2")), "2.2", (2, 2), id="a part besides"),
        pytest.param(HAMLET, "Act III, Scene I", (4, 4), id="an act and a scene"),
        pytest.param(HAMLET, "act 3 scene 1", (4, 4), id="without a comma"),
        pytest.param(HAMLET, "act three, sc. 2", (5, 5), id="a scene abbreviated"),
        pytest.param(HAMLET, "the second act, scene the first", (3, 3), id="by ordinals"),
        pytest.param(HAMLET, "Act I, Scene II-Act III, Scene I", (2, 4), id="over acts"),
        pytest.param(HAMLET, "act 1 scene 1-2", (1, 2), id="scenes of an act"),
        pytest.param(HAMLET, "act 1 scene 1-scene 2", (1, 2), id="the act once"),
        pytest.param(HAMLET, "act 1 scene 2-act 3", (2, 5), id="from a scene to an act"),
        pytest.param(HAMLET, "act 1", (1, 2), id="an act"),
        pytest.param(HAMLET, "the third act", (4, 5), id="an act by its ordinal"),
        pytest.param(HAMLET, "act 2-3", (3, 5), id="acts"),
        pytest.param(HAMLET, "act 2-act 9", (3, 5), id="acts beyond the play"),
        pytest.param(HAMLET, "-act 2", (0, 3), id="to the end of an act"),
        pytest.param(EMMA, "Volume II, ch. 2", (4, 4), id="a volume and a chapter"),
        pytest.param(EMMA, "volume 2, III", (5, 5), id="a volume and a number alone"),
        pytest.param(MISERABLES, "volume 2", (3, 4), id="a volume of books"),
        pytest.param(MISERABLES, "book 4", (5, 5), id="a book of one volume only"),
        pytest.param(MISERABLES, "volume 2, book 1", (3, 4), id="a book of a volume"),
        pytest.param(MISERABLES, "volume 1 book 2 chapter 1", (2, 2), id="three levels"),
        pytest.param(EPILOGUES, "second epilogue, chapter 1", (4, 4), id="in an epilogue"),
        pytest.param(OWN_TEXT, "book 1", (1, 3), id="a part with a text of its own"),
        pytest.param(SONNETS, "sonnet 3", (3, 3), id="numerals by any keyword of chapters"),
        pytest.param(SONNETS, "canto II-canto III", (2, 3), id="a range of these"),
        pytest.param(TALES, "2", (2, 2), id="counted without numbers"),
        pytest.param(TALES, "0-1", (0, 1), id="counted from the front matter"),
    ],
)
def test_ranges_of_chapters(
    sections: Sequence[Chapter], written: str, expected: tuple[int, int]
) -> None:
    assert find_sections(sections, written, "Novel") == expected


def test_the_first_and_the_last_section_of_a_part_are_found() -> None:
    assert find_section(HAMLET, "act 3", "Novel") == 4
    assert find_last_section(HAMLET, "act 3", "Novel") == 5


def test_one_chapter_is_no_range() -> None:
    assert find_section(FRANKENSTEIN, "2", "Novel") == 5
    with pytest.raises(UsageError, match="'2-3' is a range"):
        find_section(FRANKENSTEIN, "2-3", "Novel")


@pytest.mark.parametrize(
    "written",
    [
        *"- y iiiii 3-y 3--9 3,9 -- 1234567 ٣ 2. letter the".split(),
        *("", " ", "3 9", "act 3,", "act, scene 1", "one one", "ten times"),
        "III-" * 40,
        "one-" * 9999,
    ],
)
def test_an_invalid_range_of_chapters_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="write 3, III or 3-9"):
        parse_range(written)


@pytest.mark.parametrize("written", ["", "-", "x", "2.5", "letter 4", "3-x", "3--9", "1234567"])
def test_an_invalid_range_of_sections_is_refused(written: str) -> None:
    with pytest.raises(UsageError, match="write 3 or 3-9"):
        section_range(written)


@pytest.mark.parametrize("read", [parse_range, section_range])
def test_a_range_that_runs_backwards_shows_the_right_way(read: object) -> None:
    with pytest.raises(UsageError, match="9-3 run backwards; write 3-9"):
        read("9-3")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3", (3, 3)),
        ("0", (0, 0)),
        ("3-9", (3, 9)),
        (" 3 - 9 ", (3, 9)),
        ("3-3", (3, 3)),
        ("3-", (3, LAST_SECTION)),
        ("-9", (0, 9)),
        ("-0", (0, 0)),
    ],
)
def test_ranges_of_sections(written: str, expected: tuple[int, int]) -> None:
    assert section_range(written) == expected


@given(st.text(max_size=30) | st.text("0123456789.-–, letrscionvxa", max_size=20))
def test_any_text_is_a_range_of_chapters_or_refused(written: str) -> None:
    for sections in (FRANKENSTEIN, EMMA, TALES, HAMLET):
        with suppress(ScholarError):
            first, last = find_sections(sections, written, "Novel")
            assert 0 <= first <= last <= LAST_SECTION


HEADINGS = st.sampled_from(
    [*(f"Chapter {number}" for number in range(1, 6)), "Letter 1", "Letter 2", "III", "Hands"]
)
PARTS = st.sampled_from(
    [(), ("Volume I",), ("Volume II",), ("Book I", "Part 2"), ("Epilogue",), ("A Tale",)]
)


@given(st.lists(st.tuples(PARTS, HEADINGS), max_size=25))
def test_whatever_a_book_prints_a_number_means_its_own_section(
    headings: list[tuple[tuple[str, ...], str]],
) -> None:
    sections = book(*((*part, heading) for part, heading in headings))
    numbers = number_chapters(sections)
    assert len({number.number for number in numbers}) == len(numbers)
    for number in numbers:
        assert find_section(sections, str(number.number), "Novel") == number.section


@given(st.integers(0, 3), st.lists(st.integers(1, 12), min_size=2, max_size=5), st.data())
def test_numbers_of_volumes_mean_the_same_whatever_comes_before_them(
    prefaces: int, lengths: list[int], data: st.DataObject
) -> None:
    chapters = [
        (f"Volume {volume}", f"Chapter {number}")
        for volume, length in enumerate(lengths, 1)
        for number in range(1, length + 1)
    ]
    sections = book(*["Preface"] * prefaces, *chapters)
    volume = data.draw(st.integers(1, len(lengths)))
    number = data.draw(st.integers(1, lengths[volume - 1]))
    section = find_section(sections, f"{volume}.{number}", "Novel")
    assert sections[section].part == (f"Volume {volume}",)
    assert sections[section].title == f"Chapter {number}"
