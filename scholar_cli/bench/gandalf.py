"""Ten-way questions about characters, as GANDALF measures them (Carlsson et al. 2022).

A system gets a book and the questions about it, and gives every choice a score; its answer
is the best one. Counted is how often that is right, by kind and level (Tables 3 and 4).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scholar_cli.bench import gandalf_form, metrics
from scholar_cli.bench.report import Report, commit
from scholar_indexes import ingest
from scholar_indexes.characters import wording
from scholar_indexes.characters.questions import KINDS, LEVELS, Question
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.ingest import Draft
from scholar_indexes.types import Progress, silent

Scores = Sequence[float]
"""One number for each choice of a question, the higher the likelier."""

WORDING = "wording"
"""What the questions give away by themselves: fitted on all of them, so no System."""


@dataclass(frozen=True)
class Novel:
    """A book that questions are asked about."""

    name: str
    raw: bytes

    @cached_property
    def draft(self) -> Draft:
        """As scholar adds it; raises NotABook for what it cannot."""
        return ingest.draft(ingest.Source(self.raw, f"{self.name}.txt", None), language="en")


System = Callable[[Novel, Sequence[Question]], Sequence[Scores]]
"""A book and the questions about it to the scores of their choices."""


def run(
    data: Path,
    systems: Mapping[str, System],
    *,
    wording_too: bool = True,
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """A report for each system, kind and level, and for each kind over all levels.

    out gets the answers of the first system as lines of {"question_id", "answer"}.
    wording_too adds what the wording alone tells, over all levels. Raises UsageError
    for an out that is a folder, and what gandalf_form.read raises.
    """
    if out is not None and out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write the answers to")
    if not systems and not wording_too:
        raise NotThere("there is no system to measure; name one")
    read = gandalf_form.read(data)
    sha256 = read.sha256
    answers: dict[str, dict[str, int]] = {name: {} for name in systems}
    seconds = dict.fromkeys(systems, 0.0)
    for done, (book, raw) in enumerate(read.texts.items()):
        novel, asked = Novel(book, raw), read.of_book(book)
        for name, system in systems.items():
            progress(f"{book}, {name}", done, len(read.texts))
            start = time.perf_counter()
            scores = system(novel, asked)
            seconds[name] += time.perf_counter() - start
            for question, given in zip(asked, scores, strict=True):
                answers[name][question.id] = best(given)
    if out is not None and answers:
        write(out, read.questions, next(iter(answers.values())))
    reports = []
    for name, given in answers.items():
        for split, those in splits(read.questions):
            figures = measured(those, given)
            reports.append(
                Report("gandalf", split, name, figures, len(those), seconds[name], "", sha256,
                       commit())
            )  # fmt: skip
    if wording_too:
        for kind in KINDS:
            if those := [each for each in read.questions if each.kind == kind]:
                figures = {"accuracy": wording.query_only(those), "chance": wording.chance(those)}
                reports.append(
                    Report("gandalf", kind, WORDING, figures, len(those), 0.0, "", sha256, commit())
                )
    return reports


def splits(questions: Sequence[Question]) -> list[tuple[str, list[Question]]]:
    """The questions of each kind, and of each kind and level, where there are any."""
    found = []
    for kind in KINDS:
        of_kind = [each for each in questions if each.kind == kind]
        found.append((kind, of_kind))
        for level in LEVELS:
            found.append((f"{kind} {level}", [each for each in of_kind if each.level == level]))
    return [(name, those) for name, those in found if those]


def measured(questions: Sequence[Question], answers: Mapping[str, int]) -> dict[str, float]:
    """The share of right answers with its 95 % interval, and what chance would have."""
    interval = metrics.bootstrap([float(answers[each.id] == each.answer) for each in questions])
    return {
        "accuracy": interval.mean, "low": interval.low, "high": interval.high,
        "chance": wording.chance(questions),
    }  # fmt: skip


def best(scores: Scores) -> int:
    """The place of the best score, the first of equals."""
    return max(range(len(scores)), key=lambda at: scores[at])


def write(out: Path, questions: Sequence[Question], answers: Mapping[str, int]) -> None:
    """The answers as JSON lines, in the questions' order; a broken run leaves no half file."""
    lines = [
        json.dumps({"question_id": each.id, "answer": answers[each.id]}, ensure_ascii=False) + "\n"
        for each in questions
    ]
    unfinished = out.with_name(f"{out.name}.part")
    unfinished.write_text("".join(lines), "utf-8")
    os.replace(unfinished, out)
