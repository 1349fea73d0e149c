"""The models for papers, each loaded on first use: the encoder, the labeller of sentences and the
map of methods."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.settings import DEFAULT_FACET_MODEL, OWN_FACET_MODEL, Settings
from scholar_indexes.types import Progress

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.models.registry import ModelFiles
    from scholar_indexes.net.client import Announce
    from scholar_indexes.papers.encoding import EncodedPaper, PaperDraft
    from scholar_indexes.papers.facets import FacetModel
    from scholar_indexes.papers.method_map import MethodMap


class PaperModels:
    """The models named in the settings, from `folder` or packaged with the program."""

    def __init__(self, settings: Settings, folder: Path, announce: Announce) -> None:
        self._settings = settings
        self._folder = folder
        self._announce = announce

    @cached_property
    def files(self) -> ModelFiles:
        """The files of the encoder, with its name, vector space and dimensions."""
        from scholar_indexes.models import registry

        return registry.find(self._settings.papers_model, self._folder)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of titles and sentences."""
        from scholar_indexes.models import engines

        return engines.load(self.files, self._settings.device, self._settings.threads)

    @property
    def facets_name(self) -> str:
        """The name of the model that labels sentences: the one in the settings, or the
        replacement for the default one in a build without it."""
        from scholar_indexes.models import registry

        name = self._settings.facet_model
        is_missing = name == DEFAULT_FACET_MODEL and registry.is_left_out(name, self._folder)
        return OWN_FACET_MODEL if is_missing else name

    @cached_property
    def facets(self) -> FacetModel:
        """The model that labels sentences, in the vector space of the encoder."""
        from scholar_indexes.models import registry
        from scholar_indexes.papers import facets

        name = self.facets_name
        if name != self._settings.facet_model:
            self._announce(
                f"this build comes without {self._settings.facet_model}: "
                f"{name} labels sentences, and is wrong more often"
            )
        return facets.load(registry.find(name, self._folder), self.files.space)

    @cached_property
    def method_map(self) -> MethodMap | None:
        """The map that compares methods, None if there is none for the encoder."""
        from scholar_indexes.papers import method_map

        return method_map.load_packaged(self.files.space)

    def encode(self, drafts: Sequence[PaperDraft], progress: Progress) -> list[EncodedPaper]:
        """Return papers as vectors of the encoder, with the facets of their sentences."""
        from scholar_indexes.papers.encoding import encode_papers

        return encode_papers(drafts, self.encoder, self.facets, progress)
