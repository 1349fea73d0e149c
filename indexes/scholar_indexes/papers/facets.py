"""What each sentence of an abstract is for, by a small trained model.

    vector, words, place -> mixed -> read both ways -> scores -> chain -> facets

A sentence is known by its vector, by the common words in it ("we propose", "however") and by
its place in the abstract; a recurrent layer reads the abstract from either end, and a chain of
facets (a linear-chain CRF, Lafferty et al. 2001) decides the abstract as a whole. Labels that
the source itself gives stand, and the chain conditions their neighbours on them. An abstract in
a language whose words the model does not know is labelled by the places of its sentences alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.encoder import Floats1d, Floats2d
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.types import Facet

if TYPE_CHECKING:
    from scholar_indexes.models import ModelFiles

FACETS = "facets"
"""What a model is for: to say what sentences are for."""

LABELS = tuple(Facet)
"""The facets in the order of a model's scores."""

WEIGHTS, WORDS = "model.safetensors", "words.json"

PLACES = 16
"""What is said of a sentence's place and length."""

SPREAD = 10.0
"""By how much unit vectors are stretched, to weigh as much as the words."""

MOST_CHARS = 2_000
"""Characters of a sentence whose words are looked at."""

LONGEST_PHRASE = 3
"""Words of a phrase that can be a cue."""

LEAST_KNOWN = 0.3
"""The share of an abstract's words that are known where its language is; an English paper has
more than half, one in another language next to none."""

_WORD = re.compile(r"[^\W\d_]+|\d+|[%?]")
_BEGIN = "^"
_NEVER = -1e9


@dataclass(frozen=True, slots=True)
class Reader:
    """A recurrent layer with gates (GRU, Cho et al. 2014), with torch's order of gates.

    inputs (3g, h), states (3g, g) and their biases (3g,): reset, update, new.
    """

    inputs: Floats2d
    states: Floats2d
    input_bias: Floats1d
    state_bias: Floats1d


@dataclass(frozen=True, slots=True)
class FacetModel:
    """A loaded model; space names the vectors it was trained on, and no others will do.

    words are the rows of phrases (w, h); vectors (h, d), places (h, PLACES), bias (h,) mix a
    sentence into h values; scores (4, h + 2g) and score_bias (4,) read them; first, last (4,)
    and follows (4, 4) are the chain's, follows[a, b] for b after a.
    """

    name: str
    space: str
    words: Mapping[str, int]
    phrases: Floats2d
    vectors: Floats2d
    places: Floats2d
    bias: Floats1d
    onward: Reader
    backward: Reader
    scores: Floats2d
    score_bias: Floats1d
    first: Floats1d
    follows: Floats2d
    last: Floats1d

    @property
    def dimensions(self) -> int:
        """The width of the vectors it reads."""
        return int(self.vectors.shape[1])


def label(
    vectors: Floats2d,
    texts: Sequence[str],
    model: FacetModel,
    given: Sequence[Facet | None] = (),
) -> tuple[list[Facet], Floats2d]:
    """The facet of each sentence of one abstract, and how likely each facet is, (n, 4).

    vectors (n, d) are the unit vectors of the sentences in the model's space; given are the
    facets the source itself names, None where it names none: they stand, with likelihood 1.
    Columns are as LABELS, rows sum to 1, and the facet is the likeliest of its row. Raises
    ValueError when the numbers of sentences or the widths differ.
    """
    if vectors.shape != (len(texts), model.dimensions) or len(given) not in (0, len(texts)):
        raise ValueError(
            f"{len(texts)} sentences and {len(given)} facets do not go with vectors "
            f"{vectors.shape} for a model of width {model.dimensions}"
        )
    if not texts:
        return [], np.zeros((0, len(LABELS)), np.float32)
    scores = scored(vectors, texts, model).astype(np.float64)
    for row, facet in enumerate(given):
        if facet is not None:
            scores[row] = _NEVER
            scores[row, LABELS.index(facet)] = 0.0
    shares = marginals(scores, model.first, model.follows, model.last)
    return [LABELS[best] for best in shares.argmax(axis=1)], shares


