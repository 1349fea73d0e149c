"""scholar mcp: the journeys as tools of an assistant."""

from __future__ import annotations

from typing import Annotated

import typer

from scholar_cli.commands import common
from scholar_cli.commands.serve import TokenOption, WritesOption, announce_token

app = typer.Typer(rich_markup_mode=None)

PORT = 8765


@app.command()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Over HTTP on this machine rather than stdin and stdout.")
    ] = False,
    port: Annotated[int, typer.Option(min=1, max=65535, help="With --http: the port.")] = PORT,
    token: TokenOption = None,
    allow_writes: WritesOption = False,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    threads: common.ThreadsOption = 0,
) -> None:
    """Give an assistant the library as tools, by the Model Context Protocol.

    Name this command in the assistant's settings: "scholar" with the argument "mcp". It reads
    only, unless --allow-writes.
    """
    from scholar_cli.server import mcp_tools
    from scholar_cli.server.journeys import Journeys
    from scholar_indexes.net.ports import check_port

    library = common.open_library(model=model, device=device, threads=threads)
    server = mcp_tools.create_server(Journeys(library), allow_writes=allow_writes)
    if not http:
        server.run("stdio")
        return
    import uvicorn

    from scholar_cli.server import access

    check_port(access.HOST, port)
    guarded = access.RequireToken(
        server.streamable_http_app(host=access.HOST), token or announce_token()
    )
    common.say(f"http://{access.HOST}:{port}/mcp; stop with Ctrl-C")
    uvicorn.run(guarded, host=access.HOST, port=port, log_level="warning")
