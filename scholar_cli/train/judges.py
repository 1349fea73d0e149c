"""Train a judge: what suits a speaker, and how quotations follow one another, together.

Stretches of conversations are drawn, and the annotated speakers are made likely among all ways
of giving quotations to candidates (maximum likelihood of a conditional random field, Lafferty
et al. 2001). Quotations whose speaker is not known are summed over, so that novels of which
little is known can teach as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes.errors import NoMatch
from scholar_indexes.speakers.features import BETWEEN, FEATURES, GROUPS, Rows
from scholar_indexes.speakers.turns import STATES, Judge, Network

TURNS = "turns"
"""The evidence of who else speaks, which is a chain and no feature."""

KINDS = (*GROUPS, TURNS)
"""The kinds of evidence that can be left out."""

_NEVER = -1e4

Places = NDArray[np.int64]
Layers = Sequence[torch.nn.Linear]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data.

    parts are the judges of a round; batch is how many stretches a step learns from, of so many
    quotations; alone is the weight of quotations by themselves beside that of their company;
    uncued is the share of a batch, at the beginning, that comes from novels without annotation;
    without names KINDS of evidence that are left out, to see what they are worth.
    """

    rounds: int = 3
    parts: int = 4
    epochs: int = 20
    batch: int = 32
    quotations: int = 24
    widths: tuple[int, ...] = (128, 64)
    between: int = 32
    learning_rate: float = 2e-3
    weight_decay: float = 1e-3
    dropout: float = 0.4
    alone: float = 0.1
    uncued: float = 0.5
    without: tuple[str, ...] = ()
    seed: int = 0


class Lessons:
    """The quotations of several novels, as they are read, and who says them.

    values (r, FEATURES) and who (r,) are the candidates of all quotations; quotation q has
    counts[q] of them from row firsts[q] on, and right[q] is the place of its speaker among
    them, -1 where that is not known. It goes on as between[q] says; its novel is quotations
    [begins[q], ends[q]). annotated and others are those whose speaker is known, in novels of
    both kinds.

    Raises NoMatch where no annotated speaker is among the candidates.
    """

    def __init__(self, taught: Sequence[tuple[Rows, Novel, bool]]) -> None:
        sizes = [len(rows.order) for rows, _, _ in taught]
        row = _starts(len(rows.who) for rows, _, _ in taught)
        edges = _starts(sizes)
        self.values = np.concatenate([rows.values for rows, _, _ in taught])
        self.who = np.concatenate([rows.who for rows, _, _ in taught])
        self.between = np.concatenate([rows.between for rows, _, _ in taught])
        self.firsts = np.concatenate(
            [
                first + rows.edges[rows.order]
                for first, (rows, _, _) in zip(row[:-1], taught, strict=True)
            ]
        )
        self.counts = np.concatenate([np.diff(rows.edges)[rows.order] for rows, _, _ in taught])
        self.right = np.concatenate([_right(rows, novel) for rows, novel, _ in taught])
        self.begins, self.ends = np.repeat(edges[:-1], sizes), np.repeat(edges[1:], sizes)
        annotated = np.repeat([annotated for _, _, annotated in taught], sizes)
        self.annotated = np.flatnonzero((self.right >= 0) & annotated)
        self.others = np.flatnonzero((self.right >= 0) & ~annotated)
        if not len(self.annotated):
            raise NoMatch("no speaker is named near a quotation; give annotated novels")


def _right(rows: Rows, novel: Novel) -> Places:
    """The place of the speaker among the candidates of each quotation, -1 where it has none."""
    found = np.full(len(rows.order), -1)
    for at, number in enumerate(rows.order):
        here = rows.who[rows.edges[number] : rows.edges[number + 1]]
        place = np.flatnonzero(here == novel.speakers[number])
        found[at] = place[0] if len(place) else -1
    return found


