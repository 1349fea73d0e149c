"""Cross-encoders in torch: any model of sentence-transformers, and the packaged model."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import tiny_models
from hub import NAME, Hub
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.models import cross_encoder, engines, registry, torch_cross_encoder
from scholar_indexes.settings import DEFAULT_RERANKER

PASSAGES = [("", "the rain fell on the sea", ""), ("he left.", "she wept", ""), ("", "why", "")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_models.make_cross_encoder(tmp_path / "cross")


def test_a_folder_of_a_cross_encoder_is_for_reranking(folder: Path, tmp_path: Path) -> None:
    files = registry.find(str(folder), tmp_path)
    assert files.task == registry.RERANKING
    with pytest.raises(ConfigError, match="is for reranking, not for passages"):
        engines.load(files)


def test_scores_are_standardized_and_keep_the_order_of_the_model(
    folder: Path, tmp_path: Path
) -> None:
    from sentence_transformers import CrossEncoder

    reranker = engines.load_reranker(registry.find(str(folder), tmp_path), "cpu")
    scores = reranker.score("the rain", PASSAGES)
    assert scores.mean() == pytest.approx(0, abs=1e-3)
    assert scores.std() == pytest.approx(1, abs=1e-3)
    pairs = [("the rain", text) for _, text, _ in PASSAGES]
    raw = CrossEncoder(str(folder), device="cpu").predict(pairs)
    assert np.argsort(scores).tolist() == np.argsort(raw).tolist()


def test_one_passage_has_a_score(folder: Path, tmp_path: Path) -> None:
    reranker = engines.load_reranker(registry.find(str(folder), tmp_path), "cpu")
    assert reranker.score("the rain", PASSAGES[:1]).tolist() == [0.0]


def test_a_model_of_several_scores_is_refused(tmp_path: Path) -> None:
    folder = tiny_models.make_cross_encoder(tmp_path / "classes", labels=3)
    with pytest.raises(ConfigError, match="gives 3 scores for a pair"):
        engines.load_reranker(registry.find(str(folder), tmp_path), "cpu")


def test_damaged_weights_are_reported(folder: Path, tmp_path: Path) -> None:
    files = registry.find(str(folder), tmp_path)
    (folder / "model.safetensors").write_bytes(b"garbage")
    with pytest.raises(Damaged, match="scholar models verify"):
        engines.load_reranker(files, "cpu")


def test_a_card_that_is_not_there_is_an_error(folder: Path, tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a graphics card")
    with pytest.raises(ConfigError, match="use --device cpu"):
        engines.load_reranker(registry.find(str(folder), tmp_path), "cuda")


def test_a_pulled_cross_encoder_is_for_reranking(folder: Path, pull, hub: Hub, home: Path) -> None:  # type: ignore[no-untyped-def]
    hub.files = {path.name: path.read_bytes() for path in folder.iterdir()}
    hub.publish()
    assert pull().task == registry.RERANKING
    files = registry.find(NAME, home / "models")
    assert files.task == registry.RERANKING
    assert engines.load_reranker(files, "cpu").score("the rain", PASSAGES).shape == (3,)


def test_the_packaged_model_scores_in_torch_as_in_its_graph() -> None:
    files = registry.find(DEFAULT_RERANKER, Path("nowhere"))
    in_torch = torch_cross_encoder.load_packaged(files, "cpu")
    claim = "she * weeps for him #"
    expected = cross_encoder.load(files, 1).score(claim, PASSAGES)
    assert in_torch.score(claim, PASSAGES) == pytest.approx(expected, abs=0.15)
    assert in_torch.depth == cross_encoder.DEPTH_ON_CARD


def test_the_packaged_model_is_damaged_without_its_configuration(tmp_path: Path) -> None:
    folder = tmp_path / DEFAULT_RERANKER
    shutil.copytree(registry.PACKAGED / DEFAULT_RERANKER, folder)
    (folder / "config.json").write_text("{}", "utf-8")
    with pytest.raises(Damaged, match="scholar models verify"):
        torch_cross_encoder.load_packaged(registry.find(str(folder), tmp_path), "cpu")


def test_the_packaged_model_asks_for_the_card_that_is_not_there() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a graphics card")
    with pytest.raises(ConfigError, match="use --device cpu"):
        engines.load_reranker(registry.find(DEFAULT_RERANKER, Path("nowhere")), "cuda")
