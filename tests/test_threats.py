"""The page of threats names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = sorted(
    set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "docs/threats.md").read_text("utf-8")))
)


def test_the_page_names_a_test_for_every_danger() -> None:
    rows = re.findall(
        r"(?m)^\| (?!danger|---)(.+) \|$", (ROOT / "docs/threats.md").read_text("utf-8")
    )
    assert len(rows) > 20
    assert not [row for row in rows if "::test_" not in row.rpartition("|")[2]]


def test_a_test_that_the_page_names_exists() -> None:
    for path, name in NAMED:
        text = (ROOT / path).read_text("utf-8")
        assert re.search(rf"(?m)^\s*(?:async )?def {name}\(", text), (path, name)
