"""Claims about people who are not known yet, sent to the servers."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from mcp import Client

from background_gate import WAIT_S, Gate
from scholar_cli.commands import common
from scholar_cli.server.bounds import Bounds, Workers
from scholar_cli.server.http_api import create_app
from scholar_cli.server.journeys import Journeys
from scholar_cli.server.mcp_tools import create_server
from scholar_indexes.background import people_queue

CLAIM = {"claim": "Elizabeth is angry", "n": 3}
QUAY = {"id": "own-the-quay", "title": "The Quay", "author": "Ann Example"}


class Lines:
    """The messages of a server, which a test waits for."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._changed = threading.Condition()

    def __call__(self, line: str) -> None:
        with self._changed:
            self.said.append(line)
            self._changed.notify_all()

    def wait_for_one(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self.said), WAIT_S)


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def journeys(quay: Path, lines: Lines) -> Iterator[Journeys]:
    made = Journeys(common.open_library(), lines)
    yield made
    made.close()


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate(tmp_path / "gate")
    monkeypatch.setattr(people_queue, "COMMAND", made.command)
    return made


@pytest.fixture
def client(journeys: Journeys) -> TestClient:
    app = create_app(journeys, Workers(Bounds(2, 2, 0, 1 << 20)), "token")
    return TestClient(app, "http://127.0.0.1", headers={"Authorization": "Bearer token"})


def test_an_answer_stays_where_people_are_not_found_and_the_server_says_so_once(
    client: TestClient, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_queue, "COMMAND", (sys.executable, "-c", "raise SystemExit(7)"))
    first = client.post("/find", json=CLAIM)
    lines.wait_for_one()
    again = client.post("/find", json=CLAIM)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert first.json()["people_unknown"] == [QUAY]
    [line] = lines.said
    assert "of The Quay: the process ended with exit code 7" in line


def test_the_same_question_is_answered_with_people_once_they_are_known(
    client: TestClient, journeys: Journeys, gate: Gate
) -> None:
    without = client.post("/find", json=CLAIM).json()
    gate.wait_for("own-the-quay")
    assert client.post("/find", json=CLAIM).json() == without
    gate.open()
    gate.wait_for_end()
    known = client.post("/find", json=CLAIM).json()
    assert (without["people_unknown"], known["people_unknown"]) == ([QUAY], [])
    assert all(hit["characters"] is None for hit in without["hits"])
    assert all(hit["characters"] is not None for hit in known["hits"])


async def test_an_assistant_is_told_whose_people_are_not_known(
    journeys: Journeys, gate: Gate
) -> None:
    server = create_server(journeys, Workers(Bounds(2, 2, 0, 1 << 20)))
    async with Client(server) as client:
        answer = await client.call_tool("find", CLAIM)
        assert answer.structured_content is not None
        assert answer.structured_content["people_unknown"] == [QUAY]
        assert answer.structured_content["hits"]
        gate.wait_for("own-the-quay")
    journeys.close()
    gate.wait_for_end()


@pytest.mark.parametrize("kind", ["serve", "mcp"])
def test_a_server_that_is_ended_ends_what_it_does_in_the_background(
    quay: Path, gate: Gate, kind: str
) -> None:
    """Runs in its own process, since a signal ends it."""
    program = (
        "import sys\n"
        "from scholar_cli.main import run\n"
        "from scholar_cli.server.journeys import Journeys\n"
        "from scholar_indexes.background import people_queue\n"
        "people_queue.COMMAND = tuple(sys.argv[2:])\n"
        "readers = Journeys.readers.fget\n"
        "def readers_once_asked(journeys):\n"
        f"    journeys.find(**{CLAIM!r})\n"
        "    return readers(journeys)\n"
        "Journeys.readers = property(readers_once_asked)\n"
        "sys.argv = ['scholar', sys.argv[1]]\n"
        "run()"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program, kind, *gate.command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    gate.wait_for("own-the-quay")
    server.send_signal(signal.SIGTERM)
    server.wait(WAIT_S)  # before its input is closed, which ends it too
    _, errors = server.communicate(timeout=WAIT_S)
    gate.wait_for_end()
    assert server.returncode == 128 + signal.SIGTERM, errors
    assert b"Traceback" not in errors
