"""The library when it is empty or damaged, and books that are refused."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from command_line import make_book_text
from libraries import overwrite
from library_screen import book_table, box_message, footer, job_list, no_jobs_left, paste, screen
from scholar_tui.job_queue import JobStage
from scholar_tui.screens.add import AddScreen
from screens import SMALL, at, close_boxes, notifications, scholar, screen_text, settled, until

FRENCH_SENTENCE = "Le petit homme marchait dans la rue, et personne ne savait où il allait. "


async def start_adding(pilot: Pilot[None], line: str) -> None:
    await pilot.press("a")
    await paste(pilot, line)
    await pilot.press("enter")


async def test_an_empty_library_offers_the_sample_and_adding() -> None:
    async with at(size=SMALL) as pilot:
        assert "Enter adds the bundled sample" in screen_text(pilot)
        assert "a adds other books" in screen_text(pilot)
        assert "Sample" in footer(pilot)
        assert "Read" not in footer(pilot)
        await pilot.press("p", "d", "slash", "i", "q")
        assert scholar(pilot).current_mode == "library"
        assert screen(pilot).exports() == []


async def test_the_sample_is_added_with_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from scholar_indexes.books import samples

    short = [samples.bundled()[0]]
    text = make_book_text("millionaire").encode()
    monkeypatch.setattr(samples, "bundled", lambda: short)
    monkeypatch.setattr(samples, "read", lambda sample: text)
    async with at() as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert book_table(pilot).ids == [f"pg{short[0].gutenberg_id}"]
        assert scholar(pilot).current_book == f"pg{short[0].gutenberg_id}"
        assert "Sample" not in footer(pilot)


async def test_a_damaged_list_of_books_says_what_to_do(two_books: Path) -> None:
    overwrite(two_books / "data" / "catalog.sqlite")
    async with at(size=SMALL) as pilot:
        assert "is damaged" in " ".join(screen_text(pilot).split())
        assert "set it aside" in " ".join(screen_text(pilot).split())
        assert "Sample" not in footer(pilot)


async def test_a_damaged_index_is_named_and_b_repairs_it(two_books: Path, source: Path) -> None:
    for path in (two_books / "data" / "index.lance").glob("*.lance/_versions/*"):
        overwrite(path)
    async with at() as pilot:
        await start_adding(pilot, str(source))
        await until(pilot, lambda: scholar(pilot).jobs.first(JobStage.FAILED) is not None)
        assert "index rebuild" in job_list(pilot).jobs[0].message
        await pilot.press("x", "I")
        await until(pilot, lambda: no_jobs_left(pilot))
        assert any("rebuilding it" in line for line in notifications(pilot))
        await start_adding(pilot, str(source))
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        library = scholar(pilot).library
    assert library.find("the ferryman walked to the mill", books=["own-ferryman"])


async def test_a_full_disk_is_reported_and_enter_repeats_the_add(
    two_books: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.storage import book_folder as folders

    def full(folder: Path, *rest: object) -> None:
        folder.mkdir(parents=True)
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))

    async with at() as pilot:
        with monkeypatch.context() as patch:
            patch.setattr(folders, "save", full)
            await start_adding(pilot, str(source))
            await until(pilot, lambda: scholar(pilot).jobs.first(JobStage.FAILED) is not None)
        assert "is full; nothing was added. Free some space" in job_list(pilot).jobs[0].message
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2
        job_list(pilot).focus()
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, AddScreen))
        assert pilot.app.screen.query_one(Input).value == str(source)
        await settled(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        await settled(pilot)
        assert not scholar(pilot).library.catalog.unfinished()


async def test_offline_says_what_can_still_be_done(
    two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_OFFLINE", "true")
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, "wuthering heights")
        assert "offline forbids fetching it" in box_message(pilot)
        assert not pilot.app.screen.query_one(OptionList).option_count
        await pilot.press("escape")
        await start_adding(pilot, "1342")
        await until(pilot, lambda: scholar(pilot).jobs.first(JobStage.FAILED) is not None)
        assert "offline" in job_list(pilot).jobs[0].message
        assert "offline" in screen_text(pilot)
        await pilot.press("x")
        assert no_jobs_left(pilot)


@pytest.mark.slow
async def test_a_refused_book_is_added_with_the_option_that_the_error_names(
    two_books: Path, tmp_path: Path
) -> None:
    french = tmp_path / "homme.txt"
    french.write_text(FRENCH_SENTENCE * 40, "utf-8")
    async with at() as pilot:
        await start_adding(pilot, str(french))
        await until(pilot, lambda: scholar(pilot).jobs.first(JobStage.FAILED) is not None)
        assert "--language fr" in job_list(pilot).jobs[0].message
        job_list(pilot).focus()
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, AddScreen))
        await paste(pilot, ' --language fr --title "Le petit homme"')
        await pilot.press("enter")
        await until(pilot, lambda: "own-le-petit-homme" in book_table(pilot).ids)
        await settled(pilot)


@pytest.mark.slow
async def test_the_same_book_twice_is_stored_once_with_a_message(
    two_books: Path, source: Path
) -> None:
    async with at() as pilot:
        for _ in range(2):
            await start_adding(pilot, str(source))
            await until(pilot, lambda: no_jobs_left(pilot))
            await settled(pilot)
        assert book_table(pilot).ids.count("own-ferryman") == 1
        assert any("already here" in line for line in notifications(pilot))


async def test_an_unreadable_file_is_explained_and_the_next_is_added(
    two_books: Path,
    tmp_path: Path,
    source: Path,
) -> None:
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    async with at(size=SMALL) as pilot:
        # Invalid options are refused before anything happens.
        await pilot.press("a")
        await paste(pilot, "1342 --title")
        assert "needs a value" in box_message(pilot)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, AddScreen)
        await pilot.press("escape")
        assert no_jobs_left(pilot)
        await close_boxes(pilot)

        # The path of a missing file can be corrected in the box.
        await start_adding(pilot, str(tmp_path / "nowhere.txt"))
        assert "There is no such file" in box_message(pilot)
        assert str(tmp_path) not in box_message(pilot)
        assert no_jobs_left(pilot)
        await close_boxes(pilot)

        # A file that is not a book is refused with the reason; the next book is added.
        await start_adding(pilot, str(tmp_path / "picture.txt"))
        await start_adding(pilot, str(source))
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        await until(pilot, lambda: len(job_list(pilot).jobs) == 1)
        await until(pilot, lambda: not scholar(pilot).jobs.unfinished)
        assert {job.stage for job in job_list(pilot).jobs} == {JobStage.FAILED}
        assert all(job.message for job in job_list(pilot).jobs)
