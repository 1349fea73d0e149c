"""The reference of all commands, as Markdown, from the commands themselves."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import typer

from scholar_cli.main import COMMANDS

HEADING = """# Commands

Every command and option, as `--help` has them (written by `docs/commands.py`). Results go to
standard output, messages and progress to standard error. Exit codes: 0 done, 1 failed, 2 a command
that makes no sense, 3 try again later (network, another writer), 4 no such book, model or place,
5 nothing matches, 130 interrupted.
"""

_KINDS = {
    "Int": "NUMBER",
    "IntRange": "NUMBER",
    "Float": "NUMBER",
    "FloatRange": "NUMBER",
    "Path": "PATH",
    "TyperPath": "PATH",
}


def reference() -> str:
    """Return the reference of all commands."""
    return "\n".join((HEADING, *_all_commands()))


def _all_commands() -> Iterator[str]:
    for name, summary in COMMANDS.items():
        module = importlib.import_module(f"scholar_cli.commands.{name}")
        command = typer.main.get_command(module.app)
        yield from _entries(f"scholar {name}", command, summary, "##")


def _entries(path: str, command: Any, summary: str, heading: str) -> Iterator[str]:
    """Yield the entry of a command, and of the commands below it."""
    below = getattr(command, "commands", {})
    yield _entry(path, command, summary, heading, is_group=bool(below))
    for name, subcommand in below.items():
        if not subcommand.hidden:
            yield from _entries(f"{path} {name}", subcommand, "", f"{heading}#")


def _entry(path: str, command: Any, summary: str, heading: str, *, is_group: bool) -> str:
    parameters = [] if is_group else [one for one in command.params if not _is_hidden(one)]
    help_text = inspect.cleandoc(command.help or "").replace("\f", "") or summary
    lines = [f"{heading} `{path}`", "", help_text, ""]
    if not is_group:
        arguments = " ".join(_name(one) for one in parameters if _is_argument(one))
        lines += [f"    {path} [OPTIONS] {arguments}".rstrip(), ""]
    if parameters:
        lines += ["| | |", "|---|---|", *map(_row, parameters), ""]
    return "\n".join(lines)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _is_hidden(parameter: Any) -> bool:
    is_own = parameter.name in ("help", "install_completion", "show_completion")
    return bool(getattr(parameter, "hidden", False)) or is_own


def _row(parameter: Any) -> str:
    text = " ".join((parameter.help or "").split())
    if getattr(parameter, "envvar", None):
        text = f"{text} Or by {parameter.envvar}."
    default = _default(parameter)
    cells = (f"`{_name(parameter)}`", f"{text} {default}".strip())
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _name(parameter: Any) -> str:
    if _is_argument(parameter):
        return str(parameter.metavar or parameter.name.upper())
    name = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return name if parameter.is_flag else f"{name} {_value(parameter)}"


def _value(parameter: Any) -> str:
    """Return what an option takes: its own word for it, or its choices."""
    if parameter.metavar:
        return str(parameter.metavar)
    choices = getattr(parameter.type, "choices", None)
    if choices:
        return "|".join(str(getattr(choice, "value", choice)) for choice in choices)
    return _KINDS.get(type(parameter.type).__name__.removesuffix("ParamType"), "TEXT")


def _default(parameter: Any) -> str:
    """Return the default of an option in words, empty for one that is off or is not said."""
    value = parameter.default
    if _is_argument(parameter) or parameter.is_flag or callable(value):
        return ""
    if value is None or value in ("", ()) or value == []:
        return ""
    return f"(default: {getattr(value, 'value', value)})"
