"""scholar papers edit: changes of the abstract, the note, the tags, the title and the year."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from paper_files import BIBTEX, write_file


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param([], "--abstract", id="no change"),
        pytest.param(["--title", " "], "the title is empty", id="no title"),
        pytest.param(["--tag", "one, two"], "--tag once", id="a tag with a comma"),
        pytest.param(["--untag", "moths"], "no tag 'moths'", id="a tag that it has not"),
        pytest.param(["--year", "9999"], "--year", id="a year far off"),
    ],
)
def test_a_paper_is_not_changed_by_what_makes_no_sense(
    papers_home: Path, scholar: Scholar, changes: list[str], message: str
) -> None:
    before = scholar("papers", "info", "key:1003", "--json").json
    assert message in error_line(scholar("papers", "edit", "key:1003", *changes), 2)
    assert scholar("papers", "info", "key:1003", "--json").json == before


def test_a_paper_without_an_abstract_gets_one_and_is_found_by_it(
    papers_home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    bare = write_file(tmp_path, "bare.bib", "@article{bare, title = {Ledgers}, year = 1999}")
    succeeded(scholar("papers", "add", bare))
    abstract = write_file(tmp_path, "abstract.txt", "Tithe ledgers rot. We freeze each ledger.")
    assert (
        "sentences of the abstract: 2"
        in succeeded(scholar("papers", "edit", "key:bare", "--abstract", abstract)).stderr
    )
    hits = scholar("papers", "find", "freezing tithe ledgers", "-n", "1", "--json").json
    assert [hit["paper"]["id"] for hit in hits] == ["key:bare"]
    succeeded(scholar("papers", "edit", "key:bare", "--abstract", "-", stdin="A new one is read."))
    (sentence,) = scholar("papers", "info", "key:bare", "--json").json["abstract"]
    assert sentence["text"] == "A new one is read."


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("absract.txt", id="a suffix"),
        pytest.param("~/papers/abstract", id="a slash"),
        pytest.param(r"C:\papers\abstract", id="a backslash"),
    ],
)
def test_a_file_that_is_not_there_does_not_become_the_abstract(
    home: Path, scholar: Scholar, tmp_path: Path, name: str
) -> None:
    succeeded(scholar("papers", "add", write_file(tmp_path, "two.bib", BIBTEX)))
    before = scholar("papers", "info", "doi:10.5555/lamp", "--json").json
    line = error_line(scholar("papers", "edit", "doi:10.5555/lamp", "--abstract", name), 4)
    assert f"there is no file {name}" in line
    assert scholar("papers", "info", "doi:10.5555/lamp", "--json").json == before


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Moths and/or lamps, see example.org", id="several words"),
        pytest.param("Withdrawn.", id="a word with a full stop"),
        pytest.param("我们数蛾。结果见example.org/moths", id="a language without spaces"),
    ],
)
def test_a_text_with_slashes_and_full_stops_can_be_the_abstract(
    home: Path, scholar: Scholar, tmp_path: Path, text: str
) -> None:
    succeeded(scholar("papers", "add", write_file(tmp_path, "two.bib", BIBTEX)))
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", "--abstract", text))
    sentences = scholar("papers", "info", "doi:10.5555/lamp", "--json").json["abstract"]
    assert "".join(sentence["text"] for sentence in sentences).startswith(text[:5])


def test_an_empty_text_takes_the_abstract_away_for_good(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    source = write_file(tmp_path, "two.bib", BIBTEX)
    succeeded(scholar("papers", "add", source))
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", "--abstract", ""))
    succeeded(scholar("papers", "add", source))
    assert scholar("papers", "info", "doi:10.5555/lamp", "--json").json["abstract"] == []


def test_tags_and_notes_outlive_the_source_and_reach_the_bibliography(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    source = write_file(tmp_path, "two.bib", BIBTEX.replace("year = 2020", "year = 2020, note={x}"))
    succeeded(scholar("papers", "add", source))
    edits = ["--tag", "insects", "--tag", "to read", "--note", "ask Ben", "--title", "Lamps"]
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", *edits))
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", "--untag", "Insects"))
    assert "already there" in succeeded(scholar("papers", "add", source)).stderr
    (tagged,) = scholar("papers", "list", "--tag", "TO READ", "--json").json
    assert (tagged["title"], tagged["tags"], tagged["note"]) == ("Lamps", ["to read"], "ask Ben")
    bibliography = scholar("papers", "info", "doi:10.5555/lamp", "--format", "bibtex").stdout
    assert "keywords = {to read}" in bibliography
    assert "note = {ask Ben}" in bibliography
    assert "edited" not in scholar("papers", "info", "doi:10.5555/lamp", "--format", "csl").stdout
