"""The parts of a backup that are there only when they are asked for."""

from __future__ import annotations

from enum import StrEnum


class Extra(StrEnum):
    """Something of the library that can be had again: pulled models, Gutenberg's catalogue."""

    MODELS = "models"
    CATALOG = "catalog"
