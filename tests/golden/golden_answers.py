"""Answers stored in tests/data/golden, and their comparison with today's.

`pytest tests/golden --update-golden` stores today's; review the difference before you commit it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from scholar_cli.laboratory import metrics

FOLDER = Path(__file__).parents[1] / "data" / "golden"

Answers = dict[str, Any]
"""Questions, or names for them, and their answers: values of JSON."""

CheckFigure = Callable[[str, Sequence[Sequence[float]]], None]
"""Compares the mean of groups of scores with the interval of this name, or writes it."""

ROUNDING = 1e-4
"""Twice the rounding error of the four decimals in figures.json."""

ADVICE = "if today's are right, run: pytest tests/golden --update-golden"

CheckGolden = Callable[[str, Answers], None]
"""Compares answers with those in the file of this name, or writes them to it."""


def check_golden(name: str, answers: Answers, *, update: bool) -> None:
    """Assert that answers equal those in the file of this name, or write them to it.

    Numbers may differ by the `tolerance` of the file, if it has one.
    """
    path = FOLDER / f"{name}.json"
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    tolerance = kept.pop("tolerance", 0)
    if update:
        path.write_text(to_lines({"tolerance": tolerance, **answers}), "utf-8")
        return
    assert list(kept) == list(answers), f"the questions differ from {path.name}; {ADVICE}"
    differences = [
        f"{question}\n  kept:  {json.dumps(kept[question], ensure_ascii=False)}"
        f"\n  today: {json.dumps(answers[question], ensure_ascii=False)}"
        for question in kept
        if not is_same(kept[question], answers[question], tolerance)
    ]
    assert not differences, (
        f"{len(differences)} of {len(kept)} answers differ from {path.name}; {ADVICE}\n"
        + "\n".join(differences[:20])
    )


def check_figure(name: str, groups: Sequence[Sequence[float]], *, update: bool) -> None:
    """Assert that a mean lies in its 95 % interval in figures.json, or write the interval over
    today's groups, which are resampled whole, as in a benchmark."""
    path = FOLDER / "figures.json"
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    today = metrics.bootstrap_groups(groups)
    if update:
        bounds = {"mean": today.mean, "low": today.low, "high": today.high}
        kept[name] = {bound: round(value, 4) for bound, value in bounds.items()}
        path.write_text(to_lines(dict(sorted(kept.items()))), "utf-8")
        return
    assert name in kept, f"{path.name} has no {name}; {ADVICE}"
    low, high = kept[name]["low"], kept[name]["high"]
    assert low - ROUNDING <= today.mean <= high + ROUNDING, (
        f"{name}: {today.mean:.3f} is outside {low:.3f} to {high:.3f}; {ADVICE}"
    )


def to_lines(answers: Answers) -> str:
    """Return JSON with a line per question, or per entry of an answer that is a list of lists."""
    lines = []
    for question, answer in answers.items():
        value = json.dumps(answer, ensure_ascii=False)
        if isinstance(answer, list) and any(isinstance(entry, list) for entry in answer):
            entries = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in answer)
            value = f"[\n{entries}\n  ]"
        lines.append(f"  {json.dumps(question, ensure_ascii=False)}: {value}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def is_same(kept: Any, today: Any, tolerance: float) -> bool:
    """Return True for answers that are equal except for small differences in numbers."""
    if is_ranking(kept) and is_ranking(today):
        return is_same_ranking(kept, today, tolerance)
    if isinstance(kept, float) and isinstance(today, float):
        return abs(kept - today) <= tolerance
    if isinstance(kept, list) and isinstance(today, list):
        return len(kept) == len(today) and all(
            is_same(*pair, tolerance) for pair in zip(kept, today, strict=True)
        )
    return bool(kept == today)


def is_ranking(answer: Any) -> bool:
    """Return True for a list of [item, score], such as [["pg84:1.2:0-9", 3.5]]."""
    return isinstance(answer, list) and all(
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and isinstance(entry[1], float)
        for entry in answer
    )


def is_same_ranking(
    kept: Sequence[tuple[str, float]], today: Sequence[tuple[str, float]], tolerance: float
) -> bool:
    """Return True for rankings with equal scores at each rank and the same items, except for items
    that may have changed places with one of about the same score.

    The item at the last rank may differ, since one that was not stored may have its score.
    """
    if len(kept) != len(today):
        return False
    scores = dict(today)
    last = kept[-1][1] if kept else 0.0
    return all(
        abs(score - score_today) <= tolerance
        for (_, score), (_, score_today) in zip(kept, today, strict=True)
    ) and all(
        abs(scores[item] - score) <= tolerance if item in scores else score - last <= tolerance
        for item, score in kept
    )


def first_words(text: str, number: int = 6) -> str:
    return " ".join(text.split()[:number])


def last_words(text: str, number: int = 6) -> str:
    return " ".join(text.split()[-number:])


def digest(*parts: object) -> str:
    """Return the first digits of a hash of the values."""
    return sha256(repr(parts).encode()).hexdigest()[:12]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> CheckGolden:
    """Return the comparison with stored answers."""
    update = bool(request.config.getoption("--update-golden"))
    return lambda name, answers: check_golden(name, answers, update=update)


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> CheckFigure:
    """Return the comparison of a mean with its stored interval."""
    update = bool(request.config.getoption("--update-golden"))
    return lambda name, groups: check_figure(name, groups, update=update)
