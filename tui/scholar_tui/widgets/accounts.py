"""What is known of somebody, item by item, in sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be opened in the book, or copied, or only read; who is the id of
    another character whom it is about too."""

    shown: Content
    locator: str = ""
    copied: str = ""
    named: str = ""
    """What the copied thing is called."""
    who: str = ""

    @property
    def idle(self) -> bool:
        return not (self.locator or self.copied or self.who)


class Items(OptionList, inherit_bindings=False):
    """In the list of what is known of somebody."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", show=False, tooltip="Read this place in the book"),
        Binding("down,j", "cursor_down", "Down", show=False, tooltip="The next one"),
        Binding("up,k", "cursor_up", "Up", show=False, tooltip="The one before"),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="A page down"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="A page up"),
        Binding("home,g", "first", "First", show=False, tooltip="The first one"),
        Binding("end,G", "last", "Last", show=False, tooltip="The last one"),
    ]
    DEFAULT_CSS = """
    Items {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        &:focus { border: none; background-tint: $foreground 0%; }
        & > .option-list--option-highlighted {
            background: $background; color: $foreground; text-style: none;
        }
        &:focus > .option-list--option-highlighted {
            background: $primary-muted; color: $foreground; text-style: none;
        }
        & > .option-list--option-disabled { color: $foreground-muted; }
        &:ansi:focus > .option-list--option-highlighted {
            background: ansi_blue; color: ansi_bright_white;
        }
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._items: list[Item] = []

    def show(self, items: Sequence[Item], at: int = 0) -> None:
        self._items = list(items)
        self.set_options(Option(each.shown, disabled=each.idle) for each in self._items)
        if self._items:
            self.highlighted = min(at, len(self._items) - 1)
        self.scroll_to(y=0, animate=False, immediate=True)

    @property
    def items(self) -> Sequence[Item]:
        return self._items

    @property
    def here(self) -> Item | None:
        at = self.highlighted
        return self._items[at] if at is not None and at < len(self._items) else None


class Section(Static):
    """The name of a section; a click shows it."""

    ALLOW_SELECT = False

    def __init__(self, number: int) -> None:
        super().__init__("", markup=False)
        self._number = number

    async def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(Sections.Chosen(self._number))


class Sections(Horizontal):
    """The names of the sections, by their keys."""

    DEFAULT_CSS = """
    Sections {
        height: 1;
        & > Section { width: auto; padding: 0 1; color: $foreground-muted; }
        & > Section:hover { background: $panel; }
        & > Section.-here { text-style: bold underline; color: $primary; }
    }
    """

    class Chosen(Message):
        """A section is to be shown."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, names: Sequence[str], id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = names

    def compose(self) -> ComposeResult:
        for number in range(len(self._names)):
            yield Section(number)

    def show(self, here: int, counts: Sequence[int | None]) -> None:
        """Mark the one that is shown; a count is None while it is not known."""
        for number, (section, name, count) in enumerate(
            zip(self.query(Section), self._names, counts, strict=True)
        ):
            section.set_class(number == here, "-here")
            section.update(
                Text.assemble(
                    (f"{number + 1} ", "dim"), name, ("" if count is None else f" {count:,}", "dim")
                )
            )
