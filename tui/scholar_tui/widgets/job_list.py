"""The jobs that change the library, each on a line with its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from scholar_indexes.errors import ScholarError
from scholar_indexes.progress import TimeEstimate
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress


class JobStage(Enum):
    WAITING = auto()
    RUNNING = auto()
    STOPPING = auto()
    FAILED = auto()


class JobStopped(Exception):
    """The user stopped a job."""


@dataclass(eq=False, slots=True)
class Job:
    """A change of the library. `label` names it; `work` returns a line about its result; `typed` is
    the line with which an addition was requested, so that it can be corrected."""

    label: str
    work: Callable[[Progress], str]
    typed: str = ""
    stage: JobStage = JobStage.WAITING
    message: str = ""
    done: int = 0
    total: int = 0
    remaining: str = ""
    estimate: TimeEstimate = field(default_factory=TimeEstimate)

    @property
    def failure(self) -> str:
        """The line about a failure, which names the source only once."""
        subject = self.label.partition(" ")[2].rstrip("/")
        name = subject.rpartition("/")[2]
        is_named = bool(name) and name in self.message
        return self.message if is_named else f"{self.label}: {self.message}"

    def run(self, progress: Progress) -> str | None:
        """Run the job in a thread, and return its line; None if it was stopped."""

        def report(label: str, done: int, total: int) -> None:
            if self.stage is JobStage.STOPPING:
                raise JobStopped
            progress(label, done, total)

        try:
            return self.work(report)
        except JobStopped:
            return None
        except ScholarError:
            if self.stage is JobStage.STOPPING:
                return None
            raise


class JobList(OptionList):
    """The list of jobs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Try again", tooltip="Correct and retry what has failed"),
    ]
    DEFAULT_CSS = """
    JobList {
        height: auto; max-height: 9; display: none; padding: 0 1; scrollbar-size-vertical: 1;
        border: none; border-top: solid $panel; background: $background;
        &:focus { border: none; border-top: solid $primary; }
        &.-some { display: block; }
        & > .option-list--option-highlighted { background: $background; text-style: none; }
        &:focus > .option-list--option-highlighted {
            background: $primary-muted; color: $foreground;
        }
        &:ansi:focus > .option-list--option-highlighted {
            background: ansi_default; text-style: reverse;
        }
    }
    """

    @dataclass
    class JobProgressed(Message):
        """A job made progress; posted by its thread."""

        job: Job
        label: str
        done: int
        total: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.jobs: list[Job] = []

    def put(self, job: Job) -> None:
        self.jobs.append(job)
        self.add_option(Option(_drawn(job)))
        self.set_class(True, "-some")

    def drop(self, job: Job) -> None:
        if job in self.jobs:
            at = self.jobs.index(job)
            del self.jobs[at]
            self.remove_option_at_index(at)
        self.set_class(bool(self.jobs), "-some")

    def redraw(self, job: Job) -> None:
        if job in self.jobs:
            self.replace_option_prompt_at_index(self.jobs.index(job), _drawn(job))

    @property
    def chosen(self) -> Job | None:
        """The job under the cursor, if the list has the focus."""
        at = self.highlighted
        return self.jobs[at] if self.has_focus and at is not None and at < len(self.jobs) else None

    def first(self, *stages: JobStage) -> Job | None:
        """Return the first job in one of these stages, the first stage before the others."""
        jobs = (job for stage in stages for job in self.jobs if job.stage is stage)
        return next(jobs, None)


def _drawn(job: Job) -> Content:
    label = one_line(job.label, 80)
    if job.stage is JobStage.FAILED:
        return Content.assemble(("✗ ", "$error"), (one_line(job.failure), "$error"))
    if job.stage is JobStage.WAITING:
        return Content.assemble(("· ", "$foreground-muted"), label, ("  waiting", "dim"))
    if job.stage is JobStage.STOPPING:
        return Content.assemble(("■ ", "$warning"), label, ("  stopping …", "$warning"))
    share = f"{_bar(job.done / job.total)} {100 * job.done // job.total} %  " if job.total else ""
    parts = filter(None, (one_line(job.message, 60), job.remaining))
    detail = f"  {', '.join(parts)}" if job.message else ""
    return Content.assemble(
        ("▸ ", "$accent"), (share, "$accent"), label, (detail, "$foreground-muted")
    )


def _bar(share: float, width: int = 12) -> str:
    full = round(min(max(share, 0.0), 1.0) * width)
    return "━" * full + "─" * (width - full)
