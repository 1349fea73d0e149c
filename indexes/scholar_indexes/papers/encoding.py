"""Encode papers as vectors of title, whole and sentences, and label the sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.papers import facets, match
from scholar_indexes.papers.facets import FacetModel
from scholar_indexes.types import Facet, Progress, silent

BATCH_TEXTS = 512
"""Texts encoded at a time: bounds memory and lets progress be shown."""


@dataclass(frozen=True, slots=True)
class PaperDraft:
    """The texts of a paper to encode; sentences have the facet that the source gives, or None."""

    title: str
    sentences: tuple[tuple[str, Facet | None], ...]


@dataclass(frozen=True, slots=True)
class EncodedPaper:
    """The unit vectors of a paper's title (d,), whole (d,) and sentences (n, d), the facet of
    each sentence, and the facets' probabilities (n, 4)."""

    title: Floats1d
    whole: Floats1d
    sentences: Floats2d
    facets: tuple[Facet, ...]
    shares: Floats2d

    @property
    def document(self) -> match.PaperVectors:
        """The vectors that match compares."""
        return match.PaperVectors(self.sentences, self.shares, self.whole, self.title)


def encode_papers(
    drafts: Sequence[PaperDraft], encoder: Encoder, model: FacetModel, progress: Progress = silent
) -> list[EncodedPaper]:
    """Return papers as vectors of the encoder; the model must be for that encoder.

    A paper without a title gets the vector of its abstract. Every text is encoded separately.
    """
    texts: list[str] = []
    for draft in drafts:
        abstract = [text for text, _ in draft.sentences]
        texts += [draft.title or " ".join(abstract), " ".join([draft.title, *abstract]), *abstract]
    vectors = _encode_texts(texts, encoder, progress)
    papers, row = [], 0
    for draft in drafts:
        title, whole = vectors[row], vectors[row + 1]
        sentences = vectors[row + 2 : row + 2 + len(draft.sentences)]
        row += 2 + len(draft.sentences)
        labelled, shares = facets.label_abstract(
            sentences,
            [text for text, _ in draft.sentences],
            model,
            [facet for _, facet in draft.sentences],
        )
        papers.append(EncodedPaper(title, whole, sentences, tuple(labelled), shares))
    return papers


def _encode_texts(texts: Sequence[str], encoder: Encoder, progress: Progress) -> Floats2d:
    """Return the vectors (texts, d); texts of similar length share a batch, to save padding."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    vectors = np.zeros((len(texts), encoder.dimensions), np.float32)
    for first in range(0, len(order), BATCH_TEXTS):
        progress("encoding papers", first, len(order))
        rows = order[first : first + BATCH_TEXTS]
        vectors[rows] = encoder.encode([texts[row] for row in rows])
    progress("encoding papers", len(order), len(order))
    return vectors
