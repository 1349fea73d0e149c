"""Draw the training pairs of the retriever: claims and the passages that support them.

There are three kinds, all from training works: critics' prose around a quotation, as in
RELiC; clauses cut from that prose, because most claims at a prompt are short; and
passages of the work itself with neighbouring sentences as the claim (the in-book
negatives of RankGen, Krishna et al. 2022). A batch is drawn from one work, so that
every other passage in it is a negative about the same people and places.

Every draw depends on the seed and the step alone, so that training can be resumed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_cli.laboratory.relic.relic_data import CONTEXT, QuotationWindow, QuotedWork

VIEWS = ((4, 4), (1, 1), (1, 0), (4, 0), (0, 1), (0, 4))
VIEW_WEIGHTS = (6, 3, 4, 2, 1, 1)
"""Sentences before and after the quotation in a claim, and the weights of drawing them."""

SHORT_SHARE = 0.2
"""The share of claims that are a clause of a critic."""

SHORTEST_CLAIM, LONGEST_CLAIM = 4, 20
"""Words of a clause that can be a claim."""

MIN_OWN = 16
"""Pairs that are made from a work without quotations: a batch needs negatives."""

STRETCHES = (1, 1, 2, 4)
"""Sentences of a work in a claim, drawn from this list."""

_CLAUSE = re.compile(r"[,;:()—–]|--| - ")


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A claim, as the text before and after its mask, and the passage that supports it.

    The passage is the sentences [start, start + size) of a work. It must not be encoded together
    with the sentences [hidden_start, hidden_end), which the claim was made from.
    """

    left: str
    right: str
    start: int
    size: int
    hidden_start: int = 0
    hidden_end: int = 0


def batch(
    works: Sequence[QuotedWork], size: int, own_share: float, seed: int, step: int
) -> tuple[int, list[TrainingPair]]:
    """Return the number of a work and at most size pairs of it.

    Works are drawn with weights of about the square root of their number of quotations. own_share
    of the pairs are made from the work itself, more if it has few quotations.
    """
    draw = random.Random(f"{seed} {step}")
    weights = [(len(work.windows) + 1) ** 0.6 for work in works]
    number = draw.choices(range(len(works)), weights)[0]
    work = works[number]
    quoted = min(len(work.windows), round(size * (1 - own_share)))
    pairs = [quotation_pair(window, draw) for window in draw.sample(work.windows, quoted)]
    own = min(size - quoted, max(round(size * own_share), quoted, MIN_OWN))
    pairs += [neighbour_pair(work, draw) for _ in range(own)]
    return number, pairs


def quotation_pair(window: QuotationWindow, draw: random.Random) -> TrainingPair:
    """Return a pair of a quotation and the critic's words around it, or one clause of them."""
    if draw.random() < SHORT_SHARE and (clause := short_claim(window, draw)):
        return TrainingPair(clause, "", window.start, window.size)
    before, after = window.sides(*draw.choices(VIEWS, VIEW_WEIGHTS)[0])
    if not before and not after:
        before, after = window.sides(CONTEXT, CONTEXT)
    return TrainingPair(before, after, window.start, window.size)


def short_claim(window: QuotationWindow, draw: random.Random) -> str:
    """Return a clause of a sentence next to the quotation; "" if none has a suitable length."""
    nearest = [*window.left[-1:], *window.right[:1]]
    clauses = [clause.strip() for sentence in nearest for clause in _CLAUSE.split(sentence)]
    fitting = [
        clause for clause in clauses if SHORTEST_CLAIM <= len(clause.split()) <= LONGEST_CLAIM
    ]
    return draw.choice(fitting).rstrip(".!?\"'”’") if fitting else ""


def random_candidate(work: QuotedWork, draw: random.Random) -> tuple[int, int]:
    """Return the start and the number of sentences of a random candidate of a work."""
    size = draw.choice([size for size, starts in work.candidates.items() if starts])
    return draw.choice(work.candidates[size]), size


def neighbour_pair(work: QuotedWork, draw: random.Random) -> TrainingPair:
    """Return a pair of a random passage of a work and the sentences before it, after it or on
    both sides."""
    start, size = random_candidate(work, draw)
    first = max(0, start - draw.choice(STRETCHES))
    end = min(len(work.sentences), start + size + draw.choice(STRETCHES))
    side = draw.randrange(3)
    before = work.sentences[first:start] if side != 1 else ()
    after = work.sentences[start + size : end] if side != 0 else ()
    if not before and not after:
        before, after = work.sentences[first:start], work.sentences[start + size : end]
    hidden_start = first if before else start
    hidden_end = end if after else start + size
    return TrainingPair(" ".join(before), " ".join(after), start, size, hidden_start, hidden_end)
