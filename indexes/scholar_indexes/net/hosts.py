"""The host name by which a request addresses this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 263
"""The maximum number of characters of a Host header: a name of 255, and a port."""

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")

MALFORMED = "the Host header is not one name or address with a port"


def asked_name(headers: Sequence[str]) -> str:
    """Return the name or address in the Host headers of a request, in lower case and without the
    brackets of an IPv6 address.

    Raises ValueError unless there is exactly one header, with a name and at most a port.
    """
    match = _HOST.fullmatch(headers[0]) if len(headers) == 1 else None
    if match is None or len(headers[0]) > LONGEST or int(match["port"] or 0) > 65_535:
        raise ValueError(MALFORMED)
    return match["name"].strip("[]").lower()
