"""The screen in a web browser, through textual-serve.

The user of the screen can read and write files, so it is open to one person only: the printed
address contains a token that is good for one visit and is exchanged for a cookie, without which no
request is answered. The cookie belongs to a path that nobody can guess, since a browser sends
cookies to all ports of a machine, and so to the servers of other people. Requests are answered only
under known host names, and from pages of the same address. A program ends with the socket that
drives it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import os
import secrets
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import aiohttp_jinja2
from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from scholar_indexes.guarded import parse_json
from scholar_indexes.net.hosts import asked_name
from scholar_indexes.net.ports import check_port

LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY_ADDRESS = ("0.0.0.0", "::", "")
"""The values of `--host` for every address of this machine; they are not host names."""

MAX_COLUMNS, MAX_LINES = 640, 320
"""The largest screen: a browser over five thousand pixels wide, in small print."""

MAX_MESSAGE_BYTES = 1 << 20
MAX_PROGRAMS = 16
"""The maximum number of open screens."""

QUIT_WITHIN_S = 2.0
"""Seconds for a program to end by itself after its socket was closed."""

END_WITHIN_S = 1.0
"""Seconds for a program to end by itself when the server ends."""

CLOSE_WITHIN_S = 0.5
"""Seconds for a browser to confirm that its socket is closed."""

POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws:; frame-ancestors 'none'"
)
"""The page loads nothing from other sites, not even fonts, and no other page may embed it."""

FOCUS = """
<script>
  const timer = setInterval(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys) { keys.focus(); clearInterval(timer); }
  }, 50);
</script>
</body>
"""
"""Makes the terminal accept keys at once, not only after a click on it."""

DOWNLOADS = "/download/"
"""The path from which the page of textual-serve downloads files of the screen."""

OTHER_PAGE = "only pages of this scholar may do this"
OTHER_NAME = "this host name is unknown to scholar; allow it: --allow-host"
NO_COOKIE = "open the address that scholar printed last in its terminal; each is good for one visit"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Program(AppService):
    """The program that draws a screen for one socket, in its own process group."""

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self._process = await asyncio.create_subprocess_exec(
            *shlex.split(self.command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._build_environment(width, height),
            start_new_session=True,
        )
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Pass on the output of the program until it ends, then close the socket."""
        await super().run()
        await self.remote_close()

    async def stop(self, within_s: float = QUIT_WITHIN_S) -> None:
        """Ask the program to quit. Kill it and its children after `within_s` seconds, or when the
        server itself is stopped."""
        process, reader = self._process, self._task
        self._task = None
        if process is None or reader is None:
            return
        try:
            await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
            quitting = asyncio.ensure_future(self._quit(process, reader))
            await asyncio.wait({quitting}, timeout=within_s)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        quitting.cancel()
        reader.cancel()

    async def _quit(self, process: Process, reader: asyncio.Task[None]) -> None:
        """Ask the program to quit, and read its remaining output, since a full pipe blocks it."""
        await self.send_meta({"type": "quit"})
        await asyncio.wait({reader})
        while process.stdout is not None and await process.stdout.read(1 << 16):
            pass
        await process.wait()


