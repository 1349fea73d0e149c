"""Sentences of small books that tests write to an index."""

from __future__ import annotations

from typing import Any

import numpy as np

from scholar_indexes.storage.passages import EDITION_BITS, SentenceRows

WIDTH = 8
TEXTS = [
    "The rain fell on the sea.",
    "She wept.",
    "A green light burned far off on a dock.",
    "He owned a mansion.",
    "Nobody came to the funeral.",
    "The ship left.",
]


def unit(count: int, seed: int = 0) -> Any:
    vectors = np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rows(
    texts: list[str] = TEXTS, *, first: int = 0, chapter: int | None = None, seed: int = 0
) -> SentenceRows:
    """Return sentences, two per chapter, or all in the given chapter."""
    count = len(texts)
    chapters = [1 + at // 2 if chapter is None else chapter for at in range(count)]
    weights = np.arange(1, count + 1, dtype=np.float32)
    return SentenceRows(range(first, first + count), chapters, texts, unit(count, seed), weights)


def numbered(keys: Any) -> list[tuple[int, int]]:
    """Return keys as (edition, sentence)."""
    return [(int(key) >> EDITION_BITS, int(key) & (2**EDITION_BITS - 1)) for key in keys]
