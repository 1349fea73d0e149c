"""The index, the models and backups as records."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles
    from scholar_indexes.results import BackupSummary
    from scholar_indexes.retrieval.index_service import IndexState


def index_record(state: IndexState) -> dict[str, Any]:
    """Return the state of the index as a record."""
    return {
        "model": state.model,
        "table": state.table.name,
        "books": state.books,
        "sentences": state.table.rows,
        "megabytes": round(state.table.size_bytes / 1e6, 1),
        "not_in_the_index": [book.id for book in state.missing],
        "indexes": [
            f"{column} ({behind:,} sentences not indexed yet)" if behind else column
            for column, behind in state.table.unindexed.items()
            if behind is not None
        ],
        "tables_of_other_models": list(state.other_tables),
        "left_by_interrupted_commands": state.unfinished,
    }


def model_record(model: ModelFiles, in_use: str) -> dict[str, Any]:
    """Return a model on this machine as a record; `in_use` is its current use, or empty."""
    return {
        "name": model.name,
        "origin": model.origin,
        "dimensions": model.dimensions,
        "megabytes": round(model.size_bytes / 1e6, 1),
        "in_use": in_use,
        "licence": model.licence,
        "use": model.use,
        "weights_sha256": model.weights_sha256,
        "folder": str(model.folder),
    }


def backup_record(summary: BackupSummary) -> dict[str, Any]:
    """Return the summary of a backup as a record."""
    return {"schema_version": 1, **asdict(summary)}
