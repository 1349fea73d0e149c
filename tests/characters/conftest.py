"""A quiz history in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scholar_indexes.characters.quiz.history import History


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "quiz.sqlite"


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def history(path: Path, messages: list[str]) -> History:
    return History(path, messages.append, timeout_s=0.2)
