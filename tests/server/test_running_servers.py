"""The three servers as separate processes: odd requests, and signals during computation."""

from __future__ import annotations

import json
import select
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from command_line import (
    SCHOLAR,
    environment,
    error_line,
    finish,
    invoke_in_home,
    start,
    succeeded,
)
from running_servers import COMMANDS, TOKEN, RunningServer, post, read_all, running

ONE_AT_ONCE = {"SCHOLAR_REQUESTS_AT_ONCE": "1", "SCHOLAR_REQUESTS_WAITING": "0"}
SLOW_ESSAY = '*"_' * 300_000
"""An essay that takes a Markdown parser far longer than a server may take to shut down."""

Servers = Callable[[str], RunningServer]


@pytest.fixture(scope="module")
def servers(small_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return a function that returns the server of a command; each is started once."""
    home = tmp_path_factory.mktemp("servers") / "home"
    shutil.copytree(small_library, home)
    with ExitStack() as stack:
        yield cache(lambda command: stack.enter_context(running(home, command)))


HOSTS = {
    "an open bracket": b"Host: [\r\n",
    "brackets around nothing": b"Host: []\r\n",
    "no address in brackets": b"Host: [::1\r\n",
    "nothing": b"Host: \r\n",
    "no header": b"",
    "two": b"Host: 127.0.0.1\r\nHost: localhost\r\n",
    "two in one": b"Host: 127.0.0.1, localhost\r\n",
    "bytes beyond ASCII": b"Host: caf\xc3\xa9\r\n",
    "a port beyond the last": b"Host: 127.0.0.1:65536\r\n",
    "a port of many digits": b"Host: 127.0.0.1:" + b"9" * 5_000 + b"\r\n",
    "a port that is no number": b"Host: 127.0.0.1:http\r\n",
    "somebody's name before it": b"Host: me@127.0.0.1\r\n",
    "a path": b"Host: 127.0.0.1/x\r\n",
    "300 letters": b"Host: " + b"a" * 300 + b"\r\n",
    "100,000 letters": b"Host: " + b"a" * 100_000 + b"\r\n",
}


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_malformed_host_is_refused_with_one_line(
    servers: Servers, command: str, host: bytes
) -> None:
    head, _, body = (
        servers(command)
        .ask(b"GET / HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n")
        .partition(b"\r\n\r\n")
    )
    assert head.startswith((b"HTTP/1.1 400 ", b"HTTP/1.0 400 ")), head
    assert body.strip()
    assert b"\n" not in body.strip()
    assert b"Traceback" not in body


@pytest.mark.parametrize("command", COMMANDS)
def test_a_malformed_origin_breaks_nothing(servers: Servers, command: str) -> None:
    answer = servers(command).ask(
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://[\r\nConnection: close\r\n\r\n"
    )
    assert answer.startswith((b"HTTP/1.1 401 ", b"HTTP/1.1 403 ")), answer


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(servers: Servers) -> None:
    head = post("/check", {}).replace(b"Content-Length: 2", b"Content-Length: 200000000")
    answer = servers("serve").ask(head[:-2])
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"larger than 4,194,304 bytes" in answer


def test_a_server_answers_who_has_the_token(servers: Servers) -> None:
    server = servers("serve")
    question = {"locator": "own-the-lamplighter:1.1"}
    answer = server.ask(post("/show", question))
    assert b'"exact":"The lamplighter walked' in answer, answer
    assert server.ask(post("/show", question, token="other")).startswith(b"HTTP/1.1 401 ")


def test_a_port_that_is_taken_is_an_error(servers: Servers, two_books: Path) -> None:
    second = invoke_in_home(two_books, "serve", "--port", str(servers("serve").port))
    assert "cannot listen on" in error_line(second, 1, after_progress=True)


async def test_over_http_an_assistant_gives_the_token(servers: Servers) -> None:
    url = f"http://127.0.0.1:{servers('mcp --http').port}/mcp"
    servers("mcp --http").connect().close()
    async with httpx.AsyncClient(timeout=120) as stranger:
        answer = await stranger.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code == 401
    async with connected(url) as client:
        shown = await client.call_tool("show", {"locator": "own-the-lamplighter:1.1"})
    assert shown.structured_content
    assert shown.structured_content["exact"].startswith("The lamplighter walked")


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx.AsyncClient(timeout=120, headers=headers) as friend,
        Client(streamable_http_client(url, http_client=friend)) as client,
    ):
        yield client


async def test_an_assistant_speaks_on_stdin_and_stdout(two_books: Path) -> None:
    command = StdioServerParameters(command=str(SCHOLAR), args=["mcp"], env=environment(two_books))
    async with Client(command) as client:
        shown = await client.call_tool("show", {"locator": "own-the-lamplighter:1.1"})
    assert shown.structured_content
    assert shown.structured_content["exact"].startswith("The lamplighter walked")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_that_computes(two_books: Path, number: signal.Signals) -> None:
    with running(two_books, "serve", **ONE_AT_ONCE) as server:
        with server.connect() as one, server.connect() as other:
            for connection in (one, other):
                connection.sendall(post("/check", {"essay": SLOW_ESSAY}))
            [refused], _, _ = select.select([one, other], [], [])
            assert b"try again later" in read_all(refused)
            server.process.send_signal(number)
            answer = read_all(other if refused is one else one)
        result = server.finished()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"the server is stopping" in answer
    assert "nothing is half-written" in error_line(result, 128 + number)
    assert succeeded(invoke_in_home(two_books, "doctor", "--json"))


async def test_a_signal_ends_a_server_of_assistants_that_computes(two_books: Path) -> None:
    with running(two_books, "mcp --http", **ONE_AT_ONCE) as server:
        server.connect().close()
        url = f"http://127.0.0.1:{server.port}/mcp"

        async def check_essay() -> None:
            async with connected(url) as client:
                answer = await client.call_tool("check", {"essay": SLOW_ESSAY})
            assert answer.is_error
            assert "try again later" in str(answer.content)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(120) == 128 + signal.SIGTERM
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(check_essay)
            tasks.start_soon(check_essay)
        assert "Traceback" not in server.finished().stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_an_assistants_program_that_computes(
    two_books: Path, number: signal.Signals
) -> None:
    process = start(two_books, "mcp", stdin=subprocess.PIPE, env=ONE_AT_ONCE)
    assert process.stdin is not None
    assert process.stdout is not None

    def send(method: str, identifier: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if identifier is not None:
            message["id"] = identifier
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    client = {"name": "test", "version": "1"}
    send("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    assert b"instructions" in process.stdout.readline()
    send("notifications/initialized")
    send("tools/call", 2, name="check", arguments={"essay": SLOW_ESSAY})
    send("tools/call", 3, name="check", arguments={"essay": SLOW_ESSAY})
    assert b"try again later" in process.stdout.readline()
    process.send_signal(number)
    result = finish(process)
    assert (result.exit_code, result.stdout) == (128 + number, "")
    assert "Traceback" not in result.stderr
