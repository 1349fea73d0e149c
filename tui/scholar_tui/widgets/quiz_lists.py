"""The lists of the quiz: the books with descriptions, and the questions of a round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from scholar_indexes.sanitize import one_line
from scholar_tui.keys import bind

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.quiz_service import QuizBook

ALL_BOOKS = "all"
"""The option for all books of the library; the others are "book-" and the id of a book."""


class QuizOptionList(OptionList):
    """A list in the style of the quiz."""

    DEFAULT_CSS = """
    QuizOptionList {
        height: 1fr; background: $background; scrollbar-size-vertical: 1;
        & > .option-list--option-highlighted { background: $panel; color: $foreground; }
        &:focus > .option-list--option-highlighted {
            background: $primary-muted; color: $foreground; text-style: none;
        }
    }
    """


class QuizBookList(QuizOptionList):
    """The books with descriptions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "select",
            "Start",
            tooltip="Start a round about this book, or about the marked ones",
        ),
        bind(
            "mark",
            "mark",
            "Mark",
            "Mark the book, for a round about several",
            show=False,
            also="space",
        ),
    ]

    class BooksMarked(Message):
        """A book was marked or unmarked."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes, markup=False)
        self._overview: QuizOverview | None = None
        self.marked_ids: list[str] = []

    @property
    def book_id(self) -> str | None:
        """The id of the highlighted book; None for all books."""
        option = self.highlighted_option
        if option is None or option.id is None or option.id == ALL_BOOKS:
            return None
        return option.id.removeprefix("book-")

    @property
    def chosen_ids(self) -> list[str]:
        """The ids of the marked books, or else of the highlighted one; empty for all books."""
        return list(self.marked_ids) or ([self.book_id] if self.book_id else [])

    @property
    def single_book_id(self) -> str | None:
        """The id of the book if a single one is chosen."""
        chosen = self.chosen_ids
        return chosen[0] if len(chosen) == 1 else None

    def show(self, overview: QuizOverview, now: datetime, wanted: str | None) -> bool:
        """List the books, highlight the wanted one, and return True if it is listed."""
        before = self.highlighted_option.id if self.highlighted_option else None
        self._overview = overview
        listed_ids = {book.book_id for book in overview.books}
        self.marked_ids = [book_id for book_id in self.marked_ids if book_id in listed_ids]
        self.set_options(self._book_options(overview, now))
        for option_id in (f"book-{wanted}" if wanted else None, before, ALL_BOOKS):
            if option_id and option_id in self._id_to_option:
                self.highlighted = self.get_option_index(option_id)
                break
        return wanted is None or f"book-{wanted}" in self._id_to_option

    def _book_options(self, overview: QuizOverview, now: datetime) -> list[Option | None]:
        in_library = [book for book in overview.books if book.book_id in overview.library_titles]
        others = [book for book in overview.books if book.book_id not in overview.library_titles]
        options: list[Option | None] = []
        if overview.books:
            options.append(Option(_all_books_content(in_library), ALL_BOOKS))
        for heading, books in (("On the shelf", in_library), ("Not on the shelf", others)):
            if books:
                options.append(Option(Content.styled(heading, "bold $secondary"), disabled=True))
                options += [self._option(book, overview, now) for book in books]
        return options

    def action_mark(self) -> None:
        book_id, index = self.book_id, self.highlighted
        if book_id is None or index is None or self._overview is None:
            return
        if book_id in self.marked_ids:
            self.marked_ids.remove(book_id)
        else:
            self.marked_ids.append(book_id)
        quiz_book = next(book for book in self._overview.books if book.book_id == book_id)
        option = self._option(quiz_book, self._overview, datetime.now().astimezone())
        self.replace_option_prompt_at_index(index, option.prompt)
        self.post_message(self.BooksMarked())
        self.action_cursor_down()

    def _option(self, book: QuizBook, overview: QuizOverview, now: datetime) -> Option:
        title, author = overview.title_and_author(book.book_id)
        parts = []
        if due := overview.count_due(now, book.book_id):
            parts.append(f"{due} due")
        score = overview.stats and overview.stats.by_book.get(book.book_id)
        if score:
            parts.append(f"{100 * score.share:.0f} % of {score.count}")
        if book.automatic:
            parts.append("automatic")
        if book.own:
            parts.append("your own")
        parts.append(one_line(author))
        mark = "● " if book.book_id in self.marked_ids else "  "
        return Option(
            Content.assemble(
                (mark, "bold $accent"),
                one_line(title),
                ("  " + " · ".join(filter(None, parts)), "dim"),
            ),
            f"book-{book.book_id}",
        )


def _all_books_content(library_books: Sequence[QuizBook]) -> Content:
    described = sum(not book.automatic for book in library_books)
    books = f"{described} on the shelf" if described else "the three that come with scholar"
    return Content.assemble("  All books", (f"  {books}", "dim"))


class RoundResults(QuizOptionList):
    """The questions of a round that is over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "View", tooltip="View this question and its passages again"),
        bind("go_to", "screen.open", "Open", "Open its passage in the reader", show=False),
        bind("history", "screen.figures", "History", "Show your results", show=False),
    ]
