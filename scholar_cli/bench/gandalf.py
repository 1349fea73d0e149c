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
from scholar_cli.bench.report import Report, Value, commit
from scholar_indexes import ingest
from scholar_indexes.characters import wording
from scholar_indexes.characters.questions import KINDS, LEVELS, Question
from scholar_indexes.errors import NotThere, ScholarError, UsageError
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
    wording_too adds what the wording alone tells, over all levels. Questions without an
    answer are answered and not counted. Raises UsageError for an out that is a folder, or
    for none where nothing could be counted, and what gandalf_form.read raises.
    """
    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        wrong = "is a folder" if out.is_dir() else "is in a folder that is not there"
        raise UsageError(f"{out} {wrong}; name a file to write the answers to")
    if out is not None and not systems:
        raise UsageError("there is no system whose answers could be written; name one")
    if not systems and not wording_too:
        raise NotThere("there is no system to measure; name one")
    read = gandalf_form.read(data)
    known = [each for each in read.questions if each.id not in read.open]
    if not known and out is None:
        raise UsageError("no question has an answer; name a file for those given: --run FILE")
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
        write(out, read.questions, next(iter(answers.values())), read.ids)
    reports = []
    for name, chosen in answers.items():
        for split, those in splits(known):
            figures = measured(those, chosen)
            reports.append(
                Report("gandalf", split, name, figures, len(those), seconds[name], "", sha256,
                       commit())
            )  # fmt: skip
    if wording_too:
        for kind in KINDS:
            if those := [each for each in known if each.kind == kind]:
                figures = {"accuracy": wording.query_only(those), "chance": wording.chance(those)}
                reports.append(
                    Report("gandalf", kind, WORDING, figures, len(those), 0.0, "", sha256, commit())
                )
    return reports


def rows(reports: Sequence[Report]) -> list[dict[str, Value]]:
    """Reports for a table: a row for each system and kind, with its levels side by side."""
    found: dict[tuple[str, str], dict[str, Value]] = {}
    for each in reports:
        kind, _, level = each.split.partition(" ")
        row = found.setdefault((each.system, kind), {"system": each.system, "kind": kind})
        figures = {name: round(value, 4) for name, value in each.metrics.items()}
        if level:
            row[f"level {level}"] = figures["accuracy"]
        else:
            row |= {**figures, "n": each.n, "seconds": round(each.seconds, 1)}
    return list(found.values())


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


def write(
    out: Path,
    questions: Sequence[Question],
    answers: Mapping[str, int],
    ids: Mapping[str, str | int] | None = None,
) -> None:
    """The answers as JSON lines, in the questions' order; a broken run leaves no half file.

    ids are the questions' as they were written, where that is not how they stand here.
    """
    written = ids or {}
    lines = [
        json.dumps(
            {"question_id": written.get(each.id, each.id), "answer": answers[each.id]},
            ensure_ascii=False,
        ) + "\n"
        for each in questions
    ]  # fmt: skip
    unfinished = out.with_name(f"{out.name}.part")
    try:
        unfinished.write_text("".join(lines), "utf-8")
        os.replace(unfinished, out)
    except OSError as refusal:
        raise ScholarError(
            f"{out} cannot be written ({refusal.strerror}); name another file"
        ) from refusal
