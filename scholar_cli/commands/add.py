"""scholar add: add books to the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.serialize import results

if TYPE_CHECKING:
    from scholar_indexes.books.service import AddOptions
    from scholar_indexes.library import Library
    from scholar_indexes.results import AddedBook

app = typer.Typer(rich_markup_mode=None)

TABLE_COLUMNS = ("id", "title", "author", "outcome", "chapters", "sentences")


@app.command()
def add(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="1342, a Gutenberg address, a file, or -."),
    ],
    title: Annotated[str | None, typer.Option(help="Call the book this.")] = None,
    author: Annotated[str | None, typer.Option(help="Say who wrote it.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Say what language it is in, as en, and add it as such.")
    ] = None,
    mirror: Annotated[str | None, typer.Option(help="Fetch from this Gutenberg mirror.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Fetch and read it again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read it, but store nothing.")] = False,
    offline: common.OfflineOption = None,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    ray: common.RayOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Add a book: a Gutenberg number or address, a file, or - for standard input."""
    from scholar_indexes.errors import UsageError

    if len(sources) > 1 and (title or author):
        raise UsageError("--title and --author are for one book; add the books one by one")
    library = common.open_library(offline=offline, model=model, device=device)
    options: AddOptions = {
        "title": title,
        "author": author,
        "language": language,
        "mirror": mirror,
        "refresh": refresh,
        "dry_run": dry_run,
    }
    records: list[dict[str, Any]] = []
    try:
        for added in (
            _add_on_cluster(library, ray, sources, options)
            if ray is not None
            else _add(library, sources, options)
        ):
            records.append(results.added_book_record(added))
    finally:
        # Books that were added before another failed are in the library, and reported.
        if records:
            render.print_rows(records, common.choose_format(format, json), TABLE_COLUMNS)


def _add(library: Library, sources: Sequence[str], options: AddOptions) -> Iterator[AddedBook]:
    """Add books one by one."""
    for source in sources:
        with common.progress() as progress:
            options["progress"] = progress
            added = library.add(source, **options)
        yield added


def _add_on_cluster(
    library: Library, address: str, sources: Sequence[str], options: AddOptions
) -> Iterator[AddedBook]:
    """Add books together; the errors of those that could not be added come after the others."""
    with common.progress() as progress:
        options["progress"] = progress
        outcome = library.cluster(address).add(sources, **options)
    yield from outcome.added
    if outcome.failures:
        for failure in outcome.failures[:-1]:
            common.say(f"not added: {failure}")
        raise outcome.failures[-1]