def train(lessons: Lessons, recipe: Recipe, number: int) -> Judge:
    """One judge, the numberth of its model."""
    torch.manual_seed(1_000 * recipe.seed + number)
    draw = np.random.default_rng((recipe.seed, number))
    learner = _Learner(recipe)
    share = recipe.uncued if len(lessons.others) else 0.0
    learned = recipe.batch * recipe.quotations * (1 - share / 2)
    steps = max(1, int(recipe.epochs * len(lessons.annotated) / learned))
    optimizer = torch.optim.AdamW(
        learner.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.learning_rate, steps + 1)
    for step in range(steps):
        others = int(draw.binomial(recipe.batch, share * (1 - step / steps)))
        chosen = draw.choice(lessons.annotated, recipe.batch - others)
        if others:
            chosen = np.concatenate([chosen, draw.choice(lessons.others, others)])
        back = draw.integers(recipe.quotations, size=recipe.batch)
        loss = learner.loss(lessons, np.maximum(chosen - back, lessons.begins[chosen]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return learner.judge()


class _Learner(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, recipe: Recipe) -> None:
        super().__init__()
        self.recipe = recipe
        self.suits = _layers((FEATURES, *recipe.widths, 1))
        self.follows = _layers((BETWEEN, recipe.between, 2))
        self.drop = torch.nn.Dropout(recipe.dropout)

    def loss(self, lessons: Lessons, firsts: Places) -> torch.Tensor:
        """How unlikely the speakers of some stretches are, which begin at firsts (b,): a mean
        over quotations whose speaker is known."""
        length = self.recipe.quotations
        counts = np.minimum(firsts + length, lessons.ends[firsts]) - firsts
        chosen = _ragged(firsts, counts)
        place = torch.from_numpy(_ragged(np.arange(len(firsts)) * length, counts))
        right = torch.from_numpy(lessons.right[chosen])
        known = right >= 0
        scores = self._scores(lessons, chosen)
        alone = torch.nn.functional.cross_entropy(scores[known], right[known])
        scores, who, wrong = _states(lessons, chosen, scores, right)

        def placed(values: torch.Tensor, empty: float) -> torch.Tensor:
            filled = values.new_full((len(firsts) * length, values.shape[1]), empty)
            return filled.index_put((place,), values).view(len(firsts), length, -1)

        followed = self._followed(lessons, chosen)
        chain = Chain(placed(scores, 0.0), placed(who, -1), placed(followed, 0.0))
        every, true = chain.totals(placed(wrong, 0.0))
        return (every - true).sum() / known.sum() + self.recipe.alone * alone

    def _scores(self, lessons: Lessons, quotations: Places) -> torch.Tensor:
        """How well each candidate suits (q, c), padded."""
        counts = lessons.counts[quotations]
        rows = _ragged(lessons.firsts[quotations], counts)
        scores = torch.full((len(quotations), int(counts.max())), _NEVER)
        quotation = np.repeat(np.arange(len(quotations)), counts)
        place = _ragged(np.zeros_like(counts), counts)
        batch = torch.from_numpy(lessons.values[rows])
        for layer in self.suits[:-1]:
            batch = self.drop(torch.relu(layer(batch)))
        where = torch.from_numpy(quotation), torch.from_numpy(place)
        return scores.index_put(where, self.suits[-1](batch)[:, 0])

    def _followed(self, lessons: Lessons, quotations: Places) -> torch.Tensor:
        batch = torch.from_numpy(lessons.between[quotations])
        for layer in self.follows[:-1]:
            batch = torch.relu(layer(batch))
        followed: torch.Tensor = self.follows[-1](batch)
        return followed * (TURNS not in self.recipe.without)

    def judge(self) -> Judge:
        """What was learned, without what no lesson has changed."""
        with torch.no_grad():
            for kind in self.recipe.without:
                if kind == TURNS:
                    self.follows[-1].weight.zero_()
                    self.follows[-1].bias.zero_()
                else:
                    self.suits[0].weight[:, GROUPS[kind]] = 0
        return Judge(_arrays(self.suits), _arrays(self.follows))


@dataclass(frozen=True, slots=True)
class Chain:
    """Stretches of quotations: scores (b, t, k) of the states who (b, t, k), -1 for none, and
    how much speaks for the speaker of the one before and of the one before that (b, t, 2)."""

    scores: torch.Tensor
    who: torch.Tensor
    follows: torch.Tensor

    def totals(self, wrong: torch.Tensor) -> torch.Tensor:
        """The logarithm of the sum over all ways of giving quotations to states, and over those
        that are left where wrong is added to the scores (2, b)."""
        scores = torch.stack([self.scores, self.scores + wrong])
        reached = torch.zeros(*scores.shape[:2], STATES, STATES)
        for turn in range(scores.shape[2]):
            once = self._again(turn, 1) * self._follow(turn, 0)
            twice = self._again(turn, 2) * self._follow(turn, 1)
            before = (reached[:, :, None] + twice[:, :, None]).logsumexp(-1)
            reached = scores[:, :, turn, :, None] + once + before
        return reached.flatten(2).logsumexp(2)

    def _again(self, turn: int, back: int) -> torch.Tensor:
        """Whether a state is the same person as one so far back (b, k, k)."""
        here = self.who[:, turn, :, None]
        before = self.who[:, turn - back, None] if turn >= back else torch.full_like(here, -1)
        return (here == before) & (here >= 0)

    def _follow(self, turn: int, way: int) -> torch.Tensor:
        return self.follows[:, turn, way, None, None]


def _states(
    lessons: Lessons, quotations: Places, scores: torch.Tensor, right: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The best candidates of each quotation, the speaker among them, where known: their scores,
    who they are, and what keeps all but the speaker away (q, STATES)."""
    scores = torch.nn.functional.pad(scores, (0, max(0, STATES - scores.shape[1])), value=_NEVER)
    speaker = torch.arange(scores.shape[1]) == right[:, None]
    best = (scores.detach() - _NEVER * speaker).topk(STATES).indices
    rows = torch.from_numpy(lessons.firsts[quotations])[:, None] + best
    who = torch.from_numpy(lessons.who)[rows.clamp(max=len(lessons.who) - 1)]
    there = best < torch.from_numpy(lessons.counts[quotations])[:, None]
    wrong = ((right >= 0)[:, None] & ~speaker.gather(1, best)) * _NEVER
    return scores.gather(1, best), who.where(there, -1), wrong


def _layers(widths: Sequence[int]) -> torch.nn.ModuleList:
    return torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(widths))


def _arrays(layers: Layers) -> Network:
    return [
        (each.weight.detach().numpy().T.copy(), each.bias.detach().numpy().copy())
        for each in layers
    ]


def _starts(counts: Iterable[int]) -> Places:
    """Where each of several things begins that follow one another, and where the last ends."""
    return np.cumsum([0, *counts])


def _ragged(firsts: Places, counts: Places) -> Places:
    """Each first number and those that follow it, so many of each."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(firsts - ends + counts, counts)
