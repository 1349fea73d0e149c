"""Models by name: packaged, in a folder, and pulled; verified and removed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hub import FILES, NAME, WEIGHTS, Hub, left_in
from scholar_indexes.attribution import trained as attribute
from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
from scholar_indexes.coreference.resolver.model import DEFAULT_MODEL as PEOPLE_MODEL
from scholar_indexes.errors import (
    ConfigError,
    Damaged,
    NotThere,
    UsageError,
)
from scholar_indexes.models import engines, registry
from scholar_indexes.papers.method_map import PACKAGED_MAP
from scholar_indexes.settings import (
    DEFAULT_FACET_MODEL,
    DEFAULT_MODEL,
    DEFAULT_PAPERS_MODEL,
    DEFAULT_RERANKER,
    OWN_FACET_MODEL,
)
from tiny_models import rewrite

PACKAGED = sorted(
    [
        SPEAKER_MODEL,
        DEFAULT_MODEL,
        DEFAULT_RERANKER,
        DEFAULT_PAPERS_MODEL,
        DEFAULT_FACET_MODEL,
        PEOPLE_MODEL,
        OWN_FACET_MODEL,
        PACKAGED_MAP,
    ]
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a sentence-transformers folder without a card."""
    for name, content in FILES.items():
        path = tmp_path / "own-model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "own-model"


def test_a_model_that_is_not_here_says_how_to_get_it(pulled: Path) -> None:
    with pytest.raises(NotThere, match="run: scholar models pull example/tiny"):
        registry.find(NAME, pulled)


@pytest.mark.parametrize("name", ["", "no such/folder/at/all", "a b", "~nobody-of-that-name/tiny"])
def test_an_unknown_model_is_refused_with_the_command_that_lists_them(
    pulled: Path, name: str
) -> None:
    with pytest.raises(NotThere, match="scholar models list"):
        registry.find(name, pulled)


def test_a_folder_of_ones_own_is_a_model(folder: Path, pulled: Path) -> None:
    model = registry.find(str(folder), pulled)
    assert (model.origin, model.dimensions, model.onnx) == ("folder", 8, None)
    assert set(model.files) == set(FILES)
    assert model.weights_sha256 == WEIGHTS


def test_a_folder_without_weights_is_refused(folder: Path, pulled: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="safetensors"):
        registry.find(str(folder), pulled)


def test_a_folder_without_a_card_cannot_be_verified_and_says_so(folder: Path, pulled: Path) -> None:
    with pytest.raises(UsageError, match=r"no card\.json"):
        registry.verify(registry.find(str(folder), pulled))


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param({"pooling_mode_mean_tokens": True}, "mean", id="mean"),
        pytest.param({"pooling_mode": "mean"}, "mean", id="mean, the newer way"),
        pytest.param({"pooling_mode": "cls"}, "cls", id="cls, the newer way"),
        pytest.param(
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls", id="cls"
        ),
        pytest.param(
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
            "cls_mean",
            id="both",
        ),
    ],
)
def test_the_pooling_of_a_folder_is_read_and_is_part_of_its_space(
    folder: Path, pulled: Path, configuration: dict[str, Any], expected: str
) -> None:
    (folder / "1_Pooling" / "config.json").unlink()
    rewrite(folder / "1_Pooling" / "config.json", word_embedding_dimension=8, **configuration)
    model = registry.find(str(folder), pulled)
    assert model.pooling == expected
    assert model.dimensions == 8 * (1 + expected.count("_"))
    plain = f"own_model_{WEIGHTS[:8]}"
    assert model.space == (plain if expected == "mean" else f"{plain}_{expected}")


def test_a_last_layer_sets_the_width_and_belongs_to_the_weights(folder: Path, pulled: Path) -> None:
    before = registry.find(str(folder), pulled)
    (folder / "2_Dense").mkdir()
    rewrite(folder / "2_Dense" / "config.json", in_features=8, out_features=4)
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"four weights")
    after = registry.find(str(folder), pulled)
    assert after.dimensions == 4
    assert after.space != before.space


