"""Bad input and bad circumstances: what a user gives, and the machine that it runs on.

Every failure is one line that says what to do next, and the library is as it was before.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from command_line import (
    SCHOLAR,
    CommandResult,
    Scholar,
    environment,
    error_line,
    finish,
    make_book_text,
    run_process,
    start,
    succeeded,
)
from libraries import build_once, overwrite
from scholar_indexes.settings import DEFAULT_MODEL

UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
"""What must never reach a terminal."""

FRENCH = "Le petit homme marchait dans la rue, et personne ne savait où il allait. " * 40


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a book of 120 sentences that is not in the library."""
    path = tmp_path / "ferryman.txt"
    path.write_text(make_book_text("ferryman"), "utf-8")
    return path


def assert_unchanged(scholar: Scholar) -> None:
    """Assert that exactly the two small books are listed, and that both have hits."""
    assert succeeded(scholar("books", "list", "--json")).ids == [
        "own-the-lamplighter",
        "own-the-clockmaker",
    ]
    hits = succeeded(scholar("find", "the widow asked", "-n", "50", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-the-lamplighter", "own-the-clockmaker"}


def assert_add_completes(scholar: Scholar, home: Path, source: Path) -> None:
    """Assert that the same `add` works now, and leaves nothing but three whole books."""
    assert succeeded(scholar("add", str(source), "--json")).ids == ["own-ferryman"]
    state = succeeded(scholar("index", "status", "--json")).json
    assert (state["books"], state["not_in_the_index"]) == (3, [])
    assert state["left_by_interrupted_commands"] == 0
    listed = succeeded(scholar("books", "list", "--json")).json
    assert state["sentences"] == sum(book["sentences"] for book in listed)
    assert len(list((home / "data" / "books").iterdir())) == 3
    hits = succeeded(scholar("find", "the ferryman", "--mode", "lexical", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-ferryman"}


def epub(pages: dict[str, bytes]) -> bytes:
    """Return an EPUB of these pages."""
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        + "".join(
            f'<item id="p{n}" href="{name}" media-type="application/xhtml+xml"/>'
            for n, name in enumerate(pages)
        )
        + "</manifest><spine>"
        + "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages)))
        + "</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="content.opf"/></rootfiles></container>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("content.opf", opf)
        for name, page in pages.items():
            archive.writestr(name, page)
    return out.getvalue()


def decompression_bomb() -> bytes:
    return epub({"page.xhtml": b"<html><body><p>" + b"a " * 50_000_000 + b"</p></body></html>"})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("nothing.txt", b"", "is empty", id="empty"),
        pytest.param("blank.txt", b" \r\n\t" * 99, "is empty", id="white space"),
        pytest.param("short.txt", b"Call me Ishmael.", "only 3 words", id="three words"),
        pytest.param("noise.txt", bytes(range(256)) * 40, "is binary", id="binary"),
        pytest.param("zeros.txt", b"\0" * 9_999, "is binary", id="zeros"),
        pytest.param("scan.pdf", b"%PDF-1.7 ...", "is a PDF", id="pdf"),
        pytest.param("photo.txt", b"\xff\xd8\xff\xe0" * 99, "is an image", id="image"),
        pytest.param("book.mobi", b"\0" * 60 + b"BOOKMOBI", "is a Kindle file", id="kindle"),
        pytest.param("book.zip", b"PK\x03\x04 and so on", "broken EPUB", id="broken zip"),
        pytest.param("empty.epub", epub({}), "only 0 words", id="epub without pages"),
        pytest.param(
            "bomb.epub", decompression_bomb(), "unreasonable size", id="decompression bomb"
        ),
        pytest.param("dots.txt", b". . . - - - " * 999, "only 0 words", id="punctuation only"),
        pytest.param("table.csv", b"1,2,3,4,5\n" * 9, "only 9 words", id="a table"),
        pytest.param("french.txt", FRENCH.encode(), "--language fr", id="french"),
        pytest.param("book.txt", ("他走进了房间。 " * 99).encode(), "--language zh", id="chinese"),
    ],
)
def test_what_is_not_an_english_book_is_refused(
    scholar: Scholar, home: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in error_line(scholar("add", str(path)), 1)
    assert succeeded(scholar("books", "list", "--json")).json == []
    assert not (home / "data" / "books").exists()


def test_a_file_that_is_not_there_is_named(scholar: Scholar) -> None:
    assert "nowhere.txt" in error_line(scholar("add", "nowhere.txt"), 4)


def test_a_socket_is_refused(scholar: Scholar, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        error_line(scholar("add", str(tmp_path / "socket")), 1)


def test_a_device_without_an_end_is_refused(scholar: Scholar) -> None:
    assert "larger than 64 MiB" in error_line(scholar("add", "/dev/zero"), 1)


def limited(
    home: Path, line: list[str], stdin: bytes | None = None
) -> tuple[CommandResult, float, float]:
    """Run a command; what it said, its seconds and its peak MiB."""
    began = time.monotonic()
    process = start(home, *line, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL)
    result = finish(process, stdin)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return result, time.monotonic() - began, peak


def test_a_gigabyte_of_one_line_is_refused_without_being_read(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    result, seconds, _ = limited(home, ["add", str(path)])
    assert "larger than 64 MiB" in error_line(result, 1)
    assert seconds < 5


def test_a_gigabyte_on_standard_input_is_refused_after_64_mebibytes(home: Path) -> None:
    process = start(home, "add", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    written = 0
    with suppress(BrokenPipeError):
        while written < 1 << 30:
            written += process.stdin.write(b"one line without an end " * 40_000)
    assert 60 << 20 < written < 100 << 20
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdin = None
    assert "larger than 64 MiB" in error_line(finish(process), 1)


@pytest.mark.slow
def test_sixty_megabytes_of_one_line_are_refused_in_bounded_time_and_memory(
    home: Path, tmp_path: Path
) -> None:
    """No paragraph of a book may be longer than the whole of War and Peace."""
    path = tmp_path / "line.txt"
    line = b"The ferryman rowed across the river at dawn and spoke to nobody. "
    path.write_bytes(line * (60_000_000 // len(line)))
    script = (
        "import resource, subprocess, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2);"
        "sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, SCHOLAR, "add", str(path)],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    message = error_line(CommandResult(done.returncode, done.stdout, done.stderr), 1)
    assert "blank lines" in message
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("cp1252", ""),
        ("latin-1", ""),
        ("latin-1", "Character set encoding: UTF-8"),
        ("utf-8", "Character set encoding: ISO-8859-1"),
        ("cp1252", "Character set encoding: ASCII"),
    ],
)
def test_a_text_is_read_whatever_encoding_it_has_and_says_it_has(
    scholar: Scholar, tmp_path: Path, encoding: str, declared: str
) -> None:
    text = make_book_text("curé").replace("“", '"').replace("”", '"')
    path = tmp_path / "cure.txt"
    path.write_bytes((f"{declared}\n\n" + text).encode(encoding))
    succeeded(scholar("add", str(path), "--title", "Cure", "--language", "en"))
    hits = succeeded(scholar("find", "curé", "--mode", "lexical", "-n", "3", "--json")).json
    assert len(hits) == 3
    assert all("curé" in hit["quote"] for hit in hits)


def test_a_text_without_chapters_is_one_chapter(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text(re.sub(r"CHAPTER \d+\n\n", "", make_book_text("hermit")), "utf-8")
    [added] = succeeded(scholar("add", str(path), "--json")).json
    assert added["chapters"] == 1
    [hit] = succeeded(scholar("find", "the hermit wrote a letter", "-n", "1", "--json")).json
    assert hit["locator"].startswith("own-plain:1.")


def test_a_text_in_another_language_is_added_when_the_person_insists(
    scholar: Scholar, tmp_path: Path
) -> None:
    path = tmp_path / "french.txt"
    path.write_text(FRENCH, "utf-8")
    error_line(scholar("add", str(path)), 1)
    [added] = succeeded(scholar("add", str(path), "--language", "fr", "--json")).json
    assert added["language"] == "fr"


def test_bytes_that_are_no_text_on_a_pipe_are_refused(home: Path) -> None:
    noise = bytes(range(256)) * 100
    assert "binary" in error_line(run_process(home, "add", "-", stdin=noise), 1)
    assert "empty" in error_line(run_process(home, "add", "-", stdin=b""), 1)


@pytest.mark.parametrize(
    "claim",
    ["", " \n\t ", "?!… —", "[MASK]", "\x1b[\x07", "\u202e\u200f", "%", "\\"],
    ids=["empty", "white space", "dots", "a mask", "escapes", "bidi", "percent", "backslash"],
)
def test_a_claim_without_words_is_refused(scholar: Scholar, two_books: Path, claim: str) -> None:
    assert "claim is empty" in error_line(scholar("find", claim), 2)
    assert "claim is empty" in error_line(scholar("find", "-", stdin=claim), 2)


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("the of and to", id="stop words"),
        pytest.param("x", id="one letter"),
        pytest.param("the widow " * 5_000, id="ten thousand words"),
        pytest.param("w" * 50_000, id="one word of fifty thousand letters"),
        pytest.param("'; DROP TABLE editions; --", id="SQL that drops"),
        pytest.param("widow' OR 1=1 OR 'a'='a", id="SQL that is always true"),
        pytest.param('"the "widow" said', id="odd quotation marks"),
        pytest.param("+widow -clock AND NOT (key OR *) ~2 ^3 field:x", id="query syntax"),
        pytest.param("widow\\ \\' \\\" %s %00 {0} {{", id="backslashes"),
        pytest.param("[bold red]widow[/] [link=http://x]y[/link]", id="Rich markup"),
        pytest.param("\x1b]0;title\x07\x1b[2Jwidow\x9b31m", id="terminal escapes"),
        pytest.param("widow\x00key", id="a zero"),
        pytest.param("寡婦 вдова 🗝 ﷽", id="other scripts"),
        pytest.param("w\u0301\u0302\u0303" * 500, id="heaps of accents"),
        pytest.param("[MASK] the widow [masked sentence] key [MASK]", id="several masks"),
        pytest.param("--help me --format", id="what looks like options"),
    ],
)
def test_any_words_are_a_claim(scholar: Scholar, two_books: Path, claim: str, mode: str) -> None:
    result = succeeded(scholar("find", "-", "--mode", mode, "--json", "-n", "5", stdin=claim))
    assert len(result.json) <= 5
    assert not UNSAFE.search(result.stdout + result.stderr)
    assert len(succeeded(scholar("books", "list", "--json")).json) == 2


def test_a_claim_that_is_no_text_is_still_one_line(two_books: Path) -> None:
    result = run_process(two_books, "find", "-", "--json", stdin=b"\xff\xfe widow \x80")
    assert succeeded(result).json


@pytest.mark.parametrize(
    "line",
    [
        ["books", "info", "\x1b[31mred\x1b[0m\nsecond line"],
        ["show", "\x1b]0;x\x07\u202e"],
        ["find", "x", "-b", "[bold]\x9b1m"],
        ["find", "x", "--author", "\x1b[5mB\u202eA"],
        ["find", "x", "--chapter", "\x1b[1m"],
        ["add", "no\x1b[31mfile\nhere.txt"],
        ["add", "http://\x1b[31mx"],
        ["find", "x", "--model", "\x1b[31m/\n/"],
        ["find", "x", "--format", "\x1b[31m\n"],
        ["find", "x", "--\x1b[31m\n"],
        ["\x1b[31m\n"],
        ["models", "pull", "\x1b[31m\n"],
    ],
    ids=lambda line: " ".join(line).encode("unicode_escape").decode(),
)
def test_a_complaint_repeats_nothing_a_terminal_obeys(
    scholar: Scholar, two_books: Path, line: list[str]
) -> None:
    result = scholar(*line)
    assert result.exit_code in (2, 4)
    error_line(result, result.exit_code)
    assert not UNSAFE.search(result.stderr)


HOSTILE = "\x1b[31mred\x1b[0m \x9b2J\u202eevil\u202c \x07[bold]x[/bold] =cmd|' /C calc'!A0 | <b>\\"


@pytest.fixture(scope="session")
def hostile_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a library with a book whose every part holds controls, markup and formulas."""
    text = (
        make_book_text("joker")
        .replace("widow", f"widow {HOSTILE}")
        .replace("CHAPTER 2", "CHAPTER 2\x1b[5m")
    )

    def build(folder: Path) -> None:
        path = folder / "a\x1b[31m\u202eb.txt"
        path.write_text(f"Title: =T\x1b[31m{HOSTILE}\nAuthor: @A{HOSTILE}\n\n\n{text}", "utf-8")
        names = ("--title", f"=T{HOSTILE}", "--author", f"@A{HOSTILE}")
        output = succeeded(run_process(folder / "home", "add", str(path), *names))
        assert not UNSAFE.search(output.stdout + output.stderr)

    return build_once(tmp_path_factory, "hostile", build) / "home"


@pytest.fixture
def hostile_home(hostile_library: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home with that book; do not write to it."""
    monkeypatch.setenv("SCHOLAR_HOME", str(hostile_library))
    return hostile_library


@pytest.mark.parametrize("format", ["table", "plain", "json", "jsonl", "csv", "md"])
@pytest.mark.parametrize(
    "line",
    [
        ["find", "the widow asked", "--context", "2", "--explain"],
        ["show", "BOOK:1"],
        ["books", "list"],
        ["books", "info", "BOOK"],
    ],
    ids=lambda line: " ".join(line[:2]),
)
def test_controls_in_a_book_never_reach_the_terminal(
    scholar: Scholar, hostile_home: Path, line: list[str], format: str
) -> None:
    [book] = succeeded(scholar("books", "list", "--json")).ids
    result = succeeded(scholar(*[part.replace("BOOK", book) for part in line], "--format", format))
    assert result.stdout
    assert not UNSAFE.search(result.stdout + result.stderr)
    if format == "csv":
        for row in csv.reader(io.StringIO(result.stdout)):
            assert not any(cell.startswith(("=", "+", "@", "-", "\t", "\r")) for cell in row)
    elif format == "md":
        assert not re.search(r"(?<!\\)<b>", result.stdout)


def test_markup_in_a_book_is_printed_as_it_stands(scholar: Scholar, hostile_home: Path) -> None:
    [hit] = succeeded(scholar("find", "widow evil", "-n", "1", "--json")).json
    assert "[bold]x[/bold]" in hit["quote"]
    assert "[bold]x[/bold]" in succeeded(scholar("find", "widow evil", "-n", "1")).stdout


def test_the_text_of_a_hit_is_the_stored_text_without_its_controls(
    scholar: Scholar, hostile_home: Path
) -> None:
    [folder] = (hostile_home / "data" / "books").iterdir()
    text = (folder / "text.txt").read_bytes().decode()
    for hit in succeeded(scholar("find", "the widow asked", "--json")).json:
        assert UNSAFE.sub("", text[hit["start"] : hit["end"]]) == hit["selector"]["exact"]


def wait_for(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    """Wait until a condition holds; fail when the process ends before it does."""
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
    """Yield an `add` that has come to a moment of its work."""
    versions, data = index_files(home, "_versions"), index_files(home, "data")
    arg = "-" if moment == "reading" else str(source)
    process = start(
        home, "add", arg, "--title", "ferryman", stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    with process.stdin, closing(sqlite3.connect(home / "data" / "catalog.sqlite")) as database:
        if moment == "reading":
            process.stdin.write(source.read_bytes() * 16)  # more than a pipe holds
            process.stdin.flush()
        elif moment == "begun":
            wait_for(lambda: is_adding(home), process)
        elif moment == "encoding":
            wait_for(lambda: is_text_stored(home), process)
        elif moment == "writing the index":
            wait_for(lambda: index_files(home, "data") > data, process)
        elif moment == "index written":
            wait_for(lambda: index_files(home, "_versions") > versions + 1, process)
        else:
            wait_for(lambda: is_adding(home), process)
            database.execute("BEGIN IMMEDIATE")  # the catalogue's record has to wait
            wait_for(lambda: index_files(home, "_versions") > versions + 1, process)
            time.sleep(0.5)
        assert process.poll() is None
        yield process
        database.rollback()


MOMENTS = [
    "reading",
    "begun",
    "encoding",
    "writing the index",
    "index written",
    "before recording",
]


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupted_add_leaves_nothing_and_can_be_repeated(
    scholar: Scholar, two_books: Path, source: Path, moment: str, stop: signal.Signals
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


@pytest.mark.slow
def test_a_second_ctrl_c_changes_nothing(scholar: Scholar, two_books: Path, source: Path) -> None:
    with paused_add(two_books, source, "encoding") as process:
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


def test_a_writer_that_waits_too_long_says_so(two_books: Path, source: Path) -> None:
    from filelock import FileLock

    with FileLock(two_books / "data" / "write.lock"):
        result = run_process(two_books, "add", str(source), env={"SCHOLAR_LOCK_WAIT_S": "0.2"})
        assert "another scholar" in error_line(result, 3, after_progress=True)
        assert succeeded(run_process(two_books, "find", "the widow", "--json")).json


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount a small file system at a folder, where the tests may mount one."""
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
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("free_kib", [0, 80, 400])
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
        result = run_process(home, "add", str(source))
        assert re.search(r"full|space", error_line(result, 1)), result
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


def test_an_index_of_another_model_asks_for_a_rebuild(
    scholar: Scholar, two_books: Path, tmp_path: Path
) -> None:
    from scholar_indexes.models.registry import PACKAGED

    model = tmp_path / "other-model"
    shutil.copytree(PACKAGED / DEFAULT_MODEL, model)
    card = json.loads((model / "card.json").read_text("utf-8"))
    card |= {"name": "other-model", "space": "other-model-01234567"}
    (model / "card.json").write_text(json.dumps(card), "utf-8")
    other = ("--model", str(model))
    assert "scholar index rebuild" in error_line(scholar("find", "the widow", *other), 4)
    assert "2 were encoded" in succeeded(scholar("index", "rebuild", *other)).stderr
    for line in ((), other):
        assert succeeded(scholar("find", "the widow", "--json", *line)).json
    succeeded(scholar("index", "rebuild", "--only", *other))
    assert "scholar index rebuild" in error_line(scholar("find", "the widow"), 4)
    succeeded(scholar("index", "rebuild"))
    assert succeeded(scholar("find", "the widow", "--json")).json


def test_an_index_of_an_older_scholar_asks_for_a_rebuild(scholar: Scholar, two_books: Path) -> None:
    [table] = (two_books / "data" / "index.lance").glob("*.lance")
    table.rename(table.with_name(table.name.replace("passages_v1", "passages_v0")))
    with closing(sqlite3.connect(two_books / "data" / "catalog.sqlite")) as database:
        database.execute("UPDATE indexed SET space = replace(space, 'passages_v1', 'passages_v0')")
        database.commit()
    assert "scholar index rebuild" in error_line(scholar("find", "the widow"), 4)
    assert "2 were encoded" in succeeded(scholar("index", "rebuild")).stderr
    assert succeeded(scholar("find", "the widow", "--json")).json
    assert succeeded(scholar("index", "status", "--json")).json["tables_of_other_models"] == []


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("pattern", "harm"),
    [
        pytest.param("*.lance", shutil.rmtree, id="table gone"),
        pytest.param("*.lance/_versions/*", Path.unlink, id="versions gone"),
        pytest.param("*.lance/_versions/*", overwrite, id="versions overwritten"),
        pytest.param("*.lance/data/*.lance", Path.unlink, id="rows gone"),
        pytest.param("*.lance/data/*.lance", cut_short, id="rows cut short"),
        pytest.param("*.lance/data/*.lance", overwrite, id="rows overwritten"),
        pytest.param("*.lance/_indices/*/*", Path.unlink, id="indices gone"),
        pytest.param("*.lance/_indices/*/*", overwrite, id="indices overwritten"),
    ],
)
def test_a_damaged_index_asks_for_a_rebuild_that_mends_it(
    scholar: Scholar, two_books: Path, pattern: str, harm: Callable[[Path], None]
) -> None:
    harmed = list((two_books / "data" / "index.lance").glob(pattern))
    assert harmed
    for path in harmed:
        harm(path)
    result = scholar("find", "the widow asked", "--json")
    line = re.search(r"run: scholar ([a-z -]+)$", error_line(result, result.exit_code))
    assert line, result
    assert result.exit_code in (1, 4)
    doctor = scholar("doctor", "--json")
    assert doctor.exit_code == 1
    assert line[0] in doctor.stdout
    succeeded(scholar(*line[1].split()))
    assert len(succeeded(scholar("find", "the widow asked", "--json")).json) == 10
    succeeded(scholar("doctor"))


@pytest.mark.parametrize("harm", [cut_short, overwrite], ids=["cut short", "overwritten"])
def test_a_damaged_list_of_books_is_named_and_survives(
    scholar: Scholar, two_books: Path, source: Path, harm: Callable[[Path], None]
) -> None:
    catalog = two_books / "data" / "catalog.sqlite"
    harm(catalog)
    harmed = catalog.read_bytes()
    for line in (["books", "list"], ["find", "the widow"], ["add", str(source)]):
        assert "catalog.sqlite is damaged" in error_line(scholar(*line), 1)
    assert catalog.read_bytes() == harmed
    catalog.rename(catalog.with_suffix(".damaged"))
    succeeded(scholar("add", str(source)))
    assert succeeded(scholar("books", "list", "--json")).ids == ["own-ferryman"]
    hits = succeeded(scholar("find", "the widow asked", "-n", "50", "--json")).json
    assert {hit["book"]["id"] for hit in hits} == {"own-ferryman"}


@pytest.mark.parametrize("name", ["text.txt", "chapters.json", "sentences.npy"])
@pytest.mark.parametrize(
    "harm", [Path.unlink, cut_short, overwrite], ids=["gone", "cut short", "overwritten"]
)
def test_a_damaged_book_is_named_and_can_be_added_again(
    scholar: Scholar, two_books: Path, tmp_path: Path, name: str, harm: Callable[[Path], None]
) -> None:
    harm(next((two_books / "data" / "books").glob(f"own-the-lamplighter.*/{name}")))
    message = error_line(scholar("find", "the lamplighter", "-b", "lamplighter"), 1)
    assert "scholar books remove own-the-lamplighter" in message
    assert succeeded(scholar("find", "the widow", "-b", "clockmaker", "--json")).json
    succeeded(scholar("books", "remove", "own-the-lamplighter"))
    path = tmp_path / "again.txt"
    path.write_text(make_book_text("lamplighter"), "utf-8")
    succeeded(scholar("add", str(path), "--title", "The Lamplighter"))
    assert succeeded(scholar("find", "the lamplighter", "-b", "lamplighter", "--json")).json


def test_ids_of_titles_without_letters_are_still_ids(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(make_book_text("stranger"), "utf-8")
    [added] = succeeded(scholar("add", str(path), "--title", "戰爭與和平", "--json")).json
    assert re.fullmatch(r"own-[0-9a-f]{12}", added["id"])
    assert unicodedata.is_normalized("NFC", added["title"])
    succeeded(scholar("show", f"{added['id']}:1.1"))
