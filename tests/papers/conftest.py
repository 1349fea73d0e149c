"""Fixtures: a server in place of the paper services."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mirror_server import MirrorServer
from scholar_indexes.net.client import Fetcher
from scholar_indexes.papers import web_services
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from service_pages import PLACES


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "nothing") as server:
        yield server


@pytest.fixture
def announcements() -> list[str]:
    """Return the list that collects announcements, except about downloads."""
    return []


@pytest.fixture
def fetch(
    server: MirrorServer, tmp_path: Path, announcements: list[str]
) -> Callable[..., list[Any]]:
    """Return services.fetch from the server, without pauses and long waits."""

    def announce(line: str) -> None:
        if not line.startswith("downloading"):
            announcements.append(line)

    def fetch(
        reference: str, *, offline: bool = False, **more: Any
    ) -> list[Entry | UnreadableEntry]:
        fetcher = Fetcher(
            tmp_path / "cache", offline=offline, pause_s=0, timeout_s=5, retries=1, max_wait_s=1
        )
        more.setdefault("bases", {name: server.url(place) for name, place in PLACES.items()})
        return list(web_services.fetch(reference, fetcher, announce=announce, **more))

    return fetch
