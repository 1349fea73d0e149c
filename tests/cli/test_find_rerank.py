"""The second stage of find: another model, none, or one that cannot be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiny_models
from command_line import Scholar, error_line, succeeded

LINE = ("find", "the lamplighter buried the key", "--no-fold", "--explain", "--json")


@pytest.fixture
def cross_encoder(tmp_path: Path) -> Path:
    return tiny_models.make_cross_encoder(tmp_path / "cross")


def test_another_cross_encoder_takes_the_place_of_the_second_stage(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    own = succeeded(scholar(*LINE)).json
    hits = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu")).json
    assert [hit["locator"] for hit in hits] != [hit["locator"] for hit in own]
    parts = [hit["explain"]["parts"]["second stage"] for hit in hits]
    assert len(set(parts)) > 1
    assert all(0 < hit["support"] < 1 for hit in hits)


def test_support_does_not_depend_on_scores_it_was_not_fitted_on(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    hits = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu")).json
    support = {hit["locator"]: hit["support"] for hit in none}
    shared = [hit for hit in hits if hit["locator"] in support]
    assert shared
    assert all(hit["support"] == pytest.approx(support[hit["locator"]]) for hit in shared)


def test_a_model_that_is_not_here_says_how_to_get_it(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--rerank", "cross-encoder/ms-marco-MiniLM-L6-v2")
    assert "scholar models pull cross-encoder/ms-marco-MiniLM-L6-v2" in error_line(result, 4)


def test_an_encoder_is_no_second_stage(scholar: Scholar, two_books: Path) -> None:
    result = scholar(*LINE, "--rerank", "relic-minilm")
    assert "is for passages, not for reranking" in error_line(result, 2)


def test_a_damaged_model_is_said_to_be_so_and_the_first_stage_answers(
    scholar: Scholar, two_books: Path, cross_encoder: Path
) -> None:
    none = succeeded(scholar(*LINE, "--rerank", "none")).json
    (cross_encoder / "model.safetensors").write_bytes(b"garbage")
    result = succeeded(scholar(*LINE, "--rerank", str(cross_encoder), "--device", "cpu"))
    assert "the first stage answers alone" in result.stderr
    assert [hit["locator"] for hit in result.json] == [hit["locator"] for hit in none]
