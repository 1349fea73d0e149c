"""Parts that the commands share: options, the library, progress, and messages on stderr."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from scholar_cli.commands.completions import complete_books, complete_characters, complete_speakers
from scholar_indexes.requests import FindRequest, describe
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize import result_formats
from scholar_indexes.serialize.result_formats import COLUMNS, RECORDS, Format, Kind

if TYPE_CHECKING:
    from scholar_indexes.errors import UsageError
    from scholar_indexes.library import Library
    from scholar_indexes.results import UnreadBook
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Progress

T = TypeVar("T")


def refuse_two_formats(context: typer.Context, parameter: typer.CallbackParam, value: T) -> T:
    """Return the value of --format or --json; raises UsageError if both are given and --format is
    not json."""
    values = {**context.params, str(parameter.name): value}
    sources = map(context.get_parameter_source, ("format", "json"))
    are_given = all(source and source.name == "COMMANDLINE" for source in sources)
    if are_given and values["format"] != Format.JSON and not context.resilient_parsing:
        from scholar_indexes.errors import UsageError

        raise UsageError(f"--json and --format {values['format']} are two formats; leave out one")
    return value


def request_option(
    request: type, name: str, *flags: str, is_repeated: bool = False, **more: Any
) -> Any:
    """Return the option for a field of a request, with its help and its bounds."""
    described = describe(request, name)
    text = f"{described.help} May be repeated." if is_repeated else described.help
    return typer.Option(*flags, help=text, min=described.least, max=described.most, **more)


def to_option(*kinds: Kind[Any], help: str) -> Any:
    """Return the option --to with the formats of some kinds of result."""
    return typer.Option("--to", help=help, click_type=_choice(result_formats.formats(*kinds)))


def format_option(*more: Kind[Any], is_optional: bool = False) -> Any:
    """Return the option --format of a command that prints a list, which may be of another kind
    too; with `is_optional` its default is None, which means a table."""
    also = f"; also {result_formats.in_words(*more)}" if more else ""
    return typer.Option(
        "--format",
        help=f"How to print results{also}{'; default: table' * is_optional}.",
        click_type=_choice([Format.TABLE, *result_formats.formats(RECORDS, COLUMNS, *more)]),
        show_default=not is_optional,
        callback=refuse_two_formats,
    )


def _choice(formats: Sequence[Format]) -> Any:
    """Return the type of an option that takes some of the formats."""
    values = tuple(format.value for format in formats)
    return typer.main.get_click_type(annotation=Literal[values], parameter_info=typer.Option())


FormatOption = Annotated[Format, format_option()]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", callback=refuse_two_formats)
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
OfflineOption = Annotated[
    bool | None, typer.Option("--offline", help="Never use the network.", show_default=False)
]
DeviceOption = Annotated[
    str | None, typer.Option(help="Where to run the encoder: auto, cpu, cuda or mps.")
]
ThreadsOption = Annotated[int, typer.Option(min=0, help="Number of threads; 0 for one per core.")]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="local|HOST:PORT",
        help="Share the work on a Ray cluster: one on this machine, or a running one.",
        show_default=False,
    ),
]
ModelOption = Annotated[str | None, typer.Option(help="The encoder: a model name or folder.")]
BookArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOOK", help="An id, a locator or part of a title.", autocompletion=complete_books
    ),
]
OptionalBookArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[BOOK]",
        help="The book, if there are several.",
        autocompletion=complete_books,
        show_default=False,
    ),
]
AllBooksOption = Annotated[bool, typer.Option("--all", help="Every book in the library.")]
BooksOption = Annotated[
    list[str] | None,
    request_option(
        FindRequest,
        "books",
        "--book",
        "-b",
        metavar="BOOK",
        is_repeated=True,
        autocompletion=complete_books,
    ),
]
SpeakerOption = Annotated[
    str | None, request_option(FindRequest, "speaker", autocompletion=complete_speakers)
]
AboutOption = Annotated[
    list[str] | None,
    request_option(
        FindRequest, "about", metavar="NAME", is_repeated=True, autocompletion=complete_characters
    ),
]


ChapterOption = Annotated[
    str | None, request_option(FindRequest, "chapters", "--chapter", metavar="NUMBERS")
]
SectionOption = Annotated[
    str | None,
    typer.Option(metavar="NUMBERS", help="Only these sections, counted as in locators: 3 or 3-9."),
]


def open_library(**flags: Any) -> Library:
    """Return the user's library; flags that are None or False do not override the settings."""
    from scholar_indexes.library import Library

    overrides = {name: value for name, value in flags.items() if value not in (None, False)}
    return Library.of_user(say, **overrides)


