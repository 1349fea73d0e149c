"""Training the speaker model: from small novels to a model that is asked like the packaged one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pdnc_novels
import tiny_models
from front_door import Said
from scholar_cli.bench import pdnc, pdnc_form
from scholar_indexes import models
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.speakers import attribute, mentions
from scholar_indexes.types import QuoteKind

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from scholar_cli.train import speaker_model, speakers  # noqa: E402
from scholar_cli.train.speakers import Recipe  # noqa: E402

RECIPE = Recipe(epochs=2, batch=2, vocabulary=200, width=16, learning_rate=3e-3)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.make(tmp_path_factory.mktemp("base") / "tiny", longest=512)


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("novels")
    for seed, name in enumerate(("One", "Two", "Three")):
        pdnc_novels.talk(folder / name, seed, quotations=12)
    return folder


@pytest.fixture(scope="module")
def made(base: Path, novels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained on two novels, with folds."""
    out = tmp_path_factory.mktemp("made") / "tiny-speakers"
    splits = out.with_name("splits.json")
    fold = {"train_dev": ["One"], "test": ["Two"]}
    splits.write_text(json.dumps({"folds": [fold]}))
    speaker_model.make(novels, out, base, RECIPE, splits=splits, hold_out=["Three"])
    return out


def test_a_novel_is_learned_by_heart(base: Path, novels: Path) -> None:
    """A few hundred weights can learn that the name behind a quotation said it."""
    (novel,) = pdnc.chosen(pdnc_form.read(novels), ["One"])
    model, reader = speakers.fit([novel], base, replace(RECIPE, epochs=80, told_share=0.0))
    run, near = speakers.runner(model), model.near.detach().numpy()
    chances = speakers.decode.speakers(reader.script(novel), len(novel.quotations), run, near)
    right = np.array(novel.speakers) == chances.argmax(1)
    assert right.mean() > 0.9


def test_a_smaller_vocabulary_spells_every_word(base: Path, novels: Path) -> None:
    found = pdnc_form.read(novels)
    whole, _ = speakers.smaller(base / "tokenizer.json", found, 10_000)
    few, kept = speakers.smaller(base / "tokenizer.json", found, 0)
    assert few.get_vocab_size() == len(kept) < whole.get_vocab_size()
    assert "".join(few.encode("rain", add_special_tokens=False).tokens) == "r##a##i##n"
    assert whole.encode("rain", add_special_tokens=False).tokens == ["rain"]


def test_the_novel_held_out_is_not_trained_on(made: Path) -> None:
    card = json.loads((made / "card.json").read_text("utf-8"))
    assert card["training"]["novels"] == ["One", "Two"]
    fold = json.loads((made / "folds" / "0" / "card.json").read_text("utf-8"))
    assert fold["training"]["novels"] == ["One"]
    assert 0 <= card["scores"]["cross-validated"]["all"] <= 1


def test_the_exported_model_answers_as_the_trained_one(base: Path, novels: Path) -> None:
    (novel,) = pdnc.chosen(pdnc_form.read(novels), ["Three"])
    model, reader = speakers.fit([novel], base, replace(RECIPE, epochs=30))
    folder = base.parent / "exported"
    speaker_model.write(model, reader, folder, {})
    script = reader.script(novel)
    count = len(novel.quotations)
    near = model.near.detach().numpy()
    trained = speakers.decode.speakers(script, count, speakers.runner(model), near, certain=())
    loaded = attribute.load(models.find(str(folder), folder))
    named = mentions.find(novel.text, novel.cast)
    asked = loaded.likelihoods(novel.text, novel.quotations, novel.cast, named)
    assert np.mean(trained.argmax(1) == asked.argmax(1)) > 0.9


def test_a_model_is_described_verified_and_for_speakers_alone(made: Path) -> None:
    model = models.find(str(made), made)
    models.verify(model)
    assert model.task == models.SPEAKERS
    with pytest.raises(ConfigError, match="is for speakers"):
        models.expect(model, models.PASSAGES)


def test_a_damaged_model_says_so(made: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(made, tmp_path / "copy")
    (tmp_path / "copy" / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(Damaged, match="scholar models verify"):
        attribute.load(models.find(str(tmp_path / "copy"), tmp_path))


def test_a_finished_model_is_not_trained_over(
    made: Path, novels: Path, scholar: Callable[..., Said]
) -> None:
    said = scholar("train", "speakers", "--data", str(novels), "--out", str(made))
    assert said.code == 2
    assert "finished model" in said.stderr


def test_folds_that_are_done_are_not_trained_again(
    made: Path, base: Path, novels: Path, tmp_path: Path
) -> None:
    import shutil

    out = tmp_path / "again"
    shutil.copytree(made / "folds", out / "folds")
    before = (out / "folds" / "0" / "model.onnx").stat().st_mtime_ns
    said: list[str] = []
    speaker_model.make(
        novels, out, base, RECIPE, splits=made.with_name("splits.json"), hold_out=["Three"],
        say=said.append,
    )  # fmt: skip
    assert (out / "folds" / "0" / "model.onnx").stat().st_mtime_ns == before
    assert any("fold 0, Two" in line for line in said)


def test_novels_are_measured_by_the_fold_that_never_saw_them(
    made: Path, novels: Path, scholar: Callable[..., Said], tmp_path: Path
) -> None:
    said = scholar(
        "bench", "pdnc", "--data", str(novels), "--model", str(made),
        "--splits", str(made.with_name("splits.json")), "--novel", "Two",
        "--run", str(tmp_path / "run.jsonl"), "--json",
    )  # fmt: skip
    assert said.code == 0, said.stderr
    assert {each["split"] for each in said.json} == {"Two", "micro", "macro"}
    assert len((tmp_path / "run.jsonl").read_text("utf-8").splitlines()) == 12
    refused = scholar(
        "bench", "pdnc", "--data", str(novels), "--model", str(made),
        "--splits", str(made.with_name("splits.json")), "--novel", "One",
    )  # fmt: skip
    assert refused.code == 2
    assert "no fold tests One" in refused.stderr


def test_confidence_rises_with_likelihood_and_means_how_often_it_is_right() -> None:
    likelihoods = np.linspace(0, 1, 400)
    found = [
        (QuoteKind.IMPLICIT, pdnc.Answered(at % 4 != 0, "", True, 1, float(x)))
        for at, x in enumerate(likelihoods)
    ]
    (curve,) = speaker_model.calibration(found).values()
    assert [x for x, _ in curve] == sorted(x for x, _ in curve)
    assert attribute.calibrated(0.99, curve) == pytest.approx(0.75, abs=0.05)
    assert attribute.calibrated(0.3, []) == 0.3
