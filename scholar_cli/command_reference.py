"""The reference of all commands, from the commands themselves: entries, and a page of Markdown."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from scholar_cli.main import COMPLETION_OPTIONS, CommandGroup

EXIT_CODES = {
    0: "done",
    1: "failed",
    2: "a command that makes no sense",
    3: "try again later (network, another writer)",
    4: "no such book, model or place",
    5: "nothing matches",
    130: "interrupted (129 by a hang-up, 143 by SIGTERM)",
}

HEADING = f"""
Every command and option, as `--help` has them (written by `docs/commands.py`). Results go to
standard output, messages and progress to standard error. Exit codes:
{", ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())}.
"""

_KINDS = {
    "Int": "NUMBER",
    "IntRange": "NUMBER",
    "Float": "NUMBER",
    "FloatRange": "NUMBER",
    "Path": "PATH",
    "TyperPath": "PATH",
}


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command: its words, its help, how it is written (empty for a group), and the names of its
    parameters with what is said of them."""

    path: str
    help: str
    usage: str
    parameters: Sequence[tuple[str, str]]

    @property
    def depth(self) -> int:
        """The number of words after the name of the program."""
        return len(self.path.split()) - 1


def reference(title: str, group: type[CommandGroup] = CommandGroup) -> str:
    """Return the reference of all commands of a program, as Markdown."""
    return "\n".join((f"# {title}", HEADING, *map(_section, entries(group))))


def entries(group: type[CommandGroup] = CommandGroup) -> Iterator[CommandEntry]:
    """Yield every command of a program, each group before the commands in it."""
    for section in group.sections.values():
        for name, summary in section.items():
            module = importlib.import_module(f"{group.package}.{name}")
            command = typer.main.get_command(module.app)
            yield from _entries(f"{group.program} {name}", command, summary)


def _entries(path: str, command: Any, summary: str) -> Iterator[CommandEntry]:
    """Yield the entry of a command, and of the commands below it."""
    below = getattr(command, "commands", {})
    yield _entry(path, command, summary, is_group=bool(below))
    for name, subcommand in below.items():
        if not subcommand.hidden:
            yield from _entries(f"{path} {name}", subcommand, "")


def _entry(path: str, command: Any, summary: str, *, is_group: bool) -> CommandEntry:
    parameters = [] if is_group else [one for one in command.params if not _is_hidden(one)]
    help_text = inspect.cleandoc(command.help or "").replace("\f", "") or summary
    arguments = " ".join(_name(one) for one in parameters if _is_argument(one))
    usage = "" if is_group else f"{path} [OPTIONS] {arguments}".rstrip()
    return CommandEntry(path, help_text, usage, [(_name(one), _text(one)) for one in parameters])


def _section(entry: CommandEntry) -> str:
    lines = [f"{'#' * (entry.depth + 1)} `{entry.path}`", "", entry.help, ""]
    if entry.usage:
        lines += [f"    {entry.usage}", ""]
    if entry.parameters:
        lines += ["| | |", "|---|---|", *(_row(*one) for one in entry.parameters), ""]
    return "\n".join(lines)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _is_hidden(parameter: Any) -> bool:
    is_own = parameter.name in ("help", *COMPLETION_OPTIONS)
    return bool(getattr(parameter, "hidden", False)) or is_own


def _row(name: str, text: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{name}`", text)) + " |"


def _text(parameter: Any) -> str:
    """Return what is said of a parameter: its help, its variable and its default."""
    text = " ".join((parameter.help or "").split())
    if getattr(parameter, "envvar", None):
        text = f"{text} Or by {parameter.envvar}."
    return f"{text} {_default(parameter)}".strip()


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
