"""No process of scholar connects to another machine unasked or leaves files elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from anyio import to_thread
from mcp import Client, StdioServerParameters

import http_server
from command_line import SCHOLAR, environment, finish, run_process, start, succeeded
from observation import Observation, compiled, why_impossible
from pseudo_terminal import Terminal
from scholar_indexes import telemetry

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=why_impossible())

PAPERS = Path(__file__).parents[1] / "data" / "papers.jsonl"
CONTROL_Q, LEFT_SCREEN = "\x11", "\x1b[?1049l"

SLOWEST_UPLOAD_S = 12
"""ONNX Runtime 1.32 waits for 8 s after its import before it sends anything."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("observed"))


@pytest.fixture
def observed(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Observation]:
    """Observe the processes that the test starts, in an environment without opt-out variables."""
    folder = tmp_path / "observed"
    folder.mkdir()
    observation = Observation(folder, library)
    with monkeypatch.context() as patch:
        for name in set(os.environ) - {"SCHOLAR_HOME"}:
            patch.delenv(name)
        for name, value in observation.variables.items():
            patch.setenv(name, value)
        yield observation


def test_native_code_is_observed(observed: Observation) -> None:
    """Otherwise the other tests would pass without observing anything."""
    code = """
    import ctypes, os, socket, sys
    libc, outside = ctypes.CDLL(None, use_errno=True), socket.socket()
    address = b"\\x02\\0\\0\\x09\\xc0\\0\\x02\\x01" + bytes(8)
    assert libc.connect(outside.fileno(), address, len(address)) == -1
    assert libc.sendto(outside.fileno(), b"x", 1, 0, address, len(address)) == -1
    found = ctypes.c_void_p()
    assert libc.getaddrinfo(b"nowhere.example", b"443", None, ctypes.byref(found))
    libc.mkdir(os.fsencode(sys.argv[1]), 0o700)
    libc.fopen(os.fsencode(sys.argv[1]) + b"/file", b"w")
    """
    place = observed.user / "native"
    subprocess.run([sys.executable, "-c", _dedented(code), str(place)], check=True)
    assert set(observed.calls("outside")) == {
        "connect 192.0.2.1 port 9",
        "sendto 192.0.2.1 port 9",
        "nowhere.example",
    }
    assert observed.changed_outside() == {str(place), f"{place}/file"}
    assert observed.left_over() == ["user/native", "user/native/file"]


def _dedented(code: str) -> str:
    return "\n".join(line.strip() for line in code.splitlines())


@pytest.mark.parametrize(
    "package", ["scholar_indexes", "scholar_cli.main", "scholar_tui", "scholar_cli.laboratory"]
)
def test_every_switch_is_off_wherever_a_process_begins_and_whatever_the_user_has_set(
    package: str,
) -> None:
    on = {switch.variable: f"on{switch.value}" for switch in telemetry.SWITCHES}
    code = f"import {package}, json, os; print(json.dumps(dict(os.environ)))"
    seen = subprocess.check_output([sys.executable, "-c", code], env={**os.environ, **on})
    expected = {switch.variable: switch.value for switch in telemetry.SWITCHES}
    assert expected.items() <= json.loads(seen).items()


def test_a_question_connects_to_nothing_and_leaves_no_file_elsewhere(
    observed: Observation, two_books: Path
) -> None:
    """ONNX Runtime writes a machine id and its first events as soon as it is imported, and
    pyarrow exports traces to the address in the environment."""
    claim = "the lamplighter burned the map"
    turned_on = {
        "ORT_DISABLE_TELEMETRY": "0",
        "ARROW_TRACING_BACKEND": "otlp_http",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:4318",
    }
    assert succeeded(run_process(two_books, "find", claim, "--json", env=turned_on)).json
    assert observed.calls("outside") == []
    assert observed.changed_outside(two_books) == set()
    assert observed.left_over() == []


_IN_ONE_PROCESS = """
import json, sys
from scholar_cli.main import run
ended = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["scholar", *words]
    try:
        run()
    except SystemExit as end:
        ended.append(end.code or 0)
print("ended", ended, flush=True)
sys.stdin.read()
"""
"""Runs command lines one after another, and stays open until its standard input is closed."""


@pytest.mark.slow
async def test_no_journey_connects_to_another_machine_and_none_leaves_files_elsewhere(
    observed: Observation, quay: Path, source: Path, tmp_path: Path
) -> None:
    """Commands, the screen and both servers, all kept open until delayed events would be sent."""
    claim, place = "the lamp is always lit", "own-the-quay:1.4"
    essay = tmp_path / "essay.md"
    essay.write_text(f'He says: "{claim}".\n', "utf-8")
    lines = [
        ["add", str(source), "--title", "The Ferryman"],
        ["find", claim],
        ["speakers", "quay"],
        ["who", "the woman who stood in the rain", "-b", "quay"],
        ["quiz", "-b", "1342", "-n", "1", "--seed", "7"],
        ["papers", "add", str(PAPERS)],
        ["papers", "similar", "key:1001", "--facet", "method", "-n", "1"],
        ["check", str(essay)],
        ["collection", "add", "hope", place],
        ["export", "-c", "hope", "--to", "docx", "--out", str(observed.out / "hope.docx")],
    ]
    port = http_server.closed_port()
    server = start(quay, "serve", "--port", str(port), env={"SCHOLAR_TOKEN": "secret"})
    commands = subprocess.Popen(
        [sys.executable, "-c", _IN_ONE_PROCESS, json.dumps(lines)],
        env=environment(quay),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    screen = Terminal(quay, "find", claim, "--tui", TERM="xterm-256color")
    assistant = StdioServerParameters(command=str(SCHOLAR), args=["mcp"], env=environment(quay))
    try:
        async with Client(assistant) as client:
            told = await client.call_tool("find", {"claim": claim, "n": 1})
            assert told.structured_content
            assert (await _asked(f"http://127.0.0.1:{port}/find", {"claim": claim}))["hits"]
            await to_thread.run_sync(screen.until, "Ann Example")
            assert await to_thread.run_sync(_ended, commands) == [0] * len(lines)
            await anyio.sleep(SLOWEST_UPLOAD_S)
    finally:
        server.terminate()
        finish(server)
        screen.type(CONTROL_Q)
        screen.until(LEFT_SCREEN)
        screen.close()
        finish(commands)
    assert observed.calls("outside") == []
    assert observed.changed_outside(quay) == set()
    assert [path.name for path in observed.out.iterdir()] == ["hope.docx"]
    assert observed.left_over() == []


async def _asked(url: str, request: dict[str, Any]) -> Any:
    """Return the answer of a server, which may still be starting."""
    async with httpx.AsyncClient(timeout=60, headers={"Authorization": "Bearer secret"}) as client:
        for _ in range(300):
            try:
                return (await client.post(url, json=request)).raise_for_status().json()
            except httpx.TransportError:
                await anyio.sleep(0.2)
    raise AssertionError("the server does not answer")


def _ended(commands: subprocess.Popen[bytes]) -> Any:
    """Return the exit codes of the commands once all of them have ended."""
    assert commands.stdout
    for line in commands.stdout:
        if line.startswith(b"ended"):
            return json.loads(line.removeprefix(b"ended"))
    raise AssertionError("the commands ended too early")
