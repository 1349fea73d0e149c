"""The comparison with stored answers distinguishes a change from noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import golden_answers
from golden_answers import check_figure, check_golden, is_same, to_lines

THREE = [["a", 3.0], ["b", 2.0], ["c", 1.0]]


@pytest.mark.parametrize(
    "today",
    [
        pytest.param([["b", 3.0], ["a", 2.0], ["c", 1.0]], id="two in another order"),
        pytest.param([["a", 3.0], ["b", 1.5], ["c", 1.0]], id="another score"),
        pytest.param([["a", 3.0], ["d", 2.0], ["c", 1.0]], id="another item"),
        pytest.param([["a", 3.0], ["b", 2.0]], id="one fewer"),
        pytest.param([], id="none"),
    ],
)
def test_a_ranking_that_changed_is_not_the_same(today: list[list[Any]]) -> None:
    assert not is_same(THREE, today, 0.1)


@pytest.mark.parametrize(
    "today",
    [
        pytest.param([["a", 3.05], ["b", 1.95], ["c", 1.0]], id="scores a little different"),
        pytest.param([["a", 3.0], ["b", 2.0], ["d", 1.0]], id="another of the same score is last"),
    ],
)
def test_a_ranking_that_differs_by_noise_is_the_same(today: list[list[Any]]) -> None:
    assert is_same(THREE, today, 0.1)


def test_items_of_about_the_same_score_may_change_places() -> None:
    assert is_same(
        [["a", 2.0], ["b", 1.99], ["c", 0.0]], [["b", 2.0], ["a", 1.99], ["c", 0.0]], 0.1
    )


@pytest.mark.parametrize(
    ("kept", "today"),
    [
        pytest.param("a", "b", id="words"),
        pytest.param(1, 2, id="counts"),
        pytest.param(["a", 0.5], ["a", 0.7], id="a number in a list"),
        pytest.param(["a"], ["a", "b"], id="a longer list"),
        pytest.param(None, "a", id="nothing"),
    ],
)
def test_other_values_are_equal_or_not(kept: Any, today: Any) -> None:
    assert not is_same(kept, today, 0.1)
    assert is_same(kept, kept, 0.1)


def test_a_change_is_told_with_both_answers_and_kept_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden_answers, "FOLDER", tmp_path)
    (tmp_path / "moths.json").write_text(to_lines({"tolerance": 0.1, "lamps": [["a", 1.0]]}))
    check_golden("moths", {"lamps": [["a", 1.05]]}, update=False)
    with pytest.raises(AssertionError, match=r'kept:  \[\["a", 1.0\]\]\n  today: \[\["b", 2.0\]\]'):
        check_golden("moths", {"lamps": [["b", 2.0]]}, update=False)
    check_golden("moths", {"lamps": [["b", 2.0]]}, update=True)
    kept = json.loads((tmp_path / "moths.json").read_text("utf-8"))
    assert kept == {"tolerance": 0.1, "lamps": [["b", 2.0]]}


def test_other_questions_than_the_kept_ones_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden_answers, "FOLDER", tmp_path)
    check_golden("moths", {"lamps": 1}, update=True)
    with pytest.raises(AssertionError, match="questions differ from moths"):
        check_golden("moths", {"candles": 1}, update=False)


def test_a_figure_outside_its_interval_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden_answers, "FOLDER", tmp_path)
    scores = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 10
    check_figure("moths found", scores, update=True)
    check_figure("moths found", [*scores, [1.0, 0.0]], update=False)
    with pytest.raises(AssertionError, match=r"moths found: 0\.500 is outside 0\.5[0-9]+ to"):
        check_figure("moths found", [[1.0, 0.0]], update=False)
