"""Questions about characters: one right answer, and nothing given away."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harbour import BOOK, MEN, WOMEN, chapters_of, harbour, make_quiz, person
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    parse,
)
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.characters.quiz.questions import (
    KINDS,
    LEVELS,
    QuizQuestion,
    repeat_questions,
)
from scholar_indexes.characters.quiz.wording import WORDING, query_only
from scholar_indexes.errors import NoMatch, ScholarError, UsageError
from scholar_indexes.types import Gender


@pytest.fixture(scope="module")
def every() -> list[QuizQuestion]:
    """Return all questions about the harbour."""
    return make_quiz(harbour())


@pytest.mark.parametrize(
    ("bank", "message"),
    [
        pytest.param([], "0 described characters", id="nobody"),
        pytest.param(harbour()[:1], "1 described characters", id="one character"),
        pytest.param([person("Ada"), person("Bess")], "has no questions", id="nothing described"),
        pytest.param(
            [
                person("Ada", (1, "the cook", 1), aliases=["Bess"]),
                person("Bess", (1, "the maid", 1)),
            ],
            "has no questions",
            id="two who go by one name",
        ),
        pytest.param(
            [person("Ada", (1, "the cook", 1)), person("Bess", (1, "The cook", 1))],
            "has no questions",
            id="one description of two",
        ),
        pytest.param(
            [person("Ada Finch", (1, "the finch who sings", 1)), person("Bess")],
            "has no questions",
            id="a description that says the name",
        ),
    ],
)
def test_a_bank_without_possible_questions_is_one_error_line(
    bank: list[DescribedCharacter], message: str
) -> None:
    with pytest.raises(NoMatch, match=rf"\Aown-harbour[^\n]*{message}[^\n]*;[^\n]*\Z"):
        make_quiz(bank, 5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "both"},
        {"levels": []},
        {"levels": [0, 1]},
        {"levels": [5]},
        {"n": 0},
        {"n": -1},
        {"choices": 1},
        {"choices": 10_000},
    ],
    ids=str,
)
def test_a_question_of_no_kind_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"; |: "):
        make_quiz(harbour(), **{"n": 3, **wrong})


def test_a_small_book_has_fewer_choices_and_a_message_says_so() -> None:
    lines: list[str] = []
    made = make_quiz(harbour()[:4], 3, levels=[1], tell=lines.append)
    assert {len(question.choices) for question in made} == {4}
    assert lines == [
        "own-harbour has descriptions of 4 characters, so some questions have 4 choices "
        "instead of 10"
    ]


def test_a_message_says_that_other_choices_might_be_right() -> None:
    lines: list[str] = []
    first, *rest = harbour()
    rivals = frozenset(character.name for character in rest[5:])
    doubtful = [replace(description, rivals=rivals) for description in first.descriptions]
    bank = [replace(first, descriptions=tuple(doubtful)), *rest]
    made = make_quiz(bank, None, levels=[1], tell=lines.append)
    fewest = min(len(question.choices) for question in made)
    assert lines == [
        f"some questions about own-harbour have {fewest} choices instead of 10, "
        "since others might be right too"
    ]


def test_a_message_says_that_there_are_fewer_questions() -> None:
    lines: list[str] = []
    made = make_quiz(harbour(), 1_000, tell=lines.append)
    assert lines == [f"own-harbour has {len(made)} different questions of this kind, not 1000"]
    assert len({question.id for question in made}) == len(made)


def test_every_question_has_ten_choices_that_differ_and_one_is_right(
    every: list[QuizQuestion],
) -> None:
    by_name = {character.name: character for character in harbour()}
    assert {(question.kind, question.level) for question in every} == {
        (k, lv) for k in KINDS for lv in LEVELS
    }
    for question in every:
        assert len(question.choices) == len(set(question.choices)) == len(set(question.names)) == 10
        assert (
            question.character == question.names[question.answer] == question.name(question.answer)
        )
        if question.level <= 2:
            descriptions = {
                description.plain.replace("Finch", "").split(" for ")[0]
                for description in by_name[question.character].descriptions
            }
            assert question.description.replace("Finch", "").split(" for ")[0] in descriptions
            assert question.evidence


def test_no_choice_is_also_right(every: list[QuizQuestion]) -> None:
    of = {
        description.text: character.name
        for character in harbour()
        for description in character.descriptions
        if description.level < 2
    }
    for question in every:
        if question.kind == "name2desc" and question.level == 1:
            assert [of[choice] for choice in question.choices].count(question.text) == 1
        if question.kind == "desc2name":
            assert question.choices == question.names


def test_a_character_with_a_name_of_the_answer_is_not_offered() -> None:
    bank = harbour()
    bank[1] = replace(bank[1], aliases=("Bess", "Ada Finch"))
    for question in make_quiz(bank, None):
        if question.character in ("Ada Finch", "Bess Carr"):
            assert not {"Ada Finch", "Bess Carr"} <= set(question.names)


def test_a_character_whom_a_description_also_fits_is_not_offered() -> None:
    bank = harbour()
    first, *rest = bank[0].descriptions
    fitting = replace(first, rivals=frozenset({bank[1].name}))
    bank[0] = replace(bank[0], descriptions=(fitting, *rest))
    asked = make_quiz(bank, None, levels=[first.level])
    of_first = [question for question in asked if fitting.text in question.choices]
    assert any(question.description == fitting.text for question in asked)
    assert all(bank[1].name != question.text for question in of_first)
    for question in asked:
        if question.description == fitting.text:
            assert bank[1].name not in question.names


def test_a_description_that_fits_nearly_everybody_is_not_asked() -> None:
    bank = harbour()
    rivals = frozenset(character.name for character in bank[3:])
    everybody = [replace(item, rivals=rivals) for item in bank[0].descriptions]
    bank[0] = replace(bank[0], descriptions=tuple(everybody))
    assert bank[0].name not in {question.character for question in make_quiz(bank, None)}


def test_nothing_names_the_answer(every: list[QuizQuestion]) -> None:
    for question in every:
        own = name_terms([question.character])
        if question.kind == "desc2name":
            assert own.isdisjoint(tokenize(question.text)), question
        else:
            assert all(own.isdisjoint(tokenize(choice)) for choice in question.choices), question


def test_another_of_the_same_surname_goes_by_another_name() -> None:
    bank = harbour()
    bank[0] = person(
        "Ada Finch",
        (2, "the aunt who scolds {Kitty Finch}", 1),
        aliases=["Ada"],
        gender=Gender.FEMALE,
    )
    made = make_quiz(bank, levels=[2])
    assert {question.description for question in made if question.character == "Ada Finch"} == {
        "the aunt who scolds Kitty"
    }
    bank[10] = replace(bank[10], aliases=())
    assert all(question.character != "Ada Finch" for question in make_quiz(bank, levels=[2]))


def test_a_name_in_the_description_is_not_a_choice(every: list[QuizQuestion]) -> None:
    for question in every:
        if question.kind == "desc2name" and question.level in (2, 4):
            assert not any(name in question.text for name in question.choices), question


def test_wrong_choices_are_of_one_gender_as_far_as_they_go(every: list[QuizQuestion]) -> None:
    gender = {character.name: character.gender for character in harbour()}
    for question in every:
        same = sum(gender[name] is gender[question.character] for name in question.names)
        if question.level in (1, 3):
            assert same == (10 if gender[question.character] is Gender.FEMALE else 5), question
        else:
            assert same >= (9 if gender[question.character] is Gender.FEMALE else 4), question


def test_descriptions_offered_together_are_of_one_level(every: list[QuizQuestion]) -> None:
    ones = {
        description.plain
        for character in harbour()
        for description in character.descriptions
        if description.level == 1
    }
    for question in every:
        if question.kind == "name2desc":
            assert {choice in ones for choice in question.choices} == {question.level == 1}
            if question.level == 3:
                assert all(choice.count(" the ") >= 1 for choice in question.choices)


def test_the_right_answer_can_be_at_any_position() -> None:
    places = Counter(
        question.answer for seed in range(8) for question in make_quiz(harbour(), seed=seed)
    )
    expected = sum(places.values()) / 10
    assert sum((places[at] - expected) ** 2 / expected for at in range(10)) < 27.9  # p = 0.001


def test_a_short_quiz_asks_about_nobody_twice() -> None:
    for seed in range(5):
        made = make_quiz(harbour(), 16, seed=seed)
        assert len({question.character for question in made}) == 16


def test_over_all_questions_what_is_right_equally_often_is_offered_so(
    every: list[QuizQuestion],
) -> None:
    women = [character for character in harbour() if character.gender is Gender.FEMALE]
    phrases = {
        one.text for character in women for one in character.descriptions if "woman" in one.text
    }
    for kind, among in (("desc2name", set(WOMEN)), ("name2desc", phrases)):
        offers = Counter(
            choice for question in every if question.kind == kind for choice in question.choices
        )
        often = [offers[choice] for choice in among]
        assert max(often) - min(often) <= 3, kind


def test_a_seed_gives_the_same_questions_whatever_the_order_of_the_bank() -> None:
    bank = harbour()
    mixed = [replace(character, descriptions=character.descriptions[::-1]) for character in bank]
    random.Random(1).shuffle(mixed)
    assert make_quiz(mixed, 20, seed=7) == make_quiz(bank, 20, seed=7)
    assert make_quiz(bank, 20, seed=8) != make_quiz(bank, 20, seed=7)
    assert make_quiz(bank, 20, seed=7)[:5] == make_quiz(bank, 5, seed=7)


_PRINT = """
import sys
sys.path.insert(0, sys.argv[1])
from harbour import harbour, make_quiz
print([question.id for question in make_quiz(harbour(), 12, seed=3)])
"""


def test_ids_are_the_same_in_every_process() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PRINT, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert (
        outputs[0]
        == outputs[1]
        == f"{[question.id for question in make_quiz(harbour(), 12, seed=3)]}\n"
    )


def test_questions_are_repeated_with_their_passages(every: list[QuizQuestion]) -> None:
    cards = [(question.character, question.description, question.level) for question in every]
    made = repeat_questions(harbour(), BOOK, cards, tell=lambda line: None)
    assert [
        (question.character, question.description, question.level) for question in made
    ] == cards
    for new, old in zip(made, every, strict=True):
        assert set(new.evidence) == set(old.evidence)
        assert len(new.choices) == 10


@pytest.mark.parametrize(
    "card",
    [
        ("Nobody", "the one who repairs torn nets", 1),
        ("Bess Carr", "the one who sings", 1),
        ("Bess Carr", "the one who repairs torn nets", 2),
        ("Bess Carr", "", 4),
    ],
    ids=["a character that is gone", "words that are gone", "another level", "no words"],
)
def test_cards_whose_description_is_gone_are_left_out(card: tuple[str, str, int]) -> None:
    assert repeat_questions(harbour(), BOOK, [card], tell=lambda line: None) == []
    assert repeat_questions([], BOOK, [card], tell=lambda line: None) == []


_NAME = st.sampled_from([*WOMEN, *MEN, "Ada", "Bess", "Mr. Finch"])

_PERSON = st.builds(
    lambda name, aliases, gender, texts: {
        "name": name,
        "aliases": aliases,
        "gender": gender,
        "descriptions": [
            {
                "level": 1 + ("{" in text),
                "text": text,
                "evidence": [{"locator": f"{BOOK}:{chapter}.1", "quote": "words"}],
            }
            for text, chapter in texts
            if f"{{{name}}}" not in text
        ],
    },
    _NAME,
    st.lists(_NAME, max_size=2),
    st.sampled_from([*Gender]),
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "the cook",
                    "the finch",
                    "the woman next door",
                    "a boy",
                    "the aunt of {Ada Finch}",
                    "the man {Abel Crane} owes",
                    "{Ada Finch} and {Abel Crane} by turns",
                ]
            ),
            st.integers(0, 5),
        ),
        max_size=3,
    ),
)


@settings(max_examples=25)
@given(
    st.lists(_PERSON, max_size=8, unique_by=lambda character: character["name"]), st.integers(0, 5)
)
def test_whatever_the_bank_questions_are_sound(people: list[dict[str, Any]], upto: int) -> None:
    there = {person["name"] for person in people}
    for name in ("Ada Finch", "Abel Crane"):
        if name not in there:
            people.append({"name": name, "descriptions": []})
    for described in people:
        described["descriptions"].append({"level": 1, "text": "the one without a passage"})
    bank = list(parse("\n".join(map(json.dumps, people)), "mine"))
    for limits in ({}, {"upto": upto}):
        try:
            made = make_quiz(bank, **limits)
        except NoMatch:
            continue
        for question in made:
            assert 2 <= len(set(question.choices)) == len(question.choices) <= 10
            assert name_terms([question.character]).isdisjoint(tokenize(question.description))
            assert not limits or max(chapters_of(question)) <= upto


def test_questions_about_the_harbour_give_little_away() -> None:
    made = [question for seed in range(3) for question in make_quiz(harbour(), seed=seed)]
    unlike = list({question.id: question for question in made}.values())
    assert query_only(unlike) < 0.1 + 0.06, "five men among sixteen people give something away"
    assert set(WORDING) >= {"gender", "length", "names", "rare words"}


def test_every_error_is_one_of_ours() -> None:
    for wrong in ([], harbour()[:1]):
        with pytest.raises(ScholarError):
            make_quiz(wrong)
