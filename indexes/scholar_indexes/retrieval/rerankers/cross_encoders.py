"""Cross-encoders as re-rankers: the packaged ones, the large one of scholar-thorough, and models
of users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scholar_indexes.errors import ConfigError
from scholar_indexes.retrieval.rerankers.resources import Resources
from scholar_indexes.retrieval.second_stage import Reranker

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

THOROUGH_MODEL = "thorough-mpnet"
"""The model that `thorough` names."""


def load(resources: Resources, name: str) -> Reranker:
    """Return the cross-encoder of a name or folder; raises NotThere for a model that is not on this
    machine, ConfigError for one with another purpose, and Damaged."""
    from scholar_indexes.models import registry

    return load_files(resources, registry.find(name, resources.paths.models))


def load_thorough(resources: Resources) -> Reranker:
    """Return the large model; raises ConfigError if it is not installed, and Damaged."""
    model = find_thorough(resources)
    if model is None:
        raise ConfigError(
            "thorough is in a separate package; run in a checkout of scholar: "
            "pip install ./indexes/scholar_thorough"
        )
    return load_files(resources, model)


def find_thorough(resources: Resources) -> ModelFiles | None:
    """Return the files of the large model; None if it is not installed."""
    from scholar_indexes.models import registry

    models = registry.installed(resources.paths.models)
    return next((model for model in models if model.name == THOROUGH_MODEL), None)


def load_files(resources: Resources, model: ModelFiles) -> Reranker:
    """Return the cross-encoder of a model's files; raises ConfigError and Damaged."""
    from scholar_indexes.models import engines

    settings = resources.settings
    return engines.load_reranker(model, settings.device, settings.threads)
