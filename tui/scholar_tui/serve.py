"""The screen in a web browser, by way of textual-serve.

Whoever drives the screen can read files and write them, so nobody else's page may: requests
are answered only under the address that is served, and from pages that came from it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web
from textual_serve.server import Server

from scholar_indexes.net.ports import check_port

LOOPBACK = ("127.0.0.1", "localhost", "::1")

POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws:; frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, such as fonts; and no other page may hold this one."""

FOCUS = """
<script>
  const timer = setInterval(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys) { keys.focus(); clearInterval(timer); }
  }, 50);
</script>
</body>
"""
"""The terminal takes keys at once, not only after a click on it."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class OwnPages(Server):
    """textual-serve for one person: quiet, and closed to other sites."""

    async def _make_app(self) -> web.Application:
        app: web.Application = await super()._make_app()
        app.middlewares.append(self._guard)
        app.on_response_prepare.append(_with_policy)
        return app

    def initialize_logging(self) -> None:
        """Keep no record of requests."""

    async def on_startup(self, app: web.Application) -> None:
        """Say nothing: the command did."""

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse other hosts' names for this address (DNS rebinding) and other sites' pages."""
        origin = request.headers.get("Origin")
        named = urlsplit(f"//{request.host}").hostname
        own = named in LOOPBACK if self.host in LOOPBACK else True
        if not own or (origin is not None and urlsplit(origin).netloc != request.host):
            raise web.HTTPForbidden(text="only pages of this scholar itself may do this")
        answer = await handler(request)
        if isinstance(answer, web.Response) and answer.content_type == "text/html" and answer.text:
            answer.text = answer.text.replace("</body>", FOCUS, 1)
        return answer


async def _with_policy(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "no-referrer"


def address(host: str, port: int) -> str:
    """The address for a browser."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(command: str, host: str, port: int) -> None:
    """Serve the screen that a command shows to browsers, each its own, until interrupted.

    Raises ScholarError when the address cannot be had.
    """
    check_port(host, port)
    OwnPages(command, host=host, port=port, title="scholar", public_url=address(host, port)).serve()
