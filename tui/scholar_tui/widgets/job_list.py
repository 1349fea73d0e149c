"""The list of jobs, each on a line with its progress."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from scholar_indexes.sanitize import one_line
from scholar_tui.job_queue import Job, JobQueue, JobStage


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
    }
    """

    def __init__(self, queue: JobQueue, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._queue = queue

    def on_mount(self) -> None:
        self._queue.changed.subscribe(self, self._follow)
        self._follow(None)

    @property
    def jobs(self) -> list[Job]:
        return self._queue.jobs

    @property
    def chosen(self) -> Job | None:
        """The job under the cursor, if the list has the focus."""
        at = self.highlighted
        return self.jobs[at] if self.has_focus and at is not None and at < len(self.jobs) else None

    def _follow(self, progressed: Job | None) -> None:
        """Show all jobs again, or the one that made progress."""
        if progressed in self.jobs and self.option_count == len(self.jobs):
            self.replace_option_prompt_at_index(self.jobs.index(progressed), _drawn(progressed))
            return
        highlighted = self.highlighted
        self.set_options(Option(_drawn(job)) for job in self.jobs)
        if highlighted is not None and self.jobs:
            self.highlighted = min(highlighted, len(self.jobs) - 1)
        self.set_class(bool(self.jobs), "-some")


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
