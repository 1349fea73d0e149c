"""Dividing a book into chapters: small cases, hostile ones, and thirty books checked by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divided_texts import LONG, PROSE, VERSE, assert_tiles, book, titles
from scholar_indexes.books.formats import sources
from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.types import ChapterKind, Span


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LONG, id="prose"),
        pytest.param(VERSE, id="verse"),
        pytest.param("", id="nothing"),
        pytest.param("\n\n\n", id="blank lines"),
        pytest.param("1801.--I have just returned.\n\n" + LONG, id="a year"),
        pytest.param(LONG + "\n\n2\n\n" + LONG, id="a number alone"),
        pytest.param("\n\n".join(f"{n}. An item of a list." for n in range(1, 9)), id="a list"),
    ],
)
def test_a_text_without_headings_is_one_chapter(text: str) -> None:
    chapters = divide(text)
    assert_tiles(text, chapters)
    assert [(c.number, c.title, c.kind) for c in chapters] == [
        (0, "", ChapterKind.FRONT),
        (1, "", ChapterKind.CHAPTER),
    ]
    assert chapters[1].span == Span(0, len(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(book("CHAPTER I", "CHAPTER II"), ["Chapter I", "Chapter II"], id="chapters"),
        pytest.param(book("I", "II", "III", "IV"), ["I", "II", "III", "IV"], id="numerals alone"),
        pytest.param(book("1.", "2.", "3."), ["1", "2", "3"], id="figures alone"),
        pytest.param(
            book("CHAPTER ONE", "CHAPTER TWO"), ["Chapter One", "Chapter Two"], id="spelled"
        ),
        pytest.param(
            book("CHAPTER I\n\nTHE FIRST DAY", "CHAPTER II\n\nTHE NEXT DAY"),
            ["Chapter I. The First Day", "Chapter II. The Next Day"],
            id="titles in the next block",
        ),
        pytest.param(
            book("CHAPTER I\nThe First Day", "CHAPTER II\nThe Next Day"),
            ["Chapter I. The First Day", "Chapter II. The Next Day"],
            id="titles on the next line",
        ),
        pytest.param(
            book("CHAPTER I. THE FIRST", "CHAPTER II. THE NEXT"),
            ["Chapter I. The First", "Chapter II. The Next"],
            id="titles on the line",
        ),
        pytest.param(
            book("Letter 1", "Letter 2", "Chapter 1", "Chapter 2", "Chapter 3"),
            ["Letter 1", "Letter 2", "Chapter 1", "Chapter 2", "Chapter 3"],
            id="letters before the chapters",
        ),
        pytest.param(
            book("CHAPTER I", "I", "II", "III", "CHAPTER II", "I", "II", "III"),
            ["Chapter I", "Chapter II"],
            id="numerals within chapters are sections",
        ),
        pytest.param(
            book("CHAPTER I", "CHAPTER II", "Chapter 2, continued"),
            ["Chapter I", "Chapter II"],
            id="a chapter that is continued is one chapter",
        ),
        pytest.param(
            book(
                "CONTENTS|",
                "CHAPTER I|",
                "CHAPTER II|",
                "CHAPTER III|",
                "CHAPTER I",
                "CHAPTER II",
                "CHAPTER III",
            ),
            ["Chapter I", "Chapter II", "Chapter III"],
            id="a contents page of one block each",
        ),
        pytest.param(
            book("Contents\n\nI\nII\nIII|", "I", "II", "III"),
            ["I", "II", "III"],
            id="a contents page in one block",
        ),
        pytest.param(
            book(
                "CONTENTS\n\nThe Sisters\nAn Encounter\nAraby|",
                "THE SISTERS",
                "AN ENCOUNTER",
                "ARABY",
            ),
            ["The Sisters", "An Encounter", "Araby"],
            id="tales by the titles of the contents",
        ),
        pytest.param(
            book("THE RED ROOM", "THE OLD HOUSE", "THE LAST WALK"),
            ["The Red Room", "The Old House", "The Last Walk"],
            id="tales in capitals without contents",
        ),
        pytest.param(
            book("I. THE ONE", "II. THE OTHER", "VI. THE MISPRINT", "IV. FOUR", "V. FIVE"),
            ["I. The One", "II. The Other", "VI. The Misprint", "IV. Four", "V. Five"],
            id="a misprinted numeral between its neighbours",
        ),
        pytest.param(
            book("CHAPTER I", "“I—I do not know,” he said.", "CHAPTER II"),
            ["Chapter I", "Chapter II"],
            id="stammering",
        ),
        pytest.param(
            book("CANTO I", "CANTO II", text=VERSE), ["Canto I", "Canto II"], id="a long poem"
        ),
        pytest.param(book("PART I", "PART II"), ["Part I", "Part II"], id="parts without chapters"),
    ],
)
def test_chapters_are_found(text: str, expected: list[str]) -> None:
    chapters = divide(text)
    assert_tiles(text, chapters)
    assert titles(chapters) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            book(
                "VOLUME I|",
                "BOOK FIRST--A JUST MAN|",
                "CHAPTER I",
                "CHAPTER II",
                "BOOK SECOND--THE FALL|",
                "CHAPTER I",
                "VOLUME II|",
                "BOOK FIRST--WATERLOO|",
                "CHAPTER I",
            ),
            [
                (("Volume I", "Book First. A Just Man"), "Chapter I"),
                (("Volume I", "Book First. A Just Man"), "Chapter II"),
                (("Volume I", "Book Second. The Fall"), "Chapter I"),
                (("Volume II", "Book First. Waterloo"), "Chapter I"),
            ],
            id="volumes of books of chapters",
        ),
        pytest.param(
            book(
                "ACT I.|",
                "Scene I. A hall.",
                "Scene II. A wood.",
                "ACT II.|",
                "Scene I. A hall.",
                text=VERSE,
            ),
            [
                (("Act I",), "Scene I. A hall"),
                (("Act I",), "Scene II. A wood"),
                (("Act II",), "Scene I. A hall"),
            ],
            id="acts of scenes",
        ),
        pytest.param(
            "A BOOK\n\nBy Someone\n\n1857\n\n"
            + book(
                "THE SAD FORTUNES\n\nCHAPTER I",
                "CHAPTER II",
                "JANET'S REPENTANCE\n\nCHAPTER I",
                "CHAPTER II",
            ),
            [
                (("The Sad Fortunes",), "Chapter I"),
                (("The Sad Fortunes",), "Chapter II"),
                (("Janet's Repentance",), "Chapter I"),
                (("Janet's Repentance",), "Chapter II"),
            ],
            id="tales of numbered chapters",
        ),
        pytest.param(
            book("CHAPTER I", "CHAPTER II", "CHAPTER III", "EPILOGUE|", "CHAPTER I", "CHAPTER II"),
            [
                ((), "Chapter I"),
                ((), "Chapter II"),
                ((), "Chapter III"),
                (("Epilogue",), "Chapter I"),
                (("Epilogue",), "Chapter II"),
            ],
            id="an epilogue of chapters",
        ),
    ],
)
def test_chapters_are_inside_their_parts(
    text: str, expected: list[tuple[tuple[str, ...], str]]
) -> None:
    chapters = divide(text)
    assert_tiles(text, chapters)
    numbered = [chapter for chapter in chapters if chapter.kind is ChapterKind.CHAPTER]
    assert [(chapter.part, chapter.title) for chapter in numbered] == expected


def test_the_heading_of_a_part_belongs_to_its_first_chapter() -> None:
    assert divide(book("VOLUME I|", "CHAPTER I", "CHAPTER II"))[1].span.start == 0


def test_an_act_and_its_first_scene_may_share_a_line() -> None:
    text = book(
        "ACT I.|",
        "SCENE I. A hall.",
        "SCENE II. A wood.",
        "ACT II. SCENE I. OLIVIA'S garden.",
        "SCENE II. A street.",
        text=VERSE,
    )
    chapters = divide(text)
    assert [(c.part, c.title) for c in chapters[1:]] == [
        (("Act I",), "Scene I. A hall"),
        (("Act I",), "Scene II. A wood"),
        (("Act II",), "Scene I. OLIVIA'S garden"),
        (("Act II",), "Scene II. A street"),
    ]
    assert chapters[3].span.of(text).startswith("ACT II. SCENE I. OLIVIA'S garden.\n\nRoses")
    assert chapters[3].body.of(text).startswith("Roses")


def test_poems_behind_one_in_numbered_stanzas_are_divisions_by_their_titles() -> None:
    stanza = "\n\n".join(VERSE.split("\n\n")[:5])
    stanzas = "\n\n".join(f"{numeral}.\n\n{stanza}" for numeral in ("I", "II", "III", "IV"))
    text = (
        "POEMS\n\nCONTENTS\n\nTHE PARTING 1\nTHE FLIGHT 5\nODE TO A MOTH 9\nLINES ON A LAMP 12\n"
        "TO RAIN 15\n\n\n"
        f"THE PARTING.\n\n{stanzas}\n\nTHE\n\nFLIGHT.\n\n{stanzas}\n\nPOEMS.\n\n"
        f"ODE TO A MOTH.\n\n{VERSE}\n\nLINES\nON A LAMP.\n\n{VERSE}\n\nTO RAIN.\n\n{VERSE}"
    )
    chapters = divide(text)
    assert [(c.part, c.title) for c in chapters[1:]] == [
        *((("The Parting",), numeral) for numeral in ("I", "II", "III", "IV")),
        *((("The Flight",), numeral) for numeral in ("I", "II", "III", "IV")),
        ((), "Ode to a Moth"),
        ((), "Lines on a Lamp"),
        ((), "To Rain"),
    ]
    assert chapters[9].body.of(text).startswith("Roses")
    assert chapters[10].body.of(text).startswith("Roses")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "A BOOK\n\nby Someone\n\n"
            + book("PREFACE", "CHAPTER I", "CHAPTER II", "EPILOGUE", "FOOTNOTES:"),
            [
                ("", ChapterKind.FRONT),
                ("Preface", ChapterKind.PREFACE),
                ("Chapter I", ChapterKind.CHAPTER),
                ("Chapter II", ChapterKind.CHAPTER),
                ("Epilogue", ChapterKind.CHAPTER),
                ("Footnotes", ChapterKind.BACK),
            ],
            id="headings of all kinds",
        ),
        pytest.param(
            book("THE PREFACE", "CHAPTER I", "CHAPTER II", "THE EPILOGUE"),
            [
                ("", ChapterKind.FRONT),
                ("The Preface", ChapterKind.PREFACE),
                ("Chapter I", ChapterKind.CHAPTER),
                ("Chapter II", ChapterKind.CHAPTER),
                ("The Epilogue", ChapterKind.CHAPTER),
            ],
            id="a preface and an epilogue with articles",
        ),
        pytest.param(
            book("CHAPTER I\n\nTHE STORM", "CHAPTER II\n\nTHE CONCLUSION"),
            [
                ("", ChapterKind.FRONT),
                ("Chapter I. The Storm", ChapterKind.CHAPTER),
                ("Chapter II. The Conclusion", ChapterKind.CHAPTER),
            ],
            id="a title that is no heading of its own",
        ),
    ],
)
def test_every_division_has_its_kind(text: str, expected: list[tuple[str, ChapterKind]]) -> None:
    chapters = divide(text)
    assert_tiles(text, chapters)
    assert [(chapter.title, chapter.kind) for chapter in chapters] == expected


def test_a_body_holds_neither_its_heading_nor_the_end() -> None:
    text = book("CHAPTER I\n\nTHE FIRST", "CHAPTER II\n\nTHE NEXT") + "\n\nTHE END"
    _, first, second = divide(text)
    assert first.body.of(text) == LONG
    assert second.body.of(text) == LONG
    assert second.span.end == len(text)


def test_text_after_the_end_is_back_matter() -> None:
    text = book("CHAPTER I", "CHAPTER II", "CHAPTER III", "CHAPTER IV")
    text += "\n\nTHE END\n\nWORKS BY THE SAME HAND\n\n" + PROSE * 4
    chapters = divide(text)
    assert_tiles(text, chapters)
    assert titles(chapters, ChapterKind.BACK) == ["WORKS BY THE SAME HAND"]


def test_a_long_opening_without_a_heading_is_read_as_the_work() -> None:
    opening = LONG + "\n\n" + LONG
    text = "ETHAN FROME\n\nBy Edith Wharton\n\n" + opening + "\n\n" + book("I", "II", "III", "IV")
    chapters = divide(text)
    assert_tiles(text, chapters)
    assert titles(chapters) == ["", "I", "II", "III", "IV"]
    assert chapters[1].body.of(text) == opening


def test_headings_that_the_source_marks_divide_what_nothing_counts() -> None:
    text = book("The door", "The window", "The roof")
    spans = [Span(text.index(t), text.index(t) + len(t)) for t in text.split("\n\n")[::7]]
    chapters = divide(text, [Heading(span, 2) for span in spans])
    assert titles(chapters) == ["The door", "The window", "The roof"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 1_000_000, id="one line of letters"),
        pytest.param(" " * 1_000_000, id="one line of spaces"),
        pytest.param("I " * 500_000, id="one line of numerals"),
        pytest.param("CHAPTER " * 120_000, id="one line of keywords"),
        pytest.param("I\n\n" * 6_000, id="a numeral in every block"),
        pytest.param("CHAPTER I\n\n" * 4_000, id="one chapter for ever"),
        pytest.param("PREFACE\n\n" * 4_000, id="one preface for ever"),
        pytest.param("CONTENTS\n\nI\n\n" * 3_000, id="contents for ever"),
        pytest.param("\n" * 600_000, id="blank lines"),
    ],
)
def test_a_text_that_is_written_to_be_slow_is_divided(text: str) -> None:
    assert_tiles(text, divide(text))


PIECES = st.sampled_from(
    [
        "CHAPTER I",
        "CHAPTER II",
        "I",
        "II",
        "III",
        "1",
        "PART ONE",
        "PREFACE",
        "CONTENTS",
        "THE END",
        "Scene I. A hall",
        "ACT I",
        "VOLUME II",
        "INDEX",
        "EPILOGUE",
        "The Title",
        "THE TITLE",
        PROSE,
        "Roses are red,\nViolets are blue.",
        "I\nII\nIII\nIV",
        "",
        "\n",
        " ",
        "x",
    ]
)


@given(st.lists(PIECES, max_size=30))
def test_divisions_always_tile_the_text(pieces: list[str]) -> None:
    text = "\n\n".join(pieces)
    assert_tiles(text, divide(text))


@given(st.text(max_size=300))
def test_any_text_can_be_divided(text: str) -> None:
    assert_tiles(text, divide(text))


CHECKED = json.loads((Path(__file__).parents[1] / "data" / "chapters_checked.json").read_text())


QUICK = frozenset("36 44 46 84 98 120 209 345 514 541 1661 2701 4517 6593 64317".split())
"""Numbers of books whose headings are all of different kinds."""


@pytest.mark.shared
@pytest.mark.parametrize(
    "pgid",
    [
        pytest.param(number, marks=() if number in QUICK else pytest.mark.slow)
        for number in sorted(CHECKED, key=int)
    ],
)
def test_the_chapters_of_a_book_are_the_ones_counted_by_hand(pgid: str, shared_texts: Path) -> None:
    truth = CHECKED[pgid]
    text = sources.read((shared_texts / "primary" / f"{pgid}.txt").read_bytes()).text
    chapters = divide(text)
    assert_tiles(text, chapters)
    numbered = [c for c in chapters if c.kind is ChapterKind.CHAPTER]
    assert len(numbered) == truth["chapters"]
    assert numbered[0].title == truth["first"]
    assert numbered[-1].title == truth["last"]
    parts = list(dict.fromkeys(c.part[0] for c in numbered if c.part))
    assert len(parts) == truth["parts"]
