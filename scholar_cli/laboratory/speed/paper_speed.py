"""Measurement of cold queries over a collection of synthetic papers.

The papers are generated from a seed: vectors in clusters, as similar as vectors of real abstracts,
and words distributed as in natural language. They are stored and indexed like a user's papers, then
queried by a cold process.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from scholar_cli.laboratory.speed.command_speed import SpeedFigure, scholar_command, timed_run
from scholar_indexes.models import registry
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.table import PaperRow, PaperTable, one_hot_facets
from scholar_indexes.settings import DEFAULT_PAPERS_MODEL
from scholar_indexes.types import Facet

CSFCUBE_PAPERS = 4_205
BATCH = 2_000
COLLECTION = "synthetic"

COMMON, CLUSTER = 0.2, 0.3
"""Two random papers have a cosine of about COMMON, two papers of one cluster of the sum. For 4,205
real abstracts, encoded by all-MiniLM-L6-v2, it is 0.23 for two of them, and 0.44 for one and its
200th nearest."""

CLUSTER_PAPERS = 500
WORDS = 150
VOCABULARY = 60_000
SENTENCES = (Facet.BACKGROUND,) * 2 + (Facet.METHOD,) * 3 + (Facet.RESULT,) * 2


def run(
    papers: int,
    *,
    added: int = CSFCUBE_PAPERS,
    runs: int = 3,
    working: Path | None = None,
    ask: Callable[[str], Sequence[str]] | None = None,
) -> Iterator[SpeedFigure]:
    """Yield figures of adding `added` papers by their texts, and of building and querying a library
    of `papers` papers.

    The library is built in working, by default a temporary folder. ask returns the command line
    to time for the id of a paper, by default `scholar papers similar ID`.
    """
    ask = ask or (
        lambda paper: scholar_command("papers", "similar", paper, "--facet", "method", "--json")
    )
    with tempfile.TemporaryDirectory(prefix="scholar-bench-") as own:
        yield from _measure_adding(Path(own) / "added", added)
        home = working or Path(own) / "built"
        start = time.perf_counter()
        build(home, papers)
        yield SpeedFigure(f"{papers:,} papers built", time.perf_counter() - start, "s", "", None)
        size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        yield SpeedFigure("their size on disk", size / 1e6, "MB", "", None)
        wanted = 1.0 if papers <= 50_000 else 2.0
        yield from _measure_queries(home, papers, wanted, runs, ask)


def _measure_adding(home: Path, papers: int) -> Iterator[SpeedFigure]:
    """Measure adding of papers with sentences of the bundled books, as long as the
    sentences of real abstracts."""
    from scholar_indexes.books import samples

    sentences = [
        sentence
        for sample in samples.bundled()
        for sentence in re.findall(
            r"[A-Z][^.?!]{90,240}[.?!]", samples.read(sample).decode("utf-8")
        )
    ]
    random = np.random.default_rng(1)
    home.mkdir(parents=True)
    with (home / "papers.jsonl").open("w", encoding="utf-8") as file:
        for number in range(papers):
            drawn = random.choice(len(sentences), 8)
            title, *abstract = (" ".join(sentences[at].split()) for at in drawn)
            record = {"paper_id": str(number), "title": title[:90], "abstract": abstract}
            file.write(json.dumps(record) + "\n")
    added = timed_run(scholar_command("papers", "add", str(home / "papers.jsonl")), home)
    within = None if papers < CSFCUBE_PAPERS else added.seconds < 180
    yield SpeedFigure(f"papers add of {papers:,}", added.seconds, "s", "under 180", within)
    yield SpeedFigure("its peak memory", added.peak_mb, "MB", "", None)


def _measure_queries(
    home: Path, papers: int, wanted: float, runs: int, ask: Callable[[str], Sequence[str]]
) -> Iterator[SpeedFigure]:
    """Measure cold queries for different papers, so that none profits from an earlier one."""
    queries = [timed_run(ask(doi(turn * papers // (runs + 1))), home) for turn in range(runs + 1)]
    seconds = median(query.seconds for query in queries[1:])
    yield SpeedFigure(
        f"cold papers similar over {papers:,} papers",
        seconds,
        "s",
        f"under {wanted:g}",
        seconds < wanted,
    )
    peak = max(query.peak_mb for query in queries)
    yield SpeedFigure("its peak memory", peak, "MB", "under 1024", peak < 1024)


def build(home: Path, papers: int, space: str = "", dimensions: int = 384, seed: int = 1) -> None:
    """Store and index the given number of papers under a home, by default in the space of the
    default model of papers."""
    space = space or registry.find(DEFAULT_PAPERS_MODEL, registry.PACKAGED).space
    catalog = PaperCatalog(home / "data" / "papers.sqlite")
    index = PaperTable(home / "data" / "papers.lance", space, dimensions)
    remaining = generate_papers(papers, dimensions, seed)
    while batch := list(islice(remaining, BATCH)):
        added = catalog.add((entry for entry, _ in batch), COLLECTION)
        collection = catalog.collection_numbers()[COLLECTION]
        index.write(
            [
                PaperRow(
                    outcome.number,
                    outcome.revision,
                    _year(entry),
                    [collection],
                    _text(entry),
                    vectors[0],
                    vectors[1],
                    vectors[2:],
                    one_hot_facets(SENTENCES),
                )
                for outcome, (entry, vectors) in zip(added.outcomes, batch, strict=True)
            ]
        )
        catalog.mark_indexed(index.name, added.revision)
    index.optimize()


def generate_papers(papers: int, dimensions: int, seed: int) -> Iterator[tuple[Entry, Any]]:
    """Yield papers and their unit vectors (2 + sentences, dimensions): of the whole paper, the
    title and every sentence."""
    random = np.random.default_rng(seed)
    vocabulary = np.array([_word(number) for number in range(VOCABULARY)])
    clusters = max(1, papers // CLUSTER_PAPERS)
    centres = _units(random, clusters, dimensions)
    common = _units(random, 1, dimensions)[0]
    for first in range(0, papers, BATCH):
        count = min(BATCH, papers - first)
        cluster = random.integers(0, clusters, count)
        noise = _units(random, count, dimensions)
        whole = common * COMMON**0.5 + centres[cluster] * CLUSTER**0.5
        whole += noise * (1 - COMMON - CLUSTER) ** 0.5
        vectors = _units(random, count * (1 + len(SENTENCES)), dimensions)
        vectors = (
            vectors.reshape(count, 1 + len(SENTENCES), dimensions) * 0.8 + whole[:, None] * 0.6
        )
        vectors = np.concatenate([whole[:, None], vectors], axis=1)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        # equal shares of every power of ten: Zipf's law
        ranks = (VOCABULARY ** random.random((count, WORDS))).astype(np.int64) - 1
        for at in range(count):
            yield _entry(first + at, vocabulary[ranks[at]].tolist()), vectors[at]


def doi(number: int) -> str:
    """Return the id of a paper."""
    return f"doi:10.5555/synthetic.{number}"


def _entry(number: int, words: Sequence[str]) -> Entry:
    title = " ".join(words[:8]).capitalize()
    share = (len(words) - 8) // len(SENTENCES)
    sentences = tuple(
        (" ".join(words[8 + at * share : 8 + (at + 1) * share]).capitalize() + ".", facet)
        for at, facet in enumerate(SENTENCES)
    )
    csl = {
        "id": f"synthetic{number}",
        "type": "article-journal",
        "title": title,
        "author": [{"family": words[0].capitalize(), "given": words[1].capitalize()}],
        "issued": {"date-parts": [[1970 + number % 55]]},
        "DOI": doi(number)[4:],
    }
    return Entry(csl, (doi(number),), sentences)


def _year(entry: Entry) -> int:
    return int(entry.csl["issued"]["date-parts"][0][0])


def _text(entry: Entry) -> str:
    return " ".join([entry.csl["title"], *(text for text, _ in entry.sentences)])


def _word(number: int) -> str:
    """Return a pronounceable word for a number."""
    syllables = ""
    number += 1
    while number:
        number, at = divmod(number, 95)
        syllables += "bcdfghjklmnprstvwxz"[at // 5] + "aeiou"[at % 5]
    return syllables


def _units(random: np.random.Generator, count: int, dimensions: int) -> Any:
    vectors = random.standard_normal((count, dimensions), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
