"""Load the models that benchmarks name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scholar_cli.commands import common

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.retrieval.second_stage import Reranker


def model_names(named: Sequence[str] | None) -> Sequence[str]:
    """Return the models to measure: the named ones (default: the model of the settings)."""
    return named or [common.open_library().settings.model]


def one_model(named: Sequence[str] | None) -> str | None:
    """Return the one model to search the library with; None for the model of the settings."""
    if named and len(named) > 1:
        from scholar_indexes.errors import UsageError

        raise UsageError("only one model can search the library; name one, or use --texts")
    return resolve_model(named[0]) if named else None


def load_encoder(device: str | None, threads: int, model: str) -> Encoder:
    """Return the encoder of a model on a device."""
    library = common.open_library(model=resolve_model(model), device=device, threads=threads)
    return library.passages.encoder


def load_reranker(device: str | None, threads: int, model: str | None) -> Reranker | None:
    """Return the named second stage (default: the one in the settings); None if there is none."""
    return common.open_library(rerank=model, device=device, threads=threads).search.rerankers.get()


def resolve_model(model: str) -> str:
    """Return a model's name or folder; "untrained" is the model that training starts from."""
    from scholar_indexes.settings import DEFAULT_PAPERS_MODEL

    return DEFAULT_PAPERS_MODEL if model == "untrained" else model
