"""scholar config: where things are kept and what is set."""

from __future__ import annotations

from dataclasses import asdict

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def config() -> None:
    """Show where things are kept and what is set."""


@app.command()
def path(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Show the folders scholar uses."""
    from scholar_indexes.places import places

    here = places()
    fields = {"config": str(here.config), "data": str(here.data), "cache": str(here.cache)}
    render.record(fields, common.chosen_format(format, json))


@app.command()
def show(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Show every setting, its value and where it was set."""
    from scholar_indexes import settings
    from scholar_indexes.places import places

    chosen, origin = settings.load(places().config)
    records = [
        {
            "setting": name,
            "value": list(value) if isinstance(value, tuple) else value,
            "set_by": origin[name],
        }
        for name, value in asdict(chosen).items()
    ]
    render.rows(records, common.chosen_format(format, json), ("setting", "value", "set_by"))
