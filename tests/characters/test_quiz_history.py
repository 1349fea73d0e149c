"""The quiz history: every answer is kept, whatever happens, and what was missed comes back."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.characters.quiz.history import SCHEMA_VERSION, History
from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.characters.quiz.statistics import AnswerCount
from scholar_indexes.errors import Busy, ScholarError, UsageError

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
    """Return a question of three choices; the right one is character's."""
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "quiz.sqlite"


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def history(path: Path, messages: list[str]) -> History:
    return History(path, messages.append, timeout_s=0.2)


def test_reading_a_history_that_is_not_there_makes_none(history: History, path: Path) -> None:
    assert (history.due_cards(NOON), history.cards(), history.answers()) == ([], [], [])
    figures = history.stats(NOON)
    assert (figures.overall, figures.streak, figures.days_in_a_row) == (AnswerCount(0, 0), 0, 0)
    assert (figures.retention, figures.recall, figures.overall.share) == (None, None, 0.0)
    assert not path.exists()


def _spoil(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _do(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        db = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            db.execute(statement)
        db.close()

    return change


def _scratch(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\x5a" * 8192
    path.write_bytes(data)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: _spoil(path, b"this is no database. " * 500), id="prose"),
        pytest.param(
            lambda path: _spoil(path, b"SQLite format 3\x00" + b"\xff" * 4096), id="a broken header"
        ),
        pytest.param(_scratch, id="a scratched page"),
        pytest.param(_cut, id="half a file"),
        pytest.param(_do("DROP TABLE answers"), id="a table that is gone"),
        pytest.param(_do("ALTER TABLE answers RENAME correct TO good"), id="a column renamed"),
        pytest.param(_do("UPDATE answers SET at = 'yesterday'"), id="a time that is none"),
        pytest.param(_do("UPDATE answers SET at = '2024-01-01T00:00:00'"), id="a time of no zone"),
        pytest.param(_do("UPDATE cards SET due = x'00ff'"), id="bytes for a time"),
        pytest.param(_do("UPDATE cards SET level = 'high'"), id="a level in words"),
        pytest.param(_do("UPDATE cards SET book = x'ff'"), id="bytes for a book"),
        pytest.param(_do("PRAGMA user_version = 0"), id="no version"),
    ],
)
def test_a_damaged_history_is_kept_aside_and_a_new_one_begun(
    path: Path, messages: list[str], damage: Callable[[Path], None]
) -> None:
    right(History(path, messages.append), NOON)
    damage(path)
    content = path.read_bytes()
    history = History(path, messages.append)
    assert history.answers() == []
    aside = path.with_name("quiz.sqlite.damaged-1")
    assert aside.read_bytes() == content
    assert len(messages) == 1
    assert "\n" not in messages[0]
    assert str(aside) in messages[0]
    right(history, NOON)
    assert len(history.answers()) == len(History(path, messages.append).answers()) == 1
    assert len(messages) == 1


def test_every_damaged_history_is_kept(path: Path, messages: list[str]) -> None:
    path.parent.mkdir()
    for at in range(3):
        _spoil(path, b"broken " * 300 + bytes([at]))
        right(History(path, messages.append), NOON)
    backups = sorted(file.name for file in path.parent.glob("*.damaged-*"))
    assert backups == [f"quiz.sqlite.damaged-{at}" for at in (1, 2, 3)]
    assert [path.with_name(name).read_bytes()[-1] for name in backups] == [0, 1, 2]


def test_the_database_of_another_program_is_kept_aside(path: Path, history: History) -> None:
    path.parent.mkdir()
    _do("CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")(path)
    right(history, NOON)
    db = sqlite3.connect(path.with_name("quiz.sqlite.damaged-1"))
    assert db.execute("SELECT text FROM notes").fetchall() == [("mine",)]
    db.close()


