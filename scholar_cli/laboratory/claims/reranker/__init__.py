"""Train the second stage of find: a cross-encoder that reads a claim and a passage together.

graded claims about books of the library -> lists of pairs -> training -> int8 ONNX
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from scholar_cli.laboratory.claims.reranker import distillation, export, graded_reranking, scored
from scholar_cli.laboratory.claims.reranker.lists import collect
from scholar_indexes.errors import UsageError
from scholar_indexes.library import Library
from scholar_indexes.models import registry, torch_encoder
from scholar_indexes.models.cross_encoder import PairReader
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule
from scholar_indexes.models.encoder import marks
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.types import Progress, silent


def run(
    library: Library,
    out: Path,
    *,
    epochs: int,
    seed: int,
    scores: Path | None = None,
    texts: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on the graded claims about the books of a library, and write a model folder.

    The encoder of the library's settings is what training starts from. With a file of a teacher's
    scores, for works in `texts`, the model learns from these first. Returns the card. Raises
    UsageError for an out that holds a finished model, and what scored.read and RerankerRun raise.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    files = registry.find(library.settings.model, library.places.models)
    tokenizer = open_tokenizer(files.folder)
    torch.manual_seed(seed)
    # On a CPU dropout takes as long as the rest of a forward pass, and the gradient of fused
    # attention twice as long as that of the plain one.
    encoder = torch_encoder.unpack(
        files,
        attn_implementation="eager",
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0,
    )
    first, last = marks(tokenizer.token_to_id, files.name)
    reader = PairReader(tokenizer, files.name)
    module = CrossEncoderModule(encoder, first, last)
    module.is_exact = not torch_encoder.computes_bfloat16()
    taught: dict[str, Any] = {}
    if scores and texts:
        scores_run = distillation.DistillationRun(
            module,
            reader,
            scored.read(scores, texts, progress),
            out / "checkpoint" / "scores",
            distillation.DistillationSettings(seed=seed),
            sha256(scores.read_bytes()).hexdigest(),
            say,
            progress,
        )
        scores_run.train()
        taught = {"scores": scores_run.card()}
    lists = list(collect(library, reader, progress))
    settings = graded_reranking.RerankerSettings(epochs=epochs, seed=seed)
    training_run = graded_reranking.RerankerRun(
        module, lists, out / "checkpoint" / "grades", settings, say, progress
    )
    training_run.train()
    return export.write_model(
        training_run.model,
        files.folder,
        lists,
        out,
        {**training_run.card(), **taught},
        base=files.name,
        unknown=tokenizer.token_to_id("[UNK]") or 0,
    )
