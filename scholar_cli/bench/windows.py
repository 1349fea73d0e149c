"""What an index could store of a novel, how it could score windows, and what either costs.

Each system ranks places of the quoted novel for a claim, which is a critic's prose
around [MASK]; the mean reciprocal rank (MRR) is of the first place that is the missing
quotation. Constants of the product are chosen on the split "train" and reported on
"val" or "test". Systems are put together from the product's own pieces, so a figure
here is about them.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from scholar_cli.bench import metrics, relic_form
from scholar_cli.bench.relic import Okapi, bag
from scholar_cli.bench.relic_form import Window, Work, folded
from scholar_cli.bench.report import Report, commit
from scholar_indexes import ranking
from scholar_indexes.encoder import MASK, Encoder, MeanPooled
from scholar_indexes.engines import load
from scholar_indexes.errors import ConfigError, Damaged, NoMatch, UsageError
from scholar_indexes.ingest import plain
from scholar_indexes.models import find
from scholar_indexes.ranking import Floats, Floats1d, Floats2d, Ints1d, Place, Windows
from scholar_indexes.search import CANDIDATES, Mode, Question, keywords, readable, search
from scholar_indexes.settings import DEFAULT_MODEL
from scholar_indexes.store import EVERYTHING, Rows, Store
from scholar_indexes.types import Progress, silent

LIMIT = 100
"""Places a system hands out; a quotation beyond them counts as not found."""

CONTEXTS = ((1, 0), (1, 1))
"""Sentences before and after the quotation that make a query."""

CUTS = (1, 3, 10, 50)

PER_AUTHOR = 2
"""Works of one author: half of what critics quote is by Dickens."""

MARKS = 2
"""Tokens at either end of what an encoder reads: a block of 64 has room for 62."""

Edges = tuple[int, int]
"""Sentences [first, end) of a novel."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is encoded at a time: "alone" a sentence, "blocks" neighbours of up to size
    tokens that are pooled one by one, "whole" three sentences, beginning at every size-th.

    The engine "own" is the product's on a CPU, int8 for a packaged model. "float32" runs
    in torch with the same int8 weights, unpacked, so it shows what the quantising of
    activations costs, not that of weights.
    """

    kind: str
    size: int = 1
    engine: str = "own"


ALONE = Layout("alone")
BLOCKS = {size: Layout("blocks", size) for size in (32, 64, 128)}
EXACT = Layout("blocks", 64, "float32")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Stored vectors, the lengths they had, and the windows they stand for where those
    are more than single sentences."""

    vectors: Floats2d
    weights: Floats1d
    of: Windows | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Query:
    """A claim, and its vector by each engine."""

    text: str
    vectors: Mapping[str, Floats1d]


@dataclass(slots=True)
class Novel:
    """A work that is being searched; what is encoded of it is kept."""

    work: Work
    engines: Mapping[str, MeanPooled]
    texts: list[str]
    chapters: Ints1d
    words: Ints1d
    store: Store | None = None
    encoded: dict[Layout, Encoded] = field(default_factory=dict)
    bm25: dict[int, Okapi] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def run(self) -> Ints1d:
        return ranking.runs(np.arange(len(self)), self.chapters)

    def query(self, claim: str) -> Query:
        """A claim with its vectors, encoded by itself as `find` does it: what an int8 model
        makes of a text depends a little on what stands beside it."""
        text = readable(claim)
        vectors = {name: each.encode_claims([text])[0] for name, each in self.engines.items()}
        return Query(text, vectors)

    def vectors(self, layout: Layout) -> Encoded:
        if layout not in self.encoded:
            self.encoded[layout] = _encode(self, layout)
        return self.encoded[layout]


Ranker = Callable[[Novel, Query], list[Edges]]


@dataclass(frozen=True, slots=True)
class System:
    """A way to rank, the layout it needs, and the system it is compared with in pairs."""

    rank: Ranker
    layout: Layout | None = None
    against: str = ""


def chance(novel: Novel, query: Query) -> list[Edges]:
    """Windows of three in an order that says nothing."""
    of = ranking.windows(novel.run, 3, 3)
    seed = int.from_bytes(query.text.encode()[:16], "little")
    scores = np.random.default_rng(seed).random(len(of.start)).astype(np.float32)
    return _edges(ranking.places(scores, of, len(novel), LIMIT))


def paper_bm25(novel: Novel, query: Query, *, sentences: int) -> list[Edges]:
    """RELiC's baseline: BM25 over all windows of so many sentences."""
    of = ranking.windows(novel.run, sentences, sentences)
    if sentences not in novel.bm25:
        novel.bm25[sentences] = Okapi(novel.texts, of.start, sentences)
    scores = novel.bm25[sentences].scores(query.text).astype(np.float32)
    return _edges(ranking.places(scores, of, len(novel), LIMIT))


