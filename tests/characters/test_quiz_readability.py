"""Which descriptions composed of two are asked about."""

from __future__ import annotations

from random import Random

import pytest

from harbour import harbour, make_quiz, person
from scholar_indexes.characters.descriptions.bank import Description, compose, load_packaged
from scholar_indexes.characters.quiz.questions import generate_questions
from scholar_indexes.characters.quiz.readability import MAX_WORDS, is_readable_composition

COOK = "the cook who lies"


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        pytest.param("the aunt of {A} who steals", COOK, id="something behind the name"),
        pytest.param("the aunt of {A} and {B}", COOK, id="two names"),
        pytest.param("{A}'s aunt", COOK, id="a genitive"),
        pytest.param("the one who pities poor {A}", COOK, id="an adjective before the name"),
        pytest.param("the aunt of Mrs. {A}", COOK, id="a title before the name"),
        pytest.param("the aunt of {A}", "somebody who lies", id="no noun phrase"),
        pytest.param("the one who asks the man who feeds {A}", COOK, id="three relative clauses"),
        pytest.param(
            "the one who, at sea, once asked {A}", "the one who, at home, lies", id="two asides"
        ),
        pytest.param("the aunt of {A}", "the cook who " + "really " * 25 + "lies", id="too long"),
    ],
)
def test_what_does_not_read_is_refused(outer: str, inner: str) -> None:
    assert not is_readable_composition(Description(2, outer), Description(1, inner))


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        pytest.param("the aunt of {A}", COOK, id="one relative clause"),
        pytest.param("the one who feeds {A}", "the cook whom {B} meets", id="a name within"),
        pytest.param("the one who, at sea, feeds {A}.", COOK, id="one aside"),
    ],
)
def test_what_reads_is_kept(outer: str, inner: str) -> None:
    assert is_readable_composition(Description(2, outer), Description(2, inner))


def test_readable_questions_are_short_and_of_one_description_within_another() -> None:
    for level in (3, 4):
        made = generate_questions(
            load_packaged("pg1342"),
            "pg1342",
            None,
            7,
            "desc2name",
            [level],
            readable=True,
            tell=lambda line: None,
        )
        assert made
        assert all(len(question.text.split()) <= MAX_WORDS for question in made)


def test_what_cannot_be_read_is_dropped_and_not_cut() -> None:
    long = "the one who " + "really " * 30 + "rows"
    bank = [person("Ada", (1, long, 1)), person("Bess", (2, "the aunt of {Ada}", 1))]
    bank += harbour()
    texts = {question.text for question in make_quiz(bank, kind="desc2name", readable=True)}
    assert long in texts  # of level 1, and written so
    assert not any(text.startswith("the aunt of the one") for text in texts)


def test_other_users_of_a_bank_draw_what_they_drew_before() -> None:
    bank = load_packaged("pg1342")
    every = list(compose(bank, 3, Random("x")))
    assert every == list(compose(bank, 3, Random("x"), lambda outer, inner: True))
