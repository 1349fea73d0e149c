"""The ports on which this machine serves."""

from __future__ import annotations

import socket

from scholar_indexes.errors import ScholarError


def check_port(host: str, port: int) -> None:
    """Raise ScholarError for an address that cannot be listened on."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except OSError as refusal:
        raise ScholarError(
            f"cannot listen on {host}:{port} ({refusal.strerror or refusal}); "
            f"choose another: --port {port % 65535 + 1}"
        ) from refusal
