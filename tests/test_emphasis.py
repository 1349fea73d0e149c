"""Emphasis in stored texts: which marks are read as italics or bold, and which stay."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scholar_indexes.emphasis import (
    find_emphasis,
    plain_line,
    plain_text,
    run_length,
    slice_runs,
    styled_line,
    styled_runs,
)
from scholar_indexes.sanitize import visible_line

TEXT = st.text(st.sampled_from("__==ab 1.,“”'(\n—é\x07*&"), max_size=40)


def marked(text: str, before: str = "", after: str = "") -> str:
    """Return a text with its italics between slashes, its bold words between asterisks."""
    signs = {(False, False): "", (True, False): "/", (False, True): "*", (True, True): "/*"}
    return "".join(
        f"{sign}{run.text}{sign[::-1]}"
        for run in styled_runs(text, before, after)
        for sign in (signs[run.italic, run.bold],)
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("snake_case and find_all_files", id="names of programs"),
        pytest.param("the _private name", id="a lone mark before a word"),
        pytest.param("it is so_ then", id="a lone mark behind a word"),
        pytest.param("JOHN B_____, of G______", id="a blank to fill in"),
        pytest.param("____ said to ____", id="blanks by themselves"),
        pytest.param("Name: _______ Date: ____", id="a form"),
        pytest.param("17__ and D__n", id="letters left out"),
        pytest.param("cede _260\nAnd must _261", id="numbers of lines"),
        pytest.param("_32-_41 Assigned", id="a range of lines"),
        pytest.param("\n=====\n", id="a rule"),
        pytest.param("a = b and c = d", id="an equation"),
        pytest.param("a=b=c", id="an equation without spaces"),
        pytest.param('name="x" id="y"', id="attributes of HTML"),
        pytest.param("==x==", id="doubled equals signs"),
        pytest.param("_ _", id="nothing between two marks"),
        pytest.param("_!_", id="no letter between two marks"),
        pytest.param("_one\n\ntwo_", id="over an empty line"),
        pytest.param("=one\n \ntwo=", id="bold over an empty line"),
        pytest.param("apeiritos estaphan_otai pant' _osden", id="long vowels of Greek"),
    ],
)
def test_marks_without_emphasis_stay(text: str) -> None:
    assert find_emphasis(text) == []
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I _did_ it.", "I /did/ it.", id="a word"),
        pytest.param("“_No!_” he said", "“/No!/” he said", id="within quotation marks"),
        pytest.param("_“Go,”_ he said", "/“Go,”/ he said", id="around quotation marks"),
        pytest.param("_a_ _b_, _c_", "/a/ /b/, /c/", id="one after another"),
        pytest.param("_all\nof it_", "/all\nof it/", id="over the end of a line"),
        pytest.param("my_self_ and _un_kind", "my/self/ and /un/kind", id="a part of a word"),
        pytest.param("10_l._ 5_s._", "10/l./ 5/s./", id="pounds and shillings"),
        pytest.param("No-sirree-_bob_, they", "No-sirree-/bob/, they", id="behind a hyphen"),
        pytest.param("_wait_--_now_", "/wait/--/now/", id="next to dashes"),
        pytest.param("=Jane Eyre.= By", "*Jane Eyre.* By", id="bold"),
        pytest.param("_so =very= so_", "/so //*very*// so/", id="bold within italics"),
        pytest.param("say _x and _y_ again", "say _x and /y/ again", id="a lone mark before"),
        pytest.param("prac_tis_ing the _rule_", "prac_tis_ing the /rule/", id="after a name"),
        pytest.param("it _was _true", "it /was /true", id="a space before the second mark"),
        pytest.param("cried _Enter! _ and", "cried /Enter! / and", id="a space on either side"),
        pytest.param("_ P._ Are you", "/ P./ Are you", id="a space behind the first mark"),
    ],
)
def test_emphasis_is_read(text: str, expected: str) -> None:
    assert marked(text) == expected


@pytest.mark.parametrize(
    ("before", "text", "after", "expected"),
    [
        pytest.param("He _said ", "so. He_ went", "", "/so. He/ went", id="begins in italics"),
        pytest.param("", "He _said", " so_ again", "He /said/", id="ends in italics"),
        pytest.param("a _long ", "story", " of it_", "/story/", id="within italics"),
        pytest.param("_a_ b ", "c _d_", "", "c /d/", id="after italics"),
        pytest.param("_a\n\n", "b_ c", "", "b_ c", id="not from another paragraph"),
        pytest.param("", "b_ c", "", "b_ c", id="nothing is known"),
    ],
)
def test_a_passage_is_read_with_its_context(
    before: str, text: str, after: str, expected: str
) -> None:
    assert marked(text, before, after) == expected


def test_a_sentence_may_be_bold_next_to_italics() -> None:
    runs = styled_runs("He _did. Then_ he", strong=(9, 14))
    assert [(run.text, run.start, run.italic, run.bold) for run in runs] == [
        ("He ", 0, False, False),
        ("did. ", 4, True, False),
        ("Then", 9, True, True),
        (" he", 14, False, False),
    ]


@given(TEXT, TEXT, TEXT, st.tuples(st.integers(0, 40), st.integers(0, 40)))
@example("_a ", "b_ _c", " d_", (1, 3))
def test_runs_are_the_text_without_its_marks_in_order(
    before: str, text: str, after: str, strong: tuple[int, int]
) -> None:
    at = len(before)
    marks = {
        place - at
        for words in find_emphasis(before + text + after)
        for place in (words.start, words.end - 1)
    }
    runs = styled_runs(text, before, after, strong)
    kept = [place for run in runs for place in range(run.start, run.start + len(run.text))]
    assert kept == [place for place in range(len(text)) if place not in marks]
    assert "".join(run.text for run in runs) == "".join(text[place] for place in kept)


@given(TEXT)
@example("a _ \n_ b")
def test_a_line_in_runs_reads_as_one_line(text: str) -> None:
    assert plain_line(text) == visible_line(plain_text(text))


@given(TEXT, st.integers(0, 20), st.integers(0, 20))
def test_a_slice_of_runs_is_the_slice_of_their_text(text: str, start: int, end: int) -> None:
    line = styled_line(text)
    words = "".join(run.text for run in slice_runs(line, start, end))
    assert words == plain_line(text)[start:end]
    assert run_length(line) == len(plain_line(text))


@pytest.mark.parametrize("piece", ["_a", " !_", "=a ", "_! ", " _a"])
def test_no_text_takes_long_to_read(piece: str) -> None:
    assert plain_text(piece * 20_000)  # pairs of all marks would take minutes
