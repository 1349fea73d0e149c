"""Addresses, answers and hosts that the client refuses."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from downloads import PATH, TEXT, kept_files
from http_server import closed_port
from mirror_server import (
    Answer,
    MirrorServer,
    body,
    raw,
    redirect,
    status,
)
from scholar_indexes.errors import Damaged, NotThere, Offline, RetryLater, ScholarError, UsageError


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("file:///etc/hosts", id="a file"),
        pytest.param("ftp://127.0.0.1/a", id="ftp"),
        pytest.param("data:text/plain,a", id="data"),
        pytest.param("gutenberg.org/1342", id="no scheme"),
        pytest.param("https://", id="no host"),
        pytest.param("https://[::1/a", id="a broken IPv6 host"),
        pytest.param("https://a:99999/", id="an impossible port"),
        pytest.param("https://me:secret@example.org/", id="a password"),
        pytest.param("https://example.org/a b", id="a space"),
        pytest.param("https://example.org/\x1b[2J", id="control characters"),
        pytest.param("", id="nothing"),
    ],
)
def test_other_addresses_than_of_the_web_are_refused(get, cache: Path, url: str) -> None:
    with pytest.raises(UsageError) as refused:
        get(url)
    assert str(refused.value).isprintable()
    assert not cache.exists()


def test_offline_names_the_address_and_the_flag(get, mirror: MirrorServer) -> None:
    url = mirror.put(PATH, TEXT)
    with pytest.raises(Offline, match=f"{url}.*--offline"):
        get(url, offline=True)
    assert mirror.requests == []


@pytest.mark.parametrize("code", [404, 410])
def test_a_missing_page_is_requested_once(get, mirror: MirrorServer, code: int) -> None:
    with pytest.raises(NotThere, match=f"{PATH} .{code}"):
        get(mirror.script(PATH, status(code)))
    assert len(mirror.requests) == 1


@pytest.mark.parametrize("code", [204, 300, 304, 400, 401, 403, 451, 501])
def test_other_refusals_are_final_and_say_what_to_do(get, mirror: MirrorServer, code: int) -> None:
    with pytest.raises(ScholarError, match=rf"\({code}\); open the address in a browser"):
        get(mirror.script(PATH, status(code)))
    assert len(mirror.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(body(b""), "is empty", id="an empty body"),
        pytest.param(
            raw(200, {"Content-Length": "2000"}, b"x"),
            "larger than 1,000 bytes",
            id="too large by its header",
        ),
        pytest.param(
            raw(200, {"Connection": "close"}, b"x" * 2000),
            "larger than 1,000 bytes",
            id="too large by count",
        ),
        pytest.param(
            body(gzip.compress(bytes(100_000)), Content_Encoding="gzip"),
            "came compressed .gzip.",
            id="compressed unasked",
        ),
        pytest.param(redirect("file:///etc/hosts"), "not safe to follow", id="passed on to a file"),
        pytest.param(redirect("ftp://127.0.0.1/"), "not safe to follow", id="passed on to ftp"),
        pytest.param(redirect("http://[::1/"), "not safe to follow", id="passed on to nonsense"),
        pytest.param(redirect(PATH), "redirected more than 5 times", id="passed on in a circle"),
    ],
)
def test_an_unacceptable_body_leaves_nothing(
    get, mirror: MirrorServer, cache: Path, answer: Answer, message: str
) -> None:
    with pytest.raises(ScholarError, match=message):
        get(mirror.script(PATH, answer), max_bytes=1000)
    assert kept_files(cache) == []


def test_https_is_never_left_for_http() -> None:
    from scholar_indexes.net.responses import next_address

    with pytest.raises(ScholarError, match="not safe to follow"):
        next_address("https://example.org/a", "http://example.org/a")
    assert next_address("http://example.org/a", "https://example.org/a") == "https://example.org/a"
    assert next_address("https://example.org/a/b", "../c") == "https://example.org/c"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Location": "http://127.0.0.1/\x1b]0;hi\x07\x9b"}, id="location"),
        pytest.param({"Content-Encoding": "\x1b[31mred", "Content-Length": "1"}, id="encoding"),
    ],
)
def test_hostile_headers_never_reach_a_message(
    get, mirror: MirrorServer, messages: list[str], headers: dict[str, str]
) -> None:
    code = 302 if "Location" in headers else 200
    with pytest.raises(ScholarError) as refused:
        get(mirror.script(PATH, raw(code, headers, b"x")))
    assert str(refused.value).isprintable()
    assert all(line.isprintable() for line in messages)


def test_a_hostile_validator_is_not_kept(get, mirror: MirrorServer) -> None:
    url = mirror.script(PATH, body(TEXT, ETag='"\x1b[2J"', Last_Modified="é\x00"))
    get(url)
    get(url, refresh=True)
    assert "If-None-Match" not in mirror.requests[1].headers
    assert "If-Modified-Since" not in mirror.requests[1].headers


def test_the_wrong_file_is_not_kept(get, mirror: MirrorServer, cache: Path) -> None:
    with pytest.raises(Damaged, match="not the file that was expected"):
        get(mirror.put(PATH, TEXT), sha256="0" * 64)
    assert kept_files(cache) == []


def test_a_cache_that_cannot_be_written_is_named(get, mirror: MirrorServer, cache: Path) -> None:
    cache.write_bytes(b"in the way")
    with pytest.raises(ScholarError, match=f"cannot be stored in {cache}"):
        get(mirror.put(PATH, TEXT))


def test_a_host_that_cannot_be_reached_is_named(get, messages: list[str]) -> None:
    port = closed_port()
    with pytest.raises(RetryLater, match=f"could not reach 127.0.0.1:{port}; check the conn"):
        get(f"http://127.0.0.1:{port}/a", retries=4)
    assert len(messages) == 1
    assert "trying again" in messages[0]


def test_a_name_nobody_knows_is_named(get) -> None:
    with pytest.raises(RetryLater, match=r"could not reach mirror\.invalid"):
        get("http://mirror.invalid/a", retries=0)
