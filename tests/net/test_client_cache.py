"""Pauses between requests, and the cache of downloads."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from downloads import MEGABYTE, PATH, TEXT, child
from mirror_server import (
    MirrorServer,
    body,
    drip,
    redirect,
)
from scholar_indexes.errors import (
    ConfigError,
    Offline,
)
from scholar_indexes.net.client import Fetched, Fetcher


def test_two_processes_leave_the_pause_between_their_requests(
    mirror: MirrorServer, cache: Path
) -> None:
    urls = [mirror.put(f"/{name}.txt", TEXT) for name in "abcd"]
    both = [child(cache, 0.4, *urls[:2]), child(cache, 0.4, *urls[2:])]
    assert [process.wait(30) for process in both] == [0, 0]
    requests = sorted(mirror.requests, key=lambda request: request.started)
    gaps = [after.started - before.started for before, after in pairwise(requests)]
    assert len(gaps) == 3
    assert min(gaps) >= 0.4


def test_two_threads_download_one_address_once(get, mirror: MirrorServer) -> None:
    url = mirror.script(PATH, drip(TEXT, 50_000, 0.05, threading.Event()))
    downloads: list[Fetched] = []
    threads = [threading.Thread(target=lambda: downloads.append(get(url))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(mirror.requests) == 1
    assert sorted(fetched.cached for fetched in downloads) == [False, True, True]


@pytest.mark.parametrize(
    "stamp",
    [
        pytest.param(f"{time.time() + 900} {time.time() + 902}", id="the clock was set back"),
        pytest.param(f"{time.time()} {time.time() + 1e6}", id="longer than any host may ask"),
        pytest.param("nan inf", id="not numbers"),
        pytest.param("", id="cut off"),
    ],
)
def test_a_senseless_pause_is_not_waited_for(
    get, mirror: MirrorServer, cache: Path, stamp: str
) -> None:
    (cache / "hosts").mkdir(parents=True)
    (cache / "hosts" / f"127.0.0.1_{mirror.port}").write_text(stamp)
    assert get(mirror.put(PATH, TEXT)).size == len(TEXT)


def test_requests_say_who_asks_and_want_plain_bytes(get, mirror: MirrorServer) -> None:
    get(mirror.put(PATH, TEXT))
    headers = mirror.requests[0].headers
    assert headers["User-Agent"].startswith("scholar-cli/")
    assert headers["User-Agent"].endswith(" (a personal reading tool)")
    assert headers["Accept-Encoding"] == "identity"


def test_the_download_is_announced_before_it_begins(mirror: MirrorServer, cache: Path) -> None:
    heard: list[object] = []
    Fetcher(cache, pause_s=0).get(
        mirror.put(PATH, TEXT),
        max_bytes=MEGABYTE,
        announce=heard.append,
        progress=lambda label, done, total: heard.append((label, done, total)),
    )
    assert heard[0] == f"downloading {mirror.url(PATH)} (0.2 MB)"
    assert heard[-1] == ("1342-0.txt", len(TEXT), len(TEXT))


def test_a_proxy_of_the_environment_is_used(
    get, mirror: MirrorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{mirror.port}")
    url = "http://mirror.invalid/a.txt"
    mirror.script(url, body(TEXT))
    assert get(url).path.read_bytes() == TEXT


def test_a_proxy_that_cannot_be_used_is_named(get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    with pytest.raises(ConfigError, match=r"socks5://.* cannot be used; set http_proxy"):
        get("http://mirror.invalid/a.txt")


def test_a_cached_body_is_not_requested_again(get, mirror: MirrorServer) -> None:
    url = mirror.put(PATH, TEXT)
    first, second, offline = get(url), get(url), get(url, offline=True)
    assert [first.cached, second.cached, offline.cached] == [False, True, True]
    assert second.path == first.path
    assert len(mirror.requests) == 1


def test_a_known_hash_is_found_wherever_it_came_from(get, mirror: MirrorServer) -> None:
    get(mirror.put("/a.txt", TEXT))
    fetched = get(mirror.url("/b.txt"), sha256=hashlib.sha256(TEXT).hexdigest())
    assert fetched.cached
    assert mirror.requested_paths == ["/a.txt"]


def test_a_damaged_copy_is_fetched_again_with_a_message(
    get, mirror: MirrorServer, messages: list[str]
) -> None:
    url = mirror.put(PATH, TEXT)
    get(url).path.write_bytes(b"bit rot")
    with pytest.raises(Offline):
        get(url, offline=True)
    assert get(url).path.read_bytes() == TEXT
    assert f"the cached copy of {url} is damaged or gone" in messages


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda record: record | {"sha256": "../../../etc/passwd"}, id="a path"),
        pytest.param(lambda record: record | {"shoe": 9}, id="a field too many"),
        pytest.param(lambda record: {}, id="no fields"),
        pytest.param(lambda record: [], id="a list"),
    ],
)
def test_a_damaged_record_is_as_none(get, mirror, cache, messages, change) -> None:
    url = mirror.put(PATH, TEXT)
    get(url)
    (record,) = (cache / "urls").iterdir()
    record.write_text(json.dumps(change(json.loads(record.read_text()))))
    with pytest.raises(Offline):
        get(url, offline=True)
    assert get(url).path.read_bytes() == TEXT
    assert len(mirror.requests) == 2
    assert all(line.startswith("downloading") for line in messages)


def test_refresh_keeps_what_has_not_changed(get, mirror: MirrorServer) -> None:
    url = mirror.put(PATH, TEXT)
    get(url)
    assert get(url, refresh=True).cached
    assert "If-None-Match" in mirror.requests[1].headers
    assert "If-Modified-Since" in mirror.requests[1].headers


def test_refresh_takes_what_has_changed(get, mirror: MirrorServer) -> None:
    url = mirror.put(PATH, TEXT)
    get(url)
    mirror.put(PATH, b"a better edition")
    assert get(url, refresh=True).path.read_bytes() == b"a better edition"
    assert get(url).path.read_bytes() == b"a better edition"


def test_refresh_offline_uses_what_is_here(get, mirror: MirrorServer, messages: list[str]) -> None:
    url = mirror.put(PATH, TEXT)
    get(url)
    assert get(url, refresh=True, offline=True).cached
    assert messages[-1].startswith("offline: using the cached copy")


def test_a_redirect_is_followed_and_remembered(get, mirror: MirrorServer, cache: Path) -> None:
    target = mirror.put("/there/b.txt", TEXT)
    url = mirror.script("/here/a.txt", redirect("../there/b.txt", 301))
    assert get(url).url == url
    assert get(url).cached
    (record,) = (cache / "urls").iterdir()
    assert json.loads(record.read_text())["final_url"] == target


def test_a_gzip_file_labelled_as_encoded_is_kept_as_it_is(get, mirror: MirrorServer) -> None:
    packed = gzip.compress(TEXT)
    url = mirror.script("/feeds/pg_catalog.csv.gz", body(packed, Content_Encoding="x-gzip"))
    assert get(url).path.read_bytes() == packed


def test_importing_fetch_loads_no_network_library() -> None:
    code = (
        "import sys, scholar_indexes.net.client as f; "
        "sys.exit(any(m in sys.modules for m in ('urllib3', 'filelock', 'http.client', 'ssl')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
