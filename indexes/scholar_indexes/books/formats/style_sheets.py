"""Find the classes that style sheets hide, raise, indent or put on lines of their own.

Only rules for a class, or for a class of an element, count: a rule that depends on the surroundings
may be for other readers, and text that is left out by mistake is worse than text too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
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
RAISING = re.compile(
    r"vertical-align\s*:\s*(?:super|(?:text-)?top|\+?(?=[\d.]*[1-9])[\d.]+\s*(?:%|[a-z]{2,3}))"
    r"(?![\w-])",
    re.IGNORECASE,
)
"""A declaration that raises an element, as the sign of a note."""

_BLOCK = re.compile(
    r"(?:^|;)\s*display\s*:\s*(?:block|list-item|table|flex|grid)(?![\w-])(?!.*\bfloat\s*:\s*[lr])",
    re.IGNORECASE | re.DOTALL,
)
"""A declaration that puts an element on lines of its own; a large first letter floats."""

_DISPLAY = re.compile(r"(?:^|;)\s*(?:display|float)\s*:", re.IGNORECASE)
_LOWERING = re.compile(r"vertical-align\s*:", re.IGNORECASE)
_OF_CLASS = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?\.(?P<name>[\w-]+)", re.IGNORECASE)
_CLASS = re.compile(r"\.([\w-]+)")

_PLACE = re.compile(
    r"(?<![\w-])((?:margin|padding)(?:-left|-inline-start)?|text-(?:indent|align))\s*:\s*([^;!]{1,60})"
)
_LENGTH = re.compile(r"(-?(?:\d{1,4}(?:\.\d{0,9})?|\.\d{1,9}))([a-z%]{0,3})")
_UNITS = {
    "pt": 20.0,
    "px": 15.0,
    "pc": 240.0,
    "in": 1440.0,
    "cm": 566.9,
    "mm": 56.69,
    **dict.fromkeys(("em", "rem"), 240.0),
    **dict.fromkeys(("ex", "ch"), 120.0),
    "%": 100.0,
}
"""Twentieths of a point; relative units are those of a page with letters of 12 points."""


class StyledClass(NamedTuple):
    """A class with a certain style, in lower case; `tag` is empty if all elements have it."""

    tag: str
    name: str


def hidden_classes(sheets: Iterable[str]) -> frozenset[StyledClass]:
    """Return the classes that style sheets hide and never show."""
    return _classes(sheets, HIDING, _SHOWING)


def raised_classes(sheets: Iterable[str]) -> frozenset[StyledClass]:
    """Return the classes that style sheets raise and never put elsewhere."""
    return _classes(sheets, RAISING, _LOWERING)


def block_classes(sheets: Iterable[str]) -> frozenset[StyledClass]:
    """Return the classes that style sheets put on lines of their own, always."""
    return _classes(sheets, _BLOCK, _DISPLAY)


def is_block(declarations: str) -> bool:
    """Return True for the declarations of an element on lines of its own."""
    return _BLOCK.search(declarations[:500]) is not None


def _classes(
    sheets: Iterable[str], style: re.Pattern[str], other: re.Pattern[str]
) -> frozenset[StyledClass]:
    """Return the classes whose rules have a style, if no rule for them has another."""
    styled: set[StyledClass] = set()
    others: set[str] = set()
    for sheet in sheets:
        for selectors, body in _rules(sheet):
            if style.search(body):
                matches = (_OF_CLASS.fullmatch(part.strip()) for part in selectors.split(","))
                styled |= {StyledClass(m["tag"] or "", m["name"]) for m in matches if m}
            elif other.search(body):
                others.update(_CLASS.findall(selectors))
    return frozenset(rule for rule in styled if rule.name not in others)


def places(sheets: Iterable[str]) -> Mapping[StyledClass, Mapping[str, str]]:
    """Return the declarations of the place of a paragraph on the page, for each class."""
    placed: dict[StyledClass, dict[str, str]] = {}
    for sheet in sheets:
        for selectors, body in _rules(sheet):
            if values := place(body):
                for match in map(_OF_CLASS.fullmatch, map(str.strip, selectors.split(","))):
                    if match:
                        styled = StyledClass(match["tag"] or "", match["name"])
                        placed.setdefault(styled, {}).update(values)
    return placed


def place(declarations: str) -> dict[str, str]:
    """Return those of some declarations that place a paragraph on the page, in lower case."""
    return {match[1]: match[2].strip() for match in _PLACE.finditer(declarations.lower())}


def indent(values: Mapping[str, str]) -> float | None:
    """Return the left indent of a paragraph by its place, in twentieths of a point; None for a
    hanging indent, and for what is centred or on the right."""
    if values.get("text-align") in ("center", "right", "end"):
        return None
    if values.get("text-indent", "").startswith("-"):
        return None
    return sum(_left(values, name) for name in ("margin", "padding"))


def _left(values: Mapping[str, str], name: str) -> float:
    """Return the length of a margin or padding on the left."""
    sides = values.get(name, "").split()[:5]
    # one, two or four lengths: all sides; top and sides; top, right, bottom and left
    left = sides[(0, 0, 1, 1, 3)[len(sides)]] if 0 < len(sides) <= 4 else ""
    match = _LENGTH.fullmatch(
        values.get(f"{name}-left") or values.get(f"{name}-inline-start") or left
    )
    return float(match[1]) * _UNITS.get(match[2], 0.0) if match else 0.0


def has_style(styled: Set[StyledClass], tag: str, classes: Iterable[str]) -> bool:
    """Return True for an element with one of some classes."""
    return bool(styled) and any(
        StyledClass("", name) in styled or StyledClass(tag, name) in styled for name in classes
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
