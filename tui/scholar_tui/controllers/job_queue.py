"""Jobs that change the library, one after another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from scholar_indexes.errors import ScholarError
from scholar_indexes.progress import describe_remaining
from scholar_indexes.types import Progress
from scholar_tui.widgets.job_list import Job, JobList, JobStage

if TYPE_CHECKING:
    from scholar_tui.screens.library import LibraryScreen


class JobQueueController:
    """Runs the jobs of the job list in a worker, in their order."""

    def __init__(self, screen: LibraryScreen, on_finished: Callable[[], None]) -> None:
        """on_finished is called when a job has ended, successfully or not."""
        self._screen = screen
        self._on_finished = on_finished

    @property
    def jobs(self) -> list[Job]:
        return self._list.jobs

    def add(self, label: str, work: Callable[[Progress], str], typed: str = "") -> None:
        """Append a job; `typed` is the line with which it was requested."""
        job = Job(label, work, typed)
        self._list.put(job)
        self._screen.scholar.unfinished[job] = label
        self._screen.refresh_bindings()
        self._start_next()

    def show_progress(self, event: JobList.JobProgressed) -> None:
        job = event.job
        if job.stage is JobStage.RUNNING:  # a late report must not replace an error message
            job.message, job.done, job.total = event.label, event.done, event.total
            job.remaining = describe_remaining(job.estimate.remaining_s(job.done, job.total))
            self._list.redraw(job)

    def cancel(self) -> None:
        """Stop or drop the job under the cursor, or else the first one that is running, waiting or
        failed, in this order."""
        running_first = (JobStage.RUNNING, JobStage.WAITING, JobStage.FAILED)
        job = self._list.chosen or self._list.first(*running_first)
        if job is None:
            return
        if job.stage is JobStage.RUNNING:
            job.stage = JobStage.STOPPING
            self._list.redraw(job)
        elif job.stage is not JobStage.STOPPING:
            self._drop(job)

    def take_failed(self, index: int) -> Job | None:
        """Remove and return the job at an index, if it has failed."""
        job = self._list.jobs[index]
        if job.stage is not JobStage.FAILED:
            return None
        self._drop(job)
        return job

    @property
    def _list(self) -> JobList:
        return self._screen.query_one(JobList)

    def _start_next(self) -> None:
        job = self._list.first(JobStage.WAITING)
        if job is None or self._list.first(JobStage.RUNNING, JobStage.STOPPING):
            return
        job.stage = JobStage.RUNNING
        self._list.redraw(job)

        def work(progress: Progress) -> str | None:
            def report(label: str, done: int, total: int) -> None:
                progress(label, done, total)
                self._screen.post_message(JobList.JobProgressed(job, label, done, total))

            line = job.run(report)
            self._screen.scholar.unfinished.pop(job, None)
            return line

        self._screen.run_in_worker(
            work,
            partial(self._finish, job),
            on_error=partial(self._fail, job),
            group="adding",
            lasting=True,
        )

    def _finish(self, job: Job, line: str | None) -> None:
        self._screen.show_message(f"stopped: {job.label}" if line is None else line)
        self._drop(job)
        self._on_finished()
        self._start_next()

    def _fail(self, job: Job, refusal: ScholarError) -> None:
        job.stage, job.message = JobStage.FAILED, str(refusal)
        self._screen.scholar.unfinished.pop(job, None)
        self._list.redraw(job)
        self._screen.show_message(job.failure, severity="error")
        self._on_finished()
        self._start_next()

    def _drop(self, job: Job) -> None:
        self._list.drop(job)
        self._screen.scholar.unfinished.pop(job, None)
        if not self._list.jobs and self._list.has_focus:
            self._screen.focus_books()
        self._screen.refresh_bindings()
