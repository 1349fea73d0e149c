"""Training of the retriever, from batches to a folder that scholar can load."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

import relic_works  # noqa: E402
import tiny_models  # noqa: E402
from scholar_cli.laboratory import encoder_export  # noqa: E402
from scholar_cli.laboratory.relic import retriever_training as retriever  # noqa: E402
from scholar_cli.laboratory.relic.pairs import TrainingPair  # noqa: E402
from scholar_cli.laboratory.relic.retriever_training import RetrieverRun, RetrieverSettings  # noqa: E402
from scholar_cli.laboratory.relic.towers import TextTokenizer, info_nce  # noqa: E402
from scholar_indexes.errors import NoMatch, ScholarError, UsageError  # noqa: E402
from scholar_indexes.models import engines, registry  # noqa: E402

SMALL = RetrieverSettings(
    steps=6,
    batch=12,
    validate_every=3,
    learning_rate=1e-3,
    claim_tokens=32,
    block_tokens=32,
    bank=20,
    hard_from=0.3,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.make(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return relic_works.folder(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def trained(base: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "small-relic"
    retriever.train(data, out, base, SMALL)
    return out


def test_data_that_quote_nothing_are_refused(base: Path, tmp_path: Path) -> None:
    for split in ("train", "val"):
        relic_works.write(tmp_path, split, [relic_works.work("Sea", 1, quoted=0)])
    with pytest.raises(NoMatch, match="mine more criticism"):
        retriever.train(tmp_path, tmp_path / "out", base, SMALL)


def test_an_interrupted_run_goes_on_and_ends_where_an_unbroken_one_does(
    base: Path, data: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def once_interrupted(run: Any, step: int) -> float:
        if step == 4 and len(taken) == 4:
            taken.append(step)
            raise KeyboardInterrupt
        taken.append(step)
        return step_of(run, step)

    step_of = RetrieverRun.train_step
    monkeypatch.setattr(RetrieverRun, "train_step", once_interrupted)
    out = tmp_path / "small-relic"
    with pytest.raises(KeyboardInterrupt):
        retriever.train(data, out, base, SMALL)
    messages: list[str] = []
    card = retriever.train(data, out, base, SMALL, say=messages.append)
    assert messages[0] == "resuming from step 3"
    assert taken == [0, 1, 2, 3, 4, 3, 4, 5]
    assert card["weights_sha256"] == registry.find(str(trained), tmp_path).weights_sha256


@pytest.mark.parametrize(
    ("change", "named"),
    [
        pytest.param({"seed": 5}, "recipe", id="other settings"),
        pytest.param({"base_sha256": "0" * 64}, "base sha256", id="another base"),
    ],
)
def test_a_folder_with_another_run_is_left_alone(
    base: Path, data: Path, tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    out = tmp_path / "out"
    stopped = replace(SMALL, steps=30, patience=99)
    interrupt_run(base, data, out, stopped)
    state = out / "checkpoint" / "state.json"
    if "seed" in change:
        stopped = replace(stopped, **change)
    else:
        tiny_models.rewrite(state, **change)
    before = {path.name: path.read_bytes() for path in state.parent.iterdir()}
    with pytest.raises(UsageError, match=f"another {named}; choose a new --out"):
        retriever.train(data, out, base, stopped)
    assert {path.name: path.read_bytes() for path in state.parent.iterdir()} == before


def test_a_finished_model_is_not_trained_over(base: Path, data: Path, trained: Path) -> None:
    before = (trained / "model.safetensors").read_bytes()
    with pytest.raises(UsageError, match="contains a finished model; choose a new --out"):
        retriever.train(data, trained, base, SMALL)
    assert (trained / "model.safetensors").read_bytes() == before


def test_a_resumed_run_keeps_the_hard_negatives_it_had(
    base: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_run(base, data, tmp_path / "out", SMALL)
    mined: list[int] = []
    monkeypatch.setattr(RetrieverRun, "mine_hard_negatives", lambda run: mined.append(1))
    retriever.train(data, tmp_path / "out", base, SMALL)
    assert not mined


def test_a_broken_checkpoint_says_how_to_begin_again(
    base: Path, data: Path, tmp_path: Path
) -> None:
    state = tmp_path / "checkpoint" / "state.json"
    state.parent.mkdir()
    state.write_text('{"recipe": {}')
    with pytest.raises(UsageError, match=r"delete .*checkpoint to begin again"):
        retriever.train(data, tmp_path, base, SMALL)


def test_a_gpu_without_memory_suggests_a_smaller_batch(
    base: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(run: Any, step: int) -> float:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(RetrieverRun, "train_step", full)
    with pytest.raises(ScholarError, match="run again with --batch 8"):
        retriever.train(data, tmp_path / "out", base, SMALL)


def interrupt_run(base: Path, data: Path, out: Path, recipe: RetrieverSettings) -> None:
    """Interrupt a run after its first checkpoint."""

    def stop(label: str, done: int, total: int) -> None:
        if label.startswith("training") and done == recipe.validate_every + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retriever.train(data, out, base, recipe, progress=stop)


def test_training_brings_claims_nearer_to_their_passages(
    base: Path, data: Path, tmp_path: Path
) -> None:
    card = retriever.train(
        data, tmp_path / "out", base, replace(SMALL, steps=40, validate_every=20, patience=9)
    )
    losses = [entry["loss"] for entry in card["training"]["history"] if entry["step"]]
    assert losses[-1] < losses[0]


def test_the_folder_of_a_trained_model_is_one_the_product_loads(trained: Path) -> None:
    model = registry.find(str(trained), Path("nowhere"))
    registry.verify(model)
    assert (model.masked, model.pooling, model.dimensions) == (True, "mean", 32)
    encoder = engines.load(model, "cpu")
    alone, before, after = encoder.encode_claims(
        ["rain fell", "rain fell [MASK]", "[MASK] rain fell"]
    )
    assert alone @ before == pytest.approx(1)
    assert alone @ after < 0.9999


def test_the_card_says_what_the_model_was_made_of(trained: Path) -> None:
    training = json.loads((trained / "card.json").read_text())["training"]
    assert (training["works"], training["windows"], training["device"]) == (2, 24, "cpu")
    assert training["recipe"]["batch"] == SMALL.batch
    assert {len(training[key]) for key in ("base_sha256", "train_sha256", "val_sha256")} == {64}
    assert not (trained / "checkpoint").exists()


def test_separate_towers_are_kept_apart_and_offered_as_no_model(
    base: Path, data: Path, tmp_path: Path
) -> None:
    card = retriever.train(data, tmp_path, base, replace(SMALL, shared=False, hard_share=0))
    assert card["towers"] == ["passages", "claims"]
    claims, passages = (tmp_path / tower / "model.safetensors" for tower in ("claims", "passages"))
    assert claims.read_bytes() != passages.read_bytes()


@pytest.mark.slow
def test_an_export_ranks_as_the_model_it_was_made_from(trained: Path, tmp_path: Path) -> None:
    card = encoder_export.export(trained, tmp_path / "out", "small-relic")
    exported = registry.find(str(tmp_path / "out"), Path("nowhere"))
    registry.verify(exported)
    assert card["training"]["recipe"]["steps"] == SMALL.steps
    texts = ["rain fell on the sea", "he wept and left", "why the house?"]
    exact = engines.load(registry.find(str(trained), tmp_path), "cpu").encode_claims(texts)
    small = engines.load(exported, "cpu").encode_claims(texts)
    assert np.all((exact * small).sum(axis=1) > 0.97)


@pytest.mark.slow
def test_an_exported_model_gives_torch_the_weights_it_was_made_from(
    trained: Path, tmp_path: Path
) -> None:
    from scholar_indexes.models import torch_encoder

    encoder_export.export(trained, tmp_path / "out", "small-relic")
    texts = ["rain fell on the sea", "he wept and left"]
    unpacked = torch_encoder.load(registry.find(str(tmp_path / "out"), tmp_path), "cpu")
    exact = engines.load(registry.find(str(trained), tmp_path), "cpu")
    assert np.all((unpacked.encode(texts) * exact.encode(texts)).sum(axis=1) > 0.999)
    assert unpacked.space != exact.space or unpacked.space


def test_the_loss_is_that_of_the_paper() -> None:
    claims = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [0.6, 0.8]]), dim=-1)
    passages = torch.eye(2)
    apart = torch.zeros(2, 2, dtype=torch.bool)
    expected = -(np.log(np.e / (np.e + 1)) + np.log(np.exp(0.8) / (np.exp(0.8) + np.exp(0.6)))) / 2
    assert info_nce(claims, passages, apart, 1.0).item() == pytest.approx(expected)


def test_a_passage_as_good_as_the_quotation_is_no_negative() -> None:
    claims = passages = torch.eye(2)
    same = torch.tensor([[False, True], [True, False]])
    assert info_nce(claims, passages, same, 0.05).item() == 0


def test_a_passage_is_read_with_its_neighbours_but_pooled_alone(base: Path) -> None:
    work = relic_works.work("Rain", 1)
    tokenizer = TextTokenizer(base, claim_tokens=32, block_tokens=32)
    ids, first, end = tokenizer.passage(work, TrainingPair("", "", 10, 1), random.Random(1))
    alone = list(tokenizer._sentences(work)[10])
    assert ids[first:end] == alone
    assert len(alone) + 2 < len(ids) <= 32


def test_a_block_never_shows_a_passage_what_its_claim_was_made_from(base: Path) -> None:
    work = relic_works.work("Rain", 1)
    tokenizer = TextTokenizer(base, claim_tokens=32, block_tokens=32)
    for seed in range(20):
        pair = TrainingPair("x", "", 10, 1, hidden_start=8, hidden_end=11)
        ids, first, _ = tokenizer.passage(work, pair, random.Random(seed))
        assert first == 1, ids


def test_the_ends_of_a_work_are_read_too(base: Path) -> None:
    work = relic_works.work("Rain", 1)
    tokenizer = TextTokenizer(base, claim_tokens=32, block_tokens=32)
    for start in (0, 59):
        ids, first, end = tokenizer.passage(work, TrainingPair("", "", start, 1))
        assert ids[first:end] == list(tokenizer._sentences(work)[start])
