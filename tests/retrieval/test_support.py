"""The support of passages: scores that compare across claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.results import Evidence, MatchKind, Support
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.support import (
    ONE_STAGE,
    TWO_STAGES,
    Judge,
    SupportScale,
    without_rises,
)
from scholar_indexes.retrieval.window import Window
from scholar_indexes.settings import DEFAULT_RERANKER
from scholar_indexes.types import Book, Chapter, ChapterKind, Hit, Passage, Span

SCORES = st.floats(-50, 50)
BOOKS = st.integers(1, 10_000)


@pytest.mark.parametrize("scale", [ONE_STAGE, TWO_STAGES], ids=["one stage", "two stages"])
@given(scores=st.tuples(SCORES, SCORES), books=BOOKS)
def test_a_better_score_has_more_support(
    scale: SupportScale, scores: tuple[float, float], books: int
) -> None:
    low, high = (scale.estimate(score, books) for score in sorted(scores))
    assert 0 <= low <= high <= 1


@given(score=SCORES, books=BOOKS)
def test_the_same_score_is_worth_less_among_more_books(score: float, books: int) -> None:
    assert TWO_STAGES.estimate(score, books + 1) <= TWO_STAGES.estimate(score, books)


def window(
    comparable: tuple[float, float] | None, match: MatchKind | None = None, edition: int = 1
) -> Window:
    return Window(Place(edition, 3, 5), 1.0, comparable, match=match)


def test_remembered_words_are_certain() -> None:
    support = Judge(1, DEFAULT_RERANKER).support(window(None, MatchKind.VERBATIM))
    assert support is not None
    assert (support.probability, support.is_weak) == (1.0, False)


def test_other_rankings_have_no_support() -> None:
    assert Judge(1, DEFAULT_RERANKER).support(window(None)) is None


def test_the_scores_of_a_stage_are_read_by_its_own_scale() -> None:
    scores = window((1.0, 4.0))
    one, two = (Judge(1, reader).support(scores) for reader in (None, DEFAULT_RERANKER))
    assert one is not None
    assert two is not None
    assert one.probability == pytest.approx(ONE_STAGE.estimate(1.0, 1))
    assert two.probability == pytest.approx(TWO_STAGES.estimate(4.0, 1))
    assert (one.score, two.score) == (1.0, 4.0)


def test_a_hopeless_score_is_weak_and_a_high_one_is_not() -> None:
    judge = Judge(1, DEFAULT_RERANKER)
    hopeless, high = (judge.support(window((x, x))) for x in (-3.0, 5.0))
    assert hopeless is not None
    assert high is not None
    assert (hopeless.is_weak, high.is_weak) == (True, False)


def test_everything_is_weak_for_a_name_that_no_book_has() -> None:
    support = Judge(1, DEFAULT_RERANKER, lacks_name=True).support(window((5.0, 5.0)))
    assert support is not None
    assert support.is_weak
    assert support.probability == TWO_STAGES.weak


def test_nothing_is_weak_where_somebody_is_named_who_cannot_be_found() -> None:
    judge = Judge(2, DEFAULT_RERANKER, unsure={1})
    scores = (-3.0, -3.0)
    unsure, sure = (judge.support(window(scores, edition=edition)) for edition in (1, 2))
    assert unsure is not None
    assert sure is not None
    assert (unsure.is_weak, sure.is_weak) == (False, True)
    assert unsure.probability == sure.probability


@given(st.lists(st.none() | st.floats(0, 1), max_size=8))
def test_support_never_rises_from_one_hit_to_the_next(probabilities: list[float | None]) -> None:
    hits = [
        Hit(evidence(None if p is None else Support(p, is_weak=p < 0.1, score=p)), 1.0)
        for p in probabilities
    ]
    lowered = [hit.item.support for hit in without_rises(hits)]
    kept = [support.probability for support in lowered if support is not None]
    assert kept == sorted(kept, reverse=True)
    assert [support is None for support in lowered] == [p is None for p in probabilities]
    assert all(
        support.probability <= p
        for support, p in zip(lowered, probabilities, strict=True)
        if support is not None and p is not None
    )


def evidence(support: Support | None) -> Evidence:
    book = Book("own-1", "A Title", "An Author", "en", "", "")
    chapter = Chapter(1, "I", (), ChapterKind.CHAPTER, Span(0, 5), Span(1, 5), "1")
    passage = Passage("own-1", 1, 1, Span(0, 5), "words")
    return Evidence(
        book, chapter, passage, "", "", "own-1:1.1", Span(0, 5), (), None, None, None, None, support
    )
