"""CSFCube's two folds: invalid files, missing entries, and the means of the folds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandResult, succeeded
from csfcube_papers import DATA, lines, measured
from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.csfcube import folds as csfcube_folds
from scholar_cli.laboratory.csfcube.folds import mean_of_folds
from scholar_indexes.errors import NotThere, UsageError

QUERIES = list(
    dict.fromkeys((line["query_id"], line["facet"]) for line in lines("annotations.jsonl"))
)
HALVES = {
    facet: [[name for name, other in QUERIES if other == facet][at::2] for at in (0, 1)]
    for facet in ("background", "method", "result")
}


def of_halves(halves: Mapping[str, Sequence[Sequence[str]]] = HALVES) -> dict[str, Any]:
    """Return folds that develop on one half of each facet's queries and test on the other."""
    return {
        facet: {
            f"fold{fold}_{part}": [f"{name}_{facet}" for name in queries]
            for fold, (dev, test) in ((1, (one, other)), (2, (other, one)))
            for part, queries in (("dev", dev), ("test", test))
        }
        for facet, (one, other) in halves.items()
    } | {"all": {"fold1_dev": ["what is not read"]}}


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_a_missing_file_of_folds_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*folds\.json"):
        csfcube_folds.read_folds(tmp_path / "folds.json")


@pytest.mark.parametrize(
    ("folds", "why"),
    [
        pytest.param([], "has no folds", id="a list"),
        pytest.param({}, "no test part", id="nothing"),
        pytest.param({"method": {"fold1_test": []}}, "no query in fold1_test", id="no query"),
        pytest.param({"all": {"fold1_test": ["1_method"]}}, "no test part", id="all alone"),
        pytest.param({"method": {"first": []}}, "not a name like fold1_dev", id="a name"),
        pytest.param({"method": {"fold1_test": "1_method"}}, "is not a list", id="one text"),
        pytest.param(
            {"method": {"fold1_test": ["1_result"]}}, "'1_result' does not end", id="another facet"
        ),
        pytest.param({"method": {"fold1_test": [7]}}, "7 does not end with _method", id="a number"),
        pytest.param(
            {"method": {"fold1_dev": ["1_method"], "fold1_test": ["1_method"]}},
            "fold1 dev and fold1 test both have 1_method",
            id="developed on and tested",
        ),
        pytest.param(
            {"method": {"fold1_test": ["1_method"], "fold2_test": ["1_method"]}},
            "fold1 test and fold2 test both have 1_method",
            id="tested twice",
        ),
    ],
)
def test_a_file_that_has_no_folds_is_refused(tmp_path: Path, folds: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        csfcube_folds.read_folds(written(tmp_path / "folds.json", folds))


def test_queries_that_lack_are_named_and_the_mean_is_left_out(tmp_path: Path) -> None:
    folds = of_halves()
    folds["method"]["fold1_test"].append("99_method")
    told: list[str] = []
    file = written(tmp_path / "folds.json", folds)
    reports = measured(systems=["bm25"], folds=file, say=told.append)
    assert told == [
        "fold1 test is missing 1 of its 4 queries: 99_method",
        "the mean of the folds is omitted where a test part is missing queries",
    ]
    assert "background folds bm25" in reports
    assert "method folds bm25" not in reports
    assert "all folds bm25" not in reports
    assert reports["method fold1 test bm25"].n == len(HALVES["method"][1])


def test_queries_that_no_fold_has_are_named(tmp_path: Path) -> None:
    folds = of_halves()
    left_out = folds["result"]["fold1_dev"].pop()
    folds["result"]["fold2_test"].remove(left_out)
    told: list[str] = []
    measured(systems=["bm25"], folds=written(tmp_path / "folds.json", folds), say=told.append)
    assert told == [f"1 of the queries are in no fold: {left_out}"]


def test_a_figure_of_two_folds_is_the_mean_of_the_means_of_their_tests(tmp_path: Path) -> None:
    told: list[str] = []
    file = written(tmp_path / "folds.json", of_halves())
    reports = measured(
        systems=["bm25", "random"], folds=file, paired_with="random", say=told.append
    )
    assert told == []
    for split in ("background", "method", "result", "all"):
        tests = [reports[f"{split} fold{fold} test bm25"] for fold in (1, 2)]
        both = reports[f"{split} folds bm25"]
        assert both.n == sum(test.n for test in tests) == reports[f"{split} bm25"].n
        for name in ("NDCG%20", "P@20", "R@20", "RP"):
            means = [test.metrics[name] for test in tests]
            assert both.metrics[name] == pytest.approx(sum(means) / 2), name
            assert both.metrics[f"{name}_low"] <= both.metrics[name] <= both.metrics[f"{name}_high"]
    # Three method queries, two of them in one fold: not the mean over queries.
    assert reports["method folds bm25"].metrics["NDCG"] != reports["method bm25"].metrics["NDCG"]
    assert "gain NDCG" in reports["all fold1 test bm25"].metrics


def test_one_fold_develops_on_the_test_queries_of_the_other(tmp_path: Path) -> None:
    reports = measured(systems=["bm25"], folds=written(tmp_path / "folds.json", of_halves()))
    for split in ("method", "all"):
        dev, test = (reports[f"{split} {part} bm25"] for part in ("fold1 dev", "fold2 test"))
        assert dev.metrics == test.metrics


def test_folds_of_one_size_have_the_mean_over_queries() -> None:
    even = mean_of_folds([[0.0, 1.0], [0.5, 0.5]])
    assert even == metrics.bootstrap([0.0, 1.0, 0.5, 0.5])
    assert mean_of_folds([[1.0], [0.0, 0.0, 0.0]]).mean == pytest.approx(0.5)


def test_the_command_prints_the_folds_and_says_what_lacks(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    folds = of_halves()
    folds["result"]["fold2_test"].append("99_result")
    file = written(tmp_path / "folds.json", folds)
    options = ("--data", str(DATA), "--system", "bm25", "--folds", str(file))
    result = succeeded(lab("bench", "csfcube", *options, "--format", "csv"))
    assert "fold2 test is missing 1 of its" in result.stderr
    assert "99_result" in result.stderr
    assert "method fold1 test,bm25" in result.stdout
    assert "method folds,bm25" in result.stdout
