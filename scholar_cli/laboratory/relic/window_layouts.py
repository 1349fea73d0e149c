"""Layouts of a novel's stored vectors: the text encoded together, and its cost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scholar_cli.laboratory.relic.relic_bm25 import Okapi
from scholar_cli.laboratory.relic.relic_data import QuotedWork
from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.claims import normalize_claim
from scholar_indexes.models.encoder import MeanPooled
from scholar_indexes.retrieval import ranking
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.storage.passages import PassageTable

SPECIAL_TOKENS = 2
"""Special tokens of an encoder's input: a block of 64 has room for 62 others."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The text that is encoded together: "alone" one sentence, "blocks" neighbours of up to size
    tokens that are pooled one by one, "whole" three sentences, beginning at every size-th.

    The engine "own" is the product's on a CPU, quantized for a packaged model. "float32" runs in
    torch with the same weights, unpacked, so it shows the cost of quantizing activations, not
    weights.
    """

    kind: str
    size: int = 1
    engine: str = "own"


ALONE = Layout("alone")
BLOCKS = {size: Layout("blocks", size) for size in (32, 64, 128)}
EXACT = Layout("blocks", 64, "float32")


@dataclass(frozen=True, slots=True)
class EncodedWindows:
    """Stored vectors (n, d), their lengths before normalization (n,), and their windows unless
    those are single sentences."""

    vectors: Floats2d
    weights: Floats1d
    windows: Windows | None
    seconds: float


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """A claim, and its vector by engine."""

    text: str
    vectors: Mapping[str, Floats1d]


@dataclass(slots=True)
class SearchedNovel:
    """A work of m sentences, with its vectors by layout and BM25 by window size, both cached.

    chapters and words (m,) are the chapter and the number of words of each sentence.
    """

    work: QuotedWork
    engines: Mapping[str, MeanPooled]
    texts: list[str]
    chapters: Ints1d
    words: Ints1d
    table: PassageTable | None = None
    encoded: dict[Layout, EncodedWindows] = field(default_factory=dict)
    bm25: dict[int, Okapi] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def run(self) -> Ints1d:
        """The number of the run of sentences, unbroken by chapters, that each belongs to."""
        return ranking.number_runs(np.arange(len(self)), self.chapters)

    def query(self, claim: str) -> WindowQuery:
        """Return a claim with its vectors; it is encoded by itself, as in `find`."""
        text = normalize_claim(claim)
        vectors = {name: engine.encode_claims([text])[0] for name, engine in self.engines.items()}
        return WindowQuery(text, vectors)

    def vectors(self, layout: Layout) -> EncodedWindows:
        """Return the novel encoded in a layout, rounded as it would be stored."""
        if layout not in self.encoded:
            self.encoded[layout] = _encode(self, layout)
        return self.encoded[layout]


def _encode(novel: SearchedNovel, layout: Layout) -> EncodedWindows:
    if layout.kind == "whole" and layout.size > 1:
        return _thin(novel.vectors(Layout("whole", 1, layout.engine)), layout.size)
    engine = novel.engines[layout.engine]
    windows: Windows | None = None
    start = time.perf_counter()
    if layout.kind == "blocks":
        vectors, weights = engine.encode_sentences(
            novel.texts, novel.chapters.tolist(), block_tokens=layout.size - SPECIAL_TOKENS
        )
    elif layout.kind == "alone":
        vectors = engine.encode(novel.texts)
        weights = np.ones(len(vectors), np.float32)
    else:
        windows = ranking.build_windows(novel.run, 3, 3)
        vectors = engine.encode(
            [" ".join(novel.texts[first : first + 3]) for first in windows.start.tolist()]
        )
        weights = np.ones(len(vectors), np.float32)
    seconds = time.perf_counter() - start
    return EncodedWindows(vectors.astype(np.float16).astype(np.float32), weights, windows, seconds)


def _thin(encoded: EncodedWindows, stride: int) -> EncodedWindows:
    """Return only every stride-th window, at its share of the time."""
    assert encoded.windows is not None
    return EncodedWindows(
        encoded.vectors[::stride],
        encoded.weights[::stride],
        Windows(encoded.windows.start[::stride], encoded.windows.size[::stride]),
        encoded.seconds / stride,
    )


def layout_cost(novel: SearchedNovel, layout: Layout) -> dict[str, float]:
    """Return the cost of a layout: passes over the words of the text, and per 1,000 sentences the
    rows, their bytes (float16, and a float32 length if windows are composed) and the seconds of
    encoding."""
    encoded = novel.vectors(layout)
    thousands = len(novel) / 1_000
    words_read = int(novel.words.sum())
    if encoded.windows is not None:
        total = np.concatenate(([0], np.cumsum(novel.words)))
        ends = encoded.windows.start + encoded.windows.size
        words_read = int((total[ends] - total[encoded.windows.start]).sum())
    rows, width = encoded.vectors.shape
    return {
        "passes": words_read / max(int(novel.words.sum()), 1),
        "rows_per_1000": rows / thousands,
        "bytes_per_1000": rows * (2 * width + 4 * (layout.kind == "blocks")) / thousands,
        "encode_s_per_1000": encoded.seconds / thousands,
    }
