"""Pools of passages, each ranked for its own claim.

A collection is a folder of JSON Lines files:

    queries.jsonl   {"query_id", "text"}    critical prose, [masked sentence(s)] in it
    corpus.jsonl    {"doc_id", "text"}
    qrels.jsonl     {"query_id", "doc_id", "relevance"}    the judged documents are the pool

Without qrels.jsonl nothing is measured, and each query has its own "pool", a list of doc_ids. A
ranking depends only on the texts, not on ids or the order of lines: each text is encoded by itself
and equal scores are ordered by a hash.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.laboratory import json_lines, metrics
from scholar_cli.laboratory.json_lines import read_id
from scholar_cli.laboratory.relic.relic_bm25 import Okapi
from scholar_cli.laboratory.relic.relic_systems import ENCODING, Scores, check_finite
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.arrays import Floats1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.claims import MASK
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_bytes
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.retrieval.fusion import LOGITS_OF_COSINE
from scholar_indexes.retrieval.second_stage import PassageInContext, Reranker
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent

CUT = 10
"""Ranks that count for nDCG and the mean reciprocal rank."""

RECALL_CUTS = (5, 10, 20)


@dataclass(frozen=True, slots=True)
class PoolText:
    """A claim or a document, and its unit vector if the system compares vectors."""

    text: str
    vector: Floats1d | None = None


@dataclass(frozen=True, slots=True)
class PoolQuery:
    """A claim with the ids of its pool, and their relevance if it was judged."""

    id: str
    text: str
    pool: tuple[str, ...]
    relevance: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PoolCollection:
    """Queries in the order of their file, and documents by id."""

    queries: tuple[PoolQuery, ...]
    documents: Mapping[str, str]
    judged: bool
    sha256: str


def rank_pool(
    claim: PoolText,
    documents: Sequence[PoolText],
    system: str = "hybrid",
    reranker: Reranker | None = None,
) -> list[int]:
    """Return the numbers of the documents, best first."""
    order = sorted(range(len(documents)), key=lambda number: _digest(documents[number].text))
    scores = SYSTEMS[system](claim, [documents[number] for number in order])
    ranking = [order[place] for place in np.argsort(-scores, kind="stable")]
    if reranker is None:
        return ranking
    best = ranking[: reranker.depth]
    passages = [PassageInContext("", documents[number].text, "") for number in best]
    by_number = dict(zip(order, scores.tolist(), strict=True))
    first = np.array([LOGITS_OF_COSINE * by_number[number] for number in best])
    totals = first + reranker.score(MASK.sub(" ", claim.text), passages)
    by_total = [best[place] for place in np.argsort(-totals, kind="stable")]
    return [*by_total, *ranking[len(best) :]]


def chance(claim: PoolText, documents: Sequence[PoolText]) -> Scores:
    """Return pseudo-random scores, the same every time."""
    hashes = [_digest(f"{claim.text}\n{document.text}") for document in documents]
    return np.array([int.from_bytes(digest[:6], "big") for digest in hashes], np.float64)


def bm25(claim: PoolText, documents: Sequence[PoolText]) -> Scores:
    """Return RELiC's BM25, with the statistics of this pool only."""
    texts = [document.text for document in documents]
    return Okapi(texts, np.arange(len(texts))).scores(claim.text)


def dense(claim: PoolText, documents: Sequence[PoolText]) -> Scores:
    """Return cosines; every text must have its vector."""
    return check_finite(np.stack([_vector(document) for document in documents]) @ _vector(claim))


def hybrid(claim: PoolText, documents: Sequence[PoolText]) -> Scores:
    """Return the blend of dense and bm25, as in `find`."""
    return blend_scores(dense(claim, documents), bm25(claim, documents))


SYSTEMS: Mapping[str, Callable[[PoolText, Sequence[PoolText]], Scores]] = {
    "hybrid": hybrid,
    "dense": dense,
    "bm25": bm25,
    "random": chance,
}


