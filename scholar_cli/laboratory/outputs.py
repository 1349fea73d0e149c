"""The files that training writes."""

from __future__ import annotations

from pathlib import Path

from scholar_indexes.errors import UsageError


def check_new_file(out: Path) -> None:
    """Raise UsageError for a file that exists, or is in no folder."""
    if out.exists() or not out.parent.is_dir():
        problem = "is there already" if out.exists() else "is in a folder that is not there"
        raise UsageError(f"{out} {problem}; name a new file")
