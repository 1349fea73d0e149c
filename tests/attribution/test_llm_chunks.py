"""The chunks of a book that a language model reads at once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_books import BOOK, CAST, quoted, whole
from scholar_indexes.attribution.by_language_model.attributor import attribute
from scholar_indexes.attribution.by_language_model.chunks import Chunk, divide
from scholar_indexes.errors import (
    UsageError,
)
from scholar_indexes.llm.remote_model import RemoteModel
from scholar_indexes.types import Quotation, Span


def words(text: str) -> int:
    return len(text.split())


def test_a_chapter_that_fits_is_one_chunk_without_overlap() -> None:
    assert divide(BOOK, whole(BOOK), quoted(BOOK), words) == [
        Chunk(Span(0, len(BOOK)), tuple(range(12)))
    ]


def test_a_long_chapter_is_cut_between_paragraphs_and_its_chunks_overlap() -> None:
    chunks = divide(BOOK, whole(BOOK), quoted(BOOK), words, chunk_tokens=44, overlap_tokens=11)
    assert [chunk.quotations for chunk in chunks] == [
        (0, 1, 2, 3),
        (3, 4, 5, 6),
        (6, 7, 8, 9),
        (9, 10, 11),
    ]
    assert all(chunk.span.of(BOOK).startswith("“Line") for chunk in chunks)
    assert all(words(chunk.span.of(BOOK)) <= 44 for chunk in chunks)


def test_chunks_stay_inside_their_chapters_and_chunks_without_speech_are_skipped() -> None:
    text = "It rained.\n\n“Go,” said Jane.\n\nNobody spoke."
    chapters = [Span(0, 12), Span(12, 30), Span(30, len(text))]
    assert divide(text, chapters, quoted(text), words) == [Chunk(Span(12, 30), (0,))]


def test_a_paragraph_longer_than_a_chunk_is_cut_at_a_space() -> None:
    text = "“Yes,” she said. " * 1_000
    chunks = divide(text, whole(text), quoted(text), words, chunk_tokens=500, overlap_tokens=0)
    assert len(chunks) > 5
    assert all(text[chunk.span.end - 1 : chunk.span.end + 1].count(" ") for chunk in chunks)
    assert [at for chunk in chunks for at in chunk.quotations] == list(range(1_000))


@given(
    st.text(st.sampled_from("ab “”\n.\t\u00a0"), max_size=300),
    st.integers(1, 20),
    st.integers(0, 19),
)
def test_every_quotation_of_a_chapter_is_in_a_chunk(text: str, most: int, overlap: int) -> None:
    quotations = [Quotation((Span(at, at + 1),)) for at in range(0, len(text), 3)]
    chunks = divide(
        text, whole(text), quotations, len, chunk_tokens=most + overlap + 1, overlap_tokens=overlap
    )
    assert {at for chunk in chunks for at in chunk.quotations} == set(range(len(quotations)))
    assert all(a.span.start < b.span.start for a, b in pairwise(chunks))


@pytest.mark.parametrize(("chunk", "overlap"), [(10, 10), (0, 0), (10, -1)])
def test_an_overlap_must_be_smaller_than_a_chunk(chunk: int, overlap: int) -> None:
    with pytest.raises(UsageError, match="cannot overlap"):
        attribute(
            BOOK,
            [],
            CAST,
            [],
            RemoteModel("http://localhost", "tiny"),
            chunk_tokens=chunk,
            overlap_tokens=overlap,
        )