def test_a_history_of_a_newer_scholar_is_left_as_it_is(path: Path, messages: list[str]) -> None:
    right(History(path, messages.append), NOON)
    _do(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")(path)
    content = path.read_bytes()
    for ask in (
        History(path, messages.append).answers,
        lambda: right(History(path, messages.append), NOON),
    ):
        with pytest.raises(ScholarError, match="newer scholar; upgrade"):
            ask()
    assert (path.read_bytes(), messages) == (content, [])


def test_an_empty_file_is_a_new_history(path: Path, history: History, messages: list[str]) -> None:
    path.parent.mkdir()
    path.touch()
    assert history.answers() == []
    right(history, NOON)
    assert (len(history.answers()), messages) == (1, [])


def test_a_folder_in_place_of_the_file_is_one_clear_line(path: Path, history: History) -> None:
    path.mkdir(parents=True)
    with pytest.raises(ScholarError, match=r"\A[^\n]*SCHOLAR_HOME[^\n]*\Z"):
        right(history, NOON)


def test_a_history_that_another_program_holds_is_busy(path: Path, history: History) -> None:
    right(history, NOON)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Busy, match="run the same command again"):
        right(history, NOON)
    other.execute("ROLLBACK")
    other.close()
    assert len(history.answers()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_history_that_may_not_be_written_can_still_be_read(path: Path, history: History) -> None:
    right(history, NOON)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert len(history.answers()) == 1
        with pytest.raises(ScholarError, match="no permission to write"):
            right(history, NOON)
    finally:
        path.parent.chmod(0o755)


@pytest.mark.parametrize("chosen", [3, -1, 10**9])
def test_a_choice_that_was_not_offered_is_refused(history: History, chosen: int) -> None:
    with pytest.raises(UsageError, match="answer 1 to 3"):
        history.record_answer(question(), chosen, NOON)
    assert history.answers() == []


def test_a_time_needs_its_zone(history: History) -> None:
    with pytest.raises(ValueError, match="zone"):
        right(history, datetime(2024, 1, 1))


_ANSWER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_quiz_history import NOON, DAY, History, right, wrong

history = History(Path(sys.argv[1]), lambda line: print("!", line, flush=True))
for at in range(int(sys.argv[3])):
    (right if at % 2 else wrong)(history, NOON + at * DAY, text=f"the one of day {at % 7}")
    print(at, flush=True)
"""


def _person(path: Path, times: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _ANSWER, str(path), str(Path(__file__).parent), str(times)],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("after", [1, 12, 40])
def test_killed_at_any_moment_every_answer_given_is_there(
    path: Path, history: History, messages: list[str], after: int
) -> None:
    with _person(path, 100_000) as quizzed:
        assert quizzed.stdout
        lines = [quizzed.stdout.readline() for _ in range(after)]
        quizzed.send_signal(signal.SIGKILL)
        lines += quizzed.stdout.readlines()
    acknowledged = len([line for line in lines if line.endswith("\n")])
    assert quizzed.returncode == -signal.SIGKILL
    answers = history.answers()
    assert acknowledged <= len(answers) <= acknowledged + 1
    assert [answer.at for answer in answers] == [NOON + at * DAY for at in range(len(answers))]
    assert sum(card.answers for card in history.cards()) == len(answers)
    right(history, NOON)
    assert messages == []


def test_two_processes_at_once_lose_no_answer(path: Path, history: History) -> None:
    both = [_person(path, 40) for _ in range(2)]
    assert [process.communicate()[0].count("\n") for process in both] == [40, 40]
    assert [process.returncode for process in both] == [0, 0]
    assert len(history.answers()) == 80
    assert len(history.cards()) == 7


def test_two_processes_that_find_damage_keep_it_once(path: Path, history: History) -> None:
    path.parent.mkdir()
    _spoil(path, b"broken " * 300)
    both = [_person(path, 5) for _ in range(2)]
    output = "".join(process.communicate()[0] for process in both)
    assert output.count("!") == 1
    assert len(history.answers()) == 10
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_an_answer_waits_for_another_program_that_is_soon_done(path: Path) -> None:
    right(History(path, print), NOON)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, other.execute, ["COMMIT"])
    done.start()
    right(History(path, print, timeout_s=30), NOON)
    done.join()
    other.close()
    assert len(History(path, print).answers()) == 2


def test_an_answer_that_fails_halfway_leaves_nothing(path: Path, messages: list[str]) -> None:
    history = History(path, messages.append)
    right(history, NOON)
    _do("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'no more'); END")(
        path
    )
    with pytest.raises(ScholarError):
        right(history, NOON, text="another")
    assert len(history.cards()) == len(history.answers()) == 1


def test_what_was_missed_is_due_at_once_and_what_was_known_after_days(history: History) -> None:
    assert wrong(history, NOON, text="missed") == NOON
    assert right(history, NOON, text="known") >= NOON + DAY
    assert [card.description for card in history.due_cards(NOON)] == ["missed"]
    assert [card.description for card in history.due_cards(NOON + 30 * DAY)] == ["missed", "known"]
    assert [card.description for card in history.due_cards(NOON + 30 * DAY, limit=1)] == ["missed"]
    assert history.due_cards(NOON - DAY) == []


def test_no_answer_is_not_a_right_one(history: History) -> None:
    outcome = history.record_answer(question(), None, NOON)
    assert (outcome.right, outcome.due) == (False, NOON)
    (answer,) = history.answers()
    assert (answer.chosen, answer.right) == (None, False)


def test_what_is_known_again_and_again_rests_longer_until_it_is_missed(history: History) -> None:
    at, rests = NOON, []
    for _ in range(5):
        due = right(history, at)
        rests.append(due - at)
        at = due
    assert rests == sorted(set(rests))
    assert wrong(history, at) == at
    assert right(history, at) - at < rests[-1]


def test_one_card_for_a_description_whichever_way_round(history: History) -> None:
    wrong(history, NOON, kind="desc2name")
    right(history, NOON, kind="name2desc")
    right(history, NOON, book="pg1342")
    right(history, NOON, character="Bess Carr")
    first = history.cards(["own-harbour"])
    assert sorted(
        (card.character, card.answers, card.right, card.last_right) for card in first
    ) == [
        ("Ada Finch", 2, 1, True),
        ("Bess Carr", 1, 1, True),
    ]
    assert len(history.cards()) == 3
    assert history.due_cards(NOON + 99 * DAY, ["pg1342"])[0].book_id == "pg1342"
    assert history.due_cards(NOON + 99 * DAY, []) == []


def test_a_history_says_what_was_asked_and_answered_and_when(history: History) -> None:
    wrong(history, NOON.astimezone(timezone(timedelta(hours=5))), kind="name2desc")
    (answer,) = history.answers()
    assert answer.at == NOON
    assert answer.at.utcoffset() == timedelta(0)
    assert (answer.book_id, answer.character, answer.chosen) == (
        "own-harbour",
        "Ada Finch",
        "Bess Carr",
    )
    assert answer.description == "the one who keeps the lamp"
    assert answer.question_id == "own-harbour-name2desc-the one who keeps the lamp"


@pytest.mark.parametrize(
    "text",
    ["'; DROP TABLE cards; --", "a\x00b", "\ud800x", "x" * 50_000, "🌧"],
    ids=["SQL", "a null character", "half a character", "long", "an emoji"],
)
def test_a_text_is_only_text(history: History, text: str) -> None:
    wrong(history, NOON, text=text)
    wrong(history, NOON, text=text)
    (card,) = history.cards()
    assert (card.answers, card.description.isprintable()) == (2, True)


def test_a_question_of_others_has_its_names_in_its_choices(history: History) -> None:
    quiz_question = QuizQuestion("q", "b", "name2desc", 2, "Ada", ("the cook", "the maid"), 0)
    history.record_answer(quiz_question, 1, NOON)
    (answer,) = history.answers()
    assert (answer.character, answer.description, answer.chosen) == ("Ada", "the cook", "the maid")


_EVENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(-50, 400 * 24)), max_size=12
)


@settings(max_examples=25, deadline=None)
@given(_EVENTS)
def test_whatever_is_answered_and_whatever_the_clock_a_card_comes_back(
    events: list[tuple[str, bool, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, messages = Path(folder) / "quiz.sqlite", list[str]()
        history = History(path, messages.append)
        for text, knew, hours in events:
            at = NOON + timedelta(hours=hours)
            due = (right if knew else wrong)(history, at, text=text)
            assert due >= at
            assert (due == at) is not knew
        again = History(path, messages.append)
        assert len(again.answers()) == len(events)
        assert len(again.due_cards(NOON + 5_000 * DAY)) == len({text for text, _, _ in events})
        figures = again.stats(NOON + 5_000 * DAY)
        assert figures.overall == AnswerCount(len(events), sum(knew for _, knew, _ in events))
        assert figures.streak <= figures.longest_streak <= figures.overall.right
        assert messages == []


def test_figures_by_book_character_and_level(history: History) -> None:
    right(history, NOON)
    wrong(history, NOON, text="other")
    history.record_answer(question(book="pg84", level=3, kind="name2desc"), 0, NOON)
    history.record_answer(question(character="Bess Carr", level=3), 1, NOON)
    figures = history.stats(NOON)
    assert figures.overall == AnswerCount(4, 3)
    assert figures.overall.share == 0.75
    assert figures.by_book == {"own-harbour": AnswerCount(3, 2), "pg84": AnswerCount(1, 1)}
    assert figures.by_level == {1: AnswerCount(2, 1), 3: AnswerCount(2, 2)}
    assert figures.by_kind == {"desc2name": AnswerCount(3, 2), "name2desc": AnswerCount(1, 1)}
    assert figures.by_character == {
        ("own-harbour", "Ada Finch"): AnswerCount(2, 1),
        ("own-harbour", "Bess Carr"): AnswerCount(1, 1),
        ("pg84", "Ada Finch"): AnswerCount(1, 1),
    }
    assert (figures.cards, figures.due) == (4, 1)
    assert history.stats(NOON, ["pg84"]).overall == AnswerCount(1, 1)


@pytest.mark.parametrize(
    ("answers", "streak", "longest"),
    [("", 0, 0), ("r", 1, 1), ("w", 0, 0), ("rrw", 0, 2), ("rrrwrr", 2, 3), ("wrrrr", 4, 4)],
)
def test_a_streak_is_of_right_answers(
    history: History, answers: str, streak: int, longest: int
) -> None:
    for at, answer in enumerate(answers):
        (right if answer == "r" else wrong)(history, NOON, text=str(at))
    figures = history.stats(NOON)
    assert (figures.streak, figures.longest_streak) == (streak, longest)


@pytest.mark.parametrize(
    ("days", "today", "expected"),
    [
        pytest.param([], 0, 0, id="never"),
        pytest.param([0], 0, 1, id="today"),
        pytest.param([0, 1, 2], 2, 3, id="three days"),
        pytest.param([0, 1, 2], 3, 3, id="not yet today"),
        pytest.param([0, 1, 2], 4, 0, id="a day left out"),
        pytest.param([0, 2, 3], 3, 2, id="a gap, over the end of February"),
    ],
)
def test_days_in_a_row(history: History, days: list[int], today: int, expected: int) -> None:
    for day in days:
        wrong(history, NOON + day * DAY)
    assert history.stats(NOON + today * DAY).days_in_a_row == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([("r", 0)], None, id="nothing repeated"),
        pytest.param([("w", 0), ("r", 0), ("r", 0)], None, id="repeated on one day"),
        pytest.param([("w", 0), ("w", 3)], None, id="never known"),
        pytest.param([("r", 0), ("r", 3)], 1.0, id="kept"),
        pytest.param([("r", 0), ("w", 3), ("r", 3)], 0.0, id="lost, whatever follows that day"),
        pytest.param([("r", 0), ("r", 3), ("w", 9), ("r", 10)], 2 / 3, id="lost once of three"),
    ],
)
def test_retention_is_of_what_was_known_on_an_earlier_day(
    history: History, events: list[tuple[str, int]], expected: float | None
) -> None:
    for outcome, day in events:
        (right if outcome == "r" else wrong)(history, NOON + day * DAY)
    assert history.stats(NOON + 10 * DAY).retention == expected


def test_recall_falls_with_time(history: History) -> None:
    due = right(history, NOON)
    now, then, late = (history.stats(at).recall for at in (NOON, due, due + 300 * DAY))
    assert now == 1.0
    assert then == pytest.approx(0.9, abs=0.02), "a card is due when nine in ten would know it"
    assert late is not None
    assert late < 0.7
