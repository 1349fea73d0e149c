"""Fixtures: a model hub, and the folder of the models pulled from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hub import NAME, Hub
from mirror_server import MirrorServer
from scholar_indexes.models import pulling
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.net.client import Fetcher


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with MirrorServer(tmp_path / "hub") as server:
        yield Hub(server)


@pytest.fixture
def pulled(home: Path) -> Path:
    return home / "models"


@pytest.fixture
def pull(home: Path, hub: Hub, pulled: Path):
    """Return a function that calls models.pull on the hub with a Fetcher that does not wait."""

    def pull(
        name: str = NAME, *, revision: str = "main", offline: bool = False, messages: Any = None
    ) -> ModelFiles:
        fetcher = Fetcher(home / "http", offline=offline, pause_s=0, retries=0, timeout_s=5)
        announce = messages.append if messages is not None else lambda line: None
        return pulling.pull(
            name, pulled, fetcher, hub.server.url(), revision=revision, announce=announce
        )

    return pull
