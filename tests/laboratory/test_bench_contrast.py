"""The benchmark of contrast sets, and the packaged sets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.contrast import contrast_bench, contrast_data
from scholar_cli.laboratory.contrast.contrast_data import ContrastSet
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import QUERY_FACETS, Facet, Progress

LAMPS = {"title": "Lamps", "abstract": "Lamps fail. We listen to them. They hum."}
TIDES = {"title": "Tides", "abstract": "Tides vary. We listen to them. They roar."}
OIL = {"title": "Oil for lamps", "abstract": "Lamps need oil. We weigh it. It is heavy."}
WICKS = {"title": "Wicks of lamps", "abstract": "Lamps have wicks. We cut them. They burn."}
SET: dict[str, Any] = {
    "set": "lamps",
    "part": "dev",
    "facet": "method",
    "field": "lighthouses",
    "query": LAMPS,
    "like": [TIDES],
    "unlike": [OIL, WICKS],
}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"part": "train"}, "'train' is not a part", id="another part"),
        pytest.param({"facet": "other"}, "'other' is not a", id="a facet that is not asked for"),
        pytest.param({"like": []}, '"like" is not a list', id="nothing like it"),
        pytest.param({"unlike": "Oil"}, '"unlike" is not a list', id="a text for a list"),
        pytest.param(
            {"query": {"title": "Lamps"}}, 'has no "title" or "abstract"', id="no abstract"
        ),
        pytest.param({"set": ""}, 'no "set"', id="no name"),
    ],
)
def test_a_line_that_is_no_set_is_named(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=f"line 1: .*{message}"):
        contrast_data.read(write(tmp_path / "sets.jsonl", {**SET, **changed}))


def test_a_paper_in_two_sets_is_refused(tmp_path: Path) -> None:
    other = {**SET, "set": "tides", "part": "test", "query": TIDES, "like": [OIL]}
    with pytest.raises(UsageError, match=r"line 2: 'tides' is already in .*line 1"):
        contrast_data.read(write(tmp_path / "sets.jsonl", SET, other))


def test_a_missing_or_an_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="contrast sets"):
        contrast_data.read(tmp_path / "sets.jsonl")
    with pytest.raises(UsageError, match="no contrast sets"):
        contrast_data.read(write(tmp_path / "empty.jsonl"))


def test_the_packaged_sets_are_sixty_in_two_equal_halves() -> None:
    sets = contrast_data.read()
    counts = Counter((contrast.part, contrast.facet) for contrast in sets)
    assert len(sets) == 60
    for facet in QUERY_FACETS:
        assert counts["dev", facet] == counts["test", facet] >= 6
    assert all(len(contrast.unlike) >= 2 for contrast in sets)
    assert len({contrast.field for contrast in sets}) > 10


def ranked_as(*titles: str) -> contrast_bench.System:
    def rank(sets: Sequence[ContrastSet], progress: Progress) -> list[list[str]]:
        return [list(titles) for _ in sets]

    return rank


@pytest.mark.parametrize(
    ("titles", "ordered"),
    [
        pytest.param(["Tides", "Oil for lamps", "Wicks of lamps"], 1, id="both pairs"),
        pytest.param(["Oil for lamps", "Tides", "Wicks of lamps"], 0.5, id="one pair"),
        pytest.param(["Oil for lamps", "Wicks of lamps", "Tides"], 0, id="neither"),
        pytest.param(["Oil for lamps"], 0, id="what is not ranked is last"),
        pytest.param([], 0, id="no ranking is no order"),
    ],
)
def test_pairs_in_the_right_order_are_counted(
    tmp_path: Path, titles: list[str], ordered: float
) -> None:
    sets = contrast_data.read(write(tmp_path / "sets.jsonl", SET))
    reports, scored = contrast_bench.run(sets, ranked_as(*titles))
    assert {report.split: report.metrics["ordered"] for report in reports} == {
        "dev method": ordered,
        "dev all": ordered,
    }
    assert [row["ordered"] for row in contrast_bench.set_rows(scored)] == [2 * ordered]


def test_a_part_without_sets_is_refused(lab: Scholar, tmp_path: Path) -> None:
    file = write(tmp_path / "sets.jsonl", SET)
    result = lab("bench", "contrast", "--part", "test", "--data", str(file))
    assert "no contrast sets in this part" in error_line(result, 2)


def test_the_library_is_asked_as_a_user_asks_it(lab: Scholar, tmp_path: Path) -> None:
    file = write(tmp_path / "sets.jsonl", SET)
    ask = ("bench", "contrast", "--part", "dev", "--data", str(file))
    reports = succeeded(lab(*ask, "--json")).json
    assert [report["split"] for report in reports] == ["dev method", "dev all"]
    assert reports[0]["metrics"]["pairs"] == 2
    (row,) = succeeded(lab(*ask, "--list", "--json")).json
    assert (row["set"], row["pairs"], row["facet"]) == ("lamps", 2, Facet.METHOD)
