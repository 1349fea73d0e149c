"""A bank of two described characters, their cards and answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.quiz.quiz_records import QuizAnswer
from scholar_indexes.types import Gender

NOON = datetime(2024, 2, 28, 12, tzinfo=UTC)
BOOK = "own-harbour"

ADA = DescribedCharacter(
    "Ada Finch",
    ("Ada", "Mrs. Finch"),
    Gender.FEMALE,
    (
        Description(
            1,
            "the one who keeps the lamp",
            (
                DescriptionEvidence(f"{BOOK}:1.2:0-9", "“Ada, the lamp!”"),
                DescriptionEvidence(f"{BOOK}:3.1:4-9", "lit, by Ada"),
            ),
        ),
        Description(2, "the neighbour of {Bess Carr}"),
    ),
)

BESS = DescribedCharacter(
    "Bess Carr",
    (),
    Gender.UNKNOWN,
    (
        Description(
            1,
            '=HYPERLINK("http://x.example","the cook")',
            (DescriptionEvidence(BOOK, "-2+3, said Bess"),),
        ),
    ),
)

HARBOUR = {BOOK: [ADA, BESS]}
HEAD = "character,level,description"


def answer(**change: Any) -> QuizAnswer:
    given = {
        "at": NOON,
        "book_id": BOOK,
        "character": "Ada Finch",
        "description": "the lamp keeper",
        "level": 1,
        "kind": "desc2name",
        "question_id": "q",
        "chosen": "=Bess",
        "right": False,
    }
    return QuizAnswer(**{**given, **change})
