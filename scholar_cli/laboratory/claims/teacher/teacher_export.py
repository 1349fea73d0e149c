"""Export the large cross-encoder as a model folder: a quantized graph, a tokenizer and a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from scholar_cli.laboratory.claims.reranker.reranker_export import (
    Pruned,
    calibration,
    kept_tokens,
    write_cross_encoder,
)
from scholar_indexes.guarded import read_json
from scholar_indexes.models.cross_encoder import LAYOUTS
from scholar_indexes.models.cross_encoder_module import LargeCrossEncoderModule

if TYPE_CHECKING:
    from tokenizers import Tokenizer

POSITIONS = 384
"""Token positions whose vectors are kept: no pair is longer."""


SUMMARY = (
    "Reads a claim and a passage of a novel together, with the text around it, and scores how far "
    "the passage supports the claim (docs/ranking.md)."
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
"""The weight of its scores relative to the first stage's, chosen on dev."""

DEPTH = 24
"""The number of passages that it reads on a CPU."""


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
        "tokens": len(kept),
        "training": dict(training),
    }
    return write_cross_encoder(
        pruned,
        read_json(tokenizer_folder / "tokenizer.json"),
        config,
        out,
        calibration(tokenizer, LAYOUTS["enclosed"]),
        card,
        words_file="words.bin",
    )
