"""Systems that rank the windows of a novel for a claim, by how they store and score them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scholar_cli.laboratory.relic.relic_bm25 import Okapi
from scholar_cli.laboratory.relic.window_layouts import (
    ALONE,
    BLOCKS,
    EXACT,
    EncodedWindows,
    Layout,
    SearchedNovel,
    WindowQuery,
)
from scholar_indexes.arrays import AnyFloats, Floats1d, Ints1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.requests import Mode
from scholar_indexes.retrieval import ranking
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.retrieval.search import CANDIDATES, Query, keywords, search
from scholar_indexes.storage.passages import EVERYTHING

LIMIT = 100
"""Places that a system returns; a quotation beyond them counts as not found."""

Place = tuple[int, int]
"""Sentences [first, end) of a novel."""

Ranker = Callable[[SearchedNovel, WindowQuery], list[Place]]


@dataclass(frozen=True, slots=True)
class WindowSystem:
    """A ranker, the layout it needs, and the system it is compared with in pairs."""

    rank: Ranker
    layout: Layout | None = None
    against: str = ""

    @property
    def engine(self) -> str:
        """The engine of the layout; "" without one."""
        return self.layout.engine if self.layout else ""


def chance(novel: SearchedNovel, query: WindowQuery) -> list[Place]:
    """Return windows of three in a random order."""
    windows = ranking.build_windows(novel.run, 3, 3)
    seed = int.from_bytes(query.text.encode()[:16], "little")
    scores = np.random.default_rng(seed).random(len(windows)).astype(np.float32)
    return _select(scores, windows, novel)


def paper_bm25(novel: SearchedNovel, query: WindowQuery, *, sentences: int) -> list[Place]:
    """Rank all windows of the given number of sentences by RELiC's baseline."""
    windows = ranking.build_windows(novel.run, sentences, sentences)
    if sentences not in novel.bm25:
        novel.bm25[sentences] = Okapi(novel.texts, windows.start, sentences)
    scores = novel.bm25[sentences].scores(query.text).astype(np.float32)
    return _select(scores, windows, novel)


def dense(
    novel: SearchedNovel,
    query: WindowQuery,
    *,
    layout: Layout,
    sizes: tuple[int, int] = (1, 5),
    brief_words: int = 0,
    everywhere: bool = False,
) -> list[Place]:
    """Rank the windows of sizes (smallest, largest) around the nearest sentences, or all of
    them, by cosine."""
    encoded = novel.vectors(layout)
    vector = query.vectors[layout.engine]
    cosines = encoded.vectors @ vector
    if encoded.windows is not None:
        return _select(cosines, encoded.windows, novel, brief_words)
    rows = np.arange(len(novel)) if everywhere else _around(cosines, sizes[1] - 1, novel)
    windows = ranking.build_windows(ranking.number_runs(rows, novel.chapters[rows]), *sizes)
    scores = _window_cosines(novel, encoded, vector, rows, windows)
    return _select(scores, _in_novel(windows, rows), novel, brief_words)


def lexical(novel: SearchedNovel, query: WindowQuery, *, brief_words: int = 0) -> list[Place]:
    """Rank windows by the sum of LanceDB's BM25 of their sentences."""
    bm25 = _sentence_bm25(novel, query)
    if not (bm25 > 0).any():
        return []
    rows = _around(bm25, 4, novel, int((bm25 > 0).sum()))
    windows = ranking.build_windows(ranking.number_runs(rows, novel.chapters[rows]), 1, 5)
    scores = ranking.lexical_scores(bm25[rows], windows)
    matching = np.flatnonzero(scores > 0)
    in_novel = _in_novel(windows, rows).take(matching)
    return _select(scores[matching], in_novel, novel, brief_words)


def hybrid(
    novel: SearchedNovel, query: WindowQuery, *, layout: Layout, brief_words: int = 0
) -> list[Place]:
    """Rank the windows around the best sentences of dense or lexical search by a blend of both
    scores."""
    encoded, vector = novel.vectors(layout), query.vectors[layout.engine]
    cosines, bm25 = encoded.vectors @ vector, _sentence_bm25(novel, query)
    either = (_around(cosines, 4, novel), _around(bm25, 4, novel, int((bm25 > 0).sum())))
    rows = np.unique(np.concatenate(either))
    windows = ranking.build_windows(ranking.number_runs(rows, novel.chapters[rows]), 1, 5)
    blended = blend_scores(
        _window_cosines(novel, encoded, vector, rows, windows),
        ranking.lexical_scores(bm25[rows], windows),
    )
    return _select(blended, _in_novel(windows, rows), novel, brief_words)


def product(novel: SearchedNovel, query: WindowQuery, *, mode: Mode) -> list[Place]:
    """Rank as `scholar find` does, on a table of this one novel."""
    assert novel.table is not None
    product_query = Query(query.text, mode, n=LIMIT)
    hits = search(novel.table, lambda: novel.engines["own"], product_query)
    return [(hit.place.first, hit.place.end) for hit in hits]


def _window_cosines(
    novel: SearchedNovel, encoded: EncodedWindows, vector: Floats1d, rows: Ints1d, windows: Windows
) -> Floats1d:
    around = ranking.neighbourhood_scores(vector, encoded.vectors, encoded.weights, novel.run)
    return ranking.dense_scores(
        vector, encoded.vectors[rows], encoded.weights[rows], windows, around[rows]
    )


