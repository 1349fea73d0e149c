"""The trained coreference model: a fine-tuned encoder with small networks on its word vectors.

Mentions are found as in Maverick (Martinelli, Barba and Navigli 2024): first the words at which a
mention begins, then the end and the class of each. Antecedents are ranked by a bilinear score
(Dozat and Manning 2017) plus a network over the features of a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Ints, Ints1d
from scholar_indexes.coreference.resolver.mention_table import (
    ENTITY_CLASSES,
    FEATURE_SIZES,
    MentionTable,
    pair_features,
)
from scholar_indexes.coreference.resolver.words import TokenizedText
from scholar_indexes.errors import Damaged
from scholar_indexes.models.registry import (
    COREFERENCE,
    ModelFiles,
    expect,
)
from scholar_indexes.types import Progress, silent

DEFAULT_MODEL = "litbank-people"

HEADS = "heads.safetensors"
"""The file of the networks on top of the encoder."""

BLOCK_TOKENS = 250
"""The maximum number of tokens of neighbouring sentences that attend to one another."""

BATCH_BLOCKS = 8
"""The number of blocks encoded together."""

MAX_MENTION_WORDS = 40
"""The maximum number of words of a mention; one in a thousand in LitBank is longer."""

BILINEAR_SCALE = 16
"""The divisor of the bilinear score of a pair."""

FEW_PAIRS = 2048
"""The number of pairs whose features are combined at a time: their rows stay in the cache."""

FEW_TIMES = 8
"""A matrix of scores is computed whole if it has at most this many times the scores needed."""

START_LOGIT = -1.5
"""The score above which a word is a possible start of a mention."""

MENTION_PROBABILITY = 0.45
"""The minimum probability of a mention."""

Tensors = Mapping[str, NDArray[np.float32]]

TokenVectors = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], Floats2d]
"""From ids, mask and types of tokens (blocks, tokens) to their vectors (blocks, tokens, width)."""

Tokenize = Callable[[Sequence[str]], list[list[int]]]
"""From words to the ids of their tokens."""


@dataclass(frozen=True)
class FoundMentions:
    """Spans of words that are mentions, sorted by first word, the longer first.

    `classes` are indices of ENTITY_CLASSES; `vectors` (n, d) represent the mentions.
    """

    spans: Sequence[tuple[int, int]]
    classes: Ints1d
    probabilities: Floats1d
    vectors: Floats2d


@dataclass(frozen=True)
class PairScorer:
    """Scores pairs of mentions by a bilinear form and a network over their features; terms that
    depend on one mention alone are computed once."""

    table: MentionTable
    vectors: Floats2d
    projected: Floats2d
    later: Floats2d
    earlier: Floats2d
    features: Floats2d
    weight: Floats1d
    bias: np.float32

    def __call__(self, later: Ints1d, earlier: Ints1d) -> Floats1d:
        """Return for each pair the log odds that the earlier mention, rather than none, is the
        antecedent of the later one."""
        scores = np.empty(len(later), np.float32)
        columns = np.ascontiguousarray(pair_features(self.table, later, earlier).T)
        for start in range(0, len(later), FEW_PAIRS):
            few = slice(start, start + FEW_PAIRS)
            scores[few] = self._by_features(later[few], earlier[few], columns[:, few])
        scores += self.bias
        scores += self._bilinear(later, earlier)
        return scores

    def _by_features(self, later: Ints1d, earlier: Ints1d, columns: Ints) -> Floats1d:
        """Return the output of the network over the features of pairs, without its bias; `columns`
        (features, pairs) are rows of the table of values."""
        # With "clip" rows are copied without a check of each index, in half the time.
        hidden: Floats2d = self.later.take(later, axis=0, mode="clip")
        hidden += self.earlier.take(earlier, axis=0, mode="clip")
        for column in columns:
            hidden += self.features.take(column, axis=0, mode="clip")
        np.maximum(hidden, 0, out=hidden)
        scores: Floats1d = hidden @ self.weight
        return scores

    def _bilinear(self, later: Ints1d, earlier: Ints1d) -> Floats1d:
        """Return the bilinear scores, computed for the whole range of mentions at once, or pair by
        pair if the pairs are far apart, whichever is less work."""
        first, least, end = int(later.min()), int(earlier.min()), int(later.max()) + 1
        if (end - first) * (end - least) > FEW_TIMES * len(later):
            pairs: Floats1d = (self.projected[later] * self.vectors[earlier]).sum(axis=1)
            return pairs
        matrix: Floats2d = self.projected[first:end] @ self.vectors[least:end].T
        scores: Floats1d = matrix[later - first, earlier - least]
        return scores


class CoreferenceModel:
    """Finds mentions and ranks their antecedents, with the same results on every run."""

    def __init__(
        self,
        encode: TokenVectors,
        tokenize: Tokenize,
        heads: Tensors,
        *,
        marks: tuple[int, int],
        max_tokens: int,
    ) -> None:
        """`heads` are the tensors of HEADS, `marks` the tokens at either end of a block, and
        `max_tokens` is the encoder's maximum, marks included."""
        self._encode = encode
        self._tokenize = tokenize
        self._heads = heads
        self._marks = marks
        self._limit = min(BLOCK_TOKENS, max_tokens - 2)

    def find_mentions(self, words: TokenizedText, progress: Progress = silent) -> FoundMentions:
        """Return the mentions of a text; the vectors of words are not kept."""
        spans: list[tuple[int, int]] = []
        classes: list[Ints1d] = [np.zeros(0, np.int64)]
        probabilities: list[Floats1d] = [np.zeros(0, np.float32)]
        vectors = [np.zeros((0, self._heads["mention2.bias"].shape[0]), np.float32)]
        for first, word_vectors in self._word_vectors(words):
            progress("finding mentions", first, len(words))
            count = len(word_vectors)
            # A long sentence may be cut between two batches.
            ends = np.minimum(words.sentence_ends[first : first + count] - first, count)
            starts, lasts, kinds, chances = self._find_spans(word_vectors, ends)
            spans += zip((starts + first).tolist(), (lasts + first).tolist(), strict=True)
            classes.append(kinds)
            probabilities.append(chances)
            vectors.append(self._mention_vectors(word_vectors, starts, lasts))
        progress("finding mentions", len(words), len(words))
        return FoundMentions(
            spans, np.concatenate(classes), np.concatenate(probabilities), np.concatenate(vectors)
        )

    def pair_scorer(self, table: MentionTable, vectors: Floats2d) -> PairScorer:
        """Return the scorer of pairs of mentions."""
        return PairScorer(
            table,
            vectors,
            projected=self._linear("bilinear", vectors) * np.float32(1 / BILINEAR_SCALE),
            later=self._linear("later", vectors),
            earlier=self._linear("earlier", vectors),
            features=self._heads["features.weight"],
            weight=self._heads["pair.weight"][0],
            bias=self._heads["pair.bias"][0],
        )

    def _word_vectors(self, words: TokenizedText) -> Iterator[tuple[int, Floats2d]]:
        """Yield the vectors (n, d) of consecutive words, with the index of the first."""
        ids = self._token_ids(words.words)
        blocks = list(split_blocks(words, ids, self._limit))
        for at in range(0, len(blocks), BATCH_BLOCKS):
            batch = blocks[at : at + BATCH_BLOCKS]
            tokens, mask, token_types, first, last = block_tokens(
                batch, ids, words.types, self._marks
            )
            token_vectors = self._encode(tokens, mask, token_types)
            flat = token_vectors.reshape(-1, token_vectors.shape[-1])
            yield batch[0][0], np.float32(0.5) * (flat[first] + flat[last])

    def _token_ids(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of the tokens of each word, at least one; no word is tokenized twice."""
        unique = list(dict.fromkeys(words))
        tokens_of = dict(zip(unique, self._tokenize(unique), strict=True))
        return [tokens_of[word] or [self._marks[1]] for word in words]

    def _find_spans(
        self, vectors: Floats2d, ends: Ints1d
    ) -> tuple[Ints1d, Ints1d, Ints1d, Floats1d]:
        """Return first and last words, classes and probabilities of the mentions."""
        start_scores = self._linear("start2", np.maximum(self._linear("start", vectors), 0))[:, 0]
        starts = np.flatnonzero(start_scores > START_LOGIT)
        first, last = candidate_spans(starts, ends[starts])
        hidden = self._linear("span_first", vectors)[first]
        hidden += self._linear("span_last", vectors)[last]
        hidden += self._heads["span_length.weight"][last - first]
        scores = self._linear("span_class", np.maximum(hidden, 0))
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        odds /= odds.sum(axis=1, keepdims=True)
        probabilities = (1 - odds[:, 0]) / (1 + np.exp(-start_scores[first]))
        chosen = np.flatnonzero(probabilities > MENTION_PROBABILITY)
        chosen = chosen[np.lexsort((-last[chosen], first[chosen]))]
        classes = odds[chosen, 1:].argmax(axis=1) + 1
        return first[chosen], last[chosen], classes, probabilities[chosen].astype(np.float32)

    def _mention_vectors(self, vectors: Floats2d, first: Ints1d, last: Ints1d) -> Floats2d:
        sums = np.concatenate([np.zeros((1, vectors.shape[1])), vectors.cumsum(0, np.float64)])
        means = (sums[last + 1] - sums[first]) / (last - first + 1)[:, None]
        joined = np.concatenate([vectors[first], vectors[last], means.astype(np.float32)], axis=1)
        hidden = np.maximum(self._linear("mention", joined), 0)
        return np.maximum(self._linear("mention2", hidden), 0)

    def _linear(self, name: str, values: Floats2d) -> Floats2d:
        result: Floats2d = values @ self._heads[f"{name}.weight"].T
        bias = self._heads.get(f"{name}.bias")
        return result if bias is None else result + bias


def candidate_spans(starts: Ints1d, ends: Ints1d) -> tuple[Ints1d, Ints1d]:
    """Return the first and last words of all spans that begin at `starts`, end before `ends` and
    have at most MAX_MENTION_WORDS words."""
    lengths = np.minimum(ends - starts, MAX_MENTION_WORDS)
    first = np.repeat(starts, lengths)
    return first, first + np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def split_blocks(
    words: TokenizedText, ids: Sequence[Sequence[int]], limit: int
) -> Iterator[tuple[int, int]]:
    """Yield blocks of words [first, end): whole sentences of at most `limit` tokens together; a
    longer sentence is cut."""
    first = at = size = 0
    while at < len(words):
        end = int(words.sentence_ends[at])
        tokens = sum(map(len, ids[at:end]))
        if size and size + tokens > limit:
            yield first, at
            first, size = at, 0
        while tokens > limit:
            cut, size_of_cut = at, 0
            while cut == at or size_of_cut + len(ids[cut]) <= limit:
                size_of_cut += len(ids[cut])
                cut += 1
            if cut == end:
                break
            yield at, cut
            first = at = cut
            tokens -= size_of_cut
        size += tokens
        at = end
    if first < at:
        yield first, at


def block_tokens(
    blocks: Sequence[tuple[int, int]],
    ids: Sequence[Sequence[int]],
    types: Ints1d,
    marks: tuple[int, int],
) -> tuple[Ints, Ints, Ints, Ints1d, Ints1d]:
    """Return the ids, mask and types of the tokens of blocks (blocks, tokens), and the indices of
    the first and the last token of each word in the flattened arrays."""
    sizes = [sum(map(len, ids[first:end])) for first, end in blocks]
    width = max(sizes) + 2
    tokens = np.zeros((len(blocks), width), np.int64)
    mask, token_types = np.zeros_like(tokens), np.zeros_like(tokens)
    firsts: list[int] = []
    lasts: list[int] = []
    for row, ((first, end), size) in enumerate(zip(blocks, sizes, strict=True)):
        tokens[row, 0], tokens[row, size + 1] = marks
        tokens[row, 1 : size + 1] = [token for word in ids[first:end] for token in word]
        lengths = np.array([len(word) for word in ids[first:end]])
        token_types[row, 1 : size + 1] = np.repeat(types[first:end], lengths)
        mask[row, : size + 2] = 1
        ends = row * width + 1 + np.cumsum(lengths)
        firsts += (ends - lengths).tolist()
        lasts += (ends - 1).tolist()
    return tokens, mask, token_types, np.array(firsts), np.array(lasts)


def load(model: ModelFiles, threads: int = 0) -> CoreferenceModel:
    """Return the model loaded from files. Each thread encodes one block at a time, which takes
    three quarters of the time of padded batches in several threads.

    Raises ConfigError for a model with another purpose, and Damaged if its files cannot be loaded.
    """
    from safetensors.numpy import load_file

    from scholar_indexes.models import onnx_encoder
    from scholar_indexes.models.encoder import marks
    from scholar_indexes.models.processor import count_cores, map_in_threads

    expect(model, COREFERENCE)
    session, tokenizer = onnx_encoder.open_session(model)
    try:
        heads = load_file(model.folder / HEADS)
        card = model.card()
        if card["features"] != dict(FEATURE_SIZES) or card["classes"] != list(ENTITY_CLASSES):
            raise ValueError("its features do not match this version of scholar")
    except Exception as broken:
        raise Damaged(
            f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
            f"run: scholar models verify {model.name}"
        ) from broken

    def encode(ids: Ints, mask: Ints, types: Ints) -> Floats2d:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        vectors = np.zeros((*ids.shape, model.dimensions), np.float32)

        def encode_block(block: int) -> None:
            own = np.s_[block : block + 1, : int(mask[block].sum())]
            vectors[own] = session.run(None, {name: inputs[name][own] for name in inputs})[0]

        map_in_threads(encode_block, range(len(ids)), threads or count_cores())
        return vectors

    return CoreferenceModel(
        encode,
        lambda texts: [
            encoding.ids
            for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ],
        heads,
        marks=marks(tokenizer.token_to_id, model.name),
        max_tokens=model.max_tokens,
    )
