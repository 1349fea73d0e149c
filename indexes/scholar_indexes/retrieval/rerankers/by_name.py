"""The re-rankers by name; each is loaded once.

A new one is a module with a function that loads it, and a row of NAMED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from scholar_indexes.retrieval.rerankers import automatic, cross_encoders, listwise
from scholar_indexes.retrieval.rerankers.resources import Resources
from scholar_indexes.retrieval.second_stage import Reranker
from scholar_indexes.settings import AUTO, LANGUAGE_MODEL, NO_RERANKER, THOROUGH


class NamedReranker(NamedTuple):
    """A re-ranker that is not named after a model: the function that loads it, and the one that
    returns the name of its model without loading it (None: it has no model of its own)."""

    load: Callable[[Resources], Reranker | None]
    model_name: Callable[[Resources], str] | None = None


NAMED: Mapping[str, NamedReranker] = {
    NO_RERANKER: NamedReranker(lambda resources: None),
    AUTO: NamedReranker(automatic.load, automatic.model_name),
    THOROUGH: NamedReranker(
        cross_encoders.load_thorough, lambda resources: cross_encoders.THOROUGH_MODEL
    ),
    LANGUAGE_MODEL: NamedReranker(listwise.load),
}
"""Any other name is the name of a cross-encoder."""


class Rerankers:
    """The re-rankers of a library."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._loaded: dict[str, Reranker | None] = {}

    def get(self, name: str | None = None) -> Reranker | None:
        """Return the re-ranker of a name (default: from the settings); None for "none".

        Raises NotThere for a model that is not on this machine, ConfigError for a model with
        another purpose and for one that is not installed, and Damaged.
        """
        name = name or self._resources.settings.rerank
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def model_name(self) -> str:
        """Return the name of the model that ranks by the settings, as far as it is known without
        loading one."""
        name = self._resources.settings.rerank
        named = NAMED.get(name)
        return named.model_name(self._resources) if named and named.model_name else name

    def _load(self, name: str) -> Reranker | None:
        if named := NAMED.get(name):
            return named.load(self._resources)
        return cross_encoders.load(self._resources, name)
