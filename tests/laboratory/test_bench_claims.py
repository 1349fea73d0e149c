"""Short claims and the passages judged for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandResult, make_book_text
from scholar_cli.laboratory.claims import judged
from scholar_cli.laboratory.claims.claims_bench import is_match
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Span

JUDGED = Path(__file__).parents[1] / "data" / "claims_judged.jsonl"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "primary").mkdir()
    (tmp_path / "primary" / "7.txt").write_text(make_book_text("lamplighter"), "utf-8")
    return tmp_path


def line(
    judged: list[dict[str, Any]], number: str = "7", claim: str = "the keeper is alone"
) -> str:
    return json.dumps({"claim_id": "a-1", "gutenberg_id": number, "claim": claim, "judged": judged})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param("", "has no claims", id="empty"),
        pytest.param("{", "line 1: not a judged claim", id="not JSON"),
        pytest.param('{"claim_id": "a"}', "line 1: not a judged claim", id="nothing judged"),
        pytest.param(
            line([{"text": "x", "grade": "good"}]),
            "line 1: not a judged claim",
            id="a grade in words",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(
    tmp_path: Path, content: str, says: str
) -> None:
    (tmp_path / "claims.jsonl").write_text(content)
    with pytest.raises(UsageError, match=says):
        judged.read(tmp_path / "claims.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="name a file of judged claims"):
        judged.read(tmp_path / "nowhere.jsonl")


def test_claims_about_works_that_are_not_there_cannot_be_measured(
    texts: Path, lab: Callable[..., CommandResult]
) -> None:
    (texts / "claims.jsonl").write_text(line([{"text": "x", "grade": 1}], number="8"))
    result = lab("bench", "claims", "--data", str(texts / "claims.jsonl"), "--texts", str(texts))
    assert (result.exit_code, result.stdout) == (4, "")
    assert "contains none of the works" in result.stderr


def test_a_passage_that_is_asked_for_in_its_own_words_is_found_first(
    texts: Path, lab: Callable[..., CommandResult]
) -> None:
    sentence = max(make_book_text("lamplighter").replace("\n", " ").split(". "), key=len)
    (texts / "claims.jsonl").write_text(
        line([{"text": sentence.upper(), "grade": 2}], claim=sentence) + "\n"
    )
    result = lab(
        "bench", "claims", "--data", str(texts / "claims.jsonl"), "--texts", str(texts), "--json"
    )
    assert result.exit_code == 0, result.stderr
    reports = {
        report["system"].partition(":")[0]: report["metrics"]
        for report in json.loads(result.stdout)
    }
    assert set(reports) == {"lexical", "dense", "hybrid"}
    assert reports["lexical"]["success@3"] == reports["hybrid"]["recall@50"] == 1


def test_a_place_is_a_passage_when_they_share_half_of_the_shorter() -> None:
    assert is_match(Span(0, 100), Span(90, 110))
    assert not is_match(Span(0, 100), Span(95, 115))
    assert is_match(Span(40, 50), Span(0, 500))


def test_the_judged_claims_match_their_description() -> None:
    claims = judged.read(JUDGED)
    works = {claim.gutenberg_id for claim in claims}
    assert len(claims) == 60
    assert works <= {"1342", "105", "219", "158", "786", "98", "514", "120", "4517"}
    assert len(works) >= 6
    for claim in claims:
        assert 4 <= len(claim.claim.split()) <= 20
        assert {passage.grade for passage in claim.passages} <= {0, 1, 2}
        assert any(passage.grade for passage in claim.passages)


def test_a_library_is_asked_as_find_asks_it(
    lab: Callable[..., CommandResult], sample: Path, tmp_path: Path
) -> None:
    passage = "In his blue gardens men and girls came and went like moths"
    lines = [
        line([{"text": passage, "grade": 2}], number="64317", claim="parties at Gatsby's house"),
        line([{"text": "x", "grade": 1}], number="8"),
    ]
    (tmp_path / "claims.jsonl").write_text("\n".join(lines))
    result = lab("bench", "claims", "--data", str(tmp_path / "claims.jsonl"), "--json")
    assert result.exit_code == 0, result.stderr
    assert "1 claims are skipped: their works are not in the library" in result.stderr
    assert {report["system"] for report in result.json} == {
        "hybrid:relic-minilm",
        "dense:relic-minilm",
        "lexical",
        "folded:relic-minilm",
    }
    assert {report["n"] for report in result.json} == {1}
    assert any(report["metrics"]["recall@50"] == 1 for report in result.json)


def test_a_library_without_the_works_says_how_to_get_them(
    lab: Callable[..., CommandResult], two_books: Path, tmp_path: Path
) -> None:
    (tmp_path / "claims.jsonl").write_text(line([{"text": "x", "grade": 1}], number="8"))
    result = lab("bench", "claims", "--data", str(tmp_path / "claims.jsonl"))
    assert result.exit_code == 4
    assert "scholar add" in result.stderr
