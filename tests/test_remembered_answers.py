"""The remembered outputs of models equal what they would compute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import remembered_answers
from remembered_answers import RememberedAnswers, RememberingSession


class Doubling:
    """A session that doubles its input, and counts the batches."""

    def __init__(self) -> None:
        self.batches = 0

    def run(self, names: list[str] | None, inputs: Mapping[str, NDArray[Any]]) -> list[Any]:
        self.batches += 1
        return [inputs["x"] * 2]


def ask(session: RememberingSession, *numbers: float) -> list[float]:
    [output] = session.run(None, {"x": np.array(numbers)})
    doubled: list[float] = output.tolist()
    output[:] = -1  # as a caller that normalises in place does
    return doubled


def test_only_the_same_batch_of_the_same_model_is_remembered() -> None:
    answers = RememberedAnswers()
    model, other = Doubling(), Doubling()
    session = RememberingSession(model, answers)
    assert [ask(session, 1, 2), ask(session, 2, 1), ask(session, 1, 2)] == [[2, 4], [4, 2], [2, 4]]
    assert ask(RememberingSession(other, answers), 1, 2) == [2, 4]
    assert (model.batches, other.batches) == (2, 1)


def test_nothing_is_remembered_where_a_test_wants_it_computed() -> None:
    answers, model = RememberedAnswers(), Doubling()
    session = RememberingSession(model, answers)
    ask(session, 1)
    answers.in_use = False
    ask(session, 1)
    assert model.batches == 2


def test_the_oldest_answer_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered_answers, "MOST_BYTES", 16)  # two outputs of one number
    model = Doubling()
    session = RememberingSession(model, RememberedAnswers())
    for number in (1, 2, 1, 3, 1):
        ask(session, number)
    assert model.batches == 3
    ask(session, 2)
    assert model.batches == 4
