"""A web server on the loopback interface, laid out as a mirror and made to misbehave.

    with MirrorServer(folder) as mirror:
        mirror.script("/1/3/4/1342/1342-0.txt", status(503), serve)
        ...
        assert mirror.requested_paths == [...]

A path without a script is served from the folder, with Range, ETag and Last-Modified. A
script is a list of answers, one for each request; the last one repeats.
"""

from __future__ import annotations

import email.utils
import hashlib
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from http_server import Handler, LoopbackServer, header_names, next_answer

ARXIV_PATH = "/api/query?id_list=1810.00001"
"""The address of the paper of the fixture `arxiv`, a server in place of arXiv."""


@dataclass
class Request:
    """One request as the server received it; started and ended in seconds."""

    path: str
    headers: dict[str, str]
    started: float
    ended: float = 0.0


class MirrorHandler(Handler):
    mirror: MirrorServer

    def do_GET(self) -> None:
        request = Request(self.path, dict(self.headers.items()), time.time())
        with self.mirror.lock:
            self.mirror.requests.append(request)
            answer = next_answer(self.mirror.scripts.get(self.path, [serve]))
        try:
            answer(self)
        except OSError:
            self.close_connection = True
        finally:
            request.ended = time.time()


Answer = Callable[[MirrorHandler], None]


class MirrorServer(LoopbackServer):
    """Serves a folder and the scripted answers of paths."""

    def __init__(self, root: Path) -> None:
        super().__init__(type("BoundHandler", (MirrorHandler,), {"mirror": self}))
        self.root = root
        self.requests: list[Request] = []
        self.scripts: dict[str, list[Answer]] = {}

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def put(self, path: str, body: bytes) -> str:
        """Write a file into the folder and return its address."""
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        return self.url(path)

    def script(self, path: str, *answers: Answer) -> str:
        """Answer the requests of a path one after another; the last answer repeats."""
        self.scripts[path] = list(answers)
        return self.url(path)

    @property
    def requested_paths(self) -> list[str]:
        return [request.path for request in self.requests]


def serve(handler: MirrorHandler) -> None:
    """Send the file of the path as a correct server does."""
    file = handler.mirror.root / handler.path.lstrip("/")
    if not file.is_file():
        handler.reply(404, {"Content-Length": "0"})
        return
    _send(handler, file.read_bytes(), ranges=True)


def body(content: bytes, *, ranges: bool = True, **headers: str) -> Answer:
    """Answer with this content, ETag, Last-Modified and further headers (a_b for A-B)."""
    return lambda handler: _send(handler, content, ranges=ranges, headers=header_names(headers))


def status(code: int, **headers: str) -> Answer:
    """Answer with a status and no body."""
    named = header_names(headers)
    return lambda handler: handler.reply(code, {"Content-Length": "0", **named})


def raw(code: int, headers: dict[str, str], content: bytes = b"") -> Answer:
    """Answer with just these headers and bytes, and close the connection."""

    def answer(handler: MirrorHandler) -> None:
        handler.reply(code, headers, content)
        handler.close_connection = True

    return answer


def redirect(to: str, code: int = 302) -> Answer:
    return status(code, Location=to)


def break_off(
    content: bytes, count: int, *, reset: bool = False, etag: str | None = None
) -> Answer:
    """Promise all of the content, send count bytes of it and close or reset the connection."""

    def answer(handler: MirrorHandler) -> None:
        headers = {"Content-Length": str(len(content)), "ETag": etag or _etag(content)}
        handler.reply(200, headers, content[:count])
        handler.close_connection = True
        if reset:
            handler.reset_connection()

    return answer


def drip(content: bytes, size: int, pause_s: float, reached: threading.Event) -> Answer:
    """Send the content in pieces of this size; set reached once half of it is sent."""

    def answer(handler: MirrorHandler) -> None:
        headers = {"Content-Length": str(len(content)), "ETag": _etag(content)}
        handler.reply(200, headers)
        for start in range(0, len(content), size):
            handler.wfile.write(content[start : start + size])
            if start + size >= len(content) // 2:
                reached.set()
            time.sleep(pause_s)

    return answer


def drip_bytes(content: bytes, again: bytes, over: threading.Event) -> Answer:
    """Send the content unchanged, and then some bytes repeatedly, until over is set."""

    def answer(handler: MirrorHandler) -> None:
        handler.connection.sendall(content)
        with suppress(OSError):
            while not over.wait(0.02):
                handler.connection.sendall(again)

    return answer


def hang(seconds: float) -> Answer:
    """Wait and send nothing."""
    return lambda handler: time.sleep(seconds)


def _etag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def _send(
    handler: MirrorHandler,
    content: bytes,
    *,
    ranges: bool,
    headers: dict[str, str] | None = None,
) -> None:
    """Send the content as Range, If-Range and If-None-Match of the request ask for it."""
    validators = {
        "ETag": _etag(content),
        "Last-Modified": email.utils.formatdate(1_000_000_000, usegmt=True),
    }
    headers = validators | (headers or {})
    requested = handler.headers
    if headers["ETag"] in requested.get("If-None-Match", ""):
        handler.reply(304, headers)
        return
    begin = requested.get("Range", "").removeprefix("bytes=").removesuffix("-")
    unchanged = requested.get("If-Range") in (None, headers["ETag"], headers["Last-Modified"])
    if not ranges or not begin or not unchanged:
        handler.reply(200, {**headers, "Content-Length": str(len(content))}, content)
    elif int(begin) >= len(content):
        handler.reply(416, {**headers, "Content-Length": "0"})
    else:
        remainder = content[int(begin) :]
        content_range = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        range_headers = {"Content-Length": str(len(remainder)), "Content-Range": content_range}
        handler.reply(206, {**headers, **range_headers}, remainder)