def choose_books(
    library: Library, references: Sequence[str] | None, all_books: bool
) -> tuple[StoredBook, ...]:
    """Return the named books, once each, or all books of a library.

    Raises UsageError if books are named and all are requested, or neither.
    """
    from scholar_indexes.errors import UsageError

    if references and all_books:
        raise UsageError("--all means all books in the library; leave out --all or -b")
    if not references and not all_books:
        raise UsageError(
            "no book is named; name one with -b, or use --all; to see yours: scholar books list"
        )
    return library.books.select(references or ()).books


def only_book(library: Library) -> str:
    """Return the id of the only book of a library; raises UsageError if it has none or several."""
    from scholar_indexes.errors import UsageError

    books = library.books.all()
    if len(books) == 1:
        return books[0].book.id
    examples = "; ".join(f"{stored.book.id} {stored.book.title}" for stored in books[:5])
    raise UsageError(
        f"there are {len(books)} books; name one at the end, such as: {examples}"
        if books
        else "the library is empty; add a book first: scholar add 1342"
    )


def output_file(text: str) -> Path:
    """Return the path of a file to write; raises UsageError for one that names a folder."""
    from scholar_indexes.errors import UsageError

    if ends_as_folder(text):
        raise UsageError(f"{text} is a folder; name a file in it")
    return Path(text)


def ends_as_folder(text: str) -> bool:
    """Return True if a path ends in a slash, and so names a folder."""
    return text.endswith(("/", os.sep))


def check_output_files(files: Iterable[Path], *, force: bool) -> None:
    """Raise UsageError for a file that exists, unless `force` is given, and for a path that exists
    and is not a file."""
    from scholar_indexes.errors import UsageError

    for file in files:
        if file.is_dir():
            raise UsageError(f"{file} is a folder; name a file in it")
        if file.exists() and not file.is_file():
            raise UsageError(f"{file} is not a file; name another path")
        if file.exists() and not force:
            raise UsageError(f"{file} already exists; name another, or overwrite it: --force")


def not_printed(what: str, example: str) -> UsageError:
    """Return the error for a result that goes only to a file."""
    from scholar_indexes.errors import UsageError

    return UsageError(f"{what} is not printed; name a file: --out {example}")


def say(line: str) -> None:
    """Print a message for the user on stderr, as one line."""
    print(one_line(line), file=sys.stderr, flush=True)  # noqa: T201


def name_unread(not_searched: Sequence[UnreadBook]) -> None:
    """Name on stderr the books that could not be read."""
    for unread in not_searched:
        say(f"not searched: {unread.book.id} {unread.book.title}: {unread.reason}")


MAY_BE_FROM = "a quotation that is verbatim in no other book may be from"


def check_complete(
    not_searched: Sequence[UnreadBook], answer: str = "the answer is without"
) -> None:
    """Raise Damaged if books could not be read for an answer."""
    from scholar_indexes.books.unread import incomplete

    if not_searched:
        raise incomplete(not_searched, answer)


def choose_format(format: Format, json: bool) -> Format:
    """Return the format of `--format` or `--json`."""
    return Format.JSON if json else format


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a callback that shows a progress bar from its first call if stderr is a terminal, else
    one that does nothing."""
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
        redirect_stdout=sys.stdout.isatty(),  # else output printed meanwhile would go to stderr
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
    """Raise ConfigError if a package that training needs is missing."""
    needed = ("torch", "transformers", "sentence_transformers", "safetensors")
    if not all(map(importlib.util.find_spec, needed)):
        from scholar_indexes.errors import ConfigError

        raise ConfigError("training needs torch; run: pip install 'scholar-cli[lab]'")
    # Threads that wait actively make a machine with other work several times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
