"""scholar characters: who there is in a book."""

from __future__ import annotations

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def characters(
    book: common.BookArgument,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the characters of a book: names, gender, how much they say, where they first appear."""
    with common.progress() as progress:
        found = common.library().characters(book, progress)
    if not found:
        common.say("no characters were found in this book")
    records = [
        {
            "schema_version": 1,
            "id": each.character.id,
            "name": each.character.name,
            "aliases": list(each.character.aliases),
            "gender": str(each.character.gender),
            "narrator": each.character.narrator,
            "quotations": each.quotations,
            "mentions": each.mentions,
            "first": each.first,
        }
        for each in found
    ]
    render.rows(
        records, common.chosen_format(format, json),
        ("name", "gender", "quotations", "mentions", "first", "aliases"),
    )  # fmt: skip
