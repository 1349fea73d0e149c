"""Real servers on loopback: `scholar serve`, `scholar mcp --http` and `scholar tui --serve`."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import http_server
from command_line import CommandResult, finish, start

TOKEN = "a-token"
COMMANDS = {
    "serve": ("serve",),
    "mcp --http": ("mcp", "--http"),
    "tui --serve": ("tui", "--serve"),
}
READY = re.compile(r"http://127\.0\.0\.1:\d+/")
"""The last output of a server at startup, printed once its port is open or just before."""


@dataclass(frozen=True)
class RunningServer:
    """A server in its own process."""

    port: int
    process: subprocess.Popen[bytes]

    def connect(self) -> socket.socket:
        """Return a connection to the server, which may still be opening its port."""
        while self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=120)
            except ConnectionRefusedError:
                time.sleep(0.05)
        raise AssertionError("the server has ended")

    def ask(self, request: bytes) -> bytes:
        """Return the complete answer of the server to the bytes of a request."""
        with self.connect() as connection:
            connection.sendall(request)
            return read_all(connection)

    def finished(self) -> CommandResult:
        """Wait until the server has ended; output from before it was ready is omitted."""
        return finish(self.process)


def read_all(connection: socket.socket) -> bytes:
    """Return the remaining bytes of a connection until it is closed."""
    answer = b""
    while received := connection.recv(1 << 16):
        answer += received
    return answer


@contextmanager
def running(home: Path, command: str, **settings: str) -> Iterator[RunningServer]:
    """Run a server for a home, with settings as environment variables, and end it with the
    context if it is still running."""
    port = http_server.closed_port()
    process = start(
        home,
        *COMMANDS[command],
        "--port",
        str(port),
        env={"SCHOLAR_TOKEN": TOKEN, "TERM": "xterm-256color", **settings},
        stdout=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if READY.search(line.decode()):
                break
        yield RunningServer(port, process)
    finally:
        process.kill()
        process.communicate(timeout=60)


def post(path: str, body: object, *, token: str = TOKEN) -> bytes:
    """Return the bytes of a request with a JSON object."""
    content = json.dumps(body).encode()
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(content)}",
        "Connection: close",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content
