"""Make the large cross-encoder that reads a claim and a passage together.

    all-mpnet-base-v2 -> written claims -> graded claims -> int8 ONNX

`scholar find --rerank thorough` ranks by it, and the small models learn from its scores.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from scholar_cli.laboratory.claims.reranker import scored
from scholar_cli.laboratory.claims.teacher import teacher_export, teacher_training, weights
from scholar_indexes.errors import UsageError
from scholar_indexes.models import registry, torch_encoder
from scholar_indexes.models.cross_encoder import LAYOUTS, PairReader
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.settings import DEFAULT_MODEL
from scholar_indexes.types import Progress, silent


def run(
    base: Path,
    scores: Path,
    texts: Path,
    out: Path,
    *,
    device: str,
    seed: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Train both stages, and write a model folder; return its card.

    `base` is a folder of all-mpnet-base-v2, or a file of weights that were taught elsewhere, which
    are exported as they are; `scores` is a file of scores, whose windows are what claims are read
    with; `texts` holds primary/<number>.txt.

    Raises UsageError for an out that holds a finished model or another run, and for a base of
    another form.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} holds a finished model; give a new --out")
    packaged = registry.find(DEFAULT_MODEL, registry.PACKAGED)
    tokenizer = open_tokenizer(packaged.folder)
    marks = {mark: tokenizer.token_to_id(mark) or 0 for mark in weights.MARKS}
    if base.is_file():
        module = weights.read(base, marks)
        card: dict[str, Any] = {"weights_of": sha256(base.read_bytes()).hexdigest()}
    else:
        device = torch_encoder.chosen(device)
        module = weights.read_base(base, marks).to(device)
        module.is_exact = device == "cpu" and not torch_encoder.computes_bfloat16()
        layout = LAYOUTS["enclosed"]
        reader = PairReader(tokenizer, packaged.name, layout)
        lists = scored.read(scores, texts, progress, context=layout.context_sentences)
        identity = {"scores_sha256": sha256(scores.read_bytes()).hexdigest()}
        card = {}
        for name, kind, settings in (
            ("written", teacher_training.WrittenRun, teacher_training.WrittenSettings(seed=seed)),
            (
                "graded",
                teacher_training.GradedTeacherRun,
                teacher_training.GradedTeacherSettings(seed=seed),
            ),
        ):
            folder = out / "checkpoint" / name
            stage = kind(module, reader, lists, folder, settings, identity, say, progress)
            stage.train()
            card[name] = stage.card()
    return teacher_export.write(module.cpu(), tokenizer, packaged.folder, out, card)
