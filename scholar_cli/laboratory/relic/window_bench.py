"""Compare ways to store a novel's vectors and to score its windows, with their costs.

Each system ranks places of the quoted novel for a claim, which is a critic's prose around [MASK];
the mean reciprocal rank (MRR) uses the first place that is the missing quotation. Constants
of the product are chosen on the split "train" and reported on "val" or "test". Systems are composed
of the product's own functions, so the figures describe the product.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.relic_bm25 import tokenize
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork, fold
from scholar_cli.laboratory.relic.window_layouts import BLOCKS, Layout, SearchedNovel, layout_cost
from scholar_cli.laboratory.relic.window_systems import MAIN, SYSTEMS, Place
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.arrays import Ints1d
from scholar_indexes.books.adding.ingest import normalize_sentence
from scholar_indexes.claims import MASK
from scholar_indexes.errors import ConfigError, Damaged, NoMatch, UsageError
from scholar_indexes.models.encoder import Encoder, MeanPooled
from scholar_indexes.models.engines import load
from scholar_indexes.models.registry import find
from scholar_indexes.settings import DEFAULT_MODEL
from scholar_indexes.storage.passages import PassageTable, SentenceRows
from scholar_indexes.types import Progress, silent

CONTEXTS = ((1, 0), (1, 1))
"""Sentences before and after the quotation that make a query."""

CUTS = (1, 3, 10, 50)

PER_AUTHOR = 2
"""Works of one author, at most: half of what critics quote is by Dickens."""


def run(
    data: Path,
    *,
    split: str = "train",
    books: int = 8,
    queries: int = 40,
    seed: int = 0,
    systems: Sequence[str] = (),
    models: Sequence[str] = (DEFAULT_MODEL,),
    pulled: Path,
    threads: int = 0,
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report per model, context and system, on works in RELiC's format.

    systems defaults to all on "train", to MAIN on the other splits. models are names of pulled or
    packaged models, or folders. Systems that cannot run here are skipped, and say is called with
    the reason. Raises UsageError for an unknown system or a model that is not mean-pooled, NoMatch
    for a split without quotations, and the errors of data.read, find and load.
    """
    names = tuple(systems) or (tuple(SYSTEMS) if split == "train" else MAIN)
    if unknown := [name for name in names if name not in SYSTEMS]:
        raise UsageError(f"there is no system {unknown[0]!r}; choose from: {', '.join(SYSTEMS)}")
    works = draw_works(relic_data.read(data, split), books, queries, seed)
    if not works:
        raise NoMatch(
            f"{data / split}.json has no quotation with a critic's words before it; choose another "
            "split or mine more"
        )
    loaded = {model: _load_engines(names, model, pulled, threads, say) for model in models}
    data_sha256 = relic_data.sha256(works)
    reports: list[Report] = []
    for model, (possible, engines) in loaded.items():
        benchmark = _Benchmark(possible)
        for done, work in enumerate(works):
            progress(work.title, done, len(works))
            with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
                benchmark.add(_novel(work, engines, Path(working), possible))
        reports += benchmark.reports(split, model, data_sha256)
    return reports


def draw_works(
    works: Iterable[QuotedWork], books: int, queries: int, seed: int
) -> list[QuotedWork]:
    """Return a random sample of at most `books` works with at most `queries` quotations each.

    Works that are quoted often enough come first, at most PER_AUTHOR of an author if the titles
    name one. Quotations without a critic's words before them are skipped.
    """
    askable = [replace(work, windows=tuple(filter(_has_claim, work.windows))) for work in works]
    order = [work for work in askable if work.windows]
    Random(seed).shuffle(order)
    order.sort(key=lambda work: -min(len(work.windows), queries))
    chosen: list[QuotedWork] = []
    by_author: Counter[str] = Counter()
    for work in order:
        author = _author(work.title)
        if len(chosen) < books and by_author[author] < PER_AUTHOR:
            by_author[author] += bool(author)
            count = min(queries, len(work.windows))
            windows = Random(f"{seed} {work.title}").sample(work.windows, count)
            chosen.append(replace(work, windows=tuple(windows)))
    return chosen


def _has_claim(window: QuotationWindow) -> bool:
    return bool(tokenize(MASK.sub(" ", window.claim(*CONTEXTS[0]))))


def _author(title: str) -> str:
    """Return the author in a mined title such as "Emma (Jane Austen)"; "" without one."""
    match = re.search(r"\(([^()]+)\)(?: \[[^]]*\])?$", title)
    return fold(match[1]) if match else ""


def sentence_chapters(work: QuotedWork) -> Ints1d:
    """Return the number of each sentence's chapter, (sentences,).

    RELiC's format has no chapters, but its candidates stay inside one: where no candidate of
    two sentences begins, a chapter ends.
    """
    inside = work.candidates.get(2, range(len(work.sentences)))
    breaks = ~np.isin(np.arange(len(work.sentences) - 1), np.array(inside, np.int64))
    return np.concatenate(([0], np.cumsum(breaks))).astype(np.int64)


