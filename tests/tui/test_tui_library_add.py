"""Adding books: the queue, path completion, and the Gutenberg catalogue."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from command_line import make_book_text
from gutenberg_feed import BOOKS, FEED, catalog
from library_screen import book_table, box_message, footer, job_list, no_jobs_left, paste
from mirror_server import MirrorServer
from scholar_indexes.books.adding import source_parser
from scholar_indexes.books.adding.encoding_ahead import EncodingAhead
from scholar_indexes.books.adding.source_parser import SourceKind
from scholar_indexes.errors import UsageError
from scholar_indexes.requests import AddRequest
from scholar_indexes.storage.passages import SentenceRows
from scholar_indexes.types import Progress
from scholar_tui.job_queue import JobStage
from screens import at, close_boxes, notifications, scholar, screen_text, settled, until


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        monkeypatch.setenv("SCHOLAR_MIRRORS", server.url())
        yield server


@pytest.fixture
def encoding_gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Block encoding until this is set."""
    opened, encoded = threading.Event(), EncodingAhead.rows

    def held(ahead: EncodingAhead, label: str, progress: Progress) -> Iterator[SentenceRows]:
        progress(label, 1, 4)
        assert opened.wait(300)
        yield from encoded(ahead, label, progress)

    monkeypatch.setattr(EncodingAhead, "rows", held)
    yield opened
    opened.set()


async def test_adds_wait_their_turn_and_may_be_stopped(
    two_books: Path, source: Path, tmp_path: Path, encoding_gate: threading.Event
) -> None:
    other, third = tmp_path / "weaver.txt", tmp_path / "smith.txt"
    other.write_text(make_book_text("weaver"), "utf-8")
    third.write_text(make_book_text("smith"), "utf-8")
    async with at() as pilot:
        for path in (source, other, third):
            await pilot.press("a")
            box = pilot.app.screen.query_one(Input)
            box.insert_text_at_cursor(str(path))
            await pilot.pause()
            await pilot.press("enter")
            await pilot.pause()
        await until(pilot, lambda: job_list(pilot).jobs[0].total == 4)
        await until(pilot, lambda: "25 %" in screen_text(pilot))
        assert [job.stage for job in job_list(pilot).jobs] == [
            JobStage.RUNNING,
            JobStage.WAITING,
            JobStage.WAITING,
        ]
        assert "Cancel" in footer(pilot)
        assert "waiting" in screen_text(pilot)
        await pilot.press("down")  # the screen stays responsive
        assert scholar(pilot).current_book == "own-the-clockmaker"
        job_list(pilot).focus()
        await pilot.press("down", "down", "x")
        assert [job.label for job in job_list(pilot).jobs] == [f"add {source}", f"add {third}"]
        book_table(pilot).focus()
        await pilot.press("x")
        assert job_list(pilot).jobs[0].stage is JobStage.STOPPING
        encoding_gate.set()
        # Checked before the next book is added: a notification disappears after some seconds.
        await until(pilot, lambda: any("stopped" in line for line in notifications(pilot)))
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert "own-smith" in book_table(pilot).ids
        assert len(book_table(pilot).ids) == 3
        assert not scholar(pilot).library.catalog.unfinished() or len(book_table(pilot).ids) == 3


async def test_an_add_that_waits_for_another_process_can_be_stopped(
    two_books: Path, source: Path
) -> None:
    async with at() as pilot:
        with FileLock(scholar(pilot).library.places.write_lock):
            await start_adding_without_waiting(pilot, str(source))
            await until(
                pilot, lambda: "waiting for another scholar" in job_list(pilot).jobs[0].message
            )
            await pilot.press("x")
            await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2


async def test_an_add_goes_on_while_one_is_elsewhere(
    two_books: Path, source: Path, encoding_gate: threading.Event
) -> None:
    async with at() as pilot:
        await start_adding_without_waiting(pilot, str(source))
        await until(pilot, lambda: job_list(pilot).jobs[0].total == 4)
        app = scholar(pilot)
        app.workers.cancel_node(app.screen)  # as switching to another screen does
        encoding_gate.set()
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert app.library.books.get("own-ferryman").sentences
        assert "own-ferryman" in book_table(pilot).ids


async def start_adding_without_waiting(pilot: Pilot[None], line: str) -> None:
    await pilot.press("a")
    pilot.app.screen.query_one(Input).insert_text_at_cursor(line)
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


