"""The parts of a backup that are included only on request."""

from __future__ import annotations

from enum import StrEnum


class Extra(StrEnum):
    """A part of the library that can be downloaded again: pulled models, Gutenberg's catalogue."""

    MODELS = "models"
    CATALOG = "catalog"
