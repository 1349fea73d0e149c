"""A paper in vectors: its title, its whole, its sentences, and what each of these is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.encoder import Encoder
from scholar_indexes.papers import facets, match
from scholar_indexes.papers.facets import FacetModel
from scholar_indexes.types import Facet, Progress, silent

Floats1d = NDArray[np.float32]
Floats2d = NDArray[np.float32]

CHUNK = 512
"""Texts encoded at a time: bounds memory and lets progress show."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is encoded of a paper: sentences with the facet that its source gives, if any."""

    title: str
    sentences: tuple[tuple[str, Facet | None], ...]


@dataclass(frozen=True, slots=True)
class Encoded:
    """The unit vectors of a paper's title (d,), whole (d,) and sentences (n, d), the facet of
    each sentence, and how likely each facet is (n, 4)."""

    title: Floats1d
    whole: Floats1d
    sentences: Floats2d
    facets: tuple[Facet, ...]
    shares: Floats2d

    @property
    def document(self) -> match.Document:
        """As match compares it."""
        return match.Document(self.sentences, self.shares, self.whole, self.title)


def encode(
    drafts: Sequence[Draft], encoder: Encoder, model: FacetModel, progress: Progress = silent
) -> list[Encoded]:
    """Papers in vectors of the encoder; model reads vectors of that encoder.

    A paper without a title has its whole for one. Every text is encoded by its own.
    """
    texts: list[str] = []
    for draft in drafts:
        said = [text for text, _ in draft.sentences]
        texts += [draft.title or " ".join(said), " ".join([draft.title, *said]), *said]
    vectors = _vectors(texts, encoder, progress)
    found, at = [], 0
    for draft in drafts:
        title, whole = vectors[at], vectors[at + 1]
        sentences = vectors[at + 2 : at + 2 + len(draft.sentences)]
        at += 2 + len(draft.sentences)
        labelled, shares = facets.label(
            sentences,
            [text for text, _ in draft.sentences],
            model,
            [facet for _, facet in draft.sentences],
        )
        found.append(Encoded(title, whole, sentences, tuple(labelled), shares))
    return found


def _vectors(texts: Sequence[str], encoder: Encoder, progress: Progress) -> Floats2d:
    """Texts of like length go together, which is what makes a batch fast."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    vectors = np.zeros((len(texts), encoder.dimensions), np.float32)
    for first in range(0, len(order), CHUNK):
        progress("encoding papers", first, len(order))
        chunk = order[first : first + CHUNK]
        vectors[chunk] = encoder.encode([texts[at] for at in chunk])
    progress("encoding papers", len(order), len(order))
    return vectors
