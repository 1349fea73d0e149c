"""The terms of a cast that are names: unambiguous ones only."""

from __future__ import annotations

import pytest

from renamed_casts import F, M, small, who
from scholar_indexes.characters.anonymization.unambiguous_terms import NamePart, Term, find_terms
from scholar_indexes.types import Character


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        pytest.param("Doctor Emily Bender", {"Emily": "first", "Bender": "last"}, id="the paper's"),
        pytest.param("Mr. Darcy", {"Darcy": "last"}, id="title and surname"),
        pytest.param("Aunt Polly", {"Polly": "first"}, id="title and given name"),
        pytest.param("Aunt Pullet", {"Pullet": "last"}, id="aunt and surname"),
        pytest.param("Sir Lancelot", {"Lancelot": "first"}, id="sir"),
        pytest.param("Governor Bellingham", {"Bellingham": "last"}, id="office"),
        pytest.param("the Reverend Mr. Dimmesdale", {"Dimmesdale": "last"}, id="two titles"),
        pytest.param(
            "Lady Catherine de Bourgh", {"Catherine": "first", "Bourgh": "last"}, id="particle"
        ),
        pytest.param("Henry C. Gatz", {"Henry": "first", "Gatz": "last"}, id="initial"),
        pytest.param("Charles Hayter, Esq.", {"Charles": "first", "Hayter": "last"}, id="esquire"),
        pytest.param("the Duke of Wellington", {}, id="duke of a place"),
        pytest.param("Queequeg", {"Queequeg": "first"}, id="one name"),
        pytest.param("O'Brien", {"O'Brien": "first"}, id="apostrophe within"),
        pytest.param("Mary-Ann Lee", {"Mary": "first", "Ann": "first", "Lee": "last"}, id="hyphen"),
        pytest.param("Bob's wife", {"Bob": "first"}, id="possessive"),
        pytest.param("the man with the scar", {}, id="description"),
        pytest.param("Mr. King", {}, id="surname that is a title"),
        pytest.param("Will Brown", {"Brown": "last"}, id="word that begins sentences"),
        pytest.param("May Brown", {"Brown": "last"}, id="month"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_terms_are_the_names_in_a_name(name: str, terms: dict[str, str]) -> None:
    terms_found, _ = find_terms([who(name)], "")
    assert {term.text: term.part.value for term in terms_found} == terms


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("Grace said grace. Grace rose.", True, id="as often a word"),
        pytest.param("Grace. " * 9 + "grace", True, id="one lower for nine capitals"),
        pytest.param("Grace. " * 10 + "grace", False, id="one lower for ten capitals"),
        pytest.param("Grace. " * 9 + "GRACE grace", False, id="capitals count as a name"),
        pytest.param("Grace. " * 9 + "Grace's grace", False, id="the possessive counts too"),
        pytest.param("Grace graceful disgrace", False, id="part of a word"),
        pytest.param("grace", True, id="never a name in the text"),
        pytest.param("", False, id="not in the text"),
    ],
)
def test_a_word_of_the_book_is_left_alone(text: str, left: bool) -> None:
    table = small(text, who("Grace Poole", F))
    assert ("Grace" in table.left) == left
    assert table.name("Grace Poole").startswith("Grace ") == left


@pytest.mark.parametrize(
    ("text", "cast", "parts"),
    [
        pytest.param(
            "Mr. Starbuck went. Starbuck",
            [who("Starbuck", M)],
            {"Starbuck": "last"},
            id="called mister",
        ),
        pytest.param(
            "Jim went. Mr. Jim went. Jim. Jim.",
            [who("Jim", M)],
            {"Jim": "first"},
            id="given name, mister for once",
        ),
        pytest.param(
            "Colonel Fitzwilliam. Fitzwilliam Darcy. Colonel Fitzwilliam.",
            [who("Fitzwilliam Darcy", M)],
            {"Fitzwilliam": "last", "Darcy": "last"},
            id="mostly another's surname",
        ),
        pytest.param(
            "Mr. Frank Churchill, Mr. Frank Churchill",
            [who("Frank Churchill", M, "Mr. Frank Churchill")],
            {"Frank": "first", "Churchill": "last"},
            id="mister before both",
        ),
        pytest.param(
            "Mr. Linton. " * 4 + "Linton Heathcliff",
            [who("Edgar Linton", M), who("Linton Heathcliff", M)],
            {"Edgar": "first", "Linton": "last", "Heathcliff": "last"},
            id="both, mostly a surname",
        ),
        pytest.param(
            "Mr. Hareton is here, Master Hareton.",
            [who("Hareton Earnshaw", M, "Mr. Hareton"), who("Cathy", F)],
            {"Hareton": "first", "Earnshaw": "last", "Cathy": "first"},
            id="a place in a longer name outdoes titles",
        ),
        pytest.param(
            "M. Waldman spoke. Waldman", [who("Waldman", M)], {"Waldman": "last"}, id="monsieur"
        ),
    ],
)
def test_the_text_says_what_is_a_last_name(
    text: str, cast: list[Character], parts: dict[str, str]
) -> None:
    terms, _ = find_terms(cast, text)
    assert {term.text: term.part.value for term in terms} == parts


@pytest.mark.parametrize(
    ("cast", "why"),
    [
        pytest.param(
            [who("Edgar Linton", M), who("Linton Heathcliff", M)],
            "the first name of one and the last name of another",
            id="first and last",
        ),
        pytest.param(
            [who("Linton Vane", F), who("Linton Bell", M)],
            "the first name of a woman and of a man",
            id="woman and man",
        ),
    ],
)
def test_a_word_that_is_part_of_two_different_names_is_unchanged(
    cast: list[Character], why: str
) -> None:
    table = small("", *cast)
    assert table.left == {"Linton": why}
    assert "Linton" in table.apply("Mr. Linton")


def test_a_family_keeps_one_last_name_and_namesakes_one_first_name() -> None:
    cast = [who("Catherine Linton", F), who("Catherine Earnshaw", F), who("Edgar Linton", M)]
    assert len(small("", *cast).terms) == 4
    assert [small("", *cast).name(character.name).split()[0] for character in cast[:2]] == [
        "Zyla",
        "Zyla",
    ]
    a, b, c = (small("", *cast).name(character.name).split()[1] for character in cast)
    assert a == c != b


def test_a_husbands_first_name_is_not_his_wifes() -> None:
    cast = [who("Isabella", F, "Mrs. John Knightley"), who("John Knightley", M)]
    terms, left = find_terms(cast, "")
    assert not left
    assert Term("John", NamePart.FIRST, M) in terms
