"""Cache the solver's index of a book in the book's folder.

    who.npz     the characters, their presence, and the terms, sentences and tokens of the book

The cache is valid for one version of everything that it is computed from; for another version it
is rebuilt, as is a damaged file. Vectors are quantized before their first use, so that cached ones
give the same results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Ints
from scholar_indexes.characters.descriptions.bank import DescribedCharacter, names_hash
from scholar_indexes.characters.solver import book_characters, book_index
from scholar_indexes.characters.solver.book_index import BookIndex
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.presence import PresenceMatrix
from scholar_indexes.characters.solver.quantization import dequantize, quantize
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.token_vectors import TokenVectors
from scholar_indexes.characters.solver.window_bm25 import SoftBM25, window_bm25
from scholar_indexes.characters.solver.window_vectors import SIZES
from scholar_indexes.retrieval.bm25 import InvertedIndex
from scholar_indexes.storage.derived import (
    DerivedFile,
    character_record,
    parse_character,
    text_array,
)
from scholar_indexes.types import Character, Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.storage.passages import Neighbourhood

SCHEMA_VERSION = 5

FILE = "who.npz"

Array = NDArray[Any]
Rows = NDArray[np.int32]
"""The sentences of a book as its folder stores them, (m, 4): chapter, paragraph, start, end."""

PRESENCE_ARRAYS = {"named": "named", "meant": "mentioned", "says": "speaking", "near": "near"}
"""The names of the presence matrices in the file, and their fields."""

TERM_ARRAYS = ("edges", "passages", "counts", "lengths")
"""The fields of an inverted index that are stored as arrays."""


@dataclass(frozen=True, slots=True)
class SolverCache:
    """A book as input of the solver, with the characters that a description may mean."""

    characters: tuple[Character, ...]
    sentences: SentenceIndex
    index: BookIndex


class Spans(Sequence[Span]):
    """The spans of stored sentences, created on access."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Span: ...
    @overload
    def __getitem__(self, at: slice) -> list[Span]: ...
    def __getitem__(self, at: int | slice) -> Span | list[Span]:
        if isinstance(at, slice):
            return [Span(start, end) for start, end in self._rows[at, 2:].tolist()]
        return Span(int(self._rows[at, 2]), int(self._rows[at, 3]))


def cache_key(space: str, dialogue: str, bank: Sequence[DescribedCharacter]) -> str:
    """Return one line with everything that the cache depends on besides the text: the space of the
    vectors, the key of the dialogue, the names in the bank, and the versions of this package."""
    versions = f"{book_index.CACHE_VERSION} {book_characters.CACHE_VERSION}"
    return f"{versions} {space} {names_hash(bank)} {dialogue}"


def build(
    text: str,
    rows: Rows,
    stored: Neighbourhood,
    dialogue: Dialogue | None,
    bank: Sequence[DescribedCharacter],
    encoder: Encoder,
    label: str = "",
    progress: Progress = silent,
    people: People | None = None,
) -> SolverCache:
    """Index a book whose sentence vectors are stored. Its tokens are encoded, which takes as long
    as adding the book did."""
    spans = [Span(start, end) for start, end in rows[:, 2:].tolist()]
    vectors = dequantize(quantize(stored.vectors))
    sentences = _sentence_index(text, rows, spans, vectors, stored.weights)
    characters = book_characters.select_characters(text, dialogue, bank)
    candidates = list(map(Candidate.from_character, characters))
    index = book_index.index_book(sentences, candidates, dialogue, encoder, label, progress, people)
    return SolverCache(characters, sentences, index)


def save(folder: Path, key: str, cache: SolverCache) -> None:
    """Write the cache, replacing the whole file."""
    record = {"people": [character_record(character) for character in cache.characters]}
    DerivedFile(folder / FILE, SCHEMA_VERSION, key).save_arrays(record, _pack(cache))


def load(folder: Path, key: str, text: str, rows: Rows) -> SolverCache | None:
    """Return the cached index of a book; None without one for this key, or if it is damaged."""
    return DerivedFile(folder / FILE, SCHEMA_VERSION, key).load_arrays(
        lambda record, arrays: _unpack(record, arrays, text, rows)
    )


def _pack(cache: SolverCache) -> dict[str, Array]:
    index = cache.index
    return {
        "vectors": quantize(cache.sentences.vectors),
        "weights": cache.sentences.weights,
        "like vectors": index.similar_words.vectors,
        "tokens": index.tokens.vectors,
        "token counts": index.tokens.counts.astype(np.int32),
        "token axes": index.tokens.axes,
        "token mean": index.tokens.mean,
        "token rarity": index.tokens.rarity,
        "like stems": text_array("\n".join(index.similar_words.stems)),
        **_pack_terms("", index.stems.index),
        **_pack_terms("like ", index.similar_words.words.index),
        **{f"windows {size}": lengths for size, lengths in index.window_lengths.items()},
        **_pack_presence(index.presence),
    }


