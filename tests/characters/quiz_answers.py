"""Right and wrong answers to questions of three choices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.questions import QuizQuestion

NOON = datetime(2024, 2, 28, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PEOPLE = ("Ada Finch", "Bess Carr", "Clara Dunn")


def question(
    character: str = "Ada Finch",
    text: str = "the one who keeps the lamp",
    book: str = "own-harbour",
    kind: str = "desc2name",
    level: int = 1,
) -> QuizQuestion:
    """Return a question of three choices; `character` is the right one."""
    choices = (
        PEOPLE
        if kind == "desc2name"
        else tuple(text if name == character else f"the one who is not {name}" for name in PEOPLE)
    )
    prompt = text if kind == "desc2name" else character
    return QuizQuestion(
        f"{book}-{kind}-{text}",
        book,
        kind,
        level,
        prompt,
        choices,
        PEOPLE.index(character),
        (),
        PEOPLE,
    )


def right(history: History, at: datetime, **what: str) -> datetime:
    quiz_question = question(**what)  # type: ignore[arg-type]
    return history.record_answer(quiz_question, quiz_question.answer, at).due


def wrong(history: History, at: datetime, **what: str) -> datetime:
    quiz_question = question(**what)  # type: ignore[arg-type]
    return history.record_answer(quiz_question, (quiz_question.answer + 1) % 3, at).due
