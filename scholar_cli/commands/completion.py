"""scholar completion: commands, options, books and speakers completed by the shell."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

# Typer has no public name for these; pyproject.toml bounds its version.
from typer._completion_shared import get_completion_script
from typer._completion_shared import install as install_script

from scholar_cli import render
from scholar_cli.commands import common

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

PROGRAM, VARIABLE = "scholar", "_SCHOLAR_COMPLETE"


class Shell(StrEnum):
    """The shells that completion is written for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


ShellArgument = Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")]


@app.callback()
def completion() -> None:
    """Let the shell complete commands, options, books and speakers."""


@app.command()
def show(shell: ShellArgument) -> None:
    """Print the script, to be kept where your shell looks for completions."""
    script = get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell)
    render.write(script + "\n")


@app.command()
def install(shell: ShellArgument) -> None:
    """Write the script to your home folder, and a line that reads it to your shell's settings."""
    _, path = install_script(shell, PROGRAM, VARIABLE)
    common.say(f"{path} is written; it works in the next {shell} that you open")
