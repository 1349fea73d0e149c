"""The screens by their names, and what one screen asks another to open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

NavigationRequest: TypeAlias = str | Mapping[str, Any]
"""The target of a screen: a book's id or title, a locator, a claim, or the fields of a query."""


@dataclass(frozen=True, slots=True)
class ScreenEntry:
    """A screen in the header and the command palette: its key, its label and its purpose."""

    key: str
    label: str
    about: str


SCREENS = {
    "library": ScreenEntry("f2", "Library", "The shelf: add books, look into them, remove them"),
    "find": ScreenEntry("f3", "Find", "Find the passages that bear out a claim, and keep them"),
    "reader": ScreenEntry("f4", "Read", "Read a book, with who speaks in colour"),
    "characters": ScreenEntry("f5", "People", "The characters of a book and what is said of them"),
    "papers": ScreenEntry("f6", "Papers", "Papers alike in background, method or result"),
    "quiz": ScreenEntry("f7", "Quiz", "Be asked who is who"),
}