def dense(
    novel: Novel,
    query: Query,
    *,
    layout: Layout,
    lengths: Edges = (1, 5),
    brief: int = 0,
    everywhere: bool = False,
) -> list[Edges]:
    """Cosine with windows around the nearest sentences, or with all of them."""
    return _edges(_dense(novel, query, layout, lengths, brief, everywhere))


def lexical(novel: Novel, query: Query, *, brief: int = 0) -> list[Edges]:
    """LanceDB's BM25 of sentences, added up over windows."""
    return _edges(_lexical(novel, query, brief))


def hybrid(novel: Novel, query: Query, *, layout: Layout, brief: int = 0) -> list[Edges]:
    """Both in one score, of the windows around the best sentences of either."""
    encoded, vector = novel.vectors(layout), query.vectors[layout.engine]
    near, bm25 = encoded.vectors @ vector, _bm25(novel, query)
    either = (_around(near, 4, novel), _around(bm25, 4, novel, int((bm25 > 0).sum())))
    rows = np.unique(np.concatenate(either))
    of = ranking.windows(ranking.runs(rows, novel.chapters[rows]), 1, 5)
    cosines = _cosines(novel, encoded, vector, rows, of)
    blended = ranking.blend(cosines, ranking.lexical_scores(bm25[rows], of))
    return _edges(_places(blended, of, rows, novel, brief))


def product(novel: Novel, query: Query, *, mode: Mode) -> list[Edges]:
    """`scholar find` itself, on a table of this one novel."""
    assert novel.store is not None
    asked = Question(query.text, mode, n=LIMIT)
    answers = search(novel.store, lambda: novel.engines["own"], asked)
    return [(each.first, each.end) for each in answers]


def _systems() -> dict[str, System]:
    """By name: -3 are windows of three instead of one to five, -t16 are tempered."""
    whole, thinned = Layout("whole", 1), Layout("whole", 2)
    blocks = BLOCKS[64]

    def near(layout: Layout, against: str = "blocks64", **how: Any) -> System:
        return System(partial(dense, layout=layout, **how), layout, against)

    def fused(layout: Layout, brief: int, against: str) -> System:
        return System(partial(hybrid, layout=layout, brief=brief), layout, against)

    systems = {
        "random": System(chance),
        "bm25-1": System(partial(paper_bm25, sentences=1)),
        "bm25-3": System(partial(paper_bm25, sentences=3)),
        "alone-1": near(ALONE, lengths=(1, 1)),
        "alone-3": near(ALONE, lengths=(3, 3)),
        "alone": near(ALONE),
        "alone-t16": near(ALONE, "blocks64-t16", brief=16),
        "whole": near(whole),
        "whole-stride2": near(thinned),
        "whole-t16": near(whole, "blocks64-t16", brief=16),
        "blocks32": near(BLOCKS[32]),
        "blocks64": near(blocks, ""),
        "blocks128": near(BLOCKS[128]),
        "blocks32-t16": near(BLOCKS[32], "blocks64-t16", brief=16),
        "blocks64-t16": near(blocks, brief=16),
        "blocks128-t16": near(BLOCKS[128], "blocks64-t16", brief=16),
        "blocks64-3": near(blocks, lengths=(3, 3)),
        "blocks64-3-t16": near(blocks, "blocks64-t16", lengths=(3, 3), brief=16),
        "blocks64-everywhere": near(blocks, everywhere=True),
        "blocks64-everywhere-t16": near(blocks, "blocks64-t16", everywhere=True, brief=16),
        "lexical": System(lexical, blocks),
        "lexical-t16": System(partial(lexical, brief=16), blocks, "lexical"),
        "hybrid": fused(blocks, 0, ""),
        "hybrid-t16": fused(blocks, 16, "hybrid"),
        "float32-t16": near(EXACT, "blocks64-t16", brief=16),
        "float32-hybrid-t16": fused(EXACT, 16, "hybrid-t16"),
    }
    for brief in (8, 32, 64):
        systems |= {
            f"blocks64-t{brief}": near(blocks, "blocks64-t16", brief=brief),
            f"lexical-t{brief}": System(partial(lexical, brief=brief), blocks, "lexical-t16"),
            f"hybrid-t{brief}": fused(blocks, brief, "hybrid-t16"),
        }
    for mode, pieces in (("dense", "blocks64"), ("lexical", "lexical"), ("hybrid", "hybrid")):
        ranker = partial(product, mode=Mode(mode))
        systems[f"product-{mode}"] = System(ranker, blocks, f"{pieces}-t16")
    return systems


