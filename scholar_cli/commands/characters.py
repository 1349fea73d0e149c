"""scholar characters: the characters of a book as a list or a sheet, their conversations, and
corrections to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands import corrections as correcting
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.people import PROFILE_COLUMNS, profile_record
from scholar_indexes.serialize.result_formats import (
    CHARACTER_SHEET,
    CONVERSATIONS,
    RECORDS,
    Format,
    in_words,
    names,
)

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast

app = typer.Typer(rich_markup_mode=None)


@app.command(cls=BookCommand)
def characters(
    book: common.BookArgument,
    sheet: Annotated[
        bool,
        typer.Option("--sheet", help="Make a sheet of the main characters, with descriptions."),
    ] = False,
    to: Annotated[
        Format | None,
        common.to_option(
            CHARACTER_SHEET,
            help=f"The format of the sheet: {in_words(CHARACTER_SHEET)}; default: md.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            parser=common.output_file,
            metavar="PATH",
            help="The file for the sheet; default: print it.",
        ),
    ] = None,
    force: common.ForceOption = False,
    n: Annotated[
        int, typer.Option("-n", min=1, max=500, help="Number of characters on the sheet.")
    ] = 30,
    stats: Annotated[
        bool, typer.Option("--stats", help="Count quotations and words by speaker and chapter.")
    ] = False,
    conversations: Annotated[
        bool,
        typer.Option("--conversations", help="List who speaks with whom, and in how many turns."),
    ] = False,
    edit: Annotated[
        bool, typer.Option("--edit", help="Correct the characters in $VISUAL or $EDITOR.")
    ] = False,
    export_to: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", help="Write your corrections as TOML; - for stdout."
        ),
    ] = None,
    import_from: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE",
            help="Replace your corrections with the ones in a file; - for stdin.",
        ),
    ] = None,
    corrections: Annotated[
        bool, typer.Option("--corrections", help="List your corrections with their numbers.")
    ] = False,
    undo: Annotated[
        int | None,
        typer.Option("--undo", metavar="N", help="Remove the correction with this number."),
    ] = None,
    format: Annotated[Format, common.format_option(CONVERSATIONS)] = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the characters of a book: names, gender, how much they say, where they first appear.

    --sheet adds descriptions, from a description bank or extracted from the text by a program.
    --stats shows how much each says in each chapter, --conversations who speaks with whom.
    --format graphml prints the graph of both, for Gephi, Cytoscape or networkx; svg draws it.

    You can correct what was detected: merge, split, rename or remove characters, and change their
    gender, the narrator, or the speaker of a quotation. Corrections are kept with your data.
    """
    correction_options = {
        "edit": edit,
        "export": export_to is not None,
        "import": import_from is not None,
        "undo": undo is not None,
        "corrections": corrections,
    }
    _check_lists(sheet=sheet, stats=stats, conversations=conversations, **correction_options)
    if format.writes(CONVERSATIONS):
        _check_lists(**{f"format {format}": True, "sheet": sheet, **correction_options})
        render.write(format.writer(CONVERSATIONS)(_cast(book)).decode("utf-8"))
        return
    chosen = common.choose_format(format, json)
    if sheet:
        _print_sheet(book, chosen, to or Format.MD, out, n, force=force)
        return
    if to is not None or out is not None:
        raise UsageError("--to and --out are for the sheet of characters; add --sheet")
    if edit or export_to is not None or import_from is not None or undo is not None:
        correcting.correct(
            book, export_to=export_to, import_from=import_from, undo_number=undo, force=force
        )
    elif corrections:
        correcting.print_list(book, chosen)
    else:
        _choose_list(stats=stats, conversations=conversations)(book, chosen)


def _choose_list(*, stats: bool, conversations: bool) -> Callable[[str, Format], None]:
    """Return the function that prints the requested list."""
    if stats:
        return _print_stats
    return _print_conversations if conversations else _print_profiles


def _check_lists(**wanted: bool) -> None:
    """Raise UsageError if more than one of the options is given."""
    options = [f"--{name}" for name, is_wanted in wanted.items() if is_wanted]
    if len(options) > 1:
        raise UsageError(f"{' and '.join(options)} cannot be combined; choose one")


def _print_profiles(book: str, format: Format) -> None:
    with common.progress() as progress:
        profiles = common.open_library().characters.profiles(book, progress)
    if not profiles:
        common.say("no characters were found in this book")
    render.print_rows(
        list(map(profile_record, profiles)),
        format,
        PROFILE_COLUMNS,
    )


def _print_stats(book: str, format: Format) -> None:
    """Print quotations and words by speaker and chapter."""
    from scholar_indexes.serialize.conversations import speech_records

    number = "chapter" if format is Format.CSV else "chapter_printed"
    columns = ("speaker", number, "chapter_title", "quotations", "words")
    ids = ("speaker_id", "book", "chapter_printed") if format is Format.CSV else ()
    records = speech_records(_cast(book))
    render.print_rows(_rows(records, format), format, (*columns, *ids))


def _print_conversations(book: str, format: Format) -> None:
    """Print who speaks with whom: the edges of a graph."""
    from scholar_indexes.serialize import conversations

    ids = conversations.EXCHANGE_ID_COLUMNS if format is Format.CSV else ()
    records = conversations.exchange_records(_cast(book))
    if not records:
        common.say("no conversations were found in this book")
    columns = (*conversations.EXCHANGE_COLUMNS, *ids)
    render.print_rows(_rows(records, format), format, columns)


def _cast(book: str) -> BookCast:
    with common.progress() as progress:
        return common.open_library().characters.cast(book, progress)


def _rows(records: list[dict[str, Any]], format: Format) -> list[dict[str, Any]]:
    """Return records as flat rows for the formats that have columns."""
    from scholar_indexes.serialize.conversations import flat_record

    return records if format.writes(RECORDS) else list(map(flat_record, records))


def _print_sheet(
    book: str, format: Format, to: Format, out: Path | None, n: int, *, force: bool
) -> None:
    """Print the sheet of a book's main characters, or write it to a file."""
    if format is not Format.TABLE:
        raise UsageError(f"a sheet is {names(CHARACTER_SHEET)}; use --to instead of --format")
    if out is not None:
        common.check_output_files([out], force=force)
    from scholar_indexes.characters.quiz.bank_format import write_files
    from scholar_indexes.serialize import character_sheet

    library = common.open_library()
    with common.progress() as progress:
        cast = library.characters.cast(book, progress)
        cast, descriptions = library.characters.descriptions(cast, progress)
    sheet = character_sheet.make_sheet(cast, descriptions, n)
    content = to.writer(CHARACTER_SHEET)(sheet)
    if out is None:
        render.write(content)
        return
    write_files(out.parent, {out: content.encode("utf-8")})
    common.say(f"{len(sheet.profiles)} characters in {out}")
