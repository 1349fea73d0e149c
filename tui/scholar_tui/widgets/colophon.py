"""What is known of one book: its particulars, and its chapters to read on from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from scholar_indexes import browse, records
from scholar_indexes.types import Kind
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Place
    from scholar_indexes.types import Chapter


class Chapters(OptionList):
    """In the list of chapters."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Read here", tooltip="Read from this chapter on"),
        Binding("j", "cursor_down", "Down", show=False, tooltip="The next chapter"),
        Binding("k", "cursor_up", "Up", show=False, tooltip="The chapter before"),
    ]
    DEFAULT_CSS = """
    Chapters {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
        &:focus { border: none; }
        & > .option-list--option-highlighted { background: $background; text-style: none; }
        &:focus > .option-list--option-highlighted { background: $primary; color: $background; }
        &:ansi:focus > .option-list--option-highlighted {
            background: ansi_default; text-style: reverse;
        }
    }
    """


class Colophon(Vertical):
    """A book's particulars above its chapters."""

    DEFAULT_CSS = """
    Colophon {
        & > #particulars { height: auto; max-height: 60%; padding: 0; }
    }
    """

    class Chosen(Message):
        """A chapter is to be read, by its locator."""

        def __init__(self, locator: str) -> None:
            super().__init__()
            self.locator = locator

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shelved: Shelved | None = None
        self._place: Place | None = None
        self._locators: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("", id="particulars", markup=False)
        yield Chapters(id="chapters", markup=False)

    def show(self, shelved: Shelved | None, place: Place | None, indexed: str) -> bool:
        """Show a book; whether its chapters are still to be shown."""
        same = shelved is not None and self._shelved is not None and (
            (shelved.edition, place) == (self._shelved.edition, self._place)
        )  # fmt: skip
        if not same:
            self._locators = []
            self.query_one(Chapters).clear_options()
        self._shelved, self._place = shelved, place
        self.query_one("#particulars", Static).update(
            Text() if shelved is None else _particulars(shelved, place, indexed)
        )
        return shelved is not None and not self._locators

    def show_chapters(self, chapters: Sequence[Chapter]) -> None:
        """Show the chapters of the book that is shown."""
        if self._shelved is None:
            return
        shown = [each for each in chapters if each.number]
        self._locators = [f"{self._shelved.book.id}:{each.number}" for each in shown]
        start = self._place.start if self._place else -1
        here = next(
            (at for at, each in enumerate(shown) if each.span.start <= start < each.span.end), None
        )
        listed = self.query_one(Chapters)
        listed.set_options(Option(_line(each, at == here)) for at, each in enumerate(shown))
        listed.highlighted = here if here is not None else 0 if shown else None

    def say(self, line: str) -> None:
        """Say why there are no chapters."""
        self._locators = []
        listed = self.query_one(Chapters)
        listed.set_options([Option(Content(one_line(line)), disabled=True)])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._locators):
            self.post_message(self.Chosen(self._locators[event.option_index]))


def in_one_line(shelved: Shelved, place: Place | None) -> Text:
    """The same where there is only a line for it."""
    book = shelved.book
    share = browse.read_share(shelved, place)
    parts = [
        book.id, f"{shelved.chapters:,} chapters", f"{shelved.sentences:,} sentences",
        *([f"read up to {share} %"] if share is not None else []), book.source,
    ]  # fmt: skip
    return Text(one_line(" · ".join(parts)), no_wrap=True, overflow="ellipsis")


def _particulars(shelved: Shelved, place: Place | None, indexed: str) -> Group:
    book = shelved.book
    read = "not yet"
    if place is not None:
        read = f"up to {browse.read_share(shelved, place)} % ({place.locator})"
    rows = (
        ("id", book.id),
        ("size", f"about {browse.pages(shelved.characters):,} pages, "
                 f"{shelved.sentences:,} sentences"),
        ("language", book.language),
        ("added", shelved.added[:10]),
        ("index", indexed),
        ("read", read),
        ("source", book.source),
        ("sha256", book.sha256),
    )  # fmt: skip
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name, "dim"), Text(one_line(value, 300)))
    return Group(
        Text(one_line(book.title, 300), "bold"),
        Text(f"{one_line(book.author, 200) or 'nobody named'}\n"),
        table,
        Text(f"\n{shelved.chapters:,} chapters", "bold"),
    )


def _line(chapter: Chapter, here: bool) -> Content:
    heading = one_line(" · ".join((*chapter.part, records.chapter_name(chapter))))
    style = "" if chapter.kind is Kind.CHAPTER else "$foreground-muted"
    return Content.assemble(("▸ " if here else "  ", "$accent"), (heading, style))
