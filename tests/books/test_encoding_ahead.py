"""Sentences that are encoded while the rest of their book is divided."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from scholar_indexes.arrays import Floats2d
from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.encoding_ahead import EncodingAhead
from scholar_indexes.books.adding.ingest import BookSource, SentenceChunk
from scholar_indexes.errors import Damaged
from scholar_indexes.library import Library
from scholar_indexes.types import Book, silent
from sentence_encoders import SentenceEncoder


class Lengths(SentenceEncoder):
    """Encodes a text as its length; waits for `open` before the first."""

    space, dimensions = "lengths", 1

    def __init__(self) -> None:
        self.open = Event()
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Floats2d:
        assert self.open.wait(60)
        self.texts += texts
        return np.array([[len(text)] for text in texts], np.float32)


TEXT = "\n\n".join(f"The lamp number {number} was lit by the widow." for number in range(5_000))


def chunks_of(text: str) -> tuple[list[SentenceChunk], ingest.BookDraft]:
    """Return the chunks that are reported while a text is divided, and its draft."""
    told: list[SentenceChunk] = []

    def tell(book: Book, chunk: SentenceChunk) -> None:
        told.append(chunk)

    source = BookSource(text.encode(), "lamps.txt", None)
    return told, ingest.parse_draft(source, language="en", on_chunk=tell)


def test_chunks_are_the_same_as_for_a_stored_book() -> None:
    told, draft = chunks_of(TEXT)
    places = [(part.chapter, part.span.start, part.span.end) for part in draft.sentences]
    assert len(told) == 3
    assert told == list(ingest.sentence_chunks(draft.text, places))


def test_rows_come_in_order_and_equal_the_rows_of_encoding_afterwards() -> None:
    told, _ = chunks_of(TEXT)
    encoder = Lengths()
    with EncodingAhead(lambda: encoder) as ahead:
        for chunk in told:
            ahead.add(chunk)
        assert ahead.sentences == 5_000
        encoder.open.set()
        rows = list(ahead.rows("encoding", silent))
    for ready, chunk in zip(rows, told, strict=True):
        afterwards = ingest.encode_chunk(chunk, encoder)
        assert (ready.numbers, ready.texts) == (afterwards.numbers, afterwards.texts)
        np.testing.assert_array_equal(ready.vectors, afterwards.vectors)


def test_batches_not_begun_at_the_end_are_cancelled() -> None:
    told, _ = chunks_of(TEXT)
    has_begun = Event()

    class UntilTheEnd(Lengths):
        def encode(self, texts: Sequence[str]) -> Floats2d:
            has_begun.set()
            assert self.open.wait(60)
            while not ahead._encoded[-1].cancelled():
                Event().wait(0.001)
            return super().encode(texts)

    encoder = UntilTheEnd()
    with EncodingAhead(lambda: encoder) as ahead:
        for chunk in told:
            ahead.add(chunk)
        assert has_begun.wait(60)
        encoder.open.set()
    assert len(encoder.texts) == len(told[0].texts)


def test_an_error_of_the_encoder_is_raised_and_nothing_is_listed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scholar_indexes.models import engines

    def load(*arguments: object) -> None:
        raise Damaged("the model is damaged; run: scholar models verify")

    monkeypatch.setattr(engines, "load", load)
    path = tmp_path / "lamps.txt"
    path.write_text(TEXT[:5_000], "utf-8")
    library = Library.of_user()
    with pytest.raises(Damaged, match="models verify"):
        library.add(str(path), language="en")
    assert library.books.all() == []
    monkeypatch.undo()
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    assert Library.of_user().add(str(path), language="en").sentences > 50


def test_a_text_that_is_here_is_not_encoded_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lamps.txt"
    path.write_text(TEXT[:5_000], "utf-8")
    Library.of_user().add(str(path), language="en")
    chunks: list[SentenceChunk] = []
    monkeypatch.setattr(EncodingAhead, "add", lambda self, chunk: chunks.append(chunk))
    copy = tmp_path / "copy.txt"
    copy.write_text(TEXT[:5_000], "utf-8")
    assert str(Library.of_user().add(str(copy), language="en").outcome) == "already here"
    assert chunks == []
