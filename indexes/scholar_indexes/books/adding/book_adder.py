"""Adding books to the library: reading sources, encoding and storing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import UsageError
from scholar_indexes.progress import divide_progress
from scholar_indexes.requests import AddRequest
from scholar_indexes.types import Book, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.books.adding.adding_many import AddBook, CatalogAddition
    from scholar_indexes.books.adding.book_writer import AddPlan, BookWriter
    from scholar_indexes.books.adding.encoding_ahead import EncodingAhead
    from scholar_indexes.books.adding.ingest import BookDraft, BookSource, SentenceChunk
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.books.adding.repair import BookRepair
    from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
    from scholar_indexes.books.gutenberg.gutenberg_service import GutenbergService
    from scholar_indexes.net.client import Fetcher
    from scholar_indexes.paths import Paths
    from scholar_indexes.results import AddedBook
    from scholar_indexes.settings import Settings
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.storage.passages import SentenceRows
    from scholar_indexes.storage.write_lock import WriteLock


class BookAdder:
    """The service that adds books to the library, one after another."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        catalog: Catalog,
        index: PassageIndex,
        write_lock: WriteLock,
        gutenberg: GutenbergService,
        repair: BookRepair,
        fetcher: Callable[[], Fetcher],
        announce: Callable[[str], None],
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._catalog = catalog
        self._index = index
        self._write_lock = write_lock
        self._gutenberg = gutenberg
        self._repair = repair
        self._fetcher = fetcher
        self._announce = announce
        self._more_follow = False

    def add(self, request: AddRequest, progress: Progress = silent) -> AddedBook:
        """Add a book: a Gutenberg number or address, a file, or - for standard input.

        A book that is in the library is unchanged, but a file that is added again may give it
        another title, author or language; with `refresh` it is fetched and read again.
        """
        from scholar_indexes.books.adding import ingest

        book_id = ingest.reference_id(request.source)
        stored = self._catalog.with_id(book_id) if book_id else None
        if stored and not request.refresh:
            return self._keep_stored(stored, request.dry_run, progress)
        return self._read_and_store(self.read_source(request, progress), request, progress)

    def add_from_catalog(
        self,
        conditions: str,
        request: AddRequest,
        *,
        limit: int | None = None,
        progress: Progress = silent,
    ) -> Iterator[CatalogAddition]:
        """Add the books of Gutenberg's catalogue that match a filter, the first `limit` of them,
        and yield the outcome of each; see GutenbergService.select and adding_many.fill.

        `request` is for every book, without its source. With `dry_run`, nothing is fetched either.
        """
        entries = self._gutenberg.select(
            conditions, limit=limit, mirror=request.mirror, progress=progress
        )
        if request.dry_run:
            return self._plan_entries(entries)

        def add(number: int, stage: Progress) -> AddedBook:
            return self.add(replace(request, source=str(number)), stage)

        return self._fill(entries, add, progress)

    def _plan_entries(self, entries: Sequence[CatalogEntry]) -> Iterator[CatalogAddition]:
        from scholar_indexes.books.adding.adding_many import CatalogAddition
        from scholar_indexes.results import AddOutcome

        stored = {book.book.id for book in self._catalog.books()}
        for entry in entries:
            is_stored = f"pg{entry.gutenberg_id}" in stored
            yield CatalogAddition(entry, AddOutcome.ALREADY if is_stored else AddOutcome.PLANNED)

    def _fill(
        self, entries: Sequence[CatalogEntry], add: AddBook, progress: Progress
    ) -> Iterator[CatalogAddition]:
        from scholar_indexes.books.adding import adding_many

        with self.adding_many():
            yield from adding_many.fill(entries, add, progress)

    @contextmanager
    def adding_many(self) -> Iterator[None]:
        """Optimize the index at the end of a block that adds many books.

        Within the block it is optimized only when it has grown by a quarter. A block that is
        stopped leaves the final optimization to the next book.
        """
        self._more_follow, is_stopped = True, False
        try:
            yield
        except (KeyboardInterrupt, GeneratorExit):
            is_stopped = True
            raise
        finally:
            self._more_follow = False
            if not is_stopped:
                with self._write_lock.held(silent):
                    self._index.table.optimize()

    def add_sample(self, progress: Progress = silent) -> list[AddedBook]:
        """Add the bundled books that are not in the library yet.

        A newer text of one is kept, and so are books added before an interruption.
        """
        from scholar_indexes.books import samples
        from scholar_indexes.books.adding import ingest

        added = []
        texts = [(sample, samples.read(sample)) for sample in samples.bundled()]
        stages = divide_progress(progress, [len(text) for _, text in texts])
        for (sample, text), stage in zip(texts, stages, strict=True):
            stored = self._catalog.with_id(f"pg{sample.gutenberg_id}")
            if stored:
                added.append(self._keep_stored(stored, False, stage))
                continue
            source = ingest.BookSource(
                text, samples.origin(sample), sample.gutenberg_id, sample.year
            )
            request = AddRequest(title=sample.title, author=sample.author, language="en")
            added.append(self._read_and_store(source, request, stage))
        return added

    def read_source(self, request: AddRequest, progress: Progress = silent) -> BookSource:
        """Return the bytes of a source of `add`; a damaged bundled book is read without network."""
        from scholar_indexes.books.adding import ingest

        progress(f"reading {request.source}", 0, 0)
        book_id = ingest.reference_id(request.source)
        stored = self._catalog.with_id(book_id) if book_id else None
        bundled = self._bundled_source(stored) if stored and request.mirror is None else None
        source = bundled or self._read_source(request, progress)
        return ingest.recode(source, request.encoding) if request.encoding else source

    def respell(self, draft: BookDraft) -> BookDraft:
        """Return a draft with title and author spelled as in Gutenberg's catalogue, if it has the
        book."""
        return replace(draft, book=self._gutenberg.respell(draft.book))

    @cached_property
    def writer(self) -> BookWriter:
        """The writer that stores books that have been read, step by step."""
        from scholar_indexes.books.adding.book_writer import BookWriter

        return BookWriter(self._paths, self._catalog, self._index, self._repair.is_damaged)

    def _bundled_source(self, stored: StoredBook) -> BookSource | None:
        """Return the bundled source of a damaged book, which repairs it without a network.

        Return None for other books.
        """
        from scholar_indexes.books import samples
        from scholar_indexes.books.adding import ingest

        for sample in samples.bundled():
            if stored.book.source == samples.origin(sample) and self._repair.is_damaged(stored):
                return ingest.BookSource(
                    samples.read(sample), samples.origin(sample), sample.gutenberg_id, sample.year
                )
        return None

    def _read_source(self, request: AddRequest, progress: Progress) -> BookSource:
        from scholar_indexes.books.adding import ingest
        from scholar_indexes.books.gutenberg import mirrors

        source, mirror = request.source, request.mirror
        number = mirrors.gutenberg_id(source)
        folder = mirrors.mirror_folder(mirror) if number and mirror else None
        if number and folder:
            text = mirrors.find_in_folder(number, folder)
            return replace(ingest.read_file(text), gutenberg_id=number)
        if number:
            download = mirrors.download(
                self._fetcher(),
                number,
                (mirror,) if mirror else self._settings.mirrors,
                refresh=request.refresh,
                announce=self._announce,
                progress=progress,
            )
            return ingest.BookSource(download.path.read_bytes(), download.url, number)
        if source == "-":
            return ingest.read_stdin()
        if "://" in source:
            raise UsageError(
                f"{source[:80]} is not the address of a Gutenberg book; download the file "
                "and add it, or give an address like https://www.gutenberg.org/ebooks/1342"
            )
        return ingest.read_file(Path(source).expanduser())

    def _keep_stored(self, stored: StoredBook, dry_run: bool, progress: Progress) -> AddedBook:
        """Return the outcome for a book already in the library; index it if it is not indexed."""
        from scholar_indexes.results import AddedBook, AddOutcome

        if not dry_run and not self._is_indexed(stored):
            rows = self._encode_stored(stored, progress)
            with self._write_lock.held(progress):
                self._index_stored(stored, rows)
        return AddedBook(stored.book, AddOutcome.ALREADY, stored.chapters, stored.sentences)

    def _read_and_store(
        self, source: BookSource, request: AddRequest, progress: Progress
    ) -> AddedBook:
        """Store a source whose text is new, encoding its sentences as they are found."""
        from scholar_indexes.books.adding import ingest
        from scholar_indexes.books.adding.encoding_ahead import EncodingAhead

        is_new: bool | None = None  # set at the first chunk: others may add or remove it meanwhile

        with EncodingAhead(lambda: self._index.encoder) as ahead:

            def encode(book: Book, chunk: SentenceChunk) -> None:
                nonlocal is_new
                if is_new is None:
                    is_new = not (request.dry_run or self._catalog.with_text(book.sha256))
                if is_new:
                    ahead.add(chunk)

            draft = ingest.parse_draft(
                source,
                title=request.title,
                author=request.author,
                language=request.language,
                on_chunk=encode,
            )
            if request.title is None and request.author is None:
                draft = self.respell(draft)
            if request.dry_run:
                return self._plan(draft, request).result(dry_run=True)
            return self._store(draft, ahead, request, progress)

    def _plan(self, draft: BookDraft, request: AddRequest) -> AddPlan:
        return self.writer.plan(
            draft, request.refresh, request.title, request.author, request.language
        )

    def _store(
        self, draft: BookDraft, ahead: EncodingAhead, request: AddRequest, progress: Progress
    ) -> AddedBook:
        """Store a draft with a new text; raises UsageError if another text has its id.

        The lock is held only while writing. The rows are encoded before, and again if another
        program has changed the plan meanwhile.
        """
        while True:
            plan = self._plan(draft, request)
            rows = self._encode_planned(plan, ahead, progress)
            with self._write_lock.held(progress):
                if self._catalog.unfinished():
                    self._index.clear_unfinished()
                if self._plan(draft, request) == plan:
                    if plan.same_text is None:
                        self._write(plan.draft, rows)
                    else:
                        self._index_stored(plan.same_text, rows)
                    return plan.result()

    def _encode_planned(
        self, plan: AddPlan, ahead: EncodingAhead, progress: Progress
    ) -> list[SentenceRows]:
        """Return the rows that a plan writes to the index."""
        from scholar_indexes.books.adding import ingest
        from scholar_indexes.books.adding.passage_index import encoding_label

        if plan.same_text is not None:
            is_indexed = self._is_indexed(plan.same_text)
            return [] if is_indexed else self._encode_stored(plan.same_text, progress)
        draft = plan.draft
        if not ahead.sentences:  # its text was in the library when it was read
            places = [ingest.place_of(sentence) for sentence in draft.sentences]
            for chunk in ingest.sentence_chunks(draft.text, places):
                ahead.add(chunk)
        return list(ahead.rows(encoding_label(draft.book), progress))

    def _write(self, draft: BookDraft, rows: Sequence[SentenceRows]) -> None:
        """Write the files and passages of a draft, and list it last."""
        self._index.clear_unfinished()
        stored = self.writer.begin(draft)
        self._index.write(stored, rows)
        self.writer.finish([stored], more_follow=self._more_follow)
        self._repair.add_hashes_while_writing()

    def _encode_stored(self, stored: StoredBook, progress: Progress) -> list[SentenceRows]:
        book = OpenBook(stored, self._paths.books / stored.folder)
        return list(self._index.encode(book, progress))

    def _is_indexed(self, stored: StoredBook) -> bool:
        return stored.edition in self._index.editions()

    def _index_stored(self, stored: StoredBook, rows: Sequence[SentenceRows]) -> None:
        """Write the rows of a listed book to the index; the caller holds the lock.

        Nothing is written if another program did so, or removed the book, meanwhile.
        """
        listed = self._catalog.with_id(stored.book.id)
        if listed == stored and rows and not self._is_indexed(stored):
            self._index.write(stored, rows)
            self._index.mark_indexed([stored])
            self._index.table.optimize()
