"""The candidate windows for a claim, and their measurements.

The index is searched for the sentences nearest to a claim and for the sentences that match its
words, once for the original claim and once for each reading of it by a book (see readings). The
windows around these sentences are measured with the reading of their book.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import AnyFloats, Floats1d, Floats2d, Ints1d
from scholar_indexes.coreference.people import SentencePeople
from scholar_indexes.coreference.roles import BookRoles
from scholar_indexes.lexicon.word_frequencies import rarity
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.requests import Mode
from scholar_indexes.retrieval import coverage, fusion, ranking
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.phrases import PhraseResolver, find_phrases
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.retrieval.readings import Reading, may_name, name_index
from scholar_indexes.retrieval.window import Window
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    Neighbourhood,
    PassageFilter,
    PassageTable,
)

MOST_READ = 8
"""The most books in whose casts a claim is resolved: their people must be loaded."""

PeopleOf = Callable[[int], SentencePeople | None]
"""Returns the people in each sentence of an edition; None if they are not known."""

Ranking = tuple[Ints1d, Floats1d]
"""The numbers of windows, best first, and their scores; both (n,)."""

RolesOf = Callable[[int], BookRoles | None]
"""Returns the roles of people in an edition; None if no people are known."""


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """The BM25 of the sentences that match a claim; both (m,)."""

    keys: Ints1d
    scores: Floats1d

    def of_rows(self, keys: Ints1d) -> Floats1d:
        """Return the scores of rows by their keys, 0 for rows that do not match."""
        scores = np.zeros(len(keys), np.float32)
        order = np.argsort(self.keys)
        matching = np.isin(keys, self.keys)
        scores[matching] = self.scores[order][np.searchsorted(self.keys[order], keys[matching])]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The words of a claim to match, its vector (d,) and the sentences that match its words, if the
    mode needs them, and the keys of the best sentences by each."""

    words: str
    vector: Floats1d | None
    bm25: LexicalScores | None
    keys: tuple[Ints1d, ...]


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """A search of an index for the best `limit` sentences; `load_encoder` is called only if the
    mode needs vectors."""

    table: PassageTable
    load_encoder: Callable[[], Encoder] | None
    mode: Mode
    scope: PassageFilter
    limit: int

    def retrieve(self, text: str, words: str) -> Retrieved:
        """Return the best sentences for a claim by its vector and by its words."""
        vector: Floats1d | None = None
        bm25: LexicalScores | None = None
        keys = []
        if self.mode is not Mode.LEXICAL:
            assert self.load_encoder is not None
            vector = self.load_encoder().encode_claims([text])[0]
            keys.append(self.table.nearest(vector, self.limit, self.scope)[0])
        if self.mode is not Mode.DENSE:
            bm25 = LexicalScores(*self.table.matching(words, self.limit, self.scope))
            keys.append(bm25.keys)
        return Retrieved(words, vector, bm25, tuple(keys))

    def within(self, editions: Sequence[int]) -> IndexQuery:
        """Return the same query, limited to the given editions."""
        return replace(self, scope=replace(self.scope, editions=editions))


@dataclass(frozen=True, slots=True)
class PhraseReading:
    """Resolves the noun phrases of a claim: by the roles of people in a book, or to the
    characters that the reader named, by edition."""

    roles_of: RolesOf = lambda edition: None
    about: Mapping[int, Sequence[int]] = field(default_factory=dict)

    def read(
        self, claim: str, edition: int, people: SentencePeople, *, is_alone: bool
    ) -> Reading | None:
        """Return the reading of a claim by a book; if other books are searched too, phrases are
        resolved only if the claim names a character of this one."""

        def resolver(names_somebody: bool) -> PhraseResolver | None:
            is_asked = (is_alone or names_somebody) and bool(find_phrases(claim))
            book_roles = self.roles_of(edition) if is_asked else None
            return PhraseResolver(people, book_roles) if book_roles else None

        return name_index(people).read(claim, resolver, self.about.get(edition, ()))


NO_PHRASES = PhraseReading()
"""The reading in which phrases mean nobody."""


@dataclass(frozen=True, slots=True)
class BookQuery:
    """The reading of a claim by one book, its best sentences, and the people of the book."""

    reading: Reading
    retrieved: Retrieved
    people: SentencePeople


