"""The Library screen, driven with keys over small real books."""

from __future__ import annotations

import errno
import gzip
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from command_line import CommandResult, make_book_text, run_process, succeeded
from gutenberg_feed import BOOKS, FEED, catalog
from libraries import overwrite
from mirror_server import MirrorServer
from scholar_indexes.books import listing as browse
from scholar_indexes.books import source_parser
from scholar_indexes.books.source_parser import SourceKind
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize import results
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_tui.screens.add import AddScreen
from scholar_tui.screens.confirm import ConfirmScreen
from scholar_tui.screens.library import LibraryScreen
from scholar_tui.widgets.book_table import BookTable
from scholar_tui.widgets.job_list import JobList, JobStage
from scholar_tui.widgets.key_bar import KeyBar
from screens import LARGE, SMALL, at, notifications, scholar, screen_text, settled, until

FRENCH_SENTENCE = "Le petit homme marchait dans la rue, et personne ne savait où il allait. "


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a book that is not in the library."""
    path = tmp_path / "ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        monkeypatch.setenv("SCHOLAR_MIRRORS", server.url())
        yield server


@pytest.fixture
def encoding_gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Hold up encoding until this is set."""
    from scholar_indexes.books import ingest

    opened, encoded = threading.Event(), ingest.encode_rows

    def held(text: str, places: object, encoder: object, label: str, progress: object) -> object:
        progress(label, 1, 4)  # type: ignore[operator]
        assert opened.wait(30)
        return encoded(text, places, encoder, label, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(ingest, "encode_rows", held)
    yield opened
    opened.set()


def screen(pilot: Pilot[None]) -> LibraryScreen:
    current = pilot.app.screen_stack[0]
    assert isinstance(current, LibraryScreen)
    return current


def book_table(pilot: Pilot[None]) -> BookTable:
    return screen(pilot).query_one(BookTable)


def job_list(pilot: Pilot[None]) -> JobList:
    return screen(pilot).query_one(JobList)


def no_jobs_left(pilot: Pilot[None]) -> bool:
    return not job_list(pilot).jobs


def box_message(pilot: Pilot[None]) -> str:
    """Return the message in the box that adds a book."""
    return str(pilot.app.screen.query_one("#message", Static).content)


async def paste(pilot: Pilot[None], text: str) -> None:
    """Write into the focused box, as a paste does."""
    box = pilot.app.screen.focused
    assert isinstance(box, Input)
    box.insert_text_at_cursor(text)
    await settled(pilot)


async def start_adding(pilot: Pilot[None], line: str) -> None:
    await pilot.press("a")
    await paste(pilot, line)
    await pilot.press("enter")


def footer(pilot: Pilot[None]) -> str:
    return " ".join(label.description for label in pilot.app.screen.query_one(KeyBar).labels)


async def test_an_empty_shelf_offers_the_sample_and_adding() -> None:
    async with at(size=SMALL) as pilot:
        assert "Press s to add the bundled sample" in screen_text(pilot)
        assert "Press a to add a book" in screen_text(pilot)
        assert "Sample" in footer(pilot)
        assert "Read" not in footer(pilot)
        await pilot.press("enter", "f", "d", "slash", "i", "q")
        assert scholar(pilot).current_mode == "library"
        assert screen(pilot).export_listing() is None


async def test_the_sample_is_added_with_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from scholar_indexes.books import samples

    short = [samples.bundled()[0]]
    text = make_book_text("millionaire").encode()
    monkeypatch.setattr(samples, "bundled", lambda: short)
    monkeypatch.setattr(samples, "read", lambda sample: text)
    async with at() as pilot:
        await pilot.press("s")
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert book_table(pilot).ids == [f"pg{short[0].gutenberg_id}"]
        assert scholar(pilot).current_book == f"pg{short[0].gutenberg_id}"
        assert "Sample" not in footer(pilot)


async def test_a_damaged_list_of_books_says_what_to_do(two_books: Path) -> None:
    overwrite(two_books / "data" / "catalog.sqlite")
    async with at(size=SMALL) as pilot:
        assert "is damaged" in " ".join(screen_text(pilot).split())
        assert "move it away" in " ".join(screen_text(pilot).split())
        assert "Sample" not in footer(pilot)


async def test_a_damaged_index_is_named_and_b_mends_it(two_books: Path, source: Path) -> None:
    for path in (two_books / "data" / "index.lance").glob("*.lance/_versions/*"):
        overwrite(path)
    async with at() as pilot:
        await start_adding(pilot, str(source))
        await until(pilot, lambda: job_list(pilot).first(JobStage.FAILED) is not None)
        assert "index rebuild" in job_list(pilot).jobs[0].message
        await pilot.press("x", "b")
        await until(pilot, lambda: no_jobs_left(pilot))
        assert any("it is made anew" in line for line in notifications(pilot))
        await start_adding(pilot, str(source))
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        library = scholar(pilot).library
    assert library.find("the ferryman walked to the mill", books=["own-ferryman"])


async def test_a_full_disk_is_said_and_the_add_is_done_again_with_enter(
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
            await until(pilot, lambda: job_list(pilot).first(JobStage.FAILED) is not None)
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
        await until(pilot, lambda: job_list(pilot).first(JobStage.FAILED) is not None)
        assert "offline" in job_list(pilot).jobs[0].message
        assert "offline" in screen_text(pilot)
        await pilot.press("x")
        assert no_jobs_left(pilot)


async def test_what_is_no_book_says_why_and_the_next_is_added(
    two_books: Path, source: Path, tmp_path: Path
) -> None:
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    async with at(size=SMALL) as pilot:
        await start_adding(pilot, str(tmp_path / "picture.txt"))
        await start_adding(pilot, str(source))
        await start_adding(pilot, str(tmp_path / "nowhere.txt"))
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)
        await until(pilot, lambda: len(job_list(pilot).jobs) == 2)
        await until(pilot, lambda: not job_list(pilot).first(JobStage.WAITING, JobStage.RUNNING))
        assert {job.stage for job in job_list(pilot).jobs} == {JobStage.FAILED}
        assert all(job.message for job in job_list(pilot).jobs)
        assert "there is no file" in job_list(pilot).jobs[1].message


async def test_a_refusal_is_mended_with_the_option_it_names(
    two_books: Path, tmp_path: Path
) -> None:
    french = tmp_path / "homme.txt"
    french.write_text(FRENCH_SENTENCE * 40, "utf-8")
    async with at() as pilot:
        await start_adding(pilot, str(french))
        await until(pilot, lambda: job_list(pilot).first(JobStage.FAILED) is not None)
        assert "--language fr" in job_list(pilot).jobs[0].message
        job_list(pilot).focus()
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, AddScreen))
        await paste(pilot, ' --language fr --title "Le petit homme"')
        await pilot.press("enter")
        await until(pilot, lambda: "own-le-petit-homme" in book_table(pilot).ids)
        await settled(pilot)