class _Benchmark:
    """The gains of every ranking by context and system, and the costs of the layouts."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._gains: dict[tuple[Place, str], list[list[float]]] = {}
        self._seconds: defaultdict[tuple[Place, str], float] = defaultdict(float)
        self._costs: dict[Layout, list[dict[str, float]]] = {}

    def add(self, novel: SearchedNovel) -> None:
        """Rank the novel for all its quotations by every system."""
        for context in CONTEXTS:
            self._add_context(novel, context)
        for layout in novel.encoded:
            self._costs.setdefault(layout, []).append(layout_cost(novel, layout))

    def _add_context(self, novel: SearchedNovel, context: Place) -> None:
        windows = novel.work.windows
        queries = [novel.query(window.claim(*context)) for window in windows]
        for name in self._names:
            system = SYSTEMS[name]
            if system.layout is not None:
                novel.vectors(system.layout)  # not part of the time of ranking
            gains = self._gains.setdefault((context, name), [])
            start = time.perf_counter()
            for window, query in zip(windows, queries, strict=True):
                quotation = (window.start, window.start + window.size)
                places = system.rank(novel, query)
                gains.append([float(is_match(place, quotation, novel.words)) for place in places])
            self._seconds[context, name] += time.perf_counter() - start

    def reports(self, split: str, model: str, data_sha256: str) -> Iterator[Report]:
        """Yield a report per context and system."""
        for (context, name), gains in self._gains.items():
            yield Report(
                f"windows {context[0]}/{context[1]}",
                split,
                name,
                self._figures(context, name),
                len(gains),
                self._seconds[context, name],
                model,
                data_sha256,
                commit(),
            )

    def _figures(self, context: Place, name: str) -> dict[str, float]:
        gains = self._gains[context, name]
        ranks = list(map(metrics.reciprocal_rank, gains))
        figures = metrics.bootstrap(ranks).figures("mrr")
        for k in CUTS:
            figures[f"success@{k}"] = metrics.mean([metrics.success(row, k) for row in gains])
        other = self._gains.get((context, SYSTEMS[name].against))
        if other is not None:
            other_ranks = list(map(metrics.reciprocal_rank, other))
            figures |= metrics.difference(ranks, other_ranks).figures("gain")
        if (layout := SYSTEMS[name].layout) is not None:
            costs = self._costs[layout]
            figures |= {key: metrics.mean([cost[key] for cost in costs]) for key in costs[0]}
        return figures


def is_match(place: Place, quotation: Place, words: Ints1d) -> bool:
    """Return True if a place and the quotation share half of the words of the shorter of the two.

    words (n,) are the numbers of words of the novel's sentences.
    """
    shared = slice(max(place[0], quotation[0]), min(place[1], quotation[1]))
    shorter = min(words[slice(*place)].sum(), words[slice(*quotation)].sum())
    return shared.start < shared.stop and bool(words[shared].sum() >= shorter / 2)


def _load_engines(
    names: Sequence[str], model: str, pulled: Path, threads: int, say: Callable[[str], None]
) -> tuple[Sequence[str], dict[str, MeanPooled]]:
    """Return the systems that can run with a model here, and the engines they need."""
    files = find(model, pulled)
    engines = {"own": _check_pooling(model, load(files, "cpu", threads))}
    if any(SYSTEMS[name].engine == "float32" for name in names):
        from scholar_indexes.models import torch_encoder

        try:
            if files.onnx is None:
                raise ConfigError(f"{model} is not quantized")
            exact = torch_encoder.load(files, "cpu", threads)
            engines["float32"] = _check_pooling(model, exact)
        except (ConfigError, Damaged) as missing:
            names = [name for name in names if SYSTEMS[name].engine != "float32"]
            say(f"float32 is skipped: {missing}")
    return names, engines


def _check_pooling(model: str, loaded: Encoder) -> MeanPooled:
    if not isinstance(loaded, MeanPooled):
        raise UsageError(f"{model} is not mean-pooled and has no blocks; choose another")
    return loaded


def _novel(
    work: QuotedWork, engines: Mapping[str, MeanPooled], folder: Path, systems: Sequence[str]
) -> SearchedNovel:
    """Return a work ready to be searched, with a table if a system needs one."""
    texts = work.sentences
    novel = SearchedNovel(
        work,
        engines,
        [normalize_sentence(text) for text in texts],
        sentence_chapters(work),
        np.array([len(text.split()) for text in texts], np.int64),
    )
    if any(part in name for name in systems for part in ("lexical", "hybrid", "product")):
        encoded = novel.vectors(BLOCKS[64])
        chapters = novel.chapters.tolist()
        rows = SentenceRows(range(len(texts)), chapters, texts, encoded.vectors, encoded.weights)
        engine = engines["own"]
        novel.table = PassageTable(folder / "index", engine.space, engine.dimensions)
        novel.table.write(0, [rows])
        novel.table.optimize()
    return novel
