"""scholar characters: list the characters of a book."""

from __future__ import annotations

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.serialize import results

app = typer.Typer(rich_markup_mode=None)


@app.command()
def characters(
    book: common.BookArgument,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the characters of a book: names, gender, how much they say, where they first appear."""
    with common.progress() as progress:
        profiles = common.open_library().characters(book, progress)
    if not profiles:
        common.say("no characters were found in this book")
    render.print_rows(
        list(map(results.profile_record, profiles)),
        common.choose_format(format, json),
        ("name", "gender", "quotations", "mentions", "first", "aliases"),
    )
