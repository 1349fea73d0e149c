"""The client with busy servers, broken connections and partial files."""

from __future__ import annotations

import email.utils
import hashlib
import threading
import time
from pathlib import Path

import pytest

from downloads import MEGABYTE, PATH, TEXT, child, kept_files
from mirror_server import (
    Answer,
    MirrorServer,
    body,
    break_off,
    drip,
    hang,
    raw,
    serve,
    status,
)
from scholar_indexes.errors import (
    RetryLater,
)
from scholar_indexes.net.client import Fetcher


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(get, mirror: MirrorServer, code: int) -> None:
    mirror.put(PATH, TEXT)
    assert get(mirror.script(PATH, status(code), serve)).path.read_bytes() == TEXT
    assert len(mirror.requests) == 2


def test_a_server_that_stays_busy_ends_in_retry_later(get, mirror: MirrorServer) -> None:
    with pytest.raises(RetryLater, match=r"is busy \(503\); run the same command again later"):
        get(mirror.script(PATH, status(503)), retries=2)
    assert len(mirror.requests) == 3


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited_for(get, mirror: MirrorServer, form: str) -> None:
    mirror.put(PATH, TEXT)
    now = time.time()
    earliest = now + 1 if form == "seconds" else int(now) + 2
    retry_after = "1" if form == "seconds" else email.utils.formatdate(earliest, usegmt=True)
    get(mirror.script(PATH, status(429, Retry_After=retry_after), serve), max_wait_s=5)
    assert len(mirror.requests) == 2
    assert mirror.requests[1].started >= earliest


def test_a_long_retry_after_is_reported_and_remembered(
    get, mirror: MirrorServer, messages: list[str]
) -> None:
    url = mirror.script(PATH, status(503, Retry_After="3600"))
    for _ in range(2):
        with pytest.raises(RetryLater, match=r"no requests until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"):
            get(url)
    assert len(mirror.requests) == 1
    assert messages == []


@pytest.mark.parametrize(
    "value",
    ["soon", "-5", "9" * 5000, "\x1b[2J", "Thu, 99 Foo 2030"],
    ids=["a word", "negative", "long", "a control sequence", "no date"],
)
def test_a_retry_after_that_makes_no_sense_is_ignored_or_bounded(
    get, mirror: MirrorServer, value: str
) -> None:
    mirror.put(PATH, TEXT)
    assert get(mirror.script(PATH, status(503, Retry_After=value), serve)).size == len(TEXT)


def test_a_server_that_says_nothing_is_given_up(get, mirror: MirrorServer) -> None:
    with pytest.raises(RetryLater, match="stopped answering"):
        get(mirror.script(PATH, hang(1)), timeout_s=0.2, retries=0)


def test_a_server_that_sends_too_slowly_is_given_up(get, mirror: MirrorServer) -> None:
    half_was_sent = threading.Event()
    slow = drip(TEXT[:60] * 20, 1, 0.05, half_was_sent)
    with pytest.raises(RetryLater, match="answers too slowly"):
        get(mirror.script(PATH, slow), timeout_s=0.3, retries=0)
    assert not half_was_sent.is_set()


def test_a_body_shorter_than_promised_is_not_kept_as_whole(
    get, mirror: MirrorServer, cache: Path
) -> None:
    short = raw(200, {"Content-Length": str(len(TEXT))}, TEXT[:1000])
    with pytest.raises(RetryLater, match="broke off"):
        get(mirror.script(PATH, short), retries=1)
    assert set(kept_files(cache)) <= {"partial"}


def test_a_chunked_body_cut_short_is_not_kept_as_whole(
    get, mirror: MirrorServer, cache: Path
) -> None:
    cut = raw(200, {"Transfer-Encoding": "chunked"}, b"5\r\nhello\r\n5\r\nwo")
    with pytest.raises(RetryLater, match="broke off"):
        get(mirror.script(PATH, cut), retries=0)
    assert set(kept_files(cache)) <= {"partial"}


def test_two_lengths_are_not_believed(get, mirror: MirrorServer) -> None:
    both = raw(200, {"Content-Length": "5", "content-length": "7"}, b"hello!!")
    with pytest.raises(RetryLater, match="broke off"):
        get(mirror.script(PATH, both), retries=0)


def test_bytes_after_the_promised_length_are_no_part_of_this_body_or_the_next(
    get, mirror: MirrorServer
) -> None:
    other = mirror.put("/other.txt", TEXT)
    assert get(mirror.script(PATH, raw(200, {"Content-Length": "5"}, b"hello, world"))).size == 5
    assert get(other).path.read_bytes() == TEXT


def test_a_broken_download_continues_in_the_same_call(
    get, mirror: MirrorServer, messages: list[str]
) -> None:
    mirror.put(PATH, TEXT)
    url = mirror.script(PATH, break_off(TEXT, 70_000), serve)
    assert get(url).path.read_bytes() == TEXT
    assert mirror.requests[1].headers["Range"] == "bytes=70000-"
    assert mirror.requests[1].headers["If-Range"].startswith('"')
    assert messages[-1] == f"resuming {url} (0.2 MB, 70,000 bytes done)"


