"""Joint training of a scorer: the unary and transition networks of a linear-chain CRF.

Sequences of quotations are sampled, and the annotated speakers are made likely among all
assignments of candidates to quotations (maximum likelihood of a conditional random field, Lafferty
et al. 2001). Quotations with an unknown speaker are summed over, so that partly annotated novels
can be used too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.attribution.features import BETWEEN, FEATURES, GROUPS, CandidateRows
from scholar_indexes.attribution.linear_chain import STATES, Network, TurnScorer
from scholar_indexes.errors import NoMatch

TURNS = "turns"
"""The evidence of the surrounding turns: transition scores, not features."""

KINDS = (*GROUPS, TURNS)
"""The kinds of evidence that can be omitted."""

_NEVER = -1e4

Places = NDArray[np.int64]
Layers = Sequence[torch.nn.Linear]


@dataclass(frozen=True, slots=True)
class TurnScorerSettings:
    """The hyperparameters of training.

    parts is the number of scorers of a round; batch is the number of sequences of a step, each of
    `quotations` quotations; alone is the weight of the unary loss, added to the loss of the chain;
    uncued is the initial share of a batch from novels without annotation, which falls to zero;
    without names the KINDS of evidence to omit, to measure what they contribute.
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


class TrainingSet:
    """The quotations of several novels in reading order, and their speakers.

    values (r, FEATURES) and characters (r,) are the candidates of all quotations. Quotation q has
    counts[q] candidates, starting at row firsts[q]; targets[q] is the position of its speaker
    among them, -1 if unknown. between[q] are its transition features; its novel is quotations
    [begins[q], ends[q]). annotated and others are the quotations with a known speaker in novels
    with and without annotation.

    Raises NoMatch if no annotated speaker is among the candidates.
    """

    def __init__(self, novels: Sequence[tuple[CandidateRows, AnnotatedNovel, bool]]) -> None:
        sizes = [len(rows.order) for rows, _, _ in novels]
        row = _offsets(len(rows.characters) for rows, _, _ in novels)
        edges = _offsets(sizes)
        self.values = np.concatenate([rows.values for rows, _, _ in novels])
        self.characters = np.concatenate([rows.characters for rows, _, _ in novels])
        self.between = np.concatenate([rows.between for rows, _, _ in novels])
        self.firsts = np.concatenate(
            [
                first + rows.edges[rows.order]
                for first, (rows, _, _) in zip(row[:-1], novels, strict=True)
            ]
        )
        self.counts = np.concatenate([np.diff(rows.edges)[rows.order] for rows, _, _ in novels])
        self.targets = np.concatenate([_find_targets(rows, novel) for rows, novel, _ in novels])
        self.begins, self.ends = np.repeat(edges[:-1], sizes), np.repeat(edges[1:], sizes)
        annotated = np.repeat([annotated for _, _, annotated in novels], sizes)
        self.annotated = np.flatnonzero((self.targets >= 0) & annotated)
        self.others = np.flatnonzero((self.targets >= 0) & ~annotated)
        if not len(self.annotated):
            raise NoMatch("no speaker is named near a quotation; give annotated novels")


def _find_targets(rows: CandidateRows, novel: AnnotatedNovel) -> Places:
    """Return the position of the speaker among the candidates of each quotation, -1 if absent."""
    targets = np.full(len(rows.order), -1)
    for index, number in enumerate(rows.order):
        candidates = rows.characters[rows.edges[number] : rows.edges[number + 1]]
        positions = np.flatnonzero(candidates == novel.speakers[number])
        targets[index] = positions[0] if len(positions) else -1
    return targets


