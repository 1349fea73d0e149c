"""Export the large cross-encoder as a model folder: a quantized graph, a tokenizer and a card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scholar_cli.train.quantization import Inputs
from scholar_cli.train.retriever import graded, written
from scholar_indexes.books import ingest, samples
from scholar_indexes.books.formats import sources
from scholar_indexes.models.cross_encoder import LAYOUTS, PairReader, pad_pairs
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from tokenizers import Tokenizer

KEPT_TOKENS = 14_000
"""Tokens whose word vectors are kept, the most frequent ones in the novels to learn from."""

CALIBRATION_PAIRS = 100
"""Pairs that the graph is calibrated on."""

POSITIONS = 384
"""Places of tokens whose vectors are kept: no pair is longer."""


def count_tokens(tokenizer: Tokenizer, texts: Path, progress: Progress = silent) -> list[int]:
    """Return the ids of the most frequent tokens of the works of training in texts/primary,
    ascending."""
    numbers = sorted({*written.load(), *(claim.gutenberg_id for claim in graded.load())})
    counts: Counter[int] = Counter()
    for done, number in enumerate(numbers):
        progress("counting words", done, len(numbers))
        path = texts / "primary" / f"{number}.txt"
        if path.is_file():
            text = sources.read(path.read_bytes(), str(number)).text
            for encoding in tokenizer.encode_batch(text.split("\n\n"), add_special_tokens=False):
                counts.update(encoding.ids)
    return sorted(token for token, _ in counts.most_common(KEPT_TOKENS))


def calibration(tokenizer: Tokenizer) -> Iterator[Inputs]:
    """Yield pairs from the bundled novels: a sentence of another place as the claim, and a run of
    one to five sentences with the text around it."""
    reader = PairReader(tokenizer, "the base", LAYOUTS["enclosed"])
    draw = np.random.default_rng(0)
    drafts = [
        ingest.parse_draft(
            ingest.BookSource(samples.read(sample), samples.origin(sample), sample.gutenberg_id)
        )
        for sample in samples.bundled()
    ]
    for number in range(CALIBRATION_PAIRS):
        draft = drafts[number % len(drafts)]
        spans = [sentence.span for sentence in draft.sentences]
        first = int(draw.integers(10, len(spans) - 20))
        size = int(draw.integers(1, 6))
        claim = spans[int(draw.integers(0, len(spans)))]
        edges = (
            spans[first - 6].start,
            spans[first].start,
            spans[first + size - 1].end,
            spans[first + size + 5].end,
        )
        before, passage, after = (
            " ".join(draft.text[start:end].split()) for start, end in pairwise(edges)
        )
        words = draft.text[claim.start : claim.end].split()[: int(draw.integers(3, 15))]
        pairs = reader.read(" ".join(words), [(before, passage, after)])
        yield dict(pad_pairs(pairs))
