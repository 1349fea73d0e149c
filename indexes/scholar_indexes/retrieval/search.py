"""Hybrid search for the passages that support a claim.

    claim -> nearest and matching sentences -> windows around them -> features -> learned ranking

The windows of one to five sentences are ranked, as in RELiC; the returned ones do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.claims import MASK, normalize_claim
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.requests import Mode
from scholar_indexes.results import MatchKind
from scholar_indexes.retrieval import ranking, verbatim
from scholar_indexes.retrieval.answers import Answer, choose_answers
from scholar_indexes.retrieval.candidates import (
    NO_PHRASES,
    BookQuery,
    Candidates,
    IndexQuery,
    PeopleOf,
    PhraseReading,
    Retrieved,
    SentenceScores,
    find_candidates,
    measure,
    read_books,
    read_coverage,
)
from scholar_indexes.retrieval.feedback import NO_FEEDBACK, NO_KEYS, Feedback, FeedbackScorer
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import FusedWindow, RankedWindow
from scholar_indexes.retrieval.stages import Rerank, StageScores, rank_in_stages
from scholar_indexes.retrieval.stemming import stem
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    PassageFilter,
    PassageTable,
)

CANDIDATES = 300
"""Sentences that each retriever returns; more changed no ranking (docs/retriever.md)."""

NEAR = (0.0, 0.35, 0.27, 0.19, 0.11)
"""By how much a relevant sentence may be less near to the claim than the nearest one of its window,
by the distance between them in sentences: see blend_scores, and docs/ranking.md."""

FEW_KEYWORDS = 2
"""For claims of at most this many keywords, sentences with all their words are candidates too."""


@dataclass(frozen=True, slots=True)
class Query:
    """A claim to search for, as one line, the sizes of windows, how many to return, whether windows
    next to a better one are folded into it (see answers), and what the reader marked.

    Raises UsageError for a claim without words.
    """

    claim: str
    mode: Mode = Mode.HYBRID
    shortest: int = 1
    longest: int = 5
    n: int = 10
    fold: bool = False
    feedback: Feedback = NO_FEEDBACK

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim", normalize_claim(self.claim))

    @property
    def is_short_claim(self) -> bool:
        """True for a claim that is not prose around a mask, in hybrid mode."""
        return self.mode is Mode.HYBRID and not MASK.search(self.claim)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A window of the index, its score and its ranks.

    `focus` is the sentence nearest to the claim, `core` the relevant sentences (see
    ScoredWindows.core), all of them if that is not measured; `nearby` are the windows that are
    folded into this one; `match` is set if it has the exact words of the claim, `stages` are its
    scores by the stages, if these ranked it; `meant` are the phrases of the claim that its book
    resolves to characters, with their numbers in its cast.
    """

    place: Place
    focus: Place
    core: Place
    score: float
    dense: RankedWindow | None
    lexical: RankedWindow | None
    nearby: tuple[Place, ...] = ()
    match: MatchKind | None = None
    stages: StageScores | None = None
    meant: tuple[tuple[str, int], ...] = ()


def keywords(claim: str) -> str:
    """Return the words of a claim to match, each once, without function words, which would outweigh
    the words of its subject; the whole claim if it has no others, as in "to be or not to be"."""
    plain = MASK.sub(" ", claim)
    words = dict.fromkeys(re.findall(r"[^\W_]+", plain.lower()))
    return " ".join(word for word in words if word not in verbatim.FUNCTION_WORDS) or plain


def shared_words(claim: str, text: str) -> list[str]:
    """Return the words of a text that share a stem with a claim, each once, as in the text."""
    claim_stems = {stem(word) for word in keywords(claim).split()}
    shared: dict[str, str] = {}
    for word in re.findall(r"[^\W_]+", text):
        if stem(word.lower()) in claim_stems:
            shared.setdefault(word.lower(), word)
    return list(shared.values())


