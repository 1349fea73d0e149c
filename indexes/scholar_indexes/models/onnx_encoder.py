"""The packaged encoder on a CPU: ONNX Runtime and tokenizers, without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.errors import Damaged
from scholar_indexes.models.encoder import MeanPooled, marks
from scholar_indexes.models.processor import count_cores
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.telemetry import disable_events

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

CPU_BATCH_TOKENS = 512
"""Tokens in one batch, padding included: a layer's output for this many stays in the cache."""

SLOW_FUSIONS = ["SkipLayerNormFusion"]
"""Optimizations that make graphs slower in ONNX Runtime 1.32, where a fused sum and normalization
takes five times as long as the two separately: a sixth of the time of an encoder."""


def open_session(model: ModelFiles) -> tuple[InferenceSession, Tokenizer]:
    """Return the graph of an exported model, which runs in the thread that calls it, and its
    tokenizer, which neither pads nor truncates.

    Raises Damaged if its files cannot be loaded.
    """
    import onnxruntime

    from scholar_indexes.models.tokenizer_file import open_tokenizer

    disable_events(onnxruntime)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(model.onnx),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=SLOW_FUSIONS,
        )
        tokenizer = open_tokenizer(model.folder)
    except Exception as broken:
        raise Damaged(
            f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
            f"run: scholar models verify {model.name}"
        ) from broken
    return session, tokenizer


def load(model: ModelFiles, threads: int) -> MeanPooled:
    """Return the encoder of an exported model, which runs one batch per thread: one batch in
    several threads takes longer. Raises Damaged if its files cannot be loaded."""
    session, tokenizer = open_session(model)

    def run(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = session.run(
            None, {"input_ids": ids, "attention_mask": mask}
        )[0]
        return vectors

    return MeanPooled(
        run,
        lambda texts: [
            encoding.ids
            for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ],
        space=model.space,
        dimensions=model.dimensions,
        marks=marks(tokenizer.token_to_id, model.name),
        max_tokens=model.max_tokens,
        mask=tokenizer.token_to_id("[MASK]") if model.masked else None,
        workers=threads or count_cores(),
        batch_tokens=CPU_BATCH_TOKENS,
    )
