"""Commands that are interrupted, run at once, or meet a full or read-only disk."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from command_line import Scholar, error_line, finish, make_book_text, start, succeeded

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"


def assert_unchanged(scholar: Scholar) -> None:
    """Assert that exactly the two small books are listed, and that both have hits."""
    assert succeeded(scholar("books", "list", "--json")).ids == [
        "own-the-lamplighter",
        "own-the-clockmaker",
    ]
    hits = succeeded(scholar("find", "the widow asked", "-n", "50", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-the-lamplighter", "own-the-clockmaker"}


def assert_add_completes(scholar: Scholar, home: Path, source: Path) -> None:
    """Assert that the same `add` works now, and leaves only three complete books."""
    assert succeeded(scholar("add", str(source), "--json")).ids == ["own-ferryman"]
    state = succeeded(scholar("index", "status", "--json")).json
    assert (state["books"], state["not_in_the_index"]) == (3, [])
    assert state["left_by_interrupted_commands"] == 0
    listed = succeeded(scholar("books", "list", "--json")).json
    assert state["sentences"] == sum(book["sentences"] for book in listed)
    assert len(list((home / "data" / "books").iterdir())) == 3
    hits = succeeded(scholar("find", "the ferryman", "--mode", "lexical", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-ferryman"}


def wait_for(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    """Wait until a condition holds; fail if the process ends before that."""
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)


def rows_of(home: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "data" / "catalog.sqlite", timeout=30)) as database:
        return list(database.execute(query))


def is_adding(home: Path) -> bool:
    return bool(rows_of(home, "SELECT 1 FROM editions WHERE state = 'adding'"))


def is_text_stored(home: Path) -> bool:
    return any((home / "data" / "books").glob("own-ferryman.*/text.txt"))


def index_files(home: Path, kind: str) -> int:
    return len(list((home / "data" / "index.lance").glob(f"*.lance/{kind}/*")))


@contextmanager
def paused_add(home: Path, source: Path, moment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield an `add` that has reached a moment of its work and cannot complete it."""
    versions, data = index_files(home, "_versions"), index_files(home, "data")
    arg = "-" if moment == "reading" else str(source)
    lock = FileLock(home / "data" / "write.lock")
    lock.acquire()
    process = start(
        home, "add", arg, "--title", "ferryman", stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stderr is not None
    with process.stdin, closing(sqlite3.connect(home / "data" / "catalog.sqlite")) as database:
        if moment == "reading":
            process.stdin.write(source.read_bytes() * 16)  # more than a pipe holds
            process.stdin.flush()
        else:
            assert b"waiting for it to finish" in process.stderr.readline()
        if moment not in ("reading", "encoded"):
            lock.release()
            wait_for(lambda: is_adding(home), process)
            database.execute("BEGIN IMMEDIATE")  # the catalogue's record has to wait
        if moment == "text stored":
            wait_for(lambda: is_text_stored(home), process)
        elif moment == "writing the index":
            wait_for(lambda: index_files(home, "data") > data, process)
        elif moment == "before recording":
            wait_for(lambda: index_files(home, "_versions") > versions + 1, process)
        assert process.poll() is None
        yield process
        database.rollback()
        lock.release()


# tests/torture kills a command at every one of its writes.
MOMENTS = [
    pytest.param(signal.SIGINT, "reading", id="Ctrl-C-reading"),
    pytest.param(signal.SIGINT, "encoded", id="Ctrl-C-encoded"),
    pytest.param(signal.SIGINT, "begun", id="Ctrl-C-begun", marks=pytest.mark.slow),
    pytest.param(signal.SIGINT, "text stored", id="Ctrl-C-stored"),
    pytest.param(signal.SIGINT, "writing the index", id="Ctrl-C-writing", marks=pytest.mark.slow),
    pytest.param(signal.SIGINT, "before recording", id="Ctrl-C-recording", marks=pytest.mark.slow),
    pytest.param(signal.SIGKILL, "text stored", id="kill-stored", marks=pytest.mark.slow),
    pytest.param(signal.SIGKILL, "before recording", id="kill-recording"),
]


@pytest.mark.parametrize(("stop", "moment"), MOMENTS)
def test_an_interrupted_add_leaves_nothing_and_can_be_repeated(
    scholar: Scholar, two_books: Path, source: Path, stop: signal.Signals, moment: str
) -> None:
    with paused_add(two_books, source, moment) as process:
        process.send_signal(stop)
        if stop is signal.SIGKILL:
            process.wait()
    process.stdin = None
    result = finish(process)
    if stop is signal.SIGINT:
        assert "interrupted" in error_line(result, 130)
    assert_unchanged(scholar)
    assert_add_completes(scholar, two_books, source)


@pytest.mark.parametrize(
    ("stop", "exit_code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["TERM", "HUP"]
)
def test_a_backup_that_is_stopped_leaves_no_part_of_a_file(
    two_books: Path, tmp_path: Path, stop: signal.Signals, exit_code: int
) -> None:
    [book] = (two_books / "data" / "books").glob("own-the-lamplighter.*")
    with (book / "large").open("wb") as large:
        large.truncate(1 << 28)
    folder = tmp_path / "backups"
    folder.mkdir()
    process = start(two_books, "backup", str(folder / "library.tar.gz"))
    wait_for(lambda: list(folder.iterdir()), process)
    process.send_signal(stop)
    assert "interrupted" in error_line(finish(process), exit_code)
    assert list(folder.iterdir()) == []


def test_a_command_that_is_to_outlive_its_terminal_ignores_a_hang_up(
    two_books: Path, tmp_path: Path
) -> None:
    process = start(
        two_books,
        *("collection", "add", "hope", "-"),
        stdin=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert process.stdin is not None
    process.stdin.write(b"\n" * 100_000 + b"own-the-lamplighter:1.1\n")  # more than a pipe holds
    process.stdin.flush()
    process.send_signal(signal.SIGHUP)
    succeeded(finish(process))


@pytest.mark.slow
def test_a_second_ctrl_c_changes_nothing(scholar: Scholar, two_books: Path, source: Path) -> None:
    with paused_add(two_books, source, "text stored") as process:
        for _ in range(40):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
    process.stdin = None
    assert "interrupted" in error_line(finish(process), 130)
    assert_unchanged(scholar)


@pytest.mark.slow
def test_an_interrupted_replacement_leaves_the_book_that_was_there(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    path = tmp_path / "clockmaker.txt"
    path.write_text(make_book_text("watchman", chapters=6), "utf-8")
    line = ["add", str(path), "--title", "The Clockmaker", "--refresh"]
    process = start(two_books, *line)
    wait_for(lambda: is_adding(two_books), process)
    process.kill()
    finish(process)
    assert_unchanged(scholar)
    assert succeeded(scholar(*line, "--json")).json[0]["outcome"] == "replaced"


@pytest.mark.slow
def test_two_adds_and_two_finds_at_once_all_do_their_work(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    names = ("ferryman", "smuggler")
    for name in names:
        (tmp_path / f"{name}.txt").write_text(make_book_text(name, chapters=6), "utf-8")
    adds = [start(two_books, "add", str(tmp_path / f"{name}.txt"), "--json") for name in names]
    finds = [start(two_books, "find", "the widow asked", "--json") for _ in range(2)]
    for find in finds:
        assert len(succeeded(finish(find)).json) == 10
    assert [succeeded(finish(add)).ids for add in adds] == [[f"own-{name}"] for name in names]
    assert len(succeeded(scholar("books", "list", "--json")).json) == 4
    assert succeeded(scholar("index", "status", "--json")).json["sentences"] == 720


def test_a_writer_that_waits_too_long_says_so(
    scholar: Scholar, two_books: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    with FileLock(two_books / "data" / "write.lock"):
        result = scholar("add", str(source))
        assert "another scholar" in error_line(result, 3, after_progress=True)
        assert succeeded(scholar("find", "the widow", "--json")).json


def test_papers_corrections_and_notes_do_not_wait_for_a_process_that_writes_a_book(
    scholar: Scholar, two_books: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    named = '[[character]]\nname = "Visitor"\n'
    with paused_add(two_books, source, "before recording") as book:
        succeeded(scholar("papers", "add", str(PAPERS)))
        succeeded(scholar("characters", "lamplighter", "--import", "-", stdin=named))
        succeeded(scholar("collection", "add", "hope", "own-the-lamplighter:1.1", "--note", "x"))
    book.stdin = None
    succeeded(finish(book))
    assert len(succeeded(scholar("books", "list", "--json")).json) == 3
    assert len(succeeded(scholar("papers", "list", "--json")).json) == 12
    listed = succeeded(scholar("characters", "lamplighter", "--corrections", "--json")).json
    assert [correction["correction"] for correction in listed] == ["Visitor is a character"]


def test_adding_papers_waits_for_another_writer(
    scholar: Scholar, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    (home / "data").mkdir(parents=True)
    with FileLock(home / "data" / "papers.lock"):
        waiting = scholar("papers", "add", str(PAPERS))
    assert "another scholar" in error_line(waiting, 3, after_progress=True)


def test_two_adds_of_papers_at_once_lose_none(scholar: Scholar, home: Path, tmp_path: Path) -> None:
    lines = PAPERS.read_text("utf-8").splitlines()
    for name, part in (("first", lines[:8]), ("second", lines[4:])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(part), "utf-8")
    adds = [
        start(home, "papers", "add", str(tmp_path / f"{name}.jsonl"))
        for name in ("first", "second")
    ]
    for add in adds:
        succeeded(finish(add))
    ids = [paper["id"] for paper in succeeded(scholar("papers", "list", "--json")).json]
    assert len(ids) == len(set(ids)) == 12
    assert len(succeeded(scholar("papers", "find", "sketches", "--json")).json) == 12


def test_papers_are_found_while_others_are_being_added_or_were_interrupted(
    scholar: Scholar, papers_home: Path, tmp_path: Path
) -> None:
    from scholar_indexes.papers.table import PaperTable

    before = succeeded(scholar("papers", "find", "sketches", "--json")).json
    new = tmp_path / "new.jsonl"
    new.write_text('{"paper_id": "new", "title": "Lamps", "abstract": ["We count lamps."]}\n')

    def stop(table: PaperTable, rows: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PaperTable, "write", stop)
        assert scholar("papers", "add", str(new)).exit_code == 130
        assert scholar("papers", "edit", "key:1001", "--title", "Lamps").exit_code == 130
    result = succeeded(scholar("papers", "find", "sketches", "--json"))
    unchanged = [hit["paper"]["id"] for hit in before if hit["paper"]["id"] != "key:1001"]
    assert [hit["paper"]["id"] for hit in result.json] == unchanged
    assert "1 papers have changed and are not in the index yet" in result.stderr
    assert scholar("doctor").exit_code == 1
    assert "the index of 12 papers was rebuilt" in succeeded(scholar("doctor", "--repair")).stderr
    assert len(succeeded(scholar("papers", "find", "sketches", "--json")).json) == 12


@pytest.mark.parametrize("line", [("find", "the lamplighter"), ("kwic", "lamplighter")])
def test_a_book_that_is_removed_while_it_is_read_is_left_out(
    scholar: Scholar, two_books: Path, line: tuple[str, ...]
) -> None:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.library import Library

    remover = Library.of_user()
    read = OpenBook.__init__

    def remove_first(book: OpenBook, *args: object) -> None:
        read(book, *args)  # type: ignore[arg-type]
        if any(stored.book.id == "own-the-clockmaker" for stored in remover.books.all()):
            remover.books.remove("clockmaker")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenBook, "__init__", remove_first)
        hits = succeeded(scholar(*line, "--json")).json
    assert hits
    assert {hit["locator"].partition(":")[0] for hit in hits} == {"own-the-lamplighter"}


def test_a_folder_that_cannot_be_deleted_is_deleted_by_the_next_command_that_writes(
    scholar: Scholar, two_books: Path
) -> None:
    from scholar_indexes.storage import book_folder

    def refuse(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(book_folder, "delete", refuse)
        assert "no permission" in error_line(scholar("books", "remove", "lamplighter"), 1)
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-the-clockmaker"]
    succeeded(scholar("index", "optimize"))
    folders = [path.name for path in (two_books / "data" / "books").iterdir()]
    assert [name.partition(".")[0] for name in folders] == ["own-the-clockmaker"]


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount a small file system at a folder, or skip the test if it must not mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    done = subprocess.run([mount, *options, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    "free_kib",
    [pytest.param(0, marks=pytest.mark.slow), 80, pytest.param(400, marks=pytest.mark.slow)],
)
def test_a_full_disk_loses_nothing_and_the_command_can_be_repeated(
    scholar: Scholar,
    monkeypatch: pytest.MonkeyPatch,
    small_library: Path,
    source: Path,
    tmp_path: Path,
    free_kib: int,
) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=16m", "tmpfs"):
        home = disk / "home"
        shutil.copytree(small_library, home)
        monkeypatch.setenv("SCHOLAR_HOME", str(home))
        filling = disk / "filling"
        filling.write_bytes(b"x" * max(0, shutil.disk_usage(disk).free - free_kib * 1024))
        result = scholar("add", str(source))
        assert re.search(r"full|space", error_line(result, 1, after_progress=True)), result
        assert_unchanged(scholar)
        filling.unlink()
        assert_add_completes(scholar, home, source)


def test_a_library_that_may_only_be_read_is_read(
    scholar: Scholar,
    monkeypatch: pytest.MonkeyPatch,
    small_library: Path,
    source: Path,
    tmp_path: Path,
) -> None:
    home = tmp_path / "read-only"
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    with mounted(home, "--bind", str(small_library)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(home)], check=True)
        assert_unchanged(scholar)
        succeeded(scholar("show", "own-the-lamplighter:1.1"))
        succeeded(scholar("index", "status"))
        for line in (
            ["add", str(source)],
            ["books", "remove", "lamplighter"],
            ["index", "rebuild"],
            ["index", "optimize"],
        ):
            assert "permission" in error_line(scholar(*line), 1)
        doctor = scholar("doctor")
        assert doctor.exit_code == 1
        assert "cannot be written" in doctor.stdout
        assert_unchanged(scholar)


def test_a_file_that_may_not_be_read_is_named(scholar: Scholar, source: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    source.chmod(0)
    assert "permissions" in error_line(scholar("add", str(source)), 1)


def test_a_home_below_a_file_is_named(
    scholar: Scholar, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    monkeypatch.setenv("SCHOLAR_HOME", str(source / "below" / "a" / "file"))
    for line in (["books", "list"], ["add", str(source)]):
        assert "SCHOLAR_HOME" in error_line(scholar(*line), 2)


def test_ctrl_c_while_an_extension_module_is_imported_is_an_interruption(home: Path) -> None:
    program = """
def books(service):
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as interrupt:
        raise ImportError("initialization failed") from interrupt

from scholar_indexes.books.book_service import BookService
BookService.all = books
from scholar_cli.main import run
run()
"""
    result = subprocess.run(
        [sys.executable, "-c", program, "books", "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 130
    assert result.stderr.startswith("scholar: interrupted")
