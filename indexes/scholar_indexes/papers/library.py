"""The service layer of papers: one short method per journey, the same for every front end.

    add       bytes -> formats.read -> shelf.add -> encode -> index.write -> shelf.record
    similar   paper, sentences -> index.candidates -> match.scores -> [Hit[Alike]]
    find      claim -> encode -> index.candidates -> match.answers -> [Hit[Alike]]

Library hands it out as its attribute papers. As there, methods raise only ScholarError, report
progress, and import what is slow when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from scholar_indexes.errors import (
    NoMatch,
    NoPapers,
    NotIndexed,
    NotThere,
    ScholarError,
    UsageError,
)
from scholar_indexes.papers.shelf import BATCH, DEFAULT_COLLECTION, Kept, Papers, What
from scholar_indexes.places import Places, exclusive
from scholar_indexes.settings import Settings
from scholar_indexes.types import Facet, Hit, Paper, Progress, silent
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.encoder import Encoder
    from scholar_indexes.fetch import Announce, Fetcher
    from scholar_indexes.models import ModelFiles
    from scholar_indexes.papers.encoding import Encoded
    from scholar_indexes.papers.entry import Broken, Entry
    from scholar_indexes.papers.facets import FacetModel
    from scholar_indexes.papers.index import Found, Index, Row, Scope
    from scholar_indexes.papers.match import Document

MAX_SOURCE_BYTES = 1024**3
"""More of a source is not read: it is some 500,000 papers."""

ASKED_FACETS = (Facet.BACKGROUND, Facet.METHOD, Facet.RESULT)

Years = tuple[int | None, int | None]
"""An inclusive range, None for an open end."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a source: counts of papers, and the records that could not be read."""

    added: int
    merged: int
    unchanged: int
    without_abstract: int
    broken: tuple[Broken, ...]

    @property
    def papers(self) -> int:
        return self.added + self.merged + self.unchanged


