"""Send one POST request to a web server that may take minutes to answer, within limits.

Nothing is cached and no redirect is followed, so that the content (a novel, a key) goes to
the address a user gave and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scholar_indexes.net.responses import explained, retry_after
from scholar_indexes.net.route import Deadline

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

_CHUNK_BYTES = 64 * 1024
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of a response; whole is False if the body was longer than accepted.

    wait_s is how long the server asks clients to wait, 0 if it does not say.
    """

    status: int
    body: bytes
    whole: bool
    wait_s: float


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float, max_bytes: int
) -> Reply:
    """Return the reply to a body, whatever its status; it must arrive within timeout_s seconds.

    Raises RetryableFailure if the server cannot be reached, breaks off or is too slow, and
    ScholarError or ConfigError for an address, certificate or proxy that cannot be used.
    """
    from urllib3.exceptions import HTTPError
    from urllib3.util import Timeout

    from scholar_indexes.net.transport import connections

    is_this_machine = urlsplit(url).hostname in _LOOPBACK
    with connections(url, Deadline(timeout_s), proxied=not is_this_machine) as pool:
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
            read, whole = _read(response, max_bytes)
            return Reply(response.status, read, whole, retry_after(response))
        except HTTPError as error:
            raise explained(error, url) from error
        finally:
            if response is not None:
                response.close()


def _read(response: BaseHTTPResponse, max_bytes: int) -> tuple[bytes, bool]:
    """Return a body of at most `max_bytes`, and whether it is complete."""
    read = bytearray()
    while chunk := response.read1(_CHUNK_BYTES):
        read += chunk
        if len(read) > max_bytes:
            return bytes(read[:max_bytes]), False
    return bytes(read), True
