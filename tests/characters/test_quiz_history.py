"""The quiz history: every answer is kept, whatever happens."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from quiz_answers import DAY, NOON, question, right
from scholar_indexes.characters.quiz.history import SCHEMA_VERSION, History
from scholar_indexes.characters.quiz.statistics import AnswerCount
from scholar_indexes.errors import Busy, ScholarError, UsageError


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


@pytest.mark.skipif(os.geteuid() == 0, reason="root ignores file permissions")
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
from quiz_answers import NOON, DAY, right, wrong
from scholar_indexes.characters.quiz.history import History

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
