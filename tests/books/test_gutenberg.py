"""Plain text from Project Gutenberg: decoding it, unpacking it, undoing its line breaks."""

from __future__ import annotations

import textwrap
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes import decoding
from scholar_indexes.books.formats import gutenberg, gutenberg_header
from scholar_indexes.books.formats.line_wrapping import unwrap

HEADER = """The Project Gutenberg EBook of {title}, by {author}

This eBook is for the use of anyone anywhere at no cost and with
almost no restrictions whatsoever.

Title: {title}

Author: {author}

Release Date: May, 1996  [EBook #514]

Language: English

Character set encoding: ISO-8859-1

"""
START = "*** START OF THIS PROJECT GUTENBERG EBOOK {} ***\n\n"
END = (
    "\n\nEnd of the Project Gutenberg EBook of {}\n\n"
    "*** END OF THIS PROJECT GUTENBERG EBOOK ***\nLaw."
)

PROSE = (
    "It was a bright cold day in April, and the clocks were striking thirteen, for nobody had "
    "wound them since the old man died and left the house to a nephew whom no one had seen. "
)


def wrapped(text: str, width: int = 72, indent: str = "") -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def blocks(text: str) -> list[str]:
    return unwrap(text.split("\n"))


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        pytest.param(b"plain", "plain", "ascii", id="ascii"),
        pytest.param("café".encode(), "café", "utf-8", id="utf-8"),
        pytest.param(b"\xef\xbb\xbfcaf\xc3\xa9", "café", "utf-8", id="utf-8 with a mark"),
        pytest.param("café".encode("latin-1") * 3, "café" * 3, "latin-1", id="latin-1"),
        pytest.param("“Go,” he said.".encode("cp1252"), "“Go,” he said.", "cp1252", id="cp1252"),
        pytest.param("\ufeffGo".encode("utf-16-le"), "Go", "utf-16", id="utf-16 little end first"),
        pytest.param("\ufeffGo".encode("utf-16-be"), "Go", "utf-16", id="utf-16 big end first"),
        pytest.param(
            b"Charset: UTF-8. Bront\xeb said so to everyone.",
            "Charset: UTF-8. Brontë said so to everyone.",
            "latin-1",
            id="a header that is wrong is not believed",
        ),
        pytest.param(
            ("é" * 200).encode() + b"\xc3", "é" * 200 + "\ufffd", "utf-8", id="a file cut short"
        ),
        pytest.param(
            ("é" * 200).encode() + b"\x93a", "é" * 200 + "“a", "utf-8", id="a byte of Windows-1252"
        ),
        pytest.param(
            ("“é” ".encode() * 9 + b"\x93\xe9\x94 ") * 3,
            "“é” " * 30,
            "utf-8 with cp1252",
            id="two encodings in one file",
        ),
        pytest.param(
            "“Café,” he “é”".encode().decode("cp1252", "ignore").encode(),
            "“Café,” he “é”",
            "utf-8 in utf-8",
            id="UTF-8 encoded twice",
        ),
        pytest.param("São Tomé, “â”".encode(), "São Tomé, “â”", "utf-8", id="accents"),
        pytest.param("cœur sœur".encode("iso8859-15"), "cœur sœur", "iso8859-15", id="Latin-9"),
    ],
)
def test_bytes_are_read_by_what_they_are(data: bytes, text: str, encoding: str) -> None:
    assert decoding.decode(data) == (text, encoding)


def test_control_characters_are_those_of_windows() -> None:
    assert decoding.plain("\u0093It\u0092s\u0085\u0094 \u0097 so\u0081") == "“It’s…” — so"
    assert decoding.plain("a line\u0085and another") == "a line\nand another"


def test_entities_of_a_plain_text_are_read_if_it_has_many() -> None:
    text = "&#8220;It&#x2019;s &eacute;t&eacute; &amp;c.&#8221;&mdash; AT&T; &c. &unknown; "
    assert decoding.with_entities(text * 2) == "“It’s été &c.”— AT&T; &c. &unknown; " * 2
    assert decoding.with_entities(text) == text


