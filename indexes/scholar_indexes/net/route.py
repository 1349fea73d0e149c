"""The addresses that the requests of one download may go to, and the time they may take.

A server on the Internet must not redirect to what only this machine or its network can reach (a
router, a service on localhost): names are looked up here, the addresses are checked, and a
connection goes to a checked address, so that a name cannot resolve to another one a moment later. A
server within the network itself, such as the mirror of a university, may redirect anywhere.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address

from scholar_indexes.errors import ScholarError
from scholar_indexes.net.responses import plain

_NAT64 = "64:ff9b::"
"""The prefix of IPv6 addresses that represent an IPv4 address (RFC 6052)."""


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a host, in the order of the system; raises OSError."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in answers))


def dial(
    address: str, port: int, timeout_s: float, options: list[tuple[int, int, int | bytes]]
) -> socket.socket:
    """Return a connection to an address; raises OSError."""
    from urllib3.util.connection import create_connection

    return create_connection((address, port), timeout_s, socket_options=options)


@dataclass(frozen=True, slots=True)
class Connector:
    """The functions that turn names into addresses, and addresses into connections."""

    look_up: Callable[[str, int], list[str]] = look_up
    dial: Callable[[str, int, float, list[tuple[int, int, int | bytes]]], socket.socket] = dial


SYSTEM = Connector()


def is_public(address: str) -> bool:
    """Return True for an IP address of the Internet: not of this machine, its network or a
    multicast group. An address that contains an IPv4 address counts as the latter."""
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        inner = _inner_address(ip)
        if inner is not None:
            return _is_global(inner)
    return _is_global(ip)


def _is_global(ip: IPv4Address | IPv6Address) -> bool:
    return ip.is_global and not ip.is_multicast


def _inner_address(ip: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that traffic to an IPv6 address ends at, None without one."""
    if int(ip) >> 32 == int(IPv6Address(_NAT64)) >> 32:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


@dataclass(slots=True)
class Route:
    """The hosts of one download; after a public address, only public ones may follow."""

    network: Connector = SYSTEM
    is_public: bool = False

    def addresses(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host that may be connected to.

        Raises ScholarError for a host that may not follow, and OSError if it has no address.
        """
        addresses = self.network.look_up(host, port)
        public = [address for address in addresses if is_public(address)]
        if self.is_public and not public:
            raise self._refusal(host, addresses[0])
        allowed = public if self.is_public else addresses
        self.is_public |= bool(public)
        return allowed

    def check_proxied(self, host: str) -> None:
        """Check by name a host whose addresses a proxy looks up; raises ScholarError."""
        inner = host.lower().rstrip(".") == "localhost"
        with suppress(ValueError):  # a name
            inner = inner or not is_public(host)
        if inner and self.is_public:
            raise self._refusal(host, host)
        self.is_public |= not inner

    def _refusal(self, host: str, address: str) -> ScholarError:
        return ScholarError(
            f"{plain(host)} is an address within this network ({plain(address)}), and a public "
            "server redirects to it, which is not safe to follow; try another address"
        )


@dataclass(slots=True)
class Deadline:
    """The time by which a response must arrive; its reader extends it after progress."""

    timeout_s: float
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.extend()

    def extend(self) -> None:
        """Grant timeout_s from now."""
        self.at = time.monotonic() + self.timeout_s

    @property
    def left_s(self) -> float:
        """The seconds that are left, 0 or less after the deadline."""
        return self.at - time.monotonic()
