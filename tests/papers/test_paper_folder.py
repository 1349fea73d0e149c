"""`scholar papers add` with a folder, with Zotero's library, and with --watch."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from command_line import Scholar, error_line, start, succeeded
from database_exports import EXPORTS
from pdf_pages import TITLE, acl
from scholar_indexes.papers import folder as folders
from scholar_indexes.papers.formats import pdf_lines
from zotero_library import ZoteroDatabase, fill

LAMPS = """@article{lamps, title = {Lamps That Count Moths}, year = 2020, doi = {10.5555/lamp},
  keywords = {insects}, abstract = {Moths are counted by hand. We count them with a lamp.}}
"""
FENS = """TY  - JOUR
TI  - Moths of the Fens
PY  - 2021
AB  - We walked the fens for a year. Forty kinds of moths were seen.
ER  -
"""
CSL = [{"id": "1", "type": "article-journal", "title": "Beetles of the Fens and Their Names"}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three bibliographies, a PDF, and other files."""
    folder = tmp_path / "papers"
    (folder / "old" / "older").mkdir(parents=True)
    (folder / ".trash").mkdir()
    (folder / "lamps.bib").write_text(LAMPS)
    (folder / "old" / "fens.RIS").write_text(FENS)
    (folder / "old" / "older" / "tides.pdf").write_bytes(acl())
    (folder / "beetles.json").write_text(json.dumps(CSL))
    (folder / "package.json").write_text(json.dumps({"name": "moths", "version": "1"}))
    (folder / "notes.txt").write_text("Dear Ann,")
    (folder / ".trash" / "gone.bib").write_text(LAMPS.replace("lamp", "gone"))
    return folder


def titles(scholar: Scholar) -> set[str]:
    return {paper["title"] for paper in succeeded(scholar("papers", "list", "--json")).json}


def add(scholar: Scholar, source: Path, *more: str) -> list[str]:
    """Add a source, and return the messages without the path of the source."""
    lines = succeeded(scholar("papers", "add", str(source), *more)).stderr.splitlines()
    return [line.removeprefix(str(source)).removeprefix(":").strip() for line in lines]


