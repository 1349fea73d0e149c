"""Fetch web addresses through a cache, within limits; only this package uses the network.

Requests are sent only for bodies that are not cached, one at a time to each host and with pauses
in between, whichever process sends them. An interrupted download is resumed. Servers are never
trusted: lengths are counted, compression is refused, and only printable headers reach a message.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scholar_indexes.errors import (
    Damaged,
    NotThere,
    Offline,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.net.cache import CacheRecord, HttpCache, PartialDownload
from scholar_indexes.net.responses import (
    RetryableFailure,
    explained,
    in_words,
    is_web_address,
    next_address,
    plain,
    retry_after,
    safe_header,
    validator,
    whole_size,
)
from scholar_indexes.net.route import SYSTEM, Connector, Deadline, Route
from scholar_indexes.net.throttle import come_back, hold, turn
from scholar_indexes.types import Progress, silent

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

    from scholar_indexes.paths import Paths
    from scholar_indexes.settings import Settings

Announce = Callable[[str], None]

MAX_REDIRECTS = 5
_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
_CHUNK_BYTES = 64 * 1024
_LEAST_BYTES = 1024  # a body that brings less in timeout_s counts as stalled


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body on this machine: its path, its address, its hash and its size in bytes.

    cached is true if no byte of it was downloaded for this request.
    """

    path: Path
    url: str
    sha256: str
    size: int
    cached: bool


@dataclass(frozen=True, slots=True)
class _Job:
    """The request of one call to get; cached is the stored copy, which may be outdated."""

    url: str
    max_bytes: int
    sha256: str | None
    cached: CacheRecord | None
    announce: Announce
    progress: Progress
    route: Route
    deadline: Deadline


