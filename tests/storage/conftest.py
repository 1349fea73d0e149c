"""Fixtures: indexes of small books in a real LanceDB folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from scholar_indexes.storage.passages import PassageTable
from stored_sentences import WIDTH, rows


@pytest.fixture
def store(tmp_path: Path) -> PassageTable:
    return PassageTable(tmp_path / "index.lance", "tiny_0123", WIDTH)


@pytest.fixture
def three(store: PassageTable) -> PassageTable:
    """Return three indexed editions of the same six sentences, with different vectors."""
    for edition in (1, 2, 3):
        store.write(edition, [rows(seed=edition)])
    store.optimize()
    return store
