"""scholar config: the folders that scholar uses, and its settings."""

from __future__ import annotations

from dataclasses import asdict

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def config() -> None:
    """Show the folders and settings in use."""


@app.command()
def path(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Show the folders that scholar uses."""
    from scholar_indexes.paths import user_paths

    paths = user_paths()
    fields = {"config": str(paths.config), "data": str(paths.data), "cache": str(paths.cache)}
    render.print_record(fields, common.choose_format(format, json))


@app.command()
def show(format: common.FormatOption = Format.TABLE, json: common.JsonOption = False) -> None:
    """Show every setting, its value and where it was set."""
    from scholar_indexes import settings
    from scholar_indexes.paths import user_paths

    effective, origins = settings.load(user_paths().config)
    records = [
        {
            "setting": name,
            "value": list(value) if isinstance(value, tuple) else value,
            "set_by": origins[name],
        }
        for name, value in asdict(effective).items()
    ]
    render.print_rows(records, common.choose_format(format, json), ("setting", "value", "set_by"))
