"""The systems that CSFCube compares: baselines computed by hand, texts only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from csfcube_papers import (
    DATA,
    OTHER,
    PAIR,
    PAPER,
    CountingHashes,
    folder,
    lines,
    measured,
    paper,
    rankings,
)
from scholar_cli.laboratory import word_vectors
from scholar_cli.laboratory.csfcube import csfcube_data, csfcube_systems
from scholar_cli.laboratory.csfcube.csfcube_systems import (
    LEXICAL,
    SYSTEMS,
    AskedSentences,
    WordWeights,
)
from scholar_cli.laboratory.relic.relic_bm25 import tokenize
from scholar_cli.laboratory.relic.relic_systems import Scores
from scholar_indexes.arrays import Floats2d
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.types import QUERY_FACETS, Facet, Paper


def scored(name: str, query: Paper, *candidates: Paper, facet: Facet = Facet.METHOD) -> list[float]:
    system = csfcube_systems.build_systems(
        [name], [query, *candidates], lambda model: CountingHashes()
    )[name]
    asked = csfcube_systems.ask_facet(query, facet)
    return [float(score) for score in system.score(query, asked, candidates)]


@pytest.mark.parametrize("name", ["guess", "bm25:hashing", "random:hashing", "fuse", ""])
def test_an_unknown_system_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="choose from: "):
        measured(tmp_path, systems=[name])


def test_a_system_that_encodes_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the system 'fused' needs a model"):
        measured(tmp_path, systems=["fused"], models=[])


def test_a_run_of_no_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no system to measure"):
        measured(tmp_path, systems=[])


@pytest.mark.parametrize("against", ["bm25", "fused", "sentence:three"])
def test_a_comparison_needs_one_system_of_the_run(tmp_path: Path, against: str) -> None:
    with pytest.raises(UsageError, match="is not one system of this run; choose from: fused:one"):
        measured(tmp_path, systems=["fused"], models=["one", "two"], paired_with=against)


def test_a_model_is_not_loaded_for_systems_without_one() -> None:
    def load(name: str) -> CountingHashes:
        raise AssertionError(name)

    reports = measured(systems=list(LEXICAL), load=load)
    assert {report.model for report in reports.values()} == {""}


def test_a_model_that_gives_no_numbers_is_refused() -> None:
    class DivergedHashes(CountingHashes):
        def encode(self, texts: Sequence[str]) -> Floats2d:
            return np.full((len(texts), self.dimensions), np.nan, np.float32)

    with pytest.raises(ScholarError, match="are not numbers"):
        measured(systems=["fused"], load=lambda name: DivergedHashes())


def test_a_query_is_its_facet_s_sentences_and_a_candidate_all_of_its_abstract() -> None:
    query = paper("sketch stream", "tree forest", facets="mb")
    method, other = paper("sketch stream tree"), paper("tree forest tree")
    unlike = [paper(word) for word in ("gaze", "bank", "mail")]
    for name in ("tfidf", "bm25", "sentence:m", "matches:m", "scholar:m"):
        first, second, *_ = scored(name, query, method, other, *unlike)
        assert first > second, name
        first, second, *_ = scored(name, query, method, other, *unlike, facet=Facet.BACKGROUND)
        assert first < second, name


def test_a_sentence_that_occurs_twice_is_used_in_its_own_facet() -> None:
    query = paper("tree", "mail", "tree", facets="mbr")
    assert csfcube_systems.ask_facet(query, Facet.METHOD).rows == (0,)
    assert csfcube_systems.ask_facet(query, Facet.OTHER).rows == (0, 1, 2)


def test_tf_idf_is_the_cosine_worked_out_by_hand() -> None:
    query, one = paper("tree tree stream"), paper("tree gaze")
    # Of three abstracts, two have "tree" and one has each of the other words.
    often, rare = np.log(4 / 3) + 1, np.log(4 / 2) + 1
    expected = 2 * often * often / np.hypot(2 * often, rare) / np.hypot(often, rare)
    assert scored("tfidf", query, one, paper("bank"))[:2] == pytest.approx([expected, 0])


def test_tf_idf_over_the_whole_abstract_knows_no_facet() -> None:
    query = paper("sketch", "tree", facets="mb")
    for facet in QUERY_FACETS:
        assert scored("tfidf-abstract", query, paper("tree", "sketch"), facet=facet) == [
            pytest.approx(1)
        ]


def test_bm25_is_the_library_s() -> None:
    rank_bm25 = pytest.importorskip("rank_bm25")
    collection = csfcube_data.load_collection(DATA)
    papers = list(collection.papers.values())
    texts = [csfcube_systems.abstract_text(paper) for paper in papers]
    theirs = rank_bm25.BM25Okapi([tokenize(text) for text in texts])
    for query in papers:
        for facet in QUERY_FACETS:
            asked = csfcube_systems.ask_facet(query, facet)
            mine = csfcube_systems.score_bm25(query, asked, papers, words=WordWeights(papers))
            assert mine == pytest.approx(theirs.get_scores(tokenize(" ".join(asked.of(query)))))


def test_one_matching_sentence_is_enough_for_sentence_and_not_for_matches() -> None:
    query = paper("stream sketch", "tree forest")
    half, both = paper("stream sketch", "gaze mail"), paper("stream sketch", "forest tree bank")
    assert scored("sentence:m", query, half, both) == pytest.approx([1, 1])
    expected = [(1 + 0) / 2, (1 + 2 / np.sqrt(6)) / 2]
    assert scored("matches:m", query, half, both) == pytest.approx(expected)


def test_the_title_belongs_to_the_abstract_as_one_text() -> None:
    query = paper("tree", title="Stream")
    assert scored("abstract:m", query, paper("tree stream"), paper("tree")) == pytest.approx(
        [1, 1 / np.sqrt(2)]
    )


def test_fusion_adds_reciprocal_ranks() -> None:
    some, others = np.array([0.9, 0.1, 0.5]), np.array([3.0, 2.0, 1.0])
    assert csfcube_systems.reciprocal_rank_fusion([some, others]) == pytest.approx(
        [1 / 61 + 1 / 61, 1 / 63 + 1 / 62, 1 / 62 + 1 / 63]
    )


def test_words_that_occur_together_have_similar_vectors() -> None:
    chance = random.Random(3)
    topics = ["tree forest root leaf", "mail bank spam page", "gaze eye look fixation"]
    texts = [chance.choices(topics[at % 3].split(), k=12) for at in range(90)]
    rows, vectors = word_vectors.learn_vectors(texts, width=3)
    assert vectors.shape == (12, 3)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def cosine(one: str, other: str) -> float:
        return float(units[rows[one]] @ units[rows[other]])

    assert cosine("tree", "leaf") > 0.9
    assert abs(cosine("tree", "bank")) < 0.3


def test_words_of_one_text_are_not_next_to_words_of_another() -> None:
    rows, vectors = word_vectors.learn_vectors([["tree"], ["mail"]] * 9)
    assert sorted(rows) == ["mail", "tree"]
    assert not vectors.any()


def test_texts_of_no_frequent_word_have_vectors_of_nothing() -> None:
    assert scored("words", paper("tree"), paper("tree"), paper("")) == [0, 0]


@pytest.mark.parametrize("name", ["words", "words-tfidf"])
def test_averaged_words_know_like_papers(name: str) -> None:
    papers = [paper("tree forest root")] * 1 + [paper(f"tree forest leaf {at}") for at in range(6)]
    papers += [paper(f"mail bank spam {at}") for at in range(6)]
    scores = scored(name, papers[0], *papers[1:])
    assert min(scores[:6]) > max(scores[6:]) + 0.3


@pytest.mark.parametrize("name", SYSTEMS)
def test_papers_without_abstract_or_without_the_facet_are_ranked(tmp_path: Path, name: str) -> None:
    papers = [
        {**PAPER, "abstract": []},
        {**OTHER, "abstract": []},
        {**OTHER, "paper_id": "3", "title": ""},
        {"paper_id": "4", "title": "", "abstract": []},
    ]
    pairs = [
        {**PAIR, "facet": facet, "candidate_id": candidate}
        for facet in QUERY_FACETS
        for candidate in "234"
    ]
    data = folder(tmp_path / "data", papers, pairs)
    for query, ranking in rankings(tmp_path / "run", data, systems=[name]).items():
        assert sorted(ranking) == ["2", "3", "4"], query


@pytest.mark.parametrize("whole", [False, True], ids=["judged", "whole"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_order_ids_and_years_change_nothing(tmp_path: Path, name: str, whole: bool) -> None:
    papers, annotations = lines("papers.jsonl"), lines("annotations.jsonl")
    chance = random.Random(5)
    renamed = {paper["paper_id"]: f"s2:{chance.random()}" for paper in papers}
    turned = [
        {**paper, "paper_id": renamed[paper["paper_id"]], "year": chance.choice([None, 801, 2030])}
        for paper in papers
    ]
    pairs = [
        {
            **annotation,
            "query_id": renamed[annotation["query_id"]],
            "candidate_id": renamed[annotation["candidate_id"]],
            "relevance": chance.randrange(4),
        }
        for annotation in annotations
    ]
    chance.shuffle(turned)
    chance.shuffle(pairs)
    other = folder(tmp_path / "turned", turned, pairs)
    one = rankings(tmp_path / "one", systems=[name], whole=whole)
    two = rankings(tmp_path / "two", other, systems=[name], whole=whole)
    assert two == {
        (renamed[query], facet): [renamed[candidate] for candidate in ranking]
        for (query, facet), ranking in one.items()
    }


ASKED = AskedSentences((0,), Facet.METHOD)


def flat(query: Paper, asked: AskedSentences, candidates: Sequence[Paper]) -> Scores:
    return np.zeros(len(candidates))


def test_ties_are_ordered_by_a_hash_of_the_text() -> None:
    names = {f"id {at}": paper(f"text {at}") for at in range(20)}
    order = csfcube_systems.rank_candidates(flat, paper("query"), ASKED, names)
    assert order != list(names)
    turned = dict(reversed([(f"other {name}", text) for name, text in names.items()]))
    again = csfcube_systems.rank_candidates(flat, paper("query"), ASKED, turned)
    assert again == [f"other {name}" for name in order]


def test_equal_texts_are_adjacent_whatever_their_position_in_the_pool() -> None:
    pool = {"a": paper("tree"), "b": paper("mail"), "c": paper("tree")}
    order = csfcube_systems.rank_candidates(flat, paper("tree"), ASKED, pool)
    turned = csfcube_systems.rank_candidates(
        flat, paper("tree"), ASKED, dict(reversed([*pool.items()]))
    )
    assert order == turned
    assert order[1] != "b"


def test_every_text_is_encoded_once_and_by_itself() -> None:
    encoder = CountingHashes()
    measured(systems=["fused", "matches", "sentence"], load=lambda name: encoder)
    assert len(encoder.texts) == len(set(encoder.texts))
    collection = csfcube_data.load_collection(DATA)
    assert set(encoder.texts) == {
        text
        for paper in collection.papers.values()
        for text in (*paper.sentences, csfcube_systems.full_text(paper))
    }
