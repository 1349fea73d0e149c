"""scholar serve: the library as a small HTTP API."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from scholar_cli.commands import common

app = typer.Typer(rich_markup_mode=None)

PORT = 8766

TokenOption = Annotated[
    str | None,
    typer.Option(
        envvar="SCHOLAR_TOKEN",
        help="The token that clients send; default: a new one, which is printed.",
    ),
]
WritesOption = Annotated[
    bool, typer.Option("--allow-writes", help="Allow adding passages to collections.")
]


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = PORT,
    token: TokenOption = None,
    allow_writes: WritesOption = False,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
) -> None:
    """Serve the library to programs on this machine over HTTP.

    The API has find, show, locate, check, cite, speakers, who and papers. Every request is a POST
    with a JSON object and the header Authorization: Bearer TOKEN. GET /openapi.json describes them.
    The settings requests_at_once, requests_waiting, request_time_s and request_bytes limit the
    load.
    """
    from scholar_cli.server import access, http_api, serving
    from scholar_cli.server.bounds import Bounds, Workers
    from scholar_cli.server.journeys import Journeys
    from scholar_indexes.net.ports import check_port

    check_port(access.HOST, port)
    token = token or announce_token()
    library = common.open_library(model=model, device=device, threads=threads)
    workers = Workers(Bounds.of(library.settings))
    with closing(Journeys(library, common.say)) as journeys:
        api = http_api.create_app(journeys, workers, token, allow_writes=allow_writes)
        common.say(f"http://{access.HOST}:{port}{http_api.DESCRIPTION}; stop with Ctrl-C")
        serving.serve_http(api, workers, port)


def announce_token() -> str:
    """Print a new token, and return it."""
    from scholar_cli.server import access

    token = access.new_token()
    common.say(f"token: {token}")
    return token
