"""The names of the tables of passages, known without opening any."""

from __future__ import annotations

from pathlib import Path

SCHEMA_VERSION = 1


def table_name(space: str) -> str:
    """The table of a vector space: vectors of two models, or of two schemas, never meet."""
    return f"passages_v{SCHEMA_VERSION}_{space}"


def table_names(folder: Path) -> list[str]:
    """The tables in a LanceDB folder, read without opening LanceDB."""
    return sorted(path.stem for path in folder.glob("*.lance") if path.is_dir())
