"""A library that grows by altered copies, and its measurements."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import CommandResult
from scholar_cli.laboratory.speed.copies import CLOSENESS, GrowingLibrary, alter_words, move_vectors
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.types import silent

Scholar = Callable[..., CommandResult]


def test_an_empty_library_has_nothing_to_copy(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="scholar add"):
        GrowingLibrary(Library.of_user(), tmp_path / "grown")


def test_sizes_that_are_no_numbers_are_refused(two_books: Path, lab: Scholar) -> None:
    refused = lab("bench", "scale", "--books", "3,many")
    assert refused.exit_code == 2
    assert "write one such as" in refused.stderr


@given(st.text(max_size=300), st.integers())
def test_an_altered_text_has_its_words_in_the_same_places(text: str, seed: int) -> None:
    altered = alter_words(text, Random(seed))
    assert [word.isspace() for word in altered] == [word.isspace() for word in text]


def test_an_altered_text_has_other_words() -> None:
    text = " ".join(f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(300))
    altered = alter_words(text, Random(1))
    changed = sum(old != new for old, new in zip(text.split(), altered.split(), strict=True))
    assert 10 <= changed <= 60


def test_vectors_move_by_a_known_distance() -> None:
    chance = np.random.default_rng(3)
    vectors = chance.standard_normal((200, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    moved = move_vectors(vectors, chance)
    assert np.linalg.norm(moved, axis=1) == pytest.approx(np.ones(200), abs=1e-5)
    assert (vectors * moved).sum(axis=1).mean() == pytest.approx(CLOSENESS, abs=0.02)


@pytest.mark.slow
def test_a_grown_library_answers_with_its_copies_and_is_whole(
    two_books: Path, tmp_path: Path
) -> None:
    source = Library.of_user()
    growing = GrowingLibrary(source, tmp_path / "grown")
    growing.grow(5, silent)
    grown = Library(growing.places, source.settings)
    assert len(grown.books.all()) == 5
    grown.index.check()
    hits = grown.find("a house by the sea", n=10)
    assert {hit.item.book.id for hit in hits} <= {stored.book.id for stored in grown.books.all()}
    assert any("-copy" in stored.book.id for stored in grown.books.all())


def test_growing_goes_on_where_it_stopped(two_books: Path, tmp_path: Path) -> None:
    source = Library.of_user()
    GrowingLibrary(source, tmp_path / "grown").grow(3, silent)
    again = GrowingLibrary(source, tmp_path / "grown")
    again.grow(4, silent)
    assert len({stored.book.id for stored in again.books()}) == 4


def test_books_whose_people_would_be_found_during_the_timing_are_reported(
    two_books: Path, scholar: Scholar, lab: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scholar_cli.laboratory.speed.scale.measure_sizes", lambda *given: iter(()))
    assert "scholar index people" in lab("bench", "scale", "--books", "2").stderr
    scholar("index", "people")
    assert "index people" not in lab("bench", "scale", "--books", "2").stderr


@pytest.mark.slow
def test_every_size_is_measured(
    two_books: Path, tmp_path: Path, lab: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_RERANK", "none")
    monkeypatch.setattr("scholar_cli.laboratory.speed.scale.CLAIMS", 3)
    monkeypatch.setattr("scholar_cli.laboratory.speed.scale.COLD_RUNS", 1)
    measured = lab("bench", "scale", "--books", "3", "--folder", str(tmp_path / "grown"), "--json")
    assert measured.exit_code == 0, measured.stderr
    sizes = json.loads(measured.stdout)["sizes"]
    assert [row["books"] for row in sizes] == [3]
    assert all(row["recall_10"] == 1 for row in sizes)
    assert all(row["find_p95_ms"] >= row["find_median_ms"] > 0 for row in sizes)
