"""Find the classes that style sheets hide: ".note { display: none }".

Only rules for a class, or for a class of an element, count: a rule that depends on the surroundings
may be for other readers, and text that is left out by mistake is worse than text too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

MAX_CHARS = 1_000_000
"""The part of a style sheet that is read."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_PIECE = re.compile(r"(?P<text>[^{}]*)(?P<brace>[{}])")
HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
"""A declaration that hides an element."""

_SHOWING = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*(?!none)|visibility\s*:\s*visible)", re.IGNORECASE
)
_OF_CLASS = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?\.(?P<name>[\w-]+)", re.IGNORECASE)
_CLASS = re.compile(r"\.([\w-]+)")


class HiddenClass(NamedTuple):
    """A class that is hidden, in lower case; `tag` is empty if it is hidden for all elements."""

    tag: str
    name: str


def hidden_classes(sheets: Iterable[str]) -> frozenset[HiddenClass]:
    """Return the classes that style sheets hide and never show."""
    hidden: set[HiddenClass] = set()
    shown: set[str] = set()
    for sheet in sheets:
        for selectors, body in _rules(sheet):
            if HIDING.search(body):
                matches = (_OF_CLASS.fullmatch(part.strip()) for part in selectors.split(","))
                hidden |= {HiddenClass(m["tag"] or "", m["name"]) for m in matches if m}
            elif _SHOWING.search(body):
                shown.update(_CLASS.findall(selectors))
    return frozenset(rule for rule in hidden if rule.name not in shown)


def is_hidden(hidden: Set[HiddenClass], tag: str, classes: Iterable[str]) -> bool:
    """Return True for an element with a hidden class."""
    return bool(hidden) and any(
        HiddenClass("", name) in hidden or HiddenClass(tag, name) in hidden for name in classes
    )


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield the selectors and the declarations of each rule, in lower case, but not within blocks
    such as @media."""
    opened: list[str] = []
    for match in _PIECE.finditer(_COMMENT.sub(" ", sheet[:MAX_CHARS]).lower()):
        if match["brace"] == "{":
            opened.append(match["text"].rpartition(";")[2].strip())
        elif opened:
            selectors = opened.pop()
            if not opened and not selectors.startswith("@"):
                yield selectors, match["text"]
