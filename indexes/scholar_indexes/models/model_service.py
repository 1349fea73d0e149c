"""The models on this machine: listing, downloading, verifying and removing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.settings import Settings
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles


class ModelService:
    """The packaged models and the models that a user pulled."""

    def __init__(self, paths: Paths, settings: Settings, announce: Callable[[str], None]) -> None:
        self._paths = paths
        self._settings = settings
        self._announce = announce

    def installed(self) -> list[ModelFiles]:
        """Return the models on this machine."""
        from scholar_indexes.models import registry

        return registry.installed(self._paths.models)

    def pull(self, name: str, revision: str = "main", progress: Progress = silent) -> ModelFiles:
        """Download a model, pinned to one commit and verified."""
        from scholar_indexes.models import pulling
        from scholar_indexes.net.client import Fetcher

        with explain_write_errors(self._paths.cache):
            return pulling.pull(
                name,
                self._paths.models,
                Fetcher.for_user(self._paths, self._settings),
                self._settings.hub,
                revision=revision,
                announce=self._announce,
                progress=progress,
            )

    def card(self, name: str) -> Mapping[str, Any]:
        """Return the card of a model; raises NotThere, and UsageError for a folder without one."""
        from scholar_indexes.models import registry

        return registry.card_of(registry.find(name, self._paths.models))

    def verify(self, names: Sequence[str] = ()) -> Sequence[ModelFiles]:
        """Compare models with their hashes, all of them by default; raises Damaged."""
        from scholar_indexes.models import registry

        models = [registry.find(name, self._paths.models) for name in names] or self.installed()
        for model in models:
            registry.verify(model)
        return models

    def remove(self, name: str) -> ModelFiles:
        """Delete a model that was pulled."""
        from scholar_indexes.models import registry

        return registry.remove(name, self._paths.models)