OLD_TEXT = (
    "“I’ve never—” said Zoë. “Never!” The café of René’s was… naïve. Anaïs paid £40, à la carte, "
    "to Æneas, the fiancé of Thérèse, who was twenty-five.\n"
)
TYPED = OLD_TEXT.translate(str.maketrans("“”’—…", '""\'-.'))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (OLD_TEXT, "mac_roman"),
        (OLD_TEXT, "cp1252"),
        (OLD_TEXT, "utf-16-le"),
        (OLD_TEXT, "utf-16-be"),
        (OLD_TEXT, "utf-32-le"),
        (OLD_TEXT, "utf-32-be"),
        (TYPED, "mac_roman"),
        (TYPED, "cp437"),
        (TYPED, "cp850"),
        (TYPED, "latin-1"),
    ],
)
def test_an_encoding_without_a_mark_is_known_by_its_text(text: str, encoding: str) -> None:
    data = text.encode(encoding) * 3
    assert decoding.decode(data)[0] == text * 3
    assert decoding.is_text(data)


def test_other_alphabets_are_guessed() -> None:
    russian = "Все счастливые семьи похожи друг на друга, каждая несчастлива по-своему. " * 20
    text, _ = decoding.decode(russian.encode("cp1251"))
    assert text == russian


@given(st.binary(max_size=400))
def test_any_bytes_decode(data: bytes) -> None:
    text, _ = decoding.decode(data)
    assert isinstance(decoding.plain(text), str)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        pytest.param("a\r\nb\rc", "a\nb\nc", id="line ends of other systems"),
        pytest.param("a\x00\x07\x1bb", "ab", id="control characters"),
        pytest.param("a\u202eb\u2066c\ufeff", "abc", id="marks of direction and byte order"),
        pytest.param("a\u00a0b", "a b", id="no-break space"),
        pytest.param("a\tb", "a       b", id="a tab reaches the eighth column"),
        pytest.param("\ufb01ne o\ufb03ce", "fine office", id="ligatures"),
        pytest.param("a\x0cb\x85c", "a\nb\nc", id="form feed and next line"),
    ],
)
def test_text_holds_no_control_characters(raw: str, clean: str) -> None:
    assert decoding.plain(raw) == clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(wrapped(PROSE * 2), [(PROSE * 2).strip()], id="prose becomes one line"),
        pytest.param(
            wrapped(PROSE * 2, indent="    "), [(PROSE * 2).strip()], id="a block set in is prose"
        ),
        pytest.param(
            "Bright star, would I were stedfast as thou art--\nNot in lone splendour hung aloft\n"
            "  And watching, with eternal lids apart,\nLike nature's patient, sleepless Eremite,",
            [
                "Bright star, would I were stedfast as thou art--\nNot in lone splendour hung "
                "aloft\n  And watching, with eternal lids apart,\nLike nature's patient, "
                "sleepless Eremite,"
            ],
            id="verse keeps its lines and its indentation",
        ),
        pytest.param(
            "Mr. Jones,\n12, High Street,\nLondon.",
            ["Mr. Jones,\n12, High Street,\nLondon."],
            id="an address keeps its lines",
        ),
        pytest.param("CHAPTER I\nTHE BOY", ["CHAPTER I\nTHE BOY"], id="a heading keeps its lines"),
        pytest.param("  one   two \n\n\n\n\nthree", ["one two", "three"], id="spaces are squeezed"),
        pytest.param(
            "x" * 500 + "\nand more", ["x" * 500 + "\nand more"], id="no one wraps at 500"
        ),
        pytest.param("", [], id="nothing"),
    ],
)
def test_only_forced_line_breaks_are_undone(text: str, expected: list[str]) -> None:
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        pytest.param("drawing-", "room", "drawing-room", id="hyphen"),
        pytest.param("he said--", "and", "he said--and", id="dash of two hyphens"),
        pytest.param("he said—", "and", "he said—and", id="dash"),
        pytest.param("he said", "--and", "he said--and", id="dash on the next line"),
        pytest.param("he said --", "and", "he said -- and", id="dash between spaces"),
        pytest.param("Mr. D----", "went", "Mr. D---- went", id="a name left out"),
        pytest.param("he said", "and", "he said and", id="words"),
    ],
)
def test_lines_are_joined_at_a_hyphen_without_a_space(first: str, second: str, joined: str) -> None:
    filler = "word " * 12
    text = "\n".join([filler + first, second + " " + filler + "words", filler + "more ends it."])
    assert joined in blocks(text)[0]


WRAPPED = [
    f"The lamp that was lit on night {n} stood in the window\nand drew the moths of the county."
    for n in range(12)
]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n\n".join(WRAPPED).replace("\n", "\r\r\n"), id="two carriage returns"),
        pytest.param("\n\n".join(WRAPPED).replace("\n", "\n\n"), id="an empty line after each"),
        pytest.param(
            "\n\n\n".join(part.replace("\n", "\n\n") for part in WRAPPED), id="two after each"
        ),
    ],
)
def test_lines_with_empty_ones_between_are_joined(text: str) -> None:
    blocks = gutenberg.read(text.encode()).text.split("\n\n")
    assert blocks == [part.replace("\n", " ") for part in WRAPPED]


