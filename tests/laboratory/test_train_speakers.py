"""Training the speaker model: from small novels to a model used like the packaged one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pdnc_novels
from command_line import CommandResult
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_indexes.attribution import features, linear_chain
from scholar_indexes.attribution import trained as attribute
from scholar_indexes.attribution.features import BookFeatures
from scholar_indexes.attribution.linear_chain import TurnScorer
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.errors import ConfigError, Damaged, NoMatch
from scholar_indexes.models import registry
from scholar_indexes.types import QuoteKind

pytest.importorskip("torch", reason="training needs the extra [lab]")

from scholar_cli.laboratory.pdnc import speaker_training as attribution_training
from scholar_cli.laboratory.pdnc.speaker_training import TrainingNovel
from scholar_cli.laboratory.pdnc.turn_scorers import TurnScorerSettings

RECIPE = TurnScorerSettings(rounds=2, epochs=8, batch=4, quotations=6, widths=(8,), dropout=0.0)


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pdnc_novels.talks(tmp_path_factory.mktemp("novels"))


@pytest.fixture(scope="module")
def made(novels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model trained on two novels, with one fold."""
    out = tmp_path_factory.mktemp("made") / "tiny-turns"
    splits = out.with_name("splits.json")
    splits.write_text(json.dumps({"folds": [{"train_dev": ["One"], "test": ["Two"]}]}))
    attribution_training.train_model(novels, out, RECIPE, splits=splits, hold_out=["Three"])
    return out


def read(novel: pdnc_data.AnnotatedNovel) -> Sieve:
    sieve = Sieve(novel.text, novel.quotations, novel.cast)
    sieve.run()
    return sieve


def test_novels_without_speakers_teach_nothing(tmp_path: Path) -> None:
    pdnc_novels.write(tmp_path / "Novel", quotes=((("Why?",), "_group", ""),))
    with pytest.raises(NoMatch, match="annotated novels"):
        attribution_training.train_model(tmp_path, tmp_path / "out", RECIPE)
    assert not (tmp_path / "out" / "card.json").exists()


def test_a_finished_model_is_not_trained_over(
    made: Path, novels: Path, lab: Callable[..., CommandResult]
) -> None:
    result = lab("train", "speakers", "--data", str(novels), "--out", str(made))
    assert result.exit_code == 2
    assert "finished model" in result.stderr


def test_a_scorer_learns_other_speakers_than_the_rules_guess(novels: Path) -> None:
    """The speakers contradict the rules; the scorer learns different answers."""
    (novel,) = pdnc.select_novels(pdnc_data.read(novels), ["One"])
    turned = replace(novel, speakers=tuple((who + 1) % 3 for who in novel.speakers))
    sieve = Sieve(novel.text, novel.quotations, novel.cast)
    sieve.run()
    guesses = features.guess_by_rules(sieve)
    rows = features.extract_features(BookFeatures(sieve), guesses)
    before = np.mean(np.array(guesses.speakers) == np.array(turned.speakers))
    (judges,) = attribution_training.fit(
        [TrainingNovel(turned, BookFeatures(sieve))],
        replace(RECIPE, rounds=1, epochs=120, widths=(32,), learning_rate=2e-2),
    )
    after = np.mean(
        np.array(linear_chain.decode(rows, judges).speakers) == np.array(turned.speakers)
    )
    assert before < 0.2
    assert after > 0.8


def test_evidence_that_is_left_out_does_not_count(novels: Path) -> None:
    novel = pdnc_data.read(novels)[0]
    sieve = Sieve(novel.text, novel.quotations, novel.cast)
    sieve.run()
    rounds = attribution_training.fit(
        [TrainingNovel(novel, BookFeatures(sieve))], replace(RECIPE, without=("names", "cues"))
    )
    made = features.extract_features(BookFeatures(sieve), features.guess_by_rules(sieve))
    before = linear_chain.decode(made, rounds[0])
    for group in ("names", "cues"):
        made.values[:, features.GROUPS[group]] = 5
    assert linear_chain.decode(made, rounds[0]) == before


def test_every_round_answers_for_novels_that_it_has_not_seen(tmp_path: Path) -> None:
    """With enough novels a round has several judges, each trained without one part."""
    for seed in range(4):
        pdnc_novels.talk(tmp_path / f"N{seed}", seed)
    books = [TrainingNovel(novel, BookFeatures(read(novel))) for novel in pdnc_data.read(tmp_path)]
    rounds = attribution_training.fit(books, replace(RECIPE, parts=2))
    assert [len(judges) for judges in rounds] == [2, 2]
    few = attribution_training.fit(books[:3], replace(RECIPE, parts=2))
    assert [len(judges) for judges in few] == [1, 1]