def _sentence_bm25(novel: SearchedNovel, query: WindowQuery) -> Floats1d:
    """Return LanceDB's BM25 of each sentence (m,), 0 for all but the best."""
    assert novel.table is not None
    matched, bm25 = novel.table.matching(keywords(query.text), CANDIDATES, EVERYTHING)
    scores = np.zeros(len(novel), np.float32)
    scores[matched] = bm25
    return scores


def _around(scores: Floats1d, reach: int, novel: SearchedNovel, k: int = CANDIDATES) -> Ints1d:
    """Return the rows within reach of the k best sentences."""
    best = np.argsort(-scores, kind="stable")[:k]
    rows = np.unique((best[:, None] + np.arange(-reach, reach + 1)).ravel())
    return rows[(rows >= 0) & (rows < len(novel))]


def _in_novel(windows: Windows, rows: Ints1d) -> Windows:
    """Return windows of some rows, which are consecutive within each, in sentences of the novel."""
    return Windows(rows[windows.start], windows.size)


def _select(
    scores: AnyFloats, windows: Windows, novel: SearchedNovel, brief_words: int = 0
) -> list[Place]:
    """Return the best windows of a novel that do not overlap, best first."""
    if brief_words:
        scores = ranking.penalize_brevity(scores, novel.words, windows, brief_words=brief_words)
    best = windows.take(ranking.select_windows(scores, windows, len(novel), LIMIT))
    return list(zip(best.start.tolist(), best.end.tolist(), strict=True))


def _systems() -> dict[str, WindowSystem]:
    """Return the systems by name: -3 has windows of three instead of one to five, -t16 penalizes
    windows of fewer than 16 words."""
    whole, strided = Layout("whole", 1), Layout("whole", 2)
    blocks = BLOCKS[64]

    def near(layout: Layout, against: str = "blocks64", **options: Any) -> WindowSystem:
        return WindowSystem(partial(dense, layout=layout, **options), layout, against)

    def fused(layout: Layout, brief_words: int, against: str) -> WindowSystem:
        return WindowSystem(
            partial(hybrid, layout=layout, brief_words=brief_words), layout, against
        )

    systems = {
        "random": WindowSystem(chance),
        "bm25-1": WindowSystem(partial(paper_bm25, sentences=1)),
        "bm25-3": WindowSystem(partial(paper_bm25, sentences=3)),
        "alone-1": near(ALONE, sizes=(1, 1)),
        "alone-3": near(ALONE, sizes=(3, 3)),
        "alone": near(ALONE),
        "alone-t16": near(ALONE, "blocks64-t16", brief_words=16),
        "whole": near(whole),
        "whole-stride2": near(strided),
        "whole-t16": near(whole, "blocks64-t16", brief_words=16),
        "blocks32": near(BLOCKS[32]),
        "blocks64": near(blocks, ""),
        "blocks128": near(BLOCKS[128]),
        "blocks32-t16": near(BLOCKS[32], "blocks64-t16", brief_words=16),
        "blocks64-t16": near(blocks, brief_words=16),
        "blocks128-t16": near(BLOCKS[128], "blocks64-t16", brief_words=16),
        "blocks64-3": near(blocks, sizes=(3, 3)),
        "blocks64-3-t16": near(blocks, "blocks64-t16", sizes=(3, 3), brief_words=16),
        "blocks64-everywhere": near(blocks, everywhere=True),
        "blocks64-everywhere-t16": near(blocks, "blocks64-t16", everywhere=True, brief_words=16),
        "lexical": WindowSystem(lexical, blocks),
        "lexical-t16": WindowSystem(partial(lexical, brief_words=16), blocks, "lexical"),
        "hybrid": fused(blocks, 0, ""),
        "hybrid-t16": fused(blocks, 16, "hybrid"),
        "float32-t16": near(EXACT, "blocks64-t16", brief_words=16),
        "float32-hybrid-t16": fused(EXACT, 16, "hybrid-t16"),
    }
    for brief in (8, 32, 64):
        systems |= {
            f"blocks64-t{brief}": near(blocks, "blocks64-t16", brief_words=brief),
            f"lexical-t{brief}": WindowSystem(
                partial(lexical, brief_words=brief), blocks, "lexical-t16"
            ),
            f"hybrid-t{brief}": fused(blocks, brief, "hybrid-t16"),
        }
    for mode, composed in (("dense", "blocks64"), ("lexical", "lexical"), ("hybrid", "hybrid")):
        ranker = partial(product, mode=Mode(mode))
        systems[f"product-{mode}"] = WindowSystem(ranker, blocks, f"{composed}-t16")
    return systems


SYSTEMS: Mapping[str, WindowSystem] = _systems()

MAIN = (
    "random",
    "bm25-1",
    "bm25-3",
    "alone",
    "blocks64",
    "blocks64-t16",
    "lexical",
    "lexical-t16",
    "hybrid",
    "hybrid-t16",
    "float32-t16",
    "float32-hybrid-t16",
    "product-hybrid",
)
"""The systems of "val" and "test": the product, and its baselines."""
