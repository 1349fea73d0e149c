"""Messages that worker threads post to the application.

A thread only ever posts one of these; message handlers alone change widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message
from textual.worker import Worker

from scholar_indexes.background.people_queue import PeopleNews

if TYPE_CHECKING:
    from scholar_tui.job_queue import Job

STOPPED = "stopped; finished parts were kept, and trying again continues from there"
"""The message of work that the user stopped."""


@dataclass
class Announcement(Message):
    """A line for the user, such as what is about to be downloaded."""

    line: str


@dataclass
class ProgressUpdate(Message):
    """The progress of work; `total` is 0 while unknown, `label` is empty at the end, and
    `remaining` is the remaining time, if known."""

    label: str
    done: int
    total: int
    remaining: str = ""


@dataclass
class JobProgressed(Message):
    """A job made progress."""

    job: Job
    label: str
    done: int
    total: int


@dataclass
class PeopleUpdate(Message):
    """News of the books whose people are found in the background."""

    news: PeopleNews


@dataclass
class WorkFinished(Message):
    """The end of work with an answer or an error: the callback for it, which is called unless the
    work was cancelled in the meantime, and the worker if the callback opens a box that keys wait
    for."""

    handle: Callable[[Any], None]
    answer: Any
    is_wanted: Callable[[], bool]
    box_worker: Worker[Any] | None = None
