"""The `scholar` command: lists the subcommands, and imports only the one that runs."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, NoReturn

import typer
from typer.core import TyperGroup

from scholar_cli import signals

SECTIONS = {
    "Books": {
        "add": "Add a book: a Gutenberg number or URL, a file, or - for standard input.",
        "books": "List, describe and remove the books in your library.",
        "catalog": "Search the catalogue of Project Gutenberg; offline once downloaded.",
        "show": "Show the passage at a locator in its context.",
    },
    "Evidence": {
        "find": "Find the passages that support a claim.",
        "kwic": "List the occurrences of a word or pattern, its collocates or its frequencies.",
        "locate": "Find the source of a quotation, and show how it differs.",
        "check": "Check the quotations in an essay against the books in your library.",
    },
    "Writing": {
        "cite": "Cite a passage: MLA, Chicago, APA, BibTeX, CSL-JSON or RIS.",
        "collection": "Gather passages for an argument, with notes.",
        "export": "Export passages to Markdown, Obsidian, Word, Zotero and other formats.",
    },
    "Characters": {
        "speakers": "Identify the speaker of each quotation in a book.",
        "characters": "List the characters of a book, and who speaks with whom.",
        "who": "Find the character of a book that a description refers to.",
        "describe": "Describe a character of a book, with the supporting passages.",
        "quiz": "Take a quiz on the characters of a novel; missed questions come back.",
    },
    "Papers": {
        "papers": "Keep papers, and find papers with a similar background, method or result.",
    },
    "Interfaces": {
        "tui": "Browse, read, compare and take quizzes in the terminal or a browser.",
        "mcp": "Offer the library to an assistant as tools (Model Context Protocol).",
        "serve": "Serve the library to programs on this machine over HTTP.",
    },
    "Maintenance": {
        "index": "Inspect, rebuild and optimize the index.",
        "models": "List, show, pull, verify and remove models.",
        "backup": "Back up the whole library to one file, or verify a backup.",
        "restore": "Restore the library from a backup, on this machine or another.",
        "doctor": "Check that everything works, and show how to fix problems.",
        "config": "Show the folders and settings in use.",
    },
    "Getting started": {
        "demo": "Add the bundled books and run a first search.",
        "completion": "Set up shell completion of commands, options, books and characters.",
    },
}
"""The commands by purpose, with their summaries."""

COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()}

COMPLETION_OPTIONS = ("install_completion", "show_completion")

_ClickUsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""The usage error of the click inside typer, which some versions do not export."""


MOVED = ("bench", "train")
"""Commands that moved to a separate program."""


class CommandGroup(TyperGroup):
    """The subcommands by name, each imported only when it runs, for a fast start."""

    program: ClassVar = "scholar"
    package: ClassVar = "scholar_cli.commands"
    sections: ClassVar[Mapping[str, Mapping[str, str]]] = SECTIONS

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for section in self.sections.values() for name in section]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        # Typer gives every app these options; they work only on `scholar` itself.
        command.params = [one for one in command.params if one.name not in COMPLETION_OPTIONS]
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in MOVED and args[0] not in self.list_commands(ctx):
            raise _ClickUsageError(
                f"{args[0]} has moved to the laboratory; run: scholar-lab {args[0]}", ctx
            )
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command line; on a usage error, print one line on stderr and exit with 2."""
        try:
            code = super().main(*args, **{**extra, "standalone_mode": False})
        except _ClickUsageError as error:
            context = getattr(error, "ctx", None)
            if type(error).__name__ == "NoArgsIsHelpError" and context:
                print(context.get_help(), file=sys.stderr)  # noqa: T201
            else:
                message = str(getattr(error, "format_message", error.__str__)()).rstrip(".")
                path = context.command_path if context else self.program
                self._print_error(f"{message[:1].lower()}{message[1:]}; see: {path} --help")
            raise SystemExit(2) from None
        raise SystemExit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; on a failure, print one line on stderr and exit with its code."""
        from scholar_indexes.errors import ScholarError, is_interrupt

        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (typer.Exit, typer.Abort, _ClickUsageError):
            raise
        except ScholarError as failure:
            self._print_error(str(failure))
            raise SystemExit(failure.exit_code) from None
        except KeyboardInterrupt as interrupt:
            self._exit_interrupted(str(interrupt))
        except BrokenPipeError:
            _close_output()  # the reader of the pipe has closed it
            raise SystemExit(0) from None
        except Exception as failure:
            if is_interrupt(failure):
                self._exit_interrupted()
            if os.environ.get("SCHOLAR_DEBUG"):
                raise
            self._print_error(_unexpected_error_message(failure))
            try:
                sys.stdout.flush()
            except OSError:
                _close_output()
            raise SystemExit(1) from None

    def _exit_interrupted(self, state: str = "") -> NoReturn:
        """Report the state that a command left, or that it can be run again, and exit."""
        # A second Ctrl-C must not interrupt the cleanup at exit.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        state = state or "nothing is half-written, run the same command again to continue"
        with suppress(OSError):  # the terminal may be closed
            self._print_error(f"interrupted; {state}")
        raise SystemExit(signals.exit_code()) from None

    def _print_error(self, message: str) -> None:
        from scholar_indexes.sanitize import one_line

        print(f"{self.program}: {one_line(message)}", file=sys.stderr)  # noqa: T201


