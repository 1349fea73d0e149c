"""Descriptions composed of two: how they are arranged, and which become questions."""

from __future__ import annotations

from random import Random

import pytest

from harbour import harbour, make_quiz, person
from scholar_indexes.characters.descriptions.bank import (
    SLOT,
    DescribedCharacter,
    Description,
    DescriptionEvidence,
    compose,
    load_packaged,
    packaged_ids,
)
from scholar_indexes.characters.quiz.questions import generate_questions, repeat_questions
from scholar_indexes.characters.quiz.readability import (
    MAX_WORDS,
    compose_readable,
    readable_compositions,
)
from scholar_indexes.types import Gender

COOK = "the cook who lies"


def described(name: str, *texts: str) -> DescribedCharacter:
    descriptions = tuple(
        Description(
            2 if "{" in text else 1, text, (DescriptionEvidence(f"pg1:1.{number}:0-9", text),)
        )
        for number, text in enumerate(texts)
    )
    return DescribedCharacter(name, (), Gender.UNKNOWN, descriptions)


def compositions(outer: str, *inner: str, level: int = 3) -> list[str]:
    """Return the compositions of Zoe's description, which may name A, who has others, and B."""
    zoe = described("Zoe", outer)
    bank = [zoe, described("A", *inner), described("B", "the mate")]
    by_name = {character.name: character for character in bank}
    made = readable_compositions(zoe, zoe.descriptions[0], by_name, level)
    return [description.text for description in made]


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        pytest.param("{A}'s aunt", "somebody who lies", id="no noun phrase"),
        pytest.param("the one who pities poor {A}", COOK, id="an adjective before the name"),
        pytest.param("the aunt of Mrs. {A}", COOK, id="a title before the name"),
        pytest.param("the one who asks the man who feeds {A}", COOK, id="three relative clauses"),
        pytest.param(
            "the one who, at sea, once asked {A}", "the one who, at home, lies", id="two asides"
        ),
        pytest.param("the aunt of {A}", "the cook who " + "really " * 30 + "lies", id="too long"),
        pytest.param("the aunt who told {A} that {A} was lost", COOK, id="a name twice"),
        pytest.param("the one who robs {A} before a person", COOK, id="another person"),
        pytest.param("the one who robs {A} at sea", "the person who lies", id="a person within"),
        pytest.param("the one whom {A} meets, at sea, at night", COOK, id="asides around it"),
    ],
)
def test_unreadable_compositions_are_not_made(outer: str, inner: str) -> None:
    assert compositions(outer, inner) == []


@pytest.mark.parametrize(
    ("outer", "expected"),
    [
        pytest.param("the aunt of {A}", "the aunt of the cook who lies", id="at the end"),
        pytest.param(
            "the one who, at sea, feeds {A}",
            "the one who, at sea, feeds the cook who lies",
            id="after an aside",
        ),
        pytest.param(
            "the one whom {A} robs at night",
            "the one whom a certain person robs at night, that person being the cook who lies",
            id="in the middle",
        ),
        pytest.param(
            "{A}'s aunt",
            "a certain person's aunt, that person being the cook who lies",
            id="a genitive",
        ),
        pytest.param(
            "the one who tells {B} about {A}",
            "the one who tells {B} about the cook who lies",
            id="the last of two names",
        ),
    ],
)
def test_words_after_a_relative_clause_are_never_part_of_it(outer: str, expected: str) -> None:
    assert compositions(outer, COOK)[0] == expected


def test_the_shortest_description_within_is_the_first_choice() -> None:
    assert compositions("the aunt of {A}", "the cook who lies and swears", COOK) == [
        "the aunt of the cook who lies",
        "the aunt of the cook who lies and swears",
    ]


def test_a_name_at_the_end_goes_before_one_in_the_middle() -> None:
    outer = "the one who leads {A} away from {B}"
    assert compositions(outer, COOK) == [
        "the one who leads {A} away from the mate",
        "the one who leads a certain person away from {B}, that person being the cook who lies",
    ]


def test_a_description_within_of_level_4_names_another_and_not_the_one_described() -> None:
    within = (
        "the cook whom {B} meets",
        "the cook whom {Zoe} meets",
        "the cook who beats, by far, {B}",
    )
    assert compositions("the aunt of {A}", *within, level=4) == [
        "the aunt of the cook whom {B} meets"
    ]


def test_the_evidence_of_a_composition_is_that_of_both_parts() -> None:
    zoe = described("Zoe", "the aunt of {A}")
    cook = described("A", COOK)
    ((character, composed),) = compose_readable([zoe, cook], 3)
    assert character is zoe
    assert [passage.quote for passage in composed.evidence] == ["the aunt of {A}", COOK]


def test_many_written_descriptions_can_be_composed_and_every_question_is_short() -> None:
    written = composed = 0
    for book_id in packaged_ids():
        bank = load_packaged(book_id)
        texts = [item.text for level in (3, 4) for _, item in compose_readable(bank, level)]
        assert all(len(SLOT.sub(r"\1", text).split()) <= MAX_WORDS for text in texts)
        composed += len(texts)
        written += 2 * sum(item.level == 2 for entry in bank for item in entry.descriptions)
    assert composed > written / 3


def test_unreadable_descriptions_are_dropped_and_not_cut() -> None:
    long = "the one who " + "really " * 30 + "rows"
    bank = [person("Ada", (1, long, 1)), person("Bess", (2, "the aunt of {Ada}", 1))]
    bank += harbour()
    texts = {question.text for question in make_quiz(bank, kind="desc2name", readable=True)}
    assert long in texts  # of level 1, and used as written
    assert not any(text.startswith("the aunt of the one") for text in texts)


@pytest.mark.parametrize("readable", [True, False], ids=["as now", "as they once were composed"])
def test_a_card_of_a_composed_description_is_found_again(readable: bool) -> None:
    bank = load_packaged("pg730")
    options = {"kind": "desc2name", "tell": lambda line: None}
    made = generate_questions(bank, "pg730", 40, 7, levels=[3, 4], readable=readable, **options)  # type: ignore[arg-type]
    cards = [(question.character, question.text, question.level) for question in made]
    again = repeat_questions(bank, "pg730", cards, readable=True, **options)  # type: ignore[arg-type]
    assert [(question.character, question.text) for question in again] == [
        (name, text) for name, text, _ in cards
    ]


def test_the_benchmark_still_composes_for_every_name() -> None:
    bank = load_packaged("pg1342")
    composed = [item.text for _, item in compose(bank, 3, Random("x"))]
    assert not any(SLOT.search(text) for text in composed)
    written = sum(item.level == 2 for entry in bank for item in entry.descriptions)
    assert len(composed) == written
