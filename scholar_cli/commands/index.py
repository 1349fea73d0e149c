"""scholar index: the passages and vectors behind a search."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.serialize import results

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
    state = common.open_library(model=model).index.state()
    render.print_record(results.index_record(state), common.choose_format(format, json))
    if state.missing:
        common.say(f"{len(state.missing)} books are not in the index; run: scholar index rebuild")


@app.command()
def rebuild(
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Encode every book, beside the index in use.")
    ] = False,
    only: Annotated[bool, typer.Option("--only", help="Drop the tables of other models.")] = False,
    ray: common.RayOption = None,
) -> None:
    """Encode the books that the index of the model in use lacks."""
    library = common.open_library(model=model, device=device)
    rebuilder = library.cluster(ray) if ray is not None else library.index
    with common.progress() as progress:
        rebuilt = rebuilder.rebuild(progress, afresh=afresh, only=only)
    count, encoded = len(library.books()), len(rebuilt.encoded)
    if rebuilt.left_out:
        held = f"{count - len(rebuilt.left_out)} of {count}"
        common.say(f"the index holds {held} books; {encoded} were encoded")
        raise typer.Exit(1)
    common.say(f"the index holds all {count} books; {encoded} were encoded")


@app.command()
def people(books: common.BooksOption = None, ray: common.RayOption = None) -> None:
    """Find who is in each sentence of books, so that find matches people; may take minutes."""
    library = common.open_library()
    reader = library.cluster(ray) if ray is not None else library.index
    with common.progress() as progress:
        read = reader.read_people(books or (), progress)
    common.say(f"who is in each sentence was found in {len(read)} books and is known in the others")


@app.command()
def optimize() -> None:
    """Renew every index, merge small files and drop old versions."""
    state = common.open_library().index.optimize()
    common.say(f"{state.rows:,} sentences in {state.size_bytes / 1e6:,.1f} MB")
