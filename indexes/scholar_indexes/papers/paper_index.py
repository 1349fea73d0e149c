"""The index of papers: the vectors of the catalogue's papers in a table of the current model.

A paper is pending from the change of its text until its vectors are stored. Everything that writes
needs the lock of papers, which PaperLibrary holds.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from scholar_indexes.errors import NotIndexed, NotThere
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import StoredPaper
from scholar_indexes.papers.models import PaperModels
from scholar_indexes.types import QUERY_FACETS, Facet, Progress

if TYPE_CHECKING:
    from scholar_indexes.net.client import Announce
    from scholar_indexes.papers.encoding import EncodedPaper, PaperDraft
    from scholar_indexes.papers.match import PaperVectors
    from scholar_indexes.papers.table import PaperMetadata, PaperTable

REBUILD = "papers are missing from the index; run: scholar papers rebuild"
NO_PAPERS = "there are no papers yet; add some: scholar papers add FILE"

NOTHING_AHEAD: Mapping[PaperDraft, EncodedPaper] = MappingProxyType({})


class PaperIndex:
    """The tables of vectors in a folder, and the papers of a catalogue that they lack."""

    def __init__(
        self, folder: Path, catalog: PaperCatalog, models: PaperModels, announce: Announce
    ) -> None:
        self._folder = folder
        self._catalog = catalog
        self._models = models
        self._announce = announce

    @cached_property
    def table(self) -> PaperTable:
        """The table of the current model."""
        from scholar_indexes.papers.table import PaperTable

        return PaperTable(self._folder, self._models.files.space, self._models.files.dimensions)

    def vectors(self, stored: StoredPaper) -> PaperVectors:
        """Return the vectors of a paper; raises NotIndexed if it is pending."""
        rows = self.table.rows([stored.number])
        if not len(rows) or int(rows.revisions[0]) < stored.text_revision:
            raise NotIndexed(REBUILD)
        return rows.documents[0]

    def check_readable(self) -> None:
        """Raise NotThere if there are no papers, NotIndexed if none has vectors of the model;
        announce how many do not have them."""
        if self._catalog.is_empty():
            raise NotThere(NO_PAPERS)
        pending = self._catalog.count_pending(self.table.name)
        if pending and pending == self._catalog.count():
            raise NotIndexed(
                f"papers are not yet in the index of {self._models.files.name} (another model "
                "wrote it, or adding was interrupted); run: scholar papers rebuild"
            )
        if pending:
            self._announce(
                f"{pending} papers have changed and are not in the index yet (another scholar "
                "process is changing them, or was interrupted: scholar papers rebuild)"
            )

    def check(self, count: int) -> None:
        """Read all files and run one query of each kind on the index of this many papers; raises
        NotIndexed or Damaged if something is wrong."""
        import numpy as np

        self.table.check_files()
        self.check_readable()
        dimensions = self._models.files.dimensions
        vector = np.full(dimensions, dimensions**-0.5, np.float32)
        views = dict.fromkeys(QUERY_FACETS, vector)
        answers = self.table.candidates(vector, views, "a method of results")
        if (
            self.table.state().rows < count
            or not len(answers)
            or self._catalog.count_pending(self.table.name)
        ):
            raise NotIndexed(REBUILD)

    def encode_ahead(
        self, papers: Sequence[StoredPaper], progress: Progress
    ) -> dict[PaperDraft, EncodedPaper]:
        """Return the vectors of papers, which may change before they are stored, by their texts."""
        return self._encode(list(map(_draft, papers)), progress)

    def index_pending(
        self, progress: Progress, ahead: Mapping[PaperDraft, EncodedPaper] = NOTHING_AHEAD
    ) -> None:
        """Store the vectors of pending papers, and list these; papers encoded ahead are not encoded
        again."""
        collections = self._catalog.collection_numbers()
        while batch := self._catalog.pending(self.table.name):
            revisions = self.table.revisions([stored.number for stored in batch])
            outdated = [
                stored
                for stored in batch
                if revisions.get(stored.number, -1) < stored.text_revision
            ]
            numbers = {stored.number for stored in outdated}
            current = [stored for stored in batch if stored.number not in numbers]
            self.table.renew([_metadata(stored, collections) for stored in current])
            facets = self._store_vectors(outdated, collections, progress, ahead)
            self._catalog.mark_indexed(self.table.name, batch[-1].revision, facets)

    def clear_unfinished(self) -> None:
        """Remove papers that interrupted commands left half added or removed."""
        unfinished = self._catalog.unfinished()
        if unfinished:
            self.table.delete(unfinished)
            self._catalog.purge(unfinished)

    def discard(self) -> None:
        """Forget the tables of all models in the catalogue, then delete them, readable or not."""
        from scholar_indexes.storage.table_names import table_names

        self._catalog.forget_spaces()
        for name in table_names(self._folder):
            shutil.rmtree(self._folder / f"{name}.lance", ignore_errors=True)
        self.__dict__.pop("table", None)

    def _store_vectors(
        self,
        papers: Sequence[StoredPaper],
        collections: Mapping[str, int],
        progress: Progress,
        ahead: Mapping[PaperDraft, EncodedPaper],
    ) -> dict[int, tuple[Facet, ...]]:
        """Encode papers and write them into the table; return the facets of their sentences."""
        from scholar_indexes.papers.table import PaperRow

        drafts = list(map(_draft, papers))
        new = self._encode([draft for draft in drafts if draft not in ahead], progress)
        encoded_papers = [ahead[draft] if draft in ahead else new[draft] for draft in drafts]
        pairs = list(zip(papers, encoded_papers, strict=True))
        self.table.write(
            [
                PaperRow.from_encoded(_metadata(stored, collections), stored.text, encoded)
                for stored, encoded in pairs
            ]
        )
        return {stored.number: encoded.facets for stored, encoded in pairs}

    def _encode(
        self, drafts: Sequence[PaperDraft], progress: Progress
    ) -> dict[PaperDraft, EncodedPaper]:
        """Return the vectors of papers by their texts; loads no model if there are none."""
        if not drafts:
            return {}
        return dict(zip(drafts, self._models.encode(drafts, progress), strict=True))


def _draft(stored: StoredPaper) -> PaperDraft:
    """Return the texts of a paper to encode."""
    from scholar_indexes.papers.encoding import PaperDraft

    sentences = zip(stored.paper.sentences, stored.given, strict=True)
    return PaperDraft(stored.paper.title, tuple(sentences))


def _metadata(stored: StoredPaper, collections: Mapping[str, int]) -> PaperMetadata:
    """Return the fields that the table stores for a paper besides its text and vectors."""
    from scholar_indexes.papers.table import PaperMetadata

    numbers = [collections[name] for name in stored.collections]
    return PaperMetadata(stored.number, stored.revision, stored.paper.year, numbers)
