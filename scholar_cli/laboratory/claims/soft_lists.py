"""Soft training lists: claims with a teacher's scores of the windows in a part of a work.

A part is a run of the blocks in which the index encodes sentences, so that one pass over its tokens
gives a vector for every window in it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.claims.pronoun_claims import PronounReader
from scholar_cli.laboratory.claims.reranker.scored import ScoredList, ScoredWork, TaughtLists
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.models.encoder import BLOCK_TOKENS, Tokens, group_blocks

GRADE_SCORES = np.array([-3.5, -1.5, 1.0, 2.5], np.float32)
"""The scores of the grades 0 to 3, on the teacher's scale."""

SENTENCE_TOKENS = 126
"""Tokens of a sentence, at most; the rest is cut off."""

LEAST_WINDOWS = 2
"""Windows of a claim in a part, at least: fewer have no order to learn."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens that are encoded together, and the sentence of each."""

    tokens: Tokens
    rows: Tokens


@dataclass(frozen=True, slots=True)
class PartLists:
    """Claims about a part of a work, sentences [first, end), with the windows (w, 2) in it.

    `scores` (c, w) are the teacher's; a window that was only scored for other claims has less than
    the claim's lowest score, and is `hidden` (c, w) if it touches one of the claim's own. `shares`
    (c,) are the shares of each claim's softmax over all its scores that fall in the part.
    """

    first: int
    end: int
    blocks: Sequence[Block]
    claims: Sequence[str]
    windows: NDArray[np.int32]
    scores: Floats2d
    hidden: NDArray[np.bool_]
    shares: Floats1d


class TaughtWork:
    """A work with the lists of the claims about it."""

    def __init__(self, work: ScoredWork, lists: Sequence[ScoredList], tokenizer: Tokenizer) -> None:
        self.lists = lists
        self._work = work
        self._tokenizer = tokenizer

    @property
    def sentence_count(self) -> int:
        return len(self._work.sentences)

    @cached_property
    def pronouns(self) -> PronounReader:
        """The reader that replaces names in claims about the work by pronouns."""
        return PronounReader(self._work.text)

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks of the work."""
        text, sentences = self._work.text, self._work.sentences
        texts = [normalize_sentence(text[start:end]) for _, start, end in sentences.tolist()]
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        ids = [encoding.ids[:SENTENCE_TOKENS] for encoding in encodings]
        chapters = sentences[:, 0].tolist()
        return [
            Block(
                [token for row, start, end in block for token in ids[row][start:end]],
                [row for row, start, end in block for _ in range(start, end)],
            )
            for block in group_blocks(ids, chapters, BLOCK_TOKENS, SENTENCE_TOKENS)
            if any(ids[row] for row, _, _ in block)
        ]

    def part(self, start: float, end: float, below: float) -> PartLists | None:
        """Return the lists of the part between two shares of the work; None if there are none.

        A window that was not scored for a claim has `below` less than the claim's lowest score.
        """
        chosen = self.blocks[int(start * len(self.blocks)) : int(end * len(self.blocks))]
        return part_lists(self.lists, chosen, below) if chosen else None


def part_lists(
    lists: Sequence[ScoredList], chosen: Sequence[Block], below: float = 0.0
) -> PartLists | None:
    """Return the lists of the windows within consecutive blocks; None if there are none."""
    first, end = chosen[0].rows[0], chosen[-1].rows[-1] + 1
    inside = [
        np.flatnonzero((one.windows[:, 0] >= first) & (one.windows[:, 1] <= end)) for one in lists
    ]
    own = [
        (one, rows) for one, rows in zip(lists, inside, strict=True) if len(rows) >= LEAST_WINDOWS
    ]
    if not own:
        return None
    windows = np.unique(np.concatenate([one.windows[rows] for one, rows in own]), axis=0)
    columns = {window: column for column, window in enumerate(map(tuple, windows.tolist()))}
    scores = np.zeros((len(own), len(windows)), np.float32)
    hidden = np.zeros(scores.shape, np.bool_)
    shares = np.zeros(len(own), np.float32)
    for row, (one, rows) in enumerate(own):
        of_list = [columns[window] for window in map(tuple, one.windows[rows].tolist())]
        scores[row] = one.scores.min() - below
        scores[row, of_list] = one.scores[rows]
        hidden[row] = _touches(windows, one.windows)
        hidden[row, of_list] = False
        gains = np.exp(one.scores - one.scores.max())
        shares[row] = gains[rows].sum() / gains.sum()
    read = _blocks_within(windows, chosen)
    claims = [one.claim for one, _ in own]
    return PartLists(first, end, read, claims, windows, scores, hidden, shares)


def _blocks_within(windows: NDArray[np.int32], blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with a row in one of the windows."""
    rows = {row for start, stop in windows.tolist() for row in range(start, stop)}
    return [block for block in blocks if not rows.isdisjoint(block.rows)]


def _touches(windows: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return a mask of the windows (w, 2) that overlap or adjoin any of the others (o, 2)."""
    starts, ends = windows.T
    touching = (starts[:, None] <= others[:, 1]) & (ends[:, None] >= others[:, 0])
    is_touching: NDArray[np.bool_] = touching.any(1)
    return is_touching


def group(lists: TaughtLists, tokenizer: Tokenizer) -> list[TaughtWork]:
    """Return the works of the lists of `train`; grades are converted to scores."""
    by_work: dict[int, list[ScoredList]] = defaultdict(list)
    for one in lists.scored:
        by_work[id(one.work)].append(one)
    for one in lists.graded[graded.TRAIN]:
        if id(one.work) in by_work and len(one.scores) >= LEAST_WINDOWS:
            scores = GRADE_SCORES[one.scores.astype(np.int64)]
            by_work[id(one.work)].append(replace(one, scores=scores))
    return [TaughtWork(of_work[0].work, of_work, tokenizer) for of_work in by_work.values()]


def order_parts(
    works: Sequence[TaughtWork], sentences: int, least: int, seed: int
) -> Iterator[tuple[int, float, float]]:
    """Yield the numbers of works with parts of them, as shares of their length, in endless epochs.

    A part has about `sentences` sentences. If a work has fewer than `least` scored windows per
    part, only some of its parts are drawn.
    """
    epoch = 0
    while True:
        draw = random.Random(f"{seed} {epoch} parts")
        parts: list[tuple[int, float, float]] = []
        for number, work in enumerate(works):
            count = max(1, round(work.sentence_count / sentences))
            expected = sum(len(one.scores) for one in work.lists) / count
            shift = (draw.random() - 0.5) / count
            parts += [
                (number, max(0.0, at / count + shift), min(1.0, (at + 1) / count + shift))
                for at in range(count)
                if draw.random() * least < expected
            ]
        draw.shuffle(parts)
        yield from parts
        epoch += 1
