"""Pools of passages, each ranked for its own claim.

A collection is a folder of lines of JSON:

    queries.jsonl   {"query_id", "text"}    critical prose, [masked sentence(s)] in it
    corpus.jsonl    {"doc_id", "text"}
    qrels.jsonl     {"query_id", "doc_id", "relevance"}    what a query judges is its pool

Without qrels.jsonl nothing is measured, and each query brings its "pool", a list of
doc_ids. A ranking follows from the texts alone: ids and the order of lines count for
nothing, so each text is encoded by itself and equal scores are ordered by a hash.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from scholar_cli.bench import metrics
from scholar_cli.bench.relic import ENCODING, Okapi, Scores, finite
from scholar_cli.bench.report import Report, commit
from scholar_indexes.encoder import MASK, Encoder
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.ranking import Floats1d, blend
from scholar_indexes.types import Progress, silent

CUT = 10
"""Ranks that nDCG and the mean reciprocal rank look at."""

RECALL_CUTS = (5, 10, 20)


@dataclass(frozen=True, slots=True)
class Text:
    """A claim or a document, and its unit vector where the system compares vectors."""

    text: str
    vector: Floats1d | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A claim with the ids of its pool, and their relevance where it was judged."""

    id: str
    text: str
    pool: tuple[str, ...]
    relevance: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Collection:
    """Queries in the order of their file, and documents by id."""

    queries: tuple[Query, ...]
    documents: Mapping[str, str]
    judged: bool
    sha256: str


def rank_pool(claim: Text, documents: Sequence[Text], system: str = "hybrid") -> list[int]:
    """The numbers of the documents, best first."""
    order = sorted(range(len(documents)), key=lambda each: _digest(documents[each].text))
    scores = SYSTEMS[system](claim, [documents[each] for each in order])
    return [order[place] for place in np.argsort(-scores, kind="stable")]


def chance(claim: Text, documents: Sequence[Text]) -> Scores:
    """An order that says nothing, the same every time."""
    hashes = [_digest(f"{claim.text}\n{each.text}") for each in documents]
    return np.array([int.from_bytes(each[:6], "big") for each in hashes], np.float64)


def bm25(claim: Text, documents: Sequence[Text]) -> Scores:
    """BM25 as RELiC has it, of a pool that knows of no other documents."""
    texts = [each.text for each in documents]
    return Okapi(texts, np.arange(len(texts))).scores(claim.text)


def dense(claim: Text, documents: Sequence[Text]) -> Scores:
    """Cosines; every text has its vector."""
    return finite(np.stack([_vector(each) for each in documents]) @ _vector(claim))


def hybrid(claim: Text, documents: Sequence[Text]) -> Scores:
    return blend(dense(claim, documents), bm25(claim, documents))


SYSTEMS: Mapping[str, Callable[[Text, Sequence[Text]], Scores]] = {
    "hybrid": hybrid, "dense": dense, "bm25": bm25, "random": chance,
}  # fmt: skip


def run(
    data: Path,
    out: Path,
    *,
    system: str = "hybrid",
    model: str = "",
    load: Callable[[str], Encoder],
    progress: Progress = silent,
) -> Report:
    """Rank every pool, write the rankings to out, whole or not at all, and measure them.

    Each line of out is {"query_id", "ranking": [doc_ids, best first]}. load finds the
    model, for a system that needs one. Raises UsageError for a system that is none or
    a place that cannot be written to, and what read and load raise.
    """
    if system not in SYSTEMS:
        raise UsageError(f"there is no system {system!r}; choose from: {', '.join(SYSTEMS)}")
    collection = read(data)
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name a file to write the rankings to")
    encoder = load(model) if system in ENCODING else None
    documents: dict[str, Text] = {}
    rankings: dict[str, list[str]] = {}
    seconds = 0.0
    for done, query in enumerate(collection.queries):
        progress("ranking pools", done, len(collection.queries))
        for each in query.pool:
            text = collection.documents[each]
            if text not in documents:
                vector = encoder.encode_sentences([text], [0])[0][0] if encoder else None
                documents[text] = Text(text, vector)
        # Equal texts cannot be told apart; a hash keeps even their ids from following the file.
        pool = sorted(query.pool, key=_digest)
        start = time.perf_counter()
        claim = Text(query.text, encoder.encode_claims([query.text])[0] if encoder else None)
        ranking = rank_pool(claim, [documents[collection.documents[each]] for each in pool], system)
        seconds += time.perf_counter() - start
        rankings[query.id] = [pool[each] for each in ranking]
    write(out, rankings)
    judged = [each for each in collection.queries if each.relevance]
    return Report(
        "pool", "judged" if collection.judged else "unjudged", system, measures(judged, rankings),
        len(judged) or len(rankings), seconds, model if encoder else "", collection.sha256,
        commit(),
    )  # fmt: skip


