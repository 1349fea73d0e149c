"""scholar papers: adding, listing, exporting and fetching papers, and finding similar ones."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Scholar, environment, error_line, succeeded
from mirror_server import ARXIV_PATH, MirrorServer, status
from paper_files import BIBTEX, write_file

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["similar", "key:1001"], 4, "scholar papers add", id="no papers yet"),
        pytest.param(["find", "moths"], 4, "scholar papers add", id="nothing to search yet"),
        pytest.param(["add", "nowhere.bib"], 4, "there is no file", id="no such file"),
        pytest.param(["info", "12"], 4, "scholar papers add", id="no paper to describe"),
        pytest.param(["list", "-c", "mine"], 4, "scholar papers add", id="no collection"),
        pytest.param(["list", "--tag", "mine"], 4, "scholar papers add", id="no tag"),
        pytest.param(["fetch", "moths"], 2, "arxiv:", id="no id that a service knows"),
    ],
)
def test_without_papers_the_error_names_the_next_step(
    scholar: Scholar, arguments: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("papers", *arguments), code)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["info", "key:1100"], 4, "there is no paper", id="an unknown id"),
        pytest.param(["info", "Duplicate"], 2, "several papers", id="a title of several"),
        pytest.param(["similar", "key:1001", "--sentences", "40"], 2, "no sentence 40", id="rows"),
        pytest.param(["similar", "key:1001", "--sentences", "two"], 2, "write 2,3", id="words"),
        pytest.param(
            ["similar", "key:1001", "--facet", "method", "--sentences", "1"],
            2,
            "not both",
            id="a facet and sentences",
        ),
        pytest.param(["similar", "key:1001", "--year", "late"], 2, "2015-", id="no years"),
        pytest.param(["list", "-c", "mine"], 4, "no collection 'mine'", id="no collection"),
        pytest.param(["list", "--tag", "mine"], 4, "no paper has the tag 'mine'", id="no tag"),
        pytest.param(["list", "--year", "2500-"], 5, "all filters", id="no paper of these years"),
        pytest.param(["find", "moths", "--year", "2500-"], 5, "all filters", id="no hit"),
        pytest.param(
            ["similar", "key:1001", "--year", "2500-"], 5, "all filters", id="none similar"
        ),
        pytest.param(["find", "  "], 2, "empty", id="no claim"),
    ],
)
def test_invalid_arguments_are_one_error_line(
    papers_home: Path, scholar: Scholar, arguments: list[str], code: int, message: str
) -> None:
    assert message in error_line(scholar("papers", *arguments), code)


def test_a_facet_that_no_sentence_has_is_asked_for_with_the_nearest(
    papers_home: Path, scholar: Scholar
) -> None:
    record = {
        "paper_id": "9",
        "title": "On the Keeping of Moths in Large Numbers",
        "abstract": [
            {"facet": "method", "text": "We keep moths in boxes."},
            {"facet": "result", "text": "They live."},
        ],
    }
    succeeded(scholar("papers", "add", "-", stdin=json.dumps(record)))
    result = succeeded(scholar("papers", "similar", "key:9", "--facet", "background", "--json"))
    assert "no sentence of 'On the Keeping of Moths" in result.stderr
    assert "which is used instead" in result.stderr
    assert result.json


@pytest.mark.parametrize("title", ["", "Moths in boxes\n\n"])
def test_an_abstract_as_plain_text_can_be_asked_with(
    papers_home: Path, scholar: Scholar, title: str
) -> None:
    text = f"{title}Moths are many. We keep moths in boxes and count them. They live for a week.\n"
    similar = ("papers", "similar", "-", "--facet", "method", "--json")
    assert succeeded(scholar(*similar, stdin=text)).json
    assert succeeded(scholar("papers", "list", "--json")).json
    assert "Moths" not in succeeded(scholar("papers", "list")).stdout


@pytest.mark.parametrize("text", ["too short for that", "\0binary \0 is no text at all, nor words"])
def test_text_that_is_no_abstract_is_refused(
    papers_home: Path, scholar: Scholar, text: str
) -> None:
    assert "is not a file of papers" in error_line(scholar("papers", "similar", "-", stdin=text), 1)


def test_a_paper_without_an_abstract_has_no_similar_papers(
    papers_home: Path, scholar: Scholar
) -> None:
    result = scholar(
        "papers", "add", "-", stdin='{"paper_id": "9", "title": "Twelve Moths of Kent"}'
    )
    assert "1 without an abstract" in succeeded(result).stderr
    assert "scholar papers find" in error_line(scholar("papers", "similar", "key:9"), 5)


def test_a_source_without_papers_is_refused(home: Path, scholar: Scholar, tmp_path: Path) -> None:
    assert error_line(scholar("papers", "add", write_file(tmp_path, "a.bib", "Dear Ann,")), 1)


def test_an_invalid_record_is_reported_with_its_line_and_the_others_are_added(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    file = write_file(tmp_path, "two.bib", BIBTEX)
    lines = succeeded(scholar("papers", "add", file)).stderr.splitlines()
    assert lines[0].startswith(f"{file}:6: ")
    assert lines[-1] == f"{file}: 2 added, 1 not readable"
    ids = [paper["id"] for paper in scholar("papers", "list", "--json").json]
    assert ids == ["doi:10.5555/lamp", "doi:10.5555/fens"]


def test_the_other_files_are_added_if_one_fails(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    result = scholar("papers", "add", "nowhere.bib", str(PAPERS))
    assert result.exit_code == 4
    assert "12 added" in result.stderr
    assert len(scholar("papers", "list", "--json").json) == 12


def test_a_damaged_index_is_repaired_by_the_command_that_the_error_names(
    papers_home: Path, scholar: Scholar
) -> None:
    (table,) = (papers_home / "data" / "papers.lance").glob("*.lance")
    shutil.rmtree(table / "data")
    assert "scholar papers rebuild" in error_line(scholar("papers", "find", "moths"), 1)
    assert "12 papers" in succeeded(scholar("papers", "rebuild")).stderr
    assert succeeded(scholar("papers", "find", "moths", "--json")).json


KILLED_ADD = """
import os, signal, sys

