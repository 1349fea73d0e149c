"""scholar papers, as a person runs it: kept, listed, and found alike in one respect."""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from front_door import Said, complaint, scholar_process, start, well
from scholar_indexes.papers import services

Scholar = Callable[..., Said]

PAPERS = Path(__file__).parent / "data" / "papers.jsonl"

BIBTEX = """
@article{lamp2020, title = {Lamps That Count Moths}, year = 2020, doi = {10.5555/lamp},
  author = {Ann Example and Ben Other},
  abstract = {Moths are counted by hand. We count moths with a lamp that weighs them.
    The lamp is right for nine moths in ten.}}
@article{broken2021, title = {No end to this
@article{moth2021, title = {Moths of the Fens}, year = 2021, doi = {10.5555/fens},
  abstract = {We walked the fens for a year. Forty kinds of moths were seen.}}
"""


@pytest.fixture(scope="session")
def dozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a dozen papers, to be copied."""
    folder = tmp_path_factory.mktemp("dozen") / "home"
    well(scholar_process(folder, "papers", "add", str(PAPERS)))
    return folder


@pytest.fixture
def shelf(dozen: Path, home: Path) -> Path:
    """This test's home with a dozen papers."""
    shutil.copytree(dozen, home)
    return home


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


# -- what cannot be done -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["similar", "key:1001"], 4, "scholar papers add", id="nothing is kept yet"),
        pytest.param(["find", "moths"], 4, "scholar papers add", id="nothing to search yet"),
        pytest.param(["add", "nowhere.bib"], 4, "there is no file", id="no such file"),
        pytest.param(["info", "12"], 4, "scholar papers add", id="no paper to describe"),
        pytest.param(["fetch", "moths"], 2, "arxiv:", id="no id that a service knows"),
    ],
)
def test_an_empty_shelf_says_what_to_do(
    scholar: Scholar, arguments: list[str], code: int, said: str
) -> None:
    assert said in complaint(scholar("papers", *arguments), code)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["info", "key:1100"], 4, "there is no paper", id="an unknown id"),
        pytest.param(["info", "Duplicate"], 2, "several papers", id="a title of several"),
        pytest.param(["similar", "key:1001", "--sentences", "40"], 2, "no sentence 40", id="rows"),
        pytest.param(["similar", "key:1001", "--sentences", "two"], 2, "such as 2,3", id="words"),
        pytest.param(
            ["similar", "key:1001", "--facet", "method", "--sentences", "1"], 2, "not both",
            id="a facet and sentences",
        ),
        pytest.param(["similar", "key:1001", "--year", "late"], 2, "2015-", id="no years"),
        pytest.param(["list", "-c", "mine"], 4, "no collection 'mine'", id="no collection"),
        pytest.param(["find", "  "], 2, "empty", id="no claim"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_one_clear_line(
    shelf: Path, scholar: Scholar, arguments: list[str], code: int, said: str
) -> None:
    assert said in complaint(scholar("papers", *arguments), code)


def test_a_facet_that_no_sentence_has_offers_the_nearest(shelf: Path, scholar: Scholar) -> None:
    record = {"paper_id": "9", "title": "On the Keeping of Moths in Large Numbers",
              "abstract": [{"facet": "method", "text": "We keep moths in boxes."},
                           {"facet": "result", "text": "They live."}]}  # fmt: skip
    well(scholar("papers", "add", "-", stdin=json.dumps(record)))
    refused = complaint(scholar("papers", "similar", "key:9", "--facet", "background"), 5)
    assert "no sentence of" in refused
    assert "--sentences " in refused


def test_a_paper_without_an_abstract_can_only_be_asked_for_in_words(
    shelf: Path, scholar: Scholar
) -> None:
    said = scholar("papers", "add", "-", stdin='{"paper_id": "9", "title": "Twelve Moths of Kent"}')
    assert "1 without an abstract" in well(said).stderr
    assert "scholar papers find" in complaint(scholar("papers", "similar", "key:9"), 5)


def test_a_source_without_papers_is_refused(home: Path, scholar: Scholar, tmp_path: Path) -> None:
    assert complaint(scholar("papers", "add", written(tmp_path, "a.bib", "Dear Ann,")), 1)
    assert complaint(scholar("papers", "add", str(tmp_path)), 2).endswith("name the files in it")


def test_a_broken_record_is_told_with_its_line_and_the_others_are_kept(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    file = written(tmp_path, "two.bib", BIBTEX)
    said = well(scholar("papers", "add", file)).stderr.splitlines()
    assert said[0].startswith(f"{file}:6: ")
    assert said[-1] == f"{file}: 2 added, 1 not readable"
    ids = [each["id"] for each in scholar("papers", "list", "--json").json]
    assert ids == ["doi:10.5555/lamp", "doi:10.5555/fens"]


def test_one_file_that_fails_does_not_keep_the_others_out(
    home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    said = scholar("papers", "add", "nowhere.bib", str(PAPERS))
    assert said.code == 4
    assert "12 added" in said.stderr
    assert len(scholar("papers", "list", "--json").json) == 12


def test_a_damaged_index_names_the_cure_and_the_cure_works(shelf: Path, scholar: Scholar) -> None:
    (table,) = (shelf / "data" / "papers.lance").glob("*.lance")
    shutil.rmtree(table / "data")
    assert "scholar papers rebuild" in complaint(scholar("papers", "find", "moths"), 1)
    assert "12 papers" in well(scholar("papers", "rebuild")).stderr
    assert well(scholar("papers", "find", "moths", "--json")).json


def test_an_interrupted_add_keeps_nothing_half_and_can_be_repeated(
    home: Path, tmp_path: Path
) -> None:
    records = [
        {"paper_id": str(n), "title": f"Report number {n} of the Society for Moths",
         "abstract": f"We saw {n} moths. They were of {n % 7} kinds. It rained on day {n}."}
        for n in range(1500)
    ]  # fmt: skip
    file = written(tmp_path, "many.jsonl", "\n".join(map(json.dumps, records)))
    process = start(home, "papers", "add", file)
    deadline = time.monotonic() + 60
    while not (home / "data" / "papers.sqlite").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    before = len(well(scholar_process(home, "papers", "list", "--json")).json)
    assert before in (0, 1000, 1500)
    well(scholar_process(home, "papers", "add", file))
    assert len(well(scholar_process(home, "papers", "list", "--json")).json) == 1500


# -- keeping -------------------------------------------------------------------------------


def test_the_same_papers_twice_are_kept_once(shelf: Path, scholar: Scholar) -> None:
    assert "0 added, 12 already there" in well(scholar("papers", "add", str(PAPERS))).stderr
    assert len(scholar("papers", "list", "--json").json) == 12


def test_a_paper_shows_its_abstract_with_facets(shelf: Path, scholar: Scholar) -> None:
    shown = well(scholar("papers", "info", "1003", "--json")).json
    assert shown["title"] == "Verifying Handwritten Signatures from a Single Example"
    assert [each["facet"] for each in shown["abstract"]].count("method") >= 1
    assert {"method", "result"} <= set(well(scholar("papers", "info", "1003")).stdout.split())


def test_papers_without_labels_are_labelled(home: Path, scholar: Scholar) -> None:
    records = map(json.loads, PAPERS.read_text("utf-8").splitlines())
    plain = [
        {**each, "abstract": " ".join(said["text"] for said in each["abstract"])}
        for each in records
    ]
    well(scholar("papers", "add", "-", stdin="\n".join(map(json.dumps, plain))))
    right = []
    for record in map(json.loads, PAPERS.read_text("utf-8").splitlines()):
        paper = scholar("papers", "info", f"key:{record['paper_id']}", "--json").json
        for said, labelled in zip(record["abstract"], paper["abstract"], strict=True):
            assert said["text"] == labelled["text"]
            right.append(said["facet"].replace("objective", "background") == labelled["facet"])
    assert sum(right) / len(right) > 0.7


def test_collections_hold_papers_apart(shelf: Path, scholar: Scholar, tmp_path: Path) -> None:
    well(scholar("papers", "add", written(tmp_path, "two.bib", BIBTEX), "-c", "moths"))
    there = {
        each["name"]: each["papers"] for each in scholar("papers", "collections", "--json").json
    }
    assert there == {"moths": 2, "papers": 12}
    found = scholar("papers", "find", "counting", "-c", "moths", "--json").json
    assert {each["paper"]["id"] for each in found} == {"doi:10.5555/lamp", "doi:10.5555/fens"}


def test_a_removed_paper_is_found_no_more(shelf: Path, scholar: Scholar) -> None:
    well(scholar("papers", "remove", "key:1003"))
    assert complaint(scholar("papers", "info", "key:1003"), 4)
    hits = scholar("papers", "similar", "key:1001", "--facet", "method", "--json").json
    assert "key:1003" not in {each["paper"]["id"] for each in hits}


# -- asking --------------------------------------------------------------------------------


def test_papers_alike_in_method_differ_from_those_alike_in_background(
    shelf: Path, scholar: Scholar
) -> None:
    """Twin networks with a contrastive loss read bug reports, or signatures."""

    def first(facet: str) -> str:
        hits = well(scholar("papers", "similar", "key:1001", "--facet", facet, "--json")).json
        return str(hits[0]["paper"]["id"])

    assert first("method") == "key:1003"
    assert first("background") == "key:1002"


def test_every_hit_says_which_sentences_matched(shelf: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "key:1001", "--facet", "method", "--json").json
    assert [each["rank"] for each in hits] == list(range(1, 12))
    best = hits[0]["matched"][0]
    assert best["asked"]["facet"] == best["found"]["facet"] == "method"
    abstract = scholar("papers", "info", "key:1003", "--json").json["abstract"]
    assert best["found"]["text"] == abstract[best["found"]["sentence"] - 1]["text"]
    explained = scholar("papers", "similar", "key:1001", "--facet", "method", "--explain").stdout
    assert "cosine" in explained
    assert "view" in explained


def test_a_very_long_abstract_says_too_what_matched(shelf: Path, scholar: Scholar) -> None:
    """Each of its sentences is next to nothing of the match."""
    said = " ".join(f"We counted moths in fen number {n} by lamp." for n in range(300))
    record = {"paper_id": "long", "title": "A Long Report on Moths of the Fens", "abstract": said}
    well(scholar("papers", "add", "-", stdin=json.dumps(record)))
    hits = well(scholar("papers", "similar", "key:long", "-n", "2", "--json")).json
    assert all(1 <= len(each["matched"]) <= 20 for each in hits)


def test_single_sentences_can_be_asked_with(shelf: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "key:1001", "--sentences", "4-5", "--json").json
    assert hits[0]["paper"]["id"] == "key:1003"
    assert {each["asked"]["sentence"] for each in hits[0]["matched"]} <= {4, 5}


def test_a_paper_that_is_not_kept_can_be_asked_with(
    shelf: Path, scholar: Scholar, tmp_path: Path
) -> None:
    record = PAPERS.read_text("utf-8").splitlines()[0]
    well(scholar("papers", "remove", "key:1001"))
    for arguments, stdin in ((["-"], record), ([written(tmp_path, "one.jsonl", record)], None)):
        hits = scholar("papers", "similar", *arguments, "--facet", "method", "--json", stdin=stdin)
        assert hits.json[0]["paper"]["id"] == "key:1003"
    assert "several papers" in complaint(scholar("papers", "similar", str(PAPERS)), 2)


def test_years_and_numbers_narrow_the_hits(shelf: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "1001", "--year", "2018-2019", "-n", "2", "--json").json
    assert {each["paper"]["year"] for each in hits} <= {2018, 2019}
    assert len(hits) == 2


def test_a_free_question_finds_the_sentence_that_answers_it(shelf: Path, scholar: Scholar) -> None:
    hits = scholar(
        "papers", "find", "how much memory does a sketch of a graph need?", "--json"
    ).json
    assert hits[0]["paper"]["id"] in {"key:1006", "key:1007"}
    assert scholar("papers", "find", "-", "--json", stdin="sketches of graphs").json


@pytest.mark.parametrize(("format", "begins"), [("bibtex", "@"), ("ris", "TY  - "), ("csl", "[")])
def test_results_come_as_a_bibliography_that_can_be_read_back(
    shelf: Path, scholar: Scholar, format: str, begins: str
) -> None:
    written = well(scholar("papers", "similar", "key:1001", "-n", "3", "--format", format)).stdout
    assert written.startswith(begins)
    said = scholar("papers", "add", "-", "-c", "again", stdin=written)
    assert "3 " in well(said).stderr
    assert len(scholar("papers", "list", "-c", "again", "--json").json) == 3


@pytest.mark.parametrize("format", ["table", "plain", "jsonl", "csv", "md"])
def test_text_of_papers_reaches_no_terminal_as_it_came(
    home: Path, scholar: Scholar, format: str
) -> None:
    record = {"paper_id": "1", "title": "Red \x1b[31m moths and \x07 bells of the fens",
              "abstract": "We ring \x1b]0;title\x07 bells. Moths hear them."}  # fmt: skip
    well(scholar("papers", "add", "-", stdin=json.dumps(record)))
    for arguments in (["list"], ["find", "moths"], ["info", "1"]):
        said = well(scholar("papers", *arguments, "--format", format)).stdout
        assert not any(mark in said for mark in ("\x1b", "\x07"))


# -- fetching ------------------------------------------------------------------------------


ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/abs/1810.00001v1</id><published>2018-10-01T00:00:00Z</published>
<title>Lamps That Count Moths</title><author><name>Ann Example</name></author>
<summary>Moths are counted by hand. We count them with a lamp.</summary></entry></feed>"""


@pytest.fixture
def arxiv(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """arXiv on this machine; the list holds the statuses it is to answer with first."""
    answers: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = answers.pop(0) if answers else 200
            body = ATOM.encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "3600")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    bases = {**services.BASES, "arxiv": f"http://127.0.0.1:{server.server_port}/"}
    monkeypatch.setattr(services, "BASES", bases)
    monkeypatch.setattr(services, "PAUSE_S", 0.0)
    yield answers
    server.shutdown()
    server.server_close()


def test_a_paper_is_fetched_by_its_id_and_kept(
    home: Path, scholar: Scholar, arxiv: list[int]
) -> None:
    said = well(scholar("papers", "fetch", "arXiv:1810.00001"))
    assert "1 added" in said.stderr
    assert scholar("papers", "info", "arxiv:1810.00001", "--json").json["year"] == 2018


def test_a_service_that_limits_means_retry_later(
    home: Path, scholar: Scholar, arxiv: list[int]
) -> None:
    arxiv.append(429)
    assert "arXiv" in complaint(scholar("papers", "fetch", "arxiv:1810.00001"), 3, after_talk=True)


def test_offline_nothing_is_fetched(home: Path, scholar: Scholar, arxiv: list[int]) -> None:
    arxiv.append(500)
    assert "offline" in complaint(scholar("papers", "fetch", "arxiv:1810.00001", "--offline"), 3)
    assert arxiv == [500]