def labels(
    vectors: Floats2d,
    abstracts: Sequence[Sequence[tuple[str, Facet | None]]],
    model: FacetModel,
) -> list[tuple[list[Facet], Floats2d]]:
    """What label says of each of many abstracts, whose sentences are as in Entry.sentences.

    vectors are those of all sentences, one abstract after the other. Raises ValueError when
    there are more or fewer of them, or their width is not the model's.
    """
    if len(vectors) != sum(map(len, abstracts)):
        raise ValueError(f"{len(vectors)} vectors for {sum(map(len, abstracts))} sentences")
    found, start = [], 0
    for sentences in abstracts:
        end = start + len(sentences)
        texts, given = [text for text, _ in sentences], [facet for _, facet in sentences]
        found.append(label(vectors[start:end], texts, model, given))
        start = end
    return found


def load(files: ModelFiles, space: str | None = None) -> FacetModel:
    """The model of a folder; with space, the name of the encoder's vectors it is to read.

    Raises ConfigError for a model that is for something else or was trained on the vectors of
    another encoder, Damaged when its files cannot be loaded.
    """
    from safetensors.numpy import load_file

    from scholar_indexes.models import expect

    expect(files, FACETS)
    try:
        card = json.loads((files.folder / "card.json").read_text("utf-8"))
        tensors = load_file(files.folder / WEIGHTS)
        words = json.loads((files.folder / WORDS).read_text("utf-8"))
        model = assembled(files.name, str(card["reads"]), words, tensors)
    except Exception as broken:
        said = " ".join(str(broken).split())[:120]
        raise Damaged(
            f"the model {files.name} cannot be loaded ({said}); "
            f"run: scholar models verify {files.name}"
        ) from broken
    if space is not None and space != model.space:
        raise ConfigError(
            f"the model {files.name} reads vectors of {model.space}, not of {space}; "
            f"choose that encoder, or train one: scholar train facets"
        )
    return model


def assembled(
    name: str, space: str, words: Sequence[str], tensors: Mapping[str, NDArray[np.floating]]
) -> FacetModel:
    """A model of its tensors, by the names of FacetModel's fields ("onward.inputs" for a
    reader's). Raises ValueError or KeyError when they do not fit together."""
    exact = {key: np.asarray(value, np.float32) for key, value in tensors.items()}
    if not all(np.isfinite(value).all() for value in exact.values()):
        raise ValueError("weights that are no numbers")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("words that are none")
    mixed, d = exact["vectors"].shape
    states = exact["onward.states"].shape[1]
    facets = len(LABELS)
    shapes: dict[str, tuple[int, ...]] = {
        "phrases": (len(words), mixed), "vectors": (mixed, d), "places": (mixed, PLACES),
        "bias": (mixed,), "scores": (facets, mixed + 2 * states), "score_bias": (facets,),
        "first": (facets,), "follows": (facets, facets), "last": (facets,),
    }  # fmt: skip
    for way in ("onward", "backward"):
        shapes |= {
            f"{way}.inputs": (3 * states, mixed), f"{way}.states": (3 * states, states),
            f"{way}.input_bias": (3 * states,), f"{way}.state_bias": (3 * states,),
        }  # fmt: skip
    for key, shape in shapes.items():
        if exact[key].shape != shape:
            raise ValueError(f"{key} has another shape")
    onward, backward = (
        Reader(*(exact[f"{way}.{part}"] for part in Reader.__slots__))
        for way in ("onward", "backward")
    )
    own = {key: exact[key] for key in shapes if "." not in key}
    rows = {word: row for row, word in enumerate(words)}
    return FacetModel(name, space, rows, onward=onward, backward=backward, **own)


