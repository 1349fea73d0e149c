"""Send one POST request to a web server that may take minutes to answer, within limits.

Nothing is cached and no redirect is followed, so that what is sent (a novel, a key) goes to
the address a user gave and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scholar_indexes.net.responses import RetryableFailure, explained, plain, retry_after

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

_CHUNK_BYTES = 64 * 1024
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of an answer; whole is False where the body was longer than was accepted.

    wait_s is how long the server asks to be left alone, 0 where it does not say.
    """

    status: int
    body: bytes
    whole: bool
    wait_s: float


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float, max_bytes: int
) -> Reply:
    """Return the reply to a body, whatever its status, read for at most timeout_s seconds in all.

    Raises RetryableFailure when the server cannot be reached, breaks off or is too slow, and
    ScholarError or ConfigError for an address, certificate or proxy that cannot be used.
    """
    from urllib3.exceptions import HTTPError
    from urllib3.util import Timeout

    deadline = time.monotonic() + timeout_s
    with _connections(url) as pool:
        response = None
        try:
            response = pool.request(
                "POST",
                url,
                body=body,
                headers={"Accept-Encoding": "identity", **headers},
                preload_content=False,
                decode_content=False,
                redirect=False,
                retries=False,
                timeout=Timeout(connect=min(timeout_s, 30.0), read=timeout_s),
            )
            read, whole = _read(response, url, deadline, max_bytes)
            return Reply(response.status, read, whole, retry_after(response))
        except HTTPError as error:
            raise explained(error, url) from error
        finally:
            if response is not None:
                response.close()


def _read(
    response: BaseHTTPResponse, url: str, deadline: float, max_bytes: int
) -> tuple[bytes, bool]:
    """Return a body, and whether that is all of it."""
    read = bytearray()
    while chunk := response.read1(_CHUNK_BYTES):
        read += chunk
        if len(read) > max_bytes:
            return bytes(read[:max_bytes]), False
        if time.monotonic() > deadline:
            raise RetryableFailure(f"{plain(urlsplit(url).netloc)} answers too slowly")
    return bytes(read), True


def _connections(url: str) -> PoolManager:
    """Return connections for one request, without a proxy to this machine itself."""
    from urllib3 import PoolManager

    from scholar_indexes.net import client

    if urlsplit(url).hostname in _LOOPBACK:
        return PoolManager()
    return client.connections(url)
