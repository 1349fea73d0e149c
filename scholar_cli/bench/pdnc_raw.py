"""Who says each quotation, from the raw text: where quotations, characters and speakers are lost.

    given      annotated quotations and characters, as the published figures have it
    spans      found quotations, annotated characters
    raw        found quotations and found characters: what a person gets

An annotated quotation is answered by the found one that shares most of its text, half of it
at least; a found character stands for the annotated one with whom it shares most names.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scholar_cli.bench import casts, metrics, pdnc, pdnc_form, spans
from scholar_cli.bench.pdnc import System
from scholar_cli.bench.pdnc_form import Novel
from scholar_cli.bench.report import Report, commit
from scholar_indexes.speakers import names, quotes
from scholar_indexes.types import Character, Progress, Quotation, silent

SHARE = 0.5
"""Of an annotated quotation's characters, how many a found one must have to answer for it."""


def run(
    data: Path,
    systems: Callable[[str], Mapping[str, System]],
    *,
    only: Sequence[str] = (),
    progress: Progress = silent,
) -> list[Report]:
    """A report for each system and novel and for each system over all novels (micro).

    seconds are those of the whole way from the raw text. Raises what pdnc.run raises.
    """
    novels = pdnc.chosen(pdnc_form.read(data), only)
    rows: dict[str, list[tuple[Novel, dict[str, float], float]]] = {}
    for done, novel in enumerate(novels):
        start = time.perf_counter()
        quotations = quotes.find(novel.text)
        cast = names.find(novel.text, quotations)
        reading = time.perf_counter() - start
        for name, system in systems(novel.name).items():
            progress(f"{novel.name}, {name}", done, len(novels))
            start = time.perf_counter()
            figures = measured(novel, quotations, cast, system)
            spent = (time.perf_counter() - start) / len(_SETTINGS) + reading
            rows.setdefault(name, []).append((novel, figures, spent))
    sha256, reports = pdnc_form.sha256(novels), []
    for name, several in rows.items():
        weights = [sum(who in each.often for who in each.speakers) for each, _, _ in several]
        micro = {
            key: sum(w * figures[key] for w, (_, figures, _) in zip(weights, several, strict=True))
            / max(1, sum(weights))
            for key in several[0][1]
        }
        everything = [(each.name, figures, spent, len(each.quotations))
                      for each, figures, spent in several]  # fmt: skip
        everything.append(
            ("micro", micro, sum(row[2] for row in everything), sum(row[3] for row in everything))
        )
        reports += [
            Report("pdnc-raw", split, name, figures, n, spent, "", sha256, commit())
            for split, figures, spent, n in everything
        ]
    return reports


_SETTINGS = ("given", "spans", "raw")


def measured(
    novel: Novel, quotations: Sequence[Quotation], cast: Sequence[Character], system: System
) -> dict[str, float]:
    """Accuracy over those who speak often in the three settings, what is lost from one to the
    next, and how well quotations and characters are found."""
    given = pdnc.answered(novel, system(novel.text, novel.quotations, novel.cast))
    answering = list(_answering(novel.quotations, quotations))
    found = _places(system(novel.text, quotations, novel.cast), novel.cast)
    raw = _places(system(novel.text, quotations, cast), cast)
    match = casts.match(novel, cast)
    right: dict[str, list[float]] = {name: [] for name in _SETTINGS}
    for at, who in enumerate(novel.speakers):
        if who in novel.often:
            own = answering[at]
            right["given"].append(float(given[at].right))
            right["spans"].append(float(own is not None and found[own] == who))
            right["raw"].append(
                float(own is not None and raw[own] >= 0 and raw[own] == match.get(who, -2))
            )
    shares = {name: metrics.mean(values) for name, values in right.items()}
    counts = spans.compare(quotations, novel)
    people = casts.measure(novel, cast)
    return {
        **shares,
        "lost_spans": shares["given"] - shares["spans"],
        "lost_characters": shares["spans"] - shares["raw"],
        "piece_precision": counts["piece"].precision,
        "piece_recall": counts["piece"].recall,
        "piece_f1": counts["piece"].f1,
        "speakers_found": people.speakers,
        "said_by_found": people.said,
    }


def _answering(annotated: Sequence[Quotation], found: Sequence[Quotation]) -> Iterator[int | None]:
    """For each annotated quotation the number of the found one that answers for it."""
    pieces = sorted(
        (piece.start, piece.end, number)
        for number, each in enumerate(found)
        for piece in each.pieces
    )
    ends = [end for _, end, _ in pieces]
    for quotation in annotated:
        shared: Counter[int] = Counter()
        size = 0
        for piece in quotation.pieces:
            size += piece.end - piece.start
            at = bisect_left(ends, piece.start + 1)
            while at < len(pieces) and pieces[at][0] < piece.end:
                start, end, number = pieces[at]
                shared[number] += min(end, piece.end) - max(start, piece.start)
                at += 1
        best = shared.most_common(1)
        yield best[0][0] if best and best[0][1] >= SHARE * size else None


def _places(said: Sequence[object], cast: Sequence[Character]) -> list[int]:
    by_id = {id(each): at for at, each in enumerate(cast)}
    return [by_id.get(id(getattr(each, "speaker", None)), -1) for each in said]
