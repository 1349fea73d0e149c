"""The service layer: one short method per journey, the same for every front end.

Methods take plain values, return the nouns of types, raise only ScholarError and report
progress through an optional callable. What is slow to import is imported in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from scholar_indexes.catalog import Catalog, Shelved
from scholar_indexes.errors import (
    Damaged,
    NoMatch,
    NotIndexed,
    NotThere,
    ScholarError,
    UsageError,
)
from scholar_indexes.places import Places, exclusive, writing
from scholar_indexes.settings import Settings
from scholar_indexes.types import Book, Chapter, Character, Hit, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.answers import (
        Added,
        Evidence,
        Extract,
        IndexState,
        Likely,
        Portrait,
        Quote,
        Said,
    )
    from scholar_indexes.books.gutenberg_catalog import CatalogEntry
    from scholar_indexes.characters.automatic import Told
    from scholar_indexes.characters.bank import Described
    from scholar_indexes.characters.company import Company
    from scholar_indexes.characters.described import Account
    from scholar_indexes.characters.kept import Kept
    from scholar_indexes.characters.quiz import Quiz
    from scholar_indexes.desk import Desk
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.fetch import Fetcher
    from scholar_indexes.ingest import Draft, Source
    from scholar_indexes.models import ModelFiles
    from scholar_indexes.papers.library import PaperLibrary
    from scholar_indexes.reading import Reading
    from scholar_indexes.speakers.llm_backends import Backend
    from scholar_indexes.speakers.record import Dialogue
    from scholar_indexes.store import State, Store

Announce = Callable[[str], None]
"""Called with one line a person should know, such as what is about to be downloaded."""


MOST_READ = 8
"""Books in which a search looks for a speaker; each takes seconds the first time."""


def quiet(line: str) -> None:
    """An Announce that says nothing."""


class Library:
    """A person's books and their indexes, in the folders of places."""

    def __init__(self, places: Places, settings: Settings, announce: Announce = quiet) -> None:
        self.places = places
        self.settings = settings
        self.catalog = Catalog(places.catalog)
        self._announce = announce

    # -- books -----------------------------------------------------------------------

    def add(
        self,
        source: str,
        *,
        title: str | None = None,
        author: str | None = None,
        language: str | None = None,
        mirror: str | None = None,
        refresh: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> Added:
        """Put a book on the shelf: a Gutenberg number or address, a file, or - for stdin.

        A text that is already there is left as it is; refresh fetches and reads it again.
        """
        from scholar_indexes import ingest
        from scholar_indexes.answers import Added, Outcome

        book_id = ingest.reference_id(source)
        there = self.catalog.with_id(book_id) if book_id else None
        if there and not refresh:
            self._index_if_missing(there, dry_run, progress)
            return Added(there.book, Outcome.ALREADY, there.chapters, there.sentences)
        progress(f"reading {source}", 0, 0)
        read = self._source(source, mirror, refresh, progress)
        draft = ingest.draft(read, title=title, author=author, language=language)
        return self._shelve(draft, refresh, dry_run, progress)

    def add_sample(self, progress: Progress = silent) -> list[Added]:
        """Add the bundled books that are not there yet."""
        from scholar_indexes import ingest, samples
        from scholar_indexes.answers import Added, Outcome

        added = []
        for sample in samples.bundled():
            there = self.catalog.with_id(f"pg{sample.gutenberg_id}")
            if there:  # perhaps a newer text of it, which stays
                self._index_if_missing(there, False, progress)
                added.append(Added(there.book, Outcome.ALREADY, there.chapters, there.sentences))
                continue
            source = ingest.Source(
                samples.read(sample), samples.origin(sample), sample.gutenberg_id
            )
            draft = ingest.draft(source, title=sample.title, author=sample.author, language="en")
            added.append(self._shelve(draft, False, False, progress))
        return added

    def add_sample_once(self, progress: Progress = silent) -> bool:
        """On a shelf that was never used, add the bundled sample; whether it did."""
        if self.catalog.books() or self.places.sample_noted.exists():
            return False
        self._announce("the library is empty, so the bundled sample of three books is added (once)")
        self.add_sample(progress)
        with writing(self.places.data):
            self.places.sample_noted.touch()
        return True

    def books(self) -> list[Shelved]:
        return self.catalog.books()

    def book(self, reference: str) -> Shelved:
        """The book meant by an id, a number, a locator or an unambiguous piece of a title.

        Raises NotThere when there is none and UsageError naming them when there are several.
        """
        from scholar_indexes.books.mirrors import gutenberg_id

        books = self.catalog.books()
        wanted = reference.strip().casefold()
        number = gutenberg_id(reference.strip())
        ids = {wanted, wanted.partition(":")[0], f"pg{number}" if number else wanted}
        for exact in (
            [each for each in books if each.book.id.casefold() in ids],
            [each for each in books if each.book.title.casefold() == wanted],
            [each for each in books if wanted and wanted in each.book.title.casefold()],
        ):
            if len(exact) > 1:
                names = "; ".join(f"{each.book.id} {each.book.title}" for each in exact[:5])
                raise UsageError(f"{reference!r} could be several books; give an id: {names}")
            if exact:
                return exact[0]
        if number:
            raise NotThere(f"pg{number} is not on the shelf; run: scholar add {number}")
        raise NotThere(f"no book is called {reference[:80]!r}; see: scholar books list")

    def chapters(self, shelved: Shelved) -> list[Chapter]:
        from scholar_indexes.books import shelf

        return shelf.chapters(self.places.books / shelved.folder)

    def text(self, shelved: Shelved) -> str:
        from scholar_indexes.books import shelf

        return shelf.text(self.places.books / shelved.folder, shelved.book.sha256)

    def read(self, reference: str) -> Reading:
        """A book to read, with its places."""
        from scholar_indexes.reading import Reading

        shelved = self.book(reference)
        try:
            return Reading(shelved, self.text(shelved), self.chapters(shelved))
        except Damaged:
            if self.book(reference).edition == shelved.edition:
                raise
            return self.read(reference)  # another program replaced it in this moment

    def remove(self, reference: str, progress: Progress = silent) -> Book:
        """Take a book off the shelf, its text and its passages with it."""
        with self._writer(progress=progress):
            shelved = self.book(reference)
            self.catalog.unlist(shelved.edition)
            self._clear_unfinished()
        return shelved.book

    # -- evidence --------------------------------------------------------------------

    def find(
        self,
        claim: str,
        *,
        books: Sequence[str] = (),
        author: str | None = None,
        chapters: str | None = None,
        n: int = 10,
        mode: str = "hybrid",
        sentences: tuple[int, int] = (1, 5),
        context: int = 1,
        speaker: str | None = None,
        progress: Progress = silent,
    ) -> list[Hit[Evidence]]:
        """The places that bear out a claim, best first, none overlapping another.

        sentences is the least and the most a place may have; context is how many
        sentences either side come with it; speaker leaves only the words of one
        character. Raises NotThere when no book passes the filters and NotIndexed when
        one has no passages for the model in use.
        """
        from scholar_indexes import answers, search
        from scholar_indexes.books import locators
        from scholar_indexes.store import Scope

        self.check_question(claim, chapters)
        chosen = self._chosen(books, author)
        listed = self.catalog.books()
        everything = len(chosen) == len(listed) and not self.catalog.unfinished()
        model = self._model
        self._check_indexed(chosen, model)
        asked = search.Question(
            claim,
            search.Mode(mode),
            Scope(
                None if everything else {each.edition for each in chosen},
                locators.chapter_range(chapters) if chapters else None,
                None if speaker is None else self._keys_said(chosen, speaker, progress),
            ),
            *sentences,
            n,
        )
        found = search.search(self._store, lambda: self.encoder, asked)
        editions = {each.edition: each for each in chosen}
        return list(answers.evidence(found, editions, self.places.books, context))

    @staticmethod
    def check_question(claim: str, chapters: str | None = None) -> None:
        """Raise UsageError for what cannot be asked of any book, before anything is slow."""
        from scholar_indexes import search
        from scholar_indexes.books import locators

        search.readable(claim)
        if chapters:
            locators.chapter_range(chapters)

    def show(self, locator: str, context: int = 0) -> Extract:
        """The paragraphs at a locator, with context more on either side.

        A locator of a chapter shows all of it. Raises NotThere for a place that the
        book does not have.
        """
        from scholar_indexes import answers
        from scholar_indexes.books import locators

        place = locators.parse(locator)
        shelved = self.book(place.book_id)
        if place.chapter is None:
            raise UsageError(
                f"{place} is a whole book; name a chapter too, such as {place.book_id}:1. "
                f"Its chapters: scholar books info {place.book_id}"
            )
        return answers.extract(place, shelved, self.places.books / shelved.folder, context)

    # -- speakers --------------------------------------------------------------------

    def speakers(
        self,
        reference: str,
        *,
        method: str | None = None,
        model: str | None = None,
        chapters: str | None = None,
        speaker: str | None = None,
        min_confidence: float = 0.0,
        backend: Backend | None = None,
        progress: Progress = silent,
    ) -> list[Quote]:
        """Every quotation of a book with its speaker, in reading order.

        method is one of dialogue.METHODS, by default dialogue.DEFAULT; model names the one
        of "trained", backend is the language model of "llm". Raises NoMatch for a book in
        which nobody speaks and NotThere for a speaker it does not have.
        """
        from scholar_indexes import answers
        from scholar_indexes.books import locators
        from scholar_indexes.speakers import dialogue

        between = locators.chapter_range(chapters) if chapters else None
        shelved = self.book(reference)
        found = self._dialogue(shelved, method or dialogue.DEFAULT, model, backend, progress)
        wanted = dialogue.named(found.cast, speaker) if speaker else None
        return [
            each
            for each in answers.quotes(
                shelved.book, self.text(shelved), self.chapters(shelved), found
            )
            if (wanted is None or each.attribution.speaker == wanted)
            and each.attribution.confidence >= min_confidence
            and (between is None or between[0] <= each.chapter.number <= between[1])
        ]

    def characters(self, reference: str, progress: Progress = silent) -> list[Portrait]:
        """The characters of a book, those who say most first; raises what speakers does."""
        from scholar_indexes import answers
        from scholar_indexes.speakers import dialogue

        shelved = self.book(reference)
        found = self._dialogue(shelved, dialogue.DEFAULT, None, None, progress)
        return answers.portraits(shelved.book, self.text(shelved), self.chapters(shelved), found)

    def company(self, reference: str, progress: Progress = silent) -> Company:
        """Everybody of a book: where they are, what they say, and who speaks with whom; raises
        what speakers does."""
        from scholar_indexes import answers
        from scholar_indexes.characters import company, conversations
        from scholar_indexes.speakers import dialogue

        shelved = self.book(reference)
        found = self._dialogue(shelved, dialogue.DEFAULT, None, None, progress)
        text, chapters = self.text(shelved), self.chapters(shelved)
        quotes = tuple(answers.quotes(shelved.book, text, chapters, found))
        progress("counting who is where", 0, 0)
        return company.Company(
            shelved,
            tuple(each for each in chapters if each.number),
            tuple(answers.portraits(shelved.book, text, chapters, found)),
            quotes,
            tuple(conversations.exchanges(text, quotes)),
        )

    def who(
        self,
        description: str,
        reference: str,
        *,
        n: int = 5,
        passages: int = 3,
        explain: bool = False,
        progress: Progress = silent,
    ) -> list[Hit[Likely]]:
        """Which characters of a book a description may mean, the likeliest first, each with the
        passages that say so; a score is how likely.

        explain adds the reasons. Raises UsageError for a description that describes nobody,
        NoMatch for a book in which nobody can be meant, and NotIndexed as find does.
        """
        from scholar_indexes import answers
        from scholar_indexes.characters import people, reasons, solve

        words = people.described(description)
        shelved = self.book(reference)
        kept = self._people(shelved, progress)
        people.check_more_than_names(words, kept.people, shelved.book.id)
        solver = solve.Solver(
            kept.reading, list(map(people.candidate, kept.people)), None, self.encoder,
            kept.groundwork,
        )  # fmt: skip
        whose = dict(zip(solver.who, kept.people, strict=True))
        whys = dict(zip(solver.who, reasons.weighed(words, solver), strict=True)) if explain else {}
        cited = answers.citing(shelved.book, kept.reading.text, self.chapters(shelved))
        return [
            Hit(
                answers.Likely(
                    shelved.book, whose[each.who],
                    tuple(found for span in each.passages if (found := cited(span))),
                    tuple(whys.get(each.who, ())),
                ),
                each.likely,
            )
            for each in solve.who(words, solver, n, passages)
        ]  # fmt: skip

    @staticmethod
    def check_description(description: str) -> None:
        """Raise UsageError for what describes nobody, before anything is slow."""
        from scholar_indexes.characters import people

        people.described(description)

    def describe(
        self, character: str, reference: str, *, n: int = 12, progress: Progress = silent
    ) -> list[Said]:
        """What is said of a character of a book: what a description bank has, then what the
        book's text tells by itself, which is marked automatic; at most n, best first.

        Raises NotThere for a character it does not have, UsageError for a name that could be
        several, and NoMatch for a book in which nobody speaks or nobody is found.
        """
        from scholar_indexes.characters import described

        shelved = self.book(reference)
        kept = self._described(shelved, progress)
        if not kept.people:
            raise NoMatch(
                f"no characters were found in {shelved.book.title}; to look for somebody: "
                f'scholar find "{character[:40]}" -b {shelved.book.id}'
            )
        of = described.whom(kept.people, character, shelved.book.id)
        return self._said(shelved, kept, [of])[:n]

    def descriptions(
        self, company: Company, progress: Progress = silent
    ) -> tuple[Company, dict[str, list[Said]]]:
        """What describe tells of everybody of a book, by the ids of their portraits; and the
        company with those who are described and were not in it."""
        kept = self._described(company.shelved, progress)
        said = self._said(company.shelved, kept, kept.people)
        joined = company.joined(self.text(company.shelved), [each.character for each in said])
        return joined, joined.told(said)

    # -- the Gutenberg catalogue -------------------------------------------------------

    def search_gutenberg(self, query: str, limit: int = 20) -> list[CatalogEntry]:
        from scholar_indexes.books import gutenberg_catalog

        return gutenberg_catalog.search(self.places.gutenberg_catalog, query, limit=limit)

    def lookup_gutenberg(self, number: int) -> CatalogEntry | None:
        """What the catalogue says of a number; None where it is not here, or lacks it."""
        from scholar_indexes.books import gutenberg_catalog

        with suppress(NotThere, Damaged):
            return gutenberg_catalog.lookup(self.places.gutenberg_catalog, number)
        return None

    def update_gutenberg(self, progress: Progress = silent) -> int:
        """Fetch Gutenberg's catalogue; returns how many books it lists."""
        from scholar_indexes.books import gutenberg_catalog

        with writing(self.places.data):
            self.places.data.mkdir(parents=True, exist_ok=True)
        return gutenberg_catalog.update(
            self._fetcher, self.places.gutenberg_catalog,
            gutenberg_catalog.urls(self.settings.mirrors),
            announce=self._announce, progress=progress,
        )  # fmt: skip

    # -- models and the index ----------------------------------------------------------

    def models(self) -> list[ModelFiles]:
        from scholar_indexes import models

        return models.installed(self.places.models)

    def pull_model(
        self, name: str, revision: str = "main", progress: Progress = silent
    ) -> ModelFiles:
        from scholar_indexes import models

        with writing(self.places.cache):
            return models.pull(
                name, self.places.models, self._fetcher, self.settings.hub,
                revision=revision, announce=self._announce, progress=progress,
            )  # fmt: skip

    def verify_models(self, names: Sequence[str] = ()) -> list[ModelFiles]:
        """Compare models with their hashes, all of them by default; raises Damaged."""
        from scholar_indexes import models

        chosen = [models.find(name, self.places.models) for name in names] or self.models()
        for model in chosen:
            models.verify(model)
        return chosen

    def remove_model(self, name: str) -> ModelFiles:
        from scholar_indexes import models

        return models.remove(name, self.places.models)

    def indexed(self) -> set[int]:
        """The editions that have passages for the model in use; the index stays closed."""
        return self.catalog.indexed(self._table_name)

    def index_state(self) -> IndexState:
        books = self.catalog.books()
        indexed = self.catalog.indexed(self._store.name)
        from scholar_indexes.answers import IndexState

        return IndexState(
            self._store.state(),
            self._model.name,
            len(books),
            tuple(each.book for each in books if each.edition not in indexed),
            len(self.catalog.unfinished()),
            tuple(self._store.others()),
        )

    def check_index(self) -> None:
        """Ask the index one question of each kind.

        Raises NotIndexed when it lacks a listed book, Damaged when it cannot answer.
        """
        import numpy as np

        from scholar_indexes.store import EVERYTHING

        books = self.catalog.books()
        expected = {each.edition for each in books} & self.catalog.indexed(self._table_name)
        if expected:
            if not expected <= self._store.editions():
                raise Damaged("the index has lost passages; run: scholar index rebuild")
            one = np.full(self._model.dimensions, self._model.dimensions**-0.5, np.float32)
            keys, _ = self._store.nearest(one, 10, EVERYTHING)
            self._store.matching("morning evening house", 10, EVERYTHING)
            self._store.around(keys, 1, EVERYTHING)
        self._check_indexed(books, self._model)

    def rebuild_index(
        self, progress: Progress = silent, *, afresh: bool = False, only: bool = False
    ) -> list[Book]:
        """Encode every book the index of the model in use lacks, and return those books.

        afresh starts from nothing, as does a damaged index; an interrupted rebuild goes on
        where it stopped. Tables of an older schema go; those of other models only if only.
        """

        with self._writer(progress=progress):
            name = self._table_name
            there: set[int] = set()
            try:
                if not afresh:
                    self._clear_unfinished()
                    with suppress(NotIndexed):
                        self.check_index()
                    there = self.catalog.indexed(name) & self._store.editions()
            except Damaged as damage:
                self._announce(f"{damage.args[0].partition(';')[0]}; it is made anew")
                afresh = True
            if afresh:
                self._discard_table(name)
                self._clear_unfinished()
            missing = [each for each in self.catalog.books() if each.edition not in there]
            for shelved in missing:
                self._encode_again(shelved, progress)
            self._store.tend()
            for other in self._store.others(older_schemas_only=not only):
                self._discard_table(other)
        return [each.book for each in missing]

    def optimize_index(self) -> State:
        """Renew every index, merge small files and drop old versions."""
        with self._writer():
            self._clear_unfinished()
            self._store.tend(thoroughly=True)
            return self._store.state()

    @cached_property
    def papers(self) -> PaperLibrary:
        """The papers beside the books."""
        from scholar_indexes.papers.library import PaperLibrary

        return PaperLibrary(self.places, self.settings, self._announce)

    @cached_property
    def quiz(self) -> Quiz:
        """Questions about characters, and what was answered."""
        from scholar_indexes.characters.quiz import Quiz

        def text(book_id: str) -> str:
            return self.text(self.book(book_id))

        def shelved() -> dict[str, tuple[str, str]]:
            books = (each.book for each in self.catalog.books())
            return {book.id: (book.title, book.author) for book in books}

        def automatic(book_id: str) -> list[Described]:
            from scholar_indexes import answers
            from scholar_indexes.characters import described

            shelved = self.book(book_id)
            account = self._described(shelved, silent)
            text, chapters = self.text(shelved), self.chapters(shelved)
            return described.as_bank(account, answers.citing(shelved.book, text, chapters))

        return Quiz(self.places, self._announce, text, shelved, automatic)

    @cached_property
    def desk(self) -> Desk:
        """Where the person was reading, and what they kept."""
        from scholar_indexes.desk import Desk

        return Desk(self.places.desk)

    @cached_property
    def encoder(self) -> Encoder:
        from scholar_indexes import engines

        return engines.load(self._model, self.settings.device, self.settings.threads)

    # -- inside ------------------------------------------------------------------------

    @cached_property
    def _model(self) -> ModelFiles:
        from scholar_indexes import models

        return models.find(self.settings.model, self.places.models)

    @property
    def _table_name(self) -> str:
        from scholar_indexes.tables import table_name

        return table_name(self._model.space)

    @property
    def _store(self) -> Store:
        """The index as it stands now, whoever wrote to it last."""
        return self._first_store.renewed()

    @cached_property
    def _first_store(self) -> Store:
        from scholar_indexes.store import Store

        return Store(self.places.index, self._model.space, self._model.dimensions)

    @cached_property
    def _fetcher(self) -> Fetcher:
        from scholar_indexes.fetch import Fetcher

        return Fetcher(
            self.places.downloads,
            offline=self.settings.offline,
            pause_s=self.settings.pause_s,
            timeout_s=self.settings.timeout_s,
        )

    def _source(self, source: str, mirror: str | None, refresh: bool, progress: Progress) -> Source:
        from pathlib import Path

        from scholar_indexes import ingest
        from scholar_indexes.books import mirrors

        number = mirrors.gutenberg_id(source)
        if number:
            got = mirrors.download(
                self._fetcher, number, (mirror,) if mirror else self.settings.mirrors,
                refresh=refresh, announce=self._announce, progress=progress,
            )  # fmt: skip
            return ingest.Source(got.path.read_bytes(), got.url, number)
        if source == "-":
            return ingest.read_stdin()
        if "://" in source:
            raise UsageError(
                f"{source[:80]} is not an address of a Gutenberg book; download the file "
                "and add it, or give an address like https://www.gutenberg.org/ebooks/1342"
            )
        return ingest.read_file(Path(source).expanduser())

    def _shelve(self, draft: Draft, refresh: bool, dry_run: bool, progress: Progress) -> Added:
        from scholar_indexes.answers import Added, Outcome
        from scholar_indexes.books import shelf

        counts = len(draft.chapters) - 1, len(draft.sentences)
        with self._writer(dry_run, progress):
            same = self.catalog.with_text(draft.book.sha256)
            if same:
                self._index_if_missing(same, dry_run, progress, locked=True)
                return Added(same.book, Outcome.ALREADY, *counts)
            there = self.catalog.with_id(draft.book.id)
            if there and not refresh:
                raise UsageError(
                    f"{draft.book.id} is already {there.book.title!r} with another text; "
                    "to replace it: --refresh, to keep both: --title"
                )
            if dry_run:
                return Added(draft.book, Outcome.PLANNED, *counts)
            self._clear_unfinished()
            shelved = self.catalog.begin(draft.book, len(draft.text), *counts)
            with writing(self.places.data):
                shelf.save(
                    self.places.books / shelved.folder, draft.text, draft.chapters, draft.sentences
                )
            rows = [(each.chapter, each.span.start, each.span.end) for each in draft.sentences]
            self._write_rows(shelved, draft.text, rows, progress)
            self._store.tend()
            self.catalog.record(shelved.edition, self._store.name)
            self._clear_unfinished()
        return Added(draft.book, Outcome.REPLACED if there else Outcome.ADDED, *counts)

    def _dialogue(
        self,
        shelved: Shelved,
        method: str,
        model: str | None,
        backend: Backend | None,
        progress: Progress,
    ) -> Dialogue:
        """Who says what in a book: as it was kept, or found now and kept."""
        from scholar_indexes import models
        from scholar_indexes.speakers import dialogue, record

        files = None
        if method == dialogue.TRAINED:
            files = models.find(model or dialogue.DEFAULT_MODEL, self.places.models)
        made_by = dialogue.made_by(method, files, backend)
        folder = self.places.books / shelved.folder
        kept = record.load(folder, made_by, shelved.characters)
        if kept is not None:
            return kept
        found = dialogue.read(
            self.text(shelved), self.chapters(shelved), method, files, backend,
            answers=folder / "answers.jsonl",
            say=self._announce, progress=progress,
        )  # fmt: skip
        record.save(folder, made_by, found)
        return found

    def _described(self, shelved: Shelved, progress: Progress) -> Account:
        """What a book tells of its characters: as it was kept, or read now and kept."""
        from scholar_indexes import models
        from scholar_indexes.characters import described
        from scholar_indexes.speakers import dialogue

        folder = self.places.books / shelved.folder
        files = models.find(dialogue.DEFAULT_MODEL, self.places.models)
        bank = self._bank(shelved.book.id)
        made_by = described.made_by(dialogue.made_by(dialogue.DEFAULT, files, None), bank)
        kept = described.load(folder, made_by, shelved.characters)
        if kept is not None:
            return kept
        said = self._dialogue(shelved, dialogue.DEFAULT, None, None, progress)
        progress("reading about the characters", 0, 0)
        found = described.make(self.text(shelved), self.chapters(shelved), said, bank)
        described.save(folder, made_by, found)
        return found

    def _said(self, shelved: Shelved, kept: Account, people: Sequence[Character]) -> list[Said]:
        """What is said of some of the people of a book, a bank's descriptions first of each."""
        from scholar_indexes import answers
        from scholar_indexes.characters import described

        text, chapters = self.text(shelved), self.chapters(shelved)
        cited = answers.citing(shelved.book, text, chapters)
        written = {each.name: each.descriptions for each in self._bank(shelved.book.id)}
        told: dict[str, list[Told]] = {}
        for each in kept.told:
            told.setdefault(kept.people[each.who].id, []).append(each)
        found = []
        for of in people:
            for one in written.get(of.name, ()):
                spans = (described.proved(proof, text, chapters) for proof in one.evidence)
                found.append((of, "description", one.plain, False, list(filter(None, spans))))
            for each in told.get(of.id, ()):
                shown = described.shown(each.text, of, kept.people)
                found.append((of, each.kind, shown, True, list(each.passages)))
        return [
            answers.Said(
                shelved.book, of, kind, said, automatic,
                tuple(place for span in spans if (place := cited(span))),
            )
            for of, kind, said, automatic, spans in found
        ]  # fmt: skip

    def _people(self, shelved: Shelved, progress: Progress) -> Kept:
        """What questions about characters need of a book: as it was kept, or made and kept.

        Raises NoMatch where nobody can be meant.
        """
        from scholar_indexes import models
        from scholar_indexes.books import shelf
        from scholar_indexes.characters import kept
        from scholar_indexes.speakers import dialogue

        folder = self.places.books / shelved.folder
        files = models.find(dialogue.DEFAULT_MODEL, self.places.models)
        bank = self._bank(shelved.book.id)
        made_by = kept.made_by(
            self._model.space, dialogue.made_by(dialogue.DEFAULT, files, None), bank
        )
        text, rows = self.text(shelved), shelf.sentences(folder)
        found = kept.load(folder, made_by, text, rows)
        if found is None:
            self._check_indexed([shelved], self._model)
            stored = self._store.edition(shelved.edition)
            if len(stored) != len(rows):
                raise Damaged("the index has lost passages; run: scholar index rebuild")
            said = None
            try:
                said = self._dialogue(shelved, dialogue.DEFAULT, None, None, progress)
            except NoMatch:
                if not bank:
                    raise
            label = f"reading {shelved.book.title} for its characters"
            found = kept.make(text, rows, stored, said, bank, self.encoder, label, progress)
            kept.save(folder, made_by, found)
        if not found.people:
            raise NoMatch(
                f"no characters were found in {shelved.book.title}; "
                f"search its passages instead: scholar find DESCRIPTION -b {shelved.book.id}"
            )
        return found

    def _bank(self, book_id: str) -> list[Described]:
        """What is known of a book's characters; nothing where there is no bank."""
        try:
            return self.quiz.written(book_id)
        except NotThere:
            return []
        except Damaged as damage:
            self._announce(f"{damage}; going on without it")
            return []

    def _keys_said(self, chosen: Sequence[Shelved], speaker: str, progress: Progress) -> set[int]:
        """The keys of the sentences that a character says, in whichever book has it.

        Raises NotThere where none has, and UsageError for more books than can be read now.
        """
        from scholar_indexes.books import shelf
        from scholar_indexes.speakers import dialogue
        from scholar_indexes.store import EDITION_BITS

        if len(chosen) > MOST_READ:
            raise UsageError(
                f"a speaker is looked for in at most {MOST_READ} books at a time; "
                "name them: -b BOOK"
            )
        keys: set[int] = set()
        refusal: ScholarError | None = None
        for shelved in chosen:
            try:
                found = self._dialogue(shelved, dialogue.DEFAULT, None, None, progress)
                wanted = dialogue.named(found.cast, speaker)
            except (NoMatch, NotThere) as missing:
                refusal = missing
                continue
            rows = shelf.sentences(self.places.books / shelved.folder)
            numbers = dialogue.sentences_said(found, wanted, rows)
            keys.update((shelved.edition << EDITION_BITS) + number for number in numbers)
        if not keys and refusal:
            raise refusal
        return keys

    def _write_rows(
        self, shelved: Shelved, text: str, rows: list[tuple[int, int, int]], progress: Progress
    ) -> None:
        from scholar_indexes import ingest

        label = f"encoding {shelved.book.title}"
        self._store.write(
            shelved.edition, ingest.encoded(text, rows, self.encoder, label, progress)
        )

    def _index_if_missing(
        self, shelved: Shelved, dry_run: bool, progress: Progress, *, locked: bool = False
    ) -> None:
        """A book added under another model gets its passages for this one."""

        if dry_run or shelved.edition in self.catalog.indexed(self._table_name):
            return
        if not locked:
            with self._writer(progress=progress):
                self._index_if_missing(shelved, dry_run, progress, locked=True)
            return
        self._encode_again(shelved, progress)
        self._store.tend()

    def _encode_again(self, shelved: Shelved, progress: Progress) -> None:
        """Put a stored book into the index of the model in use."""
        from scholar_indexes.books import shelf

        places = shelf.sentences(self.places.books / shelved.folder)
        rows = [(chapter, start, end) for chapter, _, start, end in places.tolist()]
        self._write_rows(shelved, self.text(shelved), rows, progress)
        self.catalog.note_indexed(shelved.edition, self._store.name)

    def _discard_table(self, name: str) -> None:
        """Remove a table, readable or not; the catalogue knows first."""
        import shutil

        self.catalog.forget_space(name)
        with writing(self.places.index):
            shutil.rmtree(self.places.index / f"{name}.lance", ignore_errors=True)
        self.__dict__.pop("_first_store", None)

    def _clear_unfinished(self) -> None:
        """Remove what interrupted commands left; only while holding the write lock."""
        from scholar_indexes.books import shelf
        from scholar_indexes.tables import table_names

        unfinished = self.catalog.unfinished()
        with writing(self.places.books):
            shelf.clear(self.places.books, [left.folder for left in unfinished])
        for left in unfinished:
            self._store.delete(left.edition)
            self.catalog.forget(left.edition)
        if not self.catalog.books():
            # A list that is made anew counts editions anew: no row may bear an old number.
            for name in table_names(self.places.index):
                self._discard_table(name)

    def _chosen(self, references: Sequence[str], author: str | None) -> list[Shelved]:
        listed = self.catalog.books()
        if not listed:
            raise NotThere("the library is empty; run: scholar add 1342, or: scholar demo")
        chosen = (
            list({each.edition: each for each in map(self.book, references)}.values()) or listed
        )
        if author:
            wanted = author.casefold()
            chosen = [each for each in chosen if wanted in each.book.author.casefold()]
            if not chosen:
                raise NotThere(f"no book here is by {author!r}; see: scholar books list")
        return chosen

    def _check_indexed(self, chosen: Sequence[Shelved], model: ModelFiles) -> None:
        indexed = self.catalog.indexed(self._table_name)
        missing = [each.book.title for each in chosen if each.edition not in indexed]
        if missing:
            named = missing[0] if len(missing) == 1 else f"{missing[0]} and {len(missing) - 1} more"
            raise NotIndexed(
                f"the index has no passages of {named} for the model {model.name} (another model "
                "or an older scholar wrote it); run: scholar index rebuild"
            )

    @contextmanager
    def _writer(self, dry_run: bool = False, progress: Progress = silent) -> Iterator[None]:
        """One writer at a time; looking alone needs no lock."""
        with ExitStack() as stack:
            if not dry_run:
                waiting = lambda: self._announce(  # noqa: E731
                    "another scholar is writing; waiting for it to finish"
                )
                still = lambda: progress("waiting for another scholar", 0, 0)  # noqa: E731
                stack.enter_context(
                    exclusive(self.places.write_lock, self.settings.lock_wait_s, waiting, still)
                )
            yield
