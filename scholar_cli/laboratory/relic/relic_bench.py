"""RELiC's Table 3: rank all passages of a work by how likely each is the missing quotation.

Thai et al. (2022), section 3. A claim is a critic's sentences around [MASK]; its
candidates are all passages of the work with as many sentences as the quotation. Every
system (relic_systems.py) scores all of them, higher is better. Systems are composed of the
product's own functions, so the figures describe the product.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.outcomes import (
    QuotationOutcome,
    compare,
    measures,
    query_columns,
    rank_candidate,
    rivals,
)
from scholar_cli.laboratory.relic.relic_data import CONTEXT, LONGEST, QuotationWindow, QuotedWork
from scholar_cli.laboratory.relic.relic_systems import (
    MAIN,
    WITHOUT_PROXY,
    ClaimBatch,
    RetrievalSystem,
    resolve_name,
    select_systems,
    with_parts,
)
from scholar_cli.laboratory.relic.searched_work import SearchedWork, WordAverages
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.retrieval.second_stage import Reranker
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Progress, silent

Context = tuple[int, int]
"""Sentences before and after the quotation that make a claim."""

CONTEXTS: tuple[Context, ...] = ((0, 1), (0, 4), (1, 0), (4, 0), (1, 1), (4, 4))

BATCH = 128
"""Claims scored at a time: bounds memory whatever the number of quotations."""


def run(
    data: Path,
    *,
    split: str = "val",
    systems: Sequence[str] = MAIN,
    models: Sequence[str] = (),
    load: Callable[[str], Encoder],
    load_reranker: Callable[[], Reranker | None] = lambda: None,
    contexts: Sequence[Context] = CONTEXTS,
    work: str = "",
    by_length: bool = False,
    paired_with: str = "",
    progress: Progress = silent,
) -> list[Report]:
    """Return a report per context and system, and with by_length per size of quotation too.

    systems are names from SYSTEMS; a name of an encoding system means one system per model, unless
    it names a model (dense:model). load loads a model, load_reranker the cross-encoder of the
    systems that have one. work is a part of the title of the works to keep, all if empty.
    paired_with is the name of a system of this run that the others are compared with, quotation by
    quotation. Raises UsageError for an unknown system, split, context or work, NoMatch for a split
    without quotations, and the errors of data.read and load.
    """
    names, known = select_systems(systems, models)
    against = resolve_name(paired_with, names) if paired_with else ""
    for left, right in contexts:
        if not (0 <= left <= CONTEXT and 0 <= right <= CONTEXT and left + right):
            raise UsageError(f"{left}/{right} is not a context; give two numbers, 0 to {CONTEXT}")
    read = relic_data.read(data, split)
    works = select_works(read, split, work)
    encoders = {
        model: load(model) for model in dict.fromkeys(known[name].model for name in names) if model
    }
    reranker = load_second_stage(names, load_reranker)
    benchmark = _Benchmark(names, known, contexts, WordAverages(read), reranker)
    for done, searched in enumerate(works):
        progress(searched.title, done, len(works))
        benchmark.add(searched, encoders)
    return list(benchmark.reports(split, relic_data.sha256(works), by_length, against))


def select_works(works: Sequence[QuotedWork], split: str, title: str = "") -> list[QuotedWork]:
    """Return the works of a split with the given words in their title; raises UsageError if there
    are none, and NoMatch if they quote nothing."""
    selected = [work for work in works if relic_data.fold(title) in relic_data.fold(work.title)]
    if works and not selected:
        titles = "; ".join(one_line(work.title, 60) for work in works)
        raise UsageError(f"no work of {split} matches {title[:60]!r}; choose from: {titles}")
    if not any(work.windows for work in selected):
        raise NoMatch(f"no works of {split} have quotations; choose another split or mine more")
    return selected


def load_second_stage(
    names: Sequence[str], load_reranker: Callable[[], Reranker | None]
) -> Reranker | None:
    """Return the cross-encoder of the systems that have one, else None; raises UsageError if they
    need one and there is none."""
    if not any(name.startswith("cross:") for name in names):
        return None
    if (reranker := load_reranker()) is None:
        raise UsageError("the system cross needs a second stage; name one with --rerank")
    return reranker


def parse_context(text: str) -> Context:
    """Return the context of a string such as 4/4; raises UsageError for any other string."""
    if not (match := re.fullmatch(r"(\d)/(\d)", text.strip())):
        raise UsageError(f"{text!r} is not a context; write LEFT/RIGHT sentences, such as 4/4")
    return int(match[1]), int(match[2])


def prepared_batches(
    searched: SearchedWork, names: Sequence[str], systems: Mapping[str, RetrievalSystem]
) -> Iterator[list[QuotationWindow]]:
    """Yield the quotations of a work, at most BATCH of one size at a time, with the systems
    prepared for that size; the preparation does not count as time of ranking."""
    windows = searched.work.windows
    for size in sorted({window.size for window in windows}):
        searched.select_size(size)
        for name in names:
            for part in with_parts(name, systems):
                systems[part].prepare(searched)
        of_size = [window for window in windows if window.size == size]
        for first in range(0, len(of_size), BATCH):
            yield of_size[first : first + BATCH]


class _Benchmark:
    """The outcomes by context and system, with the quotations always in the same order."""

    def __init__(
        self,
        names: Sequence[str],
        systems: Mapping[str, RetrievalSystem],
        contexts: Sequence[Context],
        words: WordAverages,
        reranker: Reranker | None,
    ) -> None:
        self._names = names
        self._systems = systems
        self._contexts = contexts
        self._words = words
        self._reranker = reranker
        self._outcomes: dict[tuple[Context, str], list[QuotationOutcome]] = {}
        self._seconds: defaultdict[tuple[Context, str, int], float] = defaultdict(float)
        self._preparation_seconds: defaultdict[str, float] = defaultdict(float)

    def add(self, work: QuotedWork, encoders: Mapping[str, Encoder]) -> None:
        """Rank all quotations of a work in every context by every system."""
        searched = SearchedWork(work, encoders, self._words)
        for batch in prepared_batches(searched, self._names, self._systems):
            self._add_batch(searched, batch)
        for name in self._names:
            self._preparation_seconds[name] += sum(
                searched.seconds[part] for part in with_parts(name, self._systems)
            )

    def _add_batch(self, searched: SearchedWork, windows: Sequence[QuotationWindow]) -> None:
        starts = searched.work.candidates[searched.size]
        gold = [starts.index(window.start) for window in windows]
        choices = _proxy_choices(searched, windows, gold)
        for context in self._contexts:
            claims = [window.claim(*context) for window in windows]
            batch = ClaimBatch(searched, claims, self._systems, self._reranker)
            for name in self._names:
                self._add_outcomes(context, name, batch, gold, choices)

    def _add_outcomes(
        self,
        context: Context,
        name: str,
        batch: ClaimBatch,
        gold: Sequence[int],
        choices: Sequence[Sequence[int]],
    ) -> None:
        outcomes = self._outcomes.setdefault((context, name), [])
        size = batch.searched.size
        for scores, right, wrong in zip(batch.scores(name), gold, choices, strict=True):
            proxy = rank_candidate(scores[[right, *wrong]], 0).recall(1)
            rank = rank_candidate(scores, right)
            outcomes.append(QuotationOutcome(size, len(scores), rank, proxy))
        for reported_size in (0, size):
            self._seconds[context, name, reported_size] += batch.seconds[name]

    def reports(
        self, split: str, data_sha256: str, by_length: bool, against: str
    ) -> Iterator[Report]:
        """Yield a report per context, system and size; size 0 means all."""
        for context, name in self._outcomes:
            for size in range(LONGEST + 1) if by_length else (0,):
                figures, n = self._figures(context, name, size, against)
                if not n:
                    continue
                yield Report(
                    f"relic {context[0]}/{context[1]}" + (f" n={size}" if size else ""),
                    split,
                    name,
                    figures,
                    n,
                    self._seconds[context, name, size],
                    self._systems[name].model,
                    data_sha256,
                    commit(),
                    query_columns(
                        _of_size(self._outcomes[context, name], size),
                        proxy=name not in WITHOUT_PROXY,
                    ),
                )

    def _figures(
        self, context: Context, name: str, size: int, against: str
    ) -> tuple[dict[str, float], int]:
        """Return the figures for the quotations of a size, and the number of these."""
        outcomes = _of_size(self._outcomes[context, name], size)
        if not outcomes:
            return {}, 0
        figures = measures(outcomes, proxy=name not in WITHOUT_PROXY)
        if against not in ("", name):
            figures |= compare(outcomes, _of_size(self._outcomes[context, against], size))
        if not size:
            figures["prepare_s"] = self._preparation_seconds[name]
        return figures, len(outcomes)


def _of_size(outcomes: Sequence[QuotationOutcome], size: int) -> list[QuotationOutcome]:
    return [outcome for outcome in outcomes if size in (0, outcome.size)]


def _proxy_choices(
    searched: SearchedWork, windows: Sequence[QuotationWindow], gold: Sequence[int]
) -> list[list[int]]:
    """Return the wrong answers of the proxy task: BM25's first, given all of the context.

    They are the same for every system and context, as in the paper's study with people.
    """
    return [
        rivals(searched.okapi().scores(window.claim(CONTEXT, CONTEXT)), right, searched.text)
        for window, right in zip(windows, gold, strict=True)
    ]
