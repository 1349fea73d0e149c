"""scholar speakers on several books, on all, and on chapters, as a user runs it."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from lxml import etree

from command_line import DIALOGUE_BOOK, CommandResult, Scholar, error_line, succeeded
from libraries import add_book, build_once
from scholar_indexes.serialize import tei

SILENCE = "Chapter 1\n\n" + "It rained on the sea. " * 40
LAMP = (
    "Chapter 1. =Lamps\n\n“Who is there?” said Mrs. Pell.\n\n“I am,” said Tom Reed.\n\n"
    + "It rained on the lamp. " * 40
)


@pytest.fixture(scope="session")
def quay_silence_lamp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a home with two books with dialogue and one without, to be copied."""

    def build(folder: Path) -> None:
        texts = {"The Quay": DIALOGUE_BOOK, "In Silence": SILENCE, "The Lamp": LAMP}
        for title, text in texts.items():
            add_book(folder / "home", folder / f"{title}.txt", text, title)

    return build_once(tmp_path_factory, "corpus", build) / "home"


@pytest.fixture
def three_books(quay_silence_lamp: Path, home: Path) -> Path:
    """Return this test's home with three books, one of which has no dialogue."""
    shutil.copytree(quay_silence_lamp, home)
    return home


def sieve(scholar: Scholar, *more: str) -> CommandResult:
    return scholar("speakers", "quay", "--method", "sieve", *more)


def test_several_silent_books_are_an_error(scholar: Scholar, home: Path, tmp_path: Path) -> None:
    for title in ("One", "Two"):
        add_book(home, tmp_path / title, f"Chapter 1\n\n{title} night it rained. " * 9, title)
    result = scholar("speakers", "--all", "--format", "csv")
    assert (result.exit_code, result.stdout) == (5, "")
    first, second, last = result.stderr.splitlines()
    assert first.startswith("own-one: nobody speaks in this book")
    assert second.startswith("own-two: nobody speaks in this book")
    assert last.startswith("scholar: none of 2 books has speakers")


def test_a_book_that_is_not_here_stops_before_anything_is_printed(
    scholar: Scholar, quay: Path
) -> None:
    result = scholar("speakers", "quay", "emma", "--format", "csv")
    assert "no book is called 'emma'" in error_line(result, 4)
    assert result.stdout == ""


def test_all_books_of_an_empty_library_are_an_error(scholar: Scholar, home: Path) -> None:
    assert "the library is empty" in error_line(scholar("speakers", "--all"), 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "name one with -b, or use --all", id="no book"),
        pytest.param(["quay", "--all"], "leave out --all or -b", id="a book of all"),
        pytest.param(
            ["--all", "--to", "tei"], "a TEI document contains one book", id="TEI of three"
        ),
        pytest.param(
            ["quay", "--to", "tei", "--format", "csv"], "leave out --format", id="TEI as CSV"
        ),
        pytest.param(["quay", "--to", "tei", "--json"], "leave out --format", id="TEI as JSON"),
        pytest.param(
            ["--all", "--method", "sieve", "--model", "pdnc-turns"],
            "--model is for --method trained",
            id="a model of rules",
        ),
        pytest.param(
            ["--all", "--server", "http://127.0.0.1:9"],
            "are for --method llm",
            id="a server for nothing",
        ),
        pytest.param(["--all", "--format", "parquet"], "name a file: --out", id="parquet printed"),
        pytest.param(
            ["--all", "--format", "parquet", "--out", "-"],
            "name a file: --out",
            id="parquet to standard output",
        ),
        pytest.param(["--all", "--out", "x.csv"], "add --format parquet", id="a file of a table"),
        pytest.param(
            ["--all", "--format", "parquet", "--out", "/dev/null"],
            "/dev/null is not a file",
            id="parquet to a device",
        ),
        pytest.param(
            ["--all", "--json", "--format", "parquet", "--out", "x"],
            "two formats",
            id="parquet as JSON",
        ),
        pytest.param(["--all", "--chapter", "3-y"], "not a chapter", id="no chapters"),
        pytest.param(["--all", "--chapter", "9-3"], "run backwards", id="chapters backwards"),
    ],
)
def test_options_that_contradict_one_another_are_refused(
    scholar: Scholar, three_books: Path, arguments: list[str], message: str
) -> None:
    result = scholar("speakers", *arguments)
    assert message in error_line(result, 2)
    assert result.stdout == ""


def test_a_model_that_is_missing_is_said_once_for_all_books(
    scholar: Scholar, three_books: Path, tmp_path: Path
) -> None:
    error_line(scholar("speakers", "--all", "--model", str(tmp_path / "none")), 4)


def test_a_book_without_speech_does_not_stop_the_others(
    scholar: Scholar, three_books: Path
) -> None:
    result = succeeded(scholar("speakers", "--all", "--method", "sieve", "--format", "csv"))
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0])[:5] == ["speaker", "confidence", "kind", "quote", "locator"]
    assert [row["book"] for row in rows] == ["own-the-lamp"] * 2 + ["own-the-quay"] * 8
    assert (rows[0]["speaker"], rows[0]["chapter_title"]) == ("Mrs. Pell", "Chapter 1. =Lamps")
    numbers = {(row["chapter"], row["chapter_title"], row["chapter_printed"]) for row in rows[2:]}
    assert numbers == {("1", "Chapter 1", "1"), ("2", "Chapter 2", "2")}
    assert result.stderr.splitlines() == [
        "own-in-silence: nobody speaks in this book: it has no quotations that look like speech"
    ]


