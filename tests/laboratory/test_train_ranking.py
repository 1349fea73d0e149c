"""Training of the fusion and the encoder on graded claims about the books of a library."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import relic_works
import tiny_models
from command_line import Scholar, error_line, succeeded
from libraries import build_once
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.graded import GradedClaim, GradedPassage
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.retrieval.fusion import FEATURES, SHARES
from scholar_indexes.settings import Settings
from scholar_indexes.types import Span

torch = pytest.importorskip("torch", reason="training needs the extra [lab]")

from scholar_cli.laboratory.claims import fusion_training  # noqa: E402
from scholar_cli.laboratory.claims.fusion_training import GradedWindows, RankingSettings  # noqa: E402

CLAIM = GradedClaim("1-01", 1, "train", "theme", "a claim", (), "", ())


def windows(features: list[list[float]], grades: list[float]) -> GradedWindows:
    table = np.zeros((len(features), len(FEATURES)), np.float32)
    table[:, : len(features[0])] = features
    places = [(row, row + 1) for row in range(len(features))]
    return GradedWindows(CLAIM, places, table, np.array(grades, np.float32), None)


def test_a_feature_that_agrees_with_the_grades_gets_a_positive_weight() -> None:
    lists = [windows([[1, 0], [0, 1], [0, 0]], [3, 0, 0]), windows([[2, 1], [1, 2]], [2, 0])] * 4
    weights = fusion_training.fit(lists, RankingSettings())
    assert weights[0] > 0 > weights[1]
    assert {fusion_training.measure(windows, weights) for windows in lists} == {1.0}
    assert fusion_training.measure(lists[0], -weights) < 1.0


def test_each_work_is_measured_by_weights_that_others_taught() -> None:
    """Grades follow the first feature in work 1 and the second in work 2: each misleads."""
    first, second = [[1, 0], [0, 1]], [3, 0]
    of_work_1 = windows(first, second)
    of_work_2 = replace(windows(first, second[::-1]), claim=CLAIM._replace(gutenberg_id=2))
    values = fusion_training.cross_validate([of_work_1, of_work_2], RankingSettings())
    assert max(values) < 1
    same = replace(of_work_1, claim=of_work_2.claim)
    assert fusion_training.cross_validate([of_work_1, same], RankingSettings()) == [1.0, 1.0]


def test_claims_without_a_relevant_passage_teach_nothing() -> None:
    lists = [windows([[1, 0], [0, 1]], [3, 0])]
    empty = windows([[0, 1], [1, 0]], [0, 0])
    expected = fusion_training.fit(lists, RankingSettings())
    np.testing.assert_allclose(
        fusion_training.fit([*lists, empty], RankingSettings()), expected, atol=1e-5
    )


def test_ungraded_windows_are_not_measured() -> None:
    only = windows([[1, 0], [0, 1]], [3, fusion_training.UNGRADED]).only_graded
    assert only.grades.tolist() == [3]
    assert only.places == [(0, 1)]


def test_a_passage_without_a_sentence_teaches_nothing() -> None:
    class Finder:
        def find(self, passage: GradedPassage) -> Span:
            return {"heading": Span(0, 9), "sentence": Span(10, 19)}[passage.first]

    sentences = np.array([[1, 1, 10, 20], [1, 1, 21, 30]])
    passages = (GradedPassage("heading", "", 1), GradedPassage("sentence", "", 2))
    claim = CLAIM._replace(passages=passages)
    assert fusion_training._grades(claim, sentences, Finder()) == {(0, 1): 2}


@pytest.fixture
def graded_quay(quay: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a library with one book that has graded claims of both parts."""
    library = Library(user_paths(), Settings())
    (stored,) = library.books.all()
    book = library.books.open(stored)
    texts = [" ".join(book.text[start:end].split()) for _, _, start, end in book.sentences]
    passages = [
        GradedPassage(" ".join(text.split()[:8]), " ".join(text.split()[-6:]), row % 4)
        for row, text in enumerate(texts)
        if len(text.split()) > 8
    ]
    claims = tuple(
        GradedClaim(f"7-{at}", 7, part, "theme", claim, (), "", tuple(passages))
        for at, (part, claim) in enumerate(
            [
                ("train", "Elizabeth is free"),
                ("train", "the ship and the rain"),
                ("dev", "Mr. Hale is unwelcome"),
                ("dev", "rain at sea"),
            ]
        )
    )
    claims = (*claims[:-1], claims[-1]._replace(gutenberg_id=8))
    monkeypatch.setattr(graded, "load", lambda: claims)
    monkeypatch.setattr(fusion_training, "book_id", lambda claim: stored.book.id)
    return quay


