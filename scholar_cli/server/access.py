"""Access control: programs of this machine that know the token may ask, no others."""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
ALLOWED_HOSTS = ("127.0.0.1", "localhost")
"""The names under which this machine may be asked; another is a page's that was bound to it (DNS
rebinding)."""

TOKEN_BYTES = 24

NO_TOKEN = (401, b'{"error": "give the token that scholar printed: Authorization: Bearer TOKEN"}')
OTHER_HOST = (400, b'{"error": "this machine is asked under another name; ask 127.0.0.1"}')


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class RequireToken:
    """An application of this machine behind a bearer token; paths of `public` need none."""

    def __init__(self, app: ASGIApp, token: str, public: tuple[str, ...] = ()) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with an error for one under another name or without the token."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        status, body = refusal
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, bytes] | None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if urlsplit(f"//{host}").hostname not in ALLOWED_HOSTS:
            return OTHER_HOST
        given = headers.get(b"authorization", b"")
        if scope["path"] in self._public or hmac.compare_digest(given, self._expected):
            return None
        return NO_TOKEN
