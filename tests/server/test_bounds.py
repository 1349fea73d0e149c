"""The bounds of servers: body sizes, times, concurrent requests, and clients that leave."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from scholar_cli.commands import common
from scholar_cli.server.bounds import (
    BoundedRequests,
    Bounds,
    ClientGone,
    OutOfTime,
    TooBusy,
    Workers,
)
from scholar_cli.server.http_api import create_app
from scholar_cli.server.journeys import Journeys
from scholar_indexes import stopping
from scholar_indexes.library import Library
from scholar_indexes.settings import Settings

ONE = Bounds(at_once=1, waiting=1, time_s=0, max_bytes=100)
"""One running request and one waiting, without a time limit."""

SOON = 0.01
"""Seconds; less than the work in these tests takes."""


class Computation:
    """Work that runs until it is stopped; events signal its beginning and end."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended = threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        try:
            while not self.ended.wait(SOON):
                stopping.check()
        finally:
            self.ended.set()


async def has_happened(event: threading.Event) -> bool:
    return await asyncio.to_thread(event.wait, 120)


async def test_a_computation_stops_when_its_client_leaves() -> None:
    workers, work = Workers(ONE), Computation()
    with workers.serving() as client:
        asking = asyncio.create_task(workers.run(work))
        assert await has_happened(work.begun)
        client.gone.set()
        with pytest.raises(ClientGone):
            await asking
    assert await has_happened(work.ended)


async def test_a_computation_stops_when_its_task_is_cancelled() -> None:
    workers, work = Workers(ONE), Computation()
    asking = asyncio.create_task(workers.run(work))
    assert await has_happened(work.begun)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await has_happened(work.ended)


async def test_a_request_whose_client_left_is_never_begun() -> None:
    workers, first, second = Workers(ONE), Computation(), Computation()
    asking = asyncio.create_task(workers.run(first))
    assert await has_happened(first.begun)
    with workers.serving() as client:
        waiting = asyncio.create_task(workers.run(second))
        client.gone.set()
        with pytest.raises(ClientGone):
            await waiting
    first.ended.set()
    await asking
    assert await workers.run(lambda: "the next") == "the next"
    assert not second.begun.is_set()


async def test_more_requests_than_may_wait_are_refused_at_once() -> None:
    workers, first = Workers(ONE), Computation()
    asking = asyncio.create_task(workers.run(first))
    assert await has_happened(first.begun)
    waiting = asyncio.create_task(workers.run(lambda: "its turn"))
    await asyncio.sleep(0)
    with pytest.raises(TooBusy, match="1 requests are running"):
        await workers.run(lambda: "too many")
    first.ended.set()
    await asking
    assert await waiting == "its turn"


async def test_a_request_that_waits_too_long_is_never_begun() -> None:
    workers, first, second = Workers(ONE), Computation(), Computation()
    asking = asyncio.create_task(workers.run(first))
    assert await has_happened(first.begun)
    workers.bounds = replace(ONE, time_s=SOON)
    with pytest.raises(TooBusy, match="others are waiting"):
        await workers.run(second)
    first.ended.set()
    await asking
    workers.bounds = ONE
    assert await workers.run(lambda: "the next") == "the next"
    assert not second.begun.is_set()


async def test_a_computation_that_takes_too_long_stops() -> None:
    workers = Workers(replace(ONE, time_s=SOON))
    while True:
        work = Computation()
        with pytest.raises((OutOfTime, TooBusy)) as refusal:
            await workers.run(work)
        if refusal.type is OutOfTime:  # otherwise the machine was too busy to start it
            break
    assert "raise the setting request_time_s" in str(refusal.value)
    assert await has_happened(work.ended)


async def test_a_server_that_stops_gives_up_what_is_computed_and_refuses_the_rest() -> None:
    workers, work = Workers(ONE), Computation()
    asking = asyncio.create_task(workers.run(work))
    assert await has_happened(work.begun)
    workers.stop()
    with pytest.raises(TooBusy, match="the server is stopping"):
        await asking
    with pytest.raises(TooBusy, match="the server is stopping"):
        await workers.run(work)
    assert await has_happened(work.ended)


