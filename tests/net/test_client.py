"""fetch against a real server that fails in the ways servers do."""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from http_server import closed_port
from mirror_server import (
    Answer,
    MirrorServer,
    body,
    break_off,
    drip,
    hang,
    raw,
    redirect,
    serve,
    status,
)
from scholar_indexes.errors import (
    ConfigError,
    Damaged,
    NotThere,
    Offline,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.net.client import Fetched, Fetcher

TEXT = b"It is a truth universally acknowledged. " * 5000
PATH = "/1/3/4/1342/1342-0.txt"
MEGABYTE = 1_000_000


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[MirrorServer]:
    with MirrorServer(tmp_path / "mirror") as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def messages() -> list[str]:
    """Return the list that collects announcements."""
    return []


@pytest.fixture
def get(cache: Path, messages: list[str]):
    """Return get of a Fetcher that neither pauses nor waits long."""

    def get(
        url: str,
        *,
        max_bytes: int = MEGABYTE,
        refresh: bool = False,
        sha256: str | None = None,
        offline: bool = False,
        retries: int = 1,
        timeout_s: float = 5,
        max_wait_s: float = 1.5,
        pause_s: float = 0,
    ) -> Fetched:
        fetcher = Fetcher(
            cache,
            offline=offline,
            pause_s=pause_s,
            timeout_s=timeout_s,
            retries=retries,
            max_wait_s=max_wait_s,
        )
        return fetcher.get(
            url, max_bytes=max_bytes, refresh=refresh, sha256=sha256, announce=messages.append
        )

    return get


def kept_files(cache: Path) -> list[str]:
    """Return the files in the cache, but for locks and the pauses of hosts."""
    files = (path for path in cache.rglob("*") if path.is_file())
    return sorted(
        path.relative_to(cache).parts[0]
        for path in files
        if path.relative_to(cache).parts[0] not in ("locks", "hosts")
    )


# Refusals


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
def test_what_is_no_web_address_is_refused(get, cache: Path, url: str) -> None:
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
def test_what_is_gone_is_not_there_and_asked_for_once(get, mirror: MirrorServer, code: int) -> None:
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
        pytest.param(redirect(PATH), "passed on more than 5 times", id="passed on in a circle"),
    ],
)
def test_what_cannot_be_accepted_leaves_nothing(
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
    with pytest.raises(ScholarError, match=f"cannot be kept in {cache}"):
        get(mirror.put(PATH, TEXT))


# Trouble that may pass


def test_a_host_that_cannot_be_reached_is_named(get, messages: list[str]) -> None:
    port = closed_port()
    with pytest.raises(RetryLater, match=f"could not reach 127.0.0.1:{port}; check the conn"):
        get(f"http://127.0.0.1:{port}/a", retries=4)
    assert len(messages) == 1
    assert "trying again" in messages[0]


def test_a_name_nobody_knows_is_named(get) -> None:
    with pytest.raises(RetryLater, match=r"could not reach mirror\.invalid"):
        get("http://mirror.invalid/a", retries=0)


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
        with pytest.raises(RetryLater, match=r"left alone until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"):
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
    slow = drip(TEXT[:60], 1, 0.05, threading.Event())
    started = time.monotonic()
    with pytest.raises(RetryLater, match="sends too slowly"):
        get(mirror.script(PATH, slow), timeout_s=0.3, retries=0)
    assert time.monotonic() - started < 3


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


# Going on where it stopped


def test_a_broken_download_continues_in_the_same_call(
    get, mirror: MirrorServer, messages: list[str]
) -> None:
    mirror.put(PATH, TEXT)
    url = mirror.script(PATH, break_off(TEXT, 70_000), serve)
    assert get(url).path.read_bytes() == TEXT
    assert mirror.requests[1].headers["Range"] == "bytes=70000-"
    assert mirror.requests[1].headers["If-Range"].startswith('"')
    assert messages[-1] == f"continuing {url} (0.2 MB, 70,000 bytes are here)"


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


CHILD = """
import sys
from pathlib import Path
from scholar_indexes.net.client import Fetcher
fetcher = Fetcher(Path(sys.argv[1]), pause_s=float(sys.argv[2]))
for url in sys.argv[3:]:
    fetcher.get(url, max_bytes=10**6, announce=lambda line: None)
"""


def child(cache: Path, pause_s: float, *urls: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", CHILD, str(cache), str(pause_s), *urls])


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
    assert kept_files(cache) == ["partial", "partial"]  # the bytes and how to go on
    fetched = fetcher.get(url, max_bytes=MEGABYTE, announce=print)
    assert "Range" in mirror.requests[1].headers
    assert fetched.path.read_bytes() == TEXT


# Politeness


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


# The cache


def test_what_is_here_is_not_asked_for_again(get, mirror: MirrorServer) -> None:
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
    assert f"the copy of {url} that was here is damaged or gone" in messages


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
    assert messages[-1].startswith("offline, so the copy")


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
