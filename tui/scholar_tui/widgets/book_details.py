"""The details of a book, and its chapters to read from."""

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

from scholar_indexes.books import listing
from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import ChapterKind
from scholar_tui.keys import bind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scholar_indexes.storage.bookmarks import ReadingPosition
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Chapter


class ChapterList(OptionList):
    """The list of chapters."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Read here", tooltip="Read from this chapter"),
        bind("down", "cursor_down", "Down", "The next chapter", show=False),
        bind("up", "cursor_up", "Up", "The previous chapter", show=False),
    ]
    DEFAULT_CSS = """
    ChapterList {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
        &:focus { border: none; }
        & > .option-list--option-highlighted { background: $background; text-style: none; }
        &:focus > .option-list--option-highlighted { background: $primary; color: $background; }
    }
    """


class BookDetails(Vertical):
    """The details of a book above its chapters."""

    DEFAULT_CSS = """
    BookDetails {
        & > #particulars { height: auto; max-height: 60%; padding: 0; }
    }
    """

    class ChapterSelected(Message):
        """A chapter was chosen, given by its locator."""

        def __init__(self, locator: str) -> None:
            super().__init__()
            self.locator = locator

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._shelved: StoredBook | None = None
        self._place: ReadingPosition | None = None
        self._indexed = ""
        self._is_technical = False
        self._locators: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("", id="particulars", markup=False)
        yield ChapterList(id="chapters", markup=False)

    def show(self, shelved: StoredBook | None, place: ReadingPosition | None, indexed: str) -> bool:
        """Show a book, and return True if its chapters are still to be shown."""
        same = (
            shelved is not None
            and self._shelved is not None
            and ((shelved.edition, place) == (self._shelved.edition, self._place))
        )
        if not same:
            self._locators = []
            self.query_one(ChapterList).clear_options()
        self._shelved, self._place, self._indexed = shelved, place, indexed
        self._show_particulars()
        return shelved is not None and not self._locators

    def show_technical(self, wanted: bool) -> None:
        """Show or hide the technical details."""
        self._is_technical = wanted
        self._show_particulars()

    def _show_particulars(self) -> None:
        shelved = self._shelved
        self.query_one("#particulars", Static).update(
            Text()
            if shelved is None
            else _particulars(shelved, self._place, self._indexed, self._is_technical)
        )

    def show_chapters(self, chapters: Sequence[Chapter]) -> None:
        """Show the chapters of the current book."""
        if self._shelved is None:
            return
        book = self._shelved.book
        shown = [chapter for chapter in chapters if chapter.number]
        self._locators = [f"{book.id}:{chapter.number}" for chapter in shown]
        start = self._place.start if self._place else -1
        current = next(
            (
                at
                for at, chapter in enumerate(shown)
                if chapter.span.start <= start < chapter.span.end
            ),
            None,
        )
        listed = self.query_one(ChapterList)
        listed.set_options(
            Option(_line(chapter, book.title, at == current)) for at, chapter in enumerate(shown)
        )
        listed.highlighted = current if current is not None else 0 if shown else None

    def show_refusal(self, line: str) -> None:
        """Show why there are no chapters."""
        self._locators = []
        listed = self.query_one(ChapterList)
        listed.set_options([Option(Content(one_line(line)), disabled=True)])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._locators):
            self.post_message(self.ChapterSelected(self._locators[event.option_index]))


def summary_line(shelved: StoredBook, place: ReadingPosition | None) -> Text:
    """Return the details of a book on a single line."""
    book = shelved.book
    share = listing.percent_read(shelved, place)
    parts = [
        book.id,
        f"{shelved.chapters:,} chapters",
        f"{shelved.sentences:,} sentences",
        *([f"read up to {share} %"] if share is not None else []),
        book.source,
    ]
    return Text(one_line(" · ".join(parts)), no_wrap=True, overflow="ellipsis")


def _particulars(
    shelved: StoredBook, place: ReadingPosition | None, indexed: str, is_technical: bool
) -> Group:
    book = shelved.book
    read = "not yet"
    if place is not None:
        read = f"up to {listing.percent_read(shelved, place)} % ({place.locator})"
    rows = [
        ("id", book.id),
        (
            "size",
            f"about {listing.count_pages(shelved.characters):,} pages, "
            f"{shelved.sentences:,} sentences",
        ),
        ("language", book.language),
        ("added", shelved.added[:10]),
        ("index", indexed),
        ("read", read),
        ("source", book.source),
    ]
    if is_technical:
        rows.append(("sha256", book.sha256))
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name, "dim"), Text(one_line(value, 300)))
    return Group(
        Text(one_line(book.title, 300), "bold"),
        Text(f"{one_line(book.author, 200) or 'no author'}\n"),
        table,
        Text(f"\n{shelved.chapters:,} chapters", "bold"),
    )


def _line(chapter: Chapter, book_title: str, is_current: bool) -> Content:
    heading = one_line(" · ".join((*chapter.part, chapter_name(chapter, book_title))))
    style = "" if chapter.kind is ChapterKind.CHAPTER else "$foreground-muted"
    return Content.assemble(("▸ " if is_current else "  ", "$accent"), (heading, style))