_WITH_OWN_HANDLING = frozenset(("tui",))
"""Commands whose event loops handle signals themselves, as does the screen of --tui."""


def _close_output() -> None:
    """Redirect standard output to the null device, so that the flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected_error_message(failure: Exception) -> str:
    """Return one line about an exception that is not a ScholarError."""
    from scholar_indexes.errors import is_disk_full

    if is_disk_full(failure):
        where = failure.filename or "the output"
        return f"no space is left for {where}; free some and run the same command again"
    return (
        f"{type(failure).__name__}: {failure}; this should not happen. "
        "For a traceback, set SCHOLAR_DEBUG=1 and run it again; to check: scholar doctor"
    )


app = typer.Typer(
    cls=CommandGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(*, as_json: bool) -> None:
    """Print the version; as JSON, with everything that a bug report should include."""
    from importlib.metadata import version

    number = version("scholar-cli")
    if not as_json:
        typer.echo(f"scholar {number}")
        return
    import json
    import platform

    from scholar_indexes.models import registry
    from scholar_indexes.paths import user_paths

    record = {
        "schema_version": 1,
        "version": number,
        "python": platform.python_version(),
        "system": platform.platform(),
        "models": {model.name: model.space for model in registry.installed(user_paths().models)},
    }
    typer.echo(json.dumps(record, indent=2))


@app.callback(invoke_without_command=True)
def scholar(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="With --version: as JSON, with Python, system and models."),
    ] = False,
) -> None:
    """Find the passages of a book that support a claim about it, offline."""
    if version:
        _print_version(as_json=as_json)
        raise typer.Exit
    if as_json:
        raise _ClickUsageError("--json comes after the command: scholar find CLAIM --json", context)
    if context.invoked_subcommand is None:
        raise _ClickUsageError("missing command", context)


def _open_closed_streams() -> None:
    """Connect the standard streams that the caller closed (`>&-`), which are None, to the null
    device. It takes their descriptors, so that output never goes to a file of the library."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def run() -> None:
    """Run the command; the entry point of the package."""
    run_app(app, "scholar")


def run_app(app: typer.Typer, program: str) -> None:
    """Run a command line with the arguments of this process, and exit as it does."""
    _open_closed_streams()
    if not (set(sys.argv[1:2]) & _WITH_OWN_HANDLING or "--tui" in sys.argv):
        signals.stop_on_signals()
    try:
        app(prog_name=program)
    except SystemExit as ending:
        if ending.code == signals.exit_code():
            # LanceDB's threads may still be writing rows of a book that is not listed, and
            # would abort the interpreter during a normal exit.
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(ending.code)
        raise
