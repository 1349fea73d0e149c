"""Encode texts as unit vectors.

On a CPU the packaged encoder runs through ONNX Runtime and tokenizers, so that a query
never waits for torch; other devices and models go through sentence-transformers (see
torch_encoder). Both share this code: sentences are encoded in blocks with their
neighbours and pooled one by one ("late chunking", Günther et al. 2024), which costs
one pass over the text and gives every window of sentences its vector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from scholar_indexes import stopping
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.claims import MASK
from scholar_indexes.errors import ConfigError

Tokens = Sequence[int]
T = TypeVar("T")

BLOCK_TOKENS = 62
"""The number of tokens of neighbouring sentences in one context; with the two marks it is 64."""

BATCH_TOKENS = 2_048
"""Tokens in one batch, padding included: this limits memory whatever the texts."""


class Encoder(Protocol):
    """A loaded model. space names its vectors: only vectors of one space can be compared."""

    @property
    def space(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Floats2d:
        """Return one unit vector per text, (n, d); a text longer than the model reads is
        encoded in pieces and averaged."""
        ...

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        """Return one unit vector per claim, (n, d). A MASK marks the position of the quotation; a
        claim without one is taken to precede it."""
        ...

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        """Encode consecutive sentences, each in its context.

        Returns unit vectors (n, d) and the lengths (n,) they had as sums over tokens: the
        vector of a window is the sum of vector * length. Context never crosses chapters.
        """
        ...


class TokenModel(Protocol):
    """A model of one of the two engines: from token ids to one vector per token."""

    def __call__(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the token vectors (b, t, d) of ids and mask (b, t)."""
        ...


class Tokenizer(Protocol):
    """A function from texts to token ids, without the marks at either end."""

    def __call__(self, texts: Sequence[str]) -> list[list[int]]: ...