@dataclass(frozen=True, slots=True)
class Matched:
    """Two sentences that were matched, by their places from 0: asked in the query (or None for
    a free question), found in the paper (None for its title); weight is the pair's share of
    the match, cosine how near they are."""

    asked: int | None
    found: int | None
    weight: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Alike:
    """A paper that is like what was asked, and which sentences say so, the telling ones first.

    parts are the cosines that the score is made of, by name, and bm25.
    """

    kept: Kept
    matched: tuple[Matched, ...]
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: a paper, its sentences by their places from 0, and in which respect."""

    paper: Paper
    number: int | None
    sentences: tuple[int, ...]
    facet: Facet | None


class NoFacet(NoMatch):
    """No sentence of a paper is of the facet that was asked for; nearest (from 1) is the one
    that most likely would be."""

    def __init__(self, line: str, nearest: int = 0) -> None:
        super().__init__(line)
        self.nearest = nearest


class PaperLibrary:
    """A person's papers and their index, in the folders of places."""

    def __init__(self, places: Places, settings: Settings, announce: Announce) -> None:
        self.places = places
        self.settings = settings
        self.shelf = Papers(places.papers)
        self._announce = announce

    # -- keeping -----------------------------------------------------------------------------

    def add(
        self,
        source: str,
        *,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress = silent,
    ) -> Report:
        """Keep the papers of a file, or of standard input (-).

        Papers that are there already are merged. Raises NoPapers for a source that has none.
        """
        from scholar_indexes.papers import formats

        data, name = _read(source)
        report = self._take(formats.read(data, name), collection, progress)
        if not report.papers:
            first = report.broken[0] if report.broken else None
            why = f"; line {first.line}: {first.reason}" if first else ""
            raise NoPapers(f"{one_line(name)} has no paper that can be read{why}")
        return report

    def fetch(
        self,
        reference: str,
        *,
        references: bool = False,
        collection: str = DEFAULT_COLLECTION,
        progress: Progress = silent,
    ) -> Report:
        """Keep a paper that a service knows by its id, with references what it cites too."""
        from scholar_indexes.papers import services

        found = services.fetch(
            reference, self._fetcher, references=references, bases=services.BASES,
            mailto=self.settings.mailto, announce=self._announce, progress=progress,
        )  # fmt: skip
        return self._take(found, collection, progress)

    def remove(self, reference: str, collection: str | None = None) -> Kept:
        """Forget a paper; with a collection only take it out of that one."""
        with self._writer():
            kept = self.shelf.paper(reference)
            if collection is None:
                self.shelf.unlist([kept.number])
            else:
                self.shelf.leave([kept.number], collection)
            self._clear_unfinished()
            self._index_waiting(silent)
        return kept

    def rebuild(self, progress: Progress = silent) -> int:
        """Make the index of the model in use anew; returns how many papers it has."""
        with self._writer():
            self._discard_tables()
            self._clear_unfinished()
            self._index_waiting(progress)
            self._index.tend(thoroughly=True)
        return self.shelf.count()

    def check(self) -> str:
        """One line on papers and their index; raises NotIndexed or Damaged where something is
        wrong with them."""
        count = self.shelf.count()
        if count:
            self._check_indexed()
            first = next(self.shelf.papers(limit=1))
            if not len(self._index.rows([first.number])):
                raise NotIndexed("the index of papers has lost some; run: scholar papers rebuild")
        return f"{count} papers"

    # -- asking ------------------------------------------------------------------------------

    def similar(
        self,
        reference: str,
        *,
        facet: Facet | None = None,
        sentences: Sequence[int] = (),
        n: int = 20,
        collection: str | None = None,
        years: Years = (None, None),
        progress: Progress = silent,
    ) -> tuple[Asked, list[Hit[Alike]]]:
        """The papers most like one in a facet, or in some of its sentences (numbers from 1),
        or altogether.

        reference is a paper on the shelf by id, number or title, a file with one paper in it,
        or - for standard input. Raises NoMatch, with the nearest sentence, when it has none of
        that facet.
        """
        from scholar_indexes.papers import match

        if facet and sentences:
            raise UsageError("give --facet or --sentences, not both")
        self._check_indexed()
        paper, number, document = self._query(reference, progress)
        rows = _rows(paper, document, facet, sentences)
        words = " ".join([paper.title, *(paper.sentences[row] for row in rows)])
        found = self._candidates(document, rows, facet, words, self._scope(collection, years))
        asked = Asked(paper, number, tuple(rows), facet)
        if not len(found):
            return asked, []
        scores = match.scores(document, rows, facet, found.documents, found.bm25)
        hits = []
        for kept, at in self._best(found, scores, n, number):
            candidate = found.documents[at]
            parts = match.parts(document, rows, facet, [candidate])
            pairs = match.align(document, rows, candidate, facet)
            matched = [
                Matched(each.query_row, each.candidate_row, each.weight, each.cosine)
                for each in pairs
            ]
            alike = Alike(kept, tuple(matched), {
                "view": float(parts.view[0]), "matched": float(parts.matched[0]),
                "whole": float(parts.whole[0]), "bm25": float(found.bm25[at]),
            })  # fmt: skip
            hits.append(Hit(alike, float(scores[at])))
        return asked, hits

    def find(
        self,
        claim: str,
        *,
        n: int = 20,
        collection: str | None = None,
        years: Years = (None, None),
    ) -> list[Hit[Alike]]:
        """The papers that best answer a claim or a question, each with its best sentence."""
        from scholar_indexes import search
        from scholar_indexes.papers import match

        claim = search.readable(claim)
        scope = self._scope(collection, years)
        self._check_indexed()
        query = self._encoder.encode([claim])[0]
        found = self._index.candidates(
            query, dict.fromkeys(ASKED_FACETS, query), claim, scope=scope
        )
        if not len(found):
            return []
        answers = match.answers(query, found.documents, found.bm25)
        hits = []
        for kept, at in self._best(found, answers.scores, n, None):
            row, near = int(answers.rows[at]), float(answers.nearest[at])
            matched = Matched(None, None if row < 0 else row, 1.0, near)
            parts = {
                "nearest": near, "whole": float(answers.whole[at]), "bm25": float(found.bm25[at]),
            }  # fmt: skip
            hits.append(Hit(Alike(kept, (matched,), parts), float(answers.scores[at])))
        return hits

    # -- below -------------------------------------------------------------------------------

    @cached_property
    def _model(self) -> ModelFiles:
        from scholar_indexes import models

        return models.find(self.settings.papers_model, self.places.models)

    @cached_property
    def _encoder(self) -> Encoder:
        from scholar_indexes import engines

        return engines.load(self._model, self.settings.device, self.settings.threads)

    @cached_property
    def _facet_model(self) -> FacetModel:
        from scholar_indexes import models
        from scholar_indexes.papers import facets

        files = models.find(self.settings.facet_model, self.places.models)
        return facets.load(files, self._model.space)

    @cached_property
    def _fetcher(self) -> Fetcher:
        from scholar_indexes.fetch import Fetcher
        from scholar_indexes.papers import services

        return Fetcher(
            self.places.downloads,
            offline=self.settings.offline,
            pause_s=max(self.settings.pause_s, services.PAUSE_S),
            timeout_s=self.settings.timeout_s,
        )

    @cached_property
    def _index(self) -> Index:
        from scholar_indexes.papers.index import Index

        return Index(self.places.papers_index, self._model.space, self._model.dimensions)

    def _take(
        self, entries: Iterable[Entry | Broken], collection: str, progress: Progress
    ) -> Report:
        """Keep entries a batch at a time: what an interruption cuts off can be taken again."""
        from scholar_indexes.papers.entry import Entry

        broken: list[Broken] = []
        what: dict[What, int] = dict.fromkeys(What, 0)
        without = 0

        def readable() -> Iterator[Entry]:
            for each in entries:
                if isinstance(each, Entry):
                    yield each
                else:
                    broken.append(each)

        good = readable()
        first = next(good, None)  # what cannot be read is refused before anything waits
        if first is not None:
            good = chain([first], good)
            with self._writer():
                self._clear_unfinished()
                while batch := list(islice(good, BATCH)):
                    added = self.shelf.add(batch, collection)
                    for each in What:
                        what[each] += added.count(each)
                    without += added.without_abstract
                    self._index_waiting(progress)
                self._index.tend()
        return Report(
            what[What.ADDED], what[What.MERGED], what[What.UNCHANGED], without, tuple(broken)
        )

    def _index_waiting(self, progress: Progress) -> None:
        """Store the vectors of what waits for them; only then is it listed."""
        from scholar_indexes.papers.index import Standing

        numbers = self.shelf.collection_numbers()
        while batch := self.shelf.waiting(self._index.name):
            stored = self._index.revisions([each.number for each in batch])
            stale = [each for each in batch if stored.get(each.number, -1) < each.text_revision]
            of = {each.number for each in stale}
            self._index.renew(
                [
                    Standing(each.number, each.revision, each.paper.year,
                             [numbers[name] for name in each.collections])
                    for each in batch if each.number not in of
                ]
            )  # fmt: skip
            encoded = self._encoded(stale, progress)
            self._index.write(
                [
                    _row(kept, each, [numbers[name] for name in kept.collections])
                    for kept, each in zip(stale, encoded, strict=True)
                ]
            )
            facets = {kept.number: each.facets for kept, each in zip(stale, encoded, strict=True)}
            self.shelf.record(self._index.name, batch[-1].revision, facets)

    def _encoded(self, papers: Sequence[Kept], progress: Progress) -> list[Encoded]:
        from scholar_indexes.papers.encoding import Draft, encode

        if not papers:
            return []
        drafts = [
            Draft(each.paper.title,
                  tuple(zip(each.paper.sentences, each.given, strict=True)))
            for each in papers
        ]  # fmt: skip
        return encode(drafts, self._encoder, self._facet_model, progress)

    def _query(self, reference: str, progress: Progress) -> tuple[Paper, int | None, Document]:
        """The paper that is asked with: one on the shelf, or the only one of a file."""
        from pathlib import Path

        if reference != "-" and not Path(reference).expanduser().is_file():
            kept = self.shelf.paper(reference)
            rows = self._index.rows([kept.number])
            if not len(rows) or int(rows.revisions[0]) < kept.text_revision:
                raise NotIndexed("the index of papers has lost some; run: scholar papers rebuild")
            return kept.paper, kept.number, rows.documents[0]
        return self._from_source(reference, progress)

    def _from_source(self, source: str, progress: Progress) -> tuple[Paper, None, Document]:
        from scholar_indexes.papers import formats
        from scholar_indexes.papers.encoding import Draft, encode
        from scholar_indexes.papers.entry import Entry
        from scholar_indexes.papers.formats.csl import item_authors, item_venue, item_year

        data, name = _read(source)
        entries = [each for each in islice(formats.read(data, name), 2) if isinstance(each, Entry)]
        if not entries:
            raise NoPapers(f"{one_line(name)} has no paper that can be read; choose another file")
        if len(entries) > 1:
            raise UsageError(
                f"{one_line(name)} has several papers; add them (scholar papers add) and name one"
            )
        entry = entries[0]
        draft = Draft(str(entry.csl.get("title") or ""), entry.sentences)
        (encoded,) = encode([draft], self._encoder, self._facet_model, progress)
        paper = Paper(
            entry.ids[0], draft.title, tuple(text for text, _ in entry.sentences), encoded.facets,
            item_authors(entry.csl), item_year(entry.csl), item_venue(entry.csl), entry.ids,
        )  # fmt: skip
        return paper, None, encoded.document

    def _candidates(
        self,
        document: Document,
        rows: Sequence[int],
        facet: Facet | None,
        words: str,
        scope: Scope,
    ) -> Found:
        from scholar_indexes.papers.index import view
        from scholar_indexes.papers.match import FACETS

        title = document.whole if document.title is None else document.title
        asked = view(document.sentences[list(rows)], title)
        likely = document.facets[list(rows)].mean(axis=0)
        facets = (
            [facet] if facet
            else [each for each in ASKED_FACETS if likely[FACETS.index(each)] > 1 / len(FACETS)]
        )  # fmt: skip
        return self._index.candidates(
            document.whole, dict.fromkeys(facets, asked), words, scope=scope
        )

    def _best(
        self, found: Found, scores: Any, n: int, but: int | None
    ) -> Iterator[tuple[Kept, int]]:
        """The n best that are still listed as they were stored, and their places."""
        import numpy as np

        order = np.argsort(-scores, kind="stable")
        left = n
        for first in range(0, len(order), 2 * n + 8):
            page = order[first : first + 2 * n + 8].tolist()
            listed = self.shelf.numbered([int(found.numbers[at]) for at in page])
            for at in page:
                kept = listed.get(int(found.numbers[at]))
                if kept is None or kept.number == but:
                    continue
                if int(found.revisions[at]) < kept.text_revision:
                    continue
                yield kept, at
                left -= 1
                if not left:
                    return

    def _scope(self, collection: str | None, years: Years) -> Scope:
        from scholar_indexes.papers.index import Scope

        collections = (
            None if collection is None
            else list(self.shelf.collection_numbers([collection]).values())
        )  # fmt: skip
        first, last = years
        between = None if first is last is None else (first or 0, last or 9999)
        return Scope(collections, between)

    def _check_indexed(self) -> None:
        if self.shelf.empty():
            raise NotThere("there are no papers yet; add some: scholar papers add FILE")
        if self.shelf.waiting(self._index.name, 1):
            raise NotIndexed(
                f"papers are not yet in the index of {self._model.name} (another model wrote it, "
                "or adding was interrupted); run: scholar papers rebuild"
            )

    def _clear_unfinished(self) -> None:
        """Remove what interrupted commands left half removed; only with the write lock."""
        unfinished = self.shelf.unfinished()
        if unfinished:
            self._index.delete(unfinished)
            self.shelf.forget(unfinished)

    def _discard_tables(self) -> None:
        """Remove every table, readable or not; the shelf knows first."""
        import shutil

        from scholar_indexes.tables import table_names

        for name in table_names(self.places.papers_index):
            self.shelf.forget_space(name)
            shutil.rmtree(self.places.papers_index / f"{name}.lance", ignore_errors=True)
        self.__dict__.pop("_index", None)

    @contextmanager
    def _writer(self) -> Iterator[None]:
        waiting = lambda: self._announce(  # noqa: E731
            "another scholar is writing; waiting for it to finish"
        )
        with exclusive(self.places.write_lock, self.settings.lock_wait_s, waiting):
            yield


