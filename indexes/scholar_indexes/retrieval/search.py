"""Hybrid search for the passages that support a claim.

    claim -> nearest and matching sentences -> windows around them -> features -> learned ranking

The windows of one to five sentences are ranked, as in RELiC; the returned ones do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.blending import blend_scores
from scholar_indexes.claims import MASK, normalize_claim
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.models.encoder import Encoder
from scholar_indexes.requests import Mode
from scholar_indexes.results import RankerScore
from scholar_indexes.retrieval import ranking, verbatim
from scholar_indexes.retrieval.answers import choose_answers, put_first
from scholar_indexes.retrieval.feedback import NO_FEEDBACK, NO_KEYS, Feedback, FeedbackScorer
from scholar_indexes.retrieval.fusion import WindowScores
from scholar_indexes.retrieval.places import Place
from scholar_indexes.retrieval.ranking import Windows
from scholar_indexes.retrieval.stages import Rerank, rank_in_stages
from scholar_indexes.retrieval.window import Window
from scholar_indexes.retrieval.window_candidates import (
    NO_PHRASES,
    BookQuery,
    Candidates,
    IndexQuery,
    LexicalScores,
    PeopleOf,
    PhraseReading,
    Ranking,
    Retrieved,
    find_candidates,
    measure,
    read_books,
    read_coverage,
)
from scholar_indexes.storage.passages import (
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
) -> list[Window]:
    """Return the best windows for a query that do not overlap, best first, at most n of them.

    In hybrid mode the places with the exact words of the claim come before all others (see
    verbatim), and the claim is adapted to each book whose people are known (see readings). `scope`
    selects the rows to search; `load_encoder` is called only if the mode needs vectors; `rerank` is
    the second stage of short claims (see stages); the sentences with the keys `also` are candidates
    too; `phrases` resolves noun phrases.
    """
    scored = score_windows(table, load_encoder, query, scope, people_of, also, phrases)
    candidates, scores = scored.candidates, scored.scores
    rankings = _rank_by_retriever(scored, query)
    if query.is_short_claim:
        ranked = rank_in_stages(candidates, scores, scored.read_coverage, query.n, rerank)
    elif query.mode is Mode.HYBRID:  # prose around a mask, which the stages did not learn from
        ranked = candidates.windows_of(*candidates.rank(scores.blended, query.n))
    else:
        ranked = candidates.windows_of(*rankings[query.mode.value])
    ranked = put_first(_find_remembered(table, query, scored, ranked), ranked)
    if query.fold and query.is_short_claim:
        ranked = choose_answers(ranked, candidates, query.n)
    return _describe(ranked[: query.n], scored, rankings, has_core=query.is_short_claim)


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
    """The candidate windows for a claim with their scores.

    `index` is the query of the index, `matching` are the keys of the sentences that may have the
    exact words of the claim, `plain` is what was retrieved for the original claim, and `books` are
    the claim as each book reads it, by edition.
    """

    index: IndexQuery
    candidates: Candidates
    scores: WindowScores
    matching: Ints1d
    plain: Retrieved
    books: Mapping[int, BookQuery]

    def read_coverage(self, numbers: Ints1d) -> Floats2d:
        """Return the share of the words of the claim in and around windows by their numbers,
        (n, r), which the scores do not have."""
        index = self.index
        return read_coverage(
            index.table, index.scope, self.candidates, numbers, self.plain, self.books
        )

    def focus_and_core(self, place: Place, start: int) -> tuple[Place, Place]:
        """Return the sentence of a window that is nearest to the claim as its book reads it, and
        the sentences that are relevant to it; `start` is the first row of the window."""
        nearness = self._nearness(place.edition, slice(start, start + place.size))
        nearest = place.first + int(np.argmax(nearness))
        first, end = bearing_on(nearness)
        core = place._replace(first=place.first + first, end=place.first + end)
        return place._replace(first=nearest, end=nearest + 1), core

    def _nearness(self, edition: int, in_window: slice) -> Floats1d:
        """Return the nearness of each row of a window to the claim as its book reads it."""
        rows = self.candidates.rows
        book = self.books.get(edition)
        retrieved = book.retrieved if book else self.plain
        keys = rows.keys[in_window]
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
    scores = replace(measure(candidates, plain, books), feedback=feedback.score(candidates))
    unmarked = matching[~np.isin(matching, marked)]
    return ScoredWindows(index, candidates, scores, unmarked, plain, books)


def _limit(query: Query) -> int:
    return max(CANDIDATES, 4 * query.n)


def _rank_by_retriever(scored: ScoredWindows, query: Query) -> dict[str, Ranking]:
    """Return the ranking of the windows by each retriever that the mode has."""
    rankings = {}
    if query.mode is not Mode.LEXICAL:
        rankings["dense"] = scored.candidates.rank(scored.scores.dense, _limit(query))
    if query.mode is not Mode.DENSE:
        numbers, scores = scored.candidates.rank(scored.scores.bm25, _limit(query))
        rankings["lexical"] = numbers[scores > 0], scores[scores > 0]
    return rankings


def _sentences_to_compare(index: IndexQuery, query: Query, bm25: LexicalScores | None) -> Ints1d:
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
    table: PassageTable, query: Query, scored: ScoredWindows, ranked: Sequence[Window]
) -> list[Window]:
    """Return the windows that have the exact words of a claim, best first, with scores above the
    ranked ones."""
    matching = scored.matching
    if not len(matching):
        return []
    keys, runs = scored.candidates.rows.keys, scored.candidates.runs
    rows = np.searchsorted(keys, matching)
    next_rows = np.minimum(rows + 1, len(keys) - 1)
    is_followed = (runs[next_rows] == runs[rows]) & (next_rows > rows)
    texts = table.texts(np.union1d(keys[rows], keys[next_rows[is_followed]]))
    # Remembered words rank above every other window, in their own order.
    best = ranked[0].score if ranked else 0.0
    by_place = {window.place: window for window in ranked}
    remembered: list[Window] = []
    for key, size, match in verbatim.match_sentences(query.claim, texts):
        length = max(size, query.shortest)
        start = int(np.searchsorted(keys, key))
        is_whole = start + length <= len(keys) and runs[start + length - 1] == runs[start]
        if is_whole and size <= query.longest and len(remembered) < query.n:
            (place,) = Place.of_keys(np.array([key]), np.array([length]))
            window = by_place.get(place) or Window(place, 0.0)
            remembered.append(replace(window, score=best + match.share, match=match.kind))
    return remembered


def _describe(
    windows: Sequence[Window],
    scored: ScoredWindows,
    rankings: Mapping[str, Ranking],
    *,
    has_core: bool,
) -> list[Window]:
    """Return windows with their ranks by each retriever, the sentence nearest to the claim, what
    the claim means in their books, and, if `has_core`, their relevant sentences."""
    rows = scored.candidates.rows_of([window.place for window in windows])
    dense, lexical = (
        _ranker_scores(scored.candidates, rankings.get(name), rows) for name in ("dense", "lexical")
    )
    described = []
    for number, window in enumerate(windows):
        focus, core = scored.focus_and_core(window.place, int(rows.start[number]))
        book = scored.books.get(window.place.edition)
        described.append(
            replace(
                window,
                focus=focus,
                core=core if has_core and window.match is None else None,
                dense=dense[number],
                lexical=lexical[number],
                meant=book.reading.meant if book else (),
            )
        )
    return described


def _ranker_scores(
    candidates: Candidates, ranked: Ranking | None, rows: Windows
) -> list[RankerScore | None]:
    """Return the rank and the score of each window in a ranking, taken from the best window
    that overlaps it; None without any, or without a ranking."""
    if ranked is None:
        return [None] * len(rows)
    numbers, scores = ranked
    ranks = ranking.best_ranks(candidates.windows.take(numbers), rows, len(candidates.rows))
    return [RankerScore(rank, float(scores[rank - 1])) if rank else None for rank in ranks]