def read_books(
    index: IndexQuery,
    claim: str,
    plain: Retrieved,
    people_of: PeopleOf,
    keywords: Callable[[str], str],
    phrases: PhraseReading = NO_PHRASES,
) -> dict[int, BookQuery]:
    """Return the readings of a claim by the retrieved books that have a character whom it means.

    Of many books, only the ones with most of the retrieved sentences are tried, and only for a
    claim with a capitalised word.
    """
    readings: dict[int, tuple[SentencePeople, Reading]] = {}
    editions, counts = np.unique(np.concatenate(plain.keys) >> EDITION_BITS, return_counts=True)
    if len(editions) > MOST_READ and not may_name(claim) and not phrases.about:
        return {}
    is_alone = len(editions) == 1
    for edition in editions[np.argsort(-counts, kind="stable")[:MOST_READ]].tolist():
        people = people_of(edition)
        reading = phrases.read(claim, edition, people, is_alone=is_alone) if people else None
        if people and reading:
            readings[edition] = people, reading
    editions_of: dict[tuple[str, str], list[int]] = defaultdict(list)
    for edition, (_, reading) in readings.items():
        editions_of[reading.text, reading.words].append(edition)
    # Books that word the claim the same way share one search of the index.
    retrieved = {
        (text, words): index.within(alike).retrieve(text, keywords(words))
        for (text, words), alike in editions_of.items()
    }
    return {
        edition: BookQuery(reading, retrieved[reading.text, reading.words], people)
        for edition, (people, reading) in readings.items()
    }


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows around the sentences that were retrieved, their runs, and the windows to rank."""

    rows: Neighbourhood
    runs: Ints1d
    windows: Windows

    def rank(self, scores: AnyFloats, limit: int) -> Ranking:
        """Return the best windows that do not overlap, by scores (w,) that ignore length."""
        penalized = ranking.penalize_brevity(scores, self.rows.words, self.windows)
        numbers = ranking.select_windows(penalized, self.windows, len(self.rows), limit)
        return numbers, penalized[numbers]

    def windows_of(self, numbers: Ints1d, scores: Floats1d) -> list[Window]:
        """Return the windows of a ranking."""
        return list(map(Window, self.places(numbers), scores.tolist()))

    def places(self, numbers: Ints1d) -> list[Place]:
        """Return the places of windows by their numbers."""
        chosen = self.windows.take(numbers)
        return Place.of_keys(self.rows.keys[chosen.start], chosen.size)

    def rows_of(self, places: Sequence[Place]) -> Windows:
        """Return the rows of places."""
        keys = [(place.edition << EDITION_BITS) + place.first for place in places]
        sizes = [place.end - place.first for place in places]
        return Windows(
            np.searchsorted(self.rows.keys, np.array(keys, np.int64)), np.array(sizes, np.int64)
        )

    def parts(self, books: Collection[int]) -> Iterator[tuple[int | None, slice, Ints1d]]:
        """Yield each of the given editions with its rows and windows, and None with all rows and
        the windows of all other editions."""
        of_windows = self.rows.keys[self.windows.start] >> EDITION_BITS
        is_other = np.isin(of_windows, list(books), invert=True)
        yield None, slice(0, len(self.rows)), np.flatnonzero(is_other)
        for edition in books:
            edges = np.array([edition, edition + 1]) << EDITION_BITS
            first, end = np.searchsorted(self.rows.keys, edges).tolist()
            yield edition, slice(first, end), np.flatnonzero(of_windows == edition)


def find_candidates(
    table: PassageTable,
    keys: Ints1d,
    lengths: tuple[int, int],
    scope: PassageFilter,
    left_out: Ints1d,
) -> Candidates:
    """Return the windows of sentences at most a window's length from a retrieved one, without the
    sentences left out; both are given by keys."""
    shortest, longest = lengths
    reach = longest - 1
    # Beyond the windows, for the neighbourhoods of their sentences.
    rows = table.around(keys, reach + ranking.REACH, scope)
    runs = ranking.number_runs(rows.keys, rows.chapters)
    near = np.isin(rows.keys, (keys[:, None] + np.arange(-reach, reach + 1)).ravel())
    near &= ~np.isin(rows.keys, left_out)
    windows = ranking.build_windows(runs, shortest, longest)
    return Candidates(rows, runs, ranking.windows_within(windows, near))


def measure(
    candidates: Candidates, plain: Retrieved, books: Mapping[int, BookQuery]
) -> WindowScores:
    """Return the measurements of the windows, each with its book's reading of the claim."""
    windows, rows = candidates.windows, candidates.rows
    scores = WindowScores.zeros(len(windows))
    scores.words[:] = ranking.sum_of_rows(rows.words, windows)
    of_query: dict[int, list[Ints1d]] = defaultdict(list)
    if plain.vector is not None:
        longest = max(2 * ranking.REACH + 1, int(windows.size.max(initial=1)))
        lengths = ranking.pooled_lengths(rows.vectors, rows.weights, longest)
    for edition, in_rows, in_windows in candidates.parts(books):
        query = None if edition is None else books[edition]
        retrieved = query.retrieved if query else plain
        own = Windows(windows.start[in_windows] - in_rows.start, windows.size[in_windows])
        if (vector := retrieved.vector) is not None:
            vectors, weights = rows.vectors[in_rows], rows.weights[in_rows]
            runs = candidates.runs[in_rows]
            within = lengths[:, in_rows]
            near = ranking.neighbourhood_scores(vector, vectors, weights, runs, lengths=within)
            scores.cosines[in_windows] = ranking.window_cosines(
                vector, vectors, weights, own, lengths=within
            )
            scores.surroundings[in_windows] = ranking.mean_of_rows(near, own)
        if retrieved.bm25 is not None:
            of_sentences = retrieved.bm25.of_rows(rows.keys[in_rows])
            scores.bm25[in_windows] = ranking.lexical_scores(of_sentences, own)
        if query:
            present = _find_present(query, rows.keys[in_rows])
            everywhere = np.array(list(map(query.people.is_everywhere, query.reading.people)))
            scores.presence[in_windows] = fusion.presence(own, present, everywhere)
        # Only windows of one query share a best BM25: scores of two do not compare.
        of_query[id(retrieved)].append(in_windows)
    for parts in of_query.values():
        of_reading = np.concatenate(parts)
        scores.best_bm25[of_reading] = scores.bm25[of_reading].max(initial=0)
    return scores


