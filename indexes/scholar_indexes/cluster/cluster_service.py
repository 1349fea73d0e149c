"""Adding books, rebuilding the index and finding people on a Ray cluster.

The nodes read and compute; this process numbers the books, writes their folders, commits the rows
to the index and lists the books last, as without a cluster and with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from scholar_indexes.books.adding.adding_many import addition
from scholar_indexes.cluster import pipeline, session
from scholar_indexes.cluster.adding import ClusterAddition, Outcome
from scholar_indexes.cluster.work import EncoderChoice, PeopleRequest, PeopleResult
from scholar_indexes.errors import ScholarError
from scholar_indexes.retrieval.index_service import BATCH
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.atomic import write_files
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.adding.adding_many import CatalogAddition
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.paths import Paths
    from scholar_indexes.requests import AddRequest
    from scholar_indexes.retrieval.index_service import IndexService, RebuiltIndex
    from scholar_indexes.settings import Settings
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.storage.passages import PassageTable
    from scholar_indexes.storage.write_lock import WriteLock


class ClusterService:
    """The operations that a Ray cluster can share, at an address of `session`."""

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
        self, sources: Sequence[str], request: AddRequest, *, progress: Progress = silent
    ) -> Iterator[Outcome]:
        """Add books as BookAdder.add does and yield the outcome or the error of each; an error does
        not stop the others. `request` is the request for every book, without its source. See
        ClusterAddition.

        Files must be readable by every node under the same path.
        """
        with session.connected(self._address):
            addition = ClusterAddition(
                self._catalog,
                self._books,
                self._index,
                self._write_lock,
                self._write,
                request,
                progress,
            )
            yield from addition.add(sources)

    def add_from_catalog(
        self,
        conditions: str,
        request: AddRequest,
        *,
        limit: int | None = None,
        progress: Progress = silent,
    ) -> Iterator[CatalogAddition]:
        """Add books of Gutenberg's catalogue as BookAdder.add_from_catalog does."""
        if request.dry_run:
            return self._books.adder.add_from_catalog(
                conditions, request, limit=limit, progress=progress
            )
        entries = self._books.gutenberg.select(
            conditions, limit=limit, mirror=request.mirror, progress=progress
        )
        numbers = [str(entry.gutenberg_id) for entry in entries]
        outcomes = self.add(numbers, request, progress=progress)
        return (addition(entry, outcome) for entry, outcome in zip(entries, outcomes, strict=True))

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

    def _write(
        self,
        books: Iterable[OpenBook],
        expected: Sequence[StoredBook],
        table: PassageTable,
        progress: Progress,
    ) -> None:
        """Encode books and write their passages to a table in one commit; some of the `expected`
        ones may be missing."""
        total = sum(stored.sentences for stored in expected)
        label = f"encoding {len(expected)} books on the cluster"
        progress(label, 0, total)
        table.make_room([stored.edition for stored in expected])
        with table.location.explain_refusal():
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
        """Find the people of books and store them with the books; raises the first error after the
        last book."""
        failures: list[ScholarError] = []
        for first in range(0, len(books), BATCH):
            batch = books[first : first + BATCH]
            results = pipeline.find_people([self._people_request(book) for book in batch])
            for number, (book, result) in enumerate(zip(batch, results, strict=True), first):
                progress("who is in each sentence", number, len(books))
                if isinstance(result, ScholarError):
                    failures.append(result)
                else:
                    self._keep_people(book, result)
        if failures:
            raise failures[0]

    def _keep_people(self, book: OpenBook, result: PeopleResult) -> None:
        for line in result.announced:
            self._announce(line)
        write_files({book.folder / name: content for name, content in result.files.items()})

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
