"""Ablation of the speaker model: folds trained without one kind of evidence at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import pdnc_novels
from command_line import CommandResult, error_line
from scholar_cli.laboratory.report import Report

pytest.importorskip("torch", reason="training needs the extra [lab]")

from scholar_cli.laboratory.pdnc import ablation
from scholar_cli.laboratory.pdnc.turn_scorers import TurnScorerSettings

SETTINGS = TurnScorerSettings(rounds=1, epochs=8, batch=4, quotations=6, widths=(8,), dropout=0.0)


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pdnc_novels.talks(tmp_path_factory.mktemp("novels"))


@pytest.fixture(scope="module")
def splits(novels: Path) -> Path:
    folds = [
        {"train_dev": ["One", "Two"], "test": ["Three"]},
        {"train_dev": ["One", "Three"], "test": ["Two"]},
    ]
    path = novels.parent / f"{novels.name}-splits.json"
    path.write_text(json.dumps({"folds": folds}))
    return path


@pytest.fixture(scope="module")
def reports(novels: Path, splits: Path) -> list[Report]:
    return ablation.measure(novels, splits, SETTINGS, kinds=["cues", "book"])


def test_a_kind_of_evidence_that_there_is_not_is_refused(
    novels: Path, splits: Path, lab: Callable[..., CommandResult]
) -> None:
    words = ("bench", "evidence", "--data", str(novels), "--splits", str(splits))
    result = lab(*words, "--without", "magic")
    assert "choose from cues, gender" in error_line(result, 2)


def test_a_fold_that_there_is_not_is_refused(
    novels: Path, splits: Path, lab: Callable[..., CommandResult]
) -> None:
    words = ("bench", "evidence", "--data", str(novels), "--splits", str(splits))
    result = lab(*words, "--fold", "2")
    assert "has no fold 2" in error_line(result, 2)


@pytest.mark.slow
def test_each_fold_is_measured_without_each_kind_and_then_all_folds_together(
    reports: list[Report],
) -> None:
    assert [(report.split, report.system) for report in reports] == [
        (split, kind)
        for split in ("fold 0", "fold 1", "all")
        for kind in ("nothing", "cues", "book")
    ]
    assert [report.n for report in reports] == [30] * 6 + [60] * 3


def test_a_loss_is_the_share_of_answers_that_only_the_whole_evidence_got_right(
    reports: list[Report],
) -> None:
    """Every quotation of these novels has a speech verb, so removing the cues hurts."""
    nothing, without_cues, without_book = reports[-3:]
    assert nothing.metrics["all"] > 0.9
    assert without_cues.metrics["loss"] == pytest.approx(
        nothing.metrics["all"] - without_cues.metrics["all"]
    )
    assert without_cues.metrics["loss"] > max(0, without_book.metrics["loss"])
    assert nothing.metrics["loss"] == 0


def test_the_answers_over_all_folds_are_the_answers_of_each_fold(reports: list[Report]) -> None:
    for first, second, together in zip(reports[:3], reports[3:6], reports[6:], strict=True):
        assert together.queries["group"] == ["Three"] * 30 + ["Two"] * 30
        assert together.queries["right"] == [*first.queries["right"], *second.queries["right"]]
