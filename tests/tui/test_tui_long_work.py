"""Long work on the screen: its progress, stopping it by key, and the kept parts."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

import screens
from characters_screen import names
from command_line import make_book_text
from library_screen import book_table, job_list, no_jobs_left
from reader_screen import line_text
from scholar_indexes.books import samples
from scholar_indexes.books.adding.encoding_ahead import EncodingAhead
from scholar_indexes.coreference.resolver.model import CoreferenceModel
from scholar_indexes.storage.passages import SentenceRows
from scholar_indexes.types import Progress
from screens import LARGE, QUAY, at, ended, notifications, scholar, screen_text, settled, until

Gate = threading.Event


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Block the learned resolver, which runs after speakers are found, until this is set."""
    opened, find = threading.Event(), CoreferenceModel.find_mentions

    def find_mentions(model: CoreferenceModel, words: object, progress: Progress) -> object:
        progress("finding mentions", 1, 4)
        assert opened.wait(300)
        progress("finding mentions", 2, 4)
        return find(model, words, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(CoreferenceModel, "find_mentions", find_mentions)
    yield opened
    opened.set()


@pytest.fixture
def two_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the sample with two books that are quick to add."""
    few = tuple(
        samples.Sample(number, title, "Cy Third", 1999)
        for number, title in ((9998, "The Ferryman"), (9999, "The Beekeeper"))
    )
    monkeypatch.setattr(samples, "bundled", lambda: few)
    monkeypatch.setattr(
        samples,
        "read",
        lambda sample: make_book_text(sample.title.rpartition(" ")[2], 2, 4).encode(),
    )


def running(pilot: Pilot[None], label: str) -> Callable[[], bool]:
    return lambda: scholar(pilot).progress[0] == label


async def test_a_key_says_so_when_nothing_is_being_worked_at(two_books: Path) -> None:
    async with at() as pilot:
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert notifications(pilot)[-1] == "nothing is running"


async def test_people_say_how_far_they_are_and_stop_at_a_key(spoken_home: Path, gate: Gate) -> None:
    app = screens.app("characters", QUAY)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await until(pilot, running(pilot, "finding mentions"))
        assert app.progress[2] > app.progress[1] > 0
        assert "% finding mentions  ^g stops" in screen_text(pilot)
        await pilot.press("ctrl+g")
        gate.set()
        await ended(pilot)
        assert app.progress == ("", 0, 0)
        assert "stopped; finished parts were kept" in screen_text(pilot)
        assert names(pilot)  # speakers were ready
        await pilot.press("R")
        await settled(pilot)
        assert "stopped" not in screen_text(pilot)


async def test_a_description_says_how_far_it_is_and_escape_stops_it(
    spoken_home: Path, gate: Gate
) -> None:
    gate.set()
    async with at("characters", QUAY) as pilot:
        gate.clear()
        for path in (spoken_home / "data" / "books").glob("*/people.npz"):
            path.unlink()
        await pilot.press("w", *"mate", "enter")
        await until(pilot, lambda: "% finding mentions" in screen_text(pilot))
        assert "Esc stops" in screen_text(pilot)
        await pilot.press("escape")
        gate.set()
        await ended(pilot)
        assert any("stopped; finished parts were kept" in line for line in notifications(pilot))


@pytest.mark.slow
async def test_an_add_that_is_stopped_can_be_asked_for_again(
    home: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = threading.Event()
    hold_encoding(monkeypatch, opened)
    async with at() as pilot:
        screen = scholar(pilot).mode_screen
        screen._changes.add(str(source))  # type: ignore[attr-defined]
        await until(pilot, lambda: scholar(pilot).progress[2] > 0)
        await pilot.press("f4")  # the library screen need not be visible
        await until(pilot, lambda: scholar(pilot).current_mode == "reader")
        await pilot.press("ctrl+g")
        opened.set()
        await ended(pilot)
        await pilot.press("f2")
        await settled(pilot)
        assert book_table(pilot).ids == []
        assert "stopped" in screen_text(pilot)
        job_list(pilot).focus()
        await pilot.press("home", "enter")
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: no_jobs_left(pilot) and bool(book_table(pilot).ids))


@pytest.mark.usefixtures("two_samples")
async def test_each_sample_book_is_on_the_shelf_as_soon_as_it_is_ready(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = threading.Event()
    hold_encoding(monkeypatch, opened, "The Beekeeper")
    async with at() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: book_table(pilot).ids == ["pg9998"])
        assert len(job_list(pilot).jobs) == 1
        opened.set()
        await until(pilot, lambda: no_jobs_left(pilot))
        assert sorted(book_table(pilot).ids) == ["pg9998", "pg9999"]


@pytest.mark.usefixtures("two_samples", "one_encoder")
async def test_a_job_is_in_one_list_with_its_progress_wherever_it_was_begun(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = threading.Event()
    hold_encoding(monkeypatch, opened, "The Ferryman")
    async with at("find") as pilot:
        # A sample begun in Find is on the shelf, and is not begun again there.
        await pilot.press("enter", *"the widow")
        await until(pilot, lambda: scholar(pilot).progress[2] > 0)
        for key in ("f4", "f5", "f2"):
            await pilot.press(key)
            await until(pilot, lambda: "In progress: add the bundled sample" in screen_text(pilot))
        await until(pilot, lambda: job_list(pilot).jobs[0].total > 0)
        await pilot.press("enter")
        assert [job.label for job in job_list(pilot).jobs] == ["add the bundled sample"]
        assert "%  add the bundled sample" in screen_text(pilot)
        assert not any("another scholar" in line for line in notifications(pilot))

        # Find searches for the claim as soon as there are books.
        await pilot.press("f3")
        opened.set()
        await until(pilot, lambda: not scholar(pilot).jobs.jobs)
        await until(pilot, lambda: "Ferryman" in screen_text(pilot))


@pytest.mark.usefixtures("two_samples")
async def test_the_sample_books_that_were_ready_stay_when_the_rest_is_stopped(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = threading.Event()
    hold_encoding(monkeypatch, opened, "The Beekeeper")
    async with at() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: book_table(pilot).ids == ["pg9998"])
        await pilot.press("ctrl+g")
        opened.set()
        await ended(pilot)
        assert [stored.book.id for stored in scholar(pilot).library.books.all()] == ["pg9998"]


async def test_a_reader_whose_speakers_were_stopped_finds_them_when_asked(
    spoken_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.attribution import pipeline

    opened, attribute = threading.Event(), pipeline.attribute_book

    def held(*args: object, progress: Progress, **options: object) -> object:
        progress("finding characters", 0, 0)
        assert opened.wait(300)
        progress("finding characters", 0, 0)
        return attribute(*args, progress=progress, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "attribute_book", held)
    app = screens.app("reader", QUAY)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await until(pilot, running(pilot, "finding characters"))
        await pilot.press("ctrl+g")
        opened.set()
        await ended(pilot)
        assert "stopped" in line_text(pilot, "legend")
        await pilot.press("w")
        await settled(pilot)
        assert "stopped" not in line_text(pilot, "legend")


def hold_encoding(monkeypatch: pytest.MonkeyPatch, opened: Gate, title: str = "") -> None:
    """Block the encoding of books with this title, or of all books, until `opened` is set."""
    encoded = EncodingAhead.rows

    def rows(ahead: EncodingAhead, label: str, progress: Progress) -> Iterator[SentenceRows]:
        progress(label, 1, 10)
        if title in label:
            assert opened.wait(300)
        yield from encoded(ahead, label, progress)

    monkeypatch.setattr(EncodingAhead, "rows", rows)


@pytest.fixture
def spoken_home(quay: Path) -> Path:
    """Return this test's home with an unanalysed book of dialogue."""
    return quay


def test_quitting_waits_for_no_thread_and_says_what_was_not_done(two_books: Path) -> None:
    """Runs in a new process, in which adding a book never ends."""
    program = (
        "import sys, threading; sys.path.insert(0, sys.argv[1])\n"
        "from scholar_indexes.library import Library\n"
        "from scholar_tui import terminal_session\n"
        "import screens\n"
        "Library.add = lambda *_, **__: threading.Event().wait()\n"
        "places = screens.user_paths()\n"
        "sys.exit(terminal_session.in_terminal(places, screens.settings.load(places.config)[0]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "SCHOLAR_HOME": str(two_books),
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
            "TEXTUAL_PRESS": "a,1,3,enter,a,1,4,enter,ctrl+q",
        },
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "stopped before it was done: add 13",
        "stopped before it was done: add 14",
    ]


async def test_finished_work_is_not_reported_as_stopped(
    home: Path, source: Path, tmp_path: Path
) -> None:
    async with at() as pilot:
        screen = scholar(pilot).mode_screen
        screen._changes.add(f"{source} {tmp_path / 'missing.txt'}")  # type: ignore[attr-defined]
        screen._changes.add(str(source))  # type: ignore[attr-defined]
        assert scholar(pilot).jobs.unfinished
        await settled(pilot)
        await until(pilot, lambda: bool(book_table(pilot).ids))
        await ended(pilot)
        assert scholar(pilot).jobs.unfinished == []