class Fetcher:
    """Downloads into a folder, with pauses between requests.

    pause_s is the pause between two requests to one host; timeout_s limits connecting, the time
    until the headers of a response arrive, and the time for each 1 KiB of it; a failed request is
    repeated up to retries times (once if the host cannot be reached at all); max_wait_s is the
    longest wait a host may ask for before the user is told to come back later. A public server
    may not redirect to an address within this network, which `network` looks up (see route).
    """

    def __init__(
        self,
        cache: Path,
        *,
        offline: bool = False,
        pause_s: float = 2.0,
        timeout_s: float = 30.0,
        retries: int = 4,
        max_wait_s: float = 60.0,
        network: Connector = SYSTEM,
    ) -> None:
        self.offline = offline
        self._cache = HttpCache(cache)
        self._pause_s = pause_s
        self._timeout_s = timeout_s
        self._retries = retries
        self._max_wait_s = max_wait_s
        self._network = network

    @classmethod
    def for_user(cls, paths: Paths, settings: Settings, *, min_pause_s: float = 0.0) -> Fetcher:
        """Return a fetcher with a user's folders and settings, and a pause of at least this."""
        return cls(
            paths.downloads,
            offline=settings.offline,
            pause_s=max(settings.pause_s, min_pause_s),
            timeout_s=settings.timeout_s,
        )

    def get(
        self,
        url: str,
        *,
        max_bytes: int,
        refresh: bool = False,
        sha256: str | None = None,
        announce: Announce,
        progress: Progress = silent,
    ) -> Fetched:
        """Return the body at an http or https address, at most max_bytes long.

        A cached body is returned without a request; refresh asks the server whether it
        changed. With sha256, only the body with this hash is accepted, and a cached one is never
        refreshed. announce gets one line before anything is downloaded.

        Raises UsageError (not a web address), Offline, RetryLater (the network or the server
        failed), Busy (another process holds the download), NotThere (404, 410), Damaged (not
        the body of sha256) and ScholarError (refused, too large, empty, unsafe).
        """
        if not is_web_address(url):
            raise UsageError(
                f"{plain(url)} is not a web address that can be fetched; "
                "give one that starts with https:// and has no user name"
            )
        with self._explain_disk_errors():
            cached = self._find_cached(url, sha256, announce)
            if cached is not None and (sha256 is not None or not refresh):
                return cached
            if self.offline and cached is not None:
                announce(f"offline: using the cached copy of {plain(url)}")
                return cached
            if self.offline:
                raise Offline(
                    f"{plain(url)} is not on this machine and --offline forbids "
                    "downloading it; run the same command without --offline"
                )
            with hold(self._cache.lock_path(url), plain(url), announce):
                now_cached = self._find_cached(url, sha256, _say_nothing)
                if now_cached is not None and cached is None:
                    return now_cached  # another process fetched it while this one waited
                # Without a stored body, the answer "not modified" would leave nothing to return.
                record = self._cache.record(url) if now_cached is not None else None
                route, deadline = Route(self._network), Deadline(self._timeout_s)
                return self._download(
                    _Job(url, max_bytes, sha256, record, announce, progress, route, deadline)
                )

    def cached(self, url: str) -> Fetched | None:
        """Return the stored copy of an address, verified; no request is made."""
        with self._explain_disk_errors():
            return self._find_cached(url, None, _say_nothing)

    def forget(self, url: str) -> None:
        """Delete the stored copy of an address, for a caller that cannot use it."""
        with self._explain_disk_errors():
            self._cache.forget(url)

    @contextmanager
    def _explain_disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ScholarError(
                f"downloads cannot be stored in {self._cache.root} ({error.strerror or error}); "
                "free some space there or set SCHOLAR_HOME to another folder"
            ) from error

    def _find_cached(self, url: str, sha256: str | None, announce: Announce) -> Fetched | None:
        record = self._cache.record(url)
        wanted = sha256 or (record.sha256 if record else None)
        if wanted is None:
            return None
        path = self._cache.body(wanted)
        if path is not None:
            return Fetched(path, url, wanted, path.stat().st_size, cached=True)
        if record is not None and record.sha256 == wanted:
            announce(f"the cached copy of {plain(url)} is damaged or gone")
        return None

    def _download(self, job: _Job) -> Fetched:
        from urllib3.exceptions import MaxRetryError, ResponseError
        from urllib3.util import Retry

        retry = Retry(
            total=self._retries,
            connect=min(1, self._retries),
            backoff_factor=self._pause_s,
            backoff_max=self._max_wait_s,
        )
        hosts = self._cache.root / "hosts"
        address = job.url
        redirects = 0
        if job.cached is not None:
            job.announce(f"asking whether {plain(job.url)} has changed")
        while True:
            host = urlsplit(address).netloc
            with turn(hosts, host, self._pause_s, self._max_wait_s, job.announce) as mine:
                try:
                    answer = self._ask(address, job)
                except RetryableFailure as again:
                    mine.wait_s = max(again.wait_s, self._pause_s)
                    # The server asks for a longer pause than a user waits at the prompt.
                    if again.wait_s > self._max_wait_s:
                        raise RetryLater(come_back(host, again.wait_s)) from again
                    try:
                        retry = retry.increment(
                            "GET", address, error=again.error or ResponseError(str(again))
                        )
                    except MaxRetryError as spent:
                        remedy = "check the connection and " if again.error else ""
                        raise RetryLater(
                            f"{again}; {remedy}run the same command again later"
                        ) from spent
                    mine.wait_s = max(mine.wait_s, retry.get_backoff_time())
                    job.announce(f"{again}; trying again in {mine.wait_s:.0f} s")
                    continue
            if isinstance(answer, Fetched):
                return answer
            redirects += 1
            if redirects > MAX_REDIRECTS:
                raise ScholarError(
                    f"{plain(job.url)} was redirected more than {MAX_REDIRECTS} times; "
                    "check the address"
                )
            address = answer

    def _ask(self, address: str, job: _Job) -> Fetched | str:
        """Send one request; return the body, or the address it was redirected to."""
        from urllib3.exceptions import HTTPError
        from urllib3.util import Timeout

        from scholar_indexes.net.transport import connections

        part = self._cache.partial(job.url)
        with connections(address, job.deadline, job.route) as pool:
            response = None
            try:
                response = pool.request(
                    "GET",
                    address,
                    headers=_headers(job, part),
                    preload_content=False,
                    decode_content=False,
                    # Each new address is checked before it is asked for.
                    redirect=False,
                    retries=False,
                    timeout=Timeout(connect=self._timeout_s, read=self._timeout_s),
                )
                return self._handle_response(response, address, job, part)
            except HTTPError as error:
                raise explained(error, address) from error
            finally:
                if response is not None:
                    response.close()

    def _handle_response(
        self, response: BaseHTTPResponse, address: str, job: _Job, part: PartialDownload | None
    ) -> Fetched | str:
        """Return the body of a response, or the address it redirects to; raise for any other."""
        location = response.get_redirect_location()
        if location:
            return next_address(address, location)
        if response.status == 304 and job.cached is not None:
            unchanged = self._confirm_cached(job.url, job.cached)
            if unchanged is not None:
                return unchanged
        if response.status == 200:
            return self._take(response, address, job, None, response.length_remaining or 0)
        if response.status == 206:
            return self._continue(response, address, job, part)
        raise self._refusal(response, address, job, part)

    def _confirm_cached(self, url: str, record: CacheRecord) -> Fetched | None:
        """Record that a stored copy has not changed and return it, None if it is damaged."""
        path = self._cache.body(record.sha256)
        if path is None:
            return None
        self._cache.note(replace(record, fetched_at=time.time()))
        return Fetched(path, url, record.sha256, record.size, cached=True)

    def _continue(
        self, response: BaseHTTPResponse, address: str, job: _Job, part: PartialDownload | None
    ) -> Fetched:
        """Read the rest of a body after part; raise RetryableFailure if it does not follow it."""
        total = whole_size(response, part) if part is not None else None
        if total is None:
            self._cache.discard(job.url)
            host = plain(urlsplit(address).netloc)
            raise RetryableFailure(f"{host} sent a different part of {plain(job.url)}")
        return self._take(response, address, job, part, total)

    def _refusal(
        self, response: BaseHTTPResponse, address: str, job: _Job, part: PartialDownload | None
    ) -> Exception:
        """Return the error for a response without a usable body."""
        host, status = urlsplit(address).netloc, response.status
        if status in (404, 410):
            return NotThere(f"there is nothing at {plain(address)} ({status}); check the address")
        if status in _TRY_AGAIN:
            trouble = "is busy" if status in (429, 503) else "reports an error"
            return RetryableFailure(
                f"{plain(host)} {trouble} ({status})", wait_s=retry_after(response)
            )
        if status == 416 and part is not None:
            self._cache.discard(job.url)
            return RetryableFailure(f"{plain(host)} could not continue {plain(job.url)}")
        return ScholarError(
            f"{plain(host)} refused {plain(address)} ({status}); "
            "open the address in a browser, save the file and use that"
        )

    def _take(
        self,
        response: BaseHTTPResponse,
        address: str,
        job: _Job,
        part: PartialDownload | None,
        total: int,
    ) -> Fetched:
        """Read a body, or its rest after part, to its end and store it; total 0 is unknown."""
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        # Some servers label a file that is itself a .gz as encoded; it is kept as it is.
        file_is_gzip = urlsplit(address).path.endswith(".gz")
        if encoding not in ("identity", "") and not (file_is_gzip and "gzip" in encoding):
            raise ScholarError(
                f"{plain(address)} came compressed ({plain(encoding)}) though plain bytes were "
                "requested; try another address"
            )
        if total > job.max_bytes:
            raise self._too_large(job)
        if part is None:
            done = 0
            path = self._cache.begin(job.url, validator(response), total)
            job.announce(f"downloading {plain(job.url)} ({in_words(total)})")
        else:
            done, path = part.size, part.path
            job.announce(f"resuming {plain(job.url)} ({in_words(total)}, {in_words(done)} done)")
        label = plain(urlsplit(job.url).path.rpartition("/")[2] or job.url)
        with path.open("ab") as file:
            for chunk in self._chunks(response, job.deadline):
                done += len(chunk)
                if done > job.max_bytes:
                    raise self._too_large(job)
                file.write(chunk)
                job.progress(label, done, total)
            file.flush()
            os.fsync(file.fileno())
        if total and done != total:
            raise RetryableFailure(f"{plain(address)} ended after {done} of {total} bytes")
        return self._finish(response, address, job)

    def _chunks(self, response: BaseHTTPResponse, deadline: Deadline) -> Iterator[bytes]:
        """Yield the bytes as they arrive; too few of them before the deadline raise HTTPError."""
        received = 0
        while chunk := response.read1(_CHUNK_BYTES):
            yield chunk
            received += len(chunk)
            if received >= _LEAST_BYTES:
                received = 0
                # Not at every byte: a server that drips would hold the connection for ever.
                deadline.extend()

    def _finish(self, response: BaseHTTPResponse, address: str, job: _Job) -> Fetched:
        sha256, size = self._cache.measure(job.url)
        if size == 0:
            self._cache.discard(job.url)
            raise ScholarError(f"{plain(job.url)} is empty; try another address")
        if job.sha256 is not None and sha256 != job.sha256:
            self._cache.discard(job.url)
            raise Damaged(
                f"{plain(job.url)} is not the file that was expected (its SHA-256 is {sha256}); "
                "nothing was stored, run the same command again or try another address"
            )
        record = CacheRecord(
            url=job.url,
            final_url=address,
            sha256=sha256,
            size=size,
            etag=safe_header(response, "ETag"),
            last_modified=safe_header(response, "Last-Modified"),
            fetched_at=time.time(),
        )
        return Fetched(self._cache.keep(record), job.url, sha256, size, cached=False)

    def _too_large(self, job: _Job) -> ScholarError:
        self._cache.discard(job.url)
        return ScholarError(
            f"{plain(job.url)} is larger than {in_words(job.max_bytes)}, the most that is "
            "accepted here; nothing was stored, check the address"
        )


def _say_nothing(line: str) -> None:
    pass


def _headers(job: _Job, part: PartialDownload | None) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        release = version("scholar-cli")
    except PackageNotFoundError:
        release = "0"
    headers = {
        "User-Agent": f"scholar-cli/{release} (a personal reading tool)",
        # Ranges, sizes and hashes are of the plain bytes.
        "Accept-Encoding": "identity",
    }
    if part is not None:
        headers["Range"] = f"bytes={part.size}-"
        headers["If-Range"] = part.validator
    elif job.cached is not None:
        if job.cached.etag:
            headers["If-None-Match"] = job.cached.etag
        if job.cached.last_modified:
            headers["If-Modified-Since"] = job.cached.last_modified
    return headers