def test_a_folder_without_papers_is_refused(home: Path, scholar: Scholar, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Dear Ann,")
    assert "no file of papers" in error_line(scholar("papers", "add", str(tmp_path)), 1)
    (tmp_path / "letter.bib").write_text("Dear Ann,")
    assert "letter.bib" in error_line(scholar("papers", "add", str(tmp_path)), 1)


def test_all_papers_of_a_folder_are_added(home: Path, scholar: Scholar, folder: Path) -> None:
    assert add(scholar, folder) == ["4 new, 1 without an abstract"]
    assert titles(scholar) == {
        "Lamps That Count Moths",
        "Moths of the Fens",
        TITLE,
        "Beetles of the Fens and Their Names",
    }


def test_unreadable_files_are_named_and_tried_again(
    home: Path, scholar: Scholar, folder: Path
) -> None:
    (folder / "old" / "scan.pdf").write_bytes(b"%PDF-1.4 nothing more")
    (folder / "two.bib").write_text("@article{broken2021, title = {No end\n" + LAMPS)
    for counts in ("4 new, 1 without an abstract, 2 not readable", "0 new, 4 unchanged, 2 not "):
        *unreadable, last = add(scholar, folder)
        assert last.startswith(counts)
        assert [line.partition(" ")[0] for line in unreadable] == ["/old/scan.pdf:", "/two.bib:1:"]


def test_files_that_are_as_they_were_are_not_read_again(
    home: Path, scholar: Scholar, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(scholar, folder)
    monkeypatch.delattr(pdf_lines, "read")
    assert add(scholar, folder) == ["0 new, 4 unchanged"]


def test_a_second_run_adds_what_is_new_and_what_changed(
    home: Path, scholar: Scholar, folder: Path
) -> None:
    add(scholar, folder)
    (folder / "lamps.bib").write_text(LAMPS.replace("insects", "lamps, moths"))
    (folder / "new.bib").write_text("@book{new, title={A New Book on the Fens}, year=2024}")
    (folder / "copy of lamps.bib").write_text(LAMPS)
    (folder / "old" / "fens.RIS").rename(folder / "moved.ris")
    assert add(scholar, folder)[-1] == "1 new, 1 changed, 3 unchanged, 1 without an abstract"
    (lamps,) = scholar("papers", "list", "--tag", "moths", "--json").json
    assert lamps["title"] == "Lamps That Count Moths"
    assert len(titles(scholar)) == 5


def test_a_folder_is_added_to_another_collection_too(
    home: Path, scholar: Scholar, folder: Path
) -> None:
    add(scholar, folder)
    assert add(scholar, folder, "-c", "moths")[-1].startswith("0 new, 4 changed")
    assert len(scholar("papers", "list", "-c", "moths", "--json").json) == 4


def test_a_removed_paper_whose_file_is_still_there_is_added_again(
    home: Path, scholar: Scholar, folder: Path
) -> None:
    add(scholar, folder)
    succeeded(scholar("papers", "remove", "doi:10.5555/lamp"))
    assert add(scholar, folder) == ["1 new, 3 unchanged"]


def test_a_folder_of_too_many_files_is_refused(
    home: Path, scholar: Scholar, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_FILES", 3)
    assert "more than 3 files" in error_line(scholar("papers", "add", str(folder)), 1)


def test_folders_far_below_and_links_in_a_circle_are_not_followed(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "old" / "circle").symlink_to(folder, target_is_directory=True)
    deep = folder.joinpath(*"abcdefghijklmnopqrst")
    deep.mkdir(parents=True)
    (deep / "deep.bib").write_text(LAMPS)
    names = [path.name for path in folders.find_files(folder)]
    assert names == ["beetles.json", "lamps.bib", "fens.RIS", "tides.pdf"]


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_databases_in_a_folder_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / ("export.csv" if name.endswith("CSV") else "export.txt")
    path.write_text(EXPORTS[name], "utf-8")
    assert folders.find_files(tmp_path) == [path]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("books.csv", "id,title,author\npg1342,Pride and Prejudice,Jane Austen\n"),
        ("hits.csv", "locator,quote,author,title,chapter\npg1:1.1,So we,Ann Ash,A Book,I\n"),
        ("novel.txt", "Title: Emma\n\nAuthor: Jane Austen\n\nEmma Woodhouse, handsome\n"),
        ("style.txt", "@media print { body { margin: 0 } }\n"),
        ("mail.txt", "Ann,\nthe abstract, the title and the DOI are missing.\n\n\n\n\n\n\nTY  - x"),
        ("data.txt", ""),
        ("page.txt", "<feed><entry/></feed>"),
        ("list.txt", "[1] The title, the abstract\n"),
    ],
)
def test_other_tables_and_texts_in_a_folder_are_not_read(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert folders.find_files(tmp_path) == []


@pytest.fixture
def zotero(tmp_path: Path) -> Iterator[ZoteroDatabase]:
    """Yield a library that a program has open, with pages still in its write-ahead log."""
    (tmp_path / "Zotero").mkdir()
    path = tmp_path / "Zotero" / "zotero.sqlite"
    with closing(ZoteroDatabase(path, journal="wal")) as database:
        fill(database)
        yield database


def test_a_zotero_library_is_added_and_then_what_changed_in_it(
    home: Path, scholar: Scholar, zotero: ZoteroDatabase
) -> None:
    library = zotero.path.parent
    left_out = "1 skipped as not papers (webpage)"
    assert add(scholar, library) == [f"4 new, 2 without an abstract, {left_out}"]
    assert add(scholar, zotero.path)[0].startswith("0 new, 4 unchanged")
    lamps = 1
    zotero.set(lamps, "title", "Lamps That Weigh Moths")
    zotero.tag(lamps, "read")
    zotero.add("book", title="A New Book on the Fens", date="2024-00-00 2024")
    assert add(scholar, library)[0].startswith("1 new, 1 changed, 3 unchanged")
    (tagged,) = scholar("papers", "list", "--tag", "read", "--json").json
    assert (tagged["title"], tagged["id"]) == ("Lamps That Weigh Moths", "doi:10.5555/lamp")
    assert tagged["tags"] == ["insects", "read", "to read soon"]
    assert tagged["collections"] == ["Thesis", "Thesis/Chapter 2", "papers"]
    hits = scholar("papers", "find", "a lamp that weighs moths", "-c", "Thesis", "--json").json
    assert [hit["paper"]["id"] for hit in hits] == ["doi:10.5555/lamp"]


def test_edits_stay_when_zotero_changes_a_paper(
    home: Path, scholar: Scholar, zotero: ZoteroDatabase
) -> None:
    add(scholar, zotero.path)
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", "--note", "mine", "--tag", "mine"))
    zotero.set(1, "title", "Lamps That Weigh Moths")
    zotero.tag(1, "theirs")
    add(scholar, zotero.path)
    paper = scholar("papers", "info", "doi:10.5555/lamp", "--json").json
    assert (paper["title"], paper["note"]) == ("Lamps That Weigh Moths", "mine")
    assert "mine" in paper["tags"]


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        pytest.param(b"Dear Ann,", 1, "not a Zotero library", id="no database"),
        pytest.param(b"SQLite format 3\0" + b"\xff" * 5_000, 1, "damaged", id="damaged"),
    ],
)
def test_an_invalid_zotero_library_is_one_error_line(
    home: Path, scholar: Scholar, tmp_path: Path, content: bytes, code: int, message: str
) -> None:
    (tmp_path / "zotero.sqlite").write_bytes(content)
    assert message in error_line(scholar("papers", "add", str(tmp_path)), code)


