"""Training of the speaker model on novels in PDNC's format, with cross-validation and calibration.

    novels -> sieves -> features -> scorers for each round -> model.safetensors, card.json

A scorer scores the candidates of each turn and the transitions between turns, and is trained to
make the annotated speakers likely, all turns of a conversation together (turn_scorers). The first
round starts from the guesses of the rules, each later one from the guesses of the round before. A
round has several scorers, each trained without a part of the novels: the next round learns from
its predictions for that part, so that no round learns to trust memorised answers (stacked
sequential learning, Cohen and Carvalho 2005). Together they answer for a new book. Novels without
annotation are training data too, most at the beginning (scholar_cli.laboratory.pdnc.uncued).
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scholar_cli.laboratory import report
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc import pdnc_data, uncued
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.pdnc.turn_scorers import TrainingSet, TurnScorerSettings, train
from scholar_indexes.attribution import features, linear_chain, speeches, trained
from scholar_indexes.attribution.features import FEATURES
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.attribution.trained import WEIGHTS, Attributor, Ensemble
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.registry import SPEAKERS, file_sha256
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, QuoteKind, silent

POINTS = 12
"""The number of points of a calibration curve, each over equally many answers."""


@dataclass(frozen=True, slots=True)
class TrainingNovel:
    """A novel, and the rules' features of its book."""

    novel: AnnotatedNovel
    book: features.BookFeatures


Answer = tuple[QuoteKind, pdnc.AttributedQuotation]
"""An attributed quotation, with the kind that the model detects."""


