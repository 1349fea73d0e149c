"""Fine-tune the encoder on short claims.

    a teacher's scores of windows -> soft lists ->
    graded passages and quotations -> graded lists -> 7-bit ONNX

Either step may be skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import transformers
from transformers import AutoModel

from scholar_cli.laboratory import encoder_export
from scholar_cli.laboratory.claims import graded, graded_lists
from scholar_cli.laboratory.claims.graded_lists import GradedWork
from scholar_cli.laboratory.claims.graded_training import (
    GradedRetrieverRun,
    GradedRetrieverSettings,
)
from scholar_cli.laboratory.claims.reranker import scored
from scholar_cli.laboratory.claims.soft_training import SentenceEncoder, SoftRun, SoftSettings
from scholar_cli.laboratory.relic import relic_data
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.library import Library
from scholar_indexes.models import registry, torch_encoder
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.types import Progress, silent

SUMMARY = (
    "Finds the passages of a work that a claim or a piece of criticism is about; 22M parameters, "
    "384 dimensions, English"
)
LIMITS = (
    "English fiction, verse and drama before 1930; reads 256 tokens at once; does not know who he, "
    "she or I is; matches claims about technique by topic"
)

Say = Callable[[str], None]


def train(
    library: Library,
    out: Path,
    *,
    scores: Path | None = None,
    texts: Path | None = None,
    data: Path | None = None,
    soft: SoftSettings | None = None,
    settings: GradedRetrieverSettings | None = None,
    threads: int = 0,
    say: Say = lambda line: None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fine-tune the encoder of a library's settings, and write a packaged model; return its card.

    Training uses a file of scores, of works in `texts`; then, with `data`, a folder with train.json
    and val.json as for `scholar-lab train retriever`, the graded claims about the books of the
    library. Raises UsageError if out contains a finished model or another run, or if there is no
    training data, and NoMatch for texts or a library without works of both parts.
    """
    if (out / "card.json").exists():
        raise UsageError(f"{out} contains a finished model; choose a new --out")
    if data is None and (scores is None or texts is None):
        raise UsageError("there is no training data; give --scores with --texts, or --data")
    if threads:
        torch.set_num_threads(threads)
    files = registry.find(library.settings.model, library.places.models)
    works = _graded_works(library, progress) if data else []
    base = _base_folder(files, out)
    checkpoints = out / "checkpoint"
    taught: dict[str, Any] = {}
    if scores and texts:
        soft_run = _soft_run(base, scores, texts, checkpoints, soft, files.space, say, progress)
        soft_run.train()
        base = _write_folder(soft_run.model.encoder, base, checkpoints / "taught")
        taught = {"scores": soft_run.card()}
    if data:
        graded_run = _graded_run(
            works, base, data, checkpoints, settings, files.space, say, progress
        )
        graded_run.train()
        graded_run.finish()
        encoder, taught = graded_run.towers.passages.eval(), {**graded_run.card(), **taught}
    else:
        encoder = soft_run.model.encoder.eval()
    given = " ".join(
        f"--{name} {name.upper()}"
        for name, value in (("scores", scores), ("texts", texts), ("data", data))
        if value
    )
    card = encoder_export.write_packaged(
        encoder,
        base,
        out,
        {
            "name": out.resolve().name,
            "summary": SUMMARY,
            "source": f"trained from {files.name}",
            "licence": "Apache-2.0",
            "made_by": f"scholar-lab train claims {given} --out {out.name}",
            "limits": LIMITS,
            "max_tokens": files.max_tokens,
            "masked": True,
            "weights_sha256": _sha256(encoder),
            "training": taught,
        },
    )
    shutil.rmtree(checkpoints, ignore_errors=True)
    return card


def _soft_run(
    base: Path,
    scores: Path,
    texts: Path,
    checkpoints: Path,
    settings: SoftSettings | None,
    base_name: str,
    say: Say,
    progress: Progress,
) -> SoftRun:
    transformers.utils.logging.set_verbosity_error()  # hides warnings about unused weights
    tokenizer = open_tokenizer(base)
    # On a CPU, dropout takes as long as the rest of a forward pass, and the gradient of fused
    # attention twice as long as with plain attention.
    encoder = AutoModel.from_pretrained(
        base,
        use_safetensors=True,
        local_files_only=True,
        add_pooling_layer=False,
        attn_implementation="eager",
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0,
    )
    return SoftRun(
        SentenceEncoder(encoder, tokenizer),
        scored.read(scores, texts, progress),
        checkpoints / "scores",
        settings or SoftSettings(),
        {"base": base_name, "scores_sha256": sha256(scores.read_bytes()).hexdigest()},
        say,
        progress,
    )


def _graded_works(library: Library, progress: Progress) -> list[GradedWork]:
    works = list(graded_lists.collect(library, progress))
    if {work.part for work in works} != set(graded.PARTS):
        raise NoMatch(
            "the library lacks works of the graded claims with known people; add works of both "
            "parts, and run: scholar index people"
        )
    return works


def _graded_run(
    works: Sequence[GradedWork],
    base: Path,
    data: Path,
    checkpoints: Path,
    settings: GradedRetrieverSettings | None,
    base_name: str,
    say: Say,
    progress: Progress,
) -> GradedRetrieverRun:
    return GradedRetrieverRun(
        base,
        works,
        relic_data.read(data, "train"),
        [work for work in relic_data.read(data, "val") if work.windows],
        checkpoints / "grades",
        settings or GradedRetrieverSettings(),
        base_name,
        say,
        progress,
    )


def _base_folder(files: ModelFiles, out: Path) -> Path:
    """Return a folder with an encoder's weights in float32; a packaged encoder is unpacked."""
    if files.onnx is None:
        return files.folder
    transformers.utils.logging.disable_progress_bar()
    folder = out / "checkpoint" / "base"
    if (folder / "tokenizer.json").exists():
        return folder
    return _write_folder(torch_encoder.unpack(files), files.folder, folder)


def _write_folder(encoder: torch.nn.Module, tokenizer_folder: Path, folder: Path) -> Path:
    """Write an encoder in float32 with the tokenizer of another folder; return its folder."""
    encoder.save_pretrained(folder, safe_serialization=True)
    shutil.copyfile(tokenizer_folder / "tokenizer.json", folder / "tokenizer.json")
    return folder


def _sha256(encoder: torch.nn.Module) -> str:
    return sha256(safetensors.torch.save(encoder.state_dict())).hexdigest()
