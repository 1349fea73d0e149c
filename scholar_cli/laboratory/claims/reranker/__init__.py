"""Train the second stage of `find`: a small model that reads a claim and a passage together.

a model to start from -> the scores of a larger reader -> 7-bit ONNX
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from scholar_cli.laboratory.claims.reranker import distillation, reranker_export, scored
from scholar_indexes.errors import UsageError
from scholar_indexes.models import registry, torch_cross_encoder, torch_encoder
from scholar_indexes.models.cross_encoder import PairReader
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule
from scholar_indexes.models.encoder import marks
from scholar_indexes.models.registry import RERANKING, ModelFiles
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.settings import DEFAULT_MODEL
from scholar_indexes.types import Progress, silent


def run(
    base: ModelFiles,
    scores: Path,
    texts: Path,
    out: Path,
    *,
    steps: int | None = None,
    seed: int = 0,
    threads: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train on the scores of a larger reader, and write a model folder; return its card.

    `base` is an encoder or a packaged second stage; `scores` is a file of scores (see scored), and
    `texts`/primary has the works. `steps` are steps on the scores.

    Raises UsageError for an `out` with a finished model or another run, and the errors of
    scored.read.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; choose a new --out")
    torch.manual_seed(seed)
    if threads:
        torch.set_num_threads(threads)
    tokenizer = open_tokenizer(base.folder)
    module = _module(base, marks(tokenizer.token_to_id, base.name))
    reader = PairReader(tokenizer, base.name)
    lists = scored.read(scores, texts, progress)
    settings = distillation.DistillationSettings(seed=seed)
    if steps is not None:
        settings = replace(settings, steps=steps)
    scores_sha256 = sha256(scores.read_bytes()).hexdigest()
    identity = {"scores_sha256": scores_sha256, "base": base.card()["space"]}
    checkpoint = out / "checkpoint"
    trained = distillation.DistillationRun(
        module, reader, lists, checkpoint, settings, identity, say, progress
    )
    trained.train()
    card = {**trained.card(), "works": lists.works, "claims": len(lists.scored)}
    works = {id(scored.work): scored.work.text for scored in lists.scored}
    claims = (scored.claim for scored in lists.scored)
    return reranker_export.write_model(module, tokenizer, base, out, card, works.values(), claims)


def complete_words() -> torch.Tensor:
    """Return the word vectors of the packaged encoder: a packaged second stage has the same ones,
    frozen in training, but for only some tokens."""
    encoder = torch_encoder.unpack(registry.find(DEFAULT_MODEL, registry.PACKAGED))
    words: torch.Tensor = encoder.embeddings.word_embeddings.weight.detach()
    return words


def _module(base: ModelFiles, ends: tuple[int, int]) -> CrossEncoderModule:
    """Return the module to train, which starts from an encoder or from a second stage."""
    if base.card().get("task") == RERANKING:
        module: CrossEncoderModule = torch_cross_encoder.unpack(base, ends)
        module.encoder.embeddings.word_embeddings.weight.data.copy_(complete_words())
    else:
        module = CrossEncoderModule(torch_encoder.unpack(base), *ends)
    # On a CPU, dropout takes as long as the rest of a forward pass, and the gradient of fused
    # attention twice as long as with plain attention.
    module.encoder.set_attn_implementation("eager")
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    module.is_exact = not torch_encoder.computes_bfloat16()
    return module