def _pack_terms(prefix: str, index: InvertedIndex) -> dict[str, Array]:
    return {
        f"{prefix}terms": text_array("\n".join(index.terms)),
        **{f"{prefix}{name}": _smallest(getattr(index, name)) for name in TERM_ARRAYS},
    }


def _smallest(array: Ints) -> Array:
    """Return an array of non-negative numbers in the smallest type that can represent them."""
    return array.astype(np.min_scalar_type(array.max(initial=0)))


def _pack_presence(presence: PresenceMatrix) -> dict[str, Array]:
    """Return the positions and values of the non-zero entries of each matrix."""
    arrays: dict[str, Array] = {}
    for name, attribute in PRESENCE_ARRAYS.items():
        dense = getattr(presence, attribute)
        places = np.flatnonzero(dense)
        arrays[f"where {name}"] = places.astype(np.uint32)
        arrays[f"much {name}"] = dense.ravel()[places]
    return arrays


def _unpack(
    record: Mapping[str, Any], arrays: Mapping[str, Array], text: str, rows: Rows
) -> SolverCache:
    """Return the cache of a file; raise ValueError if its arrays do not fit together."""
    characters = tuple(map(parse_character, record["people"]))
    vectors, weights = dequantize(arrays["vectors"]), arrays["weights"]
    sentences = _sentence_index(text, rows, Spans(rows), vectors, weights)
    index = BookIndex(
        _unpack_presence(arrays, len(characters), len(rows)),
        window_bm25(_unpack_terms(arrays, "")),
        {size: arrays[f"windows {size}"] for size in SIZES},
        SoftBM25(
            window_bm25(_unpack_terms(arrays, "like ")),
            arrays["like vectors"],
            np.array(_lines(arrays["like stems"]), str),
        ),
        TokenVectors(
            arrays["tokens"],
            arrays["token counts"].astype(np.int64),
            arrays["token axes"],
            arrays["token mean"],
            arrays["token rarity"],
            sentences.chapters,
        ),
    )
    if not all(_checks(sentences, index)):
        raise ValueError("arrays that do not fit together")
    return SolverCache(characters, sentences, index)


def _unpack_presence(arrays: Mapping[str, Array], c: int, m: int) -> PresenceMatrix:
    matrices = {}
    for name, attribute in PRESENCE_ARRAYS.items():
        dense = np.zeros(c * m, np.float32)
        dense[arrays[f"where {name}"]] = arrays[f"much {name}"]
        matrices[attribute] = dense.reshape(c, m)
    return PresenceMatrix(**matrices)


def _unpack_terms(arrays: Mapping[str, Array], prefix: str) -> InvertedIndex:
    terms = {term: number for number, term in enumerate(_lines(arrays[f"{prefix}terms"]))}
    return InvertedIndex(
        terms, *(arrays[f"{prefix}{name}"].astype(np.int64) for name in TERM_ARRAYS)
    )


def _lines(text: Array) -> list[str]:
    return text.tobytes().decode("utf-8").split("\n")


def _checks(sentences: SentenceIndex, index: BookIndex) -> Iterator[bool]:
    """Yield True for each check of the shapes and values of the arrays that passes, else False."""
    m, width = len(sentences), sentences.vectors.shape[1]
    yield sentences.vectors.shape == (m, width) and sentences.weights.shape == (m,)
    for lengths in index.window_lengths.values():
        yield lengths.shape == (m,) and bool((lengths > 0).all())
    similar = index.similar_words
    yield from (_is_sound(bm25.index, m) for bm25 in (index.stems, similar.words))
    yield similar.vectors.shape == (len(similar.words.index.terms), width)
    yield similar.vectors.dtype == np.int8
    yield len(similar.stems) == len(similar.words.index.terms)
    yield from _token_checks(index.tokens, m, width)


def _token_checks(tokens: TokenVectors, m: int, width: int) -> Iterator[bool]:
    narrow = len(tokens.mean)
    yield tokens.counts.shape == (m,) and bool((tokens.counts >= 0).all())
    yield tokens.vectors.shape == (int(tokens.counts.sum()), narrow)
    yield tokens.vectors.dtype == np.int8
    yield tokens.axes.shape == (width, narrow)
    yield len(tokens.rarity) > 0


def _is_sound(index: InvertedIndex, m: int) -> bool:
    """Return True if the postings are for m windows, in order and in range."""
    passages = index.passages
    return (
        len(index.lengths) == m
        and len(index.edges) == len(index.terms) + 1
        and int(index.edges[-1]) == len(passages) == len(index.counts)
        and bool((np.diff(index.edges) >= 0).all())
        and (not len(passages) or bool(0 <= passages.min() <= passages.max() < m))
    )


def _sentence_index(
    text: str, rows: Rows, spans: Sequence[Span], vectors: Array, weights: Array
) -> SentenceIndex:
    chapters, paragraphs = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    return SentenceIndex(text, spans, chapters, paragraphs, vectors, weights)