def train_model(
    data: Path,
    out: Path,
    recipe: TurnScorerSettings,
    *,
    splits: Path | None = None,
    hold_out: Sequence[str] = (),
    texts: Path | None = None,
    processes: int = 1,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on all novels of a folder except the held-out ones, and write a model folder.

    With splits, a model is first trained for each fold, into out/folds, to cross-validate and
    calibrate the model. texts is a folder of Gutenberg texts, whose novels are training data
    without annotation. `processes` models are trained in parallel. Returns the card. Raises
    UsageError if out contains a finished model, NoMatch if no novel has a quotation of a
    character, and the errors of pdnc.data.read and texts.files.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; give a new --out")
    novels = pdnc_data.read(data)
    training = [novel for novel in novels if novel.name not in hold_out]
    pdnc.select_novels(novels, hold_out)
    folds = list(pdnc.read_folds(splits)) if splits is not None else []
    sets = [*(pdnc.select_novels(novels, train) for train, _ in folds), training]
    for training_set in sets:
        _check_annotated(training_set)
    others = _read_other_novels(texts, novels, say, progress)
    began = time.monotonic()
    answers: list[Answer] = []
    with _Trainers(novels, others, recipe, min(processes, len(sets))) as trainers:
        fitted = trainers.fit(sets)
        for number, (_, test) in enumerate(folds):
            progress("training", number, len(sets))
            rounds = next(fitted)
            provenance = {"training": _describe_training(sets[number], others, recipe)}
            write(rounds, out / "folds" / str(number), provenance)
            fold_answers = list(_attribute(rounds, pdnc.select_novels(novels, test)))
            say(f"fold {number}: {_score(fold_answers)}")
            answers += fold_answers
        progress("training", len(folds), len(sets))
        rounds = next(fitted)
    scores: dict[str, Any] = {}
    if answers:
        scores["cross-validated"] = _score(answers)
        say(f"cross-validated: {scores['cross-validated']}")
    curves = fit_calibration(answers)
    card_fields = {
        "training": {
            **_describe_training(training, others, recipe),
            "seconds": round(time.monotonic() - began),
        },
        "calibration": {str(kind): curve for kind, curve in curves.items()},
        "scores": scores,
    }
    return write(rounds, out, card_fields)


def _read_other_novels(
    texts: Path | None,
    novels: Sequence[AnnotatedNovel],
    say: Callable[[str], None],
    progress: Progress,
) -> list[AnnotatedNovel]:
    """Return the novels of a folder of texts, as training data without annotation."""
    if texts is None:
        return []
    others = uncued.read(texts, novels, progress)
    say(f"{len(others)} novels without annotation add {_count_speakers(others)} quotations")
    return others


def _count_speakers(novels: Sequence[AnnotatedNovel]) -> int:
    """Return the number of quotations whose speaker is in the cast."""
    return sum(speaker >= 0 for novel in novels for speaker in novel.speakers)


def _score(answers: Sequence[Answer]) -> dict[str, float]:
    """Return the metrics of attributed quotations, rounded for the card."""
    metrics = pdnc.compute_metrics([quotation for _, quotation in answers])
    return {name: round(value, 4) for name, value in metrics.items()}


class _Trainers:
    """A pool of processes that train models in parallel, or the current process."""

    def __init__(
        self,
        novels: Sequence[AnnotatedNovel],
        others: Sequence[AnnotatedNovel],
        recipe: TurnScorerSettings,
        processes: int,
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

    def fit(self, sets: Sequence[Sequence[AnnotatedNovel]]) -> Iterator[list[Ensemble]]:
        """Yield a model for each set of novels, in order."""
        jobs = [[novel.name for novel in novels] for novels in sets]
        if self._pool is None:
            _prepare(*self._given)
            yield from map(_fit_named, jobs)
        else:
            yield from self._pool.map(_fit_named, jobs)


_prepared: tuple[dict[str, TrainingNovel], list[TrainingNovel], TurnScorerSettings]
"""The novels that a process has read for all the models that it trains."""


def _prepare(
    novels: Sequence[AnnotatedNovel], others: Sequence[AnnotatedNovel], recipe: TurnScorerSettings
) -> None:
    """Read the novels once for all the models that this process trains."""
    global _prepared
    if multiprocessing.parent_process() is not None:
        torch.set_num_threads(1)
    _prepared = (
        {novel.name: read(novel) for novel in novels},
        [read(novel) for novel in others],
        recipe,
    )


def _fit_named(names: Sequence[str]) -> list[Ensemble]:
    books, others, recipe = _prepared
    return fit([books[name] for name in names], recipe, others)


def read(novel: AnnotatedNovel) -> TrainingNovel:
    """Return a novel with whole speeches as quotations, and the rules' features of its book."""
    novel = _join_speeches(novel)
    sieve = Sieve(novel.text, novel.quotations, novel.cast)
    sieve.run()
    return TrainingNovel(novel, features.BookFeatures(sieve))


def _join_speeches(novel: AnnotatedNovel) -> AnnotatedNovel:
    """Return a novel with whole speeches as quotations."""
    groups = speeches.group_by_speech(novel.text, novel.quotations)
    return replace(
        novel,
        quotations=tuple(speeches.join_speeches(novel.quotations, groups)),
        speakers=tuple(novel.speakers[first] for first, *_ in groups),
        kinds=tuple(novel.kinds[first] for first, *_ in groups),
    )


def fit(
    books: Sequence[TrainingNovel], recipe: TurnScorerSettings, others: Sequence[TrainingNovel] = ()
) -> list[Ensemble]:
    """Return the cross-fitted scorers of all rounds, in order.

    Each scorer is trained without a part of the novels, and the next round learns from its
    answers for that part. `others` are novels without annotation.
    """
    novels = [*books, *others]
    parts = _assign_parts(books, others, recipe.parts)
    guesses = [features.guess_by_rules(novel.book.sieve) for novel in novels]
    rounds: list[Ensemble] = []
    for number in range(recipe.rounds):
        candidates = [
            _extract_features(novel, guess, recipe)
            for novel, guess in zip(novels, guesses, strict=True)
        ]
        scorers = []
        for part in range(max(parts) + 1):
            training_set = TrainingSet(
                [
                    (rows, novel.novel, index < len(books))
                    for index, (rows, novel) in enumerate(zip(candidates, novels, strict=True))
                    if parts[index] != part or max(parts) == 0
                ]
            )
            scorers.append(train(training_set, recipe, recipe.parts * number + part))
        guesses = [
            linear_chain.decode(rows, [scorers[part]])
            for rows, part in zip(candidates, parts, strict=True)
        ]
        rounds.append(scorers)
    return rounds


def _extract_features(
    novel: TrainingNovel, guesses: features.Guesses, recipe: TurnScorerSettings
) -> features.CandidateRows:
    """Return the features of a novel's candidates; omitted kinds are zero."""
    rows = features.extract_features(novel.book, guesses)
    for kind in recipe.without:
        rows.values[:, features.GROUPS.get(kind, slice(0))] = 0
    return rows


def _check_annotated(novels: Sequence[AnnotatedNovel]) -> None:
    if not _count_speakers(novels):
        raise NoMatch("no novel has a quotation with its speaker; give annotated novels")


def _assign_parts(
    books: Sequence[TrainingNovel], others: Sequence[TrainingNovel], parts: int
) -> list[int]:
    """Return the part of each novel, so that all parts have about the same number of annotated
    quotations; a single part if there are too few novels to hold any out."""
    if len(books) < 2 * parts:
        return [0] * (len(books) + len(others))
    assigned = [0] * len(books)
    sizes = [0] * parts
    for book in sorted(range(len(books)), key=lambda book: -len(books[book].novel.quotations)):
        assigned[book] = sizes.index(min(sizes))
        sizes[assigned[book]] += len(books[book].novel.quotations)
    return assigned + [number % parts for number in range(len(others))]


def write(rounds: Sequence[Ensemble], out: Path, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Write a model, then its card with these additional fields; return the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    save_file(trained.to_tensors(rounds), out / WEIGHTS)
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
        **fields,
    }
    atomic.write_text(out / "card.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    return card


def fit_calibration(answers: Sequence[Answer]) -> dict[QuoteKind, list[tuple[float, float]]]:
    """Return the calibration curve of each kind of quotation: confidences and the share of right
    answers, made monotonic (histogram binning, Zadrozny and Elkan 2001)."""
    by_kind: dict[QuoteKind, list[pdnc.AttributedQuotation]] = defaultdict(list)
    for kind, quotation in answers:
        by_kind[kind].append(quotation)
    curves = {}
    for kind, quotations in by_kind.items():
        quotations.sort(key=lambda quotation: quotation.confidence)
        bins = np.array_split(np.arange(len(quotations)), min(POINTS, len(quotations)))
        xs = [float(np.mean([quotations[n].confidence for n in members])) for members in bins]
        ys = [float(np.mean([quotations[n].right for n in members])) for members in bins]
        rising = np.maximum.accumulate(ys)
        curves[kind] = [(round(x, 4), round(float(y), 4)) for x, y in zip(xs, rising, strict=True)]
    return curves


def _attribute(rounds: Sequence[Ensemble], novels: Sequence[AnnotatedNovel]) -> Iterator[Answer]:
    """Yield the attributed quotations of novels, each with the kind that the model detects."""
    attributor = Attributor(rounds, {})
    for novel in novels:
        attributions = attributor(novel.text, novel.quotations, novel.cast)
        kinds = [attribution.kind for attribution in attributions]
        yield from zip(kinds, pdnc.compare_with_annotation(novel, attributions), strict=True)


def _describe_training(
    novels: Sequence[AnnotatedNovel], others: Sequence[AnnotatedNovel], recipe: TurnScorerSettings
) -> dict[str, Any]:
    """Return the card's description of the data, the settings and the program."""
    return {
        "recipe": asdict(recipe),
        "novels": sorted(novel.name for novel in novels),
        "quotations": sum(len(novel.quotations) for novel in novels),
        "data_sha256": pdnc_data.sha256(novels),
        "without_annotation": {
            "texts": [novel.name for novel in others],
            "quotations": _count_speakers(others),
        },
        "torch": torch.__version__,
        "commit": report.commit(),
    }
