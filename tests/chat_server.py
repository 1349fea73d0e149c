"""A real chat server on the loopback interface, which speaks as OpenAI's does or misbehaves.

    with ChatServer(well, status(500), well) as server:
        Server(server.url, "tiny", pause_s=0).complete(...)
        assert len(server.requests) == 3

Each request gets the next answer, the last one for ever.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    chat: ChatServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.chat.lock:
            self.chat.requests.append(json.loads(body))
            self.chat.seen.append((self.path, dict(self.headers.items())))
            answers = self.chat.answers
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            answer(self)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    @property
    def asked(self) -> Request:
        return self.chat.requests[-1]

    def reply(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


Respond = Callable[[_Handler], None]


class ChatServer:
    def __init__(self, *answers: Respond) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.lock = threading.Lock()

    def __enter__(self) -> ChatServer:
        handler = type("Handler", (_Handler,), {"chat": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def prompts(self) -> list[str]:
        return [each["messages"][-1]["content"] for each in self.requests]


def envelope(content: Any, **choice: Any) -> bytes:
    """A chat completion that says this."""
    message = {"role": "assistant", "content": content}
    one = {"index": 0, "message": message, "finish_reason": "stop", **choice}
    return json.dumps({"object": "chat.completion", "choices": [one]}).encode()


def says(content: Any, **choice: Any) -> Respond:
    return lambda handler: handler.reply(200, envelope(content, **choice))


def raw(body: bytes, code: int = 200, **headers: str) -> Respond:
    return lambda handler: handler.reply(code, body, **headers)


def status(code: int, message: str = "no", **headers: str) -> Respond:
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda handler: handler.reply(code, body, **headers)


def well(handler: _Handler) -> None:
    """Whoever is named last before a quotation, or else first after it, speaks it."""
    handler.reply(200, envelope(json.dumps(spoken(handler.asked["messages"][-1]["content"]))))


def spoken(prompt: str) -> dict[str, str]:
    listed = [line[2:].split(";")[0] for line in prompt.splitlines() if line.startswith("- ")]
    text = prompt.partition("<text>\n")[2].partition("\n</text>")[0]
    found = {}
    for mark in re.finditer(r"<([0-9]+)>", text):
        rest = text[mark.end() :].partition("\n")[0]
        named = [(rest.find(name), name) for name in listed if name in rest]
        if named:
            found.setdefault(mark[1], min(named)[1])
    return found


def refusing(*kinds: str) -> Respond:
    """400 for these kinds of response_format ("logprobs" counts as one), else well."""

    def answer(handler: _Handler) -> None:
        asked = handler.asked
        kind = asked.get("response_format", {}).get("type")
        if kind in kinds or ("logprobs" in kinds and "logprobs" in asked):
            status(400, "response_format is not supported")(handler)
        else:
            well(handler)

    return answer


def dies(count: int) -> Respond:
    """Promise a whole answer, send count bytes of it and reset the connection."""

    def answer(handler: _Handler) -> None:
        body = envelope('{"1": "Jane"}')
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:count])
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.rfile.close()
        handler.connection.close()
        handler.close_connection = True

    return answer


def hang(event: threading.Event) -> Respond:
    """Say nothing until the event."""
    return lambda handler: (event.wait(30), None)[1]


def drip(event: threading.Event) -> Respond:
    """Send a byte now and then until the event, so that the connection is never silent."""

    def answer(handler: _Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not event.is_set():
            handler.wfile.write(b" ")
            time.sleep(0.02)

    return answer
