"""Edge cases of Gutenberg's header and footer: their bounds, and the fields of a header."""

from __future__ import annotations

import pytest

from scholar_indexes.books.formats import front_matter, gutenberg
from scholar_indexes.books.formats.gutenberg import is_boilerplate
from scholar_indexes.books.formats.gutenberg_header import Header, find_body, split_header

START = "*** START OF THE PROJECT GUTENBERG EBOOK THE MOTHS ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE MOTHS ***"
OLD_END = "End of Project Gutenberg's The Moths, by Ann Example"
SMALL_PRINT = "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***"
STORY = [f"The lamp was lit on night {number}." for number in range(90)]


def body(lines: list[str]) -> list[str]:
    _, start, end = find_body(lines)
    return lines[start:end]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], [], id="neither"),
        pytest.param([START], [END], id="both"),
        pytest.param(["Title: X", START], [], id="a header alone"),
        pytest.param([], [END, "Law."], id="a footer alone"),
        pytest.param([START], [OLD_END, "", END, "Law."], id="two ends, of which the first counts"),
        pytest.param([START], [OLD_END, *["Law."] * 58, SMALL_PRINT], id="the small print soon"),
        pytest.param(
            ["Law.", START, "Law.", START], [END], id="two starts, of which the last counts"
        ),
        pytest.param(
            [SMALL_PRINT, "Law.", "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*END*"],
            ["End of this Etext of The Moths"],
            id="the small print before",
        ),
        pytest.param(
            ["*** START OF THE PROJECT GUTENBERG EBOOK THE MOTHS OF", "THE OLD HARBOUR ***"],
            [END],
            id="a start on two lines",
        ),
        pytest.param(
            ["*** START OF THE PROJECT GUTENBERG EBOOK THE MOTHS OF"],
            [END],
            id="a start whose second line is lost",
        ),
        pytest.param([START.lower()], [END.lower()], id="small letters"),
        pytest.param([START], ["This is the end of the Project Gutenberg Etext"], id="a sentence"),
        pytest.param([START], ["[End of _The Moths_ by Ann Example]"], id="Canada"),
        pytest.param([START], ["This site is full of FREE ebooks"], id="Australia"),
        pytest.param([START], ["About this digital edition", "", "This e-book"], id="Wikisource"),
    ],
)
def test_the_body_is_what_the_markers_leave(before: list[str], after: list[str]) -> None:
    assert body([*before, *STORY, *after]) == STORY


def test_an_end_in_the_middle_of_several_books_ends_none_and_is_no_line_of_the_text() -> None:
    lines = [START, *STORY[:30], OLD_END, *STORY[30:], END]
    assert body(lines) == [*STORY[:30], OLD_END, *STORY[30:]]
    _, text = split_header(lines)
    assert text == STORY


@pytest.mark.parametrize("line", ["[End of the letter by Mr. Pool]", "About this digital edition"])
def test_a_line_like_an_end_long_before_the_end_is_part_of_the_book(line: str) -> None:
    lines = [START, *STORY, line, *STORY[:45]]
    assert body(lines) == lines[1:]
    _, text = split_header(lines)
    assert text == lines[1:]


def test_a_long_field_without_a_date_is_read_at_once() -> None:
    header, _ = split_header([f"Title: The Moths, {'a' * 150}", f"Author: {'a, ' * 60_000}", START])
    assert header.title


def test_an_end_early_in_a_short_text_is_one_where_the_small_print_is_near() -> None:
    lines = [START, *STORY[:9], OLD_END, *["Law."] * 40]
    assert body(lines) == STORY[:9]


def test_an_end_long_before_the_small_print_is_part_of_the_book() -> None:
    lines = [START, *STORY * 3, OLD_END, *STORY[:70], SMALL_PRINT, "Law."]
    assert body(lines) == [*STORY * 3, OLD_END, *STORY[:70]]


def test_a_start_far_inside_a_book_is_none() -> None:
    lines = [*STORY * 10, START, *STORY * 10]
    assert body(lines) == lines


def header(*lines: str) -> Header:
    fields, _, _ = find_body([*lines, START, *STORY])
    return fields


def test_the_first_title_counts_and_all_translators_do() -> None:
    fields = header(
        "Title: The Moths",
        "Author: Ann Example",
        "Translator: Ben Other",
        "Translator: Cy Third",
        "Title: Another",
        "Editors: Di Fourth",
        "         Ed Fifth",
    )
    assert (fields.title, fields.author) == ("The Moths", "Ann Example")
    assert fields.imprint.translators == ("Ben Other", "Cy Third")
    assert fields.imprint.editors == ("Di Fourth", "Ed Fifth")


