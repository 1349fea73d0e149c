"""What a retriever learns from: claims and the passages that bear them out.

Three kinds, all from works that may train: critics' prose around a quotation, as RELiC
has it; clauses cut from that prose, because most claims at a prompt are short; and
stretches of the work itself, whose neighbours stand in for the claim (the in-book
negatives of RankGen, Krishna et al. 2022). A batch is drawn from one work, so that
every other passage in it is a negative about the same people and places.

Every draw depends on the seed and the step alone: training goes on where it stopped.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_cli.bench.relic_form import CONTEXT, Window, Work

VIEWS = ((4, 4), (1, 1), (1, 0), (4, 0), (0, 1), (0, 4))
VIEW_WEIGHTS = (6, 3, 4, 2, 1, 1)
"""Sentences before and after the quotation, and how often a claim is cut so."""

SHORT_SHARE = 0.2
"""How often a claim is a clause of the critic's."""

SHORTEST_CLAIM, LONGEST_CLAIM = 4, 20
"""Words of a clause that can stand as a claim."""

LEAST = 16
"""Pairs that are made from a work that is not quoted: a batch needs negatives."""

STRETCHES = (1, 1, 2, 4)
"""Sentences of a work that stand in for a claim, each as often as it is listed."""

_CLAUSE = re.compile(r"[,;:()—–]|--| - ")


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, as what stands before and after its mask, and the passage it is about:
    sentences [start, start + size) of a work. The passage must not be read together
    with the sentences [hidden_start, hidden_end), which the claim was made from."""

    left: str
    right: str
    start: int
    size: int
    hidden_start: int = 0
    hidden_end: int = 0


def batch(
    works: Sequence[Work], size: int, own_share: float, seed: int, step: int
) -> tuple[int, list[Pair]]:
    """The number of a work and at most size pairs of it.

    Works are drawn by about the root of how often they are quoted, the unquoted seldom.
    own_share of the pairs are made from the work itself, more where it is quoted little.
    """
    draw = random.Random(f"{seed} {step}")
    often = [(len(work.windows) + 1) ** 0.6 for work in works]
    number = draw.choices(range(len(works)), often)[0]
    work = works[number]
    quoted = min(len(work.windows), round(size * (1 - own_share)))
    pairs = [said(window, draw) for window in draw.sample(work.windows, quoted)]
    own = min(size - quoted, max(round(size * own_share), quoted, LEAST))
    pairs += [continued(work, draw) for _ in range(own)]
    return number, pairs


def said(window: Window, draw: random.Random) -> Pair:
    """A critic's words around a quotation: a view of both sides, or one clause."""
    if draw.random() < SHORT_SHARE and (clause := short(window, draw)):
        return Pair(clause, "", window.start, window.size)
    before, after = window.sides(*draw.choices(VIEWS, VIEW_WEIGHTS)[0])
    if not before and not after:
        before, after = window.sides(CONTEXT, CONTEXT)
    return Pair(before, after, window.start, window.size)


def short(window: Window, draw: random.Random) -> str:
    """A clause of the sentence next to the quotation; empty where there is none."""
    nearest = [*window.left[-1:], *window.right[:1]]
    clauses = [clause.strip() for each in nearest for clause in _CLAUSE.split(each)]
    fitting = [each for each in clauses if SHORTEST_CLAIM <= len(each.split()) <= LONGEST_CLAIM]
    return draw.choice(fitting).rstrip(".!?\"'”’") if fitting else ""


def anywhere(work: Work, draw: random.Random) -> tuple[int, int]:
    """Where a candidate of a work begins and how many sentences it has, by chance."""
    size = draw.choice([size for size, starts in work.candidates.items() if starts])
    return draw.choice(work.candidates[size]), size


def continued(work: Work, draw: random.Random) -> Pair:
    """A passage of a work, with a stretch that stands close before or after it as the
    claim, or one on either side."""
    start, size = anywhere(work, draw)
    first = max(0, start - draw.choice(STRETCHES))
    end = min(len(work.sentences), start + size + draw.choice(STRETCHES))
    side = draw.randrange(3)
    before = work.sentences[first:start] if side != 1 else ()
    after = work.sentences[start + size : end] if side != 0 else ()
    if not before and not after:
        before, after = work.sentences[first:start], work.sentences[start + size : end]
    hidden_start = first if before else start
    hidden_end = end if after else start + size
    return Pair(" ".join(before), " ".join(after), start, size, hidden_start, hidden_end)
