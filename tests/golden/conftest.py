"""The fixtures of tests against stored answers."""

from __future__ import annotations

from golden_answers import figure, golden

__all__ = ["figure", "golden"]
