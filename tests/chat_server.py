"""A chat server on the loopback interface that answers as OpenAI's does or misbehaves.

    with ChatServer(status(500), answer_well) as server:
        remote_model(server).complete(*ASK)
        assert len(server.requests) == 2

Each request gets the next answer; the last one repeats.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from http_server import Handler, LoopbackServer, header_names, next_answer
from scholar_indexes.llm.remote_model import RemoteModel

Request = dict[str, Any]


class ChatHandler(Handler):
    chat: ChatServer
    request_body: Request

    def do_POST(self) -> None:
        self.request_body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.chat.lock:
            self.chat.requests.append(self.request_body)
            self.chat.paths.append(self.path)
            self.chat.headers.append(dict(self.headers.items()))
            answer = next_answer(self.chat.answers)
        try:
            answer(self)
        except OSError:
            self.close_connection = True

    def reply_whole(self, code: int, body: bytes, headers: dict[str, str]) -> None:
        """Send a body with its length."""
        self.reply(code, {"Content-Length": str(len(body)), **headers}, body)


Answer = Callable[[ChatHandler], None]


class ChatServer(LoopbackServer):
    """Gives one answer to each request, and keeps the bodies, paths and headers of requests."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(type("BoundHandler", (ChatHandler,), {"chat": self}))
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][-1]["content"] for request in self.requests]


ASK = ([{"role": "user", "content": "- Jane\n<text>\n<1> Jane\n</text>"}], ["1"], ["Jane"])
"""The arguments of `complete` that ask for one name."""


def remote_model(chat: ChatServer, **options: Any) -> RemoteModel:
    """Return the model of a server, which is asked at most three times and without a pause."""
    return RemoteModel(chat.url, "tiny", **{"pause_s": 0.0, "retries": 2, **options})


def completion(content: Any, **choice: Any) -> bytes:
    """Return a chat completion with this content."""
    message = {"role": "assistant", "content": content}
    choices = [{"index": 0, "message": message, "finish_reason": "stop", **choice}]
    return json.dumps({"object": "chat.completion", "choices": choices}).encode()


def reply_with(content: Any, **choice: Any) -> Answer:
    """Answer with a completion of this content."""
    return lambda handler: handler.reply_whole(200, completion(content, **choice), {})


def raw(body: bytes, code: int = 200, **headers: str) -> Answer:
    """Answer with this body, whatever it is."""
    return lambda handler: handler.reply_whole(code, body, header_names(headers))


def status(code: int, message: str = "no", **headers: str) -> Answer:
    """Answer with an error in the form of OpenAI."""
    return raw(json.dumps({"error": {"message": message}}).encode(), code, **headers)


def answer_well(handler: ChatHandler) -> None:
    """Answer with the first listed name that follows each quotation on its line."""
    speakers = attribute_to_nearest_name(handler.request_body["messages"][-1]["content"])
    handler.reply_whole(200, completion(json.dumps(speakers)), {})


def attribute_to_nearest_name(prompt: str) -> dict[str, str]:
    """Return the listed name that comes first after each quotation mark of the prompt."""
    names = [line[2:].split(";")[0] for line in prompt.splitlines() if line.startswith("- ")]
    text = prompt.partition("<text>\n")[2].partition("\n</text>")[0]
    speakers = {}
    for mark in re.finditer(r"<([0-9]+)>", text):
        rest = text[mark.end() :].partition("\n")[0]
        positions = [(rest.find(name), name) for name in names if name in rest]
        if positions:
            speakers.setdefault(mark[1], min(positions)[1])
    return speakers


def refuse_formats(*kinds: str) -> Answer:
    """Answer 400 to these kinds of response_format ("logprobs" is one too), or else answer well."""

    def answer(handler: ChatHandler) -> None:
        request = handler.request_body
        kind = request.get("response_format", {}).get("type")
        if kind in kinds or ("logprobs" in kinds and "logprobs" in request):
            status(400, "response_format is not supported")(handler)
        else:
            answer_well(handler)

    return answer


def break_off(count: int) -> Answer:
    """Promise a whole answer, send count bytes of it and reset the connection."""

    def answer(handler: ChatHandler) -> None:
        body = completion('{"1": "Jane"}')
        handler.reply(200, {"Content-Length": str(len(body))}, body[:count])
        handler.reset_connection()

    return answer


def hang(event: threading.Event) -> Answer:
    """Send nothing until the event is set."""

    def answer(handler: ChatHandler) -> None:
        event.wait(30)

    return answer


def drip(event: threading.Event) -> Answer:
    """Send a byte now and then until the event is set, so that the connection is never silent."""

    def answer(handler: ChatHandler) -> None:
        handler.reply(200, {"Content-Length": "1000000"})
        while not event.is_set():
            handler.wfile.write(b" ")
            time.sleep(0.02)

    return answer