def measures(queries: Sequence[Query], rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """nDCG, recall and mean reciprocal rank with their intervals; nothing of no queries."""
    values: dict[str, list[float]] = {}
    for query in queries:
        gains = [query.relevance.get(each, 0.0) for each in rankings[query.id]]
        relevant = sum(each > 0 for each in query.relevance.values())
        of_this = {f"ndcg@{CUT}": metrics.ndcg(gains, CUT, list(query.relevance.values()))}
        of_this |= {f"recall@{k}": metrics.recall(gains, k, relevant) for k in RECALL_CUTS}
        of_this[f"mrr@{CUT}"] = metrics.reciprocal_rank(gains[:CUT])
        for name, value in of_this.items():
            values.setdefault(name, []).append(value)
    figures: dict[str, float] = {}
    for name, those in values.items():
        interval = metrics.bootstrap(those)
        figures |= {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
    return figures


def write(out: Path, rankings: Mapping[str, Sequence[str]]) -> None:
    """Write a run, whole or not at all; raises UsageError where that is not possible."""
    lines = [json.dumps({"query_id": query, "ranking": ranking}, ensure_ascii=False) + "\n"
             for query, ranking in rankings.items()]  # fmt: skip
    unfinished = out.with_name(f"{out.name}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text("".join(lines), "utf-8")
        os.replace(unfinished, out)
    except OSError as refusal:
        raise UsageError(
            f"{out} cannot be written ({refusal.strerror}); name another file with --run"
        ) from refusal


def read(folder: Path) -> Collection:
    """The collection in a folder.

    Raises NotThere for a file that is not there, and UsageError naming the line of one
    that cannot be made out, or the query without a pool.
    """
    digest = sha256()
    texts: dict[str, str] = {}
    pools: dict[str, list[str]] = {}
    documents: dict[str, str] = {}
    relevance: dict[str, dict[str, float]] = {}
    for where, line in _lines(folder / "queries.jsonl", digest.update):
        query = _id(where, line, "query_id")
        if query in texts:
            raise UsageError(f"{where}: there is a query {query!r} already; name each once")
        texts[query] = _text(where, line)
        if not re.search(r"\w", MASK.sub(" ", texts[query])):
            raise UsageError(f"{where}: the query {query!r} has no text; write its claim")
        pools[query] = _pool(where, line)
    for where, line in _lines(folder / "corpus.jsonl", digest.update):
        document = _id(where, line, "doc_id")
        if document in documents:
            raise UsageError(f"{where}: there is a document {document!r} already; name each once")
        documents[document] = _text(where, line)
    judged = (folder / "qrels.jsonl").exists()
    for where, line in _lines(folder / "qrels.jsonl", digest.update) if judged else ():
        query, document = _id(where, line, "query_id"), _id(where, line, "doc_id")
        if query not in texts:
            raise UsageError(f"{where}: there is no query {query!r} in queries.jsonl; mend either")
        if document not in documents:
            raise UsageError(
                f"{where}: there is no document {document!r} in corpus.jsonl; mend either"
            )
        if document in relevance.setdefault(query, {}):
            raise UsageError(f"{where}: {query!r} judges {document!r} twice; keep one of the lines")
        relevance[query][document] = _grade(where, line)
    if not texts:
        raise UsageError(f"{folder / 'queries.jsonl'} has no queries; write at least one")
    queries = tuple(
        Query(query, text, tuple(relevance.get(query) or pools[query]), relevance.get(query, {}))
        for query, text in texts.items()
    )
    for each in queries:
        if not each.pool:
            raise UsageError(
                f"the query {each.id!r} has no pool; judge its documents in qrels.jsonl, or give "
                'it a "pool" of doc_ids in queries.jsonl'
            )
        if strange := [one for one in each.pool if one not in documents]:
            raise UsageError(
                f"the pool of the query {each.id!r} names {strange[0]!r}, which is not in "
                "corpus.jsonl; mend either"
            )
    return Collection(queries, documents, judged, digest.hexdigest())


def _lines(path: Path, note: Callable[[bytes], None]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every line's place and its object; note is told all that is read."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotThere(
            f"there is no {path}; name a folder with queries.jsonl, corpus.jsonl and qrels.jsonl"
        ) from None
    except (OSError, UnicodeDecodeError) as refusal:
        raise UsageError(f"{path} cannot be read as UTF-8 text; save it anew") from refusal
    note(content)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            record = json.loads(line)
        except ValueError as broken:
            raise UsageError(f"{where}: this is not JSON; mend the line") from broken
        if not isinstance(record, dict):
            raise UsageError(f"{where}: this is not an object; write {{...}} with names and values")
        yield where, record


def _id(where: str, line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UsageError(f'{where}: there is no "{name}"; give it a text or a number')
    return str(value)


def _text(where: str, line: Mapping[str, Any]) -> str:
    value = line.get("text")
    if not isinstance(value, str):
        raise UsageError(f'{where}: there is no "text"; give it one')
    return value.encode("utf-8", "replace").decode()  # half a character is none


def _pool(where: str, line: Mapping[str, Any]) -> list[str]:
    listed = line.get("pool", [])
    if not isinstance(listed, list):
        raise UsageError(f'{where}: "pool" is not a list; list doc_ids in it')
    ids = [_id(where, {"doc_id in pool": each}, "doc_id in pool") for each in listed]
    return list(dict.fromkeys(ids))


def _grade(where: str, line: Mapping[str, Any]) -> float:
    value = line.get("relevance")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= float(value or 0) < math.inf:
        raise UsageError(f'{where}: "relevance" is no number from 0 up; mend the line')
    return float(value or 0)


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _vector(text: Text) -> Floats1d:
    assert text.vector is not None
    return text.vector
