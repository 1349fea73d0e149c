"""The screens by name, and the requests that one screen makes of another."""

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
    "library": ScreenEntry("f2", "Library", "The shelf: add, inspect and remove books"),
    "find": ScreenEntry("f3", "Find", "Find the passages that support a claim, and keep them"),
    "reader": ScreenEntry("f4", "Read", "Read a book, with its speakers in colour"),
    "characters": ScreenEntry("f5", "People", "The characters of a book and their descriptions"),
    "papers": ScreenEntry("f6", "Papers", "Papers similar in background, method or result"),
    "quiz": ScreenEntry("f7", "Quiz", "A quiz on the characters"),
}
