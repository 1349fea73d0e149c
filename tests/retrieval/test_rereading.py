"""A list of hits that another model reads again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes import settings
from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.paths import user_paths
from scholar_indexes.requests import FindRequest
from scholar_indexes.results import Evidence, MatchKind
from scholar_indexes.retrieval.rerankers.by_name import NAMED, NamedReranker
from scholar_indexes.retrieval.rereading import GROUP
from scholar_indexes.retrieval.second_stage import PassageInContext
from scholar_indexes.retrieval.stages import SECOND_STAGE
from scholar_indexes.settings import THOROUGH
from scholar_indexes.types import Hit, Progress, silent

REQUEST = FindRequest("the widow waited for the ship", n=10)


class Constant:
    """A re-ranker that scores all passages equally."""

    name, depth, context, is_slow = "alike", 24, 1, True

    def __init__(self) -> None:
        self.read: list[PassageInContext] = []

    def score(
        self, claim: str, passages: Sequence[PassageInContext], progress: Progress = silent
    ) -> Floats1d:
        assert claim == REQUEST.claim
        self.read += passages
        progress("reading", len(passages), len(passages))
        return np.full(len(passages), 0.5, np.float32)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Constant:
    """The re-ranker that is named thorough."""
    reranker = Constant()
    monkeypatch.setitem(NAMED, THOROUGH, NamedReranker(lambda resources: reranker))
    return reranker


@pytest.fixture
def library(two_books: Path) -> Library:
    return Library(user_paths(), settings.load(user_paths().config)[0])


@pytest.fixture
def hits(library: Library) -> list[Hit[Evidence]]:
    found = list(library.find(REQUEST))
    assert len(found) > GROUP
    return found


def first_stage(hit: Hit[Evidence]) -> float:
    assert hit.item.parts
    return sum(score for part, score in hit.item.parts.items() if part != SECOND_STAGE)


def test_the_model_reads_every_passage_and_only_its_score_replaces_the_second_stage(
    library: Library, large: Constant, hits: list[Hit[Evidence]]
) -> None:
    steps: list[tuple[int, int]] = []
    *_, ranked = library.search.read_again(
        REQUEST, hits, THOROUGH, lambda label, done, total: steps.append((done, total))
    )
    assert [passage.text for passage in large.read] == [
        " ".join(hit.item.passage.text.split()) for hit in hits
    ]
    assert steps[-1] == (len(hits), len(hits))
    assert [hit.item.locator for hit in ranked] == [
        hit.item.locator for hit in sorted(hits, key=first_stage, reverse=True)
    ]
    assert {hit.item.read_by for hit in ranked} == {large.name}


def test_unread_passages_follow_in_their_order(
    library: Library, large: Constant, hits: list[Hit[Evidence]]
) -> None:
    ranked = next(library.search.read_again(REQUEST, hits, THOROUGH))
    read, unread = ranked[:GROUP], ranked[GROUP:]
    assert {hit.item.locator for hit in read} == {hit.item.locator for hit in hits[:GROUP]}
    assert [hit.item for hit in unread] == [hit.item for hit in hits[GROUP:]]
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)


def test_the_exact_words_of_the_claim_and_liked_passages_stay_first(
    library: Library, large: Constant, hits: list[Hit[Evidence]]
) -> None:
    exact = replace(hits[1], item=replace(hits[1].item, match=MatchKind.VERBATIM))
    listed = [hits[0], exact, *hits[2:]]
    request = replace(REQUEST, like=(hits[0].item.locator,))
    *_, ranked = library.search.read_again(request, listed, THOROUGH)
    assert ranked[:2] == listed[:2]
    assert len(large.read) == len(hits) - 2


def test_a_text_that_was_replaced_is_not_read(
    library: Library, large: Constant, hits: list[Hit[Evidence]]
) -> None:
    book = replace(hits[0].item.book, sha256="0")
    listed = [replace(hits[0], item=replace(hits[0].item, book=book))]
    with pytest.raises(NotThere, match="search again"):
        list(library.search.read_again(REQUEST, listed, THOROUGH))
