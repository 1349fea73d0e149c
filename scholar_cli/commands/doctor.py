"""scholar doctor: check that everything works, and show how to fix problems."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def doctor(
    repair: Annotated[
        bool,
        typer.Option("--repair", help="First repair what can be rebuilt from the stored texts."),
    ] = False,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Check that everything works, and show how to fix problems."""
    from scholar_indexes.health import examine
    from scholar_indexes.repairing import repair_library

    library = common.open_library()
    if repair:
        with common.progress() as progress:
            for line in repair_library(library, progress):
                common.say(line)
    checks = list(examine(library))
    records = [
        {
            "check": check.name,
            "result": "ok" if check.passed else "NOT OK",
            "detail": check.detail,
        }
        for check in checks
    ]
    render.print_rows(records, common.choose_format(format, json), ("check", "result", "detail"))
    if not all(check.passed for check in checks):
        raise typer.Exit(1)
