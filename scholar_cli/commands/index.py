"""scholar index: the passages and vectors behind a search."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def index() -> None:
    """Look at the index, rebuild it, tidy it."""


@app.command()
def status(
    model: common.ModelOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Say what the index holds and what it lacks."""
    state = common.library(model=model).index_state()
    fields = {
        "model": state.model,
        "table": state.table.name,
        "books": state.books,
        "sentences": state.table.rows,
        "megabytes": round(state.table.size_bytes / 1e6, 1),
        "not_in_the_index": [book.id for book in state.missing],
        "indexes": [
            f"{column} ({behind:,} sentences behind)" if behind else column
            for column, behind in state.table.unindexed.items()
            if behind is not None
        ],
        "tables_of_other_models": list(state.other_tables),
        "left_by_interrupted_commands": state.unfinished,
    }
    render.record(fields, common.chosen_format(format, json))
    if state.missing:
        common.say(f"{len(state.missing)} books are not in the index; run: scholar index rebuild")


@app.command()
def rebuild(
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Start from nothing.")] = False,
    only: Annotated[bool, typer.Option("--only", help="Drop the tables of other models.")] = False,
) -> None:
    """Encode the books that the index of the model in use lacks."""
    library = common.library(model=model, device=device)
    with common.progress() as progress:
        encoded = library.rebuild_index(progress, afresh=afresh, only=only)
    common.say(f"the index holds all {len(library.books())} books; {len(encoded)} were encoded")


@app.command()
def optimize() -> None:
    """Renew every index, merge small files and drop old versions."""
    state = common.library().optimize_index()
    common.say(f"{state.rows:,} sentences in {state.size_bytes / 1e6:,.1f} MB")
