"""Export the large cross-encoder as a model folder: a quantized graph, a tokenizer and a card."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from scholar_cli.laboratory.claims.reranker.export import Pruned, write_cross_encoder
from scholar_cli.laboratory.quantization import Inputs
from scholar_indexes.books import ingest, samples
from scholar_indexes.models.cross_encoder import CLOSING, LAYOUTS, OPENING, PairReader, pad_pairs
from scholar_indexes.models.cross_encoder_module import LargeCrossEncoderModule

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", OPENING, CLOSING)
"""Tokens that no text has."""

CALIBRATION_PAIRS = 100
"""Pairs that the graph is calibrated on."""

POSITIONS = 384
"""Places of tokens whose vectors are kept: no pair is longer."""


SUMMARY = (
    "Reads a claim and a passage of a novel together, with what stands around it, and scores how "
    "far the passage bears the claim out; docs/ranking.md says what it gains."
)
USE = (
    "Yes: Apache-2.0; the claims and grades that it learned from were written for it by a large "
    "language model, about novels in the public domain in the United States. Its base, "
    "all-mpnet-base-v2, was trained by its authors on collections with terms of their own, MS "
    "MARCO's for research among them."
)
LIMITS = (
    "English novels before 1930; claims of a few words; learned from claims and grades that a "
    "language model wrote; does not know who he, she or I is beyond the text around a passage."
)

WEIGHT = 0.75
"""The weight of its scores in the sum with those of the first stage, chosen on dev."""

DEPTH = 24
"""Passages that it is given on a CPU."""


def write(
    module: LargeCrossEncoderModule,
    tokenizer: Tokenizer,
    tokenizer_folder: Path,
    out: Path,
    training: Mapping[str, Any],
) -> dict[str, Any]:
    """Write a model folder; return its card."""
    kept = kept_tokens(tokenizer)
    embeddings = module.encoder.embeddings
    positions = embeddings.position_embeddings.weight.detach()[: POSITIONS + 2].clone()
    embeddings.position_embeddings = torch.nn.Embedding.from_pretrained(positions)
    embeddings.position_ids = embeddings.position_ids[:, :POSITIONS]
    config = {**module.encoder.config.to_dict(), "max_position_embeddings": POSITIONS + 2}
    pruned = Pruned(module, kept, tokenizer.token_to_id("[UNK]") or 0)
    card = {
        "summary": SUMMARY,
        "licence": "Apache-2.0",
        "use": USE,
        "source": "fine-tuned from all-mpnet-base-v2 (Apache-2.0) on written and graded claims; "
        "texts not included",
        "made_by": f"scholar-lab train teacher --base BASE --scores SCORES --texts TEXTS "
        f"--out {out.name}",
        "limits": LIMITS,
        "layout": "enclosed",
        "weight": WEIGHT,
        "depth": DEPTH,
        "reads_marks": False,
        "tokens": len(kept),
        "training": dict(training),
    }
    return write_cross_encoder(
        pruned, tokenizer_folder, config, out, calibration(tokenizer), card, words_file="words.bin"
    )


def kept_tokens(tokenizer: Tokenizer) -> list[int]:
    """Return the ids of the tokens whose word vectors are kept, ascending: all but those without a
    meaning and those of other scripts. A name may be any word, and this model reads names."""
    return sorted(
        number
        for token, number in tokenizer.get_vocab().items()
        if token in MARKS or not (token.startswith("[unused") or _is_foreign(token))
    )


def _is_foreign(token: str) -> bool:
    """Return True for a token with a letter that is not Latin."""
    return any(
        character.isalpha() and not unicodedata.name(character, "").startswith("LATIN")
        for character in token
    )


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
