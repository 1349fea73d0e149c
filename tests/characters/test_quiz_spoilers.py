"""Questions up to a chapter: nothing from later chapters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harbour import BOOK, MEN, WOMEN, chapters_of, harbour, make_quiz, person
from scholar_indexes.characters.descriptions.bank import (
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.question_lines import to_jsonl
from scholar_indexes.characters.quiz.questions import (
    QuizQuestion,
    repeat_questions,
)
from scholar_indexes.characters.quiz.visible_bank import first_chapters
from scholar_indexes.errors import NoMatch
from scholar_indexes.types import Gender


@pytest.fixture(scope="module")
def every() -> list[QuizQuestion]:
    """Return all questions about the harbour."""
    return make_quiz(harbour())


@pytest.mark.parametrize("upto", [2, 5, 9, 14, 99])
def test_up_to_a_chapter_nothing_later_is_asked_or_offered(upto: int) -> None:
    bank = harbour()
    first = first_chapters(bank)
    late = {name for name in first if first[name] > upto}
    by_text = {
        description.plain: description
        for character in bank
        for description in character.descriptions
    }
    for seed in range(3):
        for question in make_quiz(bank, upto=upto, seed=seed):
            assert max(chapters_of(question)) <= upto
            assert late.isdisjoint(question.names)
            shown = " ".join([question.text, *question.choices])
            assert not any(name in shown for name in late)
            for choice in question.choices:
                if choice in by_text:
                    assert (
                        int(by_text[choice].evidence[0].locator.split(":")[1].split(".")[0]) <= upto
                    )


@pytest.mark.parametrize(
    "known",
    [
        pytest.param(dict.fromkeys(WOMEN[:6], 1) | {"Ida Wren": 13}, id="first chapters"),
        pytest.param(set(WOMEN[:6]), id="names"),
        pytest.param(lambda name: name in WOMEN[:6], id="a function"),
    ],
)
def test_only_known_characters_are_mentioned(known: Any) -> None:
    made = make_quiz(harbour(), upto=12, known=known)
    assert {name for question in made for name in question.names} == set(WOMEN[:6])
    for question in made:
        shown = " ".join([question.text, *question.choices])
        assert not any(
            name.split()[0] in shown for name in WOMEN[6:] + MEN if name != "Kitty Finch"
        )


@pytest.mark.parametrize(
    "place", ["own-harbour", "nonsense", "own-harbour:99999999.1"], ids=["a book", "none", "broken"]
)
def test_a_passage_without_a_chapter_could_be_anywhere(place: str) -> None:
    bank = harbour()
    odd = Description(1, "the one who comes back rich", (DescriptionEvidence(place, "words"),))
    bank[0] = replace(bank[0], descriptions=(*bank[0].descriptions, odd))
    none = Description(1, "the one who comes back poor")
    bank[1] = replace(bank[1], descriptions=(*bank[1].descriptions, none))
    shown = to_jsonl(make_quiz(bank, upto=16))
    assert "comes back" not in shown
    assert "comes back rich" in to_jsonl(make_quiz(bank))


def test_a_later_name_is_not_used_before_its_chapter() -> None:
    bank = harbour()
    bank[10] = replace(bank[10], aliases=("Mrs. Nash", "Kitty"))
    bank[0] = person(
        "Ada Finch",
        (2, "the aunt who scolds {Kitty Finch}", 1),
        (1, "the one who naps", 1),
        gender=Gender.FEMALE,
    )
    assert "scolds Mrs. Nash" in to_jsonl(make_quiz(bank))
    early = to_jsonl(make_quiz(bank, upto=11))
    assert "scolds Kitty" in early
    assert "Nash" not in early


def test_before_two_characters_are_known_there_is_nothing_to_ask() -> None:
    with pytest.raises(NoMatch, match=r"up to section 1 has 1 described characters.*read on"):
        make_quiz(harbour(), 3, upto=1)


def test_cards_of_later_chapters_wait(every: list[QuizQuestion]) -> None:
    cards = [(question.character, question.description, question.level) for question in every]
    made = repeat_questions(harbour(), BOOK, cards, upto=6, tell=lambda line: None)
    assert made
    assert all(max(chapters_of(question)) <= 6 for question in made)
    assert len(made) == sum(
        max(chapters_of(question)) <= 6
        for question in repeat_questions(harbour(), BOOK, cards, tell=lambda line: None)
    )
