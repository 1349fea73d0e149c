"""Load a model in the engine that runs it: ONNX Runtime where it can, torch where it must."""

from __future__ import annotations

from scholar_indexes.models.encoder import Encoder
from scholar_indexes.models.registry import PASSAGES, ModelFiles, expect


def load(model: ModelFiles, device: str = "auto", threads: int = 0) -> Encoder:
    """Return the encoder of a model's files, on a device of settings.DEVICES.

    Raises ConfigError when the device or the engine is not there or the model encodes no
    passages, Damaged when the files cannot be loaded.
    """
    expect(model, PASSAGES)
    if model.onnx is not None and device in ("auto", "cpu"):
        from scholar_indexes.models import onnx_encoder

        return onnx_encoder.load(model, threads)
    from scholar_indexes.models import torch_encoder

    return torch_encoder.load(model, device, threads)
