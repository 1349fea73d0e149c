"""The lists that the second stage learns from a teacher: a claim, windows of its work, and scores.

A file of scores, packed by xz or not, has a line for each claim that was written for a passage of a
work, or graded in it: the number of the work, which claim it is, and windows, each its first
sentence, its size and the teacher's score.

    {"gutenberg_id": 11, "source": "written", "number": 0, "windows": [[68, 5, 0.32], ...]}
    {"gutenberg_id": 36, "source": "graded", "id": "36-4", "windows": [[7, 1, 2.05], ...]}
"""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory.claims import graded, written
from scholar_cli.laboratory.claims.judged import PassageFinder
from scholar_cli.laboratory.relic.texts import LiteraryWork
from scholar_indexes.arrays import Floats1d
from scholar_indexes.books.formats import sources
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.retrieval.second_stage import CONTEXT, PassageInContext, in_context
from scholar_indexes.types import Progress, silent

Windows = NDArray[np.int32]
"""The first sentences of windows and the first after them, (p, 2)."""


class ScoredWork:
    """A work whose windows are read with the text around them."""

    def __init__(self, text: str, sentences: NDArray[np.int32], context: int = CONTEXT) -> None:
        """`sentences` are their chapters, starts and ends, (n, 3); `context` is the number of
        sentences on either side that go with a window."""
        self.text = text
        self.sentences = sentences
        self._context = context

    def passage(self, first: int, end: int) -> PassageInContext:
        """Return sentences [first, end) with those around them in their chapter."""
        chapters, starts, ends = self.sentences.T
        return in_context(self.text, chapters, starts, ends, (first, end), self._context)


@dataclass(frozen=True, slots=True)
class ScoredList:
    """A claim about a work with the scores of windows (p,), by a teacher or as grades."""

    work: ScoredWork
    claim: str
    windows: Windows
    scores: Floats1d

    def passages(self, rows: Sequence[int]) -> list[PassageInContext]:
        """Return some of the windows with the text around them."""
        return [self.work.passage(*self.windows[row].tolist()) for row in rows]

    def sample(self, size: int, best: int, draw: np.random.Generator) -> list[int]:
        """Return the rows of the `best` windows by their scores, and of others, drawn, up to
        `size`."""
        order = np.argsort(-self.scores, kind="stable")
        return [*order[:best].tolist(), *draw.permutation(order[best:])[: size - best].tolist()]


@dataclass(frozen=True, slots=True)
class TaughtLists:
    """The numbers of the works of a file of scores, its lists, the lists of written claims with the
    row of the passage that each was written for, and the graded lists of each part, whose scores
    are their grades."""

    works: list[int]
    scored: list[ScoredList]
    written: list[tuple[ScoredList, int]]
    graded: Mapping[str, list[ScoredList]]


def read(
    scores: Path, texts: Path, progress: Progress = silent, *, context: int = CONTEXT
) -> TaughtLists:
    """Return the lists of a file of scores and of the graded claims; `context` is the number of
    sentences that go with a window on either side.

    Criticism around a quotation is left out, and so are works that `texts`/primary does not have.
    Raises UsageError for a broken file of scores, and NoMatch where it or dev has no work there.
    """
    lines = _lines(scores)
    claims: dict[int, list[graded.GradedClaim]] = defaultdict(list)
    for claim in graded.load():
        claims[claim.gutenberg_id].append(claim)
    lists = TaughtLists([], [], [], {part: [] for part in graded.PARTS})
    numbers = sorted({*lines, *claims})
    for done, number in enumerate(numbers):
        progress("reading works", done, len(numbers))
        path = texts / "primary" / f"{number}.txt"
        if path.is_file():
            source = sources.read(path.read_bytes(), str(number))
            literary = LiteraryWork(str(number), source.title, source.author, "", source.text)
            work = ScoredWork(literary.text, literary.sentences, context)
            if number in lines:
                lists.works.append(number)
            _add_scored(work, literary, lines.get(number, ()), claims.get(number, ()), lists)
            _add_graded(work, literary, claims.get(number, ()), lists)
    if not lists.scored or not lists.graded[graded.DEV]:
        raise NoMatch(f"{texts}/primary has no works of {scores}, or none of dev")
    return lists


def _add_scored(
    work: ScoredWork,
    literary: LiteraryWork,
    lines: Sequence[Mapping[str, Any]],
    claims: Sequence[graded.GradedClaim],
    lists: TaughtLists,
) -> None:
    """Add the lists that lines of a file of scores have of a work."""
    texts = [literary.text[start:end] for _, start, end in literary.sentences.tolist()]
    of_work = written.windows(int(literary.id), texts) if lines else ()
    by_id = {claim.id: claim.claim for claim in claims}
    for line in lines:
        windows = np.array([(first, first + size) for first, size, _ in line["windows"]], np.int32)
        scores = np.array([score for *_, score in line["windows"]], np.float32)
        if line["source"] != "written":
            if claim := by_id.get(line["id"]):
                lists.scored.append(ScoredList(work, claim, windows, scores))
            continue
        window = of_work[line["number"]]
        if not window.right:
            scored = ScoredList(work, " ".join(window.left), windows, scores)
            lists.scored.append(scored)
            own = (window.start, window.start + window.size)
            rows = np.flatnonzero((windows == own).all(1)).tolist()
            lists.written.extend((scored, row) for row in rows[:1])


def _add_graded(
    work: ScoredWork,
    literary: LiteraryWork,
    claims: Sequence[graded.GradedClaim],
    lists: TaughtLists,
) -> None:
    """Add the lists of the graded claims about a work, as far as its text has their passages."""
    if not claims:
        return
    finder, sentences = PassageFinder(literary.text), literary.sentences
    for claim in claims:
        grades: dict[tuple[int, int], int] = {}
        for passage in claim.passages:
            if span := finder.find(passage):
                first = int(np.searchsorted(sentences[:, 2], span.start, "right"))
                end = int(np.searchsorted(sentences[:, 1], span.end, "left"))
                if first < end:
                    grades[first, end] = passage.grade
        windows = np.array(list(grades), np.int32).reshape(-1, 2)
        scores = np.array(list(grades.values()), np.float32)
        lists.graded[claim.part].append(ScoredList(work, claim.claim, windows, scores))


def _lines(path: Path) -> Mapping[int, list[dict[str, Any]]]:
    """Return the lines of a file of scores by the number of their work."""
    lines: dict[int, list[dict[str, Any]]] = defaultdict(list)
    try:
        opened = lzma.open if path.suffix == ".xz" else open
        with opened(path, "rt", encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                lines[int(record["gutenberg_id"])].append(record)
    except (OSError, lzma.LZMAError, EOFError, ValueError, KeyError, TypeError) as broken:
        raise UsageError(f"{path} is no file of scores: {broken}") from None
    return lines
