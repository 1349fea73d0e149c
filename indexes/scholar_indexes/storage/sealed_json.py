"""JSON records that begin with the hash of the rest, so that a changed byte is detected."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from scholar_indexes.guarded import parse_json

_SEAL = re.compile(rb'\{"sha256": "([0-9a-f]{64})", ')


def dump(record: Mapping[str, Any]) -> bytes:
    """Return a non-empty record as JSON in UTF-8, with its hash as the first value."""
    content = json.dumps(record, ensure_ascii=False).encode("utf-8")[1:]
    return b'{"sha256": "%s", %s' % (hashlib.sha256(content).hexdigest().encode(), content)


def load(data: bytes, *, required: bool = True) -> Any:
    """Return the record that `dump` wrote, with its hash as sha256.

    Raises ValueError for a changed record, and for one without a hash if one is required.
    """
    seal = _SEAL.match(data)
    if seal is None and required:
        raise ValueError("it has no hash")
    if seal is not None:
        content = memoryview(data)[seal.end() :]
        if hashlib.sha256(content).hexdigest().encode() != seal[1]:
            raise ValueError("it does not match its hash")
    return parse_json(data)
