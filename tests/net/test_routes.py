"""The addresses that a download may connect to, and how long an answer may take."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from downloads import MEGABYTE, PATH, TEXT, kept_files
from mirror_server import Answer, MirrorHandler, MirrorServer, drip_bytes, redirect, serve, status
from scholar_indexes.errors import RetryLater, ScholarError
from scholar_indexes.net.client import Fetched, Fetcher
from scholar_indexes.net.route import Connector, Route, is_public

PUBLIC, OTHER_PUBLIC = "93.184.216.34", "2606:4700::1111"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
MIRROR = "http://mirror.example:8080"


@dataclass
class FakeNetwork:
    """Host names with their addresses, one list per lookup; the last list repeats.

    Every connection goes to a server on this machine; `dialled` records the requested addresses.
    """

    port: int
    names: dict[str, list[list[str]]]
    dialled: list[str] = field(default_factory=list)

    def look_up(self, host: str, port: int) -> list[str]:
        answers = self.names.get(host)
        if answers is None:
            raise socket.gaierror("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def dial(self, address: str, *_: Any) -> socket.socket:
        self.dialled.append(address)
        return socket.create_connection(("127.0.0.1", self.port), 5)


@pytest.fixture
def fetch(mirror: MirrorServer, cache: Path):
    """Return a function that downloads PATH of a mirror whose names have these addresses."""

    def fetch(
        names: dict[str, list[list[str]]], *answers: Answer, retries: int = 0
    ) -> tuple[Fetched, FakeNetwork]:
        network = FakeNetwork(mirror.port, names)
        mirror.put("/inner.txt", TEXT)
        if answers:
            mirror.script(PATH, *answers)
        fetcher = Fetcher(
            cache,
            pause_s=0,
            timeout_s=5,
            retries=retries,
            network=Connector(network.look_up, network.dial),
        )
        fetched = fetcher.get(MIRROR + PATH, max_bytes=MEGABYTE, announce=lambda line: None)
        return fetched, network

    return fetch


INNER = {
    "this machine": "127.0.0.1",
    "this machine in IPv6": "::1",
    "link-local": "169.254.169.254",
    "link-local in IPv6": "fe80::1%1",
    "a private network": "192.168.0.1",
    "another private network": "10.9.8.7",
    "a carrier's network": "100.64.0.1",
    "unique local": "fd00::1",
    "multicast": "224.0.0.1",
    "multicast in IPv6": "ff02::1",
    "unspecified": "0.0.0.0",
    "unspecified in IPv6": "::",
    "this machine, mapped to IPv6": "::ffff:127.0.0.1",
    "a private network, through 6to4": "2002:c0a8:0001::1",
    "a private network, through NAT64": "64:ff9b::10.0.0.1",
}


@pytest.mark.parametrize("address", INNER.values(), ids=INNER)
def test_a_public_server_that_leads_within_the_network_is_refused(
    fetch, mirror: MirrorServer, address: str
) -> None:
    names = {"mirror.example": [[PUBLIC]], "inner.example": [[address]]}
    with pytest.raises(ScholarError, match=r"inner\.example is an address within this network"):
        fetch(names, redirect("http://inner.example/inner.txt"))
    assert mirror.requested_paths == [PATH]


def test_an_address_of_this_machine_in_a_redirect_needs_no_name(
    fetch, mirror: MirrorServer
) -> None:
    names = {"mirror.example": [[PUBLIC]], "127.0.0.1": [["127.0.0.1"]]}
    with pytest.raises(ScholarError, match=r"127\.0\.0\.1 is an address within this network"):
        fetch(names, redirect("http://127.0.0.1/inner.txt"))
    assert mirror.requested_paths == [PATH]


def test_a_name_that_means_another_address_later_is_refused(fetch, mirror: MirrorServer) -> None:
    names = {"mirror.example": [[PUBLIC], ["127.0.0.1"]]}
    with pytest.raises(ScholarError, match="within this network"):
        fetch(names, status(503), serve, retries=1)
    assert len(mirror.requests) == 1


def test_a_connection_goes_to_the_address_that_was_checked(fetch) -> None:
    names = {"mirror.example": [[PUBLIC]], "moved.example": [[OTHER_PUBLIC], ["127.0.0.1"]]}
    fetched, network = fetch(names, redirect("http://moved.example/inner.txt"))
    assert fetched.size == len(TEXT)
    assert network.dialled == [PUBLIC, OTHER_PUBLIC]


def test_only_the_public_addresses_of_a_redirected_name_are_used(fetch) -> None:
    names = {"mirror.example": [[PUBLIC]], "moved.example": [["127.0.0.1", OTHER_PUBLIC]]}
    _, network = fetch(names, redirect("http://moved.example/inner.txt"))
    assert network.dialled == [PUBLIC, OTHER_PUBLIC]


def test_a_mirror_within_the_network_may_lead_within_it(fetch) -> None:
    names = {"mirror.example": [["10.0.0.7"]], "inner.example": [["192.168.0.1"]]}
    fetched, network = fetch(names, redirect("http://inner.example/inner.txt"))
    assert fetched.size == len(TEXT)
    assert network.dialled == ["10.0.0.7", "192.168.0.1"]


def test_the_way_from_within_over_a_public_server_does_not_lead_back(fetch) -> None:
    names = {"mirror.example": [["10.0.0.7"]], "public.example": [[PUBLIC]]}
    with pytest.raises(ScholarError, match="within this network"):
        fetch(
            names,
            redirect(f"http://public.example{PATH}"),
            redirect("http://mirror.example/inner.txt"),
        )


def test_a_name_without_an_address_is_tried_again_later(fetch) -> None:
    with pytest.raises(RetryLater, match="run the same command again"):
        fetch({})


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST.", "::1", "192.168.1.1"])
def test_a_redirect_that_a_proxy_follows_is_checked_by_its_name(host: str) -> None:
    route = Route()
    route.check_proxied("mirror.example")
    with pytest.raises(ScholarError, match="within this network"):
        route.check_proxied(host)


def test_through_a_proxy_a_host_within_the_network_may_be_asked_first() -> None:
    route = Route()
    route.check_proxied("192.168.1.1")
    route.check_proxied("localhost")
    assert not route.is_public


@pytest.mark.parametrize("address", [PUBLIC, OTHER_PUBLIC, "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@contextmanager
def within(seconds: float) -> Iterator[threading.Event]:
    """Yield an event that ends a slow server, even if the test fails."""
    over = threading.Event()
    timer = threading.Timer(seconds, over.set)
    timer.start()
    try:
        yield over
    finally:
        over.set()
        timer.cancel()


@pytest.mark.parametrize(
    ("content", "again"),
    [
        pytest.param(b"H", b"T", id="the status line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: a", b"a", id="a header"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="interim answers without an end"),
        pytest.param(CHUNKED + b"1;a", b"a", id="a chunk's header"),
        pytest.param(CHUNKED + b"1\r\na\r\n0\r\n", b"X: a\r\n", id="headers after the body"),
    ],
)
def test_headers_without_an_end_are_given_up(
    get, mirror: MirrorServer, content: bytes, again: bytes
) -> None:
    with within(20) as over:
        url = mirror.script(PATH, drip_bytes(content, again, over))
        with pytest.raises(RetryLater, match="answers too slowly"):
            get(url, timeout_s=0.3, retries=0)
        assert not over.is_set()


def test_an_answer_whose_headers_break_off_is_not_kept(
    get, mirror: MirrorServer, cache: Path
) -> None:
    def cut(handler: MirrorHandler) -> None:
        handler.connection.sendall(b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Le')
        handler.close_connection = True

    with pytest.raises(ScholarError, match="is empty"):
        get(mirror.script(PATH, cut), retries=0)
    assert kept_files(cache) == []