@pytest.mark.parametrize("what", ["ranking", "claims"])
def test_without_known_people_there_is_nothing_to_learn(
    lab: Scholar, graded_quay: Path, tmp_path: Path, what: str
) -> None:
    data = ("--data", str(relic_works.folder(tmp_path))) if what == "claims" else ()
    result = lab("train", what, "--out", str(tmp_path / "out"), *data)
    assert "scholar index people" in error_line(result, 5)
    assert not (tmp_path / "out").exists()


def test_the_weights_are_written_with_where_they_are_from(
    scholar: Scholar, lab: Scholar, graded_quay: Path, tmp_path: Path
) -> None:
    succeeded(scholar("index", "people"))
    out = tmp_path / "weights.json"
    shown = succeeded(lab("train", "ranking", "--out", str(out)))
    assert "nDCG@10 of 2 claims, by weights fitted on other books" in shown.stderr
    written = json.loads(out.read_text("utf-8"))
    assert set(written["weights"]) == set(FEATURES)
    assert {written["weights without shares of words"][name] for name in SHARES} == {0.0}
    assert (written["training"]["claims"], written["training"]["works"]) == (2, [7, 8])
    assert "already exists" in error_line(lab("train", "ranking", "--out", str(out)), 2)


@pytest.fixture
def tiny_quay(
    scholar: Scholar,
    graded_quay: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Return that library with known people and a tiny packaged encoder."""
    folder = build_once(tmp_path_factory, "tiny", tiny_models.make_packaged)
    monkeypatch.setenv("SCHOLAR_MODEL", str(folder / "packaged"))
    succeeded(scholar("index", "rebuild"))
    succeeded(scholar("index", "people"))
    return graded_quay


@pytest.mark.slow
def test_the_encoder_is_trained_on_with_graded_claims(
    scholar: Scholar, lab: Scholar, tiny_quay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_cli.laboratory.claims import graded_training

    data = relic_works.folder(tmp_path / "data")
    out = tmp_path / "taught"
    settings = graded_training.GradedRetrieverSettings(
        epochs=2, claims=1, passages=4, repeated=4, save_every=1
    )
    monkeypatch.setattr(graded_training, "GradedRetrieverSettings", lambda **options: settings)
    step = graded_training.GradedRetrieverRun.train_step

    def stop_at_the_third(run: graded_training.GradedRetrieverRun, number: int) -> float:
        if number == 1:
            raise KeyboardInterrupt
        return step(run, number)

    monkeypatch.setattr(graded_training.GradedRetrieverRun, "train_step", stop_at_the_third)
    train = ("train", "claims", "--data", str(data), "--out", str(out))
    assert lab(*train).exit_code == 130
    monkeypatch.setattr(graded_training.GradedRetrieverRun, "train_step", step)
    assert "resuming from step 1" in succeeded(lab(*train)).stderr
    card = json.loads((out / "card.json").read_text("utf-8"))
    assert [entry["step"] for entry in card["training"]["history"]] == [0, 2, 4, 4]
    assert not (out / "checkpoint").exists()
    succeeded(scholar("index", "rebuild", "--model", str(out)))
    assert succeeded(scholar("find", "the ship", "--model", str(out), "--json")).json
    assert "finished model" in error_line(lab(*train), 2)
