"""scholar doctor: whether everything works, and how to mend what does not."""

from __future__ import annotations

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None)


@app.command()
def doctor(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Check that everything works, and say how to mend what does not."""
    from scholar_indexes.health import examine

    findings = [
        {"check": each.check, "result": "ok" if each.well else "NOT OK", "detail": each.detail}
        for each in examine(common.library())
    ]
    render.rows(findings, common.chosen_format(format, json), ("check", "result", "detail"))
    if any(each["result"] != "ok" for each in findings):
        raise typer.Exit(1)
