"""Plots of counts by chapter."""

from __future__ import annotations

import pytest

from scholar_tui.widgets import plot


@pytest.mark.parametrize(
    ("counts", "width", "shown"),
    [
        pytest.param([0, 1, 2, 4], 4, " ▂▄█", id="a cell each"),
        pytest.param([1, 1000], 2, "▁█", id="what is more than nothing is seen"),
        pytest.param([0, 4], 4, "  ██", id="two cells each"),
        pytest.param([2, 4], 9, "▄▄ ██", id="with gaps if there is room"),
        pytest.param([4, 4, 1, 1], 2, "█▂", id="chapters share a cell"),
        pytest.param([0, 0], 2, "  ", id="nowhere"),
        pytest.param([], 5, "", id="no chapters"),
        pytest.param([1, 2], 0, "", id="no room"),
    ],
)
def test_counts_are_blocks(counts: list[int], width: int, shown: str) -> None:
    assert plot.sparkline(counts, width) == shown


def test_a_higher_plot_grows_from_its_lowest_line() -> None:
    assert plot.bar_chart([1, 2, 4], 3, 2) == ["  █", "▄██"]


@pytest.mark.parametrize("width", range(1, 90, 7))
def test_a_plot_and_its_axis_keep_to_their_width(width: int) -> None:
    numbers = range(1, 62)
    assert len(plot.sparkline(list(numbers), width)) <= width
    assert len(plot.axis_labels(numbers, width)) <= width


def test_an_axis_has_round_numbers_under_their_bars() -> None:
    assert plot.axis_labels(range(1, 13), 12) == "1   5    10"
    assert plot.axis_labels(range(1, 4), 18) == "1     2     3"


@pytest.mark.parametrize(("count", "shown"), [(8, "████"), (4, "██  "), (1, "▌   "), (0, "    ")])
def test_a_bar_lies_in_its_width(count: int, shown: str) -> None:
    assert plot.horizontal_bar(count, 8, 4) == shown
