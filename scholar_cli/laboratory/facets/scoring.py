"""Scores of a facet model: accuracy and F1 of its labels for abstracts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.facets.facet_data import LabelledAbstract
from scholar_indexes.arrays import Floats2d
from scholar_indexes.papers import facets
from scholar_indexes.papers.facets import FacetModel
from scholar_indexes.types import FACETS


def evaluate(
    abstracts: Sequence[LabelledAbstract], vectors: Sequence[Floats2d], model: FacetModel
) -> dict[str, Any]:
    """Return the metrics of the facets that a model predicts for abstracts."""
    predictions = []
    for abstract, sentence_vectors in zip(abstracts, vectors, strict=True):
        predicted, _ = facets.label_abstract(sentence_vectors, abstract.texts, model)
        predictions.append([FACETS.index(facet) for facet in predicted])
    return compute_metrics([abstract.labels for abstract in abstracts], predictions)


def compute_metrics(
    labels: Sequence[Sequence[int]], predictions: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """Return accuracy, macro F1 and the F1 of each facet as [value, low, high], with the 95 %
    interval of a bootstrap over abstracts."""
    counts = np.zeros((len(labels), len(FACETS), len(FACETS)))
    for row, pair in enumerate(zip(labels, predictions, strict=True)):
        np.add.at(counts[row], tuple(map(np.asarray, pair)), 1)
    rng = np.random.default_rng(0)
    samples = rng.integers(0, len(labels), (metrics.RESAMPLES, len(labels)))
    resampled = np.stack([_measures(counts[sample].sum(axis=0)) for sample in samples])
    low, high = np.percentile(resampled, (2.5, 97.5), axis=0)
    intervals = np.stack([_measures(counts.sum(axis=0)), low, high], axis=1).round(4).tolist()
    names = ("accuracy", "macro_f1", *(f"f1_{facet}" for facet in FACETS))
    return {
        "papers": len(labels),
        "sentences": int(counts.sum()),
        **dict(zip(names, intervals, strict=True)),
    }


def _measures(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return accuracy, macro F1 and each F1 from counts (label, prediction); the F1 of a facet
    that is in neither is 0."""
    hits = np.diag(counts)
    f1 = 2 * hits / np.maximum(counts.sum(axis=0) + counts.sum(axis=1), 1)
    return np.array([hits.sum() / counts.sum(), f1.mean(), *f1])
