"""Adding books whose texts are read, divided and encoded on a cluster, a batch at a time.

This process downloads, numbers the books, writes their folders, and lists them once the passages
of the whole batch are in the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.adding.adding_many import FailureStreak
from scholar_indexes.cluster import pipeline
from scholar_indexes.cluster.work import ReadRequest
from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.results import AddedBook, AddOutcome
from scholar_indexes.retrieval.index_service import BATCH
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.adding.ingest import BookDraft
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.requests import AddRequest
    from scholar_indexes.retrieval.index_service import WriteBooks
    from scholar_indexes.storage.catalog import Catalog
    from scholar_indexes.storage.write_lock import WriteLock

Outcome = AddedBook | ScholarError
"""The result of adding a source, or the error that prevented it."""


@dataclass(slots=True)
class _Batch:
    """The outcomes of the sources of a batch, the books whose folders were written, and the books
    that were listed already, by the index of the outcome."""

    outcomes: list[Outcome] = field(default_factory=list)
    written: list[StoredBook] = field(default_factory=list)
    listed: dict[int, StoredBook] = field(default_factory=dict)

    def written_with(self, *, sha256: str = "", book_id: str = "") -> Book | None:
        """Return the book written in this batch with this text or id."""
        for stored in self.written:
            if stored.book.sha256 == sha256 or stored.book.id == book_id:
                return stored.book
        return None

    def keep(self, stored: StoredBook) -> None:
        """Record that the next outcome is for a book that is listed already."""
        self.listed[len(self.outcomes)] = stored


class ClusterAddition:
    """Adds books on the cluster that this process is connected to.

    `write` encodes them there; `template` is the request for every book, without its source.
    """

    def __init__(
        self,
        catalog: Catalog,
        books: BookService,
        index: PassageIndex,
        write_lock: WriteLock,
        write: WriteBooks,
        template: AddRequest,
        progress: Progress = silent,
    ) -> None:
        self._catalog = catalog
        self._books = books
        self._index = index
        self._write_lock = write_lock
        self._write = write
        self._template = template
        self._progress = progress

    def add(self, sources: Sequence[str]) -> Iterator[Outcome]:
        """Add books and yield the outcome of each source, in order.

        One that fails does not stop the others; raises the errors of FailureStreak.note, after the
        outcomes of all sources requested by then.
        """
        streak = FailureStreak()
        for first in range(0, len(sources), BATCH):
            requests, stopped_by = self._gather(sources[first : first + BATCH], streak)
            yield from self._add_batch(requests)
            if stopped_by:
                raise stopped_by

    def _gather(
        self, sources: Sequence[str], streak: FailureStreak
    ) -> tuple[list[ReadRequest | StoredBook | ScholarError], ScholarError | None]:
        """Return for each source the request to a node, the listed book, or the error of a
        download; and the error that ended this before the last source, if any."""
        requests: list[ReadRequest | StoredBook | ScholarError] = []
        for source in sources:
            request = self._request(source)
            requests.append(request)
            try:
                streak.note(request if isinstance(request, ScholarError) else None)
            except ScholarError as stopped_by:
                return requests, stopped_by
        return requests, None

    def _request(self, source: str) -> ReadRequest | StoredBook | ScholarError:
        from scholar_indexes.books.adding import ingest

        request = replace(self._template, source=source)
        book_id = ingest.reference_id(source)
        stored = self._catalog.with_id(book_id) if book_id else None
        if stored and not request.refresh:
            return stored
        readable: Path | ingest.BookSource = Path(source).expanduser().absolute()
        if book_id or source == "-" or "://" in source or request.encoding:
            try:
                readable = self._books.adder.read_source(request, self._progress)
            except ScholarError as error:
                return error
        return ReadRequest(readable, request.title, request.author, request.language)

    def _add_batch(
        self, requests: Sequence[ReadRequest | StoredBook | ScholarError]
    ) -> list[Outcome]:
        progress = self._progress
        batch = _Batch()
        with nullcontext() if self._template.dry_run else self._write_lock.held(progress):
            if not self._template.dry_run:
                self._index.clear_unfinished()
            to_read = [request for request in requests if isinstance(request, ReadRequest)]
            drafts = pipeline.read_drafts(to_read)
            for number, request in enumerate(requests):
                progress("reading on the cluster", number, len(requests))
                if isinstance(request, ReadRequest):
                    batch.outcomes.append(self._begin(next(drafts), batch))
                elif isinstance(request, StoredBook):
                    batch.keep(request)
                    counts = request.chapters, request.sentences
                    batch.outcomes.append(AddedBook(request.book, AddOutcome.ALREADY, *counts))
                else:
                    batch.outcomes.append(request)
            if not self._template.dry_run:
                self._finish(batch)
        return batch.outcomes

    def _begin(self, draft: BookDraft | ScholarError, batch: _Batch) -> Outcome:
        """Write the folder of a new draft, and return its outcome."""
        from scholar_indexes.books.adding.book_writer import draft_counts, draft_source, other_text

        if isinstance(draft, ScholarError):
            return draft
        template = self._template
        if template.title is None and template.author is None:
            draft = self._books.adder.respell(draft)
        if same := batch.written_with(sha256=draft.book.sha256):
            return AddedBook(same, AddOutcome.ALREADY, *draft_counts(draft), *draft_source(draft))
        other = batch.written_with(book_id=draft.book.id)
        if other and not template.refresh:
            return other_text(other.id, other.title)
        try:
            plan = self._books.adder.writer.plan(
                draft, template.refresh, template.title, template.author, template.language
            )
        except ScholarError as error:
            return error
        if plan.same_text:
            batch.keep(plan.same_text)
        elif not template.dry_run:
            batch.written.append(self._books.adder.writer.begin(plan.draft))
        return plan.result(dry_run=template.dry_run)

    def _finish(self, batch: _Batch) -> None:
        """Write the passages of a batch, then list its books."""
        missing = self._readable_missing(batch)
        books = [*missing, *batch.written]
        if not books:
            return
        opened = map(self._books.open, books)
        self._write(opened, books, self._index.table, self._progress)
        self._index.mark_indexed(missing)
        self._books.adder.writer.finish(batch.written)
        self._books.repair.add_hashes_while_writing()

    def _readable_missing(self, batch: _Batch) -> list[StoredBook]:
        """Return the listed books of a batch that the index lacks; the outcome of a damaged one
        becomes its error."""
        indexed = self._index.editions()
        missing: dict[int, StoredBook] = {}
        for number, stored in batch.listed.items():
            if stored.edition in indexed:
                continue
            try:
                self._books.open(stored).read_all()
                missing[stored.edition] = stored
            except Damaged as damage:
                batch.outcomes[number] = damage
        return list(missing.values())