async def test_paths_complete_folder_by_folder_and_enter_takes_them(
    two_books: Path,
    tmp_path: Path,
    source: Path,
) -> None:
    (tmp_path / "shelf").mkdir()
    async with at() as pilot:
        # Enter opens the folder of a completed path.
        await pilot.press("a")
        await paste(pilot, f"{tmp_path}/sh")
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.screen.query_one(Input).value == f"{tmp_path}/shelf/"
        assert "No file" in box_message(pilot) or "no such file" in box_message(pilot)
        await close_boxes(pilot)

        # Enter accepts the completed path.
        await pilot.press("a")
        await paste(pilot, str(source)[:-5])
        await until(pilot, lambda: "Enter accepts the completed path" in box_message(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        await settled(pilot)

        # A path completes folder by folder.
        inner = tmp_path / "outer" / "inner" / "weaver.txt"
        inner.parent.mkdir(parents=True)
        inner.write_text(make_book_text("weaver"), "utf-8")
        await pilot.press("a")
        await paste(pilot, f"{tmp_path}/outer/inn")
        options = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: options.option_count == 1)
        await pilot.press("down", "enter")
        await settled(pilot)
        box = pilot.app.screen.query_one(Input)
        assert box.value == f"{inner.parent}/"
        await paste(pilot, "weav")
        await until(pilot, lambda: options.option_count == 1)
        await until(pilot, lambda: box._suggestion == str(inner))
        await pilot.press("right", "enter")
        await until(pilot, lambda: "own-weaver" in book_table(pilot).ids)


@pytest.mark.slow
async def test_a_folder_offers_the_files_in_it_that_can_be_read(
    two_books: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelf"
    (shelf / "abroad").mkdir(parents=True)
    for name in ("weaver.txt", "smith.EPUB", "cover.png"):
        (shelf / name).write_text(make_book_text("weaver"), "utf-8")
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, str(shelf))
        await pilot.press("enter")
        options = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: "2 files in this folder can be read" in box_message(pilot))
        offered = [str(option.prompt) for option in options.options]
        assert offered == [f"{shelf}/smith.EPUB", f"{shelf}/weaver.txt", f"{shelf}/abroad/"]
        await pilot.press("enter")
        assert options.highlighted == 0
        await pilot.press("down", "enter")
        await until(pilot, lambda: "own-weaver" in book_table(pilot).ids)


async def test_a_failed_add_names_its_file_once(two_books: Path, tmp_path: Path) -> None:
    empty = tmp_path / "nothing.txt"
    empty.write_text("", "utf-8")
    async with at(size=(200, 40)) as pilot:
        await start_adding_without_waiting(pilot, str(empty))
        await until(pilot, lambda: bool(notifications(pilot)))
        assert notifications(pilot)[-1].count("nothing.txt") == 1
        assert screen_text(pilot).split("✗ ")[1].splitlines()[0].count("nothing.txt") == 1


async def test_the_catalogue_is_offered_fetched_and_searched_as_one_types(
    two_books: Path, mirror: MirrorServer
) -> None:
    mirror.put(FEED, gzip.compress(catalog(*BOOKS)))
    mirror.put("/2/26/26-0.txt", make_book_text("serpent").encode())
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, "milton par")
        assert mirror.url() in box_message(pilot)
        assert mirror.requested_paths == []
        await pilot.press("enter")
        await pilot.press("enter")
        options = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: "Paradise Lost" in screen_text(pilot))
        assert "John Milton" in screen_text(pilot)
        assert any("downloading" in line and "pg_catalog" in line for line in notifications(pilot))
        await settled(pilot)
        await pilot.press("down", "enter")
        assert options.option_count
        await until(pilot, lambda: "pg26" in book_table(pilot).ids)
        await settled(pilot)
        await pilot.press("a")
        await paste(pilot, "26 158")
        assert "26 Paradise Lost (John Milton); 158 Emma (Jane Austen)" in box_message(pilot)


async def test_a_catalogue_that_cannot_be_fetched_says_so_and_may_be_tried_again(
    two_books: Path, mirror: MirrorServer
) -> None:
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, "milton")
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "catalogue again" in screen_text(pilot))
        assert "check the address" in box_message(pilot)
        mirror.put(FEED, gzip.compress(catalog(*BOOKS)))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Paradise Lost" in screen_text(pilot))


def test_a_line_means_numbers_a_file_or_words(tmp_path: Path) -> None:
    spaced = tmp_path / "a book.txt"
    spaced.write_text("x", "utf-8")
    for line, kind, sources in (
        ("", SourceKind.NOTHING, ()),
        ("1342", SourceKind.GUTENBERG, ("1342",)),
        ("1342, pg84 11", SourceKind.GUTENBERG, ("1342", "pg84", "11")),
        (
            "https://www.gutenberg.org/ebooks/1342",
            SourceKind.GUTENBERG,
            ("https://www.gutenberg.org/ebooks/1342",),
        ),
        ("https://example.org/x", SourceKind.GUTENBERG, ("https://example.org/x",)),
        (str(spaced), SourceKind.FILE, (str(spaced),)),
        (f"'{spaced}'", SourceKind.FILE, (str(spaced),)),
        (str(spaced).replace(" ", "\\ "), SourceKind.FILE, (str(spaced),)),
        (spaced.as_uri(), SourceKind.FILE, (str(spaced),)),
        ("war and peace", SourceKind.WORDS, ("war and peace",)),
    ):
        meant = source_parser.read(line)
        assert (meant.kind, meant.sources) == (kind, sources), line
    meant = source_parser.read(f"{spaced} --title 'A Book' --language=fr --refresh")
    assert meant.sources == (str(spaced),)
    assert meant.request == AddRequest(title="A Book", language="fr", refresh=True)
    assert source_parser.read(source_parser.line(meant.requests[0])) == meant
    for broken in ("1342 --title", "1342 --title 'A", "1342 --language fr nonsense"):
        with pytest.raises(UsageError):
            source_parser.read(broken)


def test_only_what_may_be_a_book_completes_a_path(tmp_path: Path) -> None:
    (tmp_path / "Books").mkdir()
    for name in ("bad.png", "brave.epub", "Bold.txt", ".bare.txt"):
        (tmp_path / name).write_text("x", "utf-8")
    assert source_parser.completions(f"{tmp_path}/b") == [
        f"{tmp_path}/Books/",
        f"{tmp_path}/Bold.txt",
        f"{tmp_path}/brave.epub",
    ]
    assert source_parser.completions(f"{tmp_path}/.b") == [f"{tmp_path}/.bare.txt"]
    assert source_parser.completions(f"{tmp_path}/none/") == []
    assert source_parser.completions("words") == []
