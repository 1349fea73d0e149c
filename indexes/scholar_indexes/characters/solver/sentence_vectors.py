"""The sentences of a book with their vectors, as input of the solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.types import Sentence, Span

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """The text of a book and its m sentences in order.

    spans are their positions in the text, chapters and paragraphs (m,) their numbers, vectors
    (m, d) their unit vectors and weights (m,) the lengths of the vectors before normalization.
    """

    text: str
    spans: Sequence[Span]
    chapters: Ints
    paragraphs: Ints
    vectors: Floats
    weights: Floats

    def __len__(self) -> int:
        return len(self.spans)


def window_edges(chapters: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the first row and the end (m,) of the window of size sentences around each sentence,
    cut at the edges of its chapter; chapters (m,) are ascending."""
    rows = np.arange(len(chapters))
    first = np.maximum(rows - size // 2, np.searchsorted(chapters, chapters))
    end = np.minimum(rows + size // 2 + 1, np.searchsorted(chapters, chapters, "right"))
    return first, end


def encode_book(text: str, sentences: Sequence[Sentence], encoder: Encoder) -> SentenceIndex:
    """Encode the sentences of a book; for a book of the library, the index has the vectors."""
    from scholar_indexes.books.adding.ingest import normalize_sentence

    chapters = [sentence.chapter for sentence in sentences]
    vectors, weights = encoder.encode_sentences(
        [normalize_sentence(sentence.span.of(text)) for sentence in sentences], chapters
    )
    return SentenceIndex(
        text,
        [sentence.span for sentence in sentences],
        np.array(chapters, np.int64),
        np.array([sentence.paragraph for sentence in sentences], np.int64),
        vectors,
        weights,
    )
