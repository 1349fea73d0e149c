"""Training of the model that labels the sentences of an abstract with facets.

    papers -> sentence vectors -> (network, CRF) -> model.safetensors, words.json, card.json

The model works only with the vectors of the encoder that it was trained on. Training takes minutes
on a CPU.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.laboratory import report
from scholar_cli.laboratory.facets.facet_data import (
    COMPOSED,
    CORRECTED,
    SHORT_WEIGHT,
    TEST,
    TRAIN,
    VALIDATION,
    LabelledAbstract,
    compose_abstracts,
    data_sha256,
    encode_sentences,
    read_papers,
)
from scholar_cli.laboratory.facets.model import COMPONENTS, FacetModelSettings, FacetNetwork
from scholar_cli.laboratory.facets.scoring import evaluate
from scholar_indexes.arrays import Floats2d
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import file_sha256
from scholar_indexes.papers import facets
from scholar_indexes.papers.facets import TASK, WEIGHTS_FILE, WORDS_FILE
from scholar_indexes.storage import atomic
from scholar_indexes.types import FACETS, Progress, silent

TrainingExample = tuple[LabelledAbstract, Floats2d, Sequence[Sequence[int]]]
"""An abstract, its vectors, and the rows of the cues in each of its sentences."""

Batch = tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor, torch.Tensor]
"""Vectors, phrases and positions; the mask of the sentences; their labels."""

_CHOOSING = ((TRAIN,), (VALIDATION,))
_FINAL = ((TRAIN, VALIDATION), (TEST, CORRECTED))
"""The parts to train on and the parts to score, to choose settings and for the final model."""


def train(
    papers: Path | None,
    encoder: Encoder,
    out: Path,
    settings: FacetModelSettings | None = None,
    *,
    annotations: Path | None = None,
    short: Sequence[LabelledAbstract] = (),
    choose: bool = False,
    card_fields: Mapping[str, Any] | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on a file of labelled papers, score, and write a model folder; return the card.

    papers and annotations are as in read_papers; short are abstracts that are added SHORT_WEIGHT
    times each to the file's papers. Without papers, long abstracts are composed of the sentences of
    short ones (compose_abstracts), and nothing is scored. With choose, the model is trained on the
    training papers and scored on the validation papers, to choose hyperparameters; otherwise it is
    trained on both and scored on the test and the hand-corrected papers. card_fields are added to
    the card. Raises UsageError if out contains a finished model or the settings omit an unknown
    component, NoMatch if there are no papers to train on, and the errors of read_papers.
    """
    settings = settings or FacetModelSettings()
    _check(out, settings)
    abstracts, vectors = _read(papers, annotations, encoder, progress)
    training_parts, scored_parts = _CHOOSING if choose else _FINAL
    training, training_vectors = _select(abstracts, vectors, training_parts)
    if not training and (papers or not short):
        raise NoMatch(f"{papers or 'this'} has no training paper; give more labelled papers")
    papers_read = len(training)
    if short:
        short_vectors = encode_sentences(short, encoder, progress)
        if not papers:
            training, training_vectors = compose_abstracts(short, short_vectors, settings.seed)
        training += [*short] * SHORT_WEIGHT
        training_vectors += short_vectors * SHORT_WEIGHT
    start = time.monotonic()
    words, tensors = fit_model(training, training_vectors, settings, progress)
    model = facets.build_model(out.name, encoder.space, words, tensors)
    seconds = round(time.monotonic() - start)
    scores = {}
    for part, figures in _score_parts(abstracts, vectors, scored_parts, model):
        scores[part] = figures
        say(f"{part}: {figures}")
    provenance = {
        "recipe": settings.card_fields(),
        "papers": papers_read + len(short),
        "composed": 0 if papers else COMPOSED,
        "short_abstracts": len(short),
        "short_weight": SHORT_WEIGHT,
        "data_sha256": data_sha256([*abstracts, *short]),
        "torch": torch.__version__,
        "commit": report.commit(),
        "seconds": seconds,
    }
    card = {**(card_fields or {}), "training": provenance, "scores": scores}
    return write_model(words, tensors, encoder.space, out, card)