@pytest.mark.slow
def test_a_model_trained_in_a_process_of_its_own_is_that_trained_here(
    made: Path, novels: Path, tmp_path: Path
) -> None:
    card = attribution_training.train_model(
        novels, tmp_path / "tiny-turns", RECIPE, hold_out=["Three"], processes=2
    )
    trained_here = json.loads((made / "card.json").read_text("utf-8"))
    assert card["weights_sha256"] == trained_here["weights_sha256"]


def test_the_novel_held_out_is_not_trained_on(made: Path) -> None:
    card = json.loads((made / "card.json").read_text("utf-8"))
    assert card["training"]["novels"] == ["One", "Two"]
    fold = json.loads((made / "folds" / "0" / "card.json").read_text("utf-8"))
    assert fold["training"]["novels"] == ["One"]
    assert 0 < card["scores"]["cross-validated"]["all"] <= 1


def test_a_model_is_described_verified_and_for_speakers_alone(made: Path) -> None:
    model = registry.find(str(made), made)
    registry.verify(model)
    assert model.task == registry.SPEAKERS
    with pytest.raises(ConfigError, match="is for speakers"):
        registry.expect(model, registry.PASSAGES)


def damaged(made: Path, folder: Path, weights: bytes | None) -> registry.ModelFiles:
    shutil.copytree(made, folder)
    if weights is None:
        (folder / attribute.WEIGHTS).unlink()
    else:
        (folder / attribute.WEIGHTS).write_bytes(weights)
    return registry.find(str(folder), folder)


@pytest.mark.parametrize("weights", [None, b"", b"no weights at all", b"\xff" * 64])
def test_a_damaged_model_says_so(made: Path, tmp_path: Path, weights: bytes | None) -> None:
    with pytest.raises(Damaged, match="scholar models verify"):
        attribute.load(damaged(made, tmp_path / "copy", weights))


def test_a_model_for_other_features_says_so(made: Path, tmp_path: Path) -> None:
    network = [(np.zeros((7, 1), np.float32), np.zeros(1, np.float32))]
    attribution_training.write([[TurnScorer(network, network)]], tmp_path / "narrow", {})
    with pytest.raises(Damaged, match="wrong shape"):
        attribute.load(registry.find(str(tmp_path / "narrow"), tmp_path))


def test_novels_are_measured_by_the_fold_that_never_saw_them(
    made: Path, novels: Path, lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    splits = str(made.with_name("splits.json"))
    arguments = ("bench", "pdnc", "--data", str(novels), "--model", str(made), "--splits", splits)
    result = lab(*arguments, "--novel", "Two", "--run", str(tmp_path / "run.jsonl"), "--json")
    assert result.exit_code == 0, result.stderr
    assert {report["split"] for report in result.json} == {"Two", "micro", "macro"}
    assert len((tmp_path / "run.jsonl").read_text("utf-8").splitlines()) == 30
    refused = lab(*arguments, "--novel", "One")
    assert refused.exit_code == 2
    assert "no fold tests One" in refused.stderr


def test_the_whole_way_is_measured_from_the_raw_text(
    made: Path, novels: Path, lab: Callable[..., CommandResult]
) -> None:
    result = lab(
        "bench",
        "pdnc",
        "--data",
        str(novels),
        "--model",
        str(made),
        "--raw",
        "--novel",
        "Three",
        "--system",
        "trained",
        "--system",
        "sieve",
        "--json",
    )
    assert result.exit_code == 0, result.stderr
    figures = {
        report["system"]: report["metrics"] for report in result.json if report["split"] == "Three"
    }
    assert figures["sieve"]["given"] > 0.9
    assert 0.3 < figures["sieve"]["raw"] <= figures["sieve"]["given"]
    assert figures["trained"]["piece_f1"] == figures["sieve"]["piece_f1"] > 0.9


def test_a_system_that_is_none_is_named(lab: Callable[..., CommandResult], novels: Path) -> None:
    result = lab("bench", "pdnc", "--data", str(novels), "--system", "oracle")
    assert result.exit_code == 2
    assert "choose from trained" in result.stderr


def test_confidence_rises_with_likelihood_and_means_how_often_it_is_right() -> None:
    likelihoods = np.linspace(0, 1, 400)
    answers = [
        (QuoteKind.IMPLICIT, pdnc.AttributedQuotation(at % 4 != 0, "", True, 1, float(x)))
        for at, x in enumerate(likelihoods)
    ]
    (curve,) = attribution_training.fit_calibration(answers).values()
    assert [x for x, _ in curve] == sorted(x for x, _ in curve)
    assert attribute.calibrate(0.99, curve) == pytest.approx(0.75, abs=0.05)
    assert attribute.calibrate(0.3, []) == 0.3
