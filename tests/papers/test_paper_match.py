"""The similarity of papers in one facet, and the alignment of their sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scholar_indexes.papers import match
from scholar_indexes.papers.match import (
    PaperVectors,
    align_sentences,
    score_answers,
    score_candidates,
    score_parts,
    transport_plan,
)
from scholar_indexes.papers.method_map import MethodMap
from scholar_indexes.types import Facet

B, M, R, X = range(4)
WIDTH = 16


def units(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    """Return random unit vectors, which are not similar to one another."""
    vectors = np.random.default_rng(seed).normal(size=(*shape, WIDTH))
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit.astype(np.float32)


def paper(facets: list[int], seed: int = 0) -> PaperVectors:
    return PaperVectors(
        units(len(facets), seed=seed),
        np.array(facets, int),
        units(seed=seed + 1),
        units(seed=seed + 2),
    )


def like(one: PaperVectors, rows: dict[int, int], other: PaperVectors) -> PaperVectors:
    """Return `other` with the sentences of the given rows replaced by sentences of `one`."""
    sentences = other.sentences.copy()
    for row, of_one in rows.items():
        sentences[row] = one.sentences[of_one]
    return replace(other, sentences=sentences)


QUERY = paper([B, B, M, M, R], seed=10)
METHOD = [2, 3]


@pytest.mark.parametrize(
    ("rows", "candidates", "lexical", "message"),
    [
        pytest.param([], [QUERY], None, "no sentence", id="nothing asked"),
        pytest.param([5], [QUERY], None, "no sentences", id="a row behind the last"),
        pytest.param([-1], [QUERY], None, "no sentences", id="a row before the first"),
        pytest.param(
            [0], [replace(QUERY, whole=units(seed=1)[:8])], None, "wide", id="whole of other width"
        ),
        pytest.param(
            [0],
            [replace(QUERY, sentences=QUERY.sentences[:, :8])],
            None,
            "wide",
            id="sentences of other width",
        ),
        pytest.param(
            [0], [replace(QUERY, facets=QUERY.facets[:3])], None, "facet", id="a facet missing"
        ),
        pytest.param(
            [0], [QUERY], np.zeros(2, np.float32), "lexical", id="too many lexical scores"
        ),
    ],
)
def test_inconsistent_arguments_are_refused(
    rows: list[int],
    candidates: list[PaperVectors],
    lexical: NDArray[np.float32] | None,
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        score_candidates(QUERY, rows, Facet.METHOD, candidates, lexical)


def test_no_candidates_have_no_scores() -> None:
    assert score_candidates(QUERY, [0], Facet.METHOD, []).shape == (0,)


def test_a_paper_is_most_like_itself() -> None:
    others = [paper([B, M, M, R], seed=number) for number in range(100, 120)]
    scores = score_candidates(QUERY, METHOD, Facet.METHOD, [*others, QUERY])
    assert scores.argmax() == len(others)


@pytest.mark.parametrize("facet", [Facet.BACKGROUND, Facet.RESULT])
def test_the_score_of_the_paper_itself_is_one(facet: Facet) -> None:
    rows = [0, 1] if facet is Facet.BACKGROUND else [4]
    assert score_candidates(QUERY, rows, facet, [QUERY])[0] == pytest.approx(1, abs=0.02)


def test_the_same_sentence_counts_where_it_has_the_asked_facet() -> None:
    rest = paper([B, M, R], seed=20)
    as_method = like(QUERY, {1: 2}, rest)
    as_background = replace(as_method, facets=np.array([M, B, R]))
    scores = score_candidates(QUERY, [2], Facet.METHOD, [rest, as_method, as_background])
    assert scores[1] > scores[2] + 0.1
    assert scores[1] > scores[0] + 0.1


def test_the_asked_facet_counts_and_not_the_label_of_the_chosen_sentence() -> None:
    rest = paper([B, M, R], seed=20)
    as_method = like(QUERY, {1: 4}, rest)
    as_result = replace(as_method, facets=np.array([B, R, M]))
    scores = score_candidates(QUERY, [4], Facet.METHOD, [as_method, as_result])
    assert scores[0] > scores[1]


def test_one_of_two_steps_is_worth_less_than_both() -> None:
    """Matching only the most salient sentence is the mistake of the best single match."""
    rest = paper([B, M, M, R], seed=30)
    one, both = like(QUERY, {1: 2}, rest), like(QUERY, {1: 3, 2: 2}, rest)
    best = [(QUERY.sentences[METHOD] @ candidate.sentences.T).max() for candidate in (one, both)]
    assert best == pytest.approx([1, 1])
    scores = score_candidates(QUERY, METHOD, Facet.METHOD, [one, both])
    assert scores[1] > scores[0] + 0.1


def test_a_paper_without_the_facet_is_matched_by_all_it_says_and_loses_for_it() -> None:
    with_it = like(QUERY, {0: 2}, paper([M], seed=40))
    without = replace(with_it, facets=np.array([B]))
    of = score_parts(QUERY, [2], Facet.METHOD, [with_it, without])
    assert of.matched == pytest.approx([1, 1], abs=1e-4)
    assert of.view[0] == pytest.approx(of.view[1], abs=1e-4)
    assert of.foreign == pytest.approx([0, 1])
    assert of.cosines[0] - of.cosines[1] == pytest.approx(match.FACET_PENALTY, abs=1e-3)


def test_a_paper_without_an_abstract_has_its_title_and_whole_alone() -> None:
    bare = replace(paper([], seed=50), title=QUERY.title, whole=QUERY.whole)
    of = score_parts(QUERY, METHOD, Facet.METHOD, [bare, QUERY])
    assert of.whole == pytest.approx([1, 1])
    assert (of.matched[0], of.foreign[0]) == (0, 1)
    assert 0 < of.view[0] < of.view[1]
    assert align_sentences(QUERY, METHOD, bare) == []


def test_without_a_title_the_whole_is_the_topic() -> None:
    untitled = replace(QUERY, title=None)
    of = score_parts(untitled, METHOD, Facet.METHOD, [untitled, replace(QUERY, title=QUERY.whole)])
    assert of.view == pytest.approx([1, 1], abs=1e-2)
    assert of.view[0] == of.view[1]


@pytest.mark.parametrize(
    ("rows", "facet"),
    [
        pytest.param([0, 1], Facet.BACKGROUND, id="sentences of one facet"),
        pytest.param([4], Facet.RESULT, id="one sentence"),
    ],
)
def test_chosen_sentences_ask_for_their_own_facet(rows: list[int], facet: Facet) -> None:
    others = [paper([B, M, M, R, X], seed=number) for number in range(60, 65)]
    assert score_candidates(QUERY, rows, None, others) == pytest.approx(
        score_candidates(QUERY, rows, facet, others)
    )


def test_chosen_sentences_of_two_facets_ask_for_both() -> None:
    only_method, both = paper([M, M], seed=70), paper([M, R], seed=70)
    other = replace(only_method, facets=np.array([B, X]))
    assert score_parts(QUERY, [3, 4], None, [only_method, both, other]).foreign == pytest.approx(
        [0, 0, 1]
    )


def test_numbers_of_facets_are_certain_probabilities() -> None:
    other = paper([B, M, X, R], seed=80)
    certain = replace(other, facets=np.eye(4, dtype=np.float32)[other.facets])
    scores = score_candidates(QUERY, METHOD, Facet.METHOD, [other, certain])
    assert scores[0] == scores[1]


def test_a_doubtful_facet_counts_in_proportion() -> None:
    near = like(QUERY, {0: 2}, paper([M, M], seed=90))

    def sure(share: float) -> PaperVectors:
        facets = np.array([[1 - share, share, 0, 0], [0, 1, 0, 0]], np.float32)
        return replace(near, facets=facets)

    scores = score_candidates(
        QUERY, [2], Facet.METHOD, [sure(share) for share in (0, 0.25, 0.5, 0.75, 1)]
    )
    assert (np.diff(scores) > 0.01).all()


def test_common_words_add_a_tenth_for_the_best_of_them() -> None:
    others = [paper([M, R], seed=number) for number in range(3)]
    plain = score_candidates(QUERY, [4], Facet.RESULT, others)
    words = np.array([0, 12, 24], np.float32)
    blended = score_candidates(QUERY, [4], Facet.RESULT, others, words)
    assert blended - plain == pytest.approx([0, 0.05, 0.1], abs=1e-6)
    assert score_candidates(QUERY, [4], Facet.RESULT, others, 0 * words) == pytest.approx(plain)


def test_for_a_method_common_words_count_up_to_a_rank() -> None:
    others = [paper([M, R], seed=number) for number in range(8)]
    plain = score_candidates(QUERY, METHOD, Facet.METHOD, others)
    words = np.array([40, 30, 20, 10, 8, 6, 4, 0], np.float32)
    gain = score_candidates(QUERY, METHOD, Facet.METHOD, others, words) - plain
    assert gain == pytest.approx([0.02] * 5 + [0.015, 0.01, 0], abs=1e-6)


def on_topic(cosine: float, sentences: int, seed: int) -> PaperVectors:
    """Return a paper whose title and whole abstract have this cosine with the query."""
    other = paper([M] * sentences, seed=seed)
    assert QUERY.title is not None

    def near(vector: NDArray[np.float32]) -> NDArray[np.float32]:
        rest = units(seed=seed + 5)
        rest = rest - (rest @ vector) * vector
        mixed: NDArray[np.float32] = (
            cosine * vector + np.sqrt(1 - cosine**2) * rest / np.linalg.norm(rest)
        ).astype(np.float32)
        return mixed

    return replace(other, whole=near(QUERY.whole), title=near(QUERY.title))


def test_the_method_outweighs_the_topic_where_few_share_it() -> None:
    """In a search by method, the paper on the same topic ranks below the one with the method."""
    same_topic = on_topic(0.8, 2, seed=200)
    same_method = like(QUERY, {0: 2, 1: 3}, on_topic(0.0, 2, seed=300))
    others = [on_topic(0.0, 2, seed=number) for number in range(400, 430)]
    candidates = [same_topic, same_method, *others]
    method = score_candidates(QUERY, METHOD, Facet.METHOD, candidates)
    assert method.argmax() == 1
    topic = score_parts(QUERY, METHOD, Facet.METHOD, candidates).topic
    assert topic.argmax() == 0


def test_the_topic_counts_among_many_papers_that_share_it() -> None:
    near = [on_topic(0.8, 2, seed=number) for number in range(500, 500 + match.TOPIC_RANK)]
    far = [replace(on_topic(0.0, 2, seed=600), sentences=near[0].sentences)]
    scores = score_candidates(QUERY, METHOD, Facet.METHOD, [*near, *far])
    assert scores[0] == pytest.approx(scores[-1] + 0.8 / 3, abs=1e-3)


def test_methods_are_compared_in_the_space_of_the_map() -> None:
    """A map that drops the first axis makes sentences equal that differ only along it."""
    matrix = np.eye(WIDTH, dtype=np.float32)
    matrix[0, 0] = 0
    forgets = MethodMap(np.zeros(WIDTH, np.float32), matrix)
    moved = QUERY.sentences.copy()
    moved[:, 0] += 3
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    other = replace(QUERY, sentences=moved)
    plain = score_parts(QUERY, METHOD, Facet.METHOD, [other]).method
    mapped = score_parts(QUERY, METHOD, Facet.METHOD, [other], forgets).method
    assert mapped == pytest.approx([1], abs=1e-5)
    assert plain is not None
    assert plain[0] < 0.9


def test_a_sentence_of_another_facet_is_no_method() -> None:
    as_background = like(QUERY, {0: 2}, paper([B, M], seed=40))
    as_method = replace(as_background, facets=np.array([M, B]))
    method = score_parts(QUERY, [2], Facet.METHOD, [as_background, as_method]).method
    assert method is not None
    assert method[1] == pytest.approx(1, abs=1e-5)
    assert method[0] < 0.9


def test_without_a_method_sentence_the_likeliest_or_the_title_is_compared() -> None:
    likely = np.array([[0.6, 0.4, 0, 0], [1, 0, 0, 0]], np.float32)
    doubtful = replace(like(QUERY, {0: 2}, paper([B, B], seed=40)), facets=likely)
    bare = replace(paper([], seed=50), title=QUERY.sentences[2])
    method = score_parts(QUERY, [2], Facet.METHOD, [doubtful, bare]).method
    assert method == pytest.approx([1, 1], abs=1e-5)


def test_half_precision_is_precise_enough() -> None:
    def half(of: PaperVectors) -> PaperVectors:
        assert of.title is not None
        return PaperVectors(
            of.sentences.astype(np.float16),
            of.facets,
            of.whole.astype(np.float16),
            of.title.astype(np.float16),
        )

    others = [paper([B, M, M, R], seed=number) for number in range(10)]
    stored = score_candidates(half(QUERY), METHOD, Facet.METHOD, [half(other) for other in others])
    assert stored.dtype == np.float32
    assert stored == pytest.approx(score_candidates(QUERY, METHOD, Facet.METHOD, others), abs=2e-3)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.integers(1, 5))
def test_a_score_is_the_same_whoever_else_is_scored(lengths: list[int], sentences: int) -> None:
    candidates = [
        paper([(row + n) % 4 for row in range(n)], seed=n + 100 * i) for i, n in enumerate(lengths)
    ]
    together = score_candidates(QUERY, range(sentences), Facet.RESULT, candidates)
    alone = [
        score_candidates(QUERY, range(sentences), Facet.RESULT, [candidate])[0]
        for candidate in candidates
    ]
    assert together == pytest.approx(alone, abs=1e-5)


def test_more_sentences_than_fit_at_once_are_matched_in_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    candidates = [paper([B, M, R] * 100, seed=1), *(paper([M] * n, seed=n) for n in range(1, 30))]
    at_once = score_candidates(QUERY, METHOD, Facet.METHOD, candidates)
    monkeypatch.setattr(match, "MAX_PAIRS", 1)
    assert score_candidates(QUERY, METHOD, Facet.METHOD, candidates) == pytest.approx(
        at_once, abs=1e-5
    )


def test_the_order_of_sentences_is_no_matter() -> None:
    other = paper([B, M, M, R, M], seed=7)
    turned = replace(other, sentences=other.sentences[::-1], facets=other.facets[::-1])
    scores = score_candidates(QUERY, METHOD, Facet.METHOD, [other, turned])
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)


@given(st.integers(1, 6), st.integers(1, 12), st.integers(0, 1000))
def test_the_alignment_adds_up_to_the_matched_part(
    query_sentences: int, sentences: int, seed: int
) -> None:
    query = paper([M] * 6, seed=seed)
    other = paper([(row + seed) % 4 for row in range(sentences)], seed=seed + 1)
    pairs = align_sentences(query, range(query_sentences), other, Facet.METHOD)
    matched = score_parts(query, range(query_sentences), Facet.METHOD, [other]).matched[0]
    assert sum(pair.weight * pair.cosine for pair in pairs) == pytest.approx(matched, abs=1e-5)
    assert sum(pair.weight for pair in pairs) == pytest.approx(1, abs=1e-5)
    worth = [(other.facets[pair.candidate_row] == M, pair.weight * pair.cosine) for pair in pairs]
    assert worth == sorted(worth, reverse=True)


def test_a_sentence_of_the_facet_is_shown_before_a_nearer_one_of_another() -> None:
    """A background sentence identical to the method of the query is not a method match."""
    shares = np.array([[0.55, 0.45, 0, 0], [0.1, 0.9, 0, 0]], np.float32)
    other = replace(like(QUERY, {0: 2}, paper([B, M], seed=40)), facets=shares)
    pairs = align_sentences(QUERY, [2], other, Facet.METHOD)
    assert [pair.candidate_row for pair in pairs] == [1, 0]


def test_steps_are_aligned_with_their_counterparts() -> None:
    other = like(QUERY, {1: 3, 3: 2}, paper([B, M, R, M], seed=5))
    first, second, *rest = align_sentences(QUERY, METHOD, other, Facet.METHOD)
    assert {(pair.query_row, pair.candidate_row) for pair in (first, second)} == {(3, 1), (2, 3)}
    assert [first.cosine, second.cosine] == pytest.approx([1, 1])
    assert first.weight + second.weight > 0.9
    assert sum(pair.weight for pair in rest) < 0.1


def test_an_alignment_has_a_row_for_each_sentence_of_the_abstract() -> None:
    pairs = align_sentences(QUERY, [4], QUERY)
    assert {pair.query_row for pair in pairs} == {4}
    assert {pair.candidate_row for pair in pairs} == set(range(5))
    assert (pairs[0].query_row, pairs[0].candidate_row) == (4, 4)


@settings(max_examples=25)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 1000))
def test_a_transport_moves_all_there_is(m: int, n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    cosines = random.uniform(-1, 1, (m, n, 3)).astype(np.float32)
    mass = random.uniform(0.01, 1, (n, 3)).astype(np.float32)
    mass /= mass.sum(axis=0)
    plan = transport_plan(cosines, mass, iterations=1000)
    assert (plan >= 0).all()
    assert plan.sum(axis=1) == pytest.approx(np.full((m, 3), 1 / m), abs=1e-4)
    assert plan.sum(axis=0) == pytest.approx(mass, abs=0.01)


def test_a_sharp_transport_is_the_best_assignment() -> None:
    """The best total wins over the best pair: (0,1) and (1,0) sum to 0.8 + 0.7, (0,0) and
    (1,1) only to 0.9 + 0.1."""
    cosines = np.array([[0.9, 0.8], [0.7, 0.1]], np.float32)[:, :, None]
    plan = transport_plan(cosines, np.full((2, 1), 0.5, np.float32))
    assert plan[:, :, 0] == pytest.approx(np.array([[0, 0.5], [0.5, 0]]), abs=0.01)


def test_a_blunt_transport_weights_every_pair_equally() -> None:
    cosines = units(3) @ units(4, seed=1).T
    plan = transport_plan(cosines[:, :, None], np.full((4, 1), 0.25, np.float32), epsilon=1e6)
    assert plan == pytest.approx(np.full((3, 4, 1), 1 / 12))


def test_opposite_vectors_do_no_harm() -> None:
    opposite = replace(QUERY, sentences=-QUERY.sentences, whole=-QUERY.whole)
    assert np.isfinite(score_candidates(QUERY, range(5), Facet.METHOD, [opposite, QUERY])).all()


def test_a_question_is_answered_by_one_sentence_or_by_the_title() -> None:
    question = units(seed=99)
    by_sentence = paper([B, M, R], seed=1)
    by_sentence.sentences[2] = question
    by_title = replace(paper([B, M], seed=5), title=question)
    neither = paper([B, M], seed=7)
    scores = score_answers(question, [neither, by_sentence, by_title])
    assert scores.rows.tolist()[1:] == [2, -1]
    assert scores.nearest[1:] == pytest.approx([1, 1], abs=1e-5)
    assert scores.scores.argmin() == 0


def test_a_paper_without_an_abstract_can_answer_by_its_title() -> None:
    scores = score_answers(units(seed=3), [paper([], seed=4)])
    assert scores.rows.tolist() == [-1]


def test_common_words_lift_an_answer() -> None:
    question, same = units(seed=3), paper([B, M], seed=4)
    scores = score_answers(question, [same, same], np.array([0, 9], np.float32))
    assert scores.scores[1] > scores.scores[0]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 999))
def test_every_answer_names_a_sentence_that_is_there(lengths: list[int], seed: int) -> None:
    candidates = [paper([M] * length, seed=seed + at) for at, length in enumerate(lengths)]
    scores = score_answers(units(seed=seed), candidates)
    assert all(-1 <= row < length for row, length in zip(scores.rows, lengths, strict=True))
    assert np.isfinite(scores.scores).all()
