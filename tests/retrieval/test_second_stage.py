"""The second stage: the passages it reads, and their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scholar_indexes.arrays import Floats1d, Ints1d
from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.retrieval.candidates import BookQuery, Retrieved
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.readings import Reading
from scholar_indexes.retrieval.second_stage import MarkedBook, PassageInContext, SecondStage
from scholar_indexes.types import Character, Gender, Progress, silent

TEXT = "It rained. She told him so. “Go,” he said. Another day began. The end."
CAST = (
    Character("ann", "Ann", ("Ann",), Gender.FEMALE),
    Character("bob", "Bob", ("Bob",), Gender.MALE),
)


class Book:
    """Sentences of two chapters, as MarkedBook reads them."""

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


def ints(*values: int) -> Ints1d:
    return np.array(values, np.int64)


def place(text: str) -> tuple[int, int]:
    return TEXT.index(text), TEXT.index(text) + len(text)


@pytest.fixture
def people() -> BookPeople:
    words = [("She", 0), ("him", 1), ("he said", 1)]
    starts = ints(*(place(word)[0] for word, _ in words))
    ends = ints(place("She")[1], place("him")[1], place("he said")[0] + 2)
    speech_start, speech_end = place("“Go,”")
    mentions = People(starts, ends, ints(*(who for _, who in words)))
    return BookPeople(CAST, mentions, People(ints(speech_start), ints(speech_end), ints(1)))


def test_marks_follow_who_is_meant_and_stand_before_what_is_said(people: BookPeople) -> None:
    passage = MarkedBook(Book(), people, (1, 0)).passage(Place(7, 1, 3))  # type: ignore[arg-type]
    assert passage.text == "She # told him * so. * “Go,” he * said."


def test_context_stays_in_the_chapter(people: BookPeople) -> None:
    passage = MarkedBook(Book(), people, ()).passage(Place(7, 2, 3))  # type: ignore[arg-type]
    assert passage == PassageInContext("It rained. She told him so.", "“Go,” he said.", "")
    assert MarkedBook(Book(), None, (0,)).passage(Place(7, 3, 4)).before == ""  # type: ignore[arg-type]


class Recorder:
    """A re-ranker that keeps what it reads and scores passages by their lengths."""

    name = "recorder"
    depth = 32
    context = 2

    def __init__(self, *, reads_marks: bool = True, stop: bool = False, slow: bool = True) -> None:
        self.reads_marks = reads_marks
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


def test_each_book_is_read_with_its_own_reading_of_the_claim(people: BookPeople) -> None:
    reading = Reading((0,), "she told him", "told him", "she * told him")
    retrieved = Retrieved("", None, None, ())
    query = BookQuery(reading, retrieved, people.in_sentences(Book().sentences))
    reranker = Recorder()
    places = [(7, 1, 2), (8, 1, 2), (7, 0, 1), (9, 0, 1)]
    stage = SecondStage(reranker, "Ann told him", {7: Book(), 8: Book()}, lambda edition: people)  # type: ignore[dict-item]
    scores = stage([Place(*place) for place in places], {7: query})
    assert reranker.read == [
        ("she * told him", "She * told him so."),
        ("she * told him", "It rained."),
        ("Ann told him", "She told him so."),
    ]
    assert scores.tolist() == [18, 16, 10, 0]  # there is no book 9 any more


def test_a_model_that_was_not_taught_marks_reads_what_is_written(people: BookPeople) -> None:
    reading = Reading((0,), "she told him", "told him", "she * told him")
    query = BookQuery(reading, Retrieved("", None, None, ()), people.in_sentences(Book().sentences))
    reranker = Recorder(reads_marks=False)
    stage = SecondStage(reranker, "Ann told him", {7: Book()}, lambda edition: people)  # type: ignore[dict-item]
    stage([Place(7, 1, 2)], {7: query})
    assert reranker.read == [("Ann told him", "She told him so.")]


def test_where_the_user_stops_a_slow_model_the_order_of_the_first_stage_stays() -> None:
    stage = SecondStage(Recorder(stop=True), "Ann told him", {7: Book()}, lambda edition: None)  # type: ignore[dict-item]
    assert stage([Place(7, 1, 2), Place(7, 2, 3)], {}).tolist() == [0, 0]
    assert stage.is_stopped


def test_a_quick_model_is_stopped_with_the_command() -> None:
    reranker = Recorder(stop=True, slow=False)
    stage = SecondStage(reranker, "Ann told him", {7: Book()}, lambda edition: None)  # type: ignore[dict-item]
    with pytest.raises(KeyboardInterrupt):
        stage([Place(7, 1, 2)], {})


def test_a_model_reads_as_many_sentences_around_a_passage_as_it_asks_for() -> None:
    passage = MarkedBook(Book(), None, (), context=1).passage(Place(7, 2, 3))  # type: ignore[arg-type]
    assert passage.before == "She told him so."
