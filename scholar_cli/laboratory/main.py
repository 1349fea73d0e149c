"""The `scholar-lab` command: the benchmarks, and the training of the models."""

from __future__ import annotations

from typing import ClassVar

import typer

from scholar_cli.main import CommandGroup, run_app

SECTIONS = {
    "Commands": {
        "bench": "Measure speed and quality.",
        "train": "Mine quotations; train the models that scholar uses, and export them.",
    }
}


class LaboratoryGroup(CommandGroup):
    """The commands of the laboratory."""

    program: ClassVar = "scholar-lab"
    package: ClassVar = "scholar_cli.laboratory.commands"
    sections: ClassVar = SECTIONS


app = typer.Typer(
    cls=LaboratoryGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def laboratory() -> None:
    """Measure what scholar does, and train its models."""


def run() -> None:
    """Run the command; the entry point of the package."""
    run_app(app, "scholar-lab")
