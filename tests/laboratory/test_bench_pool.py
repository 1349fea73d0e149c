"""Pools of passages: refused input first, then rankings that depend only on the texts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import CommandResult, error_line, succeeded
from scholar_cli.laboratory.relic import pool_bench
from scholar_cli.laboratory.relic.pool_bench import PoolQuery, PoolText
from scholar_cli.laboratory.relic.relic_bm25 import tokenize
from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.claims import MASK
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.retrieval.second_stage import PassageInContext
from scholar_indexes.settings import DEFAULT_MODEL

Lines = Sequence[Mapping[str, Any]]

QUERIES: Lines = [
    {"query_id": "q1", "text": "The lamp is what [masked sentence(s)] makes of the harbour."},
    {"query_id": "q2", "text": "[MASK] A widow writes letters."},
]
CORPUS: Lines = [
    {"doc_id": "d1", "text": "A lamp burned over the harbour."},
    {"doc_id": "d2", "text": "The widow sealed her letters."},
    {"doc_id": "d3", "text": "Nothing grew in that orchard."},
    {"doc_id": "d4", "text": "He lit the lamp again."},
]
QRELS: Lines = [
    {"query_id": "q1", "doc_id": "d1", "relevance": 1},
    {"query_id": "q1", "doc_id": "d3", "relevance": 0},
    {"query_id": "q1", "doc_id": "d4", "relevance": 0},
    {"query_id": "q2", "doc_id": "d2", "relevance": 2},
    {"query_id": "q2", "doc_id": "d3", "relevance": 0.0},
]


class Hashing:
    """An encoder whose vectors are sums of random word vectors; it counts the texts it reads."""

    space = "hashing"
    dimensions = 256

    def __init__(self) -> None:
        self.read: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Floats2d:
        self.read.append(list(texts))
        sums = np.array(
            [
                sum((_direction(word) for word in tokenize(text)), np.full(256, 1e-3))
                for text in texts
            ]
        )
        units: Floats2d = (sums / np.linalg.norm(sums, axis=1)[:, None]).astype(np.float32)
        return units

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        return self.encode([MASK.sub(" ", claim) for claim in claims])

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        assert len(sentences) == len(chapters)
        return self.encode(sentences), np.ones(len(sentences), np.float32)


def _direction(word: str) -> Floats1d:
    chance = np.random.default_rng(int.from_bytes(word.encode()[:8], "big"))
    return chance.normal(size=256).astype(np.float32)


def written(path: Path, lines: Lines) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def collection(
    folder: Path, queries: Lines = QUERIES, corpus: Lines = CORPUS, qrels: Lines | None = QRELS
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    written(folder / "queries.jsonl", queries)
    written(folder / "corpus.jsonl", corpus)
    if qrels is not None:
        written(folder / "qrels.jsonl", qrels)
    return folder


def ranked(folder: Path, system: str = "hybrid") -> dict[str, list[str]]:
    """Return the rankings written by a run, by query."""
    out = folder / "out.jsonl"
    pool_bench.run(folder, out, system=system, model="hashing", load=lambda name: Hashing())
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all(line.keys() == {"query_id", "ranking"} for line in lines)
    return {line["query_id"]: line["ranking"] for line in lines}


def test_a_reranker_reorders_the_best_of_a_pool(tmp_path: Path) -> None:
    class ShortestFirst:
        """Re-ranks the first two passages by brevity, regardless of the first stage."""

        depth = 2

        def score(self, claim: str, passages: Sequence[PassageInContext]) -> Floats1d:
            return np.array([-100.0 * len(passage.text) for passage in passages], np.float32)

    folder = collection(tmp_path)
    first = ranked(folder)
    out = folder / "reranked.jsonl"
    pool_bench.run(
        folder, out, model="hashing", load=lambda name: Hashing(), reranker=ShortestFirst()
    )
    texts = {line["doc_id"]: line["text"] for line in CORPUS}
    for line in map(json.loads, out.read_text("utf-8").splitlines()):
        before = first[line["query_id"]]
        assert line["ranking"][2:] == before[2:]
        assert line["ranking"][:2] == sorted(before[:2], key=lambda name: len(texts[name]))


def refused(folder: Path, error: type[ScholarError], match: str) -> None:
    """Check that a run ends with an error and writes nothing."""
    out = folder / "new" / "out.jsonl"
    before = sorted(folder.rglob("*"))
    with pytest.raises(error, match=match):
        pool_bench.run(folder, out, load=lambda name: Hashing())
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", ["queries.jsonl", "corpus.jsonl"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (collection(tmp_path) / name).unlink()
    refused(tmp_path, NotThere, f"there is no .*{name}")


@pytest.mark.parametrize("name", ["queries.jsonl", "corpus.jsonl", "qrels.jsonl"])
@pytest.mark.parametrize(
    ("line", "match"),
    [
        pytest.param(b'{"query_id": ', "line 2: this is not JSON", id="broken"),
        pytest.param(b"[1, 2]", "line 2: this is not an object", id="a list"),
        pytest.param(b'{"text": "lamp"}', 'line 2: there is no "(query|doc)_id"', id="no id"),
        pytest.param(b"\xff\xfe", "it is not UTF-8 text", id="not text"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, name: str, line: bytes, match: str) -> None:
    path = collection(tmp_path) / name
    first, *others = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([first, line, *others]))
    refused(tmp_path, UsageError, rf"{name}.*{match}")


@pytest.mark.parametrize("value", [None, True, "", ["q1"], 1.5])
def test_an_id_is_a_text_or_a_number(tmp_path: Path, value: object) -> None:
    collection(tmp_path, queries=[*QUERIES, {"query_id": value, "text": "lamp"}])
    refused(tmp_path, UsageError, 'line 3: there is no "query_id"')


@pytest.mark.parametrize("text", ["", "  ", "[MASK]", "[masked sentence(s)].", "…"])
def test_a_query_without_text_is_refused(tmp_path: Path, text: str) -> None:
    collection(tmp_path, queries=[QUERIES[0], {"query_id": "q2", "text": text}])
    refused(tmp_path, UsageError, "line 2: the query 'q2' has no text")


@pytest.mark.parametrize("text", [None, 7, ["lamp"]])
def test_a_document_whose_text_is_none_is_refused(tmp_path: Path, text: object) -> None:
    collection(tmp_path, corpus=[*CORPUS, {"doc_id": "d5", "text": text}])
    refused(tmp_path, UsageError, r'corpus\.jsonl, line 5: there is no "text"')


@pytest.mark.parametrize(
    ("qrel", "match"),
    [
        pytest.param({"query_id": "q9"}, "no query 'q9'", id="unknown query"),
        pytest.param({"doc_id": "d9"}, "no document 'd9'", id="unknown document"),
        pytest.param({"doc_id": "d1"}, "judges 'd1' twice", id="judged twice"),
        pytest.param({"relevance": "high"}, '"relevance" is not a number', id="a word"),
        pytest.param({"relevance": -1}, '"relevance" is not a number', id="negative"),
        pytest.param({"relevance": float("nan")}, "NaN is not a number", id="not a number"),
        pytest.param({"relevance": None}, '"relevance" is not a number', id="missing"),
    ],
)
def test_a_judgement_that_makes_no_sense_is_refused(
    tmp_path: Path, qrel: Mapping[str, Any], match: str
) -> None:
    line = {"query_id": "q1", "doc_id": "d2", "relevance": 0, **qrel}
    collection(tmp_path, qrels=[*QRELS, line])
    refused(tmp_path, UsageError, f"line 6: .*{match}")


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    collection(tmp_path / "queries", queries=[*QUERIES, QUERIES[0]])
    refused(tmp_path / "queries", UsageError, "line 3: the query 'q1' occurs twice")
    collection(tmp_path / "corpus", corpus=[*CORPUS, CORPUS[0]])
    refused(tmp_path / "corpus", UsageError, "line 5: the document 'd1' occurs twice")


@pytest.mark.parametrize("qrels", [None, QRELS[:3]], ids=["not judged", "not judged for one"])
def test_a_query_without_a_pool_is_refused(tmp_path: Path, qrels: Lines | None) -> None:
    queries = [{**QUERIES[0], "pool": ["d1"]}, QUERIES[1]]
    collection(tmp_path, queries=queries, qrels=qrels)
    refused(tmp_path, UsageError, "the query 'q2' has no pool")


@pytest.mark.parametrize(
    ("listed", "match"),
    [
        pytest.param([], "no pool", id="empty"),
        pytest.param(["d1", "d9"], "names 'd9'", id="unknown"),
        pytest.param("d1", "is not a list", id="a text"),
        pytest.param([None], "doc_id in pool", id="no id"),
    ],
)
def test_a_pool_that_cannot_be_ranked_is_refused(
    tmp_path: Path, listed: object, match: str
) -> None:
    collection(tmp_path, queries=[{**QUERIES[0], "pool": listed}], qrels=None)
    refused(tmp_path, UsageError, match)


def test_a_collection_without_queries_is_refused(tmp_path: Path) -> None:
    collection(tmp_path, queries=[], qrels=[])
    refused(tmp_path, UsageError, "has no queries")


def test_an_unknown_system_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system 'guess'"):
        pool_bench.run(tmp_path, tmp_path / "out", system="guess", load=lambda name: Hashing())


def test_a_run_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    collection(tmp_path)
    (tmp_path / "file").write_text("", "utf-8")
    for out, match in ((tmp_path, "is a folder"), (tmp_path / "file" / "out", "cannot be written")):
        with pytest.raises(UsageError, match=match):
            pool_bench.run(tmp_path, out, load=lambda name: Hashing())
    assert not list(tmp_path.glob("*.part"))


def test_a_failure_leaves_the_last_run_as_it_was(tmp_path: Path) -> None:
    class Failing(Hashing):
        def encode_claims(self, claims: Sequence[str]) -> Floats2d:
            raise MemoryError

    out = collection(tmp_path) / "out.jsonl"
    out.write_text("the last run", "utf-8")
    with pytest.raises(MemoryError):
        pool_bench.run(tmp_path, out, load=lambda name: Failing())
    assert out.read_text("utf-8") == "the last run"


@pytest.mark.parametrize("system", ["hybrid", "dense", "bm25"])
def test_passages_that_share_words_with_the_claim_come_first(tmp_path: Path, system: str) -> None:
    # In such a small pool, BM25 gives a word of most documents a negative weight.
    padded = [{"doc_id": f"p{number}", "text": f"Filler {number}."} for number in range(9)]
    judged = [
        {"query_id": query["query_id"], "doc_id": document["doc_id"], "relevance": 0}
        for query in QUERIES
        for document in padded
    ]
    collection(tmp_path, corpus=[*CORPUS, *padded], qrels=[*QRELS, *judged])
    rankings = ranked(tmp_path, system)
    assert rankings["q1"][0] == "d1"
    assert rankings["q2"][0] == "d2"
    assert sorted(rankings["q2"]) == sorted(
        ["d2", "d3", *(document["doc_id"] for document in padded)]
    )


@pytest.mark.parametrize("system", list(pool_bench.SYSTEMS))
def test_neither_ids_nor_the_order_of_files_change_a_ranking(tmp_path: Path, system: str) -> None:
    chance = random.Random(5)
    words = "lamp harbour widow letters orchard nothing grew burned again".split()
    corpus = [
        {"doc_id": f"d{at}", "text": f"{' '.join(chance.choices(words, k=7))}."} for at in range(40)
    ]
    corpus += [{"doc_id": f"e{at}", "text": f"Tie number {at}!"} for at in range(9)]
    qrels = [
        {"query_id": query["query_id"], "doc_id": document["doc_id"], "relevance": 0}
        for query in QUERIES
        for document in corpus
    ]
    ids = [document["doc_id"] for document in corpus]
    renamed = dict(zip(ids, chance.sample(ids, len(ids)), strict=True))
    names = {"q1": "z", "q2": "a"}

    def turned(lines: Lines) -> list[dict[str, Any]]:
        new = [dict(line) for line in lines]
        for line in new:
            line |= {"doc_id": renamed[line["doc_id"]]} if "doc_id" in line else {}
            line |= {"query_id": names[line["query_id"]]} if "query_id" in line else {}
        return chance.sample(new, len(new))

    one = ranked(collection(tmp_path / "one", QUERIES, corpus, qrels), system)
    other = ranked(
        collection(tmp_path / "other", turned(QUERIES), turned(corpus), turned(qrels)), system
    )
    for query, name in names.items():
        assert [renamed[document] for document in one[query]] == other[name]


def test_a_pool_ranks_the_same_with_others_and_alone(tmp_path: Path) -> None:
    both = ranked(collection(tmp_path / "both"))
    alone = ranked(collection(tmp_path / "alone", QUERIES[1:], CORPUS, QRELS[3:]))
    assert alone == {"q2": both["q2"]}


def test_every_text_is_encoded_once_and_by_itself(tmp_path: Path) -> None:
    encoder = Hashing()
    folder = collection(tmp_path)
    pool_bench.run(folder, folder / "out", model="hashing", load=lambda name: encoder)
    assert {len(texts) for texts in encoder.read} == {1}
    assert len(encoder.read) == len(QUERIES) + len(CORPUS)


def test_equal_texts_are_adjacent_whatever_their_ids() -> None:
    documents = [PoolText(text) for text in ("same", "lamp", "same", "other", "same")]
    order = pool_bench.rank_pool(PoolText("nothing of these"), documents, "bm25")
    assert sorted(order) == [0, 1, 2, 3, 4]
    places = [place for place, number in enumerate(order) if documents[number].text == "same"]
    assert places[2] - places[0] == 2


def test_a_pool_of_one_document_is_ranked() -> None:
    assert pool_bench.rank_pool(PoolText("lamp"), [PoolText("lamp")], "bm25") == [0]
    vector = np.array([1, 0], np.float32)
    assert pool_bench.rank_pool(PoolText("lamp", vector), [PoolText("lamp", vector)]) == [0]


def test_held_out_queries_bring_their_pools_and_are_not_measured(tmp_path: Path) -> None:
    queries = [{**QUERIES[0], "pool": ["d1", "d2", "d1"]}, {**QUERIES[1], "pool": ["d3"]}]
    folder = collection(tmp_path, queries=queries, qrels=None)
    report = pool_bench.run(
        folder, folder / "out", system="bm25", model="unused", load=lambda name: Hashing()
    )
    assert (report.split, report.metrics, report.n, report.model) == ("unjudged", {}, 2, "")
    assert {name: sorted(ranking) for name, ranking in ranked(folder).items()} == {
        "q1": ["d1", "d2"],
        "q2": ["d3"],
    }


def test_numbers_are_ids_too(tmp_path: Path) -> None:
    queries = [{"query_id": 7, "text": "lamp", "pool": [0]}]
    folder = collection(tmp_path, queries, [{"doc_id": "0", "text": "lamp"}], None)
    assert ranked(folder) == {"7": ["0"]}


def test_blank_lines_and_a_byte_order_mark_are_nothing(tmp_path: Path) -> None:
    expected = ranked(collection(tmp_path))
    for name in ("queries.jsonl", "corpus.jsonl", "qrels.jsonl"):
        path = tmp_path / name
        path.write_text("\n" + path.read_text("utf-8").replace("\n", "\r\n\n"), "utf-8-sig")
    assert ranked(tmp_path) == expected


def test_measures_by_hand() -> None:
    queries = [
        PoolQuery("a", "", (), {"x": 1, "y": 0, "z": 2}),
        PoolQuery("b", "", (), {"w": 1, **{f"n{number}": 0 for number in range(12)}}),
    ]
    rankings = {"a": ["y", "z", "x"], "b": [*(f"n{number}" for number in range(12)), "w"]}
    figures = pool_bench.measures(queries, rankings)
    assert figures["mrr@10"] == pytest.approx((1 / 2 + 0) / 2)
    assert figures["recall@5"] == pytest.approx((1 + 0) / 2)
    assert figures["recall@20"] == 1
    # gains 0, 2, 1: 2/log2(3) + 1/2; ideal order 2, 1: 2 + 1/log2(3)
    assert figures["ndcg@10"] == pytest.approx(1.761860 / 2.630930 / 2, abs=1e-6)
    assert figures["ndcg@10_low"] <= figures["ndcg@10"] <= figures["ndcg@10_high"]


def test_unjudged_queries_are_not_measured() -> None:
    assert pool_bench.measures([], {}) == {}


def pool_command(lab: Callable[..., CommandResult], folder: Path, *more: str) -> CommandResult:
    return lab("bench", "pool", "--data", str(folder), "--threads", "1", *more)


def test_the_command_needs_a_place_for_its_run(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    assert "--run" in error_line(pool_command(lab, collection(tmp_path)), 2)


@pytest.mark.parametrize(
    ("more", "code", "expected"),
    [
        pytest.param(["--system", "guess"], 2, "no system 'guess'", id="system"),
        pytest.param(["--model", "nobody/nothing"], 4, "scholar models pull", id="model"),
        pytest.param(["--data", "nowhere"], 4, "there is no nowhere", id="folder"),
    ],
)
def test_a_failure_of_the_command_is_one_line(
    lab: Callable[..., CommandResult],
    tmp_path: Path,
    more: Sequence[str],
    code: int,
    expected: str,
) -> None:
    out = tmp_path / "out.jsonl"
    result = pool_command(lab, collection(tmp_path), "--run", str(out), *more)
    assert expected in error_line(result, code)
    assert not out.exists()


def test_the_command_ranks_with_the_packaged_encoder(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    out = tmp_path / "runs" / "out.jsonl"
    result = succeeded(pool_command(lab, collection(tmp_path), "--run", str(out), "--json"))
    (report,) = result.json
    assert (report["bench"], report["system"], report["n"]) == ("pool", "hybrid", 2)
    assert report["model"] == DEFAULT_MODEL
    assert {"ndcg@10", "recall@5", "recall@10", "recall@20", "mrr@10_low"} <= set(report["metrics"])
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["query_id"] for line in lines] == ["q1", "q2"]
    assert lines[1]["ranking"] == ["d2", "d3"]
    assert str(out) in result.stderr


def test_the_command_prints_a_table(lab: Callable[..., CommandResult], tmp_path: Path) -> None:
    folder = collection(tmp_path)
    out = str(tmp_path / "out")
    result = succeeded(pool_command(lab, folder, "--run", out, "--system", "random"))
    assert result.lines[0].split()[:4] == ["bench", "split", "system", "ndcg@10"]
    assert result.lines[1].split()[:3] == ["pool", "judged", "random"]
