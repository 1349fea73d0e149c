"""Reading what a server says, believing none of it.

Addresses, headers and lengths come from outside: here they are checked before anything is
stored, sent back, followed or shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from .errors import ScholarError
from .http_cache import Partial

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse
    from urllib3.exceptions import HTTPError

_HEADER_VALUE = re.compile(r"[\x20-\x7e]{1,200}")
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15}|\*)")
_LONGEST_RETRY_AFTER_S = 6 * 3600.0


class TryAgain(Exception):
    """A request that failed in a way another attempt may mend, after wait_s seconds or more."""

    def __init__(self, reason: str, error: HTTPError | None = None, wait_s: float = 0) -> None:
        super().__init__(reason)
        self.error = error
        self.wait_s = wait_s


def plain(text: str) -> str:
    """Text from outside, fit for a one-line message: printable and not endless."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= 300 else shown[:299] + "…"


def in_words(size: int) -> str:
    """A number of bytes for a person; 0 stands for a size nobody said."""
    if size < 100_000:
        return f"{size:,} bytes" if size else "size unknown"
    return f"{size / 1e6:.1f} MB"


def is_web_address(url: str) -> bool:
    """Whether a url is http or https, names a host and holds no user name."""
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
    """Where a redirect leads. Raises ScholarError when it is not safe to follow."""
    try:
        target = urljoin(address, location)
    except ValueError:
        target = location
    downgraded = address.startswith("https:") and not target.startswith("https:")
    if downgraded or not is_web_address(target):
        raise ScholarError(
            f"{plain(address)} passes on to {plain(target)}, which is not safe to follow; "
            "try another address"
        )
    return target


def safe_header(response: BaseHTTPResponse, name: str) -> str | None:
    """A header that is safe to store and to send back, else None."""
    value: str = response.headers.get(name, "")
    return value if _HEADER_VALUE.fullmatch(value) else None


def validator(response: BaseHTTPResponse) -> str | None:
    """What names exactly this body in If-Range; a weak ETag does not."""
    etag = safe_header(response, "ETag")
    if etag is not None and etag.startswith('"'):
        return etag
    return safe_header(response, "Last-Modified")


def whole_size(response: BaseHTTPResponse, part: Partial) -> int | None:
    """The size of the whole body when a 206 answer is exactly its rest after part, else None.

    0 when the size was never said.
    """
    said = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", "").strip())
    if said is None or int(said[1]) != part.size:
        return None
    end = int(said[2]) + 1
    whole = part.total or (0 if said[3] == "*" else int(said[3]))
    if whole and (end != whole or said[3] not in ("*", str(whole))):
        return None
    if response.length_remaining not in (None, end - part.size):
        return None
    named = {safe_header(response, "ETag"), safe_header(response, "Last-Modified")} - {None}
    return whole if not named or part.validator in named else None


def retry_after(response: BaseHTTPResponse) -> float:
    """Seconds a server asks for, at most six hours; 0 when it says nothing intelligible."""
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    try:
        return min(Retry().get_retry_after(response) or 0.0, _LONGEST_RETRY_AFTER_S)
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0


def explained(error: HTTPError, address: str) -> Exception:
    """What a failure of the network means to a person."""
    from ssl import SSLCertVerificationError

    from urllib3 import exceptions

    host = plain(urlsplit(address).netloc)
    if isinstance(error, exceptions.LocationValueError):
        return ScholarError(f"{plain(address)} is not a usable address; check it")
    if isinstance(error, exceptions.SSLError) and isinstance(
        error.args[0] if error.args else None, SSLCertVerificationError
    ):
        return ScholarError(
            f"{host} could not prove who it is (its certificate does not verify); "
            "check the date of this machine and its certificates, or try another address"
        )
    if isinstance(error, (exceptions.ConnectTimeoutError, exceptions.ProxyError)):
        return TryAgain(f"could not reach {host}", error)
    if isinstance(error, exceptions.ReadTimeoutError):
        return TryAgain(f"{host} stopped answering", error)
    return TryAgain(f"the connection to {host} broke off", error)
