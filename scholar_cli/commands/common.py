"""What commands share: options, the library they ask, and talk on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli.render import Format
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.types import Progress


def complete_books(incomplete: str) -> list[tuple[str, str]]:
    """Ids of books for the shell to complete, with their titles."""
    try:
        listed = library().books()
    except Exception:  # a completion must never print a failure into the prompt
        return []
    wanted = incomplete.casefold()
    return [
        (each.book.id, one_line(each.book.title))
        for each in listed
        if each.book.id.startswith(wanted) or wanted in each.book.title.casefold()
    ]


FormatOption = Annotated[Format, typer.Option("--format", help="How to print results.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
OfflineOption = Annotated[
    bool | None, typer.Option("--offline", help="Never use the network.", show_default=False)
]
DeviceOption = Annotated[
    str | None, typer.Option(help="Where to run the encoder: auto, cpu, cuda or mps.")
]
ModelOption = Annotated[str | None, typer.Option(help="The encoder: a model's name or folder.")]
BookArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOOK", help="An id, a locator or part of a title.", autocompletion=complete_books
    ),
]
BookOption = Annotated[
    str | None,
    typer.Option("--book", "-b", metavar="BOOK", help="The book, where there are several.",
                 autocompletion=complete_books),
]  # fmt: skip
BooksOption = Annotated[
    list[str] | None,
    typer.Option("--book", "-b", metavar="BOOK", help="Only this book; may be repeated.",
                 autocompletion=complete_books),
]  # fmt: skip


def library(**flags: Any) -> Library:
    """The library of this user; flags that are None or False were not given."""
    from scholar_indexes import settings
    from scholar_indexes.library import Library
    from scholar_indexes.places import places

    here = places()
    given = {name: value for name, value in flags.items() if value not in (None, False)}
    chosen, _ = settings.load(here.config, **given)
    return Library(here, chosen, say)


def only_book(library: Library) -> str:
    """The book of a shelf that has just one; raises UsageError naming some where it has more."""
    from scholar_indexes.errors import UsageError

    books = library.books()
    if len(books) == 1:
        return books[0].book.id
    named = "; ".join(f"{each.book.id} {each.book.title}" for each in books[:5])
    raise UsageError(
        f"there are {len(books)} books; say which one: -b BOOK, such as: {named}"
        if books
        else "the library is empty; add a book first: scholar add 1342"
    )


def say(line: str) -> None:
    """Talk to the person, on stderr."""
    print(one_line(line), file=sys.stderr, flush=True)  # noqa: T201


def chosen_format(format: Format, json: bool) -> Format:
    return Format.JSON if json else format


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on stderr where that is a terminal, silence elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") in (None, "", "dumb"):
        from scholar_indexes.types import silent

        yield silent
        return

    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
    ) as bars:  # fmt: skip
        task = bars.add_task("", total=None)

        def show(label: str, done: int, total: int) -> None:
            bars.update(
                task, description=escape(one_line(label)[:60]), completed=done, total=total or None
            )

        yield show