def search(
    table: PassageTable,
    load_encoder: Callable[[], Encoder] | None,
    query: Query,
    scope: PassageFilter = EVERYTHING,
    people_of: PeopleOf = lambda edition: None,
    rerank: Rerank | None = None,
    also: Ints1d = NO_KEYS,
    phrases: PhraseReading = NO_PHRASES,
) -> list[SearchHit]:
    """Return the best windows for a query that do not overlap, best first, at most n of them.

    In hybrid mode the places with the exact words of the claim come before all others (see
    verbatim), and the claim is adapted to each book whose people are known (see readings). `scope`
    selects the rows to search; `load_encoder` is called only if the mode needs vectors; `rerank` is
    the second stage of short claims (see stages); the sentences with the keys `also` are candidates
    too; `phrases` resolves noun phrases.
    """
    scored = score_windows(table, load_encoder, query, scope, people_of, also, phrases)
    candidates = scored.candidates
    rankings = _rank_by_retriever(scored, query)
    stages: Mapping[tuple[int, int], StageScores] = {}
    if query.is_short_claim:
        staged = rank_in_stages(candidates, scored.scores, scored.read_coverage, query.n, rerank)
        common, stages = staged.windows, staged.scores
    elif query.mode is Mode.HYBRID:  # prose around a mask, which the stages did not learn from
        common = candidates.rank(scored.scores.blended, query.n)
    else:
        common = rankings[query.mode.value]
    matches: dict[tuple[int, int], MatchKind] = {}
    if query.mode is Mode.HYBRID:
        remembered = _find_remembered(table, query, candidates, scored.matching)
        matches = {(window.start, window.end): kind for window, kind in remembered}
        # Remembered words rank above every other window, in their own order.
        best = max((window.score for window in common[:1]), default=0.0)
        first = [replace(window, score=best + window.score) for window, _ in remembered]
        common = ranking.put_first(first, common)
    if query.fold and query.is_short_claim:
        listed = choose_answers(common, candidates, query.n)
    else:
        listed = [Answer(window) for window in common[: query.n]]
    fused = ranking.match_rankings(
        [answer.window for answer in listed], rankings, len(candidates.rows)
    )
    return [
        _hit(scored, query, answer, window, matches.get(place), stages.get(place))
        for answer, window in zip(listed, fused, strict=True)
        if (place := (window.start, window.end))
    ]


def bearing_on(nearness: Floats1d) -> tuple[int, int]:
    """Return the first sentence of a window that is about as near to a claim as the nearest one
    (see NEAR), and the end after the last; `nearness` (n,) is the nearness of each sentence."""
    nearest = int(np.argmax(nearness))
    distances = np.abs(np.arange(len(nearness)) - nearest)
    is_near = nearness >= nearness[nearest] - np.take(NEAR, distances, mode="clip")
    first, last = np.flatnonzero(is_near)[[0, -1]].tolist()
    return first, last + 1


@dataclass(frozen=True, slots=True, eq=False)
class ScoredWindows:
    """The candidate windows for a claim with their scores, the keys of the sentences that may have
    its exact words, what was retrieved for the original claim, and the claim as each book reads
    it, by edition; `read_coverage` reads the share of its words in and around windows by their
    numbers, (n, r), which the scores do not have."""

    candidates: Candidates
    scores: WindowScores
    matching: Ints1d
    plain: Retrieved
    books: Mapping[int, BookQuery]
    read_coverage: Callable[[Ints1d], Floats2d]

    def place(self, window: RankedWindow) -> Place:
        """Return the place of a window."""
        return Place.of_key(int(self.candidates.rows.keys[window.start]), window.end - window.start)

    def focus(self, window: RankedWindow) -> Place:
        """Return the sentence of a window that is nearest to the claim as its book reads it."""
        nearest = window.start + int(np.argmax(self._nearness(window)))
        return Place.of_key(int(self.candidates.rows.keys[nearest]), 1)

    def core(self, window: RankedWindow) -> Place:
        """Return the sentences of a window that are relevant to the claim as its book reads it."""
        first, end = bearing_on(self._nearness(window))
        return Place.of_key(int(self.candidates.rows.keys[window.start + first]), end - first)

    def _nearness(self, window: RankedWindow) -> Floats1d:
        """Return the nearness of each sentence of a window to the claim as its book reads it."""
        rows, in_window = self.candidates.rows, slice(window.start, window.end)
        keys = rows.keys[in_window]
        book = self.books.get(int(keys[0]) >> EDITION_BITS)
        retrieved = book.retrieved if book else self.plain
        scores = np.zeros(len(keys), np.float32)
        if retrieved.vector is not None:
            scores += rows.vectors[in_window] @ retrieved.vector
        if retrieved.bm25 is not None:
            scores = blend_scores(scores, retrieved.bm25.of_rows(keys))
        return scores


