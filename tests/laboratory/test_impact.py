"""The effect of memorisation on accuracy: correlations, Student's tests and matched novels."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.pdnc import impact
from scholar_cli.laboratory.pdnc.impact import ImpactRow
from scholar_indexes.errors import NotThere, UsageError

NOVELS = ("Emma", "DaisyMiller", "HowardsEnd", "NightAndDay", "Persuasion", "TheGambler")
LATER = ("HardTimes", "MansfieldPark")


def write(
    path: Path, bench: str, figures: dict[str, dict[str, float]], system: str = "llm"
) -> Path:
    reports = [
        {"bench": bench, "split": split, "system": system, "metrics": metrics}
        for split, metrics in figures.items()
    ]
    path.write_text(json.dumps(reports), "utf-8")
    return path


def accuracies(*values: float) -> dict[str, dict[str, float]]:
    return {
        novel: {"all": value, "explicit": 1 - value, "other": 0.5}
        for novel, value in zip((*NOVELS, *LATER), values, strict=True)
    }


def memorised(*values: float, **others: float) -> dict[str, dict[str, float]]:
    return {
        novel: {"csg_memorised": value, **others}
        for novel, value in zip((*NOVELS, *LATER), values, strict=True)
    }


RISING = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def rows(test: str, computed: list[ImpactRow]) -> dict[str, ImpactRow]:
    return {row.accuracy: row for row in computed if row.test == test}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("{", "cannot be read as reports", id="no JSON"),
        pytest.param("7", "cannot be read as reports", id="a number"),
        pytest.param("[]", "has no figures of pdnc for each novel", id="no report"),
        pytest.param('[{"bench": "pdnc"}]', "cannot be read as reports", id="no split"),
        pytest.param(
            '[{"bench": "pdnc", "split": "Emma", "system": "a", "metrics": 7}]',
            "metrics of 'Emma' are not numbers",
            id="no metrics",
        ),
        pytest.param(
            '[{"bench": "pdnc", "split": "Emma", "system": "a", "metrics": {"all": 1}}]',
            "metrics of 'Emma' have no explicit",
            id="half of the metrics",
        ),
    ],
)
def test_an_invalid_run_is_refused_with_the_command(
    content: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UsageError, match=message):
        impact.read_run(tmp_path / "run.json", "pdnc")
    with pytest.raises(NotThere, match="scholar-lab bench pdnc"):
        impact.read_run(tmp_path / "none.json", "pdnc")


def test_one_of_several_systems_has_to_be_named(tmp_path: Path) -> None:
    kinds = ("all", "explicit", "other")
    reports = [
        {"bench": "pdnc", "split": split, "system": system, "metrics": dict.fromkeys(kinds, value)}
        for system, value in (("llm", 0.9), ("sieve", 0.8))
        for split in ("Emma", "micro")
    ]
    path = tmp_path / "kept.json.xz"
    path.write_bytes(lzma.compress(json.dumps({"reports": reports}).encode()))
    with pytest.raises(UsageError, match="llm, sieve; name one"):
        impact.read_run(path, "pdnc")
    with pytest.raises(UsageError, match="no figures of nearest for each novel; it has llm, sieve"):
        impact.read_run(path, "pdnc", "nearest")
    assert impact.read_run(path, "pdnc", "sieve") == {"Emma": dict.fromkeys(kinds, 0.8)}


def test_three_novels_are_too_few() -> None:
    few = dict(list(accuracies(*RISING).items())[:3])
    with pytest.raises(UsageError, match="3 novels in common, but the tests need 4"):
        impact.compute(few, memorised(*RISING))


def test_a_measure_that_a_novel_lacks_is_left_out() -> None:
    figures = memorised(*RISING, name_cloze=0.5)
    del figures["Emma"]["name_cloze"]
    computed = impact.compute(accuracies(*RISING), figures)
    assert {row.measure for row in computed} == {"csg_memorised", ""}
    del figures["Emma"]["csg_memorised"]
    with pytest.raises(UsageError, match="no measure of memorisation covers every novel"):
        impact.compute(accuracies(*RISING), figures)


def test_ranks_that_agree_correlate_and_what_does_not_vary_has_no_correlation() -> None:
    computed = rows("spearman", impact.compute(accuracies(*RISING), memorised(*RISING)))
    assert computed["all"].statistic == pytest.approx(1)
    assert computed["explicit"].statistic == pytest.approx(-1)
    assert (computed["other"].statistic, computed["other"].p) == (None, None)
    assert computed["all"].n == 8


def test_the_most_and_the_least_memorised_novels_are_compared() -> None:
    noisy = (0.1, 0.3, 0.2, 0.4, 0.6, 0.5, 0.8, 0.7)
    row = rows("t-test", impact.compute(accuracies(*noisy), memorised(*RISING)))["all"]
    least, most = np.array(noisy[:4]), np.array(noisy[4:])
    pooled = np.sqrt((least.var(ddof=1) + most.var(ddof=1)) / 2)
    assert row.statistic == pytest.approx((most.mean() - least.mean()) / (pooled * np.sqrt(2 / 4)))
    assert row.n == 8
    assert row.novels.startswith("most: MansfieldPark, HardTimes, TheGambler, Persuasion; least:")


def test_a_later_novel_is_matched_with_the_one_of_the_nearest_score() -> None:
    scores = np.array([0.1, 0.5, 0.9, 0.48, 0.87])
    is_later = np.array([False, False, False, True, True])
    assert impact.match_nearest(scores, is_later) == [(3, 1), (4, 2)]
    assert impact.match_nearest(scores, ~is_later) == [(0, 3), (1, 3), (2, 4)]


def test_the_scores_equal_another_logistic_regression() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    draw = np.random.default_rng(7)
    covariates = draw.normal(size=(25, 4)) * (1, 5, 0.1, 1) + (0, -9, 0.5, 0)
    is_later = draw.random(25) < 0.3
    standardized = (covariates - covariates.mean(axis=0)) / covariates.std(axis=0)
    other = linear_model.LogisticRegression(tol=1e-8).fit(standardized, is_later)
    assert impact.propensities(covariates, is_later) == pytest.approx(
        other.predict_proba(standardized)[:, 1], abs=1e-4
    )


def test_later_novels_are_compared_with_their_matches_in_pairs() -> None:
    figures = memorised(0.3, 0.1, 0.7, 0.2, 0.9, 0.4, 0.1, 0.3, name_cloze=0.0)
    for novel, value in zip(figures, (-5, -6, -4, -7, -3, -5.5, -6.5, -5.25), strict=True):
        figures[novel]["min_k"] = value
    computed = impact.compute(accuracies(0.9, 0.5, 0.6, 0.8, 0.7, 0.4, 0.5, 0.9), figures)
    by_outcome = {row.measure or row.accuracy: row for row in computed if row.test == "matched"}
    row = by_outcome["min_k"]
    assert row.novels.startswith("HardTimes (0.")
    matches = [part.split(" (")[0] for part in row.novels.split(" and ")[1:]]
    values = {novel: figures[novel]["min_k"] for novel in figures}
    differences = np.array(
        [values[novel] - values[match] for novel, match in zip(LATER, matches, strict=True)]
    )
    t = differences.mean() / (differences.std(ddof=1) / np.sqrt(2))
    assert row.statistic == pytest.approx(t)
    assert by_outcome.keys() == {"min_k", "all"}


def test_without_a_later_novel_nothing_is_matched() -> None:
    computed = impact.compute(accuracies(*RISING), memorised(*RISING), frozenset())
    assert not rows("matched", computed)


def test_two_runs_give_a_table(tmp_path: Path, lab: Scholar) -> None:
    one = write(tmp_path / "accuracy.json", "pdnc", accuracies(*RISING), "trained")
    two = write(tmp_path / "memory.json", "memorisation", memorised(*RISING))
    command = ("bench", "impact", "--accuracy", str(one), "--memorisation", str(two))
    printed = succeeded(lab(*command, "--json")).json
    assert [row["test"] for row in printed] == ["spearman", "t-test"] * 3 + ["matched"]
    refused = lab(*command, "--system", "llm")
    assert "no figures of llm for each novel; it has trained" in error_line(refused, 2)


def counted(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "line 1: name the columns novel", id="nothing"),
        pytest.param("book,pile\nEmma,7\n", "line 1: name the columns novel", id="no novels"),
        pytest.param("novel\nEmma\n", "line 1: name the columns novel", id="no corpus"),
        pytest.param("novel,pile\nEmma,7\nPersuasion,x\n", "line 3: pile is 'x'", id="a word"),
        pytest.param("novel,pile\nEmma,-7\n", "line 2: pile is '-7'", id="less than none"),
    ],
)
def test_a_table_that_has_no_counts_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        impact.read_counts(counted(tmp_path / "counts.csv", text))


def test_a_missing_table_of_counts_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*counts\.csv"):
        impact.read_counts(tmp_path / "counts.csv")


def test_memorisation_is_correlated_with_each_corpus_over_the_novels_it_has(
    tmp_path: Path,
) -> None:
    lines = ["novel,c4,pile", *(f"{name},{10 - at},{at}" for at, name in enumerate(NOVELS))]
    lines[1] = f"{NOVELS[0]},,0"
    counts = impact.read_counts(counted(tmp_path / "counts.csv", "\n".join([*lines, "Else,1,1"])))
    tests = impact.correlate_counts(memorised(*RISING), counts)
    assert [(row.test, row.measure, row.n, row.statistic) for row in tests] == [
        ("spearman, c4", "csg_memorised", 5, pytest.approx(-1)),
        ("spearman, pile", "csg_memorised", 6, pytest.approx(1)),
    ]
    with pytest.raises(UsageError, match="no corpus has counts of 4 measured novels"):
        impact.correlate_counts(memorised(*RISING), {"c4": {"Emma": 1, "Persuasion": 2}})


def test_counts_alone_give_a_table(tmp_path: Path, lab: Scholar) -> None:
    memory = write(tmp_path / "memory.json", "memorisation", memorised(*RISING))
    lines = ["novel,pile", *(f"{name},{at}" for at, name in enumerate(NOVELS))]
    counts = counted(tmp_path / "counts.csv", "\n".join(lines))
    command = ("bench", "impact", "--memorisation", str(memory))
    printed = succeeded(lab(*command, "--counts", str(counts), "--json")).json
    assert [row["test"] for row in printed] == ["spearman, pile"]
    assert "--accuracy" in error_line(lab(*command), 2)
