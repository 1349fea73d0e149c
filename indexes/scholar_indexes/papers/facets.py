"""Label the sentences of an abstract with facets, using a small trained model.

    vector, cue words, position -> hidden -> bidirectional GRU -> unary scores -> CRF -> facets

The features of a sentence are its vector, the cue words and phrases in it ("we propose",
"however") and its position; a bidirectional recurrent layer (GRU, Cho et al. 2014) adds the
features of its neighbours, and a linear-chain CRF (Lafferty et al. 2001) labels the abstract as a
whole. Labels given by the source are kept, and the chain is conditioned on them. An abstract in a
language whose words the model does not know is labelled from the positions alone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.guarded import read_json
from scholar_indexes.types import FACETS, Facet

if TYPE_CHECKING:
    from scholar_indexes.models.registry import ModelFiles

TASK = "facets"
"""The task in the card of a facet model."""

WEIGHTS_FILE, WORDS_FILE = "model.safetensors", "words.json"

POSITION_FEATURES = 16
"""Features of a sentence's position and length."""

VECTOR_SCALE = 10.0
"""The factor for unit vectors, so that they weigh as much as the words."""

MAX_SENTENCE_CHARS = 2_000
"""The number of characters of a sentence that are searched for cues."""

MAX_CUE_WORDS = 3
"""The number of words in the longest cue."""

MIN_KNOWN_SHARE = 0.3
"""The share of an abstract's words that a model must know to use its words and vectors; it knows
more than half of an English abstract, and almost none of one in another language."""

_WORD = re.compile(r"[^\W\d_]+|\d+|[%?]")
_BEGIN = "^"
_NEVER = -1e9


@dataclass(frozen=True, slots=True)
class GatedRecurrentLayer:
    """The weights of a GRU (Cho et al. 2014), in torch's order of gates.

    inputs (3g, h), states (3g, g) and their biases (3g,): reset, update, new.
    """

    inputs: Floats2d
    states: Floats2d
    input_bias: Floats1d
    state_bias: Floats1d


@dataclass(frozen=True, slots=True)
class FacetModel:
    """A loaded model; space names the sentence vectors it was trained on.

    words gives the row of each cue in phrases (w, h). phrases, vectors (h, d), places
    (h, POSITION_FEATURES) and bias (h,) map the features of a sentence to h hidden values;
    scores (4, h + 2g) and score_bias (4,) map these and the states of both GRUs to unary scores.
    first and last (4,) are the CRF's scores of the first and last label, follows (4, 4) its
    transition scores, follows[a, b] for b after a. Fields are named as in the weights file.
    """

    name: str
    space: str
    words: Mapping[str, int]
    phrases: Floats2d
    vectors: Floats2d
    places: Floats2d
    bias: Floats1d
    onward: GatedRecurrentLayer
    backward: GatedRecurrentLayer
    scores: Floats2d
    score_bias: Floats1d
    first: Floats1d
    follows: Floats2d
    last: Floats1d

    @property
    def dimensions(self) -> int:
        """The dimensions of its sentence vectors."""
        return int(self.vectors.shape[1])


def label_abstract(
    vectors: Floats2d,
    texts: Sequence[str],
    model: FacetModel,
    given: Sequence[Facet | None] = (),
) -> tuple[list[Facet], Floats2d]:
    """Return the facet of each sentence of an abstract, and the facets' probabilities (n, 4).

    vectors (n, d) are the unit vectors of the sentences in the model's space; given are the
    facets from the source, which get probability 1, or None. Columns are in the order of FACETS,
    rows sum to 1, and the facet is the most probable of its row. Raises ValueError if the
    numbers of sentences or the dimensions differ.
    """
    if vectors.shape != (len(texts), model.dimensions) or len(given) not in (0, len(texts)):
        raise ValueError(
            f"{len(texts)} sentences and {len(given)} facets do not match vectors "
            f"{vectors.shape} for a model of width {model.dimensions}"
        )
    if not texts:
        return [], np.zeros((0, len(FACETS)), np.float32)
    scores = score_sentences(vectors, texts, model).astype(np.float64)
    for row, facet in enumerate(given):
        if facet is not None:
            scores[row] = _NEVER
            scores[row, FACETS.index(facet)] = 0.0
    shares = marginals(scores, model.first, model.follows, model.last)
    return [FACETS[best] for best in shares.argmax(axis=1)], shares


def load(files: ModelFiles, space: str | None = None) -> FacetModel:
    """Load the model in a folder; space is the vector space of the encoder it is used with.

    Raises ConfigError for a model of another task or for another encoder, Damaged if its files
    cannot be loaded.
    """
    from safetensors.numpy import load_file

    from scholar_indexes.models.registry import expect

    expect(files, TASK)
    try:
        card = files.card()
        tensors = load_file(files.folder / WEIGHTS_FILE)
        words = read_json(files.folder / WORDS_FILE)
        model = build_model(files.name, str(card["reads"]), words, tensors)
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        raise Damaged(
            f"the model {files.name} cannot be loaded ({reason}); "
            f"run: scholar models verify {files.name}"
        ) from error
    if space is not None and space != model.space:
        raise ConfigError(
            f"the model {files.name} reads vectors of {model.space}, not of {space}; "
            f"choose that encoder, or train one: scholar-lab train facets"
        )
    return model


