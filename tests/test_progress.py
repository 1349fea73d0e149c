"""Progress of several stages as one, and the estimated time left."""

from __future__ import annotations

import pytest

from scholar_indexes.progress import TimeEstimate, describe_remaining, divide_progress

Report = tuple[str, int, int]


class Clock:
    """A clock that the test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def estimate(clock: Clock) -> TimeEstimate:
    return TimeEstimate(clock)


def test_nothing_is_estimated_before_anything_was_done(
    estimate: TimeEstimate, clock: Clock
) -> None:
    assert estimate.remaining_s(0, 0) is None
    assert estimate.remaining_s(0, 100) is None
    clock.now += 5
    assert estimate.remaining_s(0, 100) is None


def test_the_first_moments_say_nothing_about_the_rest(estimate: TimeEstimate, clock: Clock) -> None:
    estimate.remaining_s(0, 100)
    clock.now += 0.2
    assert estimate.remaining_s(50, 100) is None


def test_the_rest_goes_on_at_the_speed_so_far(estimate: TimeEstimate, clock: Clock) -> None:
    estimate.remaining_s(0, 100)
    clock.now += 10
    assert estimate.remaining_s(25, 100) == pytest.approx(30)
    clock.now += 50
    assert estimate.remaining_s(50, 100) == pytest.approx(60)


def test_work_done_by_an_earlier_run_does_not_shorten_the_estimate(
    estimate: TimeEstimate, clock: Clock
) -> None:
    estimate.remaining_s(80, 100)
    clock.now += 10
    assert estimate.remaining_s(90, 100) == pytest.approx(10)


@pytest.mark.parametrize("other", [(3, 50), (1, 100)], ids=["another total", "less done"])
def test_other_work_is_measured_from_the_start(
    estimate: TimeEstimate, clock: Clock, other: tuple[int, int]
) -> None:
    estimate.remaining_s(0, 100)
    clock.now += 10
    assert estimate.remaining_s(60, 100) is not None
    assert estimate.remaining_s(*other) is None


@pytest.mark.parametrize(
    ("seconds", "line"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (8.4, "about 8 s left"),
        (89, "about 89 s left"),
        (100, "about 2 min left"),
    ],
)
def test_the_time_is_told_in_seconds_and_then_in_minutes(seconds: float | None, line: str) -> None:
    assert describe_remaining(seconds) == line


def test_stages_are_parts_of_a_whole() -> None:
    reports: list[Report] = []
    first, second = divide_progress(lambda *report: reports.append(report), (1, 3))
    first("reading", 0, 0)
    first("reading", 5, 10)
    second("encoding", 0, 7)
    second("encoding", 7, 7)
    assert reports == [
        ("reading", 0, 1_000),
        ("reading", 125, 1_000),
        ("encoding", 250, 1_000),
        ("encoding", 1_000, 1_000),
    ]


def test_a_stage_can_be_divided_again() -> None:
    reports: list[Report] = []
    _, second = divide_progress(lambda *report: reports.append(report), (1, 1))
    divide_progress(second, (1, 1))[1]("joining", 1, 2)
    assert reports == [("joining", 875, 1_000)]


def test_no_stages_are_no_progress() -> None:
    assert divide_progress(lambda *report: None, ()) == []
