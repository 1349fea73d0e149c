"""The `scholar` command: names every journey and loads only the one that was asked for."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "add": "Add a book: a Gutenberg number or address, a file, or - for standard input.",
    "find": "Find the passages that bear out a claim.",
    "show": "Show the passage at a locator where it stands.",
    "speakers": "Say who speaks each quotation of a book.",
    "characters": "List the characters of a book.",
    "who": "Say which character of a book a description means.",
    "describe": "Tell who a character of a book is, with the passages that say so.",
    "quiz": "Be asked who is who in a novel, and remember what you missed.",
    "papers": "Keep papers, and find those alike in background, method or result.",
    "tui": "Browse, read, compare and be quizzed on a screen.",
    "books": "List, describe and remove the books of your library.",
    "catalog": "Search the catalogue of Project Gutenberg, offline once it is fetched.",
    "models": "List, pull, verify and remove encoders.",
    "index": "Look at the index, rebuild it, tidy it.",
    "config": "Show where things are kept and what is set.",
    "doctor": "Check that everything works, and say how to mend what does not.",
    "demo": "Add the bundled books and ask a first question.",
    "bench": "Measure speed and quality.",
    "train": "Mine quotations; train the retriever, the speaker model and the facet model.",
}


_WrongLine: type[Exception] = typer.BadParameter.__bases__[0]
"""The usage error of the click inside typer, which has no public name in every version."""


class Journeys(TyperGroup):
    """Commands by name, imported when they are run, so that the prompt answers at once."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"scholar_cli.commands.{cmd_name}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command line; one that makes no sense ends in one line too."""
        try:
            code = super().main(*args, **{**extra, "standalone_mode": False})
        except _WrongLine as wrong:
            context = getattr(wrong, "ctx", None)
            if type(wrong).__name__ == "NoArgsIsHelpError" and context:
                print(context.get_help(), file=sys.stderr)  # noqa: T201
            else:
                said = str(getattr(wrong, "format_message", wrong.__str__)()).rstrip(".")
                path = context.command_path if context else "scholar"
                _complain(f"{said[:1].lower()}{said[1:]}; see: {path} --help")
            raise SystemExit(2) from None
        raise SystemExit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; every failure ends in one line on stderr and an exit code."""
        from scholar_indexes.errors import ScholarError

        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except (typer.Exit, typer.Abort, _WrongLine):
            raise
        except ScholarError as failure:
            _complain(str(failure))
            raise SystemExit(failure.exit_code) from None
        except KeyboardInterrupt:
            # A second Ctrl-C must not break into the clearing up at exit.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _complain("interrupted; nothing is half-written, run the same command again to go on")
            raise SystemExit(130) from None
        except BrokenPipeError:
            _close_output()  # what reads this pipe has seen enough
            raise SystemExit(0) from None
        except Exception as failure:
            if os.environ.get("SCHOLAR_DEBUG"):
                raise
            _complain(_unforeseen(failure))
            try:
                sys.stdout.flush()
            except OSError:
                _close_output()
            raise SystemExit(1) from None


def _close_output() -> None:
    """Let the rest of the output go nowhere: the flush at exit must not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unforeseen(failure: Exception) -> str:
    if isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT):
        where = failure.filename or "what the output goes to"
        return f"no space is left for {where}; free some and run the same command again"
    return (
        f"{type(failure).__name__}: {failure}; this should not happen. "
        "To see where: set SCHOLAR_DEBUG=1 and run it again; to check: scholar doctor"
    )


def _complain(message: str) -> None:
    from scholar_indexes.untrusted import one_line

    print(f"scholar: {one_line(message)}", file=sys.stderr)  # noqa: T201


app = typer.Typer(
    cls=Journeys,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"scholar {version('scholar-cli')}")
        raise typer.Exit


@app.callback()
def scholar(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find the passages of a book that bear out a claim about it, offline."""


def run() -> None:
    """The entry point of the command."""
    try:
        app(prog_name="scholar")
    except SystemExit as ended:
        if ended.code == 130:
            # LanceDB's threads may still be writing what will never be listed, and would
            # abort an orderly end of the interpreter.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(130)
        raise
