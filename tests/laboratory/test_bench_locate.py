"""Quotations taken from books, damaged in ten ways, and located again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.quotations.damage import VERBATIM, WAYS

QUOTATION = "She realised that they were well-travelled; “the colour,” he said—“is grey as the sea”"


@pytest.mark.parametrize("way", [name for name in WAYS if name != VERBATIM])
def test_a_way_of_damage_changes_a_quotation_the_same_for_the_same_seed(way: str) -> None:
    damaged = {WAYS[way](QUOTATION, random.Random(seed), ["house", "wept"]) for seed in (1, 1)}
    assert len(damaged) == 1
    assert damaged != {QUOTATION}
    assert None not in damaged


def test_more_books_than_there_are_cannot_be_cut_from(lab: Scholar, sample: Path) -> None:
    assert "ask for fewer: --books" in error_line(lab("bench", "locate"), 4)


def test_quotations_of_the_sample_are_located(lab: Scholar, sample: Path) -> None:
    options = ("-n", "30", "--books", "2", "--json")
    reports = {
        report["split"]: report for report in succeeded(lab("bench", "locate", *options)).json
    }
    assert set(reports) == {*WAYS, "of other books"}
    assert reports[VERBATIM]["metrics"]["recall"] == 1
    assert reports["other marks"]["metrics"]["recall"] == 1
    located = sum(reports[way]["metrics"]["recall"] * reports[way]["n"] for way in WAYS)
    assert located >= 27
    assert reports["of other books"]["metrics"]["located"] <= 0.05
    again = succeeded(lab("bench", "locate", *options)).json
    assert {report["data_sha256"] for report in again} == {reports[VERBATIM]["data_sha256"]}
