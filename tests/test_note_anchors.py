"""The anchors of notes in stored texts, which are no words of the book."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes import note_anchors

ANCHORS = (
    *"[1] [12] [[3]] [425:2] [193:A] [14-16] [A] [a] [*] [†] [xii] [1796] [¹]".split(),
    *"¹ ¹² ^1 ^{12} <59> {2} {A} (3) * ** † ‡ §".split(),
    "[Note 2]",
    "[fn 3]",
    "[1, 2]",
    "[Footnote]",
    *"[FN#12] [EN#3] [#4] [+] [1,2] ⁽¹⁾ ① ❶ ※ ⁎ ‖".split(),
    *"[57.] [1)] [1:] [1*] [†1] [ftn1] [AA]".split(),
    "[ 1 ]",
)


@pytest.mark.parametrize("anchor", ANCHORS)
@pytest.mark.parametrize("before", ["water", "water,", "water.”"])
def test_an_anchor_behind_a_word_or_its_mark_is_no_word(before: str, anchor: str) -> None:
    if anchor == "[a]" and before == "water":
        return  # know[s], as editors write
    text = f"It was {before}{anchor} and so on."
    assert note_anchors.blank(text) == f"It was {before}{' ' * len(anchor)} and so on."


@pytest.mark.parametrize(
    "text",
    [
        "[I]t was so, and he know[s] it",
        "the [old] man [sic] and a [young] one",
        "“[I] am here,” he said, and [a] man in [1796] came",
        "x² and 10² are powers, as is 10^3",
        "she said (3) things: * * *",
        "a < b > c {see} (above)",
        "M^r d***n H*ll",
        "½ ¹/₂",
        "Henry [II] and [MM], [AB] and [. 1]",
        "le XIXᵉ siècle; I recᵈ yours",
        "(1, 2) and Mʳ and the [1st] of [May 1, 1850] [note that well]",
    ],
)
def test_other_brackets_and_raised_numbers_stay(text: str) -> None:
    assert note_anchors.blank(text) == text


def test_a_letter_with_a_note_of_its_name_is_an_anchor() -> None:
    text = "Up the hill [f] we went\n\n[f] A hill."
    assert note_anchors.blank(text) == "Up the hill     we went\n\n    A hill."


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("A mill,[1] so.\n\n[1] A note.\n\nAnd on.", ["[1] A note."]),
        ("A mill,* so.\n\n* A note.\n\nAnd on.", ["* A note."]),
        ("A mill,[A] [Footnote A: Of _it_ [sic].] and on.", ["[Footnote A: Of _it_ [sic].]"]),
        ("A mill [Sidenote: Of _it_.] and on.", ["[Sidenote: Of _it_.]"]),
        ("A mill [Note A: so.] and [note it well].", ["[Note A: so.]"]),
        ("A mill[FN#2] [FN#2: so.] and on.", ["[FN#2: so.]"]),
        ("[1] A list.\n\n[2] Of things.", []),
        ("A footnote [Footnote 1: never closed.", []),
        ("A mill [Footnote 1] so.", []),
    ],
    ids=[
        "number",
        "mark",
        "brackets",
        "a sidenote",
        "a note",
        "Burton's",
        "numbered paragraphs",
        "open",
        "anchor",
    ],
)
def test_notes_among_a_text_are_found(text: str, notes: list[str]) -> None:
    spans = note_anchors.note_spans(text, note_anchors.anchors(text))
    assert [text[start:end] for start, end in spans] == notes


@given(st.text(st.sampled_from("aI1²[](){}<>*^: \n"), max_size=40))
def test_a_blanked_text_has_its_length_and_its_lines(text: str) -> None:
    blanked = note_anchors.blank(text)
    assert len(blanked) == len(text)
    assert blanked.count("\n") == text.count("\n")
    assert note_anchors.blank(blanked) == blanked or "[" in text or "^" in text
