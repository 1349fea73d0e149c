"""Files that are not books, and books in any encoding."""

from __future__ import annotations

import io
import re
import socket
import subprocess
import sys
import zipfile
from contextlib import suppress
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
    start,
    succeeded,
)

FRENCH = "Le petit homme marchait dans la rue, et personne ne savait où il allait. " * 40


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
        pytest.param("dots.txt", b". . . - - - " * 999, "only 0 words", id="punctuation only"),
        pytest.param("table.csv", b"1,2,3,4,5\n" * 9, "only 9 words", id="a table"),
        pytest.param("french.txt", FRENCH.encode(), "--language fr", id="french"),
        pytest.param("book.txt", ("他走进了房间。 " * 99).encode(), "--language zh", id="chinese"),
    ],
)
def test_other_files_than_english_books_are_refused(
    scholar: Scholar, home: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert message in error_line(scholar("add", str(path)), 1)
    assert succeeded(scholar("books", "list", "--json")).json == []
    assert not (home / "data" / "books").exists()


def test_a_book_without_some_of_its_pages_is_added_and_reported(
    scholar: Scholar, home: Path, tmp_path: Path
) -> None:
    page = f"<html><body><h1>Chapter 1</h1><p>{make_book_text('Ann')}</p></body></html>"
    pages = epub({"one.xhtml": page.encode(), "two.xhtml": page.encode()})
    path = tmp_path / "book.epub"
    with zipfile.ZipFile(io.BytesIO(pages)) as whole, zipfile.ZipFile(path, "w") as partial:
        for name in whole.namelist():
            if name != "two.xhtml":
                partial.writestr(name, whole.read(name))
    for options in (("--dry-run",), ()):
        result = scholar("add", str(path), "--json", *options)
        line = error_line(result, 1, after_progress=True)
        assert "pages are missing from own-book; look for another copy" in line
        assert list(result.json[0]["not_read"]) == ["two.xhtml"]
    assert len(succeeded(scholar("books", "list", "--json")).json) == 1


def test_a_decompression_bomb_is_refused(scholar: Scholar, home: Path, tmp_path: Path) -> None:
    page = b"<html><body><p>" + b"a " * 50_000_000 + b"</p></body></html>"
    (tmp_path / "bomb.epub").write_bytes(epub({"page.xhtml": page}))
    assert "unreasonable size" in error_line(scholar("add", str(tmp_path / "bomb.epub")), 1)
    assert not (home / "data" / "books").exists()


def test_a_file_that_is_not_there_is_named(scholar: Scholar) -> None:
    assert "nowhere.txt" in error_line(scholar("add", "nowhere.txt"), 4)


def test_a_socket_is_refused(scholar: Scholar, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        error_line(scholar("add", str(tmp_path / "socket")), 1)


def test_a_device_without_an_end_is_refused(scholar: Scholar) -> None:
    assert "it is a device, not a file" in error_line(scholar("add", "/dev/zero"), 1)


def test_a_terabyte_of_one_line_is_refused_without_being_read(
    scholar: Scholar, tmp_path: Path
) -> None:
    path = tmp_path / "line.txt"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert "larger than 64 MiB" in error_line(scholar("add", str(path)), 1)


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
def test_sixty_megabytes_of_one_line_are_refused_in_bounded_memory(
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
    done = subprocess.run(
        [sys.executable, "-c", script, SCHOLAR, "add", str(path)],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    message = error_line(CommandResult(done.returncode, done.stdout, done.stderr), 1)
    assert "blank lines" in message


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


OLD_TEXT = "René said that the café was shut. Zoë, his fiancée, never said a word of it.\n\n" * 9


def test_a_guessed_encoding_is_reported_and_can_be_given(scholar: Scholar, tmp_path: Path) -> None:
    path = tmp_path / "mac.txt"
    path.write_bytes(OLD_TEXT.encode("mac_roman"))
    result = scholar("add", str(path), "--language", "en", "--dry-run")
    assert "its encoding is a guess, mac_roman" in result.stderr
    given = scholar("add", str(path), "--language", "en", "--encoding", "cp1252")
    assert "guess" not in given.stderr
    shown = succeeded(scholar("show", "own-mac:1", "--json")).stdout
    assert "RenŽ" in shown


@pytest.mark.parametrize(
    ("encoding", "message"),
    [("klingon", "there is no encoding 'klingon'"), ("utf-8", "is not in utf-8")],
)
def test_an_encoding_that_does_not_fit_is_refused(
    scholar: Scholar, tmp_path: Path, encoding: str, message: str
) -> None:
    path = tmp_path / "mac.txt"
    path.write_bytes(OLD_TEXT.encode("mac_roman"))
    assert message in error_line(scholar("add", str(path), "--encoding", encoding), 2)


def test_bytes_that_are_no_text_on_a_pipe_are_refused(scholar: Scholar) -> None:
    noise = bytes(range(256)) * 100
    assert "binary" in error_line(scholar("add", "-", stdin=noise), 1)
    assert "empty" in error_line(scholar("add", "-", stdin=b""), 1)
