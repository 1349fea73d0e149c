"""Estimating the map of methods, and loading the estimate."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scholar_cli.laboratory.contrast import method_map_training
from scholar_indexes.arrays import Floats2d
from scholar_indexes.errors import ConfigError, Damaged, UsageError
from scholar_indexes.models import registry
from scholar_indexes.papers import method_map
from sentence_encoders import SentenceEncoder


class HashingEncoder(SentenceEncoder):
    """Counts of hashed words, of unit length."""

    space = "hashing_1"
    dimensions = 16

    def encode(self, texts: Sequence[str]) -> Floats2d:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                rows[row, zlib.crc32(word.encode()) % self.dimensions] += 1
        unit: Floats2d = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("maps") / "tiny-map"
    method_map_training.train(HashingEncoder(), out)
    return out


def find(folder: Path) -> registry.ModelFiles:
    return registry.find(str(folder), folder)


def test_a_finished_map_is_not_written_over(trained: Path) -> None:
    with pytest.raises(UsageError, match="finished model"):
        method_map_training.train(HashingEncoder(), trained)


def test_a_map_that_is_no_map_is_damaged(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "card.json").write_text((trained / "card.json").read_text("utf-8"), "utf-8")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(Damaged, match="scholar models verify"):
        method_map.load(find(folder), HashingEncoder().space)


def test_a_model_for_something_else_is_refused() -> None:
    facets = registry.find("csfcube-facets", registry.PACKAGED)
    with pytest.raises(ConfigError, match="for facets, not for method map"):
        method_map.load(facets, "any")


def test_a_map_is_for_the_vectors_of_one_encoder(trained: Path) -> None:
    registry.verify(find(trained))
    loaded = method_map.load(find(trained), HashingEncoder().space)
    assert loaded is not None
    assert loaded.matrix.shape == (HashingEncoder().dimensions,) * 2
    assert method_map.load(find(trained), "another") is None


def test_the_topic_counts_less_in_the_map() -> None:
    """The two methods differ along the first axes; topics differ, by more, along the others."""
    draw = np.random.default_rng(3)

    def sentences(method: int, topics: Floats2d) -> Floats2d:
        rows = np.zeros((len(topics), 8), np.float32)
        rows[:, method] = 1
        rows[:, 2:] = 2 * topics
        unit: Floats2d = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    groups = [sentences(number, draw.normal(size=(40, 6)).astype(np.float32)) for number in (0, 1)]
    mean, matrix = method_map_training.estimate(groups)
    mapped = method_map.MethodMap(mean, matrix).apply(np.concatenate(groups))
    same = np.equal.outer(np.repeat([0, 1], 40), np.repeat([0, 1], 40))
    plain = np.concatenate(groups)

    def contrast(vectors: Floats2d) -> float:
        cosines = vectors @ vectors.T
        return float(cosines[same].mean() - cosines[~same].mean())

    assert contrast(mapped) > 1.5 * contrast(plain)


def test_wordings_are_filled_with_topics() -> None:
    filled = method_map_training.fill_wordings(1)
    sentences = [sentence for group in filled for sentence in group]
    assert len(filled) > 200
    assert not any("{" in sentence or "|" in sentence for sentence in sentences)
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in sentences)
    assert filled == method_map_training.fill_wordings(1) != method_map_training.fill_wordings(2)


def test_the_packaged_map_is_whole_and_small() -> None:
    files = registry.find(method_map.PACKAGED_MAP, registry.PACKAGED)
    registry.verify(files)
    assert files.size_bytes < 2_000_000
    reads = json.loads((files.folder / "card.json").read_text("utf-8"))["reads"]
    encoder = registry.find("all-MiniLM-L6-v2", registry.PACKAGED)
    assert reads == encoder.space
    assert method_map.load_packaged(encoder.space) is not None