def run(
    data: Path,
    out: Path,
    *,
    system: str = "hybrid",
    model: str = "",
    load: Callable[[str], Encoder],
    reranker: Reranker | None = None,
    progress: Progress = silent,
) -> Report:
    """Rank every pool, write the rankings to out atomically, and measure them.

    Each line of out is {"query_id", "ranking": [doc_ids, best first]}. load loads the model, for a
    system that needs one; a reranker reranks the best of every pool. Raises UsageError for an
    unknown system or a file that cannot be written, and the errors of read and load.
    """
    if system not in SYSTEMS:
        raise UsageError(f"there is no system {system!r}; choose from: {', '.join(SYSTEMS)}")
    collection = read(data)
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write the rankings to")
    encoder = load(model) if system in ENCODING else None
    rankings, seconds = _rank_queries(collection, system, encoder, reranker, progress)
    write(out, rankings)
    judged = [query for query in collection.queries if query.relevance]
    return Report(
        "pool",
        "judged" if collection.judged else "unjudged",
        system,
        measures(judged, rankings),
        len(judged) or len(rankings),
        seconds,
        model if encoder else "",
        collection.sha256,
        commit(),
    )


def _rank_queries(
    collection: PoolCollection,
    system: str,
    encoder: Encoder | None,
    reranker: Reranker | None,
    progress: Progress,
) -> tuple[dict[str, list[str]], float]:
    """Return the ranking of every query by id, and the seconds that ranking took, without encoding
    documents."""
    documents: dict[str, PoolText] = {}
    rankings: dict[str, list[str]] = {}
    seconds = 0.0
    for done, query in enumerate(collection.queries):
        progress("ranking pools", done, len(collection.queries))
        for text in map(collection.documents.__getitem__, query.pool):
            if text not in documents:
                vector = encoder.encode_sentences([text], [0])[0][0] if encoder else None
                documents[text] = PoolText(text, vector)
        # Equal texts tie; a hash keeps even the order of their ids independent of the file.
        pool = sorted(query.pool, key=_digest)
        start = time.perf_counter()
        claim = PoolText(query.text, encoder.encode_claims([query.text])[0] if encoder else None)
        texts = [documents[collection.documents[document_id]] for document_id in pool]
        ranking = rank_pool(claim, texts, system, reranker)
        seconds += time.perf_counter() - start
        rankings[query.id] = [pool[number] for number in ranking]
    return rankings, seconds


