"""scholar backup: the whole library in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.backup.extras import Extra
from scholar_indexes.serialize import results

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
        typer.Argument(parser=common.output_file, metavar="FILE", help="Such as library.tar.gz."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Verify the backup FILE, and write nothing.")
    ] = False,
    index: Annotated[
        bool, typer.Option(help="With the indexes; without them they are built again later.")
    ] = True,
    extras: Annotated[
        list[Extra] | None,
        typer.Option("--with", help="Also what can be fetched again; may be repeated."),
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Write the whole library to one file, or verify such a file.

    A backup that is there is kept as FILE with a number in its name, the newest with the highest,
    and stderr lists what the new one lacks. Exit code 1: something in it is damaged.
    """
    from scholar_indexes.backup.carried import Scope
    from scholar_indexes.errors import Damaged, UsageError

    if check and (extras or not index):
        raise UsageError("--check reads a backup as it is; leave out --with and --no-index")
    backups = common.open_library().backups
    with common.progress() as progress:
        if check:
            summary = backups.check(file, progress)
        else:
            summary = backups.write(file, Scope(index, frozenset(extras or ())), progress)
    if check:
        common.say(f"{file} is whole: every file in it is what was written")
    records = [results.backup_record(summary)]
    render.print_rows(records, common.choose_format(format, json), TABLE_COLUMNS)
    if summary.damaged:
        raise Damaged(
            f"{file} has {len(summary.damaged)} books or files that are damaged, as they are; "
            "see: scholar doctor"
        )
