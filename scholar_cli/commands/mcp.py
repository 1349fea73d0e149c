"""scholar mcp: the library as tools for an assistant."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from scholar_cli.commands import common
from scholar_cli.commands.serve import TokenOption, WritesOption, announce_token

app = typer.Typer(rich_markup_mode=None)

PORT = 8765


@app.command()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Use HTTP on this machine instead of stdin and stdout.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="With --http: the port.")] = PORT,
    token: TokenOption = None,
    allow_writes: WritesOption = False,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
) -> None:
    """Offer the library to an assistant as tools (Model Context Protocol).

    Enter this command in the assistant's settings: "scholar" with the argument "mcp". The tools
    are read-only unless --allow-writes is given.
    """
    from scholar_cli.server import access, mcp_tools, serving
    from scholar_cli.server.bounds import BoundedRequests, Bounds, Workers
    from scholar_cli.server.journeys import Journeys
    from scholar_indexes.net.ports import check_port

    library = common.open_library(model=model, device=device, threads=threads)
    workers = Workers(Bounds.of(library.settings))
    with closing(Journeys(library, common.say)) as journeys:
        server = mcp_tools.create_server(journeys, workers, allow_writes=allow_writes)
        if not http:
            serving.end_at_once_on_signals()
            server.run("stdio")
            return
        check_port(access.HOST, port)
        api = server.streamable_http_app(
            host=access.HOST, max_request_body_size=workers.bounds.max_bytes
        )
        guarded = access.RequireToken(BoundedRequests(api, workers), token or announce_token())
        common.say(f"http://{access.HOST}:{port}/mcp; stop with Ctrl-C")
        serving.serve_http(guarded, workers, port)
