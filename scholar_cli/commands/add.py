"""scholar add: add books to the library."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.serialize import results

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
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Add a book: a Gutenberg number or address, a file, or - for standard input."""
    from scholar_indexes.errors import UsageError

    if len(sources) > 1 and (title or author):
        raise UsageError("--title and --author are for one book; add the books one by one")
    library = common.open_library(offline=offline, model=model, device=device)
    records = []
    try:
        for source in sources:
            with common.progress() as progress:
                added = library.add(
                    source,
                    title=title,
                    author=author,
                    language=language,
                    mirror=mirror,
                    refresh=refresh,
                    dry_run=dry_run,
                    progress=progress,
                )
            records.append(results.added_book_record(added))
    finally:
        # Books that were added before another failed are in the library, and reported.
        if records:
            render.print_rows(records, common.choose_format(format, json), TABLE_COLUMNS)
