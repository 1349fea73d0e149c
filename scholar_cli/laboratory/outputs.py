"""The files that training writes."""

from __future__ import annotations

from pathlib import Path

from scholar_indexes.errors import UsageError


def check_new_file(out: Path) -> None:
    """Raise UsageError if a file exists, or its folder does not."""
    if out.exists() or not out.parent.is_dir():
        problem = "already exists" if out.exists() else "is in a folder that does not exist"
        raise UsageError(f"{out} {problem}; choose a new file")
