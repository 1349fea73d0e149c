"""The commands of the palette: every action of the front screen and of the program, with keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.binding import Binding, BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from scholar_tui.keys import written
from scholar_tui.navigation import SCREENS

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp

GROUP_WIDTH, NAME_WIDTH, KEY_WIDTH = 9, 20, 8
"""The widths of the columns of the palette, in cells; the purpose takes the rest."""

PURPOSE_WEIGHT = 0.5
"""The weight of a match in the purpose of a command; a match in its name counts in full."""


@dataclass(frozen=True, slots=True)
class PaletteCommand:
    """A command with its screen or other group, a short name, its keys and its purpose."""

    group: str
    name: str
    keys: tuple[str, ...]
    purpose: str
    run: Callable[[], object]

    @property
    def line(self) -> Content:
        """The command on one line, in columns."""
        keys = " ".join(self.keys)
        return Content.assemble(
            (f"{self.group:<{GROUP_WIDTH}}", "$foreground-muted"),
            f"{self.name:<{NAME_WIDTH}}",
            (f"{keys:<{KEY_WIDTH}} ", "bold"),
            (self.purpose, "$foreground-muted"),
        )


class PaletteProvider(Provider):
    """The commands of the front screen, then the commands of the program."""

    async def discover(self) -> Hits:
        for command in self._commands:
            yield DiscoveryHit(command.line, command.run, command.name)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands:
            by_purpose = PURPOSE_WEIGHT * matcher.match(command.purpose)
            score = max(matcher.match(command.name), by_purpose)
            if score > 0:
                yield Hit(score, command.line, command.run, command.name)

    @property
    def _commands(self) -> Iterator[PaletteCommand]:
        return palette_commands(cast("ScholarApp", self.app))


def palette_commands(app: ScholarApp) -> Iterator[PaletteCommand]:
    """Yield the actions of the front screen, first the ones that are possible now, then the
    screens, then the actions of the program."""
    screen = app.mode_screen
    group = SCREENS[screen.NAME].label
    bound = list(screen_actions(type(screen).BINDINGS))
    for binding, keys in sorted(bound, key=lambda row: not screen.offers(row[0].action)):
        run = partial(screen.run_from_palette, binding.action)
        purpose = binding.tooltip or binding.description
        yield PaletteCommand(group, binding.description, tuple(keys), purpose, run)
    for name, entry in SCREENS.items():
        go = partial(app.run_action, f"navigate('{name}')")
        yield PaletteCommand("go to", entry.label, (written(entry.key),), entry.about, go)
    yield from _program_commands(app)


def _program_commands(app: ScholarApp) -> Iterator[PaletteCommand]:
    def picture() -> None:
        app.set_timer(0.1, app.deliver_screenshot)  # after the palette has closed

    for name, keys, purpose, run in (
        ("Export", ("Ctrl+E",), "Save or edit what is listed here", app.action_export),
        ("Help", ("F1", "?"), "All keys of this screen", app.action_help),
        ("Walk", ("F9",), "Begin five steps through the screens, or leave", app.action_walk),
        ("Theme", (), "Choose the colours, for the next time too", app.action_change_theme),
        ("Picture", (), "Save the screen as an SVG file in the downloads folder", picture),
        ("Quit", ("Ctrl+Q",), "Quit scholar", app.action_quit),
    ):
        yield PaletteCommand("scholar", name, keys, purpose, run)


def screen_actions(bindings: Iterable[BindingType]) -> Iterator[tuple[Binding, list[str]]]:
    """Yield the bindings that have a description, one for each action, with all their keys."""
    rows: dict[tuple[str, str], tuple[Binding, list[str]]] = {}
    for binding in Binding.make_bindings(bindings):
        if binding.description:
            row = rows.setdefault((binding.action, binding.description), (binding, []))
            row[1].append(binding.key_display or written(binding.key))
    yield from rows.values()
