"""scholar characters: list the characters of a book, or print a sheet about them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize import results

app = typer.Typer(rich_markup_mode=None)


class SheetFormat(StrEnum):
    MD = "md"
    HTML = "html"


@app.command()
def characters(
    book: common.BookArgument,
    sheet: Annotated[
        bool, typer.Option("--sheet", help="A sheet of the main ones, with descriptions.")
    ] = False,
    to: Annotated[
        SheetFormat | None, typer.Option("--to", help="The format of the sheet; else md.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file of the sheet; else it is printed.")
    ] = None,
    n: Annotated[
        int, typer.Option("-n", min=1, max=500, help="How many characters, on the sheet.")
    ] = 30,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the characters of a book: names, gender, how much they say, where they first appear.

    With --sheet also who they are, by a description bank or as a program read it in the book.
    """
    if sheet:
        if common.choose_format(format, json) is not Format.TABLE:
            raise UsageError("a sheet is md or html; write --to in place of --format")
        _print_sheet(book, to or SheetFormat.MD, out, n)
        return
    if to is not None or out is not None:
        raise UsageError("--to and --out are for the sheet of the characters; add --sheet")
    with common.progress() as progress:
        profiles = common.open_library().characters(book, progress)
    if not profiles:
        common.say("no characters were found in this book")
    render.print_rows(
        list(map(results.profile_record, profiles)),
        common.choose_format(format, json),
        ("name", "gender", "quotations", "mentions", "first", "aliases"),
    )


def _print_sheet(book: str, to: SheetFormat, out: Path | None, n: int) -> None:
    """Print the sheet of a book's main characters, or write it to a file."""
    from scholar_indexes.characters.quiz.bank_format import write_files
    from scholar_indexes.serialize import character_sheet

    library = common.open_library()
    with common.progress() as progress:
        cast, descriptions = library.descriptions(library.cast(book, progress), progress)
    sheet = character_sheet.make_sheet(cast, descriptions, n)
    write = {
        SheetFormat.MD: character_sheet.sheet_to_markdown,
        SheetFormat.HTML: character_sheet.sheet_to_html,
    }[to]
    if out is None:
        render.write(write(sheet))
        return
    write_files(out.parent, {out: write(sheet).encode("utf-8")})
    common.say(f"{len(sheet.profiles)} characters in {out}")
