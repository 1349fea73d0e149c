"""The page of the works that each part was trained and measured on, and its promises."""

from __future__ import annotations

import csv
import json
import os
import runpy
from pathlib import Path

import pytest

from command_line import Scholar, error_line
from scholar_cli.laboratory.claims import judged
from scholar_cli.laboratory.relic import relic_data

ROOT = Path(__file__).parents[1]
DATA = runpy.run_path(str(ROOT / "docs" / "data.py"))
SHARED = Path(os.environ.get("SCHOLAR_SHARED") or ROOT.parent / "shared")
CATALOGUE = SHARED / "data" / "gutenberg" / "catalog.csv"
JUDGED = ROOT / "tests" / "data" / "claims_judged.jsonl"
FAMOUS = ROOT / "tests" / "data" / "claims_famous.jsonl"


def test_the_page_is_that_of_the_cards_and_the_data() -> None:
    run = "run: .venv/bin/python docs/data.py"
    assert DATA["PAGE"].read_text("utf-8") == DATA["page"](), run
    assert DATA["WORKS"].read_text("utf-8") == DATA["works_table"](), run


@pytest.mark.parametrize(("first", "second"), DATA["DISJOINT"])
def test_collections_documented_as_disjoint_share_no_work(first: str, second: str) -> None:
    works = DATA["collections"]()
    assert works[first]
    assert works[second]
    assert not works[first] & works[second]


def test_a_part_of_the_judged_claims_is_given_by_the_work_as_in_relic() -> None:
    parts: dict[str, set[str]] = {"dev": set(), "test": set()}
    for line in JUDGED.read_text("utf-8").splitlines():
        claim = json.loads(line)
        parts[claim["part"]].add(claim["gutenberg_id"])
    works = DATA["collections"]()
    assert parts["test"] <= works["RELiC test"]
    assert parts["dev"] <= works["RELiC validation"]
    assert (len(judged.read(JUDGED, "dev")), len(judged.read(JUDGED, "test"))) == (40, 20)
    assert len(judged.read(JUDGED)) == 60


def test_famous_places_are_about_the_works_of_graded_claims() -> None:
    works = DATA["collections"]()
    for part in ("dev", "train"):
        famous = judged.read(FAMOUS, part)
        assert famous
        assert {claim.gutenberg_id for claim in famous} <= works[f"graded {part}"]


def test_a_part_that_a_file_of_claims_has_not_is_refused(lab: Scholar, tmp_path: Path) -> None:
    ask = ("bench", "claims", "--data", str(JUDGED), "--part", "train")
    assert "has no part train; write dev or test" in error_line(lab(*ask), 2)
    plain = tmp_path / "claims.jsonl"
    plain.write_text('{"claim_id": "a", "gutenberg_id": "7", "claim": "x", "judged": []}\n')
    ask = ("bench", "claims", "--data", str(plain), "--part", "dev")
    assert "leave out --part" in error_line(lab(*ask), 2)


@pytest.mark.shared
@pytest.mark.skipif(not CATALOGUE.is_file(), reason=f"there is no {CATALOGUE}")
def test_the_works_of_the_shared_collection_are_divided_as_the_page_says() -> None:
    with CATALOGUE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"] == "primary"]
    works = DATA["collections"]()
    named = {"train": "encoder texts", "val": "RELiC validation", "test": "RELiC test"}
    for split, name in named.items():
        numbers = {
            row["pgid"]
            for row in rows
            if row["pgid"].isdigit() and relic_data.split_of(row["author"], row["title"]) == split
        }
        assert works[name] == numbers
