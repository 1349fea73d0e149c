"""Load a model in the engine that runs it: ONNX Runtime if possible, torch otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import PASSAGES, RERANKING, ModelFiles, expect

if TYPE_CHECKING:
    from scholar_indexes.models.cross_encoder import CrossEncoder
    from scholar_indexes.models.torch_cross_encoder import TorchCrossEncoder


def load(model: ModelFiles, device: str = "auto", threads: int = 0) -> Encoder:
    """Return the encoder of a model's files, on a device of settings.DEVICES.

    Raises ConfigError if the device or the engine is missing or the model does not encode
    passages, Damaged if the files cannot be loaded.
    """
    expect(model, PASSAGES)
    if model.onnx is not None and device in ("auto", "cpu"):
        from scholar_indexes.models import onnx_encoder

        return onnx_encoder.load(model, threads)
    from scholar_indexes.models import torch_encoder

    return torch_encoder.load(model, device, threads)


def load_reranker(
    model: ModelFiles, device: str = "auto", threads: int = 0
) -> CrossEncoder | TorchCrossEncoder:
    """Return the cross-encoder of a model's files; raises what `load` raises."""
    expect(model, RERANKING)
    if model.onnx is not None and device in ("auto", "cpu"):
        from scholar_indexes.models import cross_encoder

        return cross_encoder.load(model, threads)
    from scholar_indexes.models import torch_cross_encoder

    if model.onnx is not None:
        return torch_cross_encoder.load_packaged(model, device, threads)
    return torch_cross_encoder.load(model, device, threads)
