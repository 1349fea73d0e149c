"""The service layer of papers: shared by all front ends.

    add       source -> adding -> catalog.add -> encode -> table.write -> catalog.mark_indexed
    similar   paper, sentences -> table.candidates -> match.score_candidates -> [Hit[SimilarPaper]]
    find      claim -> encode -> table.candidates -> match.score_answers -> [Hit[SimilarPaper]]
    find_in_facet    claim, as sentences of a facet -> as in similar

It is available as Library.papers. As in Library, methods raise only ScholarError, report
progress, and import slow modules on demand.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.claims import normalize_claim
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.papers import queries
from scholar_indexes.papers.adding import PaperAdder
from scholar_indexes.papers.catalog.store import BATCH_SIZE, DEFAULT_COLLECTION, PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcome, EntryOutcomeKind, StoredPaper
from scholar_indexes.papers.entry import Entry
from scholar_indexes.papers.models import PaperModels
from scholar_indexes.papers.paper_index import PaperIndex
from scholar_indexes.papers.paper_results import (
    AddPapersReport,
    NoFacet,
    PaperQuery,
    SentencePair,
    SimilarPaper,
)
from scholar_indexes.papers.source import is_source, read_single_entry
from scholar_indexes.paths import Paths
from scholar_indexes.sanitize import one_line
from scholar_indexes.settings import Settings
from scholar_indexes.storage.write_lock import WriteLock
from scholar_indexes.types import QUERY_FACETS, Facet, Hit, Paper, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.arrays import Floats1d
    from scholar_indexes.net.client import Announce, Fetcher
    from scholar_indexes.papers.catalog.lookup import YearRange
    from scholar_indexes.papers.editing import PaperEdit
    from scholar_indexes.papers.match import PaperVectors
    from scholar_indexes.papers.table import CandidatePapers, PaperFilter

_FIRST_YEAR, _LAST_YEAR = 0, 9999


class PaperLibrary:
    """A user's papers and their index, in the folders of `places`."""

    def __init__(self, places: Paths, settings: Settings, announce: Announce) -> None:
        self.places = places
        self.settings = settings
        self.catalog = PaperCatalog(places.papers)
        self._announce = announce
        self.models = PaperModels(settings, places.models, announce)
        self._index = PaperIndex(places.papers_index, self.catalog, self.models, announce)
        self._adder = PaperAdder(self.catalog, self._add_entries)
        self._lock = WriteLock(places.papers_lock, settings.lock_wait_s, announce)

    def add(
        self,
        source: str,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress = silent,
    ) -> AddPapersReport:
        """Add the papers of a file, of all files in a folder, of Zotero's library (zotero.sqlite,
        or the folder it is in), or of standard input (-); known papers are merged.

        Raises NoPapers for a source without papers.
        """
        return self._adder.add(source, collection, progress)

    def add_files(
        self,
        folder: Path,
        files: Sequence[Path],
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress = silent,
    ) -> AddPapersReport:
        """Add the papers of the given files of a folder, as `add` does for all of them."""
        return self._adder.add_files(folder, files, collection, progress)

    def fetch(
        self,
        reference: str,
        *,
        references: bool = False,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress = silent,
    ) -> AddPapersReport:
        """Add a paper from a web service by its id; `references` also adds the works it cites."""
        from scholar_indexes.papers import web_services

        entries = web_services.fetch(
            reference,
            self._fetcher,
            references=references,
            bases=web_services.BASES,
            mailto=self.settings.mailto,
            announce=self._announce,
            progress=progress,
        )
        return self._adder.add_records(entries, collection, progress)

    def remove(self, reference: str, collection: str | None = None) -> StoredPaper:
        """Remove a paper, or only take it out of `collection` if given; return it as it was.

        A paper that is in no other collection is removed. Raises NotThere if it is not in the
        collection.
        """
        with self._lock.held(silent):
            stored = self.catalog.paper(reference)
            if collection is None:
                self.catalog.unlist([stored.number])
            elif collection in stored.collections:
                self.catalog.remove_from_collection([stored.number], collection)
            else:
                listed = ", ".join(stored.collections)
                raise NotThere(f"{stored.paper.id} is not in {collection}; it is in: {listed}")
            self._index.clear_unfinished()
            self._index.index_pending(silent)
            self._index.table.optimize()
        return stored

    def edit(
        self, reference: str, edit: PaperEdit, progress: Progress = silent
    ) -> tuple[StoredPaper, StoredPaper]:
        """Change a paper, and re-encode it if its text changed; return it before and after.

        Raises UsageError for an invalid edit.
        """
        with self._lock.held(progress):
            before = self.catalog.paper(reference)
            self.catalog.edit(before.number, edit)
            self._index.clear_unfinished()
            self._index.index_pending(progress)
            self._index.table.optimize()
        return before, self.catalog.by_number([before.number])[before.number]

    def rebuild(self, progress: Progress = silent) -> int:
        """Rebuild the index of the current model; return the number of papers in it."""
        with self._lock.held(progress):
            self._index.discard()
            self._index.clear_unfinished()
            self._index.index_pending(progress)
            self._index.table.optimize(thoroughly=True)
        return self.catalog.count()

    def replace_list_if_damaged(self, progress: Progress = silent) -> str:
        """Start a new list of papers if this one is damaged or lost (SqliteFile)."""
        with self._lock.held(progress):
            return self.catalog.replace_if_damaged()

    def check(self) -> str:
        """Run one query of each kind on the index of papers and return a line about it. Raises
        NotIndexed or Damaged if something is wrong."""
        self.catalog.check()
        count = self.catalog.count()
        if count:
            self._index.check(count)
        return f"{count} papers"

    def similar(
        self,
        reference: str,
        *,
        facet: Facet | None = None,
        sentences: Sequence[int] = (),
        n: int = 20,
        collection: str | None = None,
        years: YearRange = (None, None),
        or_nearest: bool = False,
        progress: Progress = silent,
    ) -> tuple[PaperQuery, list[Hit[SimilarPaper]]]:
        """Return a query, and the papers most similar to a paper in a facet, in the given
        sentences (numbered from 1), or overall.

        `reference` is the id, number or title of a stored paper, a file with one paper or one
        abstract, or - for standard input. If it has no sentence of the facet, NoFacet is raised,
        which names the nearest sentence; with `or_nearest` that one is used and announced.
        """
        if facet and sentences:
            raise UsageError("give --facet or --sentences, not both")
        self._index.check_readable()
        scope = self._filter(collection, years)
        paper, number, vectors = self._load_example(reference, progress)
        try:
            rows = queries.select_rows(paper, vectors, facet, sentences)
        except NoFacet as refusal:
            if not or_nearest:
                raise
            self._announce(f"{refusal.reason}, which is used instead")
            rows = [refusal.nearest - 1]
        query = PaperQuery(paper, number, tuple(rows), facet)
        return query, self._rank_similar(query, vectors, scope, n)

    def find(
        self,
        claim: str,
        *,
        n: int = 20,
        collection: str | None = None,
        years: YearRange = (None, None),
    ) -> list[Hit[SimilarPaper]]:
        """Return the papers that best answer a claim or a question, each with its best
        sentence."""
        from scholar_indexes.papers import match

        claim = normalize_claim(claim)
        self._index.check_readable()
        scope = self._filter(collection, years)
        question = self.models.encoder.encode([claim])[0]
        views = dict.fromkeys(QUERY_FACETS, question)
        candidates = self._index.table.candidates(question, views, claim, scope=scope)
        if not len(candidates):
            return []
        answers = match.score_answers(question, candidates.documents, candidates.bm25)
        hits = []
        for stored, row in self._best_listed(candidates, answers.scores, n):
            nearest, sentence = float(answers.nearest[row]), int(answers.rows[row])
            pair = SentencePair(None, None if sentence < 0 else sentence, 1.0, nearest)
            parts = {
                "nearest": nearest,
                "whole": float(answers.whole[row]),
                "bm25": float(candidates.bm25[row]),
            }
            hits.append(Hit(SimilarPaper(stored, (pair,), parts), float(answers.scores[row])))
        return hits

    def find_in_facet(
        self,
        claim: str,
        facet: Facet,
        *,
        n: int = 20,
        collection: str | None = None,
        years: YearRange = (None, None),
    ) -> tuple[PaperQuery, list[Hit[SimilarPaper]]]:
        """Return a query, and the papers whose sentences of a facet are most similar to a claim or
        question. The query is an abstract made of the claim's sentences, all with this facet."""
        from scholar_indexes.papers.abstracts import split_abstract

        claim = normalize_claim(claim)
        self._index.check_readable()
        scope = self._filter(collection, years)
        sentences = [text for text, _ in split_abstract(claim, tex=False)] or [claim]
        entry = Entry({}, ("text:claim",), tuple((text, facet) for text in sentences))
        paper, vectors = self._encode_example(entry, silent)
        query = PaperQuery(paper, None, tuple(range(len(sentences))), facet)
        return query, self._rank_similar(query, vectors, scope, n)

    def _rank_similar(
        self, query: PaperQuery, vectors: PaperVectors, scope: PaperFilter, n: int
    ) -> list[Hit[SimilarPaper]]:
        """Return the n papers that are most similar to the sentences of a query."""
        from scholar_indexes.papers import match

        candidates = self._candidates(query, vectors, scope)
        if not len(candidates):
            return []
        method_map = self.models.method_map if query.facet is Facet.METHOD else None
        scores = match.score_candidates(
            vectors, query.sentences, query.facet, candidates.documents, candidates.bm25, method_map
        )
        return [
            Hit(
                queries.explain(query, vectors, stored, candidates, row, method_map),
                float(scores[row]),
            )
            for stored, row in self._best_listed(candidates, scores, n, exclude=query.number)
        ]

    @cached_property
    def _fetcher(self) -> Fetcher:
        from scholar_indexes.net.client import Fetcher
        from scholar_indexes.papers import web_services

        return Fetcher(
            self.places.downloads,
            offline=self.settings.offline,
            pause_s=max(self.settings.pause_s, web_services.PAUSE_S),
            timeout_s=self.settings.timeout_s,
        )

    def _add_entries(
        self, entries: Iterator[Entry], collection: str, progress: Progress
    ) -> list[EntryOutcome]:
        """Add entries in batches; an interruption loses only the current batch.

        A batch is encoded before the lock is taken; papers that other programs change meanwhile
        are encoded again.
        """
        outcomes: list[EntryOutcome] = []
        while batch := list(islice(entries, BATCH_SIZE)):
            foreseen = self.catalog.foresee(batch, collection)
            ahead = self._index.encode_ahead(foreseen, progress)
            with self._lock.held(progress):
                self._index.clear_unfinished()
                outcomes += self.catalog.add(batch, collection).outcomes
                self._index.index_pending(progress, ahead)
        if any(outcome.kind is not EntryOutcomeKind.UNCHANGED for outcome in outcomes):
            with self._lock.held(progress):
                self._index.table.optimize()
        return outcomes

    def _load_example(
        self, reference: str, progress: Progress
    ) -> tuple[Paper, int | None, PaperVectors]:
        """Return the example paper of a query, its number if it is stored, and its vectors."""
        if is_source(reference):
            paper, vectors = self._encode_example(read_single_entry(reference), progress)
            return paper, None, vectors
        stored = self.catalog.paper(reference)
        return stored.paper, stored.number, self._index.vectors(stored)

    def _encode_example(self, entry: Entry, progress: Progress) -> tuple[Paper, PaperVectors]:
        """Return the paper of an entry and its vectors, without storing it."""
        from scholar_indexes.papers.encoding import PaperDraft
        from scholar_indexes.papers.formats.csl import item_venue, item_year, listed_authors

        draft = PaperDraft(str(entry.csl.get("title") or ""), entry.sentences)
        (encoded,) = self.models.encode([draft], progress)
        paper = Paper(
            entry.ids[0],
            draft.title,
            tuple(text for text, _ in entry.sentences),
            encoded.facets,
            listed_authors(entry.csl),
            item_year(entry.csl),
            item_venue(entry.csl),
            entry.ids,
        )
        return paper, encoded.document

    def _candidates(
        self, query: PaperQuery, vectors: PaperVectors, scope: PaperFilter
    ) -> CandidatePapers:
        """Return the papers near a query as a whole, by BM25, or in the view of its facet (without
        one, of the facets that its sentences probably have)."""
        from scholar_indexes.papers.table import facet_view

        rows = list(query.sentences)
        title = vectors.whole if vectors.title is None else vectors.title
        view = facet_view(vectors.sentences[rows], title)
        facets = queries.select_facets(query, vectors)
        words = " ".join([query.paper.title, *(query.paper.sentences[row] for row in rows)])
        return self._index.table.candidates(
            vectors.whole, dict.fromkeys(facets, view), words, scope=scope
        )

    def _best_listed(
        self, candidates: CandidatePapers, scores: Floats1d, n: int, exclude: int | None = None
    ) -> Iterator[tuple[StoredPaper, int]]:
        """Yield the n best candidates that are listed and whose indexed text is current, with their
        rows; `exclude` is the number of a paper to skip."""
        import numpy as np

        order = np.argsort(-scores, kind="stable")
        page_size = 2 * n + 8
        remaining = n
        for start in range(0, len(order), page_size):
            page = order[start : start + page_size].tolist()
            listed = self.catalog.by_number([int(candidates.numbers[row]) for row in page])
            for row in page:
                stored = listed.get(int(candidates.numbers[row]))
                if stored is None or stored.number == exclude:
                    continue
                if int(candidates.revisions[row]) < stored.text_revision:
                    continue
                yield stored, row
                remaining -= 1
                if not remaining:
                    return

    def _filter(self, collection: str | None, years: YearRange) -> PaperFilter:
        """Return the filter for a collection and years. Raises NotThere for an empty collection."""
        from scholar_indexes.papers.table import PaperFilter

        collections = None
        if collection is not None:
            collections = list(self.catalog.collection_numbers([collection]).values())
            if next(self.catalog.papers(collection, limit=1), None) is None:
                name = one_line(collection)
                raise NotThere(
                    f"the collection {name!r} has no papers; "
                    f"add some: scholar papers add FILE -c {shlex.quote(name)}"
                )
        first, last = years
        if first is None and last is None:
            return PaperFilter(collections)
        return PaperFilter(collections, (first or _FIRST_YEAR, last or _LAST_YEAR))
