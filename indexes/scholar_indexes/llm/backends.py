"""The choice between a language model on this machine and one on a server."""

from __future__ import annotations

from scholar_indexes.llm.backend import Backend
from scholar_indexes.llm.loading import DEFAULT_MODEL, load
from scholar_indexes.llm.remote_model import RemoteModel


def choose_backend(
    model: str | None,
    server: str | None,
    *,
    api_key: str | None = None,
    device: str = "auto",
    eight_bit: bool = False,
) -> Backend:
    """Return a server's model if a server is given, else a model on this machine.

    Raises the errors of RemoteModel and load.
    """
    if server:
        return RemoteModel(server, model or "", api_key=api_key)
    return load(model or DEFAULT_MODEL, device, eight_bit=eight_bit)