class MeanPooled:
    """An encoder whose vector is the mean of its token vectors, from any engine."""

    def __init__(
        self,
        run: TokenModel,
        tokenize: Tokenizer,
        *,
        space: str,
        dimensions: int,
        marks: tuple[int, int],
        max_tokens: int,
        mask: int | None = None,
        workers: int = 1,
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        """mask is the token for a missing quotation, if the model was trained with one; workers is
        the number of threads that run the model, each on a batch of at most batch_tokens."""
        self._run = run
        self._tokenize = tokenize
        self._marks = marks
        self._room = max_tokens - 2
        self._mask = mask
        self._workers = workers
        self._batch_tokens = batch_tokens
        self.space = space
        self.dimensions = dimensions

    def encode(self, texts: Sequence[str]) -> Floats2d:
        return self._pooled(self._tokenize(texts))

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        if self._mask is None:
            return self.encode([MASK.sub(" ", claim) for claim in claims])
        halves = [unmasked(claim) for claim in claims]
        before = self._tokenize([left for left, _ in halves])
        after = self._tokenize([right for _, right in halves])
        return self._pooled(
            [
                around(left, self._mask, right, self._room)
                for left, right in zip(before, after, strict=True)
            ]
        )

    def _pooled(self, texts: Sequence[Tokens]) -> Floats2d:
        pieces: list[Tokens] = []
        owners: list[int] = []
        for owner, ids in enumerate(texts):
            # At least one piece: an empty text has a vector too.
            for start in range(0, max(len(ids), 1), self._room):
                pieces.append(ids[start : start + self._room])
                owners.append(owner)
        sums = np.zeros((len(texts), self.dimensions), np.float32)
        for piece, vectors in self._token_vectors(pieces):
            # The marks are pooled too, as in sentence-transformers.
            mean = vectors.mean(axis=0)
            # By length: the last piece may be much shorter than the others.
            sums[owners[piece]] += mean * (len(pieces[piece]) / np.linalg.norm(mean))
        return _unit(sums)[0]

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int], *, block_tokens: int = BLOCK_TOKENS
    ) -> tuple[Floats2d, Floats1d]:
        ids = self._tokenize(sentences)
        blocks = list(group_blocks(ids, chapters, min(block_tokens, self._room), self._room))
        sums = np.zeros((len(sentences), self.dimensions), np.float32)
        texts = [
            [token for row, start, end in block for token in ids[row][start:end]]
            for block in blocks
        ]
        for block, vectors in self._token_vectors(texts):
            rows = [row for row, _, _ in blocks[block]]
            # From 1, because 0 is the mark at the beginning.
            edges = np.cumsum([1] + [end - start for _, start, end in blocks[block]])
            for row, (first, last) in zip(rows, pairwise(edges), strict=True):
                sums[row] += vectors[first:last].sum(axis=0)
        return _unit(sums)

    def encode_tokens(
        self, sentences: Sequence[str], chapters: Sequence[int], *, block_tokens: int = BLOCK_TOKENS
    ) -> tuple[NDArray[np.int64], Floats2d, NDArray[np.int64]]:
        """Return the tokens of consecutive sentences, each in its context as in encode_sentences:
        their ids (t,), their vectors (t, d) as the model gives them, and the start of each
        sentence's tokens, followed by the end of all, (n + 1,)."""
        ids = self._tokenize(sentences)
        blocks = list(group_blocks(ids, chapters, min(block_tokens, self._room), self._room))
        edges = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        token_vectors = np.zeros((int(edges[-1]), self.dimensions), np.float32)
        texts = [
            [token for row, start, end in block for token in ids[row][start:end]]
            for block in blocks
        ]
        for which, vectors in self._token_vectors(texts):
            at = 1
            for row, start, end in blocks[which]:
                token_vectors[edges[row] + start : edges[row] + end] = vectors[
                    at : at + end - start
                ]
                at += end - start
        tokens = np.array([token for sentence in ids for token in sentence], np.int64)
        return tokens, token_vectors, edges

    def _token_vectors(self, texts: Sequence[Tokens]) -> Iterator[tuple[int, Floats2d]]:
        """Yield the index of each text and its token vectors (t + 2, d), marks included, in no
        fixed order."""
        batches = batches_by_length([len(text) + 2 for text in texts], self._batch_tokens)
        for batch, vectors in self._run_batches(texts, batches):
            for row, which in enumerate(batch):
                yield which, vectors[row, : len(texts[which]) + 2]

    def _run_batches(
        self, texts: Sequence[Tokens], batches: Sequence[Sequence[int]]
    ) -> Iterator[tuple[Sequence[int], NDArray[np.float32]]]:
        """Yield each batch, as indices of texts, and its token vectors (b, t, d)."""
        if self._workers == 1 or len(batches) == 1:
            for batch in batches:
                stopping.check()
                yield batch, self._run(*self._padded([texts[which] for which in batch]))
            return
        running: deque[tuple[Sequence[int], Future[NDArray[np.float32]]]] = deque()
        with ThreadPoolExecutor(self._workers) as pool:
            for batch in batches:
                stopping.check()
                ids, mask = self._padded([texts[which] for which in batch])
                running.append((batch, pool.submit(self._run, ids, mask)))
                # The vectors of all batches together may not fit into memory.
                if len(running) > self._workers:
                    first, vectors = running.popleft()
                    yield first, vectors.result()
            for batch, vectors in running:
                yield batch, vectors.result()

    def _padded(self, texts: Sequence[Tokens]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the ids of texts between marks, and the mask that excludes padding, (b, t)."""
        first, last = self._marks
        ids = np.zeros((len(texts), max(map(len, texts)) + 2), np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            length = len(text) + 2
            ids[row, 0], ids[row, 1 : length - 1], ids[row, length - 1] = first, text, last
            mask[row, :length] = 1
        return ids, mask


def batches_by_length(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Return the indices of texts with these lengths in batches of at most `tokens`, padding
    included, or of one text; similar lengths are together, the longest first."""
    order = sorted(range(len(lengths)), key=lambda number: lengths[number])
    batches = []
    while order:
        count = min(len(order), max(1, tokens // lengths[order[-1]]))
        batches.append([order.pop() for _ in range(count)])
    return batches


def unmasked(claim: str) -> tuple[str, str]:
    """Return the text before the first MASK of a claim and the text after it, without MASKs."""
    before, *after = MASK.split(claim)
    return before, " ".join(after)


def around(left: Tokens, mask: int, right: Tokens, room: int) -> list[int]:
    """Return left, mask and right as one text of at most room tokens, those nearest to the mask."""
    before, after = nearest(left, right, room - 1)
    return [*before, mask, *after]


def nearest(left: Sequence[T], right: Sequence[T], room: int) -> tuple[Sequence[T], Sequence[T]]:
    """Return the end of left and the beginning of right, together at most room items; either side
    may use what the other leaves."""
    kept_right = min(len(right), max(room // 2, room - len(left)))
    kept_left = min(len(left), room - kept_right)
    return left[len(left) - kept_left :], right[:kept_right]


def group_blocks(
    ids: Sequence[Tokens], chapters: Sequence[int], budget: int, room: int
) -> Iterator[list[tuple[int, int, int]]]:
    """Group whole sentences, up to budget tokens a block, as (row, start, end) of its ids.

    A sentence over the budget has its own block, and one over the model's room is split.
    """
    block: list[tuple[int, int, int]] = []
    size = 0
    for row, tokens in enumerate(ids):
        if block and (size + len(tokens) > budget or chapters[row] != chapters[block[-1][0]]):
            yield block
            block, size = [], 0
        for start in range(0, max(len(tokens), 1), room):
            if start:
                yield block
                block, size = [], 0
            end = min(start + room, len(tokens))
            block.append((row, start, end))
            size += end - start
    if block:
        yield block


def _unit(sums: Floats2d) -> tuple[Floats2d, Floats1d]:
    lengths = np.linalg.norm(sums, axis=1)
    return sums / np.maximum(lengths, 1e-9)[:, None], lengths


def marks(token_to_id: object, name: str) -> tuple[int, int]:
    """Return the ids of the marks at either end of a text, [CLS] and [SEP] or <s> and </s>."""
    assert callable(token_to_id)
    for first, last in (("[CLS]", "[SEP]"), ("<s>", "</s>")):
        ids = token_to_id(first), token_to_id(last)
        if None not in ids:
            return ids
    raise ConfigError(f"the tokenizer of {name} marks neither end of a text; choose another model")
