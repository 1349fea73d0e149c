"""Train the speaker model on novels in PDNC's form: cross-validate, calibrate, train, write.

    novels -> sieves -> features -> judges for each round -> model.safetensors, card.json

A judge scores the candidates of each turn and how turns follow one another, and learns to make
the annotated speakers likely, turns of a conversation together (speakers.turns). The first
round starts from what the rules guess, each further one from what the round before does. A
round has several judges, each trained without a part of the novels: what it says of that part
is what the next round learns from, so that no round learns to trust answers that were learned
by heart (stacked sequential learning, Cohen and Carvalho 2005), and together they answer for a
book that none of them has seen. Novels without annotation teach too, most at the beginning
(scholar_cli.train.uncued).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.bench import pdnc, pdnc_form, report
from scholar_cli.bench.pdnc_form import Novel
from scholar_cli.train import uncued
from scholar_cli.train.judges import KINDS, Lessons, Recipe, train
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models import SPEAKERS, file_sha256
from scholar_indexes.speakers import attribute, features, speeches, turns
from scholar_indexes.speakers.attribute import WEIGHTS, Attributor, Ensemble
from scholar_indexes.speakers.features import FEATURES
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.types import Progress, QuoteKind, silent

POINTS = 12
"""Points of a calibration curve, each over as many answers."""


@dataclass(frozen=True, slots=True)
class Read:
    """A novel, and its book as the rules read it."""

    novel: Novel
    book: features.Book


def make(
    data: Path,
    out: Path,
    recipe: Recipe,
    *,
    splits: Path | None = None,
    hold_out: Sequence[str] = (),
    texts: Path | None = None,
    processes: int = 1,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on all novels of a folder but those held out, and write a model folder.

    With splits a model is trained for each of its folds first, into out/folds, which tell how
    good the model is and how sure it may be. texts is a folder of Gutenberg texts, whose
    novels teach without annotation. Models are trained side by side in so many processes.
    Returns the card. Raises UsageError when out holds a finished model, NoMatch where no
    novel has a quotation of a character, and what pdnc_form.read and texts.files raise.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    if unknown := set(recipe.without) - set(KINDS):
        raise UsageError(f"no evidence is called {min(unknown)}; choose from {', '.join(KINDS)}")
    novels = pdnc_form.read(data)
    training = [each for each in novels if each.name not in hold_out]
    pdnc.chosen(novels, hold_out)
    folds = list(pdnc.folds(splits)) if splits is not None else []
    sets = [*(pdnc.chosen(novels, train) for train, _ in folds), training]
    for each in sets:
        _teachable(each)
    others = [] if texts is None else uncued.read(texts, novels, progress)
    if texts is not None:
        taught = sum(who >= 0 for each in others for who in each.speakers)
        say(f"{len(others)} novels without annotation teach {taught} quotations")
    began = time.monotonic()
    found: list[tuple[QuoteKind, pdnc.Answered]] = []
    with _Trainers(novels, others, recipe, min(processes, len(sets))) as trainers:
        fitted = trainers.fit(sets)
        for number, (_, test) in enumerate(folds):
            progress("training", number, len(sets))
            rounds = next(fitted)
            said = {"training": _training(sets[number], others, recipe)}
            write(rounds, out / "folds" / str(number), said)
            of_fold = list(_answered(rounds, pdnc.chosen(novels, test)))
            say(f"fold {number}: {_rounded(pdnc.measured([each for _, each in of_fold]))}")
            found += of_fold
        progress("training", len(folds), len(sets))
        rounds = next(fitted)
    scores: dict[str, Any] = {}
    if found:
        scores["cross-validated"] = _rounded(pdnc.measured([each for _, each in found]))
        say(f"cross-validated: {scores['cross-validated']}")
    curves = calibration(found)
    said = {
        "training": {
            **_training(training, others, recipe), "seconds": round(time.monotonic() - began)
        },
        "calibration": {str(kind): curve for kind, curve in curves.items()},
        "scores": scores,
    }  # fmt: skip
    return write(rounds, out, said)


class _Trainers:
    """Processes that train models side by side, or this one."""

    def __init__(
        self, novels: Sequence[Novel], others: Sequence[Novel], recipe: Recipe, processes: int
    ) -> None:
        self._given = (novels, others, recipe)
        self._pool: Executor | None = None
        if processes > 1:
            self._pool = ProcessPoolExecutor(
                processes, multiprocessing.get_context("spawn"), _prepare, self._given
            )

    def __enter__(self) -> _Trainers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def fit(self, several: Sequence[Sequence[Novel]]) -> Iterator[list[Ensemble]]:
        """A model for each of several sets of novels, in their order."""
        jobs = [[each.name for each in novels] for novels in several]
        if self._pool is None:
            _prepare(*self._given)
            yield from map(_fitted, jobs)
        else:
            yield from self._pool.map(_fitted, jobs)


_given: tuple[dict[str, Read], list[Read], Recipe]


def _prepare(novels: Sequence[Novel], others: Sequence[Novel], recipe: Recipe) -> None:
    """What a process keeps for all the models that it trains."""
    global _given
    if multiprocessing.parent_process() is not None:
        torch.set_num_threads(1)
    _given = {each.name: _read(each) for each in novels}, [_read(each) for each in others], recipe


def _fitted(names: Sequence[str]) -> list[Ensemble]:
    books, others, recipe = _given
    return fit([books[name] for name in names], recipe, others)


def _read(novel: Novel) -> Read:
    novel = _speeches(novel)
    sieve = Sieve(novel.text, novel.quotations, novel.cast)
    sieve.run()
    return Read(novel, features.Book(sieve))


def _speeches(novel: Novel) -> Novel:
    """A novel whose quotations are whole speeches."""
    several = speeches.parts(novel.text, novel.quotations)
    return replace(
        novel,
        quotations=tuple(speeches.whole(novel.quotations, several)),
        speakers=tuple(novel.speakers[first] for first, *_ in several),
        kinds=tuple(novel.kinds[first] for first, *_ in several),
    )


def fit(books: Sequence[Read], recipe: Recipe, others: Sequence[Read] = ()) -> list[Ensemble]:
    """The judges of all rounds, the first one first; others are novels without annotation."""
    everything = [*books, *others]
    parts = _parts(books, others, recipe.parts)
    guesses = [features.first_guesses(each.book.sieve) for each in everything]
    rounds: list[Ensemble] = []
    for number in range(recipe.rounds):
        rows = [
            features.rows(each.book, guess) for each, guess in zip(everything, guesses, strict=True)
        ]
        for made in rows:
            for kind in recipe.without:
                made.values[:, features.GROUPS.get(kind, slice(0))] = 0
        judges = []
        for part in range(max(parts) + 1):
            lessons = Lessons(
                [
                    (made, each.novel, at < len(books))
                    for at, (made, each) in enumerate(zip(rows, everything, strict=True))
                    if parts[at] != part or max(parts) == 0
                ]
            )
            judges.append(train(lessons, recipe, recipe.parts * number + part))
        guesses = [
            turns.guessed(made, [judges[part]]) for made, part in zip(rows, parts, strict=True)
        ]
        rounds.append(judges)
    return rounds


def _teachable(novels: Sequence[Novel]) -> None:
    if not any(who >= 0 for each in novels for who in each.speakers):
        raise NoMatch("no novel has a quotation with its speaker; give annotated novels")


def _parts(books: Sequence[Read], others: Sequence[Read], parts: int) -> list[int]:
    """The part of each novel, so that all have as many annotated quotations; one part where
    there are too few novels to leave any out."""
    if len(books) < 2 * parts:
        return [0] * (len(books) + len(others))
    found = [0] * len(books)
    sizes = [0] * parts
    for at in sorted(range(len(books)), key=lambda at: -len(books[at].novel.quotations)):
        found[at] = sizes.index(min(sizes))
        sizes[found[at]] += len(books[at].novel.quotations)
    return found + [at % parts for at in range(len(others))]


def write(rounds: Sequence[Ensemble], out: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """Write a model with its card, the card last; returns the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    save_file(attribute.weights(rounds), out / WEIGHTS)
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


def _answered(
    rounds: Sequence[Ensemble], novels: Sequence[Novel]
) -> Iterator[tuple[QuoteKind, pdnc.Answered]]:
    """What a model says of novels, with the kind it takes each quotation for."""
    attributor = Attributor(rounds, {})
    for novel in novels:
        said = attributor(novel.text, novel.quotations, novel.cast)
        kinds = [each.kind for each in said]
        yield from zip(kinds, pdnc.answered(novel, said), strict=True)


def _training(novels: Sequence[Novel], others: Sequence[Novel], recipe: Recipe) -> dict[str, Any]:
    return {
        "recipe": asdict(recipe),
        "novels": sorted(each.name for each in novels),
        "quotations": sum(len(each.quotations) for each in novels),
        "data_sha256": pdnc_form.sha256(novels),
        "without_annotation": {
            "texts": [each.name for each in others],
            "quotations": sum(who >= 0 for each in others for who in each.speakers),
        },
        "torch": torch.__version__,
        "commit": report.commit(),
    }


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}
