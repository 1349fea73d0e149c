"""Any cross-encoder of sentence-transformers as the second stage of search, in torch.

Imported only when asked for; the extra [gpu] installs what it needs. Such a model reads the claim
and the passage as they are written, and its scores have a scale of their own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import ConfigError
from scholar_indexes.models import torch_encoder
from scholar_indexes.models.registry import ModelFiles

DEPTH, DEPTH_ON_CARD = 32, 300
"""Passages that are scored: on a CPU, and on a graphics card."""

BATCH = 32

SPREAD = 1.0
"""The standard deviation, in logits, that the scores of a claim's passages are given beside those
of the first stage, whose own is about a third of that among so many."""


class TorchCrossEncoder:
    """Scores passages for a claim, on the scale of the first stage."""

    reads_marks = False

    def __init__(self, model: Any, depth: int) -> None:
        self._model = model
        self.depth = depth

    def score(self, claim: str, passages: Sequence[tuple[str, str, str]]) -> Floats1d:
        """Return the score of each passage (n,): standardized, since models differ in scale."""
        pairs = [(claim, text) for _, text, _ in passages]
        scores = self._model.predict(
            pairs, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True
        )
        raw = np.asarray(scores, np.float32).reshape(len(passages))
        standardized: Floats1d = SPREAD * (raw - raw.mean()) / max(float(raw.std()), 1e-6)
        return standardized


def load(model: ModelFiles, device: str, threads: int = 0) -> TorchCrossEncoder:
    """Return the cross-encoder of a model on a device, in bf16 on a graphics card.

    Raises ConfigError without torch or the device, or for a model that gives several scores, and
    Damaged when its files cannot be loaded.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigError(f"{model.name} needs torch; run: pip install 'scholar-cli[gpu]'")
    import sentence_transformers
    import torch
    import transformers

    device = torch_encoder.chosen(device)
    is_card = device != "cpu"
    if threads:
        torch.set_num_threads(threads)
    transformers.utils.logging.disable_progress_bar()
    try:
        loaded = sentence_transformers.CrossEncoder(
            str(model.folder),
            device=device,
            max_length=model.max_tokens,
            local_files_only=True,
            trust_remote_code=False,
            activation_fn=torch.nn.Identity(),
            model_kwargs={
                "use_safetensors": True,
                "dtype": torch.bfloat16 if is_card else torch.float32,
            },
        )
    except Exception as broken:
        raise torch_encoder.damaged(model, broken) from broken
    if loaded.num_labels != 1:
        raise ConfigError(
            f"{model.name} gives {loaded.num_labels} scores for a pair; choose a cross-encoder "
            "that gives one"
        )
    return TorchCrossEncoder(loaded, DEPTH_ON_CARD if is_card else DEPTH)
