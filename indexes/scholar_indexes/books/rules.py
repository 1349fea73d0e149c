"""Lookup by an ordered list of rules, the strictest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def matches_of_first_rule(
    items: Iterable[Item], rules: Iterable[Callable[[Item], bool]]
) -> list[Item]:
    """Return the items that meet the first rule met by any; empty if no rule is met."""
    candidates = list(items)
    for rule in rules:
        if matches := [item for item in candidates if rule(item)]:
            return matches
    return []