async def test_the_same_book_twice_is_said_and_stays_once(two_books: Path, source: Path) -> None:
    async with at() as pilot:
        for _ in range(2):
            await start_adding(pilot, str(source))
            await until(pilot, lambda: no_jobs_left(pilot))
            await settled(pilot)
        assert book_table(pilot).ids.count("own-ferryman") == 1
        assert any("already here" in line for line in notifications(pilot))


async def test_options_that_make_no_sense_are_refused_before_anything_happens(
    two_books: Path,
) -> None:
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, "1342 --title")
        assert "needs a value" in box_message(pilot)
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, AddScreen)
        await pilot.press("escape")
        assert no_jobs_left(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_shelf_shows_each_book_and_what_is_known_of_it(
    two_books: Path, size: tuple[int, int]
) -> None:
    async with at(size=size) as pilot:
        scholar(pilot).library.bookmarks.record_position(
            ReadingPosition("own-the-clockmaker", "own-x:2.1", 4_500)
        )
        await pilot.press("r")
        await settled(pilot)
        shown = screen_text(pilot)
        for words in ("The Lamplighter", "Ann Example", "Title", "Pages", "Read", "%", "✓"):
            assert words in shown
        assert shown.index("The Lamplighter") < shown.index("The Clockmaker")
        assert "own-the-lamplighter" in shown
        assert ("sha256" in shown) is (size == LARGE)
        if size == SMALL:
            await pilot.press("i")
            await settled(pilot)
            assert "sha256" in screen_text(pilot)
            assert "Chapter 3" in screen_text(pilot)
            await pilot.press("escape")
            await settled(pilot)
            assert book_table(pilot).has_focus
            assert "The Clockmaker" in screen_text(pilot)


async def test_the_row_under_the_cursor_is_the_book_of_all_screens(two_books: Path) -> None:
    async with at() as pilot:
        assert scholar(pilot).current_book == "own-the-lamplighter"
        await pilot.press("down")
        await settled(pilot)
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert "Ben Other" in screen_text(pilot)
        await pilot.press("k")
        await settled(pilot)
        assert scholar(pilot).current_book == "own-the-lamplighter"


async def test_the_book_that_was_read_last_has_the_cursor(two_books: Path) -> None:
    async with at() as pilot:
        scholar(pilot).library.bookmarks.record_position(
            ReadingPosition("own-the-clockmaker", "own-x:1.1", 10)
        )
    async with at() as pilot:
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert book_table(pilot).cursor_id == "own-the-clockmaker"


@pytest.mark.parametrize(
    ("keys", "name", "navigation"),
    [
        (["enter"], "reader", "own-the-clockmaker"),
        (["f"], "find", {"claim": "", "book": "own-the-clockmaker"}),
        (["p"], "characters", "own-the-clockmaker"),
        (["q"], "quiz", "own-the-clockmaker"),
        (["i", "down", "enter"], "reader", "own-the-clockmaker:2"),
    ],
)
async def test_keys_lead_to_the_other_screens_with_this_book(
    two_books: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str], name: str, navigation: object
) -> None:
    gone: list[tuple[str, object]] = []

    async def navigate(name: str, request: object = None) -> None:
        gone.append((name, request))

    async with at() as pilot:
        monkeypatch.setattr(pilot.app, "navigate", navigate)
        await pilot.press("down")
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
    assert gone == [(name, navigation)]