def _read(source: str) -> tuple[bytes, str]:
    """The bytes of a file or of standard input, and what to call them."""
    import sys
    from pathlib import Path

    if source == "-":
        return sys.stdin.buffer.read(MAX_SOURCE_BYTES), "standard input"
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name the files in it")
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise NoPapers(f"{path} is larger than {MAX_SOURCE_BYTES >> 20} MiB; split it first")
        return path.read_bytes(), path.name
    except FileNotFoundError:
        raise NotThere(f"there is no file {one_line(source)}; check its name") from None
    except OSError as refusal:
        raise ScholarError(
            f"{path} cannot be read ({refusal.strerror}); check its permissions"
        ) from refusal


def _rows(
    paper: Paper, document: Document, facet: Facet | None, sentences: Sequence[int]
) -> list[int]:
    """The places of the sentences that are asked with."""
    from scholar_indexes.papers.match import FACETS

    count = len(paper.sentences)
    if not count:
        raise NoMatch(
            f"no abstract of {one_line(paper.title)!r} is known; "
            "ask by its words: scholar papers find TITLE"
        )
    if sentences:
        wrong = [each for each in sentences if not 1 <= each <= count]
        if wrong:
            raise UsageError(f"there is no sentence {wrong[0]}; its abstract has {count}")
        return [each - 1 for each in dict.fromkeys(sentences)]
    if facet is None:
        return list(range(count))
    rows = [row for row, each in enumerate(paper.facets) if each is facet]
    if not rows:
        near = int(document.facets[:, FACETS.index(facet)].argmax())
        raise NoFacet(
            f"no sentence of {one_line(paper.title, 60)!r} is labelled {facet}; the nearest is "
            f"{near + 1}, {one_line(paper.sentences[near], 80)!r}; to ask with it: "
            f"--sentences {near + 1}",
            near + 1,
        )
    return rows


def _row(kept: Kept, encoded: Encoded, collections: Sequence[int]) -> Row:
    from scholar_indexes.papers.index import Row

    return Row(
        kept.number, kept.revision, kept.paper.year, collections, kept.text,
        encoded.whole, encoded.title, encoded.sentences, encoded.shares,
    )  # fmt: skip
