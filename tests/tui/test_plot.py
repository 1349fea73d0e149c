"""Plots of counts by chapter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_tui.widgets import plot
from scholar_tui.widgets.braille import BrailleCanvas
from scholar_tui.widgets.network_graph import places_around


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


# -- lines and networks ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "width", "shown"),
    [
        pytest.param((5, 0), 1, "⠉⠉⠉", id="across"),
        pytest.param((5, 0), 3, "⠛⠛⠛", id="wide, cut at the edge"),
        pytest.param((5, 0), 0, "⠁⠈⠀", id="dotted"),
        pytest.param((0, 3), 1, "⡇⠀⠀", id="down"),
        pytest.param((3, 3), 1, "⠑⢄⠀", id="slanting"),
        pytest.param((0, 0), 1, "⠁⠀⠀", id="a dot"),
    ],
)
def test_lines_are_dots_of_braille(end: tuple[int, int], width: int, shown: str) -> None:
    canvas = BrailleCanvas(3, 1)
    canvas.draw_line((0, 0), end, width)
    assert "".join(piece for piece, _ in canvas.pieces(0)) == shown


@given(st.integers(0, 20), st.integers(1, 250), st.integers(10, 80))
def test_names_around_an_ellipse_have_a_row_each_and_stay_inside(
    count: int, width: int, height: int
) -> None:
    places = places_around(count, width, height, width // 3)
    assert len({(place.y, place.is_right) for place in places}) == count
    assert all(0 <= place.x <= width and 0 <= place.y < height for place in places)