from scholar_cli.main import run
from scholar_indexes.papers import paper_service
from scholar_indexes.papers.table import PaperTable

paper_service.BATCH_SIZE = 4
write = PaperTable.write
killed_write, is_written = int(sys.argv.pop(1)), sys.argv.pop(1) == "after"
writes = 0


def write_until_killed(table, rows):
    global writes
    writes += 1
    if writes < killed_write or is_written:
        write(table, rows)
    if writes == killed_write:
        os.kill(os.getpid(), signal.SIGKILL)


PaperTable.write = write_until_killed
run()
"""
"""`scholar papers add` in batches of 4, killed before or after it writes a batch to the index."""


@pytest.mark.parametrize(
    ("batch", "moment", "listed"),
    [
        pytest.param(
            1, "before", 0, id="before the first batch is indexed", marks=pytest.mark.slow
        ),
        pytest.param(
            2, "before", 4, id="before the second batch is indexed", marks=pytest.mark.slow
        ),
        pytest.param(2, "after", 4, id="after the second batch is indexed"),
    ],
)
def test_an_interrupted_add_lists_whole_batches_and_can_be_repeated(
    home: Path, scholar: Scholar, tmp_path: Path, batch: int, moment: str, listed: int
) -> None:
    records = [
        {
            "paper_id": str(n),
            "title": f"Report number {n} of the Society for Moths",
            "abstract": f"We saw {n} moths. They were of {n % 7} kinds. It rained on day {n}.",
        }
        for n in range(10)
    ]
    file = write_file(tmp_path, "many.jsonl", "\n".join(map(json.dumps, records)))
    command = [sys.executable, "-c", KILLED_ADD, str(batch), moment, "papers", "add", file]
    killed = subprocess.run(
        command, env=environment(home), capture_output=True, timeout=120, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(succeeded(scholar("papers", "list", "--json")).json) == listed
    succeeded(scholar("papers", "add", file))
    assert len(succeeded(scholar("papers", "list", "--json")).json) == 10
    hits = succeeded(scholar("papers", "find", "moths of 3 kinds", "--json")).json
    assert len({hit["paper"]["id"] for hit in hits}) == len(hits) == 10


def test_the_same_papers_are_stored_once(papers_home: Path, scholar: Scholar) -> None:
    assert "0 added, 12 already there" in succeeded(scholar("papers", "add", str(PAPERS))).stderr
    assert len(scholar("papers", "list", "--json").json) == 12


def test_a_paper_shows_its_abstract_with_facets(papers_home: Path, scholar: Scholar) -> None:
    shown = succeeded(scholar("papers", "info", "1003", "--json")).json
    assert shown["title"] == "Verifying Handwritten Signatures from a Single Example"
    assert [sentence["facet"] for sentence in shown["abstract"]].count("method") >= 1
    assert {"method", "result"} <= set(succeeded(scholar("papers", "info", "1003")).stdout.split())


@pytest.mark.parametrize(
    ("format", "written"),
    [
        pytest.param("bibtex", "Example, Ann and Other, Ben and others", id="BibTeX"),
        pytest.param("csl", '"literal": "others"', id="CSL-JSON"),
        pytest.param("ris", "AU  - et al.", id="RIS"),
    ],
)
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            "@book{a, title={Moths}, author={Ann Example and Ben Other and others}}", id="BibTeX"
        ),
        pytest.param(
            '[{"type": "book", "title": "Moths", "author": [{"family": "Example", "given": "Ann"},'
            '{"family": "Other", "given": "Ben"}, {"literal": "et al."}]}]',
            id="CSL-JSON",
        ),
        pytest.param(
            "TY  - BOOK\nTI  - Moths\nAU  - Example, Ann\nAU  - Other, Ben\nAU  - et al.\nER  -\n",
            id="RIS",
        ),
        pytest.param("title,authors\nMoths,Ann Example; Ben Other; et al.\n", id="CSV"),
    ],
)
def test_unnamed_authors_are_in_every_bibliography(
    home: Path, scholar: Scholar, source: str, format: str, written: str
) -> None:
    succeeded(scholar("papers", "add", "-", stdin=source))
    bibliography = succeeded(scholar("papers", "list", "--format", format)).stdout
    assert written in bibliography
    succeeded(scholar("papers", "remove", "1"))
    succeeded(scholar("papers", "add", "-", stdin=bibliography))
    (paper,) = scholar("papers", "list", "--json").json
    assert paper["authors"] == ["Ann Example", "Ben Other", "others"]
    assert "Ann Example, Ben Other et al." in scholar("papers", "list").stdout
    assert "Ann Example, Ben Other et al." in scholar("papers", "info", "Moths").stdout


def test_papers_without_labels_are_labelled(home: Path, scholar: Scholar) -> None:
    records = map(json.loads, PAPERS.read_text("utf-8").splitlines())
    plain = [
        {**record, "abstract": " ".join(sentence["text"] for sentence in record["abstract"])}
        for record in records
    ]
    succeeded(scholar("papers", "add", "-", stdin="\n".join(map(json.dumps, plain))))
    right = []
    for record in map(json.loads, PAPERS.read_text("utf-8").splitlines()):
        paper = scholar("papers", "info", f"key:{record['paper_id']}", "--json").json
        for expected, labelled in zip(record["abstract"], paper["abstract"], strict=True):
            assert expected["text"] == labelled["text"]
            right.append(expected["facet"].replace("objective", "background") == labelled["facet"])
    assert sum(right) / len(right) > 0.7


def test_collections_are_searched_separately(
    papers_home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    succeeded(scholar("papers", "add", write_file(tmp_path, "two.bib", BIBTEX), "-c", "moths"))
    sizes = {
        collection["name"]: collection["papers"]
        for collection in scholar("papers", "collections", "--json").json
    }
    assert sizes == {"moths": 2, "papers": 12}
    hits = scholar("papers", "find", "counting", "-c", "moths", "--json").json
    assert {hit["paper"]["id"] for hit in hits} == {"doi:10.5555/lamp", "doi:10.5555/fens"}


def test_a_removed_paper_is_not_found(papers_home: Path, scholar: Scholar) -> None:
    succeeded(scholar("papers", "remove", "key:1003"))
    assert error_line(scholar("papers", "info", "key:1003"), 4)
    hits = scholar("papers", "similar", "key:1001", "--facet", "method", "--json").json
    assert "key:1003" not in {hit["paper"]["id"] for hit in hits}


def test_a_paper_is_taken_out_of_one_collection_and_removed_with_the_last(
    papers_home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    bibliography = write_file(tmp_path, "two.bib", BIBTEX)
    for collection in ("moths", "thesis"):
        succeeded(scholar("papers", "add", bibliography, "-c", collection))
    remove = ("papers", "remove", "doi:10.5555/lamp", "-c")
    assert "removed from thesis: doi:10.5555/lamp" in succeeded(scholar(*remove, "thesis")).stderr
    refusal = error_line(scholar(*remove, "thesis"), 4)
    assert "doi:10.5555/lamp is not in thesis; it is in: moths" in refusal
    said = succeeded(scholar(*remove, "moths")).stderr
    assert "removed from moths, its only collection, and deleted: doi:10.5555/lamp" in said
    assert error_line(scholar("papers", "info", "doi:10.5555/lamp"), 4)


def test_an_empty_list_of_papers_is_printed_where_the_filters_leave_none(
    papers_home: Path, scholar: Scholar
) -> None:
    listed = scholar("papers", "list", "--year", "2500-", "--json")
    assert (listed.exit_code, listed.json) == (5, [])
    similar = scholar("papers", "similar", "1001", "--year", "2500-", "--json")
    assert (similar.exit_code, similar.json) == (5, [])


def test_a_library_without_papers_has_an_empty_list(home: Path, scholar: Scholar) -> None:
    listed = succeeded(scholar("papers", "list", "--json"))
    assert listed.json == []
    assert "scholar papers add FILE" in listed.stderr


def test_an_unknown_tag_is_refused_with_a_list_of_the_tags(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    succeeded(scholar("papers", "add", write_file(tmp_path, "two.bib", BIBTEX)))
    succeeded(scholar("papers", "edit", "doi:10.5555/lamp", "--tag", "to read", "--year", "2020"))
    message = error_line(scholar("papers", "list", "--tag", "to"), 4)
    assert "to read" in message
    asked = scholar("papers", "list", "--tag", "To Read", "--year", "2500-")
    assert "all filters" in error_line(asked, 5)


@pytest.mark.parametrize("facet", [[], ["--facet", "method"]], ids=["altogether", "in a facet"])
def test_an_empty_collection_says_how_to_fill_it(
    papers_home: Path, scholar: Scholar, tmp_path: Path, facet: list[str]
) -> None:
    succeeded(scholar("papers", "add", write_file(tmp_path, "two.bib", BIBTEX), "-c", "my moths"))
    for paper in scholar("papers", "list", "-c", "my moths", "--json").json:
        succeeded(scholar("papers", "remove", paper["id"], "-c", "my moths"))
    message = error_line(scholar("papers", "find", "moths", "-c", "my moths", *facet), 4)
    assert "the collection 'my moths' has no papers" in message
    assert message.endswith("scholar papers add FILE -c 'my moths'")
    asked = scholar("papers", "similar", "key:1001", "-c", "my moths")
    assert error_line(asked, 4) == message


@pytest.mark.parametrize(("format", "begins"), [("bibtex", "@"), ("ris", "TY  - "), ("csl", "[")])
def test_results_are_exported_as_a_bibliography_that_can_be_added(
    papers_home: Path, scholar: Scholar, format: str, begins: str
) -> None:
    bibliography = succeeded(
        scholar("papers", "similar", "key:1001", "-n", "3", "--format", format)
    ).stdout
    assert bibliography.startswith(begins)
    result = scholar("papers", "add", "-", "-c", "again", stdin=bibliography)
    assert "3 " in succeeded(result).stderr
    assert len(scholar("papers", "list", "-c", "again", "--json").json) == 3


@pytest.mark.parametrize("format", ["table", "plain", "jsonl", "csv", "md"])
def test_control_characters_of_papers_are_not_printed(
    home: Path, scholar: Scholar, format: str
) -> None:
    record = {
        "paper_id": "1",
        "title": "Red \x1b[31m moths and \x07 bells of the fens",
        "abstract": "We ring \x1b]0;title\x07 bells. Moths hear them.",
    }
    succeeded(scholar("papers", "add", "-", stdin=json.dumps(record)))
    for arguments in (["list"], ["find", "moths"], ["info", "1"]):
        output = succeeded(scholar("papers", *arguments, "--format", format)).stdout
        assert not any(mark in output for mark in ("\x1b", "\x07"))


def test_a_paper_is_fetched_by_its_id_and_added(
    home: Path, scholar: Scholar, arxiv: MirrorServer
) -> None:
    fetched = succeeded(scholar("papers", "fetch", "arXiv:1810.00001"))
    assert "1 added" in fetched.stderr
    assert scholar("papers", "info", "arxiv:1810.00001", "--json").json["year"] == 2018


def test_a_rate_limit_of_a_service_is_a_temporary_error(
    home: Path, scholar: Scholar, arxiv: MirrorServer
) -> None:
    arxiv.script(ARXIV_PATH, status(429, Retry_After="3600"))
    assert "arXiv" in error_line(
        scholar("papers", "fetch", "arxiv:1810.00001"), 3, after_progress=True
    )


def test_offline_nothing_is_fetched(home: Path, scholar: Scholar, arxiv: MirrorServer) -> None:
    assert "offline" in error_line(scholar("papers", "fetch", "arxiv:1810.00001", "--offline"), 3)
    assert not arxiv.requests
