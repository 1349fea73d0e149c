"""scholar tui: the interactive interface, in the terminal or in a browser."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_cli.commands.completions import complete_books

app = typer.Typer(rich_markup_mode=None)

PORT = 8000


@app.command(cls=BookCommand)
def tui(
    book: Annotated[
        str | None,
        typer.Argument(
            metavar="[BOOK]",
            help="A book or a locator to open.",
            autocompletion=complete_books,
        ),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the screens in a web browser.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="With --serve: the address to listen on; others may then connect.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="With --serve: a host name that browsers may use; may be repeated.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="With --serve: the port.")] = PORT,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    offline: common.OfflineOption = None,
) -> None:
    """Browse, read, compare and take quizzes in the terminal or a browser."""
    from scholar_tui import terminal_session

    library = common.open_library(model=model, device=device, offline=offline)
    if book is not None:
        library.books.get(book)  # raise NotThere before the screen opens
    if serve:
        _serve(book, host, port, allow_host or (), model=model, device=device, offline=offline)
        return
    start = ("reader", book) if book is not None else ("library", None)
    code = terminal_session.in_terminal(library.places, library.settings, *start)
    raise typer.Exit(code)


def _serve(
    book: str | None, host: str, port: int, allowed_hosts: Sequence[str], **flags: object
) -> None:
    from scholar_tui import serve

    words = [sys.executable, "-m", "scholar_cli", "tui", *([book] if book else [])]
    for name, value in flags.items():
        if value not in (None, False):
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    common.say("the screen is served to a browser; stop with Ctrl-C")
    if host not in serve.LOOPBACK:
        common.say(
            "from elsewhere, use a name or address of this machine instead; the connection is not "
            "encrypted"
        )
    serve.serve(shlex.join(words), host, port, allowed_hosts, common.say)
