"""Limits on requests: their size, their time, and how many are answered at once.

request -> BoundedRequests (reads its body, and watches for its client to disconnect)
        -> Workers (a thread computes the answer when its turn comes, and stops when told to)
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scholar_cli.server.access import refuse
from scholar_indexes import stopping
from scholar_indexes.errors import RetryLater, ScholarError
from scholar_indexes.models.processor import count_cores
from scholar_indexes.settings import Settings

T = TypeVar("T")


class TooBusy(RetryLater):
    """A request that was not started, or was abandoned, because others are running or the server
    is stopping."""


class OutOfTime(ScholarError):
    """A request that exceeded the time limit."""


class ClientGone(ScholarError):
    """A request whose client disconnected."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most requests that run at once and that wait, the most seconds that one may wait and
    then run, and the most bytes of its body."""

    at_once: int
    waiting: int
    time_s: float
    max_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the bounds from the settings."""
        return cls(
            settings.requests_at_once or count_cores() + 1,
            settings.requests_waiting,
            settings.request_time_s,
            settings.request_bytes,
        )


@dataclass(eq=False)
class Client:
    """The client of a request; `gone` is set when it no longer wants the answer."""

    gone: asyncio.Event = field(default_factory=asyncio.Event)


_client: ContextVar[Client | None] = ContextVar("client", default=None)
"""The HTTP client that is being answered."""


class _Job:
    """An answer that a thread computes; `why` is the reason to stop it, if any."""

    def __init__(self, begin: Callable[[], object]) -> None:
        self._begin = begin
        self.why: Exception | None = None

    def check(self) -> None:
        """Raise the reason to stop, if there is one."""
        if self.why is not None:
            raise self.why

    def run(self, work: Callable[[], T]) -> T:
        """Do the work in this thread, and return its answer."""
        self._begin()
        with stopping.stopped_by(self.check):
            self.check()
            return work()


class Workers:
    """The threads that compute answers, with bounds on how many run and how many wait."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._pool = ThreadPoolExecutor(bounds.at_once, "answers")
        self._lock = threading.Lock()
        self._unfinished = 0
        self._clients: set[Client] = set()
        self._is_stopping = False

    @contextmanager
    def serving(self) -> Iterator[Client]:
        """Yield a new client, for which `run` computes answers in this context."""
        client = Client()
        token = _client.set(client)
        self._clients.add(client)
        try:
            yield client
        finally:
            self._clients.discard(client)
            _client.reset(token)

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work in a thread, and return its answer.

        If its client disconnects or its task is cancelled, the work is not started, or it stops at
        its next check. Raises TooBusy for work that cannot be started in time, OutOfTime for work
        that takes too long, ClientGone, and what the work raises.
        """
        if self._is_stopping or self._unfinished >= self.bounds.at_once + self.bounds.waiting:
            raise self._too_busy()
        if (client := _client.get()) is not None:
            return await self._run(work, client)
        with self.serving() as client:
            return await self._run(work, client)

    async def _run(self, work: Callable[[], T], client: Client) -> T:
        loop = asyncio.get_running_loop()
        begun = asyncio.Event()
        time_s = self.bounds.time_s or None
        job = _Job(lambda: loop.call_soon_threadsafe(begun.set))
        with self._lock:
            self._unfinished += 1
        computing = self._pool.submit(job.run, work)
        answer = asyncio.wrap_future(computing)
        computing.add_done_callback(self._finish)
        answer.add_done_callback(_take_note)
        try:
            await self._wait_for(begun.wait(), client, time_s, self._too_busy())
            return await self._wait_for(answer, client, time_s, self._out_of_time())
        except Exception as why:
            job.why = why
            raise
        finally:
            job.why = job.why or ClientGone()
            computing.cancel()

    async def _wait_for(
        self, awaited: Awaitable[T], client: Client, time_s: float | None, late: Exception
    ) -> T:
        """Return the awaited result; raises `late` after `time_s` seconds, ClientGone if the client
        disconnects first, and TooBusy if the server stops."""
        wanted = asyncio.ensure_future(awaited)
        gone = asyncio.ensure_future(client.gone.wait())
        try:
            done, _ = await asyncio.wait(
                {wanted, gone}, timeout=time_s, return_when=asyncio.FIRST_COMPLETED
            )
            if wanted in done:
                return wanted.result()
            if not done:
                raise late
            raise self._too_busy() if self._is_stopping else ClientGone()
        finally:
            wanted.cancel()
            gone.cancel()

    def stop(self) -> None:
        """Refuse new requests, and abandon running and waiting ones."""
        self._is_stopping = True
        for client in set(self._clients):
            client.gone.set()

    def _finish(self, computing: Future[Any]) -> None:
        with self._lock:
            self._unfinished -= 1

    def _too_busy(self) -> TooBusy:
        if self._is_stopping:
            return TooBusy("the server is stopping; restart it and try again")
        return TooBusy(
            f"{self.bounds.at_once} requests are running and others are waiting; try again later"
        )

    def _out_of_time(self) -> OutOfTime:
        return OutOfTime(
            f"there was no answer after {self.bounds.time_s:g} s; search fewer books, "
            "or raise the setting request_time_s"
        )


def _take_note(answer: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned answer, which asyncio would print otherwise."""
    if not answer.cancelled():
        answer.exception()


class BoundedRequests:
    """An application whose requests are read completely, within bounds, before it gets them."""

    def __init__(self, app: ASGIApp, workers: Workers) -> None:
        self._app = app
        self._workers = workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one whose body is too large or too slow, with an error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        bounds = self._workers.bounds
        try:
            body = await asyncio.wait_for(
                _read_body(scope, receive, bounds.max_bytes), bounds.time_s or None
            )
        except TimeoutError:
            await refuse(send, 408, "the request did not arrive in time; send all of it at once")
        except _TooLarge:
            await refuse(
                send,
                413,
                f"the request is larger than {bounds.max_bytes:,} bytes; send less at a time, or "
                "raise the setting request_bytes",
            )
        else:
            if body is not None:
                await self._pass_on(body, scope, receive, send)

    async def _pass_on(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, and set `gone` of its client when that disconnects."""
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        with self._workers.serving() as client:

            async def receive_again() -> Message:
                if messages:
                    return messages.pop()
                await client.gone.wait()
                return {"type": "http.disconnect"}

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                client.gone.set()

            watching = asyncio.ensure_future(watch())
            try:
                await self._app(scope, receive_again, send)
            finally:
                watching.cancel()


class _TooLarge(Exception):
    pass


async def _read_body(scope: Scope, receive: Receive, max_bytes: int) -> bytes | None:
    """Return the body of a request, None if its client disconnected; raises _TooLarge as soon as
    it is known to exceed max_bytes."""
    declared = dict(scope["headers"]).get(b"content-length", b"")
    if declared.isdigit() and int(declared) > max_bytes:
        raise _TooLarge
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > max_bytes:
            raise _TooLarge
        if not message.get("more_body", False):
            return b"".join(parts)
