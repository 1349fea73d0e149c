"""Quotation marks: what they enclose, and marks that are nested, open or of other languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from essay_files import found, quoted
from scholar_indexes.quotations.essays import marks, plain, reading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He says “we beat on”, twice.", ["we beat on"]),
        ('He says "we beat on," twice.', ["we beat on,"]),
        ("He says ‘we can’t go on’ twice.", ["we can’t go on"]),
        ("He says 'we can't go on' twice.", ["we can't go on"]),
        ("“‘We beat on,’ he said,” she wrote.", ["‘We beat on,’ he said,"]),
        ("« on y va » et „so ist es“", ["on y va", "so ist es"]),
        ("“one” and “two”", ["one", "two"]),
        ("It's the dogs' home, and 'tis late", []),
        ("'Tis said that the dogs' tails and cats' ears, and 'Twas or 'Em, are boys' things", []),
        ("He says 'Time and again' or 'Round the corner'", ["Time and again", "Round the corner"]),
        ("He said `no’ and ‘twas it' so", ["no", "twas it"]),
        ("a 6\" ruler and the '90s", []),
        ("“  ” and ''", []),
    ],
)
def test_text_between_marks_is_quoted(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


PAIRS = (
    "“” \"\" ‘’ '' «» »« »» „“ „” ”” ‹› ›‹ ‚‘ ‚’ 「」 『』 ｢｣ 〝〞 〝〟 ″″ ＂＂ `' "
    '“" "“ "” „" “„ ““ ”“ ″” ‘\' ❝❞ ‟” ‛’ ❛❜ 《》 〈〉'
).split()


@pytest.mark.parametrize(("pair", "space"), [*((pair, "") for pair in PAIRS), ("«»", " ")])
def test_a_quotation_ends_at_its_mark_whatever_the_language(pair: str, space: str) -> None:
    quote = f"{pair[0]}{space}so we beat on, boats{space}{pair[1]}"
    for text in (f"It ends: {quote}, he says, and “goes on” so.", f"({quote}) and “goes on”."):
        assert quoted(text) == ["so we beat on, boats", "goes on"]


@pytest.mark.parametrize(
    "typed",
    [
        "``{}''",
        ",,{}''",
        "‘‘{}’’",
        "''{}''",
        "´´{}´´",
        "<<{}>>",
        "&quot;{}&quot;",
        "&ldquo;{}&rdquo;",
    ],
)
def test_marks_of_several_characters_are_read(tmp_path: Path, typed: str) -> None:
    text = f"It ends {typed.format('we beat on')} and {typed.format('boats')}, the dogs' way."
    start = 9 + typed.index("{")
    quotations = found(tmp_path, "essay.txt", text)
    assert [quote for quote, _, _ in quotations] == ["we beat on", "boats"]
    assert quotations[0] == ("we beat on", 1, start)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('“He says "so" then” and “x”', ['He says "so" then', "x"]),
        ('“A 6" ruler” and “x”', ['A 6" ruler', "x"]),
        ("„Er sagt “so” und “x”.“", ["Er sagt “so” und “x”."]),
        ("«Il dit “oui », dit-elle. «Non»", ["Il dit “oui", "Non"]),
        ("»Er sagt ›so‹ dann« und »so«", ["Er sagt ›so‹ dann", "so"]),
        ("”Han säger” och ”så", ["Han säger", "så"]),
        ("“Never closed and “closed” here", ["Never closed and", "closed"]),
        ("„Nie zu und „zu“ hier", ["Nie zu und", "zu"]),
        ("The `code` of 'this thing' is it", ["this thing"]),
        ("It is 5″ by 6″ and the dogs’ boats", []),
        ("He beats on “into the past (180).” Or “the past (p. 3)”", ["into the past", "the past"]),
    ],
)
def test_nested_and_stray_marks_hide_no_quotation(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He: "we beat\n\non," and "so".', [("we beat\n\non,", False), ("so", False)]),
        ("He: “we\n\nbeat\n\non” and “so”.", [("we\n\nbeat\n\non", False), ("so", False)]),
        ("He: «we beat\n\non », she.", [("we beat\n\non", False)]),
        ('He: "we beat\n\n"On and" so.', [("we beat", False), ("On and", False)]),
        ("He: “we beat\n\nShe: “on” so.", [("we beat", True), ("on", False)]),
        ("He: “we beat\n\n    A block”\n\nSo.", [("we beat", True), ("A block”", False)]),
    ],
)
def test_a_quotation_may_end_in_a_later_paragraph(
    tmp_path: Path, text: str, expected: list[tuple[str, bool]]
) -> None:
    path = tmp_path / "essay.txt"
    path.write_text(text, "utf-8")
    assert [
        (quotation.text, quotation.is_open) for quotation in reading.quotations(str(path))
    ] == expected


def test_a_mark_without_its_closing_mark_is_reported_as_open() -> None:
    [mark] = marks.find("He says “we beat on, boats")
    assert mark.is_open
    assert [mark.is_open for mark in marks.find("“one” “two")] == [False, True]


def test_a_straight_mark_that_opens_again_ends_what_is_not_closed() -> None:
    text = 'He says "her voice is full and adds "boats against the current" so'
    assert [(mark.span.of(text), mark.is_open) for mark in marks.find(text)] == [
        ("her voice is full and adds", True),
        ("boats against the current", False),
    ]


@pytest.mark.parametrize("name", ["essay.md", "essay.txt"])
def test_a_quotation_of_several_paragraphs_is_closed_by_the_last(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("He: “In vain.\n\n“You must.”\n\nShe: “Not closed.\n\nThe end.\n", "utf-8")
    assert [quotation.is_open for quotation in reading.quotations(str(path))] == [
        False,
        False,
        True,
    ]


@given(st.text(alphabet="ab “”‘’\"'«»,.\n", max_size=80))
def test_quotations_follow_one_another(text: str) -> None:
    ends = 0
    for mark in marks.find(text):
        assert ends <= mark.span.start < mark.span.end <= len(text)
        ends = mark.span.end


def test_a_long_paragraph_of_open_marks_is_read_at_once() -> None:
    assert len(list(marks.find(" ‘ab" * 20_000))) == 0


@pytest.mark.parametrize("typed", [">>{}<<, said Ann.", ">{}<, said Ann."])
def test_typed_guillemets_at_the_beginning_of_a_paragraph_are_no_marks_of_mail(typed: str) -> None:
    text = typed.format("The geese flew over the mill")
    assert [(part.text, part.is_block) for part in plain.read(f"So:\n\n{text}\n")][1] == (
        text,
        False,
    )


def test_a_long_line_of_spaces_is_read_at_once() -> None:
    assert list(plain.read(" " * 200_000)) == []
