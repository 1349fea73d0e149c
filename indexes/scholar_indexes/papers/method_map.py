"""Map the vectors of sentences so that sentences on one method are similar whatever their topic.

The map is linear and belongs to the encoder whose vectors it was estimated on (`scholar-lab train
method-map`); the vectors of other encoders are not mapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import Damaged

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

TASK = "method map"
"""The task in the card of a map."""

PACKAGED_MAP = "method-map"
"""The name of the map that comes with scholar."""

WEIGHTS_FILE = "model.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class MethodMap:
    """The mean (d,) that is subtracted from vectors, and the matrix (d, d) that multiplies them."""

    mean: Floats1d
    matrix: Floats2d

    def apply(self, vectors: Floats2d) -> Floats2d:
        """Return vectors (n, d) mapped and of unit length."""
        mapped = (vectors.astype(np.float32, copy=False) - self.mean) @ self.matrix
        lengths = np.linalg.norm(mapped, axis=-1, keepdims=True)
        unit: Floats2d = mapped / np.maximum(lengths, 1e-9)
        return unit


def load_packaged(space: str) -> MethodMap | None:
    """Return the packaged map if it is for the vectors of a space, else None; raises as load."""
    from scholar_indexes.models import registry

    return load(registry.find(PACKAGED_MAP, registry.PACKAGED), space)


def load(files: ModelFiles, space: str) -> MethodMap | None:
    """Return the map in a folder, or None if it is for the vectors of another space.

    Raises ConfigError for a model of another task, Damaged if its files cannot be loaded.
    """
    from safetensors.numpy import load_file

    from scholar_indexes.models.registry import expect

    expect(files, TASK)
    try:
        card = files.card()
        if card["reads"] != space:
            return None
        tensors = load_file(files.folder / WEIGHTS_FILE)
        mean, matrix = (tensors[name].astype(np.float32) for name in ("mean", "map"))
        if matrix.shape != (len(mean), len(mean)) or not np.isfinite(matrix).all():
            raise ValueError("the map has the wrong shape or is not finite")
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        raise Damaged(
            f"the model {files.name} cannot be loaded ({reason}); "
            f"run: scholar models verify {files.name}"
        ) from error
    return MethodMap(mean, matrix)
