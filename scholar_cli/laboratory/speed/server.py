"""Measurement of a warm `scholar serve`: the time of a request, and the requests per second.

The claims are graded claims, each sent once; locators and quotations are taken from the hits of
the last five claims, in turn.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, cycle, islice
from statistics import median, quantiles
from typing import Any

import urllib3

from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.speed.command_speed import SpeedFigure, scholar_command
from scholar_cli.server import access
from scholar_indexes.errors import NotThere, ScholarError
from scholar_indexes.library import Library

START_S = 120.0
"""The maximum time in seconds until a server answers."""

WANTED_MS = 300
WANTED_RATE = 20

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


def run(library: Library, requests: int, clients: int) -> Iterator[SpeedFigure]:
    """Yield the figures of a server over a library as they are measured.

    Raises NotThere for a library without books.
    """
    books = len(library.books.all())
    if not books:
        raise NotThere("the library is empty; add books first: scholar add 1342")
    claims = [claim.claim for claim in graded.load()]
    with _server(clients) as ask:
        listed = [ask("find", {"claim": claim, "n": 10})["hits"] for claim in claims[-5:]]
        hits = cycle(chain.from_iterable(listed))
        times = _times(ask, claims[:requests])
        wanted = f"at most {WANTED_MS}"
        middle = 1000 * median(times)
        yield SpeedFigure(
            f"find over {books} books, median", middle, "ms", wanted, middle <= WANTED_MS
        )
        last = 1000 * quantiles(times, n=20)[-1]
        yield SpeedFigure(f"find over {books} books, 95 of 100", last, "ms", "", None)
        bodies_by_path = _bodies(list(islice(hits, requests)), claims[requests : 2 * requests])
        for path, bodies in bodies_by_path.items():
            rate = _rate(ask, path, bodies, clients)
            yield SpeedFigure(
                f"{path}, {clients} clients at once",
                rate,
                "a second",
                f"at least {WANTED_RATE}",
                rate >= WANTED_RATE,
            )


def _bodies(
    hits: Sequence[dict[str, Any]], claims: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return the bodies of the requests by their paths."""
    return {
        "find": [{"claim": claim} for claim in claims],
        "show": [{"locator": hit["locator"]} for hit in hits],
        "cite": [{"locators": [hit["locator"]]} for hit in hits],
        "locate": [{"quotes": [hit["quote"]]} for hit in hits],
    }


def _times(ask: Ask, claims: Sequence[str]) -> list[float]:
    times = []
    for claim in claims:
        start = time.perf_counter()
        ask("find", {"claim": claim})
        times.append(time.perf_counter() - start)
    return times


def _rate(ask: Ask, path: str, bodies: Sequence[dict[str, Any]], clients: int) -> float:
    """Return the requests per second of several clients, each of which waits for its answers."""
    start = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda body: ask(path, body), bodies))
    return len(bodies) / (time.perf_counter() - start)


@contextmanager
def _server(clients: int) -> Iterator[Ask]:
    """Yield a function that sends requests to a server in its own process, which ends with the
    context.

    Raises ScholarError if the server does not answer in time.
    """
    with socket.socket() as tried:
        tried.bind((access.HOST, 0))
        port = tried.getsockname()[1]
    token = access.new_token()
    process = subprocess.Popen(
        scholar_command("serve", "--port", str(port)),
        env={**os.environ, "SCHOLAR_TOKEN": token},
        stderr=subprocess.DEVNULL,
    )
    headers = {"Authorization": f"Bearer {token}"}
    pool = urllib3.HTTPConnectionPool(access.HOST, port, maxsize=clients, headers=headers)

    def ask(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = pool.request("POST", f"/{path}", json=body, timeout=START_S, retries=False)
        if answer.status != 200:
            raise ScholarError(f"{path} was refused: {answer.data.decode()[:200]}")
        record: dict[str, Any] = answer.json()
        return record

    try:
        _wait(ask, process)
        yield ask
    finally:
        process.terminate()
        process.wait()
        pool.close()


def _wait(ask: Ask, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            ask("books", {})
            return
        except urllib3.exceptions.HTTPError:
            time.sleep(0.1)
    raise ScholarError("the server does not answer; run it by hand: scholar serve")
