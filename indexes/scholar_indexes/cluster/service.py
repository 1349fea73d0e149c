"""Adding books, rebuilding the index and finding people on a Ray cluster.

The nodes read and compute; this process numbers the books, writes their folders, commits the
index once and lists the books last, as it does without a cluster and with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.cluster import pipeline, session
from scholar_indexes.cluster.work import EncoderChoice, PeopleRequest, PeopleResult, ReadRequest
from scholar_indexes.errors import ScholarError
from scholar_indexes.results import AddedBook, AddOutcome
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.atomic import write_files
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.ingest import BookDraft
    from scholar_indexes.books.open_book import OpenBook
    from scholar_indexes.books.passage_index import PassageIndex
    from scholar_indexes.books.service import BookService
    from scholar_indexes.paths import Paths
    from scholar_indexes.retrieval.index_service import IndexService, RebuiltIndex
    from scholar_indexes.settings import Settings
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.storage.passages import PassageTable
    from scholar_indexes.storage.write_lock import WriteLock


@dataclass(frozen=True, slots=True)
class AddedBooks:
    """The outcome for each source that could be added, in order, and the errors of the others."""

    added: tuple[AddedBook, ...]
    failures: tuple[ScholarError, ...]


@dataclass(slots=True)
class _Addition:
    """An `add` under way: what is known of each source, the books whose folders were written, and
    those that are listed but not in the index."""

    results: list[AddedBook | ScholarError]
    written: list[StoredBook] = field(default_factory=list)
    missing: dict[int, StoredBook] = field(default_factory=dict)

    def written_with(self, *, sha256: str = "", book_id: str = "") -> Book | None:
        """Return the book of this `add` that has a text or an id."""
        for stored in self.written:
            if stored.book.sha256 == sha256 or stored.book.id == book_id:
                return stored.book
        return None


class ClusterService:
    """The journeys that a Ray cluster can share, at an address of `session`."""

    def __init__(
        self,
        address: str,
        paths: Paths,
        settings: Settings,
        catalog: Catalog,
        books: BookService,
        index: PassageIndex,
        index_service: IndexService,
        write_lock: WriteLock,
        announce: Callable[[str], None],
    ) -> None:
        session.check(address)
        self._address = address
        self._paths = paths
        self._settings = settings
        self._catalog = catalog
        self._books = books
        self._index = index
        self._index_service = index_service
        self._write_lock = write_lock
        self._announce = announce

    def add(
        self,
        sources: Sequence[str],
        *,
        title: str | None = None,
        author: str | None = None,
        language: str | None = None,
        mirror: str | None = None,
        refresh: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> AddedBooks:
        """Add books as BookService.add does, but for this: a source that cannot be added keeps no
        other from it. Files must be readable for every node under the same path."""
        with (
            session.connected(self._address),
            nullcontext() if dry_run else self._write_lock.held(progress),
        ):
            if not dry_run:
                self._index.clear_unfinished()
            requests: dict[int, ReadRequest] = {}
            addition = _Addition([])
            for source in sources:
                found = self._find_or_request(source, mirror, refresh, progress, addition)
                if isinstance(found, ReadRequest):
                    requests[len(addition.results)] = ReadRequest(
                        found.source, title, author, language
                    )
                    found = ScholarError(f"{source} was not read")
                addition.results.append(found)
            drafts = pipeline.read_drafts(list(requests.values()))
            for number, draft in zip(requests, drafts, strict=True):
                progress("reading on the cluster", number, len(sources))
                if title is None and author is None and not isinstance(draft, ScholarError):
                    draft = self._books.respell(draft)
                addition.results[number] = self._begin(draft, refresh, dry_run, addition)
            if not dry_run:
                self._finish(addition, progress)
        return AddedBooks(
            tuple(result for result in addition.results if isinstance(result, AddedBook)),
            tuple(result for result in addition.results if isinstance(result, ScholarError)),
        )

    def rebuild(
        self, progress: Progress = silent, *, afresh: bool = False, only: bool = False
    ) -> RebuiltIndex:
        """Rebuild the index as IndexService.rebuild does."""
        with session.connected(self._address):
            return self._index_service.rebuild(
                progress, afresh=afresh, only=only, write=self._write
            )

    def read_people(self, references: Sequence[str], progress: Progress = silent) -> list[Book]:
        """Find who is in each sentence of books as IndexService.read_people does."""
        with session.connected(self._address):
            return self._index_service.read_people(references, progress, find=self._find_people)

    def _find_or_request(
        self,
        source: str,
        mirror: str | None,
        refresh: bool,
        progress: Progress,
        addition: _Addition,
    ) -> AddedBook | ReadRequest | ScholarError:
        """Return the outcome for a book that is in the library, what a node shall read, or the
        error of a download."""
        from scholar_indexes.books import ingest

        book_id = ingest.reference_id(source)
        stored = self._catalog.with_id(book_id) if book_id else None
        if stored and not refresh:
            return self._keep(stored, stored.chapters, stored.sentences, addition)
        if book_id is None and source != "-" and "://" not in source:
            return ReadRequest(Path(source).expanduser().absolute())
        try:
            read = self._books.read_source(source, mirror, refresh=refresh, progress=progress)
        except ScholarError as error:
            return error
        return ReadRequest(read)

    def _keep(
        self, stored: StoredBook, chapters: int, sentences: int, addition: _Addition
    ) -> AddedBook:
        if stored.edition not in self._index.editions():
            addition.missing[stored.edition] = stored
        return AddedBook(stored.book, AddOutcome.ALREADY, chapters, sentences)

    def _begin(
        self, draft: BookDraft | ScholarError, refresh: bool, dry_run: bool, addition: _Addition
    ) -> AddedBook | ScholarError:
        """Write the folder of a draft that is new, and return what becomes of it."""
        from scholar_indexes.books.writing import draft_counts, other_text

        if isinstance(draft, ScholarError):
            return draft
        counts = draft_counts(draft)
        if same := addition.written_with(sha256=draft.book.sha256):
            return AddedBook(same, AddOutcome.ALREADY, *counts)
        other = addition.written_with(book_id=draft.book.id)
        if other and not refresh:
            return other_text(other.id, other.title)
        try:
            plan = self._books.writer.plan(draft, refresh)
        except ScholarError as error:
            return error
        if plan.same_text:
            return self._keep(plan.same_text, *counts, addition)
        if not dry_run:
            addition.written.append(self._books.writer.begin(plan.draft))
        return plan.result(dry_run=dry_run)

    def _finish(self, addition: _Addition, progress: Progress) -> None:
        """Write the passages of an addition, then list its books."""
        books = [*addition.missing.values(), *addition.written]
        if not books:
            return
        table = self._index.table
        self._write(map(self._books.open, books), [*books], table, progress)
        self._index.mark_indexed(addition.missing.values())
        self._books.writer.finish(addition.written)
        self._books.repair.add_hashes_while_writing()

    def _write(
        self,
        books: Iterable[OpenBook],
        expected: Sequence[StoredBook],
        table: PassageTable,
        progress: Progress,
    ) -> None:
        """Encode books and write their passages to a table in one commit; of those `expected`,
        some may be left out."""
        total = sum(stored.sentences for stored in expected)
        label = f"encoding {len(expected)} books on the cluster"
        progress(label, 0, total)
        table.make_room([stored.edition for stored in expected])
        fragments = pipeline.write_fragments(
            books, table, self._encoder_choice(), lambda rows: progress(label, rows, total)
        )
        if fragments.rows:
            pipeline.commit_fragments(table, fragments)

    def _encoder_choice(self) -> EncoderChoice:
        model = self._index.model
        device = self._settings.device
        if device == "auto" and model.onnx is None and _has_cards():
            device = "cuda"
        name = str(model.folder) if model.origin == "folder" else model.name
        threads = self._settings.threads or 1
        return EncoderChoice(name, self._paths.models, model.space, device, threads)

    def _find_people(self, books: Sequence[OpenBook], progress: Progress) -> None:
        """Find the people of books and keep them with the books."""
        requests = [self._people_request(book) for book in books]
        results = pipeline.find_people(requests)
        label = "who is in each sentence"
        progress(label, 0, len(books))
        failure: ScholarError | None = None
        for number, (book, result) in enumerate(zip(books, results, strict=True), 1):
            progress(label, number, len(books))
            if isinstance(result, PeopleResult):
                for line in result.announced:
                    self._announce(line)
                write_files({book.folder / name: data for name, data in result.files.items()})
            else:
                failure = failure or result
        if failure:
            raise failure

    def _people_request(self, book: OpenBook) -> PeopleRequest:
        corrections = self._paths.corrections / f"{book.book.id}.toml"
        return PeopleRequest(
            book.stored,
            book_folder.content(book.folder),
            {corrections.name: corrections.read_bytes()} if corrections.is_file() else {},
            self._paths.cache,
        )


def _has_cards() -> bool:
    import ray

    return bool(ray.cluster_resources().get("GPU"))