@pytest.mark.parametrize(
    ("lines", "author"),
    [
        pytest.param(["Ann Example", "Ben Other"], "Ann Example; Ben Other", id="two"),
        pytest.param(["Ann Example,", "Ben Other"], "Ann Example, Ben Other", id="a comma goes on"),
        pytest.param(
            ["Ann Example and", "Ben Other"], "Ann Example and Ben Other", id="and goes on"
        ),
        pytest.param(["Ann Example", "& Ben Other"], "Ann Example & Ben Other", id="& goes on"),
        pytest.param(["Ann Example", "von Other"], "Ann Example von Other", id="a small letter"),
    ],
)
def test_authors_on_lines_of_their_own_are_several(lines: list[str], author: str) -> None:
    first, *more = lines
    assert (
        header("Title: X", f"Author: {first}", *(f"        {line}" for line in more)).author
        == author
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("The Moths.", "The Moths", id="a full stop goes"),
        pytest.param("_The Moths_", "The Moths", id="italics go"),
        pytest.param(
            "Samuel Titmarsh, Esq.", "Samuel Titmarsh, Esq.", id="but not the full stop of Esq."
        ),
        pytest.param("Moths, Lamps, etc.", "Moths, Lamps, etc.", id="nor the full stop of etc."),
    ],
)
def test_a_title_loses_its_marks_but_for_abbreviations(title: str, expected: str) -> None:
    assert header(f"Title: {title}", "Author: Ann Example").title == expected


@pytest.mark.parametrize(
    ("lines", "title", "author"),
    [
        pytest.param(
            ["Title: The Moths", "Author: Ann Example"], "The Moths", "Ann Example", id="both"
        ),
        pytest.param(["Title: The Moths"], "", "", id="a title alone may be the story's"),
        pytest.param(["Author: Ann Example"], "", "", id="an author alone"),
        pytest.param(
            ["The Project Gutenberg EBook of The Moths, by Ann Example"],
            "The Moths",
            "Ann Example",
            id="the first line",
        ),
        pytest.param(
            ["The Project Gutenberg Etext of The Moths", "by Ann Example"],
            "The Moths",
            "Ann Example",
            id="the first two lines",
        ),
    ],
)
def test_without_a_marker_only_a_whole_header_is_one(
    lines: list[str], title: str, author: str
) -> None:
    fields, start, _ = find_body([*lines, "", *STORY])
    assert (fields.title, fields.author, start) == (title, author, 0)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            [
                "Title: The Moths",
                "Author: Ann Example",
                "* A Project Gutenberg of Australia eBook *",
                "eBook No.: 0200041h.html",
                "Date first posted: January 2002",
                "",
                "Copyright laws are changing all over the world.",
                "",
                "To contact Project Gutenberg of Australia go to http://gutenberg.net.au",
                "",
            ],
            id="Australia",
        ),
        pytest.param(
            [
                "* A Distributed Proofreaders Canada eBook *",
                "",
                "This work is in the public domain,",
                "IF THE BOOK IS UNDER COPYRIGHT, DO NOT DOWNLOAD",
                "",
                "_Title:_ The Moths",
                "",
                "_Author:_ Ann Example",
                "",
                "Faded Page eBook #20200201",
                "",
                "This eBook was produced by: Ben Other",
                "& the online Proofreaders",
                "",
            ],
            id="Faded Page",
        ),
        pytest.param(
            [
                "* A Project Gutenberg Canada Ebook *",
                "",
                "This ebook is made available at no cost",
                "",
                "Title: The Moths",
                "",
                "Author: Example, Ann (1850-1920)",
                "",
                "Date of first publication: 1897",
                "",
                "Project Gutenberg Canada ebook #310",
                "",
            ],
            id="Canada",
        ),
        pytest.param(
            [
                "**The Project Gutenberg Etext of The Moths, by Ann Example**",
                "",
                "**Welcome To The World of Free Plain Vanilla Electronic Texts**",
                "",
            ],
            id="asterisks",
        ),
    ],
)
def test_headers_without_an_end_marker_are_read_and_left_out(lines: list[str]) -> None:
    fields, start, _ = find_body([*lines, *STORY])
    assert (fields.title, fields.author) == ("The Moths", "Ann Example")
    assert [line for line in [*lines, *STORY][start:] if line] == STORY


