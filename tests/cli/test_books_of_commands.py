"""The books of commands: one as BOOK, several with --book, and the other spelling of each."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from command_line import Scholar, error_line, invoke, invoke_lab, succeeded
from scholar_cli.commands.book_command import BookCommand
from scholar_cli.laboratory.main import LaboratoryGroup
from scholar_cli.main import CommandGroup

RUN = {"scholar": invoke, "scholar-lab": invoke_lab}

BEFORE = {
    "scholar describe": ["Anna"],
    "scholar quiz import": ["FILE"],
    "scholar who": ["the woman who keeps bees"],
}
"""The arguments of commands before BOOK."""

AFTER = {
    "scholar quiz export": ["--to", "json"],
    "scholar speakers": ["--method", "sieve"],
    "scholar-lab bench annotate": ["--out", "new"],
}
"""The options that commands need."""


def _has(command: Any, name: str) -> bool:
    """Return True if a command has a parameter of this name."""
    return name in [parameter.name for parameter in command.params]


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield a command and its subcommands with their paths."""
    yield path, command
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from _commands(f"{path} {name}", subcommand)


COMMANDS = {
    path: command
    for group in (CommandGroup, LaboratoryGroup)
    for section in group.sections.values()
    for name in section
    for path, command in _commands(
        f"{group.program} {name}",
        typer.main.get_command(importlib.import_module(f"{group.package}.{name}").app),
    )
}
ON_BOOKS = [path for path, command in COMMANDS.items() if isinstance(command, BookCommand)]
ON_ONE_BOOK = [path for path in ON_BOOKS if _has(COMMANDS[path], "book")]
ON_SEVERAL_BOOKS = sorted({*ON_BOOKS} - {*ON_ONE_BOOK})


@pytest.mark.parametrize("path", COMMANDS)
def test_help_shows_one_book_as_an_argument_and_several_as_an_option(path: str) -> None:
    for parameter in COMMANDS[path].params:
        if getattr(parameter, "hidden", False):
            continue
        if "--book" in parameter.opts:
            assert (parameter.multiple, parameter.opts) == (True, ["--book", "-b"])
        elif parameter.param_type_name == "argument" and "BOOK" in (parameter.metavar or ""):
            assert (parameter.nargs, parameter.name) == (1, "book")
            assert path in ON_ONE_BOOK


@pytest.mark.parametrize("path", ON_BOOKS)
def test_a_book_is_understood_as_an_argument_and_as_an_option(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("character,description\nAnn,one who sings\n", "utf-8")
    program, *words = path.split()
    before, after = BEFORE.get(path, []), AFTER.get(path, [])
    as_argument = RUN[program](*words, *before, "nowhere", *after)
    assert "nowhere" in error_line(as_argument, 4)
    for option in ("-b", "--book"):
        assert RUN[program](*words, option, "nowhere", *before, *after) == as_argument


@pytest.mark.parametrize("path", ON_ONE_BOOK)
def test_two_books_for_a_command_on_one_are_refused(home: Path, path: str) -> None:
    program, *words = path.split()
    line = [*words, *BEFORE.get(path, []), "quay", "-b", "lamp", *AFTER.get(path, [])]
    assert "quay and --book lamp are two books; name one" in error_line(RUN[program](*line), 2)


def test_the_arguments_of_a_command_on_several_books_are_not_in_its_help(
    scholar: Scholar,
) -> None:
    assert ON_SEVERAL_BOOKS == ["scholar quiz export", "scholar speakers"]
    for path in ON_SEVERAL_BOOKS:
        shown = succeeded(scholar(*path.split()[1:], "--help")).stdout
        assert shown.splitlines()[0].endswith("[OPTIONS]")
        assert "-b, --book BOOK" in shown


def test_books_of_both_spellings_are_taken_together(scholar: Scholar, two_books: Path) -> None:
    options = ("--method", "sieve", "--format", "csv")
    result = scholar("speakers", "lamplighter", "-b", "clockmaker", *options)
    printed = succeeded(result).stdout
    assert "own-the-lamplighter" in printed
    assert "own-the-clockmaker" in printed
