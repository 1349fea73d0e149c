"""Labelled abstracts: reading, splitting into parts, and encoding of their sentences.

The papers are from CSFCube (Mysore et al. 2021), or others in its format. Their labels are
predictions of a classifier, with errors; only the query papers, which the annotations list, were
corrected by hand. These are never trained on and are scored separately. A hash of the title
assigns each other paper to a part, so that copies of a paper are in the same part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from scholar_indexes import guarded
from scholar_indexes.arrays import Floats2d
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.types import FACETS, QUERY_FACETS, Facet, Progress

TRAIN, VALIDATION, TEST, CORRECTED = "train", "validation", "test", "hand-corrected"

SHORT_ABSTRACTS = Path(__file__).with_name("short_abstracts.jsonl")
"""Abstracts of two to five sentences from many fields, written and labelled for this training:
CSFCube has only computer science, and hardly any short abstracts."""

SHORT_WEIGHT = 10
"""The number of times that each short abstract is in the training data; others are there once."""

FACET_ALIASES = {"objective": Facet.BACKGROUND}
"""Labels of CSFCube that count as one of our facets (section 3.1 of the paper)."""

MAX_BYTES = 1 << 30
"""The maximum size of a file of labelled papers, decompressed."""

COMPOSED = 600
"""The number of long abstracts to compose from sentences of short ones if there are no others."""

MOST_OF_A_FACET = 4
"""The maximum number of sentences of each query facet in a composed abstract."""

ENCODED_AT_ONCE = 2_048
"""The number of sentences in a batch for the encoder."""

_TRAIN_SHARE, _VALIDATION_SHARE = 0.8, 0.1


@dataclass(frozen=True, slots=True)
class LabelledAbstract:
    """An abstract with a facet per sentence, and the part of the data it belongs to."""

    id: str
    texts: tuple[str, ...]
    facets: tuple[Facet, ...]
    part: str

    @property
    def labels(self) -> list[int]:
        """The facets as indexes into FACETS."""
        return [FACETS.index(facet) for facet in self.facets]


def read_papers(papers: Path, annotations: Path | None = None) -> list[LabelledAbstract]:
    """Return the abstracts of a file, each with its part: of those not corrected by hand, 8 in 10
    are for training, 1 for validation, 1 for testing.

    papers is papers.jsonl or papers.jsonl.xz; annotations lists the query papers, by default
    annotations.jsonl in the same folder if it exists. Another copy of a hand-corrected paper has
    the part "". Raises UsageError for an invalid line, NotThere for a missing file, NoMatch if
    no paper has a sentence.
    """
    corrected = _corrected_ids(papers, annotations)
    rows = list(_lines(papers, ("paper_id", "title", "abstract")))
    corrected_titles = {
        _title_key(row["title"]) for _, row in rows if str(row["paper_id"]) in corrected
    }
    abstracts = []
    for number, row in rows:
        texts, facets = _sentences(row, f"{papers}, line {number}")
        if texts:
            part = _part(row, corrected, corrected_titles)
            abstracts.append(LabelledAbstract(str(row["paper_id"]), texts, facets, part))
    if not abstracts:
        raise NoMatch(f"{papers} has no labelled sentence; give labelled papers")
    return abstracts


def read_short_abstracts(path: Path = SHORT_ABSTRACTS) -> list[LabelledAbstract]:
    """Return the short abstracts of a file, all for training; raise the errors of read_papers."""
    return [replace(abstract, part=TRAIN) for abstract in read_papers(path)]


def encode_sentences(
    abstracts: Sequence[LabelledAbstract], encoder: Encoder, progress: Progress
) -> list[Floats2d]:
    """Return the vectors (n, d) of the sentences of each abstract."""
    texts = [text for abstract in abstracts for text in abstract.texts]
    batches = []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        progress("encoding sentences", start, len(texts))
        batches.append(encoder.encode(texts[start : start + ENCODED_AT_ONCE]))
    edges = np.cumsum([0, *(len(abstract.texts) for abstract in abstracts)])
    vectors = np.concatenate(batches)
    return [vectors[start:end] for start, end in pairwise(edges)]


def compose_abstracts(
    short: Sequence[LabelledAbstract], vectors: Sequence[Floats2d], seed: int
) -> tuple[list[LabelledAbstract], list[Floats2d]]:
    """Return COMPOSED abstracts and their vectors: background, method and result in this order,
    each with one to MOST_OF_A_FACET sentences drawn from short abstracts. vectors are (n, d) for
    each short abstract.

    From short abstracts alone, a model learns that a third sentence is a result.
    """
    rng = np.random.default_rng(seed)
    places: dict[Facet, list[tuple[int, int]]] = {facet: [] for facet in QUERY_FACETS}
    for number, abstract in enumerate(short):
        for row, facet in enumerate(abstract.facets):
            if facet in places:
                places[facet].append((number, row))
    composed, composed_vectors = [], []
    for number in range(COMPOSED):
        drawn: list[tuple[int, int]] = []
        for facet in QUERY_FACETS:
            count = min(int(rng.integers(MOST_OF_A_FACET)) + 1, len(places[facet]))
            drawn += [
                places[facet][place]
                for place in rng.choice(len(places[facet]), count, replace=False)
            ]
        texts = tuple(short[source].texts[row] for source, row in drawn)
        labels = tuple(short[source].facets[row] for source, row in drawn)
        composed.append(LabelledAbstract(f"composed-{number}", texts, labels, TRAIN))
        composed_vectors.append(np.stack([vectors[source][row] for source, row in drawn]))
    return composed, composed_vectors


def data_sha256(abstracts: Sequence[LabelledAbstract]) -> str:
    """Return a hash of all ids, texts, facets and parts."""
    digest = hashlib.sha256()
    for abstract in abstracts:
        fields = [abstract.id, abstract.texts, abstract.facets, abstract.part]
        digest.update(json.dumps(fields).encode())
    return digest.hexdigest()


def _corrected_ids(papers: Path, annotations: Path | None) -> set[str]:
    """Return the ids of the query papers, whose labels were corrected by hand."""
    default = papers.parent / "annotations.jsonl"
    if annotations is None and default.is_file():
        annotations = default
    if annotations is None:
        return set()
    return {str(row["query_id"]) for _, row in _lines(annotations, ("query_id",))}


def _sentences(row: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], tuple[Facet, ...]]:
    """Return the texts and the facets of the sentences of a row; raise UsageError."""
    try:
        texts = tuple(str(sentence["text"]) for sentence in row["abstract"])
        facets = tuple(_facet(sentence["facet"]) for sentence in row["abstract"])
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{where}: not a labelled paper ({error}); fix it") from None
    return texts, facets


def _facet(name: str) -> Facet:
    return FACET_ALIASES.get(name) or Facet(name)


def _part(
    row: Mapping[str, Any], corrected: Container[str], corrected_titles: Container[str]
) -> str:
    if str(row["paper_id"]) in corrected:
        return CORRECTED
    title = _title_key(row["title"])
    if title in corrected_titles:
        return ""
    share = hashlib.sha256(title.encode()).digest()[0] / 256
    if share < _TRAIN_SHARE:
        return TRAIN
    return VALIDATION if share < _TRAIN_SHARE + _VALIDATION_SHARE else TEST


def _title_key(title: object) -> str:
    return "".join(char for char in str(title).lower() if char.isalnum())


def _lines(path: Path, keys: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the numbered objects of JSON lines that have all keys; raise NotThere, UsageError."""
    for number, line in enumerate(_read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = guarded.parse_json(line)
            if not all(key in row for key in keys):
                raise ValueError(f"it needs {', '.join(keys)}")
        except (ValueError, TypeError) as error:
            raise UsageError(f"{path}, line {number}: {error}; fix it") from None
        yield number, row


def _read_text(path: Path) -> str:
    try:
        return guarded.decode(guarded.read_unpacked(path, MAX_BYTES))
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; give a file of labelled papers") from None
    except (OSError, ValueError) as refusal:
        raise UsageError(f"{path} cannot be read ({refusal}); save it again") from refusal
