"""Character ids, made from names."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from scholar_indexes.coreference.mentions import name_words


def new_id(name: str, taken: Collection[str]) -> str:
    """Return an unused id made from a name: "elizabeth-bennet", "elizabeth-bennet-2"."""
    base = "-".join(name_words(name)) or "someone"
    numbered = (base if number == 1 else f"{base}-{number}" for number in count(1))
    return next(identifier for identifier in numbered if identifier not in taken)