def test_a_book_without_the_speaker_does_not_stop_the_others(
    scholar: Scholar, three_books: Path
) -> None:
    result = succeeded(sieve(scholar, "lamp", "--speaker", "Hale", "--format", "jsonl"))
    assert result.lines
    assert result.stderr.startswith("own-the-lamp: no character is called 'Hale'")


def test_named_books_come_in_their_order_and_once(scholar: Scholar, three_books: Path) -> None:
    rows = succeeded(sieve(scholar, "lamp", "own-the-quay", "--json")).json
    books = list(dict.fromkeys(row["book"]["id"] for row in rows))
    assert books == ["own-the-quay", "own-the-lamp"]
    assert len(rows) == 10
    chapter = {"number": 1, "title": "Chapter 1. =Lamps", "part": [], "printed": "1"}
    assert rows[-1]["chapter"] == chapter


@pytest.mark.parametrize(
    ("format", "headings"), [("plain", 0), ("jsonl", 0), ("csv", 1), ("md", 2)]
)
def test_several_books_have_the_lines_of_each_under_one_heading(
    scholar: Scholar, three_books: Path, format: str, headings: int
) -> None:
    both = succeeded(sieve(scholar, "lamp", "--format", format)).lines
    first, second = (
        succeeded(scholar("speakers", book, "--method", "sieve", "--format", format)).lines
        for book in ("quay", "lamp")
    )
    assert both == [*first, *second[headings:]]


def test_tei_names_the_file_of_a_book_but_not_its_folders(
    scholar: Scholar, quay: Path, tmp_path: Path
) -> None:
    document = etree.fromstring(succeeded(sieve(scholar, "--to", "tei")).stdout.encode())
    [source] = document.findall(".//{*}sourceDesc/{*}p")
    assert source.text
    assert "/" not in source.text
    assert str(tmp_path) not in etree.tostring(document).decode()


def test_tei_has_only_the_chapters_that_are_wanted(scholar: Scholar, quay: Path) -> None:
    whole = succeeded(sieve(scholar, "--to", "tei")).stdout.encode()
    second = succeeded(sieve(scholar, "--to", "tei", "--chapter", "2-")).stdout.encode()
    schema = etree.RelaxNG(file=str(tei.SCHEMA))
    for document, chapters in ((whole, ["1", "2"]), (second, ["2"])):
        root = etree.fromstring(document)
        assert schema.validate(root), schema.error_log
        names = {"t": tei.TEI}
        assert [division.get("n") for division in root.iterfind(".//t:div", names)] == chapters
    assert b"raining when the ship left" not in second
    assert b"The letter is burnt" in second


def test_tei_of_a_chapter_that_is_missing_is_an_error(scholar: Scholar, quay: Path) -> None:
    assert "it has 1-2" in error_line(sieve(scholar, "--to", "tei", "--chapter", "9"), 4)


def test_tei_without_quotations_says_so_and_is_valid(scholar: Scholar, quay: Path) -> None:
    result = succeeded(sieve(scholar, "--to", "tei", "--min-confidence", "1"))
    assert "fewer filters" in result.stderr
    assert etree.RelaxNG(file=str(tei.SCHEMA)).validate(etree.fromstring(result.stdout.encode()))


def parquet(scholar: Scholar, out: Path, *more: str) -> CommandResult:
    command = ("speakers", "--all", "--method", "sieve", "--format", "parquet", "--out", str(out))
    return scholar(*command, *more)


def test_parquet_in_a_folder_that_is_missing_is_an_error(
    scholar: Scholar, three_books: Path, tmp_path: Path
) -> None:
    result = parquet(scholar, tmp_path / "none" / "all.parquet")
    line = error_line(result, 1, after_progress=True)
    assert "all.parquet cannot be written (No such file or directory); name another" in line


def test_a_parquet_file_stays_as_it_was_when_no_book_has_speakers(
    scholar: Scholar, three_books: Path, tmp_path: Path
) -> None:
    out = tmp_path / "all.parquet"
    out.write_text("before")
    command = ("silence", "--format", "parquet", "--out", str(out), "--force")
    error_line(scholar("speakers", *command), 5)
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_parquet_has_typed_columns_and_the_rows_of_csv(
    scholar: Scholar, three_books: Path, tmp_path: Path
) -> None:
    from pyarrow import parquet as reader

    out = tmp_path / "all.parquet"
    out.write_text("before")
    assert "all.parquet already exists" in error_line(parquet(scholar, out), 2)
    assert out.read_text() == "before"
    result = succeeded(parquet(scholar, out, "--force"))
    assert result.stdout == ""
    assert result.stderr.endswith("all.parquet has 10 quotations\n")
    table = reader.read_table(out)
    assert {name: str(table.schema.field(name).type) for name in ("confidence", "chapter")} == {
        "confidence": "double",
        "chapter": "int32",
    }
    text = succeeded(scholar("speakers", "--all", "--method", "sieve", "--format", "csv")).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert table.column_names[: len(rows[0])] == list(rows[0])
    for row, written in zip(table.to_pylist(), rows, strict=True):
        assert (row["speaker"] or "?", row["quote"], row["locator"], row["book"]) == (
            written["speaker"],
            written["quote"],
            written["locator"],
            written["book"],
        )
        assert (row["chapter"], row["chapter_title"]) == (
            int(written["chapter"]),
            written["chapter_title"],
        )


def test_parquet_of_no_quotations_is_an_empty_table(
    scholar: Scholar, three_books: Path, tmp_path: Path
) -> None:
    from pyarrow import parquet as reader

    out = tmp_path / "none.parquet"
    result = succeeded(parquet(scholar, out, "--min-confidence", "1"))
    assert "fewer filters" in result.stderr
    assert reader.read_table(out).num_rows == 0