SYSTEMS: Mapping[str, System] = _systems()

MAIN = (
    "random", "bm25-1", "bm25-3", "alone", "blocks64", "blocks64-t16", "lexical", "lexical-t16",
    "hybrid", "hybrid-t16", "float32-t16", "float32-hybrid-t16", "product-hybrid",
)  # fmt: skip
"""What "val" and "test" are for: the product as it is, and what it is compared with."""


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
    """A report per model, context and system, on works in RELiC's form.

    systems defaults to all on "train", to MAIN on the other splits. models are names,
    found in pulled or packaged, or folders. What cannot run here is left out, and say is
    told. Raises UsageError for a system that is none or a model that is not pooled by the
    mean, NoMatch for a split without quotations, and what relic_form.read, find and load
    raise.
    """
    names = tuple(systems) or (tuple(SYSTEMS) if split == "train" else MAIN)
    if strange := [name for name in names if name not in SYSTEMS]:
        raise UsageError(f"there is no system {strange[0]!r}; choose from: {', '.join(SYSTEMS)}")
    works = drawn(relic_form.read(data, split), books, queries, seed)
    if not works:
        raise NoMatch(
            f"{data / split}.json has no quotation with a critic's words before it; choose another "
            "split or mine more"
        )
    loaded = {model: _possible(names, model, pulled, threads, say) for model in models}
    data_sha256 = relic_form.sha256(works)
    reports = []
    for model, (possible, by_name) in loaded.items():
        measured = _Measured(possible)
        for done, work in enumerate(works):
            progress(work.title, done, len(works))
            with tempfile.TemporaryDirectory(prefix="scholar-bench-") as working:
                novel = _novel(work, by_name, Path(working), any(map(_needs_store, possible)))
                for context in CONTEXTS:
                    measured.add(novel, context)
        reports += measured.reports(split, model, data_sha256)
    return reports


def drawn(works: Iterable[Work], books: int, queries: int, seed: int) -> list[Work]:
    """At most so many works with at most so many quotations of each, by chance.

    Works that are quoted often enough come first, at most PER_AUTHOR of an author where
    the titles name one. A quotation without a critic's words before it is left out.
    """
    asking = [replace(work, windows=tuple(filter(_asks, work.windows))) for work in works]
    order = [work for work in asking if work.windows]
    Random(seed).shuffle(order)
    order.sort(key=lambda work: -min(len(work.windows), queries))
    chosen: list[Work] = []
    of_author: Counter[str] = Counter()
    for work in order:
        author = _author(work.title)
        if len(chosen) < books and of_author[author] < PER_AUTHOR:
            of_author[author] += bool(author)
            some = min(queries, len(work.windows))
            windows = Random(f"{seed} {work.title}").sample(work.windows, some)
            chosen.append(replace(work, windows=tuple(windows)))
    return chosen


def _asks(window: Window) -> bool:
    return bool(bag(MASK.sub(" ", window.claim(*CONTEXTS[0]))))


def _author(title: str) -> str:
    """The author in a title as it is mined, "Emma (Jane Austen)"; "" where there is none."""
    found = re.search(r"\(([^()]+)\)(?: \[[^]]*\])?$", title)
    return folded(found[1]) if found else ""


def chapters(work: Work) -> Ints1d:
    """The chapter of each sentence. RELiC's form has none, but its candidates stay inside
    one: where none of two sentences begins, a chapter ends."""
    inside = work.candidates.get(2, range(len(work.sentences)))
    breaks = ~np.isin(np.arange(len(work.sentences) - 1), np.array(inside, np.int64))
    return np.concatenate(([0], np.cumsum(breaks))).astype(np.int64)


