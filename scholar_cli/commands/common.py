"""Options, the library, progress and messages on stderr: what the commands share."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from scholar_cli.commands.completions import complete_books, complete_characters, complete_speakers
from scholar_cli.render import Format
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.results import UnreadBook
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Progress

T = TypeVar("T")


def refuse_two_formats(context: typer.Context, parameter: typer.CallbackParam, value: T) -> T:
    """Return the value of --format or --json; raises UsageError if both are given and --format is
    another."""
    values = {**context.params, str(parameter.name): value}
    sources = map(context.get_parameter_source, ("format", "json"))
    are_given = all(source and source.name == "COMMANDLINE" for source in sources)
    if are_given and values["format"] != Format.JSON and not context.resilient_parsing:
        from scholar_indexes.errors import UsageError

        raise UsageError(f"--json and --format {values['format']} are two formats; leave out one")
    return value


FormatOption = Annotated[
    Format,
    typer.Option("--format", help="How to print results.", callback=refuse_two_formats),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", callback=refuse_two_formats)
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over a file.")]
OfflineOption = Annotated[
    bool | None, typer.Option("--offline", help="Never use the network.", show_default=False)
]
DeviceOption = Annotated[
    str | None, typer.Option(help="Where to run the encoder: auto, cpu, cuda or mps.")
]
ThreadsOption = Annotated[int, typer.Option(min=0, help="0 for one per core.")]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="local|HOST:PORT",
        help="Share the work on a Ray cluster: one on this machine, or one that runs.",
        show_default=False,
    ),
]
ModelOption = Annotated[str | None, typer.Option(help="The encoder: a model's name or folder.")]
BookArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOOK", help="An id, a locator or part of a title.", autocompletion=complete_books
    ),
]
BooksArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[BOOK]...",
        help="Ids, locators or parts of titles.",
        autocompletion=complete_books,
        show_default=False,
    ),
]
AllBooksOption = Annotated[bool, typer.Option("--all", help="Every book of the library.")]
BookOption = Annotated[
    str | None,
    typer.Option(
        "--book",
        "-b",
        metavar="BOOK",
        help="The book, where there are several.",
        autocompletion=complete_books,
    ),
]
BooksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--book",
        "-b",
        metavar="BOOK",
        help="Only this book; may be repeated.",
        autocompletion=complete_books,
    ),
]
SpeakerOption = Annotated[
    str | None,
    typer.Option(help="Only what this character says.", autocompletion=complete_speakers),
]
AboutOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Only where this character is, whom 'her cousin' in the claim means; may be "
        "repeated. nobody: such words mean nobody.",
        autocompletion=complete_characters,
    ),
]


ChapterOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBERS",
        help="Only these chapters, by the numbers that the book prints: 3, III, 3-9, act 3, or 2.5 "
        "for chapter 5 of volume 2.",
    ),
]
SectionOption = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Only these sections, counted as in locators: 3 or 3-9."),
]


def choose_chapters(
    chapter: str | None, section: str | None, options: str = "--chapter and --section"
) -> str | None:
    """Return the range of chapters that one of two options names, None for neither.

    Raises UsageError for both, and for sections that are no range.
    """
    from scholar_indexes.books.chapter_ranges import section_range
    from scholar_indexes.errors import UsageError

    if section is None:
        return chapter
    if chapter is not None:
        raise UsageError(f"{options} are two ways to say the same; leave out one")
    section_range(section)
    return f"section {section}"


def open_library(**flags: Any) -> Library:
    """Return the library of the user; flags that are None or False leave the settings alone."""
    from scholar_indexes.library import Library

    overrides = {name: value for name, value in flags.items() if value not in (None, False)}
    return Library.of_user(say, **overrides)


def choose_books(
    library: Library, references: Sequence[str] | None, all_books: bool
) -> tuple[StoredBook, ...]:
    """Return the books that are named, once each, or all of a library.

    Raises UsageError where books are named and all are wanted, or neither.
    """
    from scholar_indexes.errors import UsageError

    if references and all_books:
        raise UsageError("--all is every book of the library; leave out --all, or BOOK")
    if not references and not all_books:
        raise UsageError(
            "name a book, or take every book: --all; yours are listed by: scholar books list"
        )
    return library.select(references or ())


def only_book(library: Library) -> str:
    """Return the id of the only book of a library; raises UsageError if it has none or several."""
    from scholar_indexes.errors import UsageError

    books = library.books()
    if len(books) == 1:
        return books[0].book.id
    examples = "; ".join(f"{stored.book.id} {stored.book.title}" for stored in books[:5])
    raise UsageError(
        f"there are {len(books)} books; say which one: -b BOOK, such as: {examples}"
        if books
        else "the library is empty; add a book first: scholar add 1342"
    )


def output_file(text: str) -> Path:
    """Return the path of a file to write; raises UsageError for one that ends as a folder does."""
    from scholar_indexes.errors import UsageError

    if ends_as_folder(text):
        raise UsageError(f"{text} is a folder; name a file in it")
    return Path(text)


def ends_as_folder(text: str) -> bool:
    """Return True for a path that ends in a slash, with which it names a folder."""
    return text.endswith(("/", os.sep))


def check_output_files(files: Iterable[Path], *, force: bool) -> None:
    """Raise UsageError for a file that is there, unless it may be written over, and for what is
    there and is not a file."""
    from scholar_indexes.errors import UsageError

    for file in files:
        if file.is_dir():
            raise UsageError(f"{file} is a folder; name a file in it")
        if file.exists() and not file.is_file():
            raise UsageError(f"{file} is not a file; name one")
        if file.exists() and not force:
            raise UsageError(f"{file} is there already; name another, or write over it: --force")


def say(line: str) -> None:
    """Print a message for the user on stderr, as one line."""
    print(one_line(line), file=sys.stderr, flush=True)  # noqa: T201


def name_unread(not_searched: Sequence[UnreadBook]) -> None:
    """Name the books that could not be read on stderr."""
    for unread in not_searched:
        say(f"not searched: {unread.book.id} {unread.book.title}: {unread.reason}")


MAY_BE_FROM = "a quotation that no other book has word for word may be from"


def check_complete(
    not_searched: Sequence[UnreadBook], answer: str = "the answer is without"
) -> None:
    """Raise Damaged for an answer for which books could not be read."""
    from scholar_indexes.books.unread import incomplete

    if not_searched:
        raise incomplete(not_searched, answer)


def choose_format(format: Format, json: bool) -> Format:
    """Return the format of `--format` or `--json`."""
    return Format.JSON if json else format


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a callback that shows a progress bar where stderr is a terminal, from its first call
    on, else one that does nothing."""
    if not sys.stderr.isatty() or os.environ.get("TERM") in (None, "", "dumb"):
        from scholar_indexes.types import silent

        yield silent
        return

    with ExitStack() as stack:
        bar: Progress | None = None

        def show(label: str, done: int, total: int) -> None:
            nonlocal bar
            bar = bar or stack.enter_context(_bar())
            bar(label, done, total)

        yield show


@contextmanager
def _bar() -> Iterator[Progress]:
    """Show a progress bar; yield the callback that moves it."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
    )

    from scholar_indexes.progress import TimeEstimate, describe_remaining

    estimate = TimeEstimate()

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[remaining]}"),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # else what is printed meanwhile would go to stderr
    ) as bars:
        task = bars.add_task("", total=None, remaining="")

        def show(label: str, done: int, total: int) -> None:
            bars.update(
                task,
                description=escape(one_line(label)[:60]),
                completed=done,
                total=total or None,
                remaining=describe_remaining(estimate.remaining_s(done, total)),
            )

        yield show


def check_training_packages() -> None:
    """Check the packages that training needs; raises ConfigError where one is missing."""
    needed = ("torch", "transformers", "sentence_transformers", "safetensors")
    if not all(map(importlib.util.find_spec, needed)):
        from scholar_indexes.errors import ConfigError

        raise ConfigError("training needs torch; run: pip install 'scholar-cli[lab]'")
    # Threads that wait actively slow down a machine with other work several times.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
