"""Things that users may name in place of files: pipes, devices, sockets, terminals and folders."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

MakeNoFile = Callable[[Path], AbstractContextManager[None]]


@contextmanager
def unwritten_pipe(path: Path) -> Iterator[None]:
    """Make a pipe that nobody writes to."""
    os.mkfifo(path)
    yield


@contextmanager
def silent_pipe(path: Path) -> Iterator[None]:
    """Make a pipe whose writer never writes and never closes it."""
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    try:
        yield
    finally:
        os.close(writer)


def device(name: str) -> MakeNoFile:
    @contextmanager
    def link(path: Path) -> Iterator[None]:
        path.symlink_to(name)
        yield

    return link


@contextmanager
def terminal(path: Path) -> Iterator[None]:
    """Make a link to a terminal, as /dev/stdin is one at a prompt."""
    controller, follower = os.openpty()
    try:
        path.symlink_to(os.ttyname(follower))
        yield
    finally:
        os.close(controller)
        os.close(follower)


@contextmanager
def listening_socket(path: Path) -> Iterator[None]:
    """Make a socket, in the working folder since its path would be too long."""
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(path))
        yield


@contextmanager
def folder(path: Path) -> Iterator[None]:
    path.mkdir()
    yield


NO_FILES: dict[str, MakeNoFile] = {
    "a pipe that nobody writes to": unwritten_pipe,
    "a pipe whose writer is silent": silent_pipe,
    "/dev/zero": device("/dev/zero"),
    "/dev/urandom": device("/dev/urandom"),
    "a terminal": terminal,
    "a socket": listening_socket,
    "a folder": folder,
}
"""Makes each at a path, for the duration of a context."""
