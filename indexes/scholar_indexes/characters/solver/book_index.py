"""The index of a book and its candidates that the solver computes before ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.presence import PresenceMatrix, find_presence
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.token_vectors import TokenVectors, index_tokens
from scholar_indexes.characters.solver.window_bm25 import SoftBM25, index_similar_words, index_stems
from scholar_indexes.characters.solver.window_vectors import window_lengths
from scholar_indexes.retrieval.bm25 import BM25
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People
    from scholar_indexes.models.encoder import Encoder

CACHE_VERSION = 7
"""Increase this when a part of BookIndex is computed in another way: caches of an older version
are then rebuilt."""


@dataclass(frozen=True, slots=True)
class BookIndex:
    """The presence of the candidates, and the stems, windows, words and tokens of a book."""

    presence: PresenceMatrix
    stems: BM25
    window_lengths: Mapping[int, Floats]
    similar_words: SoftBM25
    tokens: TokenVectors


def index_book(
    sentences: SentenceIndex,
    candidates: Sequence[Candidate],
    dialogue: Dialogue | None,
    encoder: Encoder,
    label: str = "",
    progress: Progress = silent,
    people: People | None = None,
) -> BookIndex:
    """Index a book, which takes as long as encoding it. `people` belong to the dialogue."""
    return BookIndex(
        find_presence(sentences, candidates, dialogue, people),
        index_stems(sentences),
        window_lengths(sentences),
        index_similar_words(sentences, encoder),
        index_tokens(sentences, encoder, label, progress),
    )
