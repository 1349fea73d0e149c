"""scholar books: list, describe and remove books."""

from __future__ import annotations

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.serialize.books import BOOK_COLUMNS, book_record, chapter_records
from scholar_indexes.serialize.result_formats import RECORDS, Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def books() -> None:
    """List, describe and remove the books in your library."""


@app.command("list")
def list_books(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """List the books in the library."""
    library = common.open_library()
    stored_books = library.books.all()
    if not stored_books:
        common.say("the library is empty; run: scholar add 1342, or: scholar demo")
    render.print_rows(
        list(map(book_record, stored_books)),
        common.choose_format(format, json),
        BOOK_COLUMNS,
    )


@app.command(cls=BookCommand)
def info(
    book: common.BookArgument,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Describe a book and list its chapters.

    The chapters have their locators and printed numbers.
    """
    library = common.open_library()
    stored = library.books.get(book)
    chapters = chapter_records(stored.book, library.books.open(stored).chapters)
    output_format = common.choose_format(format, json)
    if output_format.writes(RECORDS):
        render.print_record({**book_record(stored), "divisions": chapters}, output_format)
        return
    if output_format is Format.TABLE:
        render.print_record(book_record(stored), output_format)
        render.write("\n")
    columns = [
        column
        for column in ("locator", "printed", "part", "title", "kind")
        if column in ("locator", "title", "kind") or any(chapter[column] for chapter in chapters)
    ]
    render.print_rows(chapters, output_format, columns)


@app.command(cls=BookCommand)
def remove(book: common.BookArgument) -> None:
    """Remove a book with its text and its passages."""
    removed = common.open_library().books.remove(book)
    common.say(f"removed {removed.id} {removed.title}")
