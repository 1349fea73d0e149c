"""The second stage: the passages it reads, and their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scholar_indexes.arrays import Floats1d
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.second_stage import PassageInContext, SecondStage, in_context
from scholar_indexes.types import Progress, silent

TEXT = "It rained. She told him so. “Go,” he said. Another day began. The end."


class Book:
    """Sentences of two chapters, as an open book has them."""

    text = TEXT

    def __init__(self) -> None:
        sentences = TEXT.split(". ")
        starts = [TEXT.index(sentence) for sentence in sentences]
        ends = [*(start - 1 for start in starts[1:]), len(TEXT)]
        chapters = [1, 1, 1, 2, 2]
        self.sentences = np.array(
            [
                (chapter, 1, start, end)
                for chapter, start, end in zip(chapters, starts, ends, strict=True)
            ]
        )


def passage(first: int, end: int, context: int = 2) -> PassageInContext:
    chapters, _, starts, ends = Book().sentences.T
    return in_context(TEXT, chapters, starts, ends, (first, end), context)


def test_context_stays_in_the_chapter() -> None:
    expected = PassageInContext("It rained. She told him so.", "“Go,” he said.", "")
    assert passage(2, 3) == expected
    assert passage(3, 4).before == ""


class Recorder:
    """A re-ranker that records the passages it reads and scores them by length."""

    name = "recorder"
    depth = 32
    context = 2

    def __init__(self, *, stop: bool = False, slow: bool = True) -> None:
        self.is_slow = slow
        self._stop = stop
        self.read: list[tuple[str, str]] = []

    def score(
        self, claim: str, passages: Sequence[PassageInContext], progress: Progress = silent
    ) -> Floats1d:
        if self._stop:
            raise KeyboardInterrupt
        self.read += [(claim, passage.text) for passage in passages]
        return np.array([len(passage.text) for passage in passages], np.float32)


def test_the_passages_of_all_books_are_read_with_the_claim_as_typed() -> None:
    reranker = Recorder()
    places = [(7, 1, 2), (8, 1, 2), (7, 0, 1), (9, 0, 1)]
    stage = SecondStage(reranker, "Ann told him", {7: Book(), 8: Book()})  # type: ignore[dict-item]
    scores = stage([Place(*place) for place in places])
    assert reranker.read == [
        ("Ann told him", "She told him so."),
        ("Ann told him", "It rained."),
        ("Ann told him", "She told him so."),
    ]
    assert scores.tolist() == [16, 16, 10, 0]  # book 9 no longer exists


def test_if_the_user_stops_a_slow_model_the_order_of_the_first_stage_stays() -> None:
    stage = SecondStage(Recorder(stop=True), "Ann told him", {7: Book()})  # type: ignore[dict-item]
    assert stage([Place(7, 1, 2), Place(7, 2, 3)]).tolist() == [0, 0]
    assert stage.is_stopped


def test_a_quick_model_is_stopped_with_the_command() -> None:
    reranker = Recorder(stop=True, slow=False)
    stage = SecondStage(reranker, "Ann told him", {7: Book()})  # type: ignore[dict-item]
    with pytest.raises(KeyboardInterrupt):
        stage([Place(7, 1, 2)])


def test_a_model_reads_as_many_sentences_around_a_passage_as_it_asks_for() -> None:
    assert passage(2, 3, context=1).before == "She told him so."
