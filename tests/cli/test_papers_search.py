"""scholar papers: finding papers that are similar, or that answer a question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"


def test_papers_similar_in_method_differ_from_papers_similar_in_background(
    papers_home: Path, scholar: Scholar
) -> None:
    """Twin networks with a contrastive loss compare bug reports, or signatures."""

    def first(facet: str) -> str:
        hits = succeeded(scholar("papers", "similar", "key:1001", "--facet", facet, "--json")).json
        return str(hits[0]["paper"]["id"])

    assert first("method") == "key:1003"
    assert first("background") == "key:1002"


def test_every_hit_has_its_matching_sentences(papers_home: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "key:1001", "--facet", "method", "--json").json
    assert [hit["rank"] for hit in hits] == list(range(1, 12))
    best = hits[0]["matched"][0]
    assert best["asked"]["facet"] == best["found"]["facet"] == "method"
    abstract = scholar("papers", "info", "key:1003", "--json").json["abstract"]
    assert best["found"]["text"] == abstract[best["found"]["sentence"] - 1]["text"]
    explained = scholar("papers", "similar", "key:1001", "--facet", "method", "--explain").stdout
    assert "cosine" in explained
    assert "topic" in explained


@pytest.mark.parametrize("facet", ["background", "method", "result"])
def test_sentences_shown_as_matches_have_the_facet(
    papers_home: Path, scholar: Scholar, facet: str
) -> None:
    hits = scholar("papers", "similar", "key:1001", "--facet", facet, "--json").json
    for hit in hits:
        abstract = scholar("papers", "info", hit["paper"]["id"], "--json").json["abstract"]
        if facet in {sentence["facet"] for sentence in abstract}:
            assert {pair["found"]["facet"] for pair in hit["matched"]} == {facet}


def test_a_very_long_abstract_has_matching_sentences(papers_home: Path, scholar: Scholar) -> None:
    """Each of its sentences contributes next to nothing to the match."""
    abstract = " ".join(f"We counted moths in fen number {n} by lamp." for n in range(300))
    record = {
        "paper_id": "long",
        "title": "A Long Report on Moths of the Fens",
        "abstract": abstract,
    }
    succeeded(scholar("papers", "add", "-", stdin=json.dumps(record)))
    hits = succeeded(scholar("papers", "similar", "key:long", "-n", "2", "--json")).json
    assert all(1 <= len(hit["matched"]) <= 20 for hit in hits)


def test_single_sentences_can_be_the_query(papers_home: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "key:1001", "--sentences", "4-5", "--json").json
    assert hits[0]["paper"]["id"] == "key:1003"
    assert {pair["asked"]["sentence"] for pair in hits[0]["matched"]} <= {4, 5}


def test_a_paper_that_is_not_stored_can_be_the_query(
    papers_home: Path, scholar: Scholar, tmp_path: Path
) -> None:
    record = PAPERS.read_text("utf-8").splitlines()[0]
    source = tmp_path / "one.jsonl"
    source.write_text(record, "utf-8")
    succeeded(scholar("papers", "remove", "key:1001"))
    for arguments, stdin in ((["-"], record), ([str(source)], None)):
        hits = scholar("papers", "similar", *arguments, "--facet", "method", "--json", stdin=stdin)
        assert hits.json[0]["paper"]["id"] == "key:1003"
    assert "several papers" in error_line(scholar("papers", "similar", str(PAPERS)), 2)


def test_years_and_numbers_narrow_the_hits(papers_home: Path, scholar: Scholar) -> None:
    hits = scholar("papers", "similar", "1001", "--year", "2018-2019", "-n", "2", "--json").json
    assert {hit["paper"]["year"] for hit in hits} <= {2018, 2019}
    assert len(hits) == 2


def test_a_question_finds_the_sentence_that_answers_it(papers_home: Path, scholar: Scholar) -> None:
    hits = scholar(
        "papers", "find", "how much memory does a sketch of a graph need?", "--json"
    ).json
    assert hits[0]["paper"]["id"] in {"key:1006", "key:1007"}
    assert scholar("papers", "find", "-", "--json", stdin="sketches of graphs").json


@pytest.mark.parametrize(
    ("facet", "claim", "expected"),
    [
        pytest.param("method", "twin networks with a contrastive loss", "key:1003", id="method"),
        pytest.param("result", "a spanning forest in little memory", "key:1006", id="result"),
    ],
)
def test_a_text_is_asked_of_one_facet(
    papers_home: Path, scholar: Scholar, facet: str, claim: str, expected: str
) -> None:
    hits = succeeded(scholar("papers", "find", claim, "--facet", facet, "--json")).json
    assert (hits[0]["paper"]["id"], hits[0]["facet"]) == (expected, facet)
    best = hits[0]["matched"][0]
    assert best["asked"] == {"sentence": 1, "facet": facet, "text": claim}
    assert best["found"]["facet"] == facet
    explained = scholar("papers", "find", claim, "--facet", facet, "-n", "1", "--explain").stdout
    assert f"? 1. {claim}" in explained


def test_a_facet_orders_papers_by_what_they_say_of_it(papers_home: Path, scholar: Scholar) -> None:
    """A method that is background in one paper is found as a method in another."""

    def order(*facet: str) -> list[str]:
        hits = succeeded(scholar("papers", "find", "duplicate bug reports", *facet, "--json")).json
        return [str(hit["paper"]["id"]) for hit in hits]

    assert order("--facet", "background") != order("--facet", "method")
    assert order("--facet", "background")[0] in {"key:1001", "key:1002"}
