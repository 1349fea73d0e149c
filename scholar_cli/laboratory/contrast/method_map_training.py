"""Estimation of the linear map that makes sentences on one method similar whatever their topic.

    methods x topics -> sentences -> vectors -> scatter within a method -> map

methods.txt has a method per line, in three wordings with {T} in place of the topic; topics.txt
has the topics. Sentences of one wording differ only in the topic. The map divides by the square
root of their scatter: within-class covariance normalisation (Hatch, Kajarekar and Stolcke 2006),
with a share of the identity so that rare directions are not blown up.
"""

from __future__ import annotations

import json
import random
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.laboratory import report
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import file_sha256
from scholar_indexes.papers.method_map import TASK, WEIGHTS_FILE
from scholar_indexes.storage import atomic

METHODS, TOPICS = (Path(__file__).with_name(name) for name in ("methods.txt", "topics.txt"))

TOPICS_OF_METHOD = 30
"""The number of topics that the wordings of a method are filled with."""

RIDGE = 1.0
"""The weight of the identity added to the scatter, as a multiple of its mean eigenvalue; chosen on
the dev half of the contrast sets."""


def train(encoder: Encoder, out: Path, *, seed: int = 1) -> dict[str, Any]:
    """Estimate the map for an encoder and write its folder; return the card.

    Raises UsageError if out contains a finished model.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; give a new --out")
    wordings = fill_wordings(seed)
    groups = [encoder.encode(sentences) for sentences in wordings]
    mean, matrix = estimate(groups)
    card_fields = {
        "methods": len(METHODS.read_text("utf-8").splitlines()),
        "sentences": sum(map(len, wordings)),
        "ridge": RIDGE,
        "seed": seed,
        "commit": report.commit(),
    }
    return write_model(mean, matrix, encoder.space, out, card_fields)


def fill_wordings(seed: int) -> list[list[str]]:
    """Return the sentences of each wording with at least two drawn topics."""
    draw = random.Random(seed)
    topics = TOPICS.read_text("utf-8").splitlines()
    filled = []
    for line in METHODS.read_text("utf-8").splitlines():
        wordings = line.split(" | ")
        pairs = sorted(
            (draw.randrange(len(wordings)), topic)
            for topic in draw.sample(topics, TOPICS_OF_METHOD)
        )
        for number, group in groupby(pairs, lambda pair: pair[0]):
            sentences = [_fill(wordings[number], topic) for _, topic in group]
            if len(sentences) > 1:
                filled.append(sentences)
    return filled


def estimate(groups: list[Floats2d]) -> tuple[Floats1d, Floats2d]:
    """Return the mean (d,) of all vectors and the map (d, d), given the vectors of each wording."""
    vectors = np.concatenate(groups).astype(np.float64)
    centred = np.concatenate([group - group.mean(axis=0) for group in groups]).astype(np.float64)
    values, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    matrix = (axes / np.sqrt(np.maximum(values, 0) + RIDGE * values.mean())) @ axes.T
    matrix *= np.sqrt(values.mean())  # scaled like the identity, to fit float16
    return vectors.mean(axis=0).astype(np.float32), matrix.astype(np.float32)


def write_model(
    mean: Floats1d, matrix: Floats2d, space: str, out: Path, card_fields: dict[str, Any]
) -> dict[str, Any]:
    """Write a model with its card, the card last; return the card."""
    from safetensors.numpy import save_file

    out.mkdir(parents=True, exist_ok=True)
    tensors = {"mean": mean.astype(np.float16), "map": matrix.astype(np.float16)}
    save_file(tensors, out / WEIGHTS_FILE)
    name, weights = out.resolve().name, file_sha256(out / WEIGHTS_FILE)
    card = {
        "name": name,
        "task": TASK,
        "reads": space,
        "precision": "float16",
        "dimensions": len(mean),
        "max_tokens": 0,
        "pooling": "none",
        "space": f"{name}-{weights[:8]}",
        "weights_sha256": weights,
        "files": {WEIGHTS_FILE: weights},
        "summary": "Maps the vectors of sentences so that sentences on one method are similar "
        "whatever their topic; compares papers by method (docs/papers.md).",
        "licence": "Apache-2.0",
        "source": "wordings of methods and topics written for it (laboratory/contrast)",
        "made_by": "scholar-lab train method-map --out method-map",
        "limits": "English, and the vectors of one encoder; with another one vectors are compared "
        "as they are.",
        "training": card_fields,
    }
    atomic.write_text(out / "card.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    return card


def _fill(wording: str, topic: str) -> str:
    sentence = wording.replace("{T}", topic)
    return sentence[0].upper() + sentence[1:]