@contextmanager
def watching(home: Path, source: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a `papers add --watch` that has begun to watch, and end it with Ctrl-C."""
    process = start(home, "papers", "add", str(source), "--watch")
    try:
        wait_for_line(process, "watching")
        yield process
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err) == (0, b"", b"")
    finally:
        process.kill()
        process.communicate()


def wait_for_line(process: subprocess.Popen[bytes], part: str) -> str:
    """Return the next message line that contains this part."""
    assert process.stderr is not None
    for line in process.stderr:
        if part in line.decode():
            return line.decode().strip()
    raise AssertionError(f"it ended without a line with {part!r}")


def test_an_empty_folder_is_watched_and_added_to_until_ctrl_c(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    with watching(home, folder) as process:
        (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
        wait_for_line(process, "broken.pdf")
        (folder / "lamps.bib").write_text(LAMPS)
        assert wait_for_line(process, "new") == f"{folder}: 1 new"
        (folder / "lamps.bib").write_text(LAMPS.replace("insects", "lamps, moths"))
        assert wait_for_line(process, "changed") == f"{folder}: 0 new, 1 changed"
        (tmp_path / "moved").mkdir()
        (tmp_path / "moved" / "a.bib").write_text("@book{moved, title={A Book That Was Moved}}")
        (tmp_path / "moved").rename(folder / "moved")
        wait_for_line(process, "1 new")
    assert titles(scholar) == {"Lamps That Count Moths", "A Book That Was Moved"}


def test_a_watched_zotero_library_is_added_to(
    home: Path, scholar: Scholar, zotero: ZoteroDatabase
) -> None:
    with watching(home, zotero.path.parent) as process:
        zotero.add("book", title="A New Book on the Fens")
        assert "1 new, 4 unchanged" in wait_for_line(process, "new")
    assert "A New Book on the Fens" in titles(scholar)


@pytest.mark.parametrize(
    ("sources", "code", "message"),
    [
        pytest.param(["-"], 2, "standard input", id="standard input"),
        pytest.param(["a.bib", "b.bib"], 2, "name one", id="several"),
        pytest.param(["nowhere"], 4, "there is no file", id="nothing there"),
    ],
)
def test_sources_that_cannot_be_watched_are_refused(
    home: Path, scholar: Scholar, sources: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("papers", "add", *sources, "--watch"), code)