def build_model(
    name: str, space: str, words: Sequence[str], tensors: Mapping[str, NDArray[np.floating]]
) -> FacetModel:
    """Return the model of tensors that are named after the fields of FacetModel ("onward.inputs"
    for the fields of a GRU). Raises ValueError or KeyError if their shapes do not fit."""
    weights = {key: np.asarray(value, np.float32) for key, value in tensors.items()}
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("the words are not a list of strings")
    shapes = _expected_shapes(len(words), weights)
    _check_weights(weights, shapes)
    fields = {key: weights[key] for key in shapes if "." not in key}
    return FacetModel(
        name,
        space,
        {word: row for row, word in enumerate(words)},
        onward=_recurrent_layer("onward", weights),
        backward=_recurrent_layer("backward", weights),
        **fields,
    )


def _recurrent_layer(
    direction: str, weights: Mapping[str, NDArray[np.float32]]
) -> GatedRecurrentLayer:
    names = GatedRecurrentLayer.__slots__
    return GatedRecurrentLayer(*(weights[f"{direction}.{name}"] for name in names))


def _check_weights(
    weights: Mapping[str, NDArray[np.float32]], shapes: Mapping[str, tuple[int, ...]]
) -> None:
    """Raise ValueError if weights are not finite or have other shapes."""
    if not all(np.isfinite(value).all() for value in weights.values()):
        raise ValueError("weights are not finite")
    for key, shape in shapes.items():
        if weights[key].shape != shape:
            raise ValueError(f"{key} has the wrong shape")


def _expected_shapes(
    words: int, tensors: Mapping[str, NDArray[np.float32]]
) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor, from two of the tensors and the number of words."""
    hidden, dimensions = tensors["vectors"].shape
    states = tensors["onward.states"].shape[1]
    facets = len(FACETS)
    shapes: dict[str, tuple[int, ...]] = {
        "phrases": (words, hidden),
        "vectors": (hidden, dimensions),
        "places": (hidden, POSITION_FEATURES),
        "bias": (hidden,),
        "scores": (facets, hidden + 2 * states),
        "score_bias": (facets,),
        "first": (facets,),
        "follows": (facets, facets),
        "last": (facets,),
    }
    for direction in ("onward", "backward"):
        shapes |= {
            f"{direction}.inputs": (3 * states, hidden),
            f"{direction}.states": (3 * states, states),
            f"{direction}.input_bias": (3 * states,),
            f"{direction}.state_bias": (3 * states,),
        }
    return shapes


def extract_cues(text: str) -> set[str]:
    """Return the n-grams of a sentence, n up to MAX_CUE_WORDS; numbers are "0", and the first
    word is _BEGIN."""
    tokens = _WORD.findall(text[:MAX_SENTENCE_CHARS].lower())
    words = [_BEGIN, *("0" if token[0].isdigit() else token for token in tokens)]
    return {
        " ".join(words[start : start + size])
        for size in range(1, MAX_CUE_WORDS + 1)
        for start in range(len(words) - size + 1)
    }


def is_known_language(cues: Sequence[Set[str]], words: Container[str]) -> bool:
    """Return True if enough words of an abstract, given as cues per sentence, are known."""
    abstract = [cue for sentence in cues for cue in sentence if cue.isalpha()]
    known = sum(cue in words for cue in abstract)
    return bool(abstract) and known >= MIN_KNOWN_SHARE * len(abstract)


def position_features(texts: Sequence[str]) -> Floats2d:
    """Return the position and length features (n, POSITION_FEATURES) of an abstract's sentences."""
    n = len(texts)
    at = np.arange(n)
    rest = n - 1 - at
    share = (at + 0.5) / max(n, 1)
    length = np.array([len(text) for text in texts], np.float64)
    ends = [distance == near for distance in (at, rest) for near in range(4)]
    features: Floats2d = np.stack(
        [
            *ends,
            share,
            share**2,
            np.full(n, min(n, 20) / 20),
            1 / (at + 1),
            1 / (rest + 1),
            np.minimum(length, 400) / 200,
            length < 30,
            np.full(n, n == 1),
        ],
        axis=1,
    ).astype(np.float32)
    return features


def score_sentences(vectors: Floats2d, texts: Sequence[str], model: FacetModel) -> Floats2d:
    """Return the unary scores (n, 4) of the facets of each sentence."""
    cues = [extract_cues(text) for text in texts]
    hidden = position_features(texts) @ model.places.T + model.bias
    if is_known_language(cues, model.words):
        hidden += VECTOR_SCALE * (vectors @ model.vectors.T)
        for row, sentence_cues in enumerate(cues):
            known = [model.words[cue] for cue in sentence_cues if cue in model.words]
            # Sorted, because a sum of floats depends on its order and a set has none.
            hidden[row] += model.phrases[sorted(known)].sum(axis=0)
    hidden = np.maximum(hidden, 0)
    context = (run_gru(hidden, model.onward), run_gru(hidden[::-1], model.backward)[::-1])
    unary: Floats2d = np.hstack((hidden, *context)) @ model.scores.T + model.score_bias
    return unary


def run_gru(rows: Floats2d, reader: GatedRecurrentLayer) -> Floats2d:
    """Return the states (n, g) of a GRU over rows (n, h) (Cho et al. 2014, equations 5 to 8)."""
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
    """Return the marginal probabilities (n, 4) of a linear-chain CRF with unary scores (n, 4),
    by the forward-backward algorithm in log space (Rabiner 1989, section III.A).

    first and last (4,) are added to the first and last label, follows (4, 4) are transition
    scores.
    """
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
