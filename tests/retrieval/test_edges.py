"""The edges of a passage, where a reader would cut a quotation."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.retrieval.edges import IN_SENTENCE, IN_SPEECH, IN_TURN, BookEdges
from scholar_indexes.retrieval.places import Place
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, Span

LENGTHS = (1, 5)


def book_of(*chapters: str) -> OpenBook:
    """Return a book whose sentences end with " | "; a blank line begins a paragraph."""
    text = "\n\n".join(chapters)
    spans, rows, at = [], [], 0
    for number, chapter in enumerate(chapters, 1):
        body = Span(at, at + len(chapter))
        spans.append(Chapter(number, str(number), (), ChapterKind.CHAPTER, body, body))
        for paragraph, within in enumerate(paragraph_spans(text, body), 1):
            start = within.start
            for sentence in within.of(text).split(" | "):
                rows.append((number, paragraph, start, start + len(sentence)))
                start += len(sentence) + 3
        at += len(chapter) + 2
    stored = StoredBook(
        Book("own-a", "A", "B", "en", "", ""),
        **{field.name: 0 for field in dataclasses.fields(StoredBook) if field.name != "book"},
    )
    book = OpenBook.from_text(stored, text, spans)
    book.sentences = np.array(rows, np.int32)
    return book


TALE = book_of(
    "It rained all day. | “I will not go,” | said she, and wept.\n\n“Nor I,” said he.\n\n"
    "“There is the sea. | There is the wind. | There is the lighthouse,” Ann said. | She sat down."
    "\n\nThe lamp burned; | nobody came. | Night fell.",
    "A new day began.",
)


def adjusted(
    first: int,
    end: int,
    focus: int | None = None,
    lengths: tuple[int, int] = LENGTHS,
    others: tuple[tuple[int, int], ...] = (),
) -> tuple[int, int]:
    at = first if focus is None else focus
    _, *edges = BookEdges(TALE).adjust(
        Place(1, first, end),
        Place(1, first, end),
        Place(1, at, at + 1),
        lengths,
        [Place(1, *other) for other in others],
    )
    return edges[0], edges[1]


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        pytest.param((0, 1), (0, 1), id="a whole sentence of the narrator's"),
        pytest.param((2, 4), (1, 4), id="the speech before said she is added"),
        pytest.param((1, 2), (1, 3), id="said she is added after the speech"),
        pytest.param((4, 6), (4, 7), id="a speech is not broken off"),
        pytest.param((5, 7), (4, 7), id="a speech is quoted from its beginning"),
        pytest.param((8, 9), (8, 10), id="a sentence goes on after a semicolon"),
        pytest.param((11, 12), (11, 12), id="the last sentence of the book"),
    ],
)
def test_edges_are_moved_to_where_a_reader_would_cut(
    passage: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert adjusted(*passage) == expected


ANNOUNCING = book_of(
    "The day was long. | Nobody spoke of it, and then he asked: | “Where is she?”\n\n"
    "“There--” | She stopped. | He saw the sea-- | then the sail."
)


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        pytest.param((0, 2), (0, 3), id="what a colon announces is added"),
        pytest.param((3, 4), (3, 4), id="a speech that breaks off is whole"),
        pytest.param((4, 6), (4, 7), id="a sentence goes on after a dash"),
    ],
)
def test_a_passage_does_not_end_where_something_is_announced(
    passage: tuple[int, int], expected: tuple[int, int]
) -> None:
    focus = Place(1, passage[0], passage[0] + 1)
    moved = BookEdges(ANNOUNCING).adjust(Place(1, *passage), Place(1, *passage), focus, LENGTHS)
    assert (moved.first, moved.end) == expected


def test_most_of_a_passage_stays_rather_than_that_its_cuts_are_clean() -> None:
    words = "and a word and another " * 9
    book = book_of(f"He came. | {words}; | {words}; | {words}.")
    window, focus = Place(1, 0, 3), Place(1, 0, 1)
    assert BookEdges(book).adjust(window, window, focus, (1, 3)) == window
    assert BookEdges(book).adjust(window, window, focus, (1, 4)) == Place(1, 0, 4)


def test_a_passage_next_to_another_is_shortened() -> None:
    assert adjusted(2, 5, focus=3, lengths=(1, 3), others=((0, 2),)) == (3, 5)


def test_the_sentence_that_carries_the_claim_stays() -> None:
    first, end = adjusted(3, 6, focus=5, lengths=(1, 3))
    assert first <= 5 < end


def test_passages_of_one_length_keep_it() -> None:
    assert adjusted(2, 3, lengths=(1, 1)) == (2, 3)
    first, end = adjusted(2, 4, focus=2, lengths=(2, 2))
    assert end - first == 2


def test_other_answers_are_not_run_into() -> None:
    assert adjusted(2, 4, others=((0, 2),)) == (2, 4)


@given(st.data())
def test_a_passage_stays_sound_wherever_it_is(data: st.DataObject) -> None:
    count = len(TALE.sentences)
    first = data.draw(st.integers(0, count - 1))
    last_of_chapter = 11 if first < 11 else count
    end = data.draw(st.integers(first + 1, min(first + 5, last_of_chapter)))
    focus = data.draw(st.integers(first, end - 1))
    moved_first, moved_end = adjusted(first, end, focus)
    assert 0 <= moved_first <= focus < moved_end <= last_of_chapter
    assert moved_end - moved_first <= 5
    assert first >= 11 or moved_end <= 11


@pytest.mark.parametrize(
    ("passage", "costs"),
    [
        pytest.param((0, 1), (0, 0), id="sentences of the narrator's"),
        pytest.param((1, 2), (0, IN_SENTENCE), id="ends before its tag"),
        pytest.param((5, 6), (IN_SPEECH, IN_SPEECH), id="begins and ends in a speech"),
        pytest.param((8, 9), (0, IN_SENTENCE), id="ends in a sentence"),
        pytest.param((9, 10), (IN_SENTENCE, 0), id="begins in one"),
        pytest.param((10, 11), (0, 0), id="the end of a chapter"),
        pytest.param((11, 12), (0, 0), id="the end of the book"),
    ],
)
def test_a_cut_costs_by_what_it_cuts(passage: tuple[int, int], costs: tuple[float, float]) -> None:
    assert BookEdges(TALE).cut_costs(Place(1, *passage)) == costs


def test_a_cut_after_a_semicolon_is_one_within_a_sentence() -> None:
    book = book_of("He bought a boat; | Ann sold it. | She left.")
    assert BookEdges(book).cut_costs(Place(1, 1, 2)) == (IN_SENTENCE, 0)


def test_a_cut_within_brackets_leaves_one_unpaired() -> None:
    book = book_of("Nobody spoke (the clock had stopped. | It always did.) | She left.")
    assert BookEdges(book).cut_costs(Place(1, 1, 2)) == (IN_SPEECH, 0)


def test_a_cut_between_the_parts_of_a_speech_costs_less_than_one_in_them() -> None:
    book = book_of("“I will go,” said Ann. | “It rains.” | She left.")
    assert BookEdges(book).cut_costs(Place(1, 1, 2)) == (IN_TURN, 0)
    assert BookEdges(book).cut_costs(Place(1, 0, 1)) == (0, IN_TURN)
    assert IN_TURN < IN_SPEECH < IN_SENTENCE


def test_a_cut_between_chapters_is_free() -> None:
    book = book_of("He came. | He asked:", "“Where is she?” | Nobody knew.")
    assert BookEdges(book).cut_costs(Place(1, 1, 2)) == (0, 0)
    assert BookEdges(book).cut_costs(Place(1, 2, 3)) == (0, 0)


def test_words_that_are_added_cost_by_the_hundred() -> None:
    few, many = (
        book_of(f"Ann rose. | “{'Lamp ' * words} | It is,” said Ann. | She left.")
        for words in (9, 900)
    )
    whole = Place(1, 1, 3)
    last = Place(1, 2, 3)
    assert BookEdges(few).adjust(last, last, last, LENGTHS) == whole
    assert BookEdges(many).adjust(last, last, last, LENGTHS) == last


def test_a_short_relevant_sentence_is_not_omitted_for_a_mark() -> None:
    said = " | ".join(
        ["“I was as wrong as anybody ever was about him."] + ["I did not see it."] * 6
    )
    book = book_of(f"{said} | I never knew myself.” | She left.")
    core = Place(1, 4, 8)
    passage = BookEdges(book).adjust(Place(1, 3, 8), core, Place(1, 5, 6), LENGTHS)
    assert (passage.first <= core.first, passage.end) == (True, core.end)
