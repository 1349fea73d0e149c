"""A real web server on the loopback interface, laid out as a mirror and made to misbehave.

    with MirrorServer(folder) as mirror:
        mirror.script("/1/3/4/1342/1342-0.txt", status(503), serve)
        ...
        assert [seen.path for seen in mirror.requests] == [...]

A path without a script is served from the folder, with Range, ETag and Last-Modified. A
script is a list of answers, one for each request; the last one repeats.
"""

from __future__ import annotations

import email.utils
import hashlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Seen:
    """One request as the server met it; started and ended in seconds."""

    path: str
    headers: dict[str, str]
    started: float
    ended: float = 0.0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # headers and body are two writes
    mirror: MirrorServer

    def do_GET(self) -> None:
        seen = Seen(self.path, dict(self.headers.items()), time.time())
        with self.mirror.lock:
            self.mirror.requests.append(seen)
            answers = self.mirror.scripts.get(self.path, [serve])
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            answer(self)
        except OSError:
            self.close_connection = True
        finally:
            seen.ended = time.time()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def reply(self, code: int, headers: dict[str, str], body: bytes = b"") -> None:
        """Send exactly these headers, true or not, and then the body."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        """End the connection as a server that crashes does."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()
        self.close_connection = True


Answer = Callable[[_Handler], None]


@dataclass
class MirrorServer:
    """Serves a folder on 127.0.0.1 until the with block ends."""

    root: Path
    requests: list[Seen] = field(default_factory=list)
    scripts: dict[str, list[Answer]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> MirrorServer:
        handler = type("Handler", (_Handler,), {"mirror": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
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

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def put(self, path: str, body: bytes) -> str:
        """Lay a file into the folder and return its address."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        return self.url(path)

    def script(self, path: str, *answers: Answer) -> str:
        """Answer the requests of a path one after another; the last answer repeats."""
        self.scripts[path] = list(answers)
        return self.url(path)

    @property
    def asked(self) -> list[str]:
        return [seen.path for seen in self.requests]


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(handler: _Handler) -> None:
    """The file of the path as a good server sends it."""
    file = handler.mirror.root / handler.path.lstrip("/")
    if not file.is_file():
        handler.reply(404, {"Content-Length": "0"})
        return
    _send(handler, file.read_bytes(), ranges=True)


def body(content: bytes, *, ranges: bool = True, **headers: str) -> Answer:
    """This content with ETag and Last-Modified, and more headers (a_b for A-B)."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: _send(handler, content, ranges=ranges, more=more)


def status(code: int, **headers: str) -> Answer:
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.reply(code, {"Content-Length": "0", **more})


def raw(code: int, headers: dict[str, str], content: bytes = b"") -> Answer:
    """Just these headers and bytes, and the end of the connection."""

    def answer(handler: _Handler) -> None:
        handler.reply(code, headers, content)
        handler.close_connection = True

    return answer


def redirect(to: str, code: int = 302) -> Answer:
    return status(code, Location=to)


def break_off(
    content: bytes, count: int, *, reset: bool = False, etag: str | None = None
) -> Answer:
    """Promise all of the content, send count bytes of it and close or reset the connection."""

    def answer(handler: _Handler) -> None:
        headers = {"Content-Length": str(len(content)), "ETag": etag or _etag(content)}
        handler.reply(200, headers, content[:count])
        handler.close_connection = True
        if reset:
            handler.hang_up()

    return answer


def drip(content: bytes, piece: int, pause_s: float, reached: threading.Event) -> Answer:
    """Send the content in pieces; reached is set once half of it went out."""

    def answer(handler: _Handler) -> None:
        headers = {"Content-Length": str(len(content)), "ETag": _etag(content)}
        handler.reply(200, headers)
        for at in range(0, len(content), piece):
            handler.wfile.write(content[at : at + piece])
            if at + piece >= len(content) // 2:
                reached.set()
            time.sleep(pause_s)

    return answer


def hang(seconds: float) -> Answer:
    """Say nothing for a while."""
    return lambda handler: time.sleep(seconds)


def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _send(
    handler: _Handler, content: bytes, *, ranges: bool, more: dict[str, str] | None = None
) -> None:
    headers = {
        "ETag": _etag(content),
        "Last-Modified": email.utils.formatdate(1_000_000_000, usegmt=True),
        **(more or {}),
    }
    asked = handler.headers
    if headers["ETag"] in asked.get("If-None-Match", ""):
        handler.reply(304, headers)
        return
    begin = asked.get("Range", "").removeprefix("bytes=").removesuffix("-")
    same = asked.get("If-Range") in (None, headers["ETag"], headers["Last-Modified"])
    if not ranges or not begin or not same:
        handler.reply(200, {**headers, "Content-Length": str(len(content))}, content)
    elif int(begin) >= len(content):
        handler.reply(416, {**headers, "Content-Length": "0"})
    else:
        rest = content[int(begin) :]
        place = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        handler.reply(
            206, {**headers, "Content-Length": str(len(rest)), "Content-Range": place}, rest
        )
