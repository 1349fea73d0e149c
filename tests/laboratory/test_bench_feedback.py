"""Relevance feedback, simulated on judged claims."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Scholar, error_line, succeeded

CLAIM = "parties at Gatsby's house"


def written(path: Path, judged: list[dict[str, object]]) -> Path:
    line = {"claim_id": "a-1", "gutenberg_id": "64317", "claim": CLAIM, "judged": judged}
    path.write_text(json.dumps(line) + "\n")
    return path


def test_marks_are_measured_on_what_is_left(
    scholar: Scholar, lab: Scholar, sample: Path, tmp_path: Path
) -> None:
    line = ("find", CLAIM, "-b", "gatsby", "-n", "20", "--no-fold", "--json")
    hits = succeeded(scholar(*line)).json
    judged = [{"text": hits[rank]["selector"]["exact"], "grade": 2} for rank in (1, 3, 11, 15)]
    data = written(tmp_path / "claims.jsonl", judged)
    result = succeeded(lab("bench", "feedback", "--data", str(data), "--json"))
    before, after, gain = result.json
    assert [report["system"] for report in result.json] == ["without marks", "with marks", "gain"]
    assert {report["n"] for report in result.json} == {1}
    for report in (before, after):
        assert 0 <= report["metrics"]["ndcg@10"] <= report["metrics"]["ndcg@10 of judged"] <= 1
    difference = after["metrics"]["ndcg@10"] - before["metrics"]["ndcg@10"]
    assert abs(gain["metrics"]["ndcg@10"] - difference) < 1e-9


def test_claims_without_two_good_passages_cannot_be_marked(
    lab: Scholar, sample: Path, tmp_path: Path
) -> None:
    data = written(tmp_path / "claims.jsonl", [{"text": "x", "grade": 2}])
    result = lab("bench", "feedback", "--data", str(data))
    assert "has passages to mark" in error_line(result, 5)