@pytest.mark.parametrize(
    ("line", "year"),
    [
        pytest.param("Release Date: May, 1996 [EBook #514]", 1996, id="last century"),
        pytest.param("Release Date: December 25, 2008 [EBook #98]", 2008, id="this century"),
        pytest.param("October, 1994 [Etext #175]", 1994, id="without the field"),
        pytest.param("Release Date: 1850", None, id="before Project Gutenberg"),
        pytest.param("Release Date: soon", None, id="no year"),
    ],
)
def test_the_year_is_that_of_project_gutenberg(line: str, year: int | None) -> None:
    assert header("Title: X", line).imprint.year == year


def test_the_title_of_the_marker_is_read_as_well_as_the_title_of_the_fields() -> None:
    fields = header("Title: Of Moths")
    assert (fields.title, fields.marker_title) == ("Of Moths", "THE MOTHS")
    nameless, _, _ = find_body(["*** START OF THE PROJECT GUTENBERG EBOOK ***", *STORY])
    assert nameless.marker_title == ""


@pytest.mark.parametrize(
    "block",
    [
        '+++\ntitle = "The Moths"\nauthor = "Ann Example"\ndraft = false\n+++\n',
        "% The Moths\n% Ann Example\n% 1897\n",
        "% The Moths\n% Ann Example\n",
    ],
    ids=["TOML", "Pandoc", "without a date"],
)
def test_metadata_before_a_text_are_its_title_and_author(block: str) -> None:
    book = gutenberg.read(f"{block}\nThe lamp was lit.\n".encode())
    assert (book.title, book.author, book.text) == ("The Moths", "Ann Example", "The lamp was lit.")


@pytest.mark.parametrize("text", ["% a comment of LaTeX", "+++\nnot = toml =\n+++\nSo", "+++\n"])
def test_other_beginnings_are_text(text: str) -> None:
    assert front_matter.split(text) == ([], text)


def test_a_page_number_in_a_line_of_verse_keeps_its_indentation() -> None:
    assert gutenberg.strip_notes(["    The moths [Pg 12] came", "[Pg 13] down"]) == [
        "    The moths came",
        "down",
    ]


@pytest.mark.parametrize(
    ("block", "before", "after", "is_one"),
    [
        pytest.param("Produced by A. Person", 0, 500, True, id="a credit at the beginning"),
        pytest.param("Produced by A. Person", 59, 500, True, id="still near the beginning"),
        pytest.param("Produced by A. Person", 500, 29, True, id="near the end"),
        pytest.param("Produced by A. Person", 60, 30, False, id="inside the book"),
        pytest.param("Produced by the lamp, " + "light fell. " * 150, 0, 500, False, id="too long"),
        pytest.param("* * *", 500, 500, True, id="an ornament anywhere"),
        pytest.param("See www.example.org for moths", 0, 500, True, id="an address"),
        pytest.param(
            "The moths of the county (https://moths.example/fens) were counted by the light of a "
            "lamp, and Ann wrote down the number of each kind.",
            *(0, 500, False),
            id="a sentence with an address",
        ),
        pytest.param(
            "The original images of the pages are available through Internet Archive. See the page "
            "https://archive.org/details/moths",
            *(0, 500, True),
            id="an address of pictures",
        ),
        pytest.param("Transcriber's Note: spelling kept.", 0, 500, True, id="a note"),
        pytest.param("The lamp was produced by Ann", 0, 500, False, id="a sentence"),
    ],
)
def test_credits_and_notes_are_near_an_end(
    block: str, before: int, after: int, is_one: bool
) -> None:
    assert is_boilerplate(block, before, after) is is_one


def markdown(*block: str) -> bytes:
    return "\n".join([*block, "", "# Chapter I", "", *STORY]).encode()


@pytest.mark.parametrize(
    "block",
    [
        pytest.param([], id="nothing"),
        pytest.param(["---", "Title: The Moths"], id="a rule that nothing closes"),
        pytest.param(["---", "The Moths", "---"], id="words between two rules"),
        pytest.param(["---", "---"], id="two rules"),
        pytest.param(["---", "[" * 5_000, "---"], id="lists without end"),
        pytest.param(["", "---", "title: The Moths", "---"], id="a block after an empty line"),
    ],
)
def test_other_text_than_yaml_stays_at_the_start(block: list[str]) -> None:
    text = "\n".join([*block, *STORY])
    assert front_matter.split(text) == ([], text)


