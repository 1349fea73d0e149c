"""Check what a server sends before it is used.

Addresses, headers and lengths come from outside: here they are checked before anything is
stored, sent back, followed or shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from scholar_indexes.errors import ScholarError
from scholar_indexes.net.cache import HEADER_VALUE, PartialDownload

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse
    from urllib3.exceptions import HTTPError

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15}|\*)")
_LONGEST_RETRY_AFTER_S = 6 * 3600.0


class RetryableFailure(Exception):
    """A failed request that may succeed on another attempt, after wait_s seconds or more."""

    def __init__(self, reason: str, error: HTTPError | None = None, wait_s: float = 0) -> None:
        super().__init__(reason)
        self.error = error
        self.wait_s = wait_s


def plain(text: str) -> str:
    """Return text from outside, fit for a one-line message: printable and not too long."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= 300 else shown[:299] + "…"


def in_words(size: int) -> str:
    """Return a number of bytes in words; 0 means an unknown size."""
    if size < 100_000:
        return f"{size:,} bytes" if size else "size unknown"
    return f"{size / 1e6:.1f} MB"


def is_web_address(url: str) -> bool:
    """Return True if a URL is http or https and has a host but no user name."""
    if not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.username is None
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False


def next_address(address: str, location: str) -> str:
    """Return the target of a redirect. Raises ScholarError if it is not safe to follow."""
    try:
        target = urljoin(address, location)
    except ValueError:
        target = location
    downgraded = address.startswith("https:") and not target.startswith("https:")
    if downgraded or not is_web_address(target):
        raise ScholarError(
            f"{plain(address)} redirects to {plain(target)}, which is not safe to follow; "
            "try another address"
        )
    return target


def safe_header(response: BaseHTTPResponse, name: str) -> str | None:
    """Return a header that is safe to store and to send back, else None."""
    value: str = response.headers.get(name, "")
    return value if HEADER_VALUE.fullmatch(value) else None


def validator(response: BaseHTTPResponse) -> str | None:
    """Return the validator of exactly this body for If-Range; a weak ETag does not count."""
    etag = safe_header(response, "ETag")
    if etag is not None and etag.startswith('"'):
        return etag
    return safe_header(response, "Last-Modified")


def whole_size(response: BaseHTTPResponse, part: PartialDownload) -> int | None:
    """Return the size of the whole body if a 206 response is its rest after part, else None.

    Return 0 if the size is unknown.
    """
    content_range = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
    if content_range is None or int(content_range[1]) != part.size:
        return None
    end = int(content_range[2]) + 1
    whole = part.total or (0 if content_range[3] == "*" else int(content_range[3]))
    if whole and (end != whole or content_range[3] not in ("*", str(whole))):
        return None
    # The two headers about the length contradict each other.
    if response.length_remaining not in (None, end - part.size):
        return None
    # A file of the same length may be another one, so its validator must be the same.
    named = {safe_header(response, "ETag"), safe_header(response, "Last-Modified")} - {None}
    return whole if not named or part.validator in named else None


def retry_after(response: BaseHTTPResponse) -> float:
    """Return the seconds a server asks to wait, at most six hours; 0 if it does not say."""
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    try:
        return min(Retry().get_retry_after(response) or 0.0, _LONGEST_RETRY_AFTER_S)
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0


def explained(error: HTTPError, address: str) -> Exception:
    """Return the error, with a message for the user, for a failure of the network."""
    from ssl import SSLCertVerificationError

    from urllib3 import exceptions

    host = plain(urlsplit(address).netloc)
    if isinstance(error, exceptions.LocationValueError):
        return ScholarError(f"{plain(address)} is not a usable address; check it")
    if isinstance(error, exceptions.SSLError) and isinstance(
        error.args[0] if error.args else None, SSLCertVerificationError
    ):
        return ScholarError(
            f"{host} could not prove its identity (its certificate does not verify); "
            "check the date of this machine and its certificates, or try another address"
        )
    if isinstance(error, (exceptions.ConnectTimeoutError, exceptions.ProxyError)):
        return RetryableFailure(f"could not reach {host}", error)
    if isinstance(error, exceptions.ReadTimeoutError):
        return RetryableFailure(f"{host} stopped answering, or answers too slowly", error)
    return RetryableFailure(f"the connection to {host} broke off", error)