def read_coverage(
    table: PassageTable,
    scope: PassageFilter,
    candidates: Candidates,
    numbers: Ints1d,
    plain: Retrieved,
    books: Mapping[int, BookQuery],
) -> Floats2d:
    """Return the share of the words of a claim in and around windows by their numbers, (n, r), each
    with its book's reading of the claim; see coverage. This reads the texts around them."""
    shares = np.zeros((len(numbers), len(coverage.REACHES)), np.float32)
    if not len(numbers):
        return shares
    chosen = candidates.windows.take(numbers)
    first_keys, sizes = candidates.rows.keys[chosen.start], chosen.size
    last_keys = first_keys + sizes - 1
    reach = max(*coverage.REACHES, int(sizes.max()))  # at least a window's length, to read it all
    rows = table.texts_around(np.concatenate((first_keys, last_keys)), reach, scope)
    # Another program may have removed a book meanwhile.
    is_there = np.isin(first_keys, rows.keys) & np.isin(last_keys, rows.keys)
    runs = ranking.number_runs(rows.keys, rows.chapters)
    of_windows = first_keys >> EDITION_BITS
    for edition in np.unique(of_windows).tolist():
        query = books.get(edition)
        stems = coverage.claim_stems((query.retrieved if query else plain).words)
        first, end = np.searchsorted(rows.keys >> EDITION_BITS, (edition, edition + 1)).tolist()
        own = np.flatnonzero((of_windows == edition) & is_there)
        starts = np.searchsorted(rows.keys[first:end], first_keys[own])
        shares[own] = coverage.coverage(
            Windows(starts, sizes[own]),
            runs[first:end],
            coverage.find_stems(stems, rows.texts[first:end]),
            np.array([rarity(stem) for stem in stems], np.float32),
        )
    return shares


def _find_present(query: BookQuery, keys: Ints1d) -> NDArray[np.bool_]:
    """Return a mask (m, c) of the people of a claim who are in each row of their book."""
    numbers = keys & ((1 << EDITION_BITS) - 1)
    sentences = map(query.people.sentences_with, query.reading.people)
    return np.column_stack([np.isin(numbers, of_person) for of_person in sentences])
