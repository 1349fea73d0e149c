"""Quoted pieces of a paragraph: which are speech, and which form one interrupted quotation."""

from __future__ import annotations

import re

import pytest

from scholar_indexes.attribution.quotes.dashes import find_dashed
from scholar_indexes.attribution.quotes.pieces import Piece
from scholar_indexes.attribution.quotes.speech import FAR, LONG, PHRASE, group_pieces, is_speech
from scholar_indexes.types import Span


def pieces_of(text: str) -> list[Piece]:
    return [
        Piece(Span(match.start() + 1, match.end() - 1), match.start(), match.start() == 0, False)
        for match in re.finditer("“[^”]*”", text)
    ]


def speech(text: str, before: Piece | None = None) -> bool:
    """Return True if the last quoted piece of a paragraph is speech."""
    return is_speech(text, 0, pieces_of(text)[-1], before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("“a lamp”", True, id="at the beginning"),
        pytest.param("He came: “a lamp”", True, id="after a colon"),
        pytest.param("He came, “a lamp”", True, id="after a comma"),
        pytest.param("He called it “a lamp”", False, id="a word that is named"),
        pytest.param("He read “The Moths”", False, id="a title"),
        pytest.param("He read “The Moths.”", False, id="a title with a full stop"),
        pytest.param("He read “The Moths!”", True, id="an exclamation"),
        pytest.param("He read “_The Moths!_”", True, id="an exclamation in italics"),
        pytest.param("He read “Where?”", True, id="a question"),
        pytest.param("He said “The Moths.”", True, id="after a verb of speech"),
        pytest.param("He RESPONDED “The Moths.”", True, id="a verb in capitals"),
        pytest.param("He was heard of as “The” and saying “Moths.”", True, id="a participle"),
        pytest.param(f"He read “{'Moths ' * LONG}”", True, id="a whole sentence"),
        pytest.param(f"He read “{'Moths ' * (LONG - 1)}”", False, id="a word less"),
        pytest.param("He read “ The Moths!”", True, id="a space after the mark"),
        pytest.param("He read “ the moths!”", False, id="a small letter after a space"),
    ],
)
def test_a_piece_is_speech_by_what_leads_to_it_or_what_it_is(text: str, expected: bool) -> None:
    assert speech(text) is expected


@pytest.mark.parametrize(
    ("words", "end", "with_before", "expected"),
    [
        pytest.param(PHRASE, ".", True, True, id="a phrase that goes on"),
        pytest.param(PHRASE - 1, ".", True, False, id="too short"),
        pytest.param(PHRASE, "", True, False, id="without an end"),
        pytest.param(PHRASE, ".", False, False, id="without a quotation before"),
        pytest.param(PHRASE, "._", True, True, id="in italics"),
    ],
)
def test_a_phrase_in_small_letters_goes_on_with_the_quotation_before(
    words: int, end: str, with_before: bool, expected: bool
) -> None:
    phrase = " ".join(["lamp"] * words) + end
    text = f"“I see,” he said and showed the “{phrase}”"
    before = pieces_of(text)[0] if with_before else None
    assert speech(text, before) is expected


def test_a_phrase_after_a_sentence_of_the_narrator_goes_on_with_nothing() -> None:
    text = "“I see,” he said. Then he showed the “old lamp that was lit.”"
    assert not speech(text, pieces_of(text)[0])


def test_only_words_of_the_paragraph_lead_to_a_piece() -> None:
    text = "He said\n\n“a lamp”"
    assert is_speech(text, text.index("“"), pieces_of(text)[0], None)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        pytest.param("“I see,” said Ann, “a lamp.”", [2], id="interrupted"),
        pytest.param("“I see,” said Ann. “A lamp.”", [2], id="two sentences, one tag"),
        pytest.param("“I see.” Ann laughed. She rose. “A lamp.”", [1, 1], id="a sentence between"),
        pytest.param("“I see.” She rose, and said, “A lamp.”", [1, 1], id="a new one begins"),
        pytest.param("“I see,” she said, “a lamp.”", [2], id="she said"),
        pytest.param("“I see!” she said, “a lamp.”", [2], id="a small letter goes on"),
        pytest.param("“I see!” Ann said, “a lamp.”", [2], id="a name says so"),
        pytest.param("“I see!” Mr. Reed said, “a lamp.”", [2], id="a title and a name say so"),
        pytest.param("“I see!” Then said Ann, “A lamp.”", [1, 1], id="then is no name"),
        pytest.param("“I see,” said Mr. Reed, “a lamp.”", [2], id="an abbreviation ends nothing"),
        pytest.param("“I see,” said Ann to Reed. He left. “A lamp.”", [1, 1], id="two sentences"),
        pytest.param("“I see.”“A lamp.”", [1, 1], id="nothing between"),
        pytest.param("“I see.” “A lamp.”", [1, 1], id="a space between"),
        pytest.param("“I,” said Ann, “see,” she went on, “a lamp.”", [3], id="three"),
    ],
)
def test_pieces_are_one_quotation_unless_a_sentence_separates_them(
    text: str, sizes: list[int]
) -> None:
    pieces = pieces_of(text)
    groups = group_pieces(text, pieces)
    assert [len(group) for group in groups] == sizes
    assert [piece for group in groups for piece in group] == pieces


@pytest.mark.parametrize(("distance", "count"), [(FAR - 1, 1), (FAR, 2)])
def test_pieces_far_apart_are_not_one_quotation(distance: int, count: int) -> None:
    between = (" said she" + " and she" * FAR)[:distance]
    text = f"“I see,”{between}“a lamp.”"
    first, last = pieces_of(text)
    assert last.opened - first.span.end == distance + 1  # including the mark
    assert len(group_pieces(text, [first, last])) == count


@pytest.mark.parametrize(
    ("paragraph", "pieces"),
    [
        pytest.param("—I see, said Ann.", ["I see,"], id="a tag at the end"),
        pytest.param(
            "—I see, said Ann, the lamp is lit, she added, and red.",
            ["I see,", "the lamp is lit,", "and red."],
            id="two tags leave three pieces",
        ),
        pytest.param("said Ann.", [], id="no dash"),
    ],
)
def test_all_but_the_tags_of_a_paragraph_with_a_dash_is_one_quotation(
    paragraph: str, pieces: list[str]
) -> None:
    quotations = find_dashed(paragraph, Span(0, len(paragraph)))
    assert [[piece.of(paragraph) for piece in quotation.pieces] for quotation in quotations] == (
        [pieces] if pieces else []
    )


def test_a_tag_of_the_next_paragraph_belongs_to_it() -> None:
    text = "—I see, the lamp is lit,\n\n said Ann."
    (quotation,) = find_dashed(text, Span(0, text.index("\n")))
    assert [piece.of(text) for piece in quotation.pieces] == ["I see, the lamp is lit,"]


def test_a_dash_alone_is_no_quotation() -> None:
    assert find_dashed("—", Span(0, 1)) == []
