"""The commands of the palette: every action of the front screen and of the program, with keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand
from textual.binding import Binding, BindingType

from scholar_tui.keys import written
from scholar_tui.navigation import SCREENS

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp


def palette_commands(app: ScholarApp) -> Iterator[SystemCommand]:
    """Yield the actions of the front screen, then the actions of the whole program."""
    screen = app.mode_screen
    for binding, keys in screen_actions(type(screen).BINDINGS):
        run = partial(screen.run_from_palette, binding.action)
        yield _command(binding.tooltip or binding.description, *keys, run=run)
    for name, entry in SCREENS.items():
        go = partial(app.run_action, f"navigate('{name}')")
        yield _command(f"{entry.label}: {entry.about}", written(entry.key), run=go)
    yield _command("Export: save or edit what is listed here", "Ctrl+E", run=app.action_export)
    yield _command("Help: all keys of this screen", "F1", "?", run=app.action_help)
    yield SystemCommand(
        "Theme: choose the colours", "Saved for the next time", app.action_change_theme
    )
    yield SystemCommand(
        "Picture: save the screen as an SVG file",
        "Saved in the downloads folder",
        lambda: app.set_timer(0.1, app.deliver_screenshot),  # after the palette has closed
    )
    yield _command("Quit scholar", "Ctrl+Q", run=app.action_quit)


def screen_actions(bindings: Iterable[BindingType]) -> Iterator[tuple[Binding, list[str]]]:
    """Yield the bindings that have a description, one for each action, with all their keys."""
    rows: dict[tuple[str, str], tuple[Binding, list[str]]] = {}
    for binding in Binding.make_bindings(bindings):
        if binding.description:
            row = rows.setdefault((binding.action, binding.description), (binding, []))
            row[1].append(binding.key_display or written(binding.key))
    yield from rows.values()


def _command(title: str, *keys: str, run: Callable[[], object]) -> SystemCommand:
    return SystemCommand(title, f"Key: {' or '.join(keys)}", run)
