"""Make the speaker model that ships: cross-validate, calibrate, train on everything, export.

novels, folds -> a model for each fold -> answers about novels it never saw -> calibration
novels -> the model -> model.onnx, tokenizer.json, config.json, card.json
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.bench import pdnc, pdnc_form, report
from scholar_cli.bench.pdnc_form import Novel
from scholar_cli.train import export, speakers
from scholar_cli.train.speakers import Pointer, Reader, Recipe
from scholar_indexes import models
from scholar_indexes.errors import UsageError
from scholar_indexes.models import SPEAKERS, file_sha256
from scholar_indexes.speakers import attribute
from scholar_indexes.speakers.attribute import Curve
from scholar_indexes.speakers.decode import MOST_TOKENS
from scholar_indexes.types import Progress, QuoteKind, silent

FILES = ("model.onnx", "tokenizer.json", "config.json")
IDENTITY = ("recipe", "base_sha256", "novels", "data_sha256")
"""What a model of a fold must share with the run that would use it."""

POINTS = 12
"""Points of a calibration curve, each over as many answers."""


def make(
    data: Path,
    out: Path,
    base: Path,
    recipe: Recipe,
    *,
    splits: Path | None = None,
    hold_out: Sequence[str] = (),
    device: str = "cpu",
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on all novels of a folder but those held out, and write a model folder.

    With splits a model is trained for each of its folds first, in out/folds, which tell how
    good the model is and how sure it may be; folds that are done stay. Returns the card.
    Raises UsageError when out holds a finished model and what pdnc_form.read raises.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    novels = pdnc_form.read(data)
    pdnc.chosen(novels, hold_out)
    training = [each for each in novels if each.name not in hold_out]
    scores: dict[str, Any] = {}
    curves: Mapping[QuoteKind, Curve] = {}
    if splits is not None:
        found = _cross_validated(novels, out, base, recipe, splits, device, say, progress)
        curves = calibration(found)
        scores = {"cross-validated": _rounded(pdnc.measured([each for _, each in found]))}
        say(f"cross-validated: {scores['cross-validated']}")
    began = time.monotonic()
    model, reader = speakers.fit(training, base, recipe, device=device, say=say, progress=progress)
    described = _training(training, base, recipe)
    said = {
        "training": {**described, "seconds": round(time.monotonic() - began)},
        "calibration": {str(kind): curve for kind, curve in curves.items()},
        "scores": scores,
    }
    return write(model, reader, out, said)


def write(model: Pointer, reader: Reader, out: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """Export a model with its card, the card last; returns the card."""
    out.mkdir(parents=True, exist_ok=True)
    model.encoder.set_attn_implementation("eager")  # which exports to plain products
    export.write_graph(model.to("cpu").eval(), out / "model.onnx", ("asks", "offers"))
    reader.tokenizer.save(str(out / "tokenizer.json"))
    near = [round(each, 4) for each in model.near.tolist()]
    config = {**model.encoder.config.to_dict(), "near": near}
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    name = out.resolve().name
    sha256 = file_sha256(out / "model.onnx")
    card = {
        "name": name,
        "task": SPEAKERS,
        "precision": "int8 weights per output channel, dynamic int8 activations",
        "dimensions": model.asks.out_features,
        "max_tokens": MOST_TOKENS,
        "pooling": "none",
        "space": f"{name}-{sha256[:8]}",
        "weights_sha256": sha256,
        "files": {each: file_sha256(out / each) for each in FILES},
        **said,
    }
    unfinished = out / "card.json.part"
    unfinished.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    os.replace(unfinished, out / "card.json")
    return card


def calibration(
    found: Sequence[tuple[QuoteKind, pdnc.Answered]],
) -> dict[QuoteKind, list[tuple[float, float]]]:
    """For each kind of quotation, likelihoods and how often such answers were right, rising:
    means over equally many answers (histogram binning, Zadrozny and Elkan 2001)."""
    by_kind: dict[QuoteKind, list[pdnc.Answered]] = defaultdict(list)
    for kind, each in found:
        by_kind[kind].append(each)
    curves = {}
    for kind, answers in by_kind.items():
        answers.sort(key=lambda each: each.confidence)
        parts = np.array_split(np.arange(len(answers)), min(POINTS, len(answers)))
        xs = [float(np.mean([answers[at].confidence for at in part])) for part in parts]
        ys = [float(np.mean([answers[at].right for at in part])) for part in parts]
        rising = np.maximum.accumulate(ys)
        curves[kind] = [(round(x, 4), round(float(y), 4)) for x, y in zip(xs, rising, strict=True)]
    return curves


def _cross_validated(
    novels: Sequence[Novel],
    out: Path,
    base: Path,
    recipe: Recipe,
    splits: Path,
    device: str,
    say: Callable[[str], None],
    progress: Progress,
) -> list[tuple[QuoteKind, pdnc.Answered]]:
    """What each fold's model says of the novels it has not seen, with the kind it takes each
    quotation for."""
    found: list[tuple[QuoteKind, pdnc.Answered]] = []
    for number, (train, test) in enumerate(pdnc.folds(splits)):
        folder = out / "folds" / str(number)
        trained_on = pdnc.chosen(novels, train)
        described = _training(trained_on, base, recipe)
        if (folder / "card.json").exists():
            card = json.loads((folder / "card.json").read_text("utf-8"))
            if any(card.get("training", {}).get(key) != described[key] for key in IDENTITY):
                raise UsageError(f"{folder} is of another run; give a new --out, or delete it")
        else:
            began = time.monotonic()
            model, reader = speakers.fit(
                trained_on, base, recipe, device=device,
                say=lambda line, n=number: say(f"fold {n}, {line}"),  # type: ignore[misc]
                progress=progress,
            )  # fmt: skip
            described["seconds"] = round(time.monotonic() - began)
            with tempfile.TemporaryDirectory() as working:
                write(model, reader, Path(working) / str(number), {"training": described})
                folder.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(Path(working) / str(number), folder)
        attributor = attribute.load(models.find(str(folder), folder))
        for novel in pdnc.chosen(novels, test):
            said = attributor(novel.text, novel.quotations, novel.cast, progress)
            answers = pdnc.answered(novel, said)
            found += zip([each.kind for each in said], answers, strict=True)
            say(f"fold {number}, {novel.name}: {_rounded(pdnc.measured(answers))}")
    return found


def _training(novels: Sequence[Novel], base: Path, recipe: Recipe) -> dict[str, Any]:
    return {
        "recipe": asdict(recipe),
        "base_sha256": file_sha256(base / "model.safetensors"),
        "novels": sorted(each.name for each in novels),
        "data_sha256": pdnc_form.sha256(novels),
        "torch": torch.__version__,
        "commit": report.commit(),
    }


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