class _Measured:
    """Reciprocal ranks by context and system, and what the layouts cost."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._gains: dict[tuple[Edges, str], list[list[float]]] = {}
        self._seconds: dict[tuple[Edges, str], float] = {}
        self._cost: dict[Layout, list[dict[str, float]]] = {}

    def add(self, novel: Novel, context: Edges) -> None:
        asked = novel.work.windows
        queries = [novel.query(each.claim(*context)) for each in asked]
        for name in self._names:
            system = SYSTEMS[name]
            if system.layout is not None:
                novel.vectors(system.layout)  # its time is a cost of its own
            gains = self._gains.setdefault((context, name), [])
            start = time.perf_counter()
            for window, query in zip(asked, queries, strict=True):
                quoted = (window.start, window.start + window.size)
                ranked = system.rank(novel, query)
                gains.append([float(is_it(each, quoted, novel.words)) for each in ranked])
            spent = time.perf_counter() - start
            self._seconds[context, name] = self._seconds.get((context, name), 0.0) + spent
        if context == CONTEXTS[0]:
            for layout in novel.encoded:
                self._cost.setdefault(layout, []).append(_cost(novel, layout))

    def reports(self, split: str, model: str, data_sha256: str) -> list[Report]:
        reports = []
        for (context, name), gains in self._gains.items():
            ranks = [metrics.reciprocal_rank(each) for each in gains]
            mrr = metrics.bootstrap(ranks)
            figures = {"mrr": mrr.mean, "mrr_low": mrr.low, "mrr_high": mrr.high}
            for k in CUTS:
                figures[f"success@{k}"] = metrics.mean([metrics.success(each, k) for each in gains])
            other = self._gains.get((context, SYSTEMS[name].against))
            if other is not None:
                gain = metrics.difference(ranks, [metrics.reciprocal_rank(each) for each in other])
                figures |= {"gain": gain.mean, "gain_low": gain.low, "gain_high": gain.high}
            if (layout := SYSTEMS[name].layout) is not None:
                costs = self._cost[layout]
                figures |= {key: metrics.mean([cost[key] for cost in costs]) for key in costs[0]}
            reports.append(
                Report(
                    f"windows {context[0]}/{context[1]}", split, name, figures, len(gains),
                    self._seconds[context, name], model, data_sha256, commit(),
                )
            )  # fmt: skip
        return reports


def is_it(found: Edges, quoted: Edges, words: Ints1d) -> bool:
    """Whether a place is the quotation: they share half of the words of the shorter of the
    two. words (n,) are how many each sentence of the novel has."""
    shared = slice(max(found[0], quoted[0]), min(found[1], quoted[1]))
    shorter = min(words[slice(*found)].sum(), words[slice(*quoted)].sum())
    return shared.start < shared.stop and bool(words[shared].sum() >= shorter / 2)


def _possible(
    names: Sequence[str], model: str, pulled: Path, threads: int, say: Callable[[str], None]
) -> tuple[Sequence[str], dict[str, MeanPooled]]:
    """The systems that can run with a model here, and the engines they need."""
    files = find(model, pulled)
    loaded = {"own": _mean_pooled(model, load(files, "cpu", threads))}
    if any(_engine(name) == "float32" for name in names):
        from scholar_indexes import torch_encoder

        try:
            if files.onnx is None:
                raise ConfigError(f"{model} has nothing else to compare it with")
            exact = torch_encoder.load(files, "cpu", threads)
            loaded["float32"] = _mean_pooled(model, exact)
        except (ConfigError, Damaged) as absent:
            names = [name for name in names if _engine(name) != "float32"]
            say(f"float32 is left out: {absent}")
    return names, loaded


def _engine(name: str) -> str:
    layout = SYSTEMS[name].layout
    return layout.engine if layout else ""


def _needs_store(name: str) -> bool:
    return any(part in name for part in ("lexical", "hybrid", "product"))


def _mean_pooled(model: str, loaded: Encoder) -> MeanPooled:
    if not isinstance(loaded, MeanPooled):
        raise UsageError(f"{model} is not pooled by the mean and has no blocks; choose another")
    return loaded


def _novel(work: Work, engines: Mapping[str, MeanPooled], folder: Path, stored: bool) -> Novel:
    texts = work.sentences
    novel = Novel(
        work, engines, [plain(text) for text in texts], chapters(work),
        np.array([len(text.split()) for text in texts], np.int64),
    )  # fmt: skip
    if stored:
        rows = novel.vectors(BLOCKS[64])
        novel.store = Store(folder / "index", engines["own"].space, engines["own"].dimensions)
        novel.store.write(
            0,
            [Rows(range(len(texts)), novel.chapters.tolist(), texts, rows.vectors, rows.weights)],
        )
        novel.store.tend()
    return novel


def _encode(novel: Novel, layout: Layout) -> Encoded:
    """Encode a novel in a layout, rounded as it would be stored."""
    if layout.kind == "whole" and layout.size > 1:
        return _thinned(novel.vectors(Layout("whole", 1, layout.engine)), layout.size)
    engine = novel.engines[layout.engine]
    of: Windows | None = None
    start = time.perf_counter()
    if layout.kind == "blocks":
        vectors, weights = engine.encode_sentences(
            novel.texts, novel.chapters.tolist(), block_tokens=layout.size - MARKS
        )
    elif layout.kind == "alone":
        vectors = engine.encode(novel.texts)
        weights = np.ones(len(vectors), np.float32)
    else:
        of = ranking.windows(novel.run, 3, 3)
        vectors = engine.encode(
            [" ".join(novel.texts[first : first + 3]) for first in of.start.tolist()]
        )
        weights = np.ones(len(vectors), np.float32)
    seconds = time.perf_counter() - start
    return Encoded(vectors.astype(np.float16).astype(np.float32), weights, of, seconds)


def _thinned(every: Encoded, stride: int) -> Encoded:
    """Only every stride-th window, at its share of the time."""
    assert every.of is not None
    return Encoded(
        every.vectors[::stride],
        every.weights[::stride],
        Windows(every.of.start[::stride], every.of.size[::stride]),
        every.seconds / stride,
    )


def _cost(novel: Novel, layout: Layout) -> dict[str, float]:
    """What a layout costs: passes over the words of the text, and per 1,000 sentences
    the rows, their bytes (float16, and a float32 length where windows are composed) and
    the seconds of encoding."""
    encoded = novel.vectors(layout)
    thousands = len(novel) / 1_000
    read = int(novel.words.sum())
    if encoded.of is not None:
        total = np.concatenate(([0], np.cumsum(novel.words)))
        read = int((total[encoded.of.start + encoded.of.size] - total[encoded.of.start]).sum())
    rows, width = encoded.vectors.shape
    return {
        "passes": read / max(int(novel.words.sum()), 1),
        "rows_per_1000": rows / thousands,
        "bytes_per_1000": rows * (2 * width + 4 * (layout.kind == "blocks")) / thousands,
        "encode_s_per_1000": encoded.seconds / thousands,
    }


def _dense(
    novel: Novel, query: Query, layout: Layout, lengths: Edges, brief: int, everywhere: bool
) -> list[Place]:
    encoded = novel.vectors(layout)
    vector = query.vectors[layout.engine]
    near = encoded.vectors @ vector
    if encoded.of is not None:
        return _places(near, encoded.of, np.arange(len(novel)), novel, brief)
    rows = np.arange(len(novel)) if everywhere else _around(near, lengths[1] - 1, novel)
    of = ranking.windows(ranking.runs(rows, novel.chapters[rows]), *lengths)
    return _places(_cosines(novel, encoded, vector, rows, of), of, rows, novel, brief)


def _cosines(
    novel: Novel, encoded: Encoded, vector: Floats1d, rows: Ints1d, of: Windows
) -> Floats1d:
    around = ranking.neighbourhoods(vector, encoded.vectors, encoded.weights, novel.run)
    return ranking.dense_scores(
        vector, encoded.vectors[rows], encoded.weights[rows], of, around[rows]
    )


def _lexical(novel: Novel, query: Query, brief: int) -> list[Place]:
    scores = _bm25(novel, query)
    if not (scores > 0).any():
        return []
    rows = _around(scores, 4, novel, int((scores > 0).sum()))
    of = ranking.windows(ranking.runs(rows, novel.chapters[rows]), 1, 5)
    ranked = _places(ranking.lexical_scores(scores[rows], of), of, rows, novel, brief)
    return [place for place in ranked if place.score > 0]


def _bm25(novel: Novel, query: Query) -> Floats1d:
    """LanceDB's BM25 of each sentence, 0 for all but the best."""
    assert novel.store is not None
    matched, bm25 = novel.store.matching(keywords(query.text), CANDIDATES, EVERYTHING)
    scores = np.zeros(len(novel), np.float32)
    scores[matched] = bm25
    return scores


def _around(scores: Floats1d, reach: int, novel: Novel, k: int = CANDIDATES) -> Ints1d:
    """The rows within reach of the k best sentences."""
    best = np.argsort(-scores, kind="stable")[:k]
    rows = np.unique((best[:, None] + np.arange(-reach, reach + 1)).ravel())
    return rows[(rows >= 0) & (rows < len(novel))]


def _places(scores: Floats, of: Windows, rows: Ints1d, novel: Novel, brief: int) -> list[Place]:
    """The best places, in sentences of the novel. A window's rows follow one another."""
    if brief:
        scores = ranking.tempered(scores, novel.words[rows], of, brief_words=brief)
    return [
        Place(int(rows[each.start]), int(rows[each.end - 1]) + 1, each.rank, each.score)
        for each in ranking.places(scores, of, len(rows), 3 * LIMIT)
    ]


def _edges(places: Sequence[Place]) -> list[Edges]:
    return [(each.start, each.end) for each in places[:LIMIT]]
