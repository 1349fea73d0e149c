"""scholar catalog: the catalogue of Project Gutenberg."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.serialize.books import catalog_entry_record
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def catalog() -> None:
    """Search the catalogue of Project Gutenberg; offline once downloaded."""


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="Words of a title, an author or a subject.")],
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="Maximum number of books.")] = 20,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Search the catalogue; the last word may be incomplete."""
    entries = common.open_library().books.gutenberg.search(query, n)
    if not entries:
        common.say("no entry in the catalogue has all these words; try fewer")
    records = list(map(catalog_entry_record, entries))
    render.print_rows(
        records, common.choose_format(format, json), ("id", "title", "author", "language")
    )


@app.command()
def update(
    mirror: Annotated[str | None, typer.Option(help="Use this mirror: a URL or a folder.")] = None,
    offline: common.OfflineOption = None,
) -> None:
    """Download the catalogue, or update it."""
    gutenberg = common.open_library(offline=offline).books.gutenberg
    with common.progress() as progress:
        count = gutenberg.update(progress, mirror=mirror)
    common.say(f"the catalogue lists {count:,} books; run: scholar catalog search austen")