def fit_model(
    abstracts: Sequence[LabelledAbstract],
    vectors: Sequence[Floats2d],
    settings: FacetModelSettings,
    progress: Progress = silent,
) -> tuple[list[str], dict[str, NDArray[np.float16]]]:
    """Return the cue words and the tensors of a model trained on abstracts."""
    torch.manual_seed(settings.seed)
    rng = np.random.default_rng(settings.seed)
    words = build_vocabulary(abstracts, settings.min_papers)
    cues = _cue_rows(abstracts, words)
    network = FacetNetwork(vectors[0].shape[1], len(words), settings)
    batches = -(-len(abstracts) // settings.batch_size)
    optimizer, schedule = _build_optimizer(network, settings, settings.epochs * batches + 1)
    network.train()
    for epoch in range(settings.epochs):
        progress("training", epoch, settings.epochs)
        for rows in np.array_split(rng.permutation(len(abstracts)), batches):
            examples = [
                augment(abstracts[row], vectors[row], cues[row], settings, rng) for row in rows
            ]
            inputs, mask, labels = build_batch(examples, network.padding_row)
            loss = network.loss(network(*inputs, mask), mask, labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
    progress("training", settings.epochs, settings.epochs)
    return words, network.tensors()


def build_vocabulary(abstracts: Sequence[LabelledAbstract], min_papers: int) -> list[str]:
    """Return the cues in at least min_papers abstracts, the most frequent first."""
    counts = Counter(
        cue
        for abstract in abstracts
        for cue in set().union(*(facets.extract_cues(text) for text in abstract.texts))
    )
    frequent = [(-count, cue) for cue, count in counts.items() if count >= min_papers]
    return [cue for _, cue in sorted(frequent)]


def augment(
    abstract: LabelledAbstract,
    vectors: Floats2d,
    cues: Sequence[Sequence[int]],
    settings: FacetModelSettings,
    rng: np.random.Generator,
) -> TrainingExample:
    """Return an abstract, at random cropped to consecutive sentences, and at random with its words
    and vectors hidden."""
    n = len(abstract.texts)
    if rng.random() < settings.crop:
        start = int(rng.integers(n))
        end = int(rng.integers(start, n)) + 1
        abstract = replace(
            abstract, texts=abstract.texts[start:end], facets=abstract.facets[start:end]
        )
        vectors, cues = vectors[start:end], cues[start:end]
    if rng.random() < settings.unknown_language:
        vectors, cues = np.zeros_like(vectors), [()] * len(cues)
    return abstract, vectors, cues


def build_batch(examples: Sequence[TrainingExample], padding_row: int) -> Batch:
    """Return the padded tensors of examples; padding_row is the row of no cue."""
    longest = max(len(abstract.texts) for abstract, _, _ in examples)
    most_cues = max(1, *(len(row) for _, _, cues in examples for row in cues))
    vectors = np.zeros((len(examples), longest, examples[0][1].shape[1]), np.float32)
    phrases = np.full((len(examples), longest, most_cues), padding_row, np.int64)
    positions = np.zeros((len(examples), longest, facets.POSITION_FEATURES), np.float32)
    mask = np.zeros((len(examples), longest), np.bool_)
    labels = np.zeros((len(examples), longest), np.int64)
    for row, (abstract, sentence_vectors, cues) in enumerate(examples):
        n = len(abstract.texts)
        vectors[row, :n], mask[row, :n], labels[row, :n] = sentence_vectors, True, abstract.labels
        positions[row, :n] = facets.position_features(abstract.texts)
        for sentence, cue_rows in enumerate(cues):
            phrases[row, sentence, : len(cue_rows)] = cue_rows
    inputs = (torch.from_numpy(vectors), torch.from_numpy(phrases), torch.from_numpy(positions))
    return inputs, torch.from_numpy(mask), torch.from_numpy(labels)


def write_model(
    words: Sequence[str],
    tensors: Mapping[str, NDArray[np.float16]],
    space: str,
    out: Path,
    card_fields: Mapping[str, Any],
) -> dict[str, Any]:
    """Write a model with its card, the card last; return the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    save_file(
        {key: np.ascontiguousarray(tensor) for key, tensor in tensors.items()}, out / WEIGHTS_FILE
    )
    text = json.dumps(list(words), ensure_ascii=False, separators=(",", ":"))
    (out / WORDS_FILE).write_text(text + "\n", "utf-8")
    name = out.resolve().name
    weights = file_sha256(out / WEIGHTS_FILE)
    card = {
        "name": name,
        "task": TASK,
        "reads": space,
        "precision": "float16",
        "dimensions": len(FACETS),
        "max_tokens": 0,
        "pooling": "none",
        "space": f"{name}-{weights[:8]}",
        "weights_sha256": weights,
        "files": {file: file_sha256(out / file) for file in (WEIGHTS_FILE, WORDS_FILE)},
        **card_fields,
    }
    atomic.write_text(out / "card.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    return card


def _check(out: Path, settings: FacetModelSettings) -> None:
    """Raise UsageError if out contains a finished model, or a component to omit is unknown."""
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; give a new --out")
    if unknown := set(settings.without) - set(COMPONENTS):
        raise UsageError(f"{min(unknown)!r} is not a component: {', '.join(COMPONENTS)}")


def _read(
    papers: Path | None, annotations: Path | None, encoder: Encoder, progress: Progress
) -> tuple[list[LabelledAbstract], list[Floats2d]]:
    """Return the labelled papers of a file and their vectors, none without a file."""
    abstracts = read_papers(papers, annotations) if papers else []
    return abstracts, encode_sentences(abstracts, encoder, progress) if abstracts else []


def _score_parts(
    abstracts: Sequence[LabelledAbstract],
    vectors: Sequence[Floats2d],
    parts: Sequence[str],
    model: facets.FacetModel,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the scores on each part that has abstracts."""
    for part in parts:
        scored, scored_vectors = _select(abstracts, vectors, (part,))
        if scored:
            yield part, evaluate(scored, scored_vectors, model)


def _select(
    abstracts: Sequence[LabelledAbstract], vectors: Sequence[Floats2d], parts: Sequence[str]
) -> tuple[list[LabelledAbstract], list[Floats2d]]:
    """Return the abstracts of the given parts, and their vectors."""
    rows = [row for row, abstract in enumerate(abstracts) if abstract.part in parts]
    return [abstracts[row] for row in rows], [vectors[row] for row in rows]


def _cue_rows(abstracts: Sequence[LabelledAbstract], words: Sequence[str]) -> list[list[list[int]]]:
    """Return the rows of the known cues in each sentence of each abstract."""
    rows = {word: row for row, word in enumerate(words)}
    return [
        [
            sorted(rows[cue] for cue in facets.extract_cues(text) if cue in rows)
            for text in abstract.texts
        ]
        for abstract in abstracts
    ]


def _build_optimizer(
    network: FacetNetwork, settings: FacetModelSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    phrases = [network.phrases.weight]
    others = [
        parameter for name, parameter in network.named_parameters() if name != "phrases.weight"
    ]
    optimizer = torch.optim.AdamW(
        [
            {"params": others, "weight_decay": settings.weight_decay},
            # Most phrases are rare: they need stronger regularization.
            {"params": phrases, "weight_decay": 10 * settings.weight_decay},
        ],
        lr=settings.learning_rate,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.learning_rate, steps)
    return optimizer, schedule
