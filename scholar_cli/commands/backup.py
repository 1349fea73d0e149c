"""scholar backup: the whole library in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.backup.extras import Extra
from scholar_indexes.serialize.maintenance import backup_record
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)

TABLE_COLUMNS = (
    "path",
    "made",
    "books",
    "papers",
    "quotations",
    "notes",
    "answers",
    "corrections",
    "files",
)


@app.command()
def backup(
    file: Annotated[
        Path,
        typer.Argument(
            parser=common.output_file, metavar="FILE", help="The file, such as library.tar.gz."
        ),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Verify the backup FILE, and write nothing.")
    ] = False,
    index: Annotated[
        bool, typer.Option(help="Include the indexes; otherwise they are rebuilt later.")
    ] = True,
    extras: Annotated[
        list[Extra] | None,
        typer.Option("--with", help="Include what can be fetched again; may be repeated."),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Back up the whole library to one file, or verify a backup.

    An existing backup is kept as FILE with a number in its name, the newest with the highest, and
    stderr lists what is missing from the new one. Exit code 1: something in it is damaged.
    """
    from scholar_indexes.backup.carried import BackupScope
    from scholar_indexes.errors import Damaged, UsageError

    if check and (extras or not index):
        raise UsageError("--check verifies an existing backup; leave out --with and --no-index")
    backups = common.open_library().backups
    with common.progress() as progress:
        if check:
            summary = backups.check(file, progress)
        else:
            summary = backups.write(file, BackupScope(index, frozenset(extras or ())), progress)
    if check:
        common.say(f"{file} is intact: every file in it is as it was written")
    records = [backup_record(summary)]
    render.print_rows(records, common.choose_format(format, json), TABLE_COLUMNS)
    if summary.damaged:
        raise Damaged(
            f"{file} contains {len(summary.damaged)} damaged books or files, copied as they are; "
            "see: scholar doctor"
        )
