"""A list of items about a character, and the tabs of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from scholar_tui.keys import bind


@dataclass(frozen=True, slots=True)
class DescriptionItem:
    """An item that can be opened in the book, or copied, or only read."""

    content: Content
    locator: str = ""
    copied_text: str = ""
    copied_name: str = ""
    """The name of the copied text in messages."""
    character_id: str = ""
    """Another character that the item is about."""

    @property
    def is_plain(self) -> bool:
        """Return True if the item can only be read."""
        return not (self.locator or self.copied_text or self.character_id)


class DescriptionList(OptionList, inherit_bindings=False):
    """The list of the details of a character."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open", show=False, tooltip="Read this place in the book"),
        bind("down", "cursor_down", "Down", "The next one", show=False),
        bind("up", "cursor_up", "Up", "The previous one", show=False),
        Binding("pagedown", "page_down", "Page down", show=False, tooltip="A page down"),
        Binding("pageup", "page_up", "Page up", show=False, tooltip="A page up"),
        Binding("home", "first", "First", show=False, tooltip="The first one"),
        Binding("end", "last", "Last", show=False, tooltip="The last one"),
    ]
    DEFAULT_CSS = """
    DescriptionList {
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
    }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._items: list[DescriptionItem] = []

    def show(self, items: Sequence[DescriptionItem], at: int = 0) -> None:
        self._items = list(items)
        self.set_options(Option(item.content, disabled=item.is_plain) for item in self._items)
        if self._items:
            self.highlighted = min(at, len(self._items) - 1)
        self.scroll_to(y=0, animate=False, immediate=True)

    @property
    def items(self) -> Sequence[DescriptionItem]:
        return self._items

    @property
    def cursor_item(self) -> DescriptionItem | None:
        at = self.highlighted
        return self._items[at] if at is not None and at < len(self._items) else None


class SectionTab(Static):
    """The tab of a section; a click shows the section."""

    ALLOW_SELECT = False

    def __init__(self, number: int) -> None:
        super().__init__("", markup=False)
        self._number = number

    async def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(SectionTabs.SectionChosen(self._number))


class SectionTabs(Horizontal):
    """The tabs of the sections, with their keys and the counts of their items."""

    DEFAULT_CSS = """
    SectionTabs {
        height: 1;
        & > SectionTab { width: auto; padding: 0 2 0 0; color: $foreground-muted; }
        & > SectionTab:hover { background: $panel; }
        & > SectionTab.-here { text-style: bold underline; color: $primary; }
    }
    """

    class SectionChosen(Message):
        """A section was chosen."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, names: Sequence[str], id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = names

    def compose(self) -> ComposeResult:
        for number in range(len(self._names)):
            yield SectionTab(number)

    def show(self, current: int, counts: Sequence[int | None]) -> None:
        """Mark the current section; a count is None while unknown."""
        for number, (section, name, count) in enumerate(
            zip(self.query(SectionTab), self._names, counts, strict=True)
        ):
            section.set_class(number == current, "-here")
            section.update(
                Content.assemble(
                    (f"{number + 1} ", "$foreground-muted"),
                    name,
                    ("" if count is None else f" {count:,}", "$foreground-muted"),
                )
            )