class OwnPages(Server):
    """textual-serve for one person: quiet, and closed to everyone else."""

    def __init__(
        self,
        command: str,
        host: str,
        port: int,
        allowed_hosts: Sequence[str],
        announce: Callable[[str], None],
    ) -> None:
        super().__init__(command, host=host, port=port, title="scholar", public_url="")
        named = () if host in ANY_ADDRESS else (host,)
        self._hosts = {name.lower() for name in (*LOOPBACK, *named, *allowed_hosts)}
        self._announce = announce
        self._cookie, self._download_cookie = f"scholar-{port}", f"scholar-{port}-downloads"
        self._secrets = {
            name: secrets.token_urlsafe(24) for name in (self._cookie, self._download_cookie)
        }
        self._place = f"/{secrets.token_urlsafe(24)}"
        self._token = ""
        self._sockets: set[web.WebSocketResponse] = set()
        self._is_ending = False

    def announce_address(self) -> None:
        """Announce where to open the screen, with a new token that is good for one visit."""
        self._token = secrets.token_urlsafe(24)
        shown = self.host if self.host not in ANY_ADDRESS else LOOPBACK[0]
        self._announce(f"open {address(shown, self.port)}/?token={self._token}")

    async def _make_app(self) -> web.Application:
        pages: web.Application = await super()._make_app()
        app = web.Application(middlewares=[self._guard])
        app.add_subapp(self._place, pages)
        app.router.add_get(f"{DOWNLOADS}{{key}}", self.handle_download)
        app.on_response_prepare.append(_with_policy)
        return app

    def serve(self, debug: bool = False) -> None:
        """Serve until interrupted."""
        web.run_app(
            self._make_app(),
            host=self.host or None,
            port=self.port,
            access_log=None,
            print=lambda _: self.announce_address(),  # called when the port is open
            shutdown_timeout=QUIT_WITHIN_S,
        )

    async def on_startup(self, app: web.Application) -> None:
        """Announce nothing: the address is announced when it can be opened."""

    async def on_shutdown(self, app: web.Application) -> None:
        """Close every socket, which ends its program."""
        self._is_ending = True
        going = (socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(self._sockets))
        await asyncio.gather(*going, return_exceptions=True)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse unknown host names (DNS rebinding), pages of other sites, and requests with
        neither the token nor the cookie."""
        try:
            name = asked_name(request.headers.getall("Host", ()))
        except ValueError as malformed:
            raise web.HTTPBadRequest(text=f"{malformed}; open the address of scholar") from None
        if not self._is_known(name, request):
            raise web.HTTPForbidden(text=OTHER_NAME)
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text=OTHER_PAGE)
        token = request.query.get("token")
        if token is not None and request.path == "/":
            return self._admit(request, token)
        name = self._download_cookie if request.path.startswith(DOWNLOADS) else self._cookie
        if not _same(request.cookies.get(name, ""), self._secrets[name]):
            raise web.HTTPForbidden(text=NO_COOKIE)
        answer = await handler(request)
        if isinstance(answer, web.Response) and answer.content_type == "text/html" and answer.text:
            answer.text = answer.text.replace("</body>", FOCUS, 1)
        return answer

    def _is_known(self, name: str, request: web.Request) -> bool:
        """Return True for an allowed name of this machine, and for the address of the connection
        itself, since only a name can be made to point here."""
        if name in self._hosts:
            return True
        local = request.transport.get_extra_info("sockname") if request.transport else None
        try:
            return local is not None and ipaddress.ip_address(name) == ipaddress.ip_address(
                local[0].partition("%")[0]
            )
        except ValueError:
            return False

    def _admit(self, request: web.Request, token: str) -> web.StreamResponse:
        """Exchange the token for the cookies, and remove it from the address."""
        if not (self._token and _same(token, self._token)):
            raise web.HTTPForbidden(text=NO_COOKIE)
        rest = urlencode(
            [(name, value) for name, value in request.query.items() if name != "token"]
        )
        place = f"{self._place}/"
        answer = web.Response(
            status=303, headers={"Location": f"{place}?{rest}" if rest else place}
        )
        # A browser sends cookies to every port of a machine, but only under their paths.
        for path, name in ((place, self._cookie), (DOWNLOADS, self._download_cookie)):
            answer.set_cookie(
                name, self._secrets[name], path=path, httponly=True, samesite="Strict"
            )
        self.announce_address()
        return answer

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, Any]:
        """Return the values for the page, with addresses under the requested host name."""
        own = f"{request.scheme}://{request.host}{self._place}"
        socket = own.replace("http", "ws", 1) + "/ws"
        return {
            "font_size": _clamped(to_int(request.query.get("fontsize", "16"), 16), 16, 64),
            "app_websocket_url": socket,
            "config": {"static": {"url": f"{own}/static/"}},
            "application": {"name": self.title},
        }

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run a program for a socket; it ends with the socket."""
        if len(self._sockets) >= MAX_PROGRAMS:
            raise web.HTTPServiceUnavailable(text=f"{MAX_PROGRAMS} screens are open; close one")
        socket = web.WebSocketResponse(
            heartbeat=15, timeout=CLOSE_WITHIN_S, max_msg_size=MAX_MESSAGE_BYTES
        )

        async def close() -> None:
            await socket.close()

        program = Program(
            self.command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        self._sockets.add(socket)
        try:
            await socket.prepare(request)
            await program.start(
                _clamped(to_int(request.query.get("width", "80"), 80), 80, MAX_COLUMNS),
                _clamped(to_int(request.query.get("height", "24"), 24), 24, MAX_LINES),
            )
            await self._process_messages(socket, program)
        finally:
            self._sockets.discard(socket)
            within_s = END_WITHIN_S if self._is_ending else QUIT_WITHIN_S
            await asyncio.shield(asyncio.ensure_future(program.stop(within_s)))
        return socket

    async def _process_messages(
        self, websocket: web.WebSocketResponse, app_service: AppService
    ) -> None:
        """Pass on the messages of a page until it closes; an invalid message closes it."""
        async for message in websocket:
            if message.type != WSMsgType.TEXT:
                continue
            try:
                name, data = (*parse_json(message.data, MAX_MESSAGE_BYTES), None)[:2]
                await _pass_on(name, data, websocket, app_service)
            except (ValueError, TypeError, KeyError, AttributeError):
                await websocket.close(code=WSCloseCode.UNSUPPORTED_DATA)


async def _pass_on(
    name: object, data: Any, socket: web.WebSocketResponse, program: AppService
) -> None:
    """Act on one message of a page."""
    if name == "stdin":
        await program.send_bytes(data.encode("utf-8"))
    elif name == "resize":
        await program.set_terminal_size(
            _clamped(data["width"], 80, MAX_COLUMNS), _clamped(data["height"], 24, MAX_LINES)
        )
    elif name == "ping":
        await socket.send_json(["pong", data])
    elif name == "blur":
        await program.blur()
    elif name == "focus":
        await program.focus()


def _clamped(number: object, default: int, most: int) -> int:
    """Return a number clamped to 1..`most`; the default if it is not an integer."""
    return min(max(number, 1), most) if type(number) is int else default


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


async def _with_policy(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"


def address(host: str, port: int) -> str:
    """Return the address of the server for a browser."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    command: str,
    host: str,
    port: int,
    allowed_hosts: Sequence[str] = (),
    announce: Callable[[str], None] = lambda line: None,
) -> None:
    """Serve the screen of a command to browsers, one screen each, until interrupted.

    The addresses to open are announced. Raises ScholarError if the address is not available.
    """
    check_port(host, port)
    OwnPages(command, host, port, allowed_hosts, announce).serve()
