"""The names of the tables of passages, found without opening LanceDB."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

SCHEMA_VERSION = 1

GENERATION = "."
"""The separator before the number in the name of a table that was built to replace another."""


def table_name(space: str) -> str:
    """Return the name of the table of a vector space; each model and schema has its own."""
    return f"passages_v{SCHEMA_VERSION}_{space}"


def table_names(folder: Path) -> list[str]:
    """Return the names of the tables in a LanceDB folder."""
    return sorted(path.stem for path in folder.glob("*.lance") if path.is_dir())


def generations(tables: Iterable[str], name: str) -> list[str]:
    """Return the tables that have this name, or were built to replace it."""
    stem = f"{name}{GENERATION}"
    return [
        table
        for table in tables
        if table == name or (table.startswith(stem) and table.removeprefix(stem).isdigit())
    ]


def next_generation(tables: Iterable[str], name: str) -> str:
    """Return an unused name for a table that will replace `name`."""
    stem = f"{name}{GENERATION}"
    replacements = [table for table in generations(tables, name) if table != name]
    last = max((int(table.removeprefix(stem)) for table in replacements), default=1)
    return f"{stem}{last + 1}"
