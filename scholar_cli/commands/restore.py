"""scholar restore: a library from a backup, on this machine or another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import backup, common
from scholar_indexes.serialize.maintenance import backup_record
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by scholar backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the library on this machine.")
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Restore the library from a backup, on this machine or another."""
    library = common.open_library()
    with common.progress() as progress:
        summary = library.backups.restore(file, replace=replace, progress=progress)
    indexed = library.passages.editions()
    missing = sum(stored.edition not in indexed for stored in library.books.all())
    if missing:
        common.say(
            f"{missing} books have no passages for the model {library.settings.model} yet; "
            "run: scholar index rebuild"
        )
    records = [backup_record(summary)]
    render.print_rows(records, common.choose_format(format, json), backup.TABLE_COLUMNS)
