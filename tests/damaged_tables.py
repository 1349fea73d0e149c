"""Damage to the files of a LanceDB table."""

from __future__ import annotations

from pathlib import Path

import pytest

DAMAGE = pytest.mark.parametrize("how", ["gone", "cut", "overwritten"])


def damage(folder: Path, how: str) -> None:
    """Remove, halve or overwrite every file in a folder."""
    for path in folder.rglob("*"):
        if how == "gone":
            path.unlink()
        elif how == "cut":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        else:
            path.write_bytes(b"\xff" * path.stat().st_size)
