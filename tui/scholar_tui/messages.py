"""What the screens tell each other, and what threads tell the screens.

A thread only ever posts one of these; handlers alone change widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.message import Message


@dataclass
class Announced(Message):
    """A line a person should know, such as what is about to be downloaded."""

    line: str


@dataclass
class Doing(Message):
    """How far work has come; total is 0 while it is not known, label is empty at its end."""

    label: str
    done: int
    total: int


@dataclass
class Answered(Message):
    """Work has come to an end, well or not: what is to be done with that, unless the work was
    cancelled in the meantime."""

    handle: Callable[[Any], None]
    answer: Any
    wanted: Callable[[], bool]