def cues(text: str) -> set[str]:
    """The words of a sentence and their runs of two and three; a number reads 0, and the
    sentence begins with a mark."""
    found = _WORD.findall(text[:MOST_CHARS].lower())
    words = [_BEGIN, *("0" if word[0].isdigit() else word for word in found)]
    return {
        " ".join(words[at : at + size])
        for size in range(1, LONGEST_PHRASE + 1)
        for at in range(len(words) - size + 1)
    }


def readable(said: Sequence[Set[str]], words: Container[str]) -> bool:
    """Whether an abstract with these cues is in a language of which these are the words."""
    own = [cue for found in said for cue in found if cue.isalpha()]
    return bool(own) and sum(cue in words for cue in own) >= LEAST_KNOWN * len(own)


def places(texts: Sequence[str]) -> Floats2d:
    """Where each sentence of an abstract stands and how long it is, (n, PLACES)."""
    n = len(texts)
    at = np.arange(n)
    rest = n - 1 - at
    share = (at + 0.5) / max(n, 1)
    length = np.array([len(text) for text in texts], np.float64)
    ends = [each == near for each in (at, rest) for near in range(4)]
    found: Floats2d = np.stack(
        [
            *ends, share, share**2, np.full(n, min(n, 20) / 20), 1 / (at + 1), 1 / (rest + 1),
            np.minimum(length, 400) / 200, length < 30, np.full(n, n == 1),
        ],
        axis=1,
    ).astype(np.float32)  # fmt: skip
    return found


def scored(vectors: Floats2d, texts: Sequence[str], model: FacetModel) -> Floats2d:
    """The scores (n, 4) of each sentence's facets, before the chain."""
    said = [cues(text) for text in texts]
    mixed = places(texts) @ model.places.T + model.bias
    if readable(said, model.words):
        mixed += SPREAD * (vectors @ model.vectors.T)
        for row, found in enumerate(said):
            known = [model.words[cue] for cue in found if cue in model.words]
            # Sorted, because a sum depends on its order and a set has none.
            mixed[row] += model.phrases[sorted(known)].sum(axis=0)
    mixed = np.maximum(mixed, 0)
    context = (read(mixed, model.onward), read(mixed[::-1], model.backward)[::-1])
    result: Floats2d = np.hstack((mixed, *context)) @ model.scores.T + model.score_bias
    return result


def read(rows: Floats2d, reader: Reader) -> Floats2d:
    """The states (n, g) of a recurrent layer that reads rows (n, h) in order."""
    width = reader.states.shape[1]
    inputs = rows @ reader.inputs.T + reader.input_bias
    state = np.zeros(width, np.float32)
    states = np.empty((len(rows), width), np.float32)
    for at, given in enumerate(inputs):
        carried = reader.states @ state + reader.state_bias
        gates = 1 / (1 + np.exp(-np.clip(given[: 2 * width] + carried[: 2 * width], -30, 30)))
        reset, update = gates[:width], gates[width:]
        new = np.tanh(given[2 * width :] + reset * carried[2 * width :])
        state = (1 - update) * new + update * state
        states[at] = state
    return states


def marginals(
    scores: NDArray[np.float64], first: Floats1d, follows: Floats2d, last: Floats1d
) -> Floats2d:
    """How likely each facet of each sentence is in a chain, (n, 4): forward-backward
    (Rabiner 1989, section III.A), with logarithms."""
    n = len(scores)
    before = np.empty_like(scores)
    after = np.empty_like(scores)
    before[0] = first + scores[0]
    after[n - 1] = last
    for at in range(1, n):
        before[at] = _log_sum(before[at - 1][:, None] + follows, 0) + scores[at]
        after[n - 1 - at] = _log_sum(follows + (scores[n - at] + after[n - at])[None, :], 1)
    total = before + after
    shares = np.exp(total - total.max(axis=1, keepdims=True))
    result: Floats2d = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return result


def _log_sum(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    top = values.max(axis=axis, keepdims=True)
    summed: NDArray[np.float64] = np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)
    return summed
