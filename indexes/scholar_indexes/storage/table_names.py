"""The names of the tables of passages, without opening LanceDB."""

from __future__ import annotations

from pathlib import Path

SCHEMA_VERSION = 1


def table_name(space: str) -> str:
    """Return the name of the table of a vector space; each model and schema has its own."""
    return f"passages_v{SCHEMA_VERSION}_{space}"


def table_names(folder: Path) -> list[str]:
    """Return the names of the tables in a LanceDB folder."""
    return sorted(path.stem for path in folder.glob("*.lance") if path.is_dir())
