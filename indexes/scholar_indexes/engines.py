"""Which engine runs a model: ONNX Runtime where it can, torch where it must."""

from __future__ import annotations

import os

from scholar_indexes.encoder import Encoder
from scholar_indexes.models import PASSAGES, ModelFiles, expect


def load(model: ModelFiles, device: str = "auto", threads: int = 0) -> Encoder:
    """The encoder of a model's files, on a device of settings.DEVICES.

    Raises ConfigError when the device or the engine is not there or the model encodes no
    passages, Damaged when the files cannot be loaded.
    """
    expect(model, PASSAGES)
    if model.onnx is not None and device in ("auto", "cpu"):
        from scholar_indexes import onnx_encoder

        return onnx_encoder.load(model, threads)
    from scholar_indexes import torch_encoder

    return torch_encoder.load(model, device, threads)


def cores() -> int:
    """The cores this process may use; not every system can say."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
