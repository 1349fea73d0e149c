"""Every key of the screen, read from the bindings themselves."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key

from scholar_tui.app import JOURNEYS, ScholarApp
from scholar_tui.screens.journey import Journey

MODALS = ("help", "export")
"""The modules of what opens over every screen."""


@dataclass(frozen=True, slots=True)
class Key:
    """Keys as they are written on a keyboard, and what they do."""

    keys: str
    does: str


def of_class(node: type[DOMNode]) -> list[Key]:
    """What a screen or a widget binds itself, in its order; keys of one action together."""
    found: dict[str, tuple[list[str], str]] = {}
    for binding in bindings(node):
        if not binding.description:
            continue
        keys, _ = found.setdefault(binding.action, ([], binding.tooltip or binding.description))
        keys += [binding.key_display or _written(key) for key in binding.key.split(",")]
    return [Key(" or ".join(dict.fromkeys(keys)), does) for keys, does in found.values()]


def of_module(name: str) -> Iterator[tuple[type[DOMNode], list[Key]]]:
    """The classes of a module of the screen that bind keys, its screens first."""
    module = importlib.import_module(f"scholar_tui.{name}")
    classes = [
        each for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, DOMNode) and each.__module__.startswith("scholar_tui.")
        and each.__module__ != "scholar_tui.app" and each is not Journey
    ]  # fmt: skip
    for each in sorted(classes, key=lambda each: (not issubclass(each, Journey), each.__name__)):
        if keys := of_class(each):
            yield each, keys


def reference() -> str:
    """The keyboard reference as Markdown."""
    lines = ["# Keys of the screen", "", "## Everywhere", ""]
    lines += _table(of_class(ScholarApp))
    for name, way in JOURNEYS.items():
        module = importlib.import_module(f"scholar_tui.screens.{name}")
        lines += [f"## {way.label} ({way.key.upper()})", ""]
        lines += [" ".join(_screen(module).ABOUT.split()), ""]
        for each, keys in of_module(f"screens.{name}"):
            if not issubclass(each, Journey):
                lines += [f"{purpose(each)}", ""]
            lines += _table(keys)
    for name in MODALS:
        for each, keys in of_module(f"screens.{name}"):
            lines += [f"## {purpose(each)}", "", *_table(keys)]
    return "\n".join(lines)


def _screen(module: object) -> type[Journey]:
    return next(
        each for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, Journey) and each is not Journey
    )  # fmt: skip


def purpose(node: type[DOMNode]) -> str:
    """The first sentence of what a class says of itself."""
    return (inspect.getdoc(node) or node.__name__).split("\n\n")[0].replace("\n", " ").rstrip(".")


def bindings(node: type[DOMNode]) -> Iterator[Binding]:
    """What a class binds, itself or by another class of the screen; not what Textual adds."""
    for each in node.__mro__:
        if each.__module__.startswith("scholar_tui."):
            yield from Binding.make_bindings(each.__dict__.get("BINDINGS", ()))


def _written(key: str) -> str:
    """A key as one would say it: "Ctrl+E", "F2", "/"."""
    *modifiers, last = key.strip().split("+")
    shown = "Enter" if last == "enter" else format_key(last) if last else "+"
    shown = shown.title() if len(shown) > 1 else shown
    return "+".join([*(each.title() for each in modifiers), shown])


def _table(keys: list[Key]) -> list[str]:
    rows = [f"| {each.keys.replace('|', chr(92) + '|')} | {each.does} |" for each in keys]
    return ["| key | does |", "|---|---|", *rows, ""]
