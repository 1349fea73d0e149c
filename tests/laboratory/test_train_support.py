"""The scale of support, fitted on scores of graded passages and of noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command_line import Scholar, error_line
from scholar_cli.laboratory.claims import support_training
from scholar_cli.laboratory.claims.support_training import Scores


@pytest.fixture
def scores() -> Scores:
    """Scores that separate evidence from other passages, and those from noise."""
    rng = np.random.default_rng(5)
    scores = Scores()
    for number in range(600):
        is_evidence = number % 2 == 0
        scores.graded.append(
            (str(number % 6), rng.normal(3.0 if is_evidence else 2.0), is_evidence)
        )
    scores.noise = rng.normal(-1.0, size=400).tolist()
    for scope, shift in (("one book", 0.0), ("all books", 1.0)):
        scores.best[f"claims, {scope}"] = rng.normal(4.0 + shift, 0.5, size=200).tolist()
        scores.best[f"noise, {scope}"] = rng.normal(0.0 + shift, 0.5, size=200).tolist()
    return scores


def test_evidence_has_more_support_than_other_passages_and_noise_little(scores: Scores) -> None:
    scale = support_training.fit(scores, books=50)
    assert scale.estimate(3.0, 1) > 0.5 > scale.estimate(2.0, 1) > 0.2 > scale.estimate(-1.0, 1)


def test_the_notice_is_for_noise_and_seldom_for_claims(scores: Scores) -> None:
    scale = support_training.fit(scores, books=50)
    notices = support_training.measure(scores, scale, books=50)["notices"]
    for scope in ("one book", "all books"):
        assert notices[f"claims, {scope}"] == pytest.approx(support_training.FALSE_ALARMS, abs=0.01)
        assert notices[f"noise, {scope}"] > 0.99


def test_estimates_agree_with_the_truth_of_works_that_were_left_out(scores: Scores) -> None:
    figures = support_training.measure(scores, support_training.fit(scores, books=50), books=50)
    assert figures["passages"] == len(scores.graded)
    assert figures["expected_calibration_error"] < 0.15


def test_noise_is_told_apart_by_its_lines() -> None:
    noise = support_training.load_noise()
    assert len(noise) == len(set(noise)) > 200
    assert all(any(character.isalnum() for character in line) for line in noise)


def test_a_library_without_graded_works_cannot_be_measured(
    lab: Scholar, two_books: Path, tmp_path: Path
) -> None:
    result = lab("train", "support", "--out", str(tmp_path / "support.json"))
    assert "none of the works of dev" in error_line(result, 5)
    assert not (tmp_path / "support.json").exists()


def test_a_file_that_is_there_is_not_overwritten(
    lab: Scholar, two_books: Path, tmp_path: Path
) -> None:
    (tmp_path / "support.json").write_text("mine")
    result = lab("train", "support", "--out", str(tmp_path / "support.json"))
    assert "already exists" in error_line(result, 2)
    assert (tmp_path / "support.json").read_text() == "mine"
