"""Quantize unit vectors to int8, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats

Bytes = NDArray[np.int8]

SCALE = 127
"""The integer that represents 1."""


def quantize(vectors: Floats) -> Bytes:
    """Return unit vectors in steps of 1/SCALE."""
    return np.round(vectors * np.float32(SCALE)).astype(np.int8)


def dequantize(vectors: Bytes) -> Floats:
    """Return the vectors that were quantized, accurate to half a step."""
    return vectors.astype(np.float32) / np.float32(SCALE)


def unit_rows(vectors: NDArray[np.floating[Any]]) -> Floats:
    """Return the rows (n, d) divided by their lengths."""
    lengths = np.linalg.norm(vectors, axis=1)
    units: Floats = (vectors / np.maximum(lengths, 1e-9)[:, None]).astype(np.float32)
    return units