def test_a_connection_that_is_reset_is_made_again(get, mirror: MirrorServer) -> None:
    mirror.put(PATH, TEXT)
    url = mirror.script(PATH, break_off(TEXT, 70_000, reset=True), serve)
    assert get(url).path.read_bytes() == TEXT


def lying_206(content_range: str, **headers: str) -> Answer:
    return raw(206, {"Content-Length": "5", "Content-Range": content_range, **headers}, b"wrong")


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(body(TEXT, ranges=False), id="a server without ranges"),
        pytest.param(body(TEXT, ETag='"changed"'), id="a body that changed"),
        pytest.param(lying_206(f"bytes 0-4/{len(TEXT)}"), id="the wrong place"),
        pytest.param(lying_206(f"bytes 69999-{len(TEXT) - 1}/{len(TEXT)}"), id="the wrong start"),
        pytest.param(lying_206(f"bytes 70000-70004/{len(TEXT)}"), id="the wrong end"),
        pytest.param(lying_206(f"bytes 70000-{len(TEXT) - 1}/{len(TEXT)}"), id="too little"),
        pytest.param(lying_206("bytes 70000-70004/70005"), id="the wrong total"),
        pytest.param(
            raw(
                206,
                {"Content-Range": f"bytes 70000-{len(TEXT) - 1}/{len(TEXT)}"},
                TEXT[70_000:90_000],
            ),
            id="too little, its length untold",
        ),
        pytest.param(lying_206("pages 1-2/3"), id="no bytes at all"),
        pytest.param(raw(206, {"Content-Length": "5"}, b"wrong"), id="no place named"),
        pytest.param(status(416), id="a range refused"),
    ],
)
def test_a_download_that_cannot_continue_starts_over(
    get, mirror: MirrorServer, second: Answer
) -> None:
    mirror.put(PATH, TEXT)
    url = mirror.script(PATH, break_off(TEXT, 70_000), second, serve)
    assert get(url, retries=3).path.read_bytes() == TEXT


def test_a_part_of_another_version_is_not_joined_on(get, mirror: MirrorServer) -> None:
    mirror.put(PATH, TEXT)
    ignores_if_range = raw(
        206,
        {
            "ETag": '"newer"',
            "Content-Length": str(len(TEXT) - 70_000),
            "Content-Range": f"bytes 70000-{len(TEXT) - 1}/{len(TEXT)}",
        },
        b"x" * (len(TEXT) - 70_000),
    )
    url = mirror.script(PATH, break_off(TEXT, 70_000), ignores_if_range, serve)
    assert get(url, retries=3).path.read_bytes() == TEXT


def test_a_body_without_a_strong_validator_is_fetched_whole_again(
    get, mirror: MirrorServer
) -> None:
    mirror.put(PATH, TEXT)
    get(mirror.script(PATH, break_off(TEXT, 70_000, etag='W/"weak"'), serve))
    assert "Range" not in mirror.requests[1].headers


def test_a_part_nobody_asked_for_is_not_taken_for_the_whole(get, mirror: MirrorServer) -> None:
    with pytest.raises(RetryLater, match="sent a different part"):
        get(mirror.script(PATH, lying_206("bytes 0-4/5")), retries=1)


def test_a_process_killed_half_way_leaves_its_half_to_the_next(
    get, mirror: MirrorServer, cache: Path
) -> None:
    half_way = threading.Event()
    mirror.put(PATH, TEXT)
    url = mirror.script(PATH, drip(TEXT, 10_000, 0.02, half_way), serve)
    process = child(cache, 0, url)
    assert half_way.wait(20)
    process.kill()
    process.wait()
    assert "objects" not in kept_files(cache)

    fetched = get(url)

    assert int(mirror.requests[1].headers["Range"][6:-1]) >= 8_192
    assert fetched.path.read_bytes() == TEXT
    assert fetched.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert kept_files(cache) == ["objects", "urls"]


def test_an_interrupt_leaves_the_partial_file_and_nothing_else(
    mirror: MirrorServer, cache: Path
) -> None:
    def interrupt(label: str, done: int, total: int) -> None:
        if done > 50_000:
            raise KeyboardInterrupt

    url = mirror.script(PATH, drip(TEXT, 20_000, 0.01, threading.Event()), serve)
    mirror.put(PATH, TEXT)
    fetcher = Fetcher(cache, pause_s=0)
    with pytest.raises(KeyboardInterrupt):
        fetcher.get(url, max_bytes=MEGABYTE, announce=print, progress=interrupt)
    assert kept_files(cache) == ["partial", "partial"]  # the bytes, and how to resume
    fetched = fetcher.get(url, max_bytes=MEGABYTE, announce=print)
    assert "Range" in mirror.requests[1].headers
    assert fetched.path.read_bytes() == TEXT
