"""Fixtures of the tests of GANDALF: a village with its questions, and a tiny language model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tiny_causal
from gandalf_village import PEOPLE
from scholar_cli.laboratory.gandalf import gandalf_data
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.descriptions.bank import DescribedCharacter


@pytest.fixture
def people() -> list[DescribedCharacter]:
    lines = [
        json.dumps({"name": name, "gender": gender, "descriptions": [{"level": 1, "text": text}]})
        for name, (gender, text, _) in PEOPLE.items()
    ]
    return list(bank.parse("\n".join(lines), "people"))


@pytest.fixture
def novel() -> str:
    paragraphs = [
        f"That year {name} {deed}, and the village spoke of {name} for weeks. The rain fell."
        for name, (_, _, deed) in PEOPLE.items()
    ]
    return "\n\n".join(
        ["CHAPTER I", *paragraphs, "The river went down to the sea as it always had."]
    )


@pytest.fixture
def data(people: list[DescribedCharacter], novel: str, tmp_path: Path) -> Path:
    gandalf_data.generate({"village": people}, {"village": novel}, tmp_path / "data", seed=7)
    return tmp_path / "data"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny", positions=1_024)