def test_long_lines_without_empty_ones_are_paragraphs() -> None:
    lines = ["CHAPTER I", *(f"{part} {part}".replace("\n", " ") for part in WRAPPED * 2), "“Go!”"]
    assert gutenberg.read("\n".join(lines).encode()).text.split("\n\n") == lines


def test_a_salutation_stays_on_its_own_line() -> None:
    letter = "Dear Sir,\n" + wrapped(PROSE * 2)
    assert blocks(letter) == ["Dear Sir,\n" + (PROSE * 2).strip()]


def test_a_two_line_paragraph_takes_its_width_from_its_neighbours() -> None:
    short = wrapped("He had never been there before, and he was never to go there again, alas.", 72)
    assert "\n" in short
    text = "\n\n".join([wrapped(PROSE * 3)] * 5 + [short] + [wrapped(PROSE * 3)] * 5)
    assert all("\n" not in block for block in blocks(text))


words = st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x17F), min_size=1, max_size=9)
paragraphs = st.lists(st.lists(words, min_size=1, max_size=60), min_size=1, max_size=8)


@given(paragraphs, st.integers(40, 80))
def test_every_word_survives_in_order(book: list[list[str]], width: int) -> None:
    text = "\n\n".join(wrapped(" ".join(paragraph), width) for paragraph in book)
    assert " ".join(blocks(text)).split() == text.split()


@given(paragraphs, st.integers(40, 80))
def test_unwrapping_twice_changes_nothing_more(book: list[list[str]], width: int) -> None:
    sentences = [" ".join(paragraph).capitalize() + "." for paragraph in book]
    once = blocks("\n\n".join(wrapped(sentence, width) for sentence in sentences))
    long = [block for block in once if len(block) > 160]
    assert blocks("\n\n".join(long)) == long


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(HEADER + START.format("X"), END.format("X"), id="the usual header and footer"),
        pytest.param(
            HEADER
            + "***START OF THE PROJECT GUTENBERG EBOOK X***\n\n\nE-text prepared by A. Person\n\n",
            "\n\n***END OF THE PROJECT GUTENBERG EBOOK X***\nLaw.",
            id="markers without spaces",
        ),
        pytest.param(
            HEADER + "*** START OF THE PROJECT GUTENBERG EBOOK A VERY LONG\nTITLE INDEED ***\n\n",
            END.format("X"),
            id="a marker over two lines",
        ),
        pytest.param(
            HEADER + "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN EBOOKS**START***\nLaw.\n"
            "*END THE SMALL PRINT! FOR PUBLIC DOMAIN EBOOKS*Ver.02/11/02*END*\n\n",
            "\n\nEnd of Project Gutenberg's Little Women, by Louisa May Alcott",
            id="the small print",
        ),
        pytest.param(HEADER + START.format("X"), "", id="a header without a footer"),
        pytest.param(
            HEADER + START.format("X") + "Produced by A. Person and the Online Distributed\n"
            "Proofreading Team at http://www.pgdp.net\n\n[Transcriber's Note: spelling kept.]\n\n",
            END.format("X"),
            id="credits and a transcriber's note",
        ),
    ],
)
def test_the_wrapping_is_taken_off(before: str, after: str) -> None:
    body = "\n\n".join([wrapped(PROSE * 2)] * 3)
    data = before.format(title="Little Women", author="Louisa May Alcott") + body + after
    manuscript = gutenberg.read(data.encode())
    assert manuscript.text.split("\n\n") == [(PROSE * 2).strip()] * 3
    assert manuscript.title == "Little Women"
    assert manuscript.author == "Louisa May Alcott"
    assert manuscript.language == "en"
    assert manuscript.gutenberg_id == 514


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["Jane Eyre", "an Autobiography"], "Jane Eyre: An Autobiography"),
        (["Frankenstein", "or The Modern Prometheus"], "Frankenstein; or, The Modern Prometheus"),
        (["Moby Dick;", "Or, The Whale"], "Moby Dick; or, The Whale"),
        (["The Marble Faun, Volume I.", "The Romance"], "The Marble Faun, Volume I: The Romance"),
        (["Travels", "into several remote nations"], "Travels into several remote nations"),
        (["A title, with more", "of it"], "A title, with more of it"),
        (["A title that is as long as the lines of headers were once,", "And so on"], None),
    ],
)
def test_a_subtitle_on_its_own_line_is_set_off(lines: list[str], title: str | None) -> None:
    data = HEADER.format(title="\n       ".join(lines), author="M. Shelley")
    manuscript = gutenberg.read((data + START.format("X") + PROSE).encode())
    assert manuscript.title == (title or " ".join(lines))


