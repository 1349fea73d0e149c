"""Training a turn scorer: its loss, and learning from conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.attribution import linear_chain
from scholar_indexes.attribution.features import BETWEEN, FEATURES, GROUPS, CandidateRows
from scholar_indexes.attribution.linear_chain import STATES, Potentials
from scholar_indexes.errors import NoMatch
from scholar_indexes.types import Character, Quotation, Span

pytest.importorskip("torch", reason="training needs the extra [lab]")

import torch

from scholar_cli.laboratory.pdnc.turn_scorers import (
    TURNS,
    QuotationSequences,
    TrainingSet,
    TurnScorerSettings,
    train,
)

RECIPE = TurnScorerSettings(
    epochs=60, batch=8, quotations=8, widths=(8,), dropout=0.0, learning_rate=1e-2
)
NAMED = GROUPS["cues"].start
"""The feature of a candidate named next to the quotation."""


def rows(count: int, named: Sequence[tuple[int, int]]) -> CandidateRows:
    """Return quotations with two candidates; `named` lists the candidates named next to them."""
    values = np.zeros((2 * count, FEATURES), np.float32)
    for number, who in named:
        values[2 * number + who, NAMED] = 1
    return CandidateRows(
        values,
        np.tile([0, 1], count),
        np.arange(0, 2 * count + 1, 2),
        np.arange(count),
        np.ones((count, BETWEEN), np.float32),
    )


def novel(speakers: Sequence[int]) -> AnnotatedNovel:
    cast = Character("a", "A", ("A",)), Character("b", "B", ("B",))
    quotations = tuple(Quotation((Span(n, n + 1),)) for n in range(len(speakers)))
    return AnnotatedNovel(
        "Talk",
        "x" * len(speakers),
        cast,
        ("a", "b"),
        quotations,
        tuple(speakers),
        ("",) * len(speakers),
    )


TALK = [n % 2 for n in range(80)]
"""Two speakers who take turns."""


NUMBER = st.floats(-3, 3, width=32)


@given(
    st.lists(
        st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True), min_size=1, max_size=6
    ),
    NUMBER,
    NUMBER,
    st.integers(0, 2**32 - 1),
)
def test_training_and_inference_use_the_same_probabilities(
    who: list[list[int]], once: float, twice: float, seed: int
) -> None:
    """The gradient of the log partition function is the marginal probability of a state."""
    count, sizes = len(who), [len(candidates) for candidates in who]
    unary = np.random.default_rng(seed).normal(size=(count, STATES)).astype(np.float32)
    there = np.arange(STATES) < np.array(sizes)[:, None]
    scores = torch.tensor(np.where(there, unary, -1e4)[None], requires_grad=True)
    states = np.full((count, STATES), -1)
    states[there] = [candidate for candidates in who for candidate in candidates]
    transition = np.tile(np.array([once, twice], np.float32), (count, 1))
    chain = QuotationSequences(scores, torch.tensor(states[None]), torch.tensor(transition[None]))
    every, _ = chain.log_partition(torch.zeros_like(scores))
    (slope,) = torch.autograd.grad(every.sum(), scores)
    candidates = CandidateRows(
        np.zeros((sum(sizes), FEATURES), np.float32),
        states[there],
        np.cumsum([0, *sizes]),
        np.arange(count),
        np.zeros((count, BETWEEN), np.float32),
    )
    likely = linear_chain.compute_marginals(candidates, Potentials(unary[there], transition))
    assert slope.numpy()[0][there] == pytest.approx(likely, abs=1e-4)


@pytest.mark.slow
def test_a_scorer_learns_that_speakers_take_turns() -> None:
    """Only every tenth quotation names its speaker; the others have only their position."""
    training_set = TrainingSet(
        [(rows(80, [(n, TALK[n]) for n in range(0, 80, 10)]), novel(TALK), True)]
    )
    candidates = rows(80, [(3, 0)])
    guesses = linear_chain.decode(candidates, [train(training_set, RECIPE, 0)])
    assert list(guesses.speakers) == [(n + 1) % 2 for n in range(80)]
    alone = linear_chain.decode(
        candidates, [train(training_set, replace(RECIPE, without=(TURNS,)), 0)]
    )
    assert max(alone.probabilities[:3]) == pytest.approx(0.5, abs=0.05)


def test_a_novel_of_which_little_is_known_teaches_as_well() -> None:
    known = [(n, TALK[n]) for n in range(0, 80, 2)]
    speakers = [who if n % 8 == 0 else -1 for n, who in enumerate(TALK)]
    annotated = rows(2, [(0, 0), (1, 1)]), novel([0, 1]), True
    training_set = TrainingSet([annotated, (rows(80, known), novel(speakers), False)])
    assert len(training_set.others) == 10
    guesses = linear_chain.decode(rows(3, [(0, 1), (2, 0)]), [train(training_set, RECIPE, 0)])
    assert (guesses.speakers[0], guesses.speakers[2]) == (1, 0)


def test_stretches_end_where_their_novel_does() -> None:
    short, long = rows(3, []), rows(40, [])
    training_set = TrainingSet([(short, novel(TALK[:3]), True), (long, novel(TALK[:40]), True)])
    assert training_set.begins.tolist() == [0] * 3 + [3] * 40
    assert training_set.ends.tolist() == [3] * 3 + [43] * 40


def test_speakers_who_are_no_candidates_teach_nothing() -> None:
    with pytest.raises(NoMatch, match="annotated novels"):
        TrainingSet([(rows(2, []), novel([-1, 7]), True)])