async def test_a_failure_is_that_of_the_work() -> None:
    def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await Workers(ONE).run(fail)


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body of the request, and wait until the client leaves."""
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
    assert (await receive())["type"] == "http.disconnect"


async def answer(
    *parts: bytes, declared: int | None = None, time_s: float = 0, then: str = "http.disconnect"
) -> tuple[int, int]:
    """Return the status of a request whose body comes in parts, and the number of parts read.

    The status is 0 for an unanswered request. After the parts comes the message `then`, if any.
    """
    messages: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(parts)}
        for number, part in enumerate(parts, 1)
    ]
    left, sent = list(messages), list[Message]()

    async def receive() -> Message:
        if left:
            return left.pop(0)
        if not then:
            await asyncio.Event().wait()
        return {"type": then}

    async def send(message: Message) -> None:
        sent.append(message)

    length = [] if declared is None else [(b"content-length", str(declared).encode())]
    bounded = BoundedRequests(echo, Workers(replace(ONE, time_s=time_s)))
    await bounded({"type": "http", "headers": length}, receive, send)
    return (sent[0]["status"] if sent else 0), len(messages) - len(left)


async def test_a_body_is_read_up_to_the_largest_size() -> None:
    assert await answer(b"x" * 60, b"x" * 40) == (200, 2)
    assert await answer(b"x" * 60, b"x" * 41, b"x") == (413, 2)
    assert await answer(b"x" * 10, declared=101) == (413, 0)
    assert await answer(b"x" * 10, declared=100) == (200, 1)


async def test_a_body_that_does_not_come_is_given_up() -> None:
    assert (await answer(time_s=SOON, then=""))[0] == 408


async def test_a_client_that_leaves_before_its_body_is_there_gets_no_answer() -> None:
    assert await answer() == (0, 0)


def client(bounds: Bounds) -> TestClient:
    app = create_app(Journeys(common.open_library()), Workers(bounds), "token")
    headers = {"Authorization": "Bearer token"}
    return TestClient(app, "http://127.0.0.1", headers=headers)


def test_over_http_bounds_are_statuses_that_say_what_to_do(two_books: Path) -> None:
    bounds = replace(ONE, waiting=0, max_bytes=1 << 20)
    with client(replace(bounds, time_s=SOON)) as hurried:
        late = hurried.post("/check", json={"essay": '*"_' * 100_000})
        large = hurried.post("/check", content=b"x" * (1 << 20 | 1))
    assert late.status_code in (503, 504), "503 if the machine was too busy to start it"
    assert large.status_code == 413
    assert "raise the setting request_bytes" in large.json()["error"]
    with client(replace(bounds, at_once=1)) as busy:
        assert busy.post("/books").status_code == 200
    with client(replace(bounds, time_s=120, waiting=-1)) as full:
        refused = full.post("/books")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")


def test_the_settings_are_the_bounds(monkeypatch: pytest.MonkeyPatch, two_books: Path) -> None:
    for name, value in (("AT_ONCE", "3"), ("WAITING", "4"), ("TIME_S", "1.5"), ("BYTES", "99")):
        prefix = "SCHOLAR_REQUEST" if name in ("TIME_S", "BYTES") else "SCHOLAR_REQUESTS"
        monkeypatch.setenv(f"{prefix}_{name}", value)
    assert Bounds.of(common.open_library().settings) == Bounds(3, 4, 1.5, 99)
    assert Bounds.of(Settings()).at_once > 1


class NotWanted(Exception):
    """The exception that a caller raises to stop work."""


JOURNEYS: dict[str, Callable[[Journeys, Library], object]] = {
    "find": lambda journeys, _: journeys.find("who burnt the letter"),
    "locate": lambda journeys, _: journeys.locate(["Because nobody had told me to go home"]),
    "check": lambda journeys, _: journeys.check('"The lamp is always lit," he says.'),
    "speakers": lambda journeys, _: journeys.speakers("quay"),
    "who": lambda journeys, _: journeys.who("a woman who waits all night", "quay"),
    "kwic": lambda _, library: list(library.concordance.lines("letter")),
}


@pytest.mark.parametrize("ask", JOURNEYS.values(), ids=JOURNEYS)
def test_every_journey_stops_when_it_is_no_longer_wanted(
    quay: Path, ask: Callable[[Journeys, Library], object]
) -> None:
    def stop() -> None:
        raise NotWanted

    library = common.open_library()
    with stopping.stopped_by(stop), pytest.raises(NotWanted):
        ask(Journeys(library), library)
    assert ask(Journeys(library), library), "a stopped request can be repeated"
