"""Encoding the sentences of a new book while the rest of it is still being segmented."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scholar_indexes.books.adding.ingest import SentenceChunk, encode_chunk

if TYPE_CHECKING:
    from scholar_indexes.models.encoder import Encoder
    from scholar_indexes.storage.passages import SentenceRows
    from scholar_indexes.types import Progress


class EncodingAhead:
    """A thread that encodes chunks of sentences in the order in which they are added.

    Pending chunks are cancelled at the end of a `with` block. `sentences` is the number of
    sentences added.
    """

    def __init__(self, load_encoder: Callable[[], Encoder]) -> None:
        self._load_encoder = load_encoder
        self._thread = ThreadPoolExecutor(1)
        self._encoded: list[Future[SentenceRows]] = []
        self.sentences = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def add(self, chunk: SentenceChunk) -> None:
        """Encode a chunk after the chunks added before it."""
        self.sentences += len(chunk.texts)
        self._encoded.append(self._thread.submit(self._encode, chunk))

    def rows(self, label: str, progress: Progress) -> Iterator[SentenceRows]:
        """Yield the rows of all chunks as they are encoded; raises what the encoding raised."""
        done = 0
        for encoded in self._encoded:
            progress(label, done, self.sentences)
            rows = encoded.result()
            done += len(rows.texts)
            yield rows
        progress(label, done, self.sentences)

    def _encode(self, chunk: SentenceChunk) -> SentenceRows:
        return encode_chunk(chunk, self._load_encoder())
