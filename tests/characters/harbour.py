"""Sixteen people of a harbour, and questions about them."""

from __future__ import annotations

from typing import Any

from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.questions import (
    QuizQuestion,
    generate_questions,
)
from scholar_indexes.types import Gender

BOOK = "own-harbour"

WOMEN = [
    "Ada Finch",
    "Bess Carr",
    "Clara Dunn",
    "Dora Hale",
    "Edith Moor",
    "Flora Pike",
    "Grace Rudd",
    "Hester Vane",
    "Ida Wren",
    "Joan Yates",
    "Kitty Finch",
]

MEN = ["Abel Crane", "Basil Frost", "Cyril Heath", "Denis Lamb", "Edgar Nash"]

DEEDS = (
    "keeps the lighthouse lamp|repairs torn nets|sells eels at dawn|rows to the wreck|"
    "forges a will|hides a smuggler|teaches the choir|burns the chart|finds a drowned bell|"
    "wins the regatta|sleeps in the belfry|steals a compass|buries a trunk|paints the ferry|"
    "reads omens in tea|breeds grey geese"
).split("|")


def proof(chapter: int, at: int = 1) -> DescriptionEvidence:
    return DescriptionEvidence(f"{BOOK}:{chapter}.{at}:0-9", f"a passage of chapter {chapter}")


def person(
    name: str,
    *descriptions: tuple[int, str, int],
    gender: Gender = Gender.UNKNOWN,
    aliases: Any = (),
) -> DescribedCharacter:
    """Return a character; each description is (level, text, chapter of its passage)."""
    return DescribedCharacter(
        name,
        tuple(aliases),
        gender,
        tuple(Description(level, text, (proof(chapter),)) for level, text, chapter in descriptions),
    )


def harbour() -> list[DescribedCharacter]:
    """Return sixteen people; at level 2 each names another, and chapters follow the order."""
    people = [(name, Gender.FEMALE) for name in WOMEN] + [(name, Gender.MALE) for name in MEN]
    return [
        person(
            name,
            (1, f"the one who {DEEDS[at]}", at + 1),
            (
                1,
                f"the {'woman' if gender is Gender.FEMALE else 'man'} whose cousin {DEEDS[at]}",
                at + 1,
            ),
            (2, f"the neighbour who {DEEDS[at]} for {{{people[(at + 2) % 16][0]}}}", at + 3),
            gender=gender,
            aliases=[name.split()[0]],
        )
        for at, (name, gender) in enumerate(people)
    ]


def make_quiz(
    bank: list[DescribedCharacter], n: int | None = None, **more: Any
) -> list[QuizQuestion]:
    return generate_questions(bank, BOOK, n, tell=more.pop("tell", lambda line: None), **more)


def chapters_of(question: QuizQuestion) -> list[int]:
    return [int(passage.locator.split(":")[1].split(".")[0]) for passage in question.evidence]
