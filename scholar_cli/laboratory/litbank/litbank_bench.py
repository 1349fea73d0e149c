"""Coreference on books in LitBank's format, scored as in CoNLL 2012.

Scores are over all mentions, and over mentions of people only: annotated and predicted ones of the
class PER. Chains of one mention count. Figures over several books are over all their mentions and
links; intervals are bootstrapped over books.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from scholar_cli.laboratory.litbank import litbank_data, scores
from scholar_cli.laboratory.litbank.litbank_data import (
    CHAINS,
    PERSON,
    TokenizedBook,
    TokenMention,
    group_chains,
)
from scholar_cli.laboratory.litbank.litbank_systems import System
from scholar_cli.laboratory.litbank.scores import Score, Share
from scholar_cli.laboratory.metrics import RESAMPLES
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import UsageError
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

CLASSES: Mapping[str, str | None] = {"persons": PERSON, "all": None}
"""The splits of the reports, with the class of the scored mentions; None is every class."""

TINY = 1e-12
"""The minimum of denominators, which gives 0 for a share of nothing."""

SIDES, PARTS = ("recall", "precision"), ("right", "total")
"""The fields of a Score and of a Share, in their order."""


def run(
    data: Path,
    systems: Mapping[str, System],
    *,
    only: Sequence[str] = (),
    out: Path | None = None,
    progress: Progress = silent,
) -> list[Report]:
    """Return reports of each system for persons and for all mentions.

    Books without annotation are resolved, but not scored. `only` has the names of the books to
    read; the chains of the first system are written to `out` as <book>/coref.conll. Raises NotThere
    and UsageError as litbank.data.read does.
    """
    books = select_books(litbank_data.read(data), only)
    sha256 = litbank_data.sha256(books)
    reports: list[Report] = []
    for number, (name, system) in enumerate(systems.items()):
        answers: list[Sequence[TokenMention]] = []
        start = time.perf_counter()
        for done, book in enumerate(books):
            progress(f"{book.name}, {name}", done, len(books))
            answers.append(system(book.sentences))
        seconds = time.perf_counter() - start
        if out is not None and number == 0:
            write_chains(out, books, answers)
        reports += score_books(books, answers, name, seconds, sha256)
    return reports


def select_books(books: Sequence[TokenizedBook], only: Sequence[str]) -> list[TokenizedBook]:
    """Return the books with the given names, or all; raise UsageError for an unknown name."""
    names = {book.name for book in books}
    for name in only:
        if name not in names:
            raise UsageError(f"there is no book {name!r}; choose from {', '.join(sorted(names))}")
    return [book for book in books if not only or book.name in only]


def score_books(
    books: Sequence[TokenizedBook],
    answers: Sequence[Sequence[TokenMention]],
    system: str,
    seconds: float,
    sha256: str,
) -> list[Report]:
    """Return a report for each of CLASSES over the annotated books."""
    annotated = [
        (book, answer)
        for book, answer in zip(books, answers, strict=True)
        if book.mentions is not None
    ]
    reports = []
    for split, entity_class in CLASSES.items() if annotated else ():
        documents = [
            scores.score_all(book.chains(entity_class), group_chains(answer, entity_class))
            for book, answer in annotated
        ]
        reports.append(
            Report(
                bench="litbank",
                split=split,
                system=system,
                metrics=summarize(documents),
                n=len(annotated),
                seconds=seconds,
                model="",
                data_sha256=sha256,
                commit=commit(),
                queries={
                    "id": [book.name for book, _ in annotated],
                    **query_columns(documents),
                },
            )
        )
    return reports


def summarize(documents: Sequence[Mapping[str, Score]], *, seed: int = 0) -> dict[str, float]:
    """Return recall, precision and F1 of mentions, F1 of the other scores, and the CoNLL mean F1
    with its 95 % interval over books."""
    totals = scores.add_up(documents)
    random = np.random.default_rng(seed)
    indices = random.integers(0, len(documents), (RESAMPLES // 4, len(documents)))
    counts = np.array(
        [[_counts(document[name]) for name in scores.MEAN_OF] for document in documents]
    )
    shares = counts[indices].sum(axis=1)
    recall, precision = (
        shares[..., side, 0] / np.maximum(shares[..., side, 1], TINY) for side in (0, 1)
    )
    f1 = 2 * recall * precision / np.maximum(recall + precision, TINY)
    low, high = np.percentile(f1.mean(axis=1), (2.5, 97.5))
    return {
        "mention_recall": totals["mention"].recall.value,
        "mention_precision": totals["mention"].precision.value,
        "mention_f1": totals["mention"].f1,
        **{f"{name}_f1": totals[name].f1 for name in (*scores.MEAN_OF, "lea")},
        "conll_f1": scores.conll_f1(totals),
        "conll_f1_low": float(low),
        "conll_f1_high": float(high),
    }


def _counts(score: Score) -> list[list[float]]:
    return [[share.right, share.total] for share in (score.recall, score.precision)]


def query_columns(documents: Sequence[Mapping[str, Score]]) -> dict[str, list[float]]:
    """Return the counts of every score of each document; counts can be added over documents."""
    return {
        f"{name} {side} {part}": [
            getattr(getattr(document[name], side), part) for document in documents
        ]
        for name in scores.SCORES
        for side in SIDES
        for part in PARTS
    }


def read_columns(columns: Mapping[str, Sequence[float]]) -> list[dict[str, Score]]:
    """Return the scores of documents from the columns of query_columns."""
    count = len(columns[f"mention {SIDES[0]} {PARTS[0]}"])
    return [
        {
            name: Score(
                *(
                    Share(*(columns[f"{name} {side} {part}"][at] for part in PARTS))
                    for side in SIDES
                )
            )
            for name in scores.SCORES
        }
        for at in range(count)
    ]


def write_chains(
    folder: Path, books: Sequence[TokenizedBook], answers: Sequence[Sequence[TokenMention]]
) -> None:
    """Write <book>/coref.conll for each book."""
    for book, answer in zip(books, answers, strict=True):
        path = folder / book.name / CHAINS
        path.parent.mkdir(parents=True, exist_ok=True)
        chains = group_chains(answer)
        atomic.write_text(path, litbank_data.format_conll(book, chains))
