"""Questions that a user marked as bad."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from harbour import BOOK, harbour, make_quiz
from quiz_answers import DAY, NOON, question, right, wrong
from scholar_indexes.characters.quiz.history import SCHEMA_VERSION, History
from scholar_indexes.characters.quiz.questions import repeat_questions, shuffle_choices
from scholar_indexes.characters.quiz.rounds import round_from_json, round_to_json, start_round
from scholar_indexes.errors import NotThere


def _make_file_of_version_1(path: Path) -> None:
    """Remove from a history everything that version 1 did not have."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DROP TABLE bad_questions")
    db.execute("PRAGMA user_version = 1")
    db.close()


def test_an_id_of_no_bad_question_changes_nothing(history: History, path: Path) -> None:
    with pytest.raises(NotThere, match="no question is marked as bad yet"):
        history.unmark_bad(["0123"])
    assert not path.exists()
    bad = history.mark_bad(question(), NOON)
    with pytest.raises(NotThere, match="scholar quiz bad"):
        history.unmark_bad([bad.id, "0123"])
    assert history.bad_questions() == [bad]


def test_a_damaged_row_sets_the_history_aside(path: Path, messages: list[str]) -> None:
    History(path, messages.append).mark_bad(question(), NOON)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("UPDATE bad_questions SET at = 'yesterday'")
    db.close()
    assert History(path, messages.append).bad_questions() == []
    assert "damaged" in messages[0]


def test_a_history_of_the_first_version_keeps_its_answers(path: Path, messages: list[str]) -> None:
    right(History(path, messages.append), NOON)
    _make_file_of_version_1(path)
    history = History(path, messages.append)
    assert len(history.answers()) == 1
    history.mark_bad(question(text="another"), NOON)
    assert len(history.bad_questions()) == 1
    assert messages == []
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    db.close()


def test_a_bad_question_is_never_due_and_counts_for_nothing_until_that_is_undone(
    history: History,
) -> None:
    wrong(history, NOON)
    right(history, NOON, text="the one who repairs nets")
    bad = history.mark_bad(question(), NOON)
    history.mark_bad(shuffle_choices(question(), 3), NOON + DAY)
    assert history.bad_questions() == [bad]
    assert [card.description for card in history.cards()] == ["the one who repairs nets"]
    assert (history.stats(NOON).overall.count, len(history.answers())) == (1, 2)
    assert history.unmark_bad([bad.id, bad.id]) == [bad]
    assert len(history.cards()) == history.stats(NOON).overall.count == 2


def test_bad_questions_are_listed_by_book(history: History) -> None:
    history.mark_bad(question(), NOON)
    other = history.mark_bad(question(book="own-other"), NOON)
    assert history.bad_questions(["own-other"]) == [other]


def test_a_bad_question_is_neither_asked_nor_offered(history: History) -> None:
    first = make_quiz(harbour())[0]
    bad = history.mark_bad(first, NOON)
    made = make_quiz(harbour(), bad=history.bad_ids())
    assert made
    assert all(bad.description not in (asked.text, *asked.choices) for asked in made)
    card = (first.character, first.description, first.level)
    assert repeat_questions(harbour(), BOOK, [card], tell=print)
    assert all(
        bad.description not in asked.choices
        for asked in repeat_questions(
            harbour(),
            BOOK,
            [(other.character, other.description, other.level) for other in made],
            bad=history.bad_ids(),
            tell=print,
        )
    )


def test_a_question_under_other_names_is_known_by_the_names_of_the_book(history: History) -> None:
    renamed = replace(question(), text="the cook of Eve", bank_text="the cook of Ada")
    stored = round_from_json(round_to_json(start_round("x", [renamed], NOON)))
    bad = history.mark_bad(stored.questions[0], NOON)
    assert bad.description == "the cook of Ada"
    assert stored.without_bad({bad.id}).questions == ()


def test_a_round_loses_its_bad_question_with_the_answer_to_it(history: History) -> None:
    first, second, third = (question(text=f"the {word}") for word in ("cook", "maid", "clerk"))
    asked = start_round("x", [first, second, third], NOON).with_answer(0).with_answer(1)
    bad = history.mark_bad(second, NOON)
    remaining = asked.without_bad({bad.id})
    assert remaining.questions == (first, third)
    assert (remaining.answers, remaining.position) == (asked.answers[:1], 1)
