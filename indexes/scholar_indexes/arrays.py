"""Types of numpy arrays, named after their contents and number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Floats1d = NDArray[np.float32]
Floats2d = NDArray[np.float32]
Floats3d = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints1d = NDArray[np.int64]

AnyInts = NDArray[np.integer[Any]]
"""Integers of any size."""

AnyFloats = NDArray[np.floating[Any]]
"""Floats of any precision."""

AnyArray = NDArray[Any]
