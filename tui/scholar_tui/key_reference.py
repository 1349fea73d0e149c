"""The keys of every screen, read from their bindings, for the help and for docs/keys.md."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from textual.binding import Binding
from textual.dom import DOMNode

from scholar_tui.app import ScholarApp
from scholar_tui.keys import GROUPS, group_of, written
from scholar_tui.navigation import SCREENS

if TYPE_CHECKING:
    from scholar_tui.screens.mode_screen import ModeScreen


INTRODUCTION = (
    "A letter means the same on every screen that has it, and does nothing on the others. "
    "In a list, ↓ and ↑ go to the next and the previous row, Pgdn and Pgup a page down and up, "
    "Home and End to the first and the last row. Where you do not type, j and k are ↓ and ↑. "
    "In the box of a claim, ↑ and ↓ bring back earlier claims. F1 explains each screen."
)
_MOVEMENTS = frozenset(("j or ↓", "k or ↑", "↓", "↑", "Pgdn", "Pgup", "Home", "End"))
"""The keys of lists that this introduction describes."""


@dataclass(frozen=True, slots=True)
class KeyDescription:
    """Keys as they are written on a keyboard, and their purpose."""

    keys: str
    purpose: str


Box = tuple[str, tuple[KeyDescription, ...]]
"""The heading and the keys of a box or a list."""


def describe_keys(node: type[DOMNode]) -> list[KeyDescription]:
    """Return the described bindings of a class in order, with the keys of one action together."""
    return _described(own_bindings(node))


def describe_key_groups(node: type[DOMNode]) -> list[tuple[str, list[KeyDescription]]]:
    """Return the described bindings of a class by group, in the order of GROUPS."""
    bindings = list(own_bindings(node))
    groups = (
        (group, _described(binding for binding in bindings if group_of(binding) == group))
        for group in GROUPS
    )
    return [(group, rows) for group, rows in groups if rows]


def _described(bindings: Iterable[Binding]) -> list[KeyDescription]:
    rows: dict[str, tuple[list[str], str]] = {}
    for binding in bindings:
        if not binding.description:
            continue
        keys, _ = rows.setdefault(binding.action, ([], binding.tooltip or binding.description))
        keys += [binding.key_display or written(key) for key in binding.key.split(",")]
    return [
        KeyDescription(" or ".join(dict.fromkeys(keys)), purpose) for keys, purpose in rows.values()
    ]


def describe_widget_keys(
    screen: type[ModeScreen],
) -> Iterator[tuple[str, list[KeyDescription]]]:
    """Yield the heading and the keys of each widget of a screen that has its own keys."""
    for heading, widget in screen.KEY_HELP.items():
        yield heading, describe_keys(widget)


def own_bindings(node: type[DOMNode]) -> Iterator[Binding]:
    """Yield the bindings of a class and of its base classes in this package, not Textual's."""
    for base in node.__mro__:
        if base.__module__.startswith("scholar_tui."):
            yield from Binding.make_bindings(base.__dict__.get("BINDINGS", ()))


def load_screen_class(name: str) -> type[ModeScreen]:
    """Import the screen of that name and return its class."""
    module = importlib.import_module(f"scholar_tui.screens.{name}")
    return cast("type[ModeScreen]", getattr(module, f"{name.title()}Screen"))


def reference() -> str:
    """Return the keyboard reference as Markdown."""
    from scholar_tui.screens.export import ExportScreen
    from scholar_tui.screens.help import HelpScreen

    lines = ["# Keys of the screen", "", INTRODUCTION, ""]
    lines += ["## Everywhere", "", *_markdown_table(describe_keys(ScholarApp))]
    screens = {name: load_screen_class(name) for name in SCREENS}
    boxes = {name: _boxes(screen) for name, screen in screens.items()}
    uses = Counter(box for own in boxes.values() for box in own)
    for name, entry in SCREENS.items():
        lines += [f"## {entry.label} ({entry.key.upper()})", ""]
        lines += _markdown_table(describe_keys(screens[name]))
        lines += _box_list(box for box in boxes[name] if uses[box] == 1)
    lines += ["## On several screens", ""]
    shared = [box for box, count in uses.items() if count > 1]
    dialogs: dict[str, type[DOMNode]] = {
        "In the help": HelpScreen,
        "In the box that exports what is listed": ExportScreen,
    }
    shared += [(heading, tuple(describe_keys(dialog))) for heading, dialog in dialogs.items()]
    return "\n".join([*lines, *_box_list(shared)])


def _boxes(screen: type[ModeScreen]) -> list[Box]:
    """Return the heading and the keys of each widget of a screen, without movements in lists."""
    boxes = (
        (heading, tuple(row for row in keys if row.keys not in _MOVEMENTS))
        for heading, keys in describe_widget_keys(screen)
    )
    return [(heading, keys) for heading, keys in boxes if keys]


def _box_list(boxes: Iterable[Box]) -> list[str]:
    """Return a line of Markdown for each box, and an empty one."""
    lines = [
        f"- {heading}: {'; '.join(f'**{row.keys}** {row.purpose}' for row in keys)}"
        for heading, keys in boxes
    ]
    return [*lines, ""] if lines else []


def _markdown_table(rows: Iterable[KeyDescription]) -> list[str]:
    cells = [f"| {row.keys.replace('|', chr(92) + '|')} | {row.purpose} |" for row in rows]
    return ["| key | does |", "|---|---|", *cells, ""]
