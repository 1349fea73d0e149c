"""scholar books: what is on the shelf."""

from __future__ import annotations

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes import records

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def books() -> None:
    """List, describe and remove the books of your library."""


@app.command("list")
def list_books(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """List the books on the shelf."""
    listed = common.library().books()
    if not listed:
        common.say("the library is empty; run: scholar add 1342, or: scholar demo")
    render.rows(
        [records.shelved(each) for each in listed],
        common.chosen_format(format, json),
        ("id", "title", "author", "chapters", "sentences"),
    )


@app.command()
def info(
    book: common.BookArgument,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Describe a book and list its chapters with their locators."""
    library = common.library()
    shelved = library.book(book)
    chapters = [
        {
            "locator": f"{shelved.book.id}:{each.number}",
            "part": " / ".join(each.part),
            "title": each.title,
            "kind": str(each.kind),
            "start": each.span.start,
            "end": each.span.end,
        }
        for each in library.chapters(shelved)
        if each.number
    ]
    chosen = common.chosen_format(format, json)
    if chosen in (Format.JSON, Format.JSONL):
        render.record({**records.shelved(shelved), "divisions": chapters}, chosen)
        return
    if chosen is Format.TABLE:
        render.record(records.shelved(shelved), chosen)
        render.write("\n")
    columns = [
        column for column in ("locator", "part", "title", "kind")
        if column != "part" or any(each["part"] for each in chapters)
    ]  # fmt: skip
    render.rows(chapters, chosen, columns)


@app.command()
def remove(book: common.BookArgument) -> None:
    """Take a book off the shelf, its text and its passages with it."""
    removed = common.library().remove(book)
    common.say(f"removed {removed.id} {removed.title}")