def score_windows(
    table: PassageTable,
    load_encoder: Callable[[], Encoder] | None,
    query: Query,
    scope: PassageFilter,
    people_of: PeopleOf,
    also: Ints1d = NO_KEYS,
    phrases: PhraseReading = NO_PHRASES,
) -> ScoredWindows:
    """Return the candidate windows for a query, and the windows around the sentences `also`."""
    index = IndexQuery(table, load_encoder, query.mode, scope, _limit(query))
    plain = index.retrieve(query.claim, keywords(query.claim))
    books = {}
    if query.is_short_claim:
        books = read_books(index, query.claim, plain, people_of, keywords, phrases)
    matching = _sentences_to_compare(index, query, plain.bm25)
    retrieved = (key for book in books.values() for key in book.retrieved.keys)
    feedback = FeedbackScorer.read(table, query.feedback)
    liked = feedback.nearest(table, index.limit, scope)
    keys = np.concatenate([*plain.keys, *retrieved, matching, liked, also])
    marked = query.feedback.keys
    candidates = find_candidates(table, keys, (query.shortest, query.longest), scope, marked)
    scores = measure(candidates, plain, books)
    scores.feedback[:] = feedback.score(candidates)
    unmarked = matching[~np.isin(matching, marked)]

    def read_shares(numbers: Ints1d) -> Floats2d:
        return read_coverage(table, scope, candidates, numbers, plain, books)

    return ScoredWindows(candidates, scores, unmarked, plain, books, read_shares)


def _limit(query: Query) -> int:
    return max(CANDIDATES, 4 * query.n)


def _rank_by_retriever(scored: ScoredWindows, query: Query) -> dict[str, list[RankedWindow]]:
    """Return the ranking of the windows by each retriever that the mode has."""
    rankings = {}
    if query.mode is not Mode.LEXICAL:
        rankings["dense"] = scored.candidates.rank(scored.scores.dense, _limit(query))
    if query.mode is not Mode.DENSE:
        ranked = scored.candidates.rank(scored.scores.bm25, _limit(query))
        rankings["lexical"] = [window for window in ranked if window.score > 0]
    return rankings


def _sentences_to_compare(index: IndexQuery, query: Query, bm25: SentenceScores | None) -> Ints1d:
    """Return the keys of the sentences that may have the exact words of a short claim; none for any
    other."""
    if not query.is_short_claim or bm25 is None:
        return NO_KEYS
    if len(keywords(query.claim).split()) > FEW_KEYWORDS:
        return bm25.keys
    # A few common words do not single out a sentence, but all the words of the claim may.
    with_all, _ = index.table.matching(query.claim, index.limit, index.scope, has_all=True)
    return np.union1d(bm25.keys, with_all)


def _find_remembered(
    table: PassageTable, query: Query, candidates: Candidates, matching: Ints1d
) -> list[tuple[RankedWindow, MatchKind]]:
    """Return the windows that have the exact words of a claim, best first."""
    if not len(matching):
        return []
    keys = candidates.rows.keys
    rows = np.searchsorted(keys, matching)
    next_rows = np.minimum(rows + 1, len(keys) - 1)
    is_followed = (candidates.runs[next_rows] == candidates.runs[rows]) & (next_rows > rows)
    texts = table.texts(np.union1d(keys[rows], keys[next_rows[is_followed]]))
    remembered: list[tuple[RankedWindow, MatchKind]] = []
    for key, size, match in verbatim.match_sentences(query.claim, texts):
        start = int(np.searchsorted(keys, key))
        end = start + max(size, query.shortest)
        is_whole = end <= len(keys) and candidates.runs[end - 1] == candidates.runs[start]
        if is_whole and size <= query.longest and len(remembered) < query.n:
            window = RankedWindow(start, end, len(remembered) + 1, match.share)
            remembered.append((window, match.kind))
    return remembered


def _hit(
    scored: ScoredWindows,
    query: Query,
    answer: Answer,
    window: FusedWindow,
    match: MatchKind | None,
    stages: StageScores | None,
) -> SearchHit:
    place = scored.place(answer.window)
    book = scored.books.get(place.edition)
    is_shortened = query.is_short_claim and match is None
    return SearchHit(
        place,
        scored.focus(answer.window),
        scored.core(answer.window) if is_shortened else place,
        window.score,
        window.by.get("dense"),
        window.by.get("lexical"),
        tuple(map(scored.place, answer.nearby)),
        match,
        stages,
        book.reading.meant if book else (),
    )
