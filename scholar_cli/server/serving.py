"""Run a server until a signal stops it, which takes at most two seconds."""

from __future__ import annotations

import os
import signal
import socket

import uvicorn
from starlette.types import ASGIApp

from scholar_cli import signals
from scholar_cli.server import access
from scholar_cli.server.bounds import Workers

MAX_CONNECTIONS = 256
"""The most open connections; requests on further ones are refused."""

END_WITHIN_S = 1
"""Seconds in which the answers to abandoned requests may be sent."""


class _Server(uvicorn.Server):
    """A server that abandons its requests when it is told to stop."""

    def __init__(self, config: uvicorn.Config, workers: Workers) -> None:
        super().__init__(config)
        self._workers = workers

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse the pending requests, and close their connections."""
        self._workers.stop()
        await super().shutdown(sockets)


def serve_http(app: ASGIApp, workers: Workers, port: int) -> None:
    """Serve an application, whose answers `workers` compute, on a port of this machine; raises
    KeyboardInterrupt after a signal has stopped it."""
    config = uvicorn.Config(
        app,
        host=access.HOST,
        port=port,
        log_level="warning",
        http="h11",  # limits the size of request headers
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=END_WITHIN_S,
    )
    _Server(config, workers).run()


def end_at_once_on_signals() -> None:
    """Let a signal end this process, even while one of its threads waits for standard input; a
    write to the library is either complete or absent."""
    for number in signals.HANDLED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: os._exit(signals.SIGNAL_EXIT_CODE + number))
