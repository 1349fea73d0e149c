"""Train the speaker model on novels in PDNC's form: cross-validate, calibrate, train, write.

    novels -> sieves -> features -> a network for each round -> model.safetensors, card.json

A network scores the candidates of a quotation and learns to put the speaker first (softmax
over candidates). The first round starts from what the rules guess, each further one from what
the round before does, on the very novels it learned from: the networks are small enough not to
know them by heart. Minutes on two cores.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.bench import pdnc, pdnc_form, report
from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models import SPEAKERS, file_sha256
from scholar_indexes.speakers import attribute, features
from scholar_indexes.speakers.attribute import WEIGHTS, Attributor, Curve, Network
from scholar_indexes.speakers.features import FEATURES, MOST, Rows
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.types import Progress, QuoteKind, silent

POINTS = 12
"""Points of a calibration curve, each over as many answers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

    rounds: int = 3
    epochs: int = 16
    batch: int = 256
    widths: tuple[int, ...] = (128, 64)
    learning_rate: float = 3e-3
    weight_decay: float = 1e-3
    dropout: float = 0.25
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Read:
    """A novel, and its book as the rules read it."""

    novel: Novel
    sieve: Sieve


def make(
    data: Path,
    out: Path,
    recipe: Recipe,
    *,
    splits: Path | None = None,
    hold_out: Sequence[str] = (),
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on all novels of a folder but those held out, and write a model folder.

    With splits a model is trained for each of its folds first, into out/folds, which tell how
    good the model is and how sure it may be. Returns the card. Raises UsageError when out
    holds a finished model, NoMatch where no novel has a quotation of a character, and what
    pdnc_form.read raises.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    novels = pdnc_form.read(data)
    pdnc.chosen(novels, hold_out)
    books: dict[str, Read] = {}
    for done, novel in enumerate(novels):
        progress("reading novels", done, len(novels))
        sieve = Sieve(novel.text, novel.quotations, novel.cast)
        sieve.run()
        books[novel.name] = Read(novel, sieve)
    scores: dict[str, Any] = {}
    curves: Mapping[QuoteKind, Curve] = {}
    if splits is not None:
        found = _cross_validated(books, out, recipe, splits, say, progress)
        curves = calibration(found)
        scores = {"cross-validated": _rounded(pdnc.measured([each for _, each in found]))}
        say(f"cross-validated: {scores['cross-validated']}")
    training = [each for name, each in books.items() if name not in hold_out]
    began = time.monotonic()
    rounds = fit(training, recipe, progress)
    said = {
        "training": {**_training(training, recipe), "seconds": round(time.monotonic() - began)},
        "calibration": {str(kind): curve for kind, curve in curves.items()},
        "scores": scores,
    }
    return write(rounds, out, said)


def fit(books: Sequence[Read], recipe: Recipe, progress: Progress = silent) -> list[Network]:
    """The networks of all rounds, the first one first."""
    if not any(who >= 0 for each in books for who in each.novel.speakers):
        raise NoMatch("no novel has a quotation with its speaker; give annotated novels")
    guesses = [features.first_guesses(each.sieve) for each in books]
    rounds: list[Network] = []
    for number in range(recipe.rounds):
        progress("training", number, recipe.rounds)
        rows = [
            features.rows(each.sieve, guess) for each, guess in zip(books, guesses, strict=True)
        ]
        rounds.append(_network(rows, [each.novel for each in books], recipe))
        guesses = [attribute.guessed(each, rounds[-1]) for each in rows]
    progress("training", recipe.rounds, recipe.rounds)
    return rounds


def write(rounds: Sequence[Network], out: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """Write a model with its card, the card last; returns the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for number, network in enumerate(rounds):
        for layer, (weight, bias) in enumerate(network):
            tensors[f"{number}.{layer}.weight"] = np.ascontiguousarray(weight, np.float32)
            tensors[f"{number}.{layer}.bias"] = np.ascontiguousarray(bias, np.float32)
    save_file(tensors, out / WEIGHTS)
    name = out.resolve().name
    sha256 = file_sha256(out / WEIGHTS)
    card = {
        "name": name,
        "task": SPEAKERS,
        "precision": "float32",
        "dimensions": FEATURES,
        "max_tokens": 0,
        "pooling": "none",
        "space": f"{name}-{sha256[:8]}",
        "weights_sha256": sha256,
        "files": {WEIGHTS: sha256},
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
    books: Mapping[str, Read],
    out: Path,
    recipe: Recipe,
    splits: Path,
    say: Callable[[str], None],
    progress: Progress,
) -> list[tuple[QuoteKind, pdnc.Answered]]:
    """What each fold's model says of the novels it has not seen, with the kind it takes each
    quotation for."""
    found: list[tuple[QuoteKind, pdnc.Answered]] = []
    novels = [each.novel for each in books.values()]
    for number, (train, test) in enumerate(pdnc.folds(splits)):
        training = [books[each.name] for each in pdnc.chosen(novels, train)]
        rounds = fit(training, recipe, progress)
        write(rounds, out / "folds" / str(number), {"training": _training(training, recipe)})
        attributor = Attributor(rounds, {})
        of_fold = []
        for novel in pdnc.chosen(novels, test):
            said = attributor(novel.text, novel.quotations, novel.cast)
            kinds = [each.kind for each in said]
            of_fold += list(zip(kinds, pdnc.answered(novel, said), strict=True))
        say(f"fold {number}: {_rounded(pdnc.measured([each for _, each in of_fold]))}")
        found += of_fold
    return found


def _network(rows: Sequence[Rows], novels: Sequence[Novel], recipe: Recipe) -> Network:
    """One network, trained on the quotations whose speaker is among their candidates."""
    torch.manual_seed(recipe.seed)
    draw = np.random.default_rng(recipe.seed)
    values, there, right = _padded(rows, novels)
    widths = (FEATURES, *recipe.widths, 1)
    linear = [torch.nn.Linear(*pair) for pair in pairwise(widths)]
    drop = torch.nn.Dropout(recipe.dropout)

    def score(batch: torch.Tensor) -> torch.Tensor:
        for each in linear[:-1]:
            batch = drop(torch.relu(each(batch)))
        return linear[-1](batch)[..., 0]

    parameters = [each for layer in linear for each in layer.parameters()]
    steps = max(1, recipe.epochs * len(right) // recipe.batch)
    optimizer = torch.optim.AdamW(
        parameters, lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, steps + 1)
    for _ in range(steps):
        chosen = draw.integers(0, len(right), recipe.batch)
        scores = score(torch.from_numpy(values[chosen].astype(np.float32)))
        scores = scores.masked_fill(~torch.from_numpy(there[chosen]), -1e9)
        loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(right[chosen]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return [
        (each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy())
        for each in linear
    ]


def _padded(
    rows: Sequence[Rows], novels: Sequence[Novel]
) -> tuple[NDArray[np.float16], NDArray[np.bool_], NDArray[np.int64]]:
    """Features (q, MOST, FEATURES), which rows are there (q, MOST), and the right one (q,)."""
    kept = []
    for book, novel in zip(rows, novels, strict=True):
        for number, speaker in enumerate(novel.speakers):
            first, end = int(book.edges[number]), int(book.edges[number + 1])
            place = np.flatnonzero(book.who[first:end] == speaker)
            if speaker >= 0 and len(place):
                kept.append((book.values[first:end], int(place[0])))
    if not kept:
        raise NoMatch("no speaker is named near a quotation; give annotated novels")
    values = np.zeros((len(kept), MOST, FEATURES), np.float16)
    there = np.zeros((len(kept), MOST), np.bool_)
    for at, (each, _) in enumerate(kept):
        values[at, : len(each)] = each
        there[at, : len(each)] = True
    return values, there, np.array([place for _, place in kept], np.int64)


def _training(books: Sequence[Read], recipe: Recipe) -> dict[str, Any]:
    novels = [each.novel for each in books]
    return {
        "recipe": asdict(recipe),
        "novels": sorted(each.name for each in novels),
        "quotations": sum(len(each.quotations) for each in novels),
        "data_sha256": pdnc_form.sha256(novels),
        "torch": torch.__version__,
        "commit": report.commit(),
    }


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
