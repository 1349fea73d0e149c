"""Connections of urllib3 that go to checked addresses and end at a deadline.

This module imports urllib3, so it is imported only when a request is made.
"""

from __future__ import annotations

import http.client
import io
import socket
from typing import Any
from urllib.parse import urlsplit

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    LocationValueError,
    NameResolutionError,
    NewConnectionError,
)
from urllib3.util import Timeout

from scholar_indexes.errors import ConfigError
from scholar_indexes.net.responses import plain
from scholar_indexes.net.route import Deadline, Route


def connections(
    address: str, deadline: Deadline, route: Route | None = None, *, proxied: bool = True
) -> PoolManager:
    """Return connections for one request, through the proxy that the environment sets, if any.

    Their responses must arrive before the deadline, headers included. With a route, the address is
    checked. Raises ConfigError if the proxy is not an HTTP proxy, and ScholarError for an address
    that the route forbids.
    """
    proxy = _proxy(address) if proxied else None
    if proxy is None:
        return _limited(PoolManager(), deadline, route)
    if route is not None:
        # The proxy looks the name up, so its addresses cannot be checked here.
        route.check_proxied(urlsplit(address).hostname or "")
    try:
        manager = ProxyManager(proxy if "://" in proxy else f"http://{proxy}")
    except LocationValueError as error:
        scheme = urlsplit(address).scheme
        raise ConfigError(
            f"the proxy {plain(proxy)} cannot be used; "
            f"set {scheme}_proxy to an http:// address or unset it"
        ) from error
    return _limited(manager, deadline, None)


def _proxy(address: str) -> str | None:
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(address)
    proxy = getproxies().get(parts.scheme)
    return None if not proxy or proxy_bypass(parts.netloc) else proxy


def _limited(manager: PoolManager, deadline: Deadline, route: Route | None) -> PoolManager:
    """Return a manager whose connections have a deadline and a route."""

    def open_socket(connection: HTTPConnection) -> socket.socket:
        return _open_socket(connection, route or Route())

    class Response(_TimedResponse):
        limit = deadline

    class Plain(HTTPConnection):
        response_class = Response
        _new_conn = open_socket

    class Encrypted(HTTPSConnection):
        response_class = Response
        _new_conn = open_socket

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class EncryptedPool(HTTPSConnectionPool):
        ConnectionCls = Encrypted

    manager.pool_classes_by_scheme = {"http": PlainPool, "https": EncryptedPool}
    return manager


def _open_socket(connection: HTTPConnection, route: Route) -> socket.socket:
    """Return a connection to the first address of a host that answers; raises as urllib3 does."""
    timeout_s = Timeout.resolve_default_timeout(connection.timeout) or 0.0
    options = list(connection.socket_options or ())
    try:
        addresses = route.addresses(connection.host, connection.port)
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that no host can have
        failure = socket.gaierror(str(error))
        raise NameResolutionError(connection.host, connection, failure) from error
    refusal: OSError = OSError("it has no address")
    for address in addresses:
        try:
            return route.network.dial(address, connection.port, timeout_s, options)
        except OSError as error:
            refusal = error
    if isinstance(refusal, TimeoutError):
        raise ConnectTimeoutError(connection, f"{connection.host} does not answer") from refusal
    raise NewConnectionError(connection, f"no connection: {refusal}") from refusal


class _TimedResponse(http.client.HTTPResponse):
    """A response whose bytes, including the headers, must arrive before a deadline."""

    limit: Deadline

    def __init__(self, sock: socket.socket, *options: Any, **further: Any) -> None:
        super().__init__(sock, *options, **further)
        self.limit.extend()  # the request has been sent
        self.fp = io.BufferedReader(_TimedReader(self.fp.detach(), sock, self.limit))


class _TimedReader(io.RawIOBase):
    """The bytes of a socket until a deadline.

    When it passes, TimeoutError is raised: closing the connection within the headers would be
    mistaken for their end.
    """

    def __init__(self, raw: Any, sock: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left_s = self._deadline.left_s
        if left_s <= 0:
            raise TimeoutError("the response takes too long")
        # The timeout of a socket is for a single read, not for the whole response.
        self._sock.settimeout(left_s)
        read: int | None = self._raw.readinto(buffer)
        return read

    def close(self) -> None:
        self._raw.close()
        super().close()
