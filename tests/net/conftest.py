"""Fixtures: a mirror, a cache, and a client that does not wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from downloads import MEGABYTE
from mirror_server import (
    MirrorServer,
)
from scholar_indexes.net.client import Fetched, Fetcher


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def messages() -> list[str]:
    """Return the list that collects announcements."""
    return []


@pytest.fixture
def get(cache: Path, messages: list[str]):
    """Return the method get of a Fetcher that neither pauses nor waits long."""

    def get(
        url: str,
        *,
        max_bytes: int = MEGABYTE,
        refresh: bool = False,
        sha256: str | None = None,
        offline: bool = False,
        retries: int = 1,
        timeout_s: float = 5,
        max_wait_s: float = 1.5,
        pause_s: float = 0,
    ) -> Fetched:
        fetcher = Fetcher(
            cache,
            offline=offline,
            pause_s=pause_s,
            timeout_s=timeout_s,
            retries=retries,
            max_wait_s=max_wait_s,
        )
        return fetcher.get(
            url, max_bytes=max_bytes, refresh=refresh, sha256=sha256, announce=messages.append
        )

    return get