@pytest.mark.parametrize("key", ["hidden_size", "dim", "d_model"])
def test_the_width_goes_by_several_names(folder: Path, pulled: Path, key: str) -> None:
    (folder / "config.json").write_text(json.dumps({key: 16}), "utf-8")
    shutil.rmtree(folder / "1_Pooling")
    assert registry.find(str(folder), pulled).dimensions == 16


@pytest.mark.parametrize(
    ("bert", "tokenizer", "positions", "expected"),
    [
        pytest.param(64, 512, 512, 64, id="said for sentences"),
        pytest.param(None, 32, 512, 32, id="said by the tokenizer"),
        pytest.param(None, int(1e30), 128, 128, id="said by the positions"),
        pytest.param(None, None, 8192, 512, id="more than is of use"),
        pytest.param(None, None, None, 512, id="not said"),
    ],
)
def test_a_model_reads_as_much_as_it_says(
    folder: Path,
    pulled: Path,
    bert: int | None,
    tokenizer: int | None,
    positions: int | None,
    expected: int,
) -> None:
    rewrite(folder / "sentence_bert_config.json", max_seq_length=bert)
    rewrite(folder / "tokenizer_config.json", model_max_length=tokenizer)
    rewrite(folder / "config.json", max_position_embeddings=positions)
    assert registry.find(str(folder), pulled).max_tokens == expected


def test_a_flipped_byte_is_found(pull, hub: Hub) -> None:
    hub.publish()
    model = pull()
    weights = model.folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[1000] ^= 1
    weights.write_bytes(content)
    with pytest.raises(Damaged, match=r"model\.safetensors does not match .*pull example/tiny"):
        registry.verify(model)


def test_a_missing_file_is_found_and_the_model_can_still_be_listed(
    pull, hub: Hub, pulled: Path
) -> None:
    hub.publish()
    model = pull()
    (model.folder / "model.safetensors").unlink()
    assert next(model for model in registry.installed(pulled) if model.name == NAME).size_bytes > 0
    with pytest.raises(Damaged, match=r"model\.safetensors is missing"):
        registry.verify(model)


@pytest.mark.parametrize("card", ["", "{}", "[]", '{"name": 1, "files": []}', "\x00"])
def test_a_model_whose_card_cannot_be_read_is_not_listed(
    pull, hub: Hub, pulled: Path, card: str
) -> None:
    hub.publish()
    (pull().folder / "card.json").write_text(card, "utf-8")
    assert [model.name for model in registry.installed(pulled)] == PACKAGED
    with pytest.raises(NotThere):
        registry.find(NAME, pulled)


def test_a_folder_whose_card_cannot_be_read_is_damaged(folder: Path, pulled: Path) -> None:
    (folder / "card.json").write_text("{}", "utf-8")
    with pytest.raises(Damaged, match=r"card\.json cannot be read"):
        registry.find(str(folder), pulled)


def test_a_pulled_model_can_be_removed(pull, hub: Hub, pulled: Path) -> None:
    hub.publish()
    model = pull()
    assert registry.remove(NAME, pulled).folder == model.folder
    assert left_in(pulled) == []


@pytest.mark.parametrize("which", ["packaged", "folder"])
def test_only_a_pulled_model_can_be_removed(folder: Path, pulled: Path, which: str) -> None:
    name = str(folder) if which == "folder" else DEFAULT_MODEL
    with pytest.raises(UsageError, match="not pulled"):
        registry.remove(name, pulled)
    assert registry.find(name, pulled).folder.is_dir()


def test_the_packaged_speaker_model_is_what_its_card_says(pulled: Path) -> None:
    model = registry.find(SPEAKER_MODEL, pulled)
    registry.verify(model)
    assert (model.origin, model.task) == ("packaged", registry.SPEAKERS)
    assert len(attribute.load(model).rounds) == 3


def test_a_speaker_model_is_no_encoder(pulled: Path) -> None:
    with pytest.raises(ConfigError, match="is for speakers, not for passages"):
        engines.load(registry.find(SPEAKER_MODEL, pulled))


def test_the_packaged_encoder_is_what_its_card_says(pulled: Path) -> None:
    model = registry.find(DEFAULT_MODEL, pulled)
    registry.verify(model)
    assert model.origin == "packaged"
    assert model.space == f"relic_minilm_{model.weights_sha256[:8]}"
    assert model.masked