def measures(
    queries: Sequence[PoolQuery], rankings: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    """Return nDCG, recall and mean reciprocal rank with their intervals; {} for no queries."""
    return metrics.average([_query_measures(query, rankings[query.id]) for query in queries])


def _query_measures(query: PoolQuery, ranking: Sequence[str]) -> dict[str, float]:
    gains = [query.relevance.get(document_id, 0.0) for document_id in ranking]
    relevant = sum(grade > 0 for grade in query.relevance.values())
    return {
        f"ndcg@{CUT}": metrics.ndcg(gains, CUT, list(query.relevance.values())),
        **{f"recall@{k}": metrics.recall(gains, k, relevant) for k in RECALL_CUTS},
        f"mrr@{CUT}": metrics.reciprocal_rank(gains[:CUT]),
    }


def write(out: Path, rankings: Mapping[str, Sequence[str]]) -> None:
    """Write a run atomically; raises UsageError if that is not possible."""
    lines = [
        json.dumps({"query_id": query, "ranking": ranking}, ensure_ascii=False) + "\n"
        for query, ranking in rankings.items()
    ]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(out, "".join(lines))
    except OSError as refusal:
        raise UsageError(
            f"{out} cannot be written ({refusal.strerror}); name another file with --run"
        ) from refusal


def read(folder: Path) -> PoolCollection:
    """Return the collection in a folder.

    Raises NotThere for a missing file, and UsageError naming the broken line, or the query
    without a pool.
    """
    digest = sha256()
    texts, pools = _read_queries(folder / "queries.jsonl", digest.update)
    documents = _read_documents(folder / "corpus.jsonl", digest.update)
    relevance: dict[str, dict[str, float]] = {}
    judgements = folder / "qrels.jsonl"
    judged = judgements.exists()
    if judged:
        relevance = _read_relevance(judgements, digest.update, texts, documents)
    if not texts:
        raise UsageError(f"{folder / 'queries.jsonl'} has no queries; write at least one")
    queries = tuple(
        PoolQuery(
            query, text, tuple(relevance.get(query) or pools[query]), relevance.get(query, {})
        )
        for query, text in texts.items()
    )
    _check_pools(queries, documents)
    return PoolCollection(queries, documents, judged, digest.hexdigest())


def _read_queries(
    path: Path, note: Callable[[bytes], None]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the text and the listed pool of every query by id."""
    texts: dict[str, str] = {}
    pools: dict[str, list[str]] = {}
    for where, line in _lines(path, note):
        query = read_id(where, line, "query_id")
        if query in texts:
            raise UsageError(f"{where}: the query {query[:60]!r} occurs twice; keep one of them")
        texts[query] = _text(where, line)
        if not re.search(r"\w", MASK.sub(" ", texts[query])):
            raise UsageError(f"{where}: the query {query[:60]!r} has no text; write its claim")
        pools[query] = _pool(where, line)
    return texts, pools


def _read_documents(path: Path, note: Callable[[bytes], None]) -> dict[str, str]:
    """Return the documents by id."""
    documents: dict[str, str] = {}
    for where, line in _lines(path, note):
        document = read_id(where, line, "doc_id")
        if document in documents:
            raise UsageError(
                f"{where}: the document {document[:60]!r} occurs twice; keep one of them"
            )
        documents[document] = _text(where, line)
    return documents


def _read_relevance(
    path: Path,
    note: Callable[[bytes], None],
    queries: Mapping[str, str],
    documents: Mapping[str, str],
) -> dict[str, dict[str, float]]:
    """Return the relevance of the judged documents by query."""
    relevance: dict[str, dict[str, float]] = {}
    for where, line in _lines(path, note):
        query, document = (
            read_id(where, line, "query_id"),
            read_id(where, line, "doc_id"),
        )
        if query not in queries:
            raise UsageError(
                f"{where}: there is no query {query[:60]!r} in queries.jsonl; fix either file"
            )
        if document not in documents:
            raise UsageError(
                f"{where}: there is no document {document[:60]!r} in corpus.jsonl; fix either file"
            )
        if document in relevance.setdefault(query, {}):
            raise UsageError(
                f"{where}: {query[:60]!r} judges {document[:60]!r} twice; keep one of the lines"
            )
        relevance[query][document] = _grade(where, line)
    return relevance


def _check_pools(queries: Sequence[PoolQuery], documents: Mapping[str, str]) -> None:
    """Raise UsageError for a query whose pool is empty or names a document that is missing."""
    for query in queries:
        if not query.pool:
            raise UsageError(
                f"the query {query.id[:60]!r} has no pool; judge its documents in qrels.jsonl, or "
                'give it a "pool" of doc_ids in queries.jsonl'
            )
        missing = next((name for name in query.pool if name not in documents), None)
        if missing is not None:
            raise UsageError(
                f"the pool of the query {query.id[:60]!r} names {missing[:60]!r}, which is not in "
                "corpus.jsonl; fix either file"
            )


def _lines(path: Path, note: Callable[[bytes], None]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the location and the object of every line; call note with the bytes of the file."""
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; name a folder with queries.jsonl, corpus.jsonl and qrels.jsonl"
        ) from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    text = json_lines.decode(path, content)
    note(content)
    yield from json_lines.parse(path, text)


def _text(where: str, line: Mapping[str, Any]) -> str:
    value = line.get("text")
    if not isinstance(value, str):
        raise UsageError(f'{where}: there is no "text"; set it to a string')
    return value.encode("utf-8", "replace").decode()  # replaces lone surrogates


def _pool(where: str, line: Mapping[str, Any]) -> list[str]:
    listed = line.get("pool", [])
    if not isinstance(listed, list):
        raise UsageError(f'{where}: "pool" is not a list; list doc_ids in it')
    ids = [read_id(where, {"doc_id in pool": value}, "doc_id in pool") for value in listed]
    return list(dict.fromkeys(ids))


def _grade(where: str, line: Mapping[str, Any]) -> float:
    value = line.get("relevance")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= float(value or 0) < math.inf:
        raise UsageError(f'{where}: "relevance" is not a number from 0 up; fix the line')
    return float(value or 0)


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _vector(text: PoolText) -> Floats1d:
    assert text.vector is not None
    return text.vector