def train(training_set: TrainingSet, settings: TurnScorerSettings, number: int) -> TurnScorer:
    """Train one scorer; `number` is its number in the model, for the seed."""
    torch.manual_seed(1_000 * settings.seed + number)
    draw = np.random.default_rng((settings.seed, number))
    model = _TrainableScorer(settings)
    share = settings.uncued if len(training_set.others) else 0.0
    learned = settings.batch * settings.quotations * (1 - share / 2)
    steps = max(1, int(settings.epochs * len(training_set.annotated) / learned))
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.learning_rate, steps + 1)
    for step in range(steps):
        others = int(draw.binomial(settings.batch, share * (1 - step / steps)))
        chosen = draw.choice(training_set.annotated, settings.batch - others)
        if others:
            chosen = np.concatenate([chosen, draw.choice(training_set.others, others)])
        back = draw.integers(settings.quotations, size=settings.batch)
        loss = model.loss(training_set, np.maximum(chosen - back, training_set.begins[chosen]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        schedule.step()
    return model.export()


class _TrainableScorer(torch.nn.Module):  # type: ignore[misc]
    def __init__(self, settings: TurnScorerSettings) -> None:
        super().__init__()
        self.settings = settings
        self.unary = _layers((FEATURES, *settings.widths, 1))
        self.transition = _layers((BETWEEN, settings.between, 2))
        self.drop = torch.nn.Dropout(settings.dropout)

    def loss(self, training_set: TrainingSet, firsts: Places) -> torch.Tensor:
        """Return the negative log-likelihood of the speakers of the sequences that begin at
        firsts (b,): the mean over quotations with a known speaker."""
        length = self.settings.quotations
        counts = np.minimum(firsts + length, training_set.ends[firsts]) - firsts
        chosen = _ragged(firsts, counts)
        place = torch.from_numpy(_ragged(np.arange(len(firsts)) * length, counts))
        targets = torch.from_numpy(training_set.targets[chosen])
        known = targets >= 0
        scores = self._unary_scores(training_set, chosen)
        alone = torch.nn.functional.cross_entropy(scores[known], targets[known])
        scores, characters, wrong = _states(training_set, chosen, scores, targets)

        def placed(values: torch.Tensor, empty: float) -> torch.Tensor:
            filled = values.new_full((len(firsts) * length, values.shape[1]), empty)
            return filled.index_put((place,), values).view(len(firsts), length, -1)

        transition = self._transition_scores(training_set, chosen)
        chain = QuotationSequences(
            placed(scores, 0.0), placed(characters, -1), placed(transition, 0.0)
        )
        every, true = chain.log_partition(placed(wrong, 0.0))
        return (every - true).sum() / known.sum() + self.settings.alone * alone

    def _unary_scores(self, training_set: TrainingSet, quotations: Places) -> torch.Tensor:
        """Return the unary score of each candidate (q, c), padded."""
        counts = training_set.counts[quotations]
        rows = _ragged(training_set.firsts[quotations], counts)
        scores = torch.full((len(quotations), int(counts.max())), _NEVER)
        quotation = np.repeat(np.arange(len(quotations)), counts)
        place = _ragged(np.zeros_like(counts), counts)
        batch = torch.from_numpy(training_set.values[rows])
        for layer in self.unary[:-1]:
            batch = self.drop(torch.relu(layer(batch)))
        where = torch.from_numpy(quotation), torch.from_numpy(place)
        return scores.index_put(where, self.unary[-1](batch)[:, 0])

    def _transition_scores(self, training_set: TrainingSet, quotations: Places) -> torch.Tensor:
        batch = torch.from_numpy(training_set.between[quotations])
        for layer in self.transition[:-1]:
            batch = torch.relu(layer(batch))
        transition: torch.Tensor = self.transition[-1](batch)
        return transition * (TURNS not in self.settings.without)

    def export(self) -> TurnScorer:
        """Return the trained networks, with zero weights for omitted evidence."""
        with torch.no_grad():
            for kind in self.settings.without:
                if kind == TURNS:
                    self.transition[-1].weight.zero_()
                    self.transition[-1].bias.zero_()
                else:
                    self.unary[0].weight[:, GROUPS[kind]] = 0
        return TurnScorer(_arrays(self.unary), _arrays(self.transition))


@dataclass(frozen=True, slots=True)
class QuotationSequences:
    """Sequences of quotations: unary scores (b, t, k) of the states, their characters (b, t, k),
    -1 for none, and transition scores (b, t, 2) for the same speaker as one and two quotations
    before."""

    scores: torch.Tensor
    characters: torch.Tensor
    transition: torch.Tensor

    def log_partition(self, wrong: torch.Tensor) -> torch.Tensor:
        """Return the log partition functions (2, b) over all assignments of states, and with the
        penalty `wrong` added to the unary scores."""
        scores = torch.stack([self.scores, self.scores + wrong])
        reached = torch.zeros(*scores.shape[:2], STATES, STATES)
        for turn in range(scores.shape[2]):
            once = self._is_same(turn, 1) * self._transition_score(turn, 1)
            twice = self._is_same(turn, 2) * self._transition_score(turn, 2)
            before = (reached[:, :, None] + twice[:, :, None]).logsumexp(-1)
            reached = scores[:, :, turn, :, None] + once + before
        return reached.flatten(2).logsumexp(2)

    def _is_same(self, turn: int, back: int) -> torch.Tensor:
        """Return True where a state is the same character as the state `back` turns before
        (b, k, k)."""
        later = self.characters[:, turn, :, None]
        if turn < back:
            return torch.zeros_like(later == -1)
        return (later == self.characters[:, turn - back, None]) & (later >= 0)

    def _transition_score(self, turn: int, back: int) -> torch.Tensor:
        return self.transition[:, turn, back - 1, None, None]


def _states(
    training_set: TrainingSet, quotations: Places, scores: torch.Tensor, targets: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the states of each quotation: its best candidates, including the speaker if known.

    Returns their unary scores, their characters, and the penalty for all except the speaker
    (q, STATES).
    """
    scores = torch.nn.functional.pad(scores, (0, max(0, STATES - scores.shape[1])), value=_NEVER)
    speaker = torch.arange(scores.shape[1]) == targets[:, None]
    best = (scores.detach() - _NEVER * speaker).topk(STATES).indices
    rows = torch.from_numpy(training_set.firsts[quotations])[:, None] + best
    last = len(training_set.characters) - 1
    characters = torch.from_numpy(training_set.characters)[rows.clamp(max=last)]
    exists = best < torch.from_numpy(training_set.counts[quotations])[:, None]
    wrong = ((targets >= 0)[:, None] & ~speaker.gather(1, best)) * _NEVER
    return scores.gather(1, best), characters.where(exists, -1), wrong


def _layers(widths: Sequence[int]) -> torch.nn.ModuleList:
    return torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(widths))


def _arrays(layers: Layers) -> Network:
    return [
        (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
        for layer in layers
    ]


def _offsets(counts: Iterable[int]) -> Places:
    """Return the starts of consecutive runs of the given lengths, and the end of the last."""
    return np.cumsum([0, *counts])


def _ragged(firsts: Places, counts: Places) -> Places:
    """Return the concatenated ranges of counts[i] numbers from firsts[i]."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(firsts - ends + counts, counts)