@pytest.mark.parametrize(
    ("block", "title", "author", "language"),
    [
        pytest.param(
            ['title: "The Moths"', "author: 'Ann Example'", "lang: en-GB"],
            "The Moths",
            "Ann Example",
            "en",
            id="in quotation marks",
        ),
        pytest.param(
            ["title: The Moths", "# a remark", "author:", "  - Ann Example", '  - "Bo Sample"'],
            "The Moths",
            "Ann Example; Bo Sample",
            "",
            id="a list",
        ),
        pytest.param(
            ["author:", "- name: Ann Example", "title: >", "  The Moths", "date: 1890"],
            "The Moths",
            "Ann Example",
            "",
            id="an item and a folded text",
        ),
        pytest.param(
            ['title: "\'Tis Moths"', 'author: Ann "Moth" Example'],
            "'Tis Moths",
            'Ann "Moth" Example',
            "",
            id="quotation marks of its own",
        ),
        pytest.param(
            ['title: "Moths" and "Lamps"', "author: Ann Example"],
            '"Moths" and "Lamps"',
            "Ann Example",
            "",
            id="no YAML, two pairs",
        ),
        pytest.param(
            ["title: The Moths: or, The Lamp", "author: Ann Example"],
            "The Moths: or, The Lamp",
            "Ann Example",
            "",
            id="no YAML, a second colon",
        ),
        pytest.param(
            ['title: "The \\"Moths\\""', "author: 'Ann O''Example'"],
            'The "Moths"',
            "Ann O'Example",
            "",
            id="marks within marks",
        ),
    ],
)
@pytest.mark.parametrize("end", ["---", "..."])
def test_the_yaml_of_a_markdown_file_is_its_header_and_not_its_text(
    block: list[str], title: str, author: str, language: str, end: str
) -> None:
    book = gutenberg.read(markdown("---", *block, end))
    assert (book.title, book.author, book.language) == (title, author, language)
    assert book.text.startswith("# Chapter I\n\nThe lamp was lit on night 0.")


SMALL_PRINT_END = "*END THE SMALL PRINT! FOR PUBLIC DOMAIN EBOOKS*Ver.02/11/02*END*"
VANILLA = "**Welcome To The World of Free Plain Vanilla Electronic Texts**"
FIRST = "The Project Gutenberg EBook of The Moths, by Ann Example"


@pytest.mark.parametrize("start", [True, False], ids=["a start", "no start"])
@pytest.mark.parametrize("length", [20, 90])
def test_small_print_in_the_footer_ends_no_header(start: bool, length: int) -> None:
    header = [FIRST, "", VANILLA, "", "Title: The Moths", "Author: Ann Example", ""]
    marker = [START] if start else ["******This file should be named moths10.txt******"]
    footer = [OLD_END, "", SMALL_PRINT, "You know: lawyers.", SMALL_PRINT_END]
    lines = [*header, *marker, "", *STORY[:length], "", *footer]
    assert [line for line in body(lines) if line] == STORY[:length]


def test_a_title_that_a_marker_has_on_one_line_is_wrapped_in_its_field() -> None:
    lines = [
        "The Project Gutenberg EBook of The Moths and the Long Lamp of",
        "the Harbour, by Ann Example",
        "Title: The Moths and the Long",
        "       Lamp of the Harbour",
        START,
        *STORY,
    ]
    assert find_body(lines)[0].title == "The Moths and the Long Lamp of the Harbour"


@pytest.mark.parametrize(
    "heading", ["Transcriber's Note:", "[Transcriber’s Notes]", "_Transcriber's note_"]
)
def test_a_transcribers_note_at_either_end_has_its_body(heading: str) -> None:
    note = [heading, "Obvious printer's errors have been corrected in this e-text."]
    story = [f"{line} The moths came to it, one by one." for line in STORY]
    blocks = ["THE MOTHS", *note, "CHAPTER I", *story, *note, "Page 7: moth for moht."]
    assert gutenberg.drop_boilerplate(blocks)[0] == ["THE MOTHS", "CHAPTER I", *story]


def test_a_page_number_within_a_word_leaves_it_whole() -> None:
    assert gutenberg.strip_notes(["a wet morn[Pg 2]ing,[Pg 3] when"]) == ["a wet morning, when"]
