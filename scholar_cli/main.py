"""The `scholar` command: lists the subcommands, and imports only the one that is run."""

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
        "add": "Add a book: a Gutenberg number or address, a file, or - for standard input.",
        "books": "List, describe and remove the books of your library.",
        "catalog": "Search the catalogue of Project Gutenberg, offline once it is fetched.",
        "show": "Show the passage at a locator where it stands.",
    },
    "Evidence": {
        "find": "Find the passages that bear out a claim.",
        "kwic": "List every place of a word or pattern with its context; collocates, frequencies.",
        "locate": "Say where a quotation is from, and what was changed in it.",
        "check": "Check the quotations of an essay against the books of your library.",
    },
    "Writing": {
        "cite": "Cite a place: MLA, Chicago, APA, BibTeX, CSL-JSON or RIS.",
        "collection": "Gather passages for an argument, with notes.",
        "export": "Write passages to where you write: Markdown, Obsidian, Word, Zotero.",
    },
    "Characters": {
        "speakers": "Say who speaks each quotation of books.",
        "characters": "List the characters of a book, and who speaks with whom.",
        "who": "Say which character of a book a description means.",
        "describe": "Tell who a character of a book is, with the passages that say so.",
        "quiz": "Be asked who is who in a novel, and remember what you missed.",
    },
    "Papers": {
        "papers": "Keep papers, and find those alike in background, method or result.",
    },
    "Screen and other programs": {
        "tui": "Browse, read, compare and be quizzed on a screen.",
        "mcp": "Give an assistant the library as tools (Model Context Protocol).",
        "serve": "Serve the same to programs of this machine over HTTP.",
    },
    "Upkeep": {
        "index": "Look at the index, rebuild it, tidy it.",
        "models": "List, pull, verify and remove encoders.",
        "backup": "Write the whole library to one file, or verify such a file.",
        "restore": "Put the library of a backup in place, on this machine or another.",
        "doctor": "Check that everything works, and say how to mend what does not.",
        "config": "Show where things are kept and what is set.",
    },
    "First steps": {
        "demo": "Add the bundled books and ask a first question.",
        "completion": "Let the shell complete commands, options, books and characters.",
    },
}
"""The commands by what they are for, with their help."""

COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()}

COMPLETION_OPTIONS = ("install_completion", "show_completion")

_ClickUsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""The usage error of the click inside typer, which has no public name in every version."""


MOVED = ("bench", "train")
"""Commands that became a program of their own."""


class CommandGroup(TyperGroup):
    """Subcommands by name, each imported when it is run, so that the others cost no time."""

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
        # Typer gives every app these options; only those of `scholar` itself work.
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
                f"{args[0]} is in the laboratory now; run: scholar-lab {args[0]}", ctx
            )
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command line; a usage error ends in one line on stderr and exit code 2."""
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
        """Run a command; every failure ends in one line on stderr and an exit code."""
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
        """Exit with what a command said of the state it leaves, else that it can be run again."""
        # A second Ctrl-C must not interrupt the cleanup at exit.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        state = state or "nothing is half-written, run the same command again to go on"
        with suppress(OSError):  # a terminal that was closed takes no message
            self._print_error(f"interrupted; {state}")
        raise SystemExit(signals.exit_code()) from None

    def _print_error(self, message: str) -> None:
        from scholar_indexes.sanitize import one_line

        print(f"{self.program}: {one_line(message)}", file=sys.stderr)  # noqa: T201


_WITH_OWN_HANDLING = frozenset(("tui",))
"""Commands whose event loops say themselves what a signal does, as does the screen of --tui."""


def _close_output() -> None:
    """Redirect standard output to the null device, so that the flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected_error_message(failure: Exception) -> str:
    """Return one line about an exception that is not a ScholarError."""
    from scholar_indexes.errors import is_disk_full

    if is_disk_full(failure):
        where = failure.filename or "what the output goes to"
        return f"no space is left for {where}; free some and run the same command again"
    return (
        f"{type(failure).__name__}: {failure}; this should not happen. "
        "To see where: set SCHOLAR_DEBUG=1 and run it again; to check: scholar doctor"
    )


app = typer.Typer(
    cls=CommandGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(*, as_json: bool) -> None:
    """Print the version; as JSON with all that a report of a fault should have."""
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
        bool, typer.Option("--json", help="With --version: also Python's, the system, the models.")
    ] = False,
) -> None:
    """Find the passages of a book that bear out a claim about it, offline."""
    if version:
        _print_version(as_json=as_json)
        raise typer.Exit
    if as_json:
        raise _ClickUsageError("--json comes after the command: scholar find CLAIM --json", context)
    if context.invoked_subcommand is None:
        raise _ClickUsageError("missing command", context)


def _open_closed_streams() -> None:
    """Connect the standard streams that the caller closed (`>&-`), which are None, to the null
    device: it takes their descriptors, so that no file of the library gets what is printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def run() -> None:
    """Run the command; the entry point of the package."""
    run_app(app, "scholar")


def run_app(app: typer.Typer, program: str) -> None:
    """Run a command line with the arguments of this process, and end as it ends."""
    _open_closed_streams()
    if not (set(sys.argv[1:2]) & _WITH_OWN_HANDLING or "--tui" in sys.argv):
        signals.stop_on_signals()
    try:
        app(prog_name=program)
    except SystemExit as ending:
        if ending.code == signals.exit_code():
            # LanceDB's threads may still be writing rows of a book that is not listed, and
            # would abort the interpreter when it ends in order.
            with suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(ending.code)
        raise
