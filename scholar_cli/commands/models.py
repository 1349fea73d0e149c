"""scholar models: the encoders and the small trained models on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def models() -> None:
    """List, pull, verify and remove encoders."""


@app.command("list")
def list_models(
    format: common.FormatOption = Format.TABLE, json: common.JsonOption = False
) -> None:
    """List the models on this machine and what each is used for."""
    from scholar_indexes.speakers.dialogue import DEFAULT_MODEL as SPEAKER_MODEL

    library = common.library()
    used = {library.settings.facet_model: "facets", SPEAKER_MODEL: "speakers",
            library.settings.papers_model: "papers", library.settings.model: "books"}  # fmt: skip
    records = [
        {
            "name": each.name, "origin": each.origin, "dimensions": each.dimensions,
            "megabytes": round(each.size_bytes / 1e6, 1),
            "in_use": used.get(each.name, ""),
            "weights_sha256": each.weights_sha256, "folder": str(each.folder),
        }
        for each in library.models()
    ]  # fmt: skip
    render.rows(
        records, common.chosen_format(format, json),
        ("name", "origin", "dimensions", "megabytes", "in_use"),
    )  # fmt: skip


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="A sentence-transformers model, as owner/name.")],
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit.")] = "main",
    offline: common.OfflineOption = None,
) -> None:
    """Download an encoder, pinned to one commit and verified."""
    with common.progress() as progress:
        model = common.library(offline=offline).pull_model(name, revision, progress)
    common.say(
        f"pulled {model.name}; to use it, set model in config.toml or SCHOLAR_MODEL, "
        "then run: scholar index rebuild"
    )


@app.command()
def verify(names: Annotated[list[str] | None, typer.Argument(help="Default: all.")] = None) -> None:
    """Compare every file of a model with its hash."""
    for model in common.library().verify_models(names or ()):
        common.say(f"{model.name}: all {len(model.files)} files are as they should be")


@app.command()
def remove(name: Annotated[str, typer.Argument(help="A model that was pulled.")]) -> None:
    """Delete a pulled model."""
    common.say(f"removed {common.library().remove_model(name).name}")
