"""scholar models: the encoders and the small trained models on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import model_cards, render
from scholar_cli.commands import common
from scholar_indexes.serialize.maintenance import model_record
from scholar_indexes.serialize.result_formats import RECORDS, Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def models() -> None:
    """List, show, pull, verify and remove models."""


@app.command("list")
def list_models(
    format: common.FormatOption = Format.TABLE, json: common.JsonOption = False
) -> None:
    """List the models on this machine, with their uses and licences."""
    from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
    from scholar_indexes.coreference.resolver.model import DEFAULT_MODEL as PEOPLE_MODEL
    from scholar_indexes.papers.method_map import PACKAGED_MAP

    library = common.open_library()
    uses = {
        library.papers.models.facets_name: "facets",
        PACKAGED_MAP: "methods",
        SPEAKER_MODEL: "speakers",
        PEOPLE_MODEL: "people",
        library.search.rerankers.model_name(): "second stage",
        library.settings.papers_model: "papers",
        library.settings.model: "books",
    }
    records = [
        model_record(model, uses.get(model.name, "")) for model in library.models.installed()
    ]
    render.print_rows(
        records,
        common.choose_format(format, json),
        ("name", "origin", "dimensions", "megabytes", "in_use", "licence"),
    )


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A model, as named by scholar models list.")],
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Show the card of a model.

    It gives what the model does, its limits, its licence, and commercial use. JSON has the whole
    card.
    """
    from json import dumps

    card = common.open_library().models.card(name)
    chosen = common.choose_format(format, json)
    if not chosen.writes(RECORDS):
        words = model_cards.fields(card).items()
        card = {key: value if isinstance(value, str) else dumps(value) for key, value in words}
    render.print_record({"name": name, **card}, chosen)


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="A sentence-transformers model, as owner/name.")],
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit.")] = "main",
    offline: common.OfflineOption = None,
) -> None:
    """Download an encoder, pinned to one commit and verified."""
    with common.progress() as progress:
        model = common.open_library(offline=offline).models.pull(name, revision, progress)
    common.say(
        f"pulled {model.name}; to use it, set model in config.toml or SCHOLAR_MODEL, "
        "then run: scholar index rebuild"
    )


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Models to verify; default: all.")
    ] = None,
) -> None:
    """Compare every file of a model with its hash."""
    for model in common.open_library().models.verify(names or ()):
        common.say(f"{model.name}: all {len(model.files)} files match their hashes")


@app.command()
def remove(name: Annotated[str, typer.Argument(help="A pulled model.")]) -> None:
    """Delete a pulled model."""
    common.say(f"removed {common.open_library().models.remove(name).name}")
