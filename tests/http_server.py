"""The start, stop and replies that the HTTP servers of the tests share."""

from __future__ import annotations

import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeVar

Item = TypeVar("Item")


class Handler(BaseHTTPRequestHandler):
    """Handles the requests of one connection; a subclass adds do_GET or do_POST."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def reply(self, code: int, headers: dict[str, str], body: bytes = b"") -> None:
        """Send exactly these headers, true or not, and then the body."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def reset_connection(self) -> None:
        """End the connection with a TCP reset, as a server that crashes does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()
        self.close_connection = True


class LoopbackServer:
    """Listens on a free port of 127.0.0.1 until the with block ends."""

    def __init__(self, handler: type[Handler]) -> None:
        self.lock = threading.Lock()
        self._handler = handler

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])


def header_names(headers: dict[str, str]) -> dict[str, str]:
    """Return headers given as keyword arguments under their real names: a_b is A-B."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def next_answer(answers: list[Item]) -> Item:
    """Take the first answer off the list; the last one stays and repeats."""
    return answers.pop(0) if len(answers) > 1 else answers[0]


def closed_port() -> int:
    """Return a port on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
