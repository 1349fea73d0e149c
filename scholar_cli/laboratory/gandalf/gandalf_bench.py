"""Ten-way questions about characters, scored as in GANDALF (Carlsson et al. 2022).

A system gets a book and the questions about it, and scores every choice; its answer is the best
one. Accuracy is by kind and level (Tables 3 and 4).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.gandalf import gandalf_data
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.characters.quiz import wording
from scholar_indexes.characters.quiz.questions import KINDS, LEVELS, QuizQuestion
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

Scores = Sequence[float]
"""One number for each choice of a question; higher is more likely."""

WORDING = "wording"
"""The query-only baseline, which measures how much the wording of questions gives away. It is
fitted on all questions, so it is not a System."""


@dataclass(frozen=True)
class QuestionedNovel:
    """A book with questions."""

    name: str
    raw: bytes

    @cached_property
    def draft(self) -> BookDraft:
        """The book as read by `scholar add`; raises NotABook if it is not one."""
        return ingest.parse_draft(
            ingest.BookSource(self.raw, f"{self.name}.txt", None), language="en"
        )


System = Callable[[QuestionedNovel, Sequence[QuizQuestion]], Sequence[Scores]]
"""A function from a book and the questions about it to the scores of their choices."""


@dataclass(frozen=True)
class SystemRun:
    """The answers of one system by question id, and its time in seconds."""

    name: str
    answers: Mapping[str, int]
    seconds: float


def run(
    data: Path,
    systems: Mapping[str, System],
    *,
    wording_too: bool = True,
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report for each system, kind and level, and for each kind over all levels.

    The answers of the first system are written to out as lines of {"question_id", "answer"}.
    wording_too adds the query-only baseline, over all levels. Questions without a known answer are
    answered but not scored. Raises UsageError for an out that is a folder, or for a missing out if
    no question can be scored, and the errors of data.read.
    """
    _check_arguments(systems, wording_too, out)
    gandalf = gandalf_data.read(data)
    known = [question for question in gandalf.questions if question.id not in gandalf.open]
    if not known and out is None:
        raise UsageError("no question has a known answer; write the system's: --run FILE")
    runs = _run_systems(gandalf, systems, progress)
    if out is not None and runs:
        write(out, gandalf.questions, runs[0].answers, gandalf.ids)
    reports = [
        Report(
            "gandalf",
            split,
            system.name,
            measure(questions, system.answers),
            len(questions),
            system.seconds,
            "",
            gandalf.sha256,
            commit(),
            {
                "id": [question.id for question in questions],
                "accuracy": _hits(questions, system.answers),
            },
        )
        for system in runs
        for split, questions in split_questions(known)
    ]
    return [*reports, *_report_wording(known, gandalf.sha256)] if wording_too else reports


def _check_arguments(systems: Mapping[str, System], wording_too: bool, out: Path | None) -> None:
    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        problem = "is a folder" if out.is_dir() else "is in a folder that does not exist"
        raise UsageError(f"{out} {problem}; give a file for the answers")
    if out is not None and not systems:
        raise UsageError("there is no system whose answers can be written; choose one")
    if not systems and not wording_too:
        raise NotThere("there is no system to measure; choose one")


def _run_systems(
    gandalf: gandalf_data.GandalfData, systems: Mapping[str, System], progress: Progress
) -> list[SystemRun]:
    """Return the answers of each system, computed book by book."""
    answers: dict[str, dict[str, int]] = {name: {} for name in systems}
    seconds = dict.fromkeys(systems, 0.0)
    for done, (book, raw) in enumerate(gandalf.texts.items()):
        novel, questions = QuestionedNovel(book, raw), gandalf.of_book(book)
        for name, system in systems.items():
            progress(f"{book}, {name}", done, len(gandalf.texts))
            start = time.perf_counter()
            scores = system(novel, questions)
            seconds[name] += time.perf_counter() - start
            for question, choice_scores in zip(questions, scores, strict=True):
                answers[name][question.id] = best(choice_scores)
    return [SystemRun(name, answers[name], seconds[name]) for name in systems]


def _report_wording(questions: Sequence[QuizQuestion], sha256: str) -> list[Report]:
    """Return the reports of the query-only baseline by kind."""
    reports = []
    for kind in KINDS:
        of_kind = [question for question in questions if question.kind == kind]
        if of_kind:
            metrics_of_kind = {
                "accuracy": wording.query_only(of_kind),
                "chance": wording.chance(of_kind),
            }
            reports.append(
                Report(
                    "gandalf",
                    kind,
                    WORDING,
                    metrics_of_kind,
                    len(of_kind),
                    0.0,
                    "",
                    sha256,
                    commit(),
                )
            )
    return reports


def rows(reports: Sequence[Report]) -> list[dict[str, Value]]:
    """Return a table of reports: a row for each system and kind, with a column for each level."""
    table: dict[tuple[str, str], dict[str, Value]] = {}
    for report in reports:
        kind, _, level = report.split.partition(" ")
        row = table.setdefault((report.system, kind), {"system": report.system, "kind": kind})
        rounded = {name: round(value, 4) for name, value in report.metrics.items()}
        if level:
            row[f"level {level}"] = rounded["accuracy"]
        else:
            row |= {**rounded, "n": report.n, "seconds": round(report.seconds, 1)}
    return list(table.values())


def split_questions(
    questions: Sequence[QuizQuestion],
) -> list[tuple[str, list[QuizQuestion]]]:
    """Return the questions of each kind, and of each kind and level, without empty splits."""
    splits = []
    for kind in KINDS:
        of_kind = [question for question in questions if question.kind == kind]
        splits.append((kind, of_kind))
        for level in LEVELS:
            of_level = [question for question in of_kind if question.level == level]
            splits.append((f"{kind} {level}", of_level))
    return [(name, members) for name, members in splits if members]


def measure(questions: Sequence[QuizQuestion], answers: Mapping[str, int]) -> dict[str, float]:
    """Return the accuracy with its 95 % interval, and the accuracy of chance."""
    interval = metrics.bootstrap(_hits(questions, answers))
    return {
        "accuracy": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "chance": wording.chance(questions),
    }


def _hits(questions: Sequence[QuizQuestion], answers: Mapping[str, int]) -> list[float]:
    """Return 1 for each question that is answered correctly, else 0."""
    return [float(answers[question.id] == question.answer) for question in questions]


def best(scores: Scores) -> int:
    """Return the index of the best score, the first one if several are equal."""
    return max(range(len(scores)), key=lambda choice: scores[choice])


def write(
    out: Path,
    questions: Sequence[QuizQuestion],
    answers: Mapping[str, int],
    ids: Mapping[str, str | int] | None = None,
) -> None:
    """Write the answers atomically as JSON lines, in the order of the questions.

    ids has the original ids of questions whose ids were changed on reading.
    """
    written_ids = ids or {}
    lines = [
        json.dumps(
            {
                "question_id": written_ids.get(question.id, question.id),
                "answer": answers[question.id],
            },
            ensure_ascii=False,
        )
        + "\n"
        for question in questions
    ]
    try:
        atomic.write_text(out, "".join(lines))
    except OSError as refusal:
        raise ScholarError(
            f"{out} cannot be written ({refusal.strerror}); give another file"
        ) from refusal
