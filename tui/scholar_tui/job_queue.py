"""Jobs that change the library or fetch for it, from all screens in one list.

a key -> JobQueue.add -> a worker, one job of a lane after another -> JobQueue.changed -> the list
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from textual.signal import Signal

from scholar_indexes.errors import ScholarError
from scholar_indexes.progress import TimeEstimate, describe_remaining
from scholar_indexes.types import Progress
from scholar_tui.messages import JobProgressed

if TYPE_CHECKING:
    from scholar_tui.app import ScholarApp


class Lane(Enum):
    """The part of the library that a job changes: jobs of different lanes run at the same time."""

    BOOKS = auto()
    PAPERS = auto()
    CATALOGUE = auto()


class JobStage(Enum):
    WAITING = auto()
    RUNNING = auto()
    STOPPING = auto()
    FAILED = auto()
    DONE = auto()


class JobStopped(Exception):
    """The user stopped a job."""


def do_nothing(*_: object) -> None:
    """Ignore the outcome of a job."""


@dataclass(eq=False, slots=True)
class Job:
    """`label` names the job; `work` returns a line about its result; `typed` is the line with which
    an addition of a book was requested, so that it can be corrected. `on_done` and `on_failed` are
    called in the thread of the screens."""

    label: str
    work: Callable[[Progress], str]
    typed: str = ""
    lane: Lane = Lane.BOOKS
    on_done: Callable[[], None] = do_nothing
    on_failed: Callable[[ScholarError], None] = do_nothing
    stage: JobStage = JobStage.WAITING
    message: str = ""
    done: int = 0
    total: int = 0
    remaining: str = ""
    estimate: TimeEstimate = field(default_factory=TimeEstimate)

    @property
    def is_unfinished(self) -> bool:
        return self.stage in (JobStage.WAITING, JobStage.RUNNING, JobStage.STOPPING)

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


class JobQueue:
    """The jobs that are waiting, running or failed, in the order in which they were begun."""

    def __init__(self, app: ScholarApp) -> None:
        self._app = app
        self.jobs: list[Job] = []
        self.changed: Signal[Job | None] = Signal(app, "jobs")
        """Published with a job that made progress, and with None when a job was begun, has ended or
        was dropped."""

    @property
    def unfinished(self) -> list[str]:
        """The labels of the jobs that are waiting or running."""
        return [job.label for job in self.jobs if job.is_unfinished]

    @property
    def unfinished_books(self) -> list[str]:
        """The labels of the unfinished jobs that change books."""
        return [job.label for job in self.jobs if job.is_unfinished and job.lane is Lane.BOOKS]

    def add(self, job: Job) -> None:
        """Append a job. It replaces a failed one of the same name."""
        for failed in self._named(job.label):
            if failed.stage is JobStage.FAILED:
                self.jobs.remove(failed)
        self.jobs.append(job)
        self._start_next(job.lane)
        self.changed.publish(None)

    def add_once(self, job: Job) -> bool:
        """Append a job unless one of the same name is unfinished; return True if appended."""
        if job.label in self.unfinished:
            return False
        self.add(job)
        return True

    def show_progress(self, job: Job, label: str, done: int, total: int) -> None:
        if job.stage is JobStage.RUNNING:  # a late report must not replace an error message
            job.message, job.done, job.total = label, done, total
            job.remaining = describe_remaining(job.estimate.remaining_s(done, total))
            self.changed.publish(job)

    def cancel(self, chosen: Job | None) -> None:
        """Stop or drop a job, or else the first one that is running, waiting or failed, in this
        order."""
        job = chosen or self.first(JobStage.RUNNING, JobStage.WAITING, JobStage.FAILED)
        if job is None:
            return
        if job.stage is JobStage.RUNNING:
            job.stage = JobStage.STOPPING
            self.changed.publish(job)
        elif job.stage is not JobStage.STOPPING:
            self._drop(job)

    def take_failed(self, index: int) -> Job | None:
        """Remove and return the job at an index, if it has failed."""
        job = self.jobs[index]
        if job.stage is not JobStage.FAILED:
            return None
        self._drop(job)
        return job

    def retry(self, job: Job) -> None:
        """Do a failed job again."""
        job.stage, job.message, job.done, job.total = JobStage.WAITING, "", 0, 0
        job.estimate = TimeEstimate()
        self.add(job)

    def first(self, *stages: JobStage) -> Job | None:
        """Return the first job in one of these stages, the first stage before the others."""
        jobs = (job for stage in stages for job in self.jobs if job.stage is stage)
        return next(jobs, None)

    def _named(self, label: str) -> list[Job]:
        return [job for job in self.jobs if job.label == label]

    def _start_next(self, lane: Lane) -> None:
        jobs = [job for job in self.jobs if job.lane is lane]
        if any(job.stage in (JobStage.RUNNING, JobStage.STOPPING) for job in jobs):
            return
        job = next((job for job in jobs if job.stage is JobStage.WAITING), None)
        if job is None:
            return
        job.stage = JobStage.RUNNING

        def work(progress: Progress) -> str | None:
            def report(label: str, done: int, total: int) -> None:
                progress(label, done, total)
                self._app.post_message(JobProgressed(job, label, done, total))

            line = job.run(report)
            job.stage = JobStage.DONE  # in this thread: the screens may have ended
            return line

        self._app.mode_screen.run_in_worker(
            work,
            partial(self._finish, job),
            on_error=partial(self._fail, job),
            group=f"jobs of {lane.name}",
            lasting=True,
        )

    def _finish(self, job: Job, line: str | None) -> None:
        self._app.show_message(f"stopped: {job.label}" if line is None else line)
        self._drop(job)
        job.on_done()
        self._start_next(job.lane)

    def _fail(self, job: Job, refusal: ScholarError) -> None:
        job.stage, job.message = JobStage.FAILED, str(refusal)
        self._app.show_message(job.failure, severity="error")
        job.on_failed(refusal)
        self._start_next(job.lane)
        self.changed.publish(None)

    def _drop(self, job: Job) -> None:
        if job in self.jobs:
            self.jobs.remove(job)
        self.changed.publish(None)