def test_a_text_without_a_header_has_its_title_on_its_first_lines() -> None:
    manuscript = gutenberg.read(("HAMLET\n\nby William Shakespeare\n\n" + PROSE).encode())
    assert (manuscript.title, manuscript.author) == ("HAMLET", "William Shakespeare")


@pytest.mark.parametrize(
    ("opening", "title"),
    [
        ("CONTENTS", ""),
        ("Table of Contents", ""),
        ("PREFACE", ""),
        ("Introduction", ""),
        ("Author’s Note", ""),
        ("CONTENTS\n\nHAMLET\n\nby William Shakespeare", "HAMLET"),
        ("Notes from the Underground", "Notes from the Underground"),
    ],
)
def test_the_name_of_a_division_is_not_the_title(opening: str, title: str) -> None:
    assert gutenberg.read(f"{opening}\n\n{PROSE}".encode()).title == title


@pytest.mark.parametrize(
    ("noise", "left"),
    [
        pytest.param("[Illustration]", [], id="a bare illustration"),
        pytest.param("[Illustration: He went\nhome.\n\n[_Copyright 1894._]]", [], id="a long one"),
        pytest.param("[Pg 12]", [], id="a page number"),
        pytest.param("[12]", [], id="a number in brackets"),
        pytest.param("{12}", [], id="a number in braces"),
        pytest.param("* * * * *", [], id="an ornament"),
        pytest.param("[ 12 ]", ["[ 12 ]"], id="a spaced number is a heading of the book"),
        pytest.param("[Illustration: never closed", ["[Illustration: never closed"], id="unclosed"),
        pytest.param("[Footnote 1: So.]", ["[Footnote 1: So.]"], id="a footnote stays"),
        pytest.param("_No!_ she said.", ["_No!_ she said."], id="italics stay"),
    ],
)
def test_captions_and_page_numbers_go(noise: str, left: list[str]) -> None:
    text = "\n\n".join([wrapped(PROSE), noise, wrapped(PROSE)])
    assert gutenberg.read(text.encode()).text.split("\n\n") == [PROSE.strip(), *left, PROSE.strip()]


def test_a_page_number_leaves_no_gap_in_a_paragraph() -> None:
    whole = (PROSE * 2).strip()
    first, second = whole[:218].strip(), whole[218:].strip()
    text = f"{wrapped(first)}\n\n[Pg 12]\n\n{wrapped(second)}"
    assert gutenberg.read(text.encode()).text == whole


def test_reading_what_was_read_changes_nothing() -> None:
    verse = "Roses are red,\nViolets are blue,\n  Sugar is sweet,\nAnd so are you."
    text = "\n\n".join([*[wrapped(PROSE * 2)] * 6, verse, wrapped(PROSE)])
    once = gutenberg.read(text.encode()).text
    assert verse in once
    assert gutenberg.read(once.encode()).text == once


@pytest.mark.parametrize(
    ("name", "code"),
    [("English", "en"), ("en-GB", "en"), ("French", "fr"), ("", ""), ("Klingon", "")],
)
def test_languages_have_codes(name: str, code: str) -> None:
    assert gutenberg_header.language_code(name) == code


def test_hostile_input_takes_no_time() -> None:
    for hostile in ("[Illustration" * 40_000, "a" * 1_000_000, "*" * 500_000, "[" * 200_000):
        assert isinstance(gutenberg.read(hostile.encode()).text, str)


@pytest.mark.shared
def test_no_wrapping_is_left_in_the_collection(shared_texts: Path) -> None:
    for path in sorted((shared_texts / "primary").glob("*.txt"))[::36]:
        text = gutenberg.read(path.read_bytes()).text
        assert "PROJECT GUTENBERG EBOOK" not in text, path.name
        assert "\n\n\n" not in text
        assert not any(line != line.rstrip() for line in text.split("\n"))
        paragraphs = text.split("\n\n")
        assert not any(a == b == "" for a, b in pairwise(paragraphs))