async def test_the_list_narrows_as_one_types_and_escape_shows_all(two_books: Path) -> None:
    async with at() as pilot:
        await pilot.press("slash", *"CLOCK")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-the-clockmaker"]
        assert scholar(pilot).current_book == "own-the-clockmaker"
        await pilot.press(*"xx")
        await settled(pilot)
        assert book_table(pilot).ids == []
        assert screen(pilot).export_listing() is None
        assert scholar(pilot).current_book == "own-the-clockmaker"
        await pilot.press("escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2
        assert book_table(pilot).cursor_id == "own-the-clockmaker"
        assert book_table(pilot).has_focus


async def test_a_filter_stays_when_one_goes_down_to_the_books(two_books: Path) -> None:
    async with at() as pilot:
        await pilot.press("slash", *"other", "down")
        await settled(pilot)
        assert book_table(pilot).has_focus
        assert book_table(pilot).ids == ["own-the-clockmaker"]
        await pilot.press("escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2


async def test_the_books_are_put_in_another_order_with_a_key(two_books: Path) -> None:
    async with at() as pilot:
        assert book_table(pilot).ids == ["own-the-lamplighter", "own-the-clockmaker"]
        await pilot.press("o")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-the-clockmaker", "own-the-lamplighter"]
        assert book_table(pilot).cursor_id == "own-the-lamplighter"


async def test_the_export_is_what_is_listed(
    two_books: Path, scholar: Callable[..., CommandResult]
) -> None:
    async with at() as pilot:
        listing = screen(pilot).export_listing()
        assert listing is not None
        assert json.loads(listing.formats["json"]) == json.loads(
            json.dumps(sorted(scholar("books", "list", "--json").json, key=lambda e: e["author"]))
        )
        assert "| The Lamplighter | Ann Example |" in listing.formats["md"]
        assert "own-the-clockmaker" in listing.formats["bib"]
        await pilot.press("slash", *"clock")
        await settled(pilot)
        narrowed = screen(pilot).export_listing()
        assert narrowed is not None
        assert "Lamplighter" not in narrowed.formats["md"]


async def test_markup_and_escapes_in_a_title_are_shown_as_text(
    two_books: Path, source: Path
) -> None:
    title = "[bold]Sea[/] [@click=app.quit]x[/] \x1b[31mred"
    async with at(size=(200, 40)) as pilot:
        scholar(pilot).library.add(str(source), title=title, author="[red]A[/red]")
        await pilot.press("r")
        await settled(pilot)
        await pilot.press("slash", *"sea")
        await settled(pilot)
        assert "[bold]Sea[/] [@click=app.quit]x[/] [31mred" in screen_text(pilot)
        assert "[red]A[/red]" in screen_text(pilot)
        await pilot.press("down", "d")
        await settled(pilot)
        assert "[bold]Sea[/]" in screen_text(pilot)
        await pilot.press("y")
        await until(pilot, lambda: len(screen(pilot).books) == 2)


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
        await pilot.press("down")  # the screen is as quick as ever
        assert scholar(pilot).current_book == "own-the-clockmaker"
        job_list(pilot).focus()
        await pilot.press("down", "down", "x")
        assert [job.label for job in job_list(pilot).jobs] == [f"add {source}", f"add {third}"]
        book_table(pilot).focus()
        await pilot.press("x")
        assert job_list(pilot).jobs[0].stage is JobStage.STOPPING
        encoding_gate.set()
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert "own-smith" in book_table(pilot).ids
        assert len(book_table(pilot).ids) == 3
        assert any("stopped" in line for line in notifications(pilot))
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
        app.workers.cancel_node(app.screen)  # as going to another screen does
        encoding_gate.set()
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert app.library.book("own-ferryman").sentences
        assert "own-ferryman" in book_table(pilot).ids


async def start_adding_without_waiting(pilot: Pilot[None], line: str) -> None:
    await pilot.press("a")
    pilot.app.screen.query_one(Input).insert_text_at_cursor(line)
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


async def test_a_path_completes_folder_by_folder(two_books: Path, tmp_path: Path) -> None:
    source = tmp_path / "outer" / "inner" / "ferryman.txt"
    source.parent.mkdir(parents=True)
    source.write_text(make_book_text("ferryman"), "utf-8")
    async with at() as pilot:
        await pilot.press("a")
        await paste(pilot, f"{tmp_path}/outer/inn")
        options = pilot.app.screen.query_one(OptionList)
        await until(pilot, lambda: options.option_count == 1)
        await pilot.press("down", "enter")
        await settled(pilot)
        box = pilot.app.screen.query_one(Input)
        assert box.value == f"{source.parent}/"
        await paste(pilot, "ferr")
        await until(pilot, lambda: options.option_count == 1)
        await until(pilot, lambda: box._suggestion == str(source))
        await pilot.press("right", "enter")
        await until(pilot, lambda: "own-ferryman" in book_table(pilot).ids)


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
        await until(pilot, lambda: "Try again" in screen_text(pilot))
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
    assert meant.options == {"title": "A Book", "language": "fr", "refresh": True}
    assert source_parser.read(source_parser.line(str(spaced), meant.options)) == meant
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


async def test_removing_asks_first_and_no_keeps_the_book(two_books: Path) -> None:
    async with at(size=SMALL) as pilot:
        await pilot.press("d")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        words = " ".join(screen_text(pilot).replace("│", " ").split())
        assert "Remove The Lamplighter from the shelf?" in words
        assert "The file it came from stays where it is" in words
        await pilot.press("enter")  # the button that has the focus keeps it
        await settled(pilot)
        await pilot.press("d", "escape")
        await settled(pilot)
        assert len(book_table(pilot).ids) == 2
        assert book_table(pilot).has_focus


async def test_a_removed_book_is_gone_and_its_file_stays(
    small_library: Path, two_books: Path
) -> None:
    async with at() as pilot:
        file = Path(scholar(pilot).library.book("own-the-lamplighter").book.source)
        await pilot.press("d", "y")
        await until(pilot, lambda: book_table(pilot).ids == ["own-the-clockmaker"])
        await settled(pilot)
        assert file.is_file()
        assert scholar(pilot).current_book == "own-the-clockmaker"
        assert not list((two_books / "data" / "books").glob("own-the-lamplighter*"))
        assert any("removed The Lamplighter" in line for line in notifications(pilot))


async def test_what_another_process_adds_is_seen_and_found(two_books: Path, source: Path) -> None:
    async with at() as pilot:
        library = scholar(pilot).library
        assert library.find("the widow asked")  # the index is open here from now on
        succeeded(run_process(two_books, "add", str(source)))
        assert len(book_table(pilot).ids) == 2
        await pilot.press("r")
        await settled(pilot)
        assert "own-ferryman" in book_table(pilot).ids
        assert library.find("the ferryman walked", books=["own-ferryman"])
        succeeded(run_process(two_books, "books", "remove", "own-ferryman"))
        pilot.app.app_focus = False
        pilot.app.app_focus = True  # the terminal has the focus again
        await settled(pilot)
        assert "own-ferryman" not in book_table(pilot).ids


async def test_an_index_that_another_process_begins_is_seen(home: Path, source: Path) -> None:
    async with at() as pilot:
        library = scholar(pilot).library
        library.index.state()  # the index is open here, and empty
        succeeded(run_process(home, "add", str(source)))
        await pilot.press("r")
        await settled(pilot)
        assert book_table(pilot).ids == ["own-ferryman"]
        assert library.find("the ferryman walked", books=["own-ferryman"])


async def test_books_without_passages_are_named_and_b_indexes_them(two_books: Path) -> None:
    tables = [path.stem for path in (two_books / "data").glob("index.lance/*.lance")]
    shutil.rmtree(two_books / "data" / "index.lance")
    async with at() as pilot:
        for table in tables:
            scholar(pilot).library.catalog.forget_space(table)
        await pilot.press("r")
        await settled(pilot)
        words = " ".join(screen_text(pilot).split())
        assert "not indexed for the model" in words
        assert "press b" in words
        assert " no " in screen_text(pilot)
        await pilot.press("b")
        await until(pilot, lambda: no_jobs_left(pilot))
        await settled(pilot)
        assert "not indexed" not in screen_text(pilot)
        assert "✓" in screen_text(pilot)


async def test_books_are_narrowed_and_ordered_whatever_case_and_accents(two_books: Path) -> None:
    async with at() as pilot:
        books = scholar(pilot).library.books()
    assert [stored.book.id for stored in browse.filter_books(books, "LÂMP ann")] == [
        "own-the-lamplighter"
    ]
    assert browse.filter_books(books, "lamp other") == []
    for order in browse.ORDERS:
        assert len(browse.sort_books(books, order)) == 2
    read = [ReadingPosition("own-the-clockmaker", "own-x:1", 0)]
    assert browse.sort_books(books, "read", read)[0].book.id == "own-the-clockmaker"
    assert browse.percent_read(books[0], ReadingPosition("x", "x:1", books[0].characters)) == 100
    assert browse.percent_read(books[0], None) is None
    assert [browse.count_pages(characters) for characters in (0, 1, 1_800, 1_801)] == [1, 1, 1, 2]
    assert results.books_to_markdown(books).count("\n") == 4
