"""Access control: only programs on this machine that know the token get answers."""

from __future__ import annotations

import hmac
import json
import secrets

from starlette.types import ASGIApp, Receive, Scope, Send

from scholar_indexes.net.hosts import asked_name

HOST = "127.0.0.1"
ALLOWED_HOSTS = ("127.0.0.1", "localhost")
"""The host names that requests may use; another belongs to a web page bound to this machine (DNS
rebinding)."""

TOKEN_BYTES = 24

NO_TOKEN = (
    401,
    "missing or wrong token; send the one that scholar printed: Authorization: Bearer TOKEN",
)
OTHER_HOST = (400, "unknown host name; use 127.0.0.1")


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class RequireToken:
    """An application behind a bearer token, for this machine; paths in `public` need no token."""

    def __init__(self, app: ASGIApp, token: str, public: tuple[str, ...] = ()) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one with another host name, or without the token, with an error."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        await refuse(send, *refusal)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        try:
            name = asked_name(hosts)
        except ValueError as malformed:
            return 400, f"{malformed}; use {HOST}"
        if name not in ALLOWED_HOSTS:
            return OTHER_HOST
        given = dict(scope["headers"]).get(b"authorization", b"")
        if scope["path"] in self._public or hmac.compare_digest(given, self._expected):
            return None
        return NO_TOKEN


async def refuse(send: Send, status: int, error: str) -> None:
    """Answer a request with an error, and close its connection, as its body may be unread."""
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    if status == NO_TOKEN[0]:
        headers.append((b"www-authenticate", b"Bearer"))
    body = json.dumps({"error": error}).encode()
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
