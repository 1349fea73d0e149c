"""The people of books, found by processes in the background, one book at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from background_gate import WAIT_S, Gate
from command_line import DIALOGUE_BOOK
from libraries import add_book
from scholar_cli.commands import common
from scholar_indexes.background import people_queue
from scholar_indexes.background.people_queue import PeopleNews, PeopleQueue, Stage
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths

QUAY = "own-the-quay"


class News:
    """The news of a queue, which a test can wait for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.all: list[PeopleNews] = []

    def __call__(self, news: PeopleNews) -> None:
        with self._changed:
            self.all.append(news)
            self._changed.notify_all()

    def wait_for_label(self, label: str) -> PeopleNews:
        """Wait for the first news with a label, and return it."""

        def found() -> PeopleNews | None:
            return next((news for news in self.all if news.label == label), None)

        with self._changed:
            news = self._changed.wait_for(found, WAIT_S)
        assert news is not None, self.all
        return news

    def ends(self, count: int = 1) -> list[PeopleNews]:
        """Wait until `count` books have ended, and return the last news of each."""

        def ended() -> list[PeopleNews]:
            return [news for news in self.all if news.stage is not Stage.FINDING]

        with self._changed:
            assert self._changed.wait_for(lambda: len(ended()) >= count, WAIT_S), self.all
        return ended()


@pytest.fixture
def library(quay: Path) -> Library:
    return common.open_library()


@pytest.fixture
def news() -> News:
    return News()


@pytest.fixture
def queue(library: Library, news: News) -> Iterator[PeopleQueue]:
    made = PeopleQueue(library, news)
    yield made
    made.close()


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate(tmp_path / "gate")
    monkeypatch.setattr(people_queue, "COMMAND", made.command)
    return made


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        pytest.param("raise SystemExit(7)", "the process ended with exit code 7", id="exit code"),
        pytest.param(
            "import os; os.kill(os.getpid(), 9)",
            "the process was killed by signal 9; there may be too little memory",
            id="killed",
        ),
        pytest.param("print('{}[nonsense')", "nothing was stored", id="nothing was done"),
        pytest.param(
            """print('{"error": "the model is damaged"}'); raise SystemExit(1)""",
            "the model is damaged",
            id="an error",
        ),
    ],
)
def test_a_process_that_fails_says_why_once_and_the_book_is_not_tried_again(
    queue: PeopleQueue,
    library: Library,
    news: News,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    reason: str,
) -> None:
    book = library.books.get(QUAY).book
    monkeypatch.setattr(people_queue, "COMMAND", (sys.executable, "-c", program))
    queue.find(book)
    [failed] = news.ends()
    assert (failed.stage, failed.reason) == (Stage.FAILED, reason)
    queue.find(book)
    assert not queue.is_working
    assert not library.search.knows_people(QUAY)


def test_a_program_that_cannot_be_started_is_a_failure(
    queue: PeopleQueue, library: Library, news: News, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_queue, "COMMAND", ("/nowhere/python",))
    queue.find(library.books.get(QUAY).book)
    [failed] = news.ends()
    assert "/nowhere/python" in failed.reason


def test_a_book_that_was_removed_meanwhile_is_a_failure(
    queue: PeopleQueue, library: Library, news: News, gate: Gate
) -> None:
    book = library.books.get(QUAY).book
    queue.find(book)
    gate.wait_for(QUAY)
    library.books.remove(QUAY)
    gate.open()
    [failed] = news.ends()
    assert failed.stage is Stage.FAILED
    assert "scholar add" in failed.reason


def test_stopped_work_ends_at_once_and_keeps_nothing(
    queue: PeopleQueue, library: Library, news: News, gate: Gate
) -> None:
    assert not queue.stop()
    queue.find(library.books.get(QUAY).book)
    gate.wait_for(QUAY)
    assert queue.stop()
    assert [end.stage for end in news.ends()] == [Stage.STOPPED]
    gate.wait_for_end()
    assert not library.search.knows_people(QUAY)
    queue.find(library.books.get(QUAY).book)
    assert not queue.is_working


def test_a_closed_queue_has_ended_its_process_and_takes_nothing_on(
    queue: PeopleQueue, library: Library, gate: Gate
) -> None:
    queue.find(library.books.get(QUAY).book)
    gate.wait_for(QUAY)
    queue.close()
    gate.wait_for_end()
    queue.find(library.books.get(QUAY).book)
    assert not queue.is_working


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_process_ends_with_a_program_that_is_killed(
    library: Library, gate: Gate, tmp_path: Path
) -> None:
    program = (
        "import sys, time\n"
        "from scholar_cli.commands import common\n"
        "from scholar_indexes.background import people_queue\n"
        "people_queue.COMMAND = tuple(sys.argv[1:])\n"
        "library = common.open_library()\n"
        "queue = people_queue.PeopleQueue(library, lambda news: None)\n"
        f"queue.find(library.books.get({QUAY!r}).book)\n"
        "time.sleep(300)"
    )
    caller = subprocess.Popen([sys.executable, "-c", program, *gate.command])
    gate.wait_for(QUAY)
    caller.send_signal(signal.SIGKILL)
    caller.wait(WAIT_S)
    gate.wait_for_end()


def test_people_are_found_by_a_process_and_kept(
    queue: PeopleQueue, library: Library, news: News
) -> None:
    """The process itself, without a substitute."""
    book = library.books.get(QUAY).book
    queue.find(book)
    [end] = news.ends()
    assert end == PeopleNews(book, Stage.FOUND)
    progress = news.wait_for_label("The Quay: finding mentions")
    assert 0 < progress.done < progress.total
    assert library.search.knows_people(QUAY)
    queue.find(book)
    assert news.ends(2)[1] == end, "known people are reported at once"


def test_books_are_read_one_at_a_time_the_last_that_was_asked_for_first(
    queue: PeopleQueue, library: Library, news: News, gate: Gate, quay: Path
) -> None:
    """A process fails if another one is running; see Gate."""
    for name in ("pier", "mole"):
        text = DIALOGUE_BOOK.replace("quay", name)
        add_book(quay, quay.parent / f"{name}.txt", text, f"The {name.title()}")
    first, *others = (
        library.books.get(f"own-the-{name}").book for name in ("quay", "pier", "mole")
    )
    queue.find(first)
    gate.wait_for(first.id)
    for book in (*others, first, others[0]):
        queue.find(book)
    assert gate.begun == [first.id]
    gate.open()
    ends = news.ends(3)
    assert [end.book.id for end in ends] == [QUAY, "own-the-pier", "own-the-mole"]
    assert {end.stage for end in ends} == {Stage.FOUND}


def test_two_programs_do_not_read_at_once(
    queue: PeopleQueue, library: Library, news: News, gate: Gate
) -> None:
    gate.open()
    with FileLock(user_paths().people_lock):
        queue.find(library.books.get(QUAY).book)
        news.wait_for_label("waiting for another scholar that is finding people")
    assert [end.stage for end in news.ends()] == [Stage.FOUND]
