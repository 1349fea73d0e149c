"""scholar index: the passages and vectors behind a search."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.serialize.maintenance import index_record
from scholar_indexes.serialize.result_formats import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def index() -> None:
    """Inspect, rebuild and optimize the index."""


@app.command()
def status(
    model: common.ModelOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show what the index contains, and what is missing."""
    state = common.open_library(model=model).index.state()
    render.print_record(index_record(state), common.choose_format(format, json))
    if state.missing:
        common.say(f"{len(state.missing)} books are not in the index; run: scholar index rebuild")


@app.command()
def rebuild(
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    afresh: Annotated[
        bool,
        typer.Option(
            "--afresh",
            help="Encode every book into a new index, which then replaces the one in use.",
        ),
    ] = False,
    only: Annotated[bool, typer.Option("--only", help="Drop the tables of other models.")] = False,
    ray: common.RayOption = None,
) -> None:
    """Encode the books missing from the index of the model in use."""
    library = common.open_library(model=model, device=device)
    rebuilder = library.cluster(ray) if ray is not None else library.index
    with common.progress() as progress:
        rebuilt = rebuilder.rebuild(progress, afresh=afresh, only=only)
    count, encoded = len(library.books.all()), len(rebuilt.encoded)
    if rebuilt.left_out:
        held = f"{count - len(rebuilt.left_out)} of {count}"
        common.say(f"the index contains {held} books; {encoded} were encoded")
        raise typer.Exit(1)
    common.say(f"the index contains all {count} books; {encoded} were encoded")


@app.command()
def people(books: common.BooksOption = None, ray: common.RayOption = None) -> None:
    """Find the people in each sentence; may take minutes.

    `scholar find` then matches people rather than names as words.
    """
    library = common.open_library()
    reader = library.cluster(ray) if ray is not None else library.index
    with common.progress() as progress:
        read = reader.read_people(books or (), progress)
    common.say(f"people were found in {len(read)} books and were already known in the others")


@app.command()
def optimize() -> None:
    """Update every index, merge small files and drop old versions."""
    state = common.open_library().index.optimize()
    common.say(f"{state.rows:,} sentences in {state.size_bytes / 1e6:,.1f} MB")
