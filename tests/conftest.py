"""What every test gets: a home of its own, and the shared texts where there are any."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("SCHOLAR_SHARED") or Path(__file__).parents[2] / "shared")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty SCHOLAR_HOME, and no setting of the person who runs the tests."""
    for name in [name for name in os.environ if name.startswith("SCHOLAR_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("SCHOLAR_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def shared_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with primary/ and criticism/: raw Gutenberg texts, named by their number."""
    packed = SHARED / "data" / "gutenberg"
    if not (packed / "primary.tar.xz").is_file():
        pytest.skip(f"the shared Gutenberg texts are not in {packed}")
    folder = tmp_path_factory.mktemp("gutenberg")
    for name in ("primary", "criticism"):
        with tarfile.open(packed / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
    return folder
