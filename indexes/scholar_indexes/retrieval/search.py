"""Hybrid search for the passages that support a claim.

    claim -> (nearest sentences, matching sentences) -> windows around them -> blended ranking

Sentences are retrieved by vector and by BM25; the windows of one to five sentences around them
are ranked, as in RELiC. The windows returned do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scholar_indexes.arrays import AnyFloats, Floats1d, Ints1d
from scholar_indexes.errors import UsageError
from scholar_indexes.models.encoder import MASK, Encoder
from scholar_indexes.results import MatchKind
from scholar_indexes.retrieval import ranking, verbatim
from scholar_indexes.retrieval.ranking import FusedWindow, RankedWindow, Windows
from scholar_indexes.retrieval.stemming import stem
from scholar_indexes.storage.passages import (
    EDITION_BITS,
    EVERYTHING,
    Neighbourhood,
    PassageFilter,
    PassageTable,
)

CANDIDATES = 300
"""Sentences that each retriever returns; more changed no ranking (docs/index-design.md)."""

CLAIM_CHARS = 8_000
"""More of a claim than this is not read; it is some 1,500 words."""

FEW_KEYWORDS = 2
"""Keywords of a claim up to which sentences with all words of the claim are candidates too."""


class Mode(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class Query:
    """A claim to search for, as one line, the sizes of windows, and how many to return.

    Raises UsageError for a claim without words.
    """

    claim: str
    mode: Mode = Mode.HYBRID
    shortest: int = 1
    longest: int = 5
    n: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "claim", normalize_claim(self.claim))


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A window of the index: sentences [first, end) of an edition, its score and its ranks;
    `match` says if it has the very words of the claim."""

    edition: int
    first: int
    end: int
    score: float
    dense: RankedWindow | None
    lexical: RankedWindow | None
    match: MatchKind | None = None


def normalize_claim(claim: str) -> str:
    """Return a claim as one line; raises UsageError when it has no words but a mask."""
    words = " ".join(claim[: 2 * CLAIM_CHARS].split())[:CLAIM_CHARS]
    if not re.search(r"\w", MASK.sub(" ", words)):
        raise UsageError(
            'the claim is empty; write one, such as: scholar find "pride and prejudice"'
        )
    return words


def keywords(claim: str) -> str:
    """Return the words of a claim to match, each once; the claim as it is when it has none but
    function words, as in "to be or not to be", which would outweigh the words of its subject."""
    plain = MASK.sub(" ", claim)
    words = dict.fromkeys(re.findall(r"[^\W_]+", plain.lower()))
    return " ".join(word for word in words if word not in verbatim.FUNCTION_WORDS) or plain


def shared_words(claim: str, text: str) -> list[str]:
    """Return the words of a text whose stems a claim has too, each once, as written there."""
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
) -> list[SearchHit]:
    """Return the best windows for a query that do not overlap, best first, at most n of them.

    In hybrid mode the places that have the very words of the claim come before all others (see
    verbatim). `scope` says which rows may answer; `load_encoder` is called only when the mode
    needs vectors.
    """
    limit = max(CANDIDATES, 4 * query.n)
    vector, bm25, keys = _retrieve(table, load_encoder, query, scope, limit)
    matching = _sentences_to_compare(table, query, scope, limit, bm25)
    candidates = _candidates(table, np.concatenate((*keys, matching)), query, scope)
    scores = _window_scores(candidates, vector, bm25)
    rankings = {name: candidates.rank(values, limit) for name, values in scores.items()}
    if "lexical" in rankings:
        rankings["lexical"] = [window for window in rankings["lexical"] if window.score > 0]
    matches: dict[tuple[int, int], MatchKind] = {}
    if len(scores) > 1:
        blended = ranking.blend_scores(scores["dense"], scores["lexical"])
        remembered = _find_remembered(table, query, candidates, matching)
        matches = {(window.start, window.end): kind for window, kind in remembered}
        common = ranking.put_first(
            [window for window, _ in remembered], candidates.rank(blended, query.n)
        )
    else:
        (common,) = rankings.values()
    rows = candidates.rows
    fused = ranking.match_rankings(common[: query.n], rankings, len(rows))
    return [_hit(window, rows.keys, matches.get((window.start, window.end))) for window in fused]


def _retrieve(
    table: PassageTable,
    load_encoder: Callable[[], Encoder] | None,
    query: Query,
    scope: PassageFilter,
    limit: int,
) -> tuple[Floats1d | None, _SentenceScores | None, list[Ints1d]]:
    """Return the vector of a claim and the sentences that match its words, as far as the mode
    needs them, and the keys of the best sentences by each."""
    keys: list[Ints1d] = []
    vector: Floats1d | None = None
    bm25: _SentenceScores | None = None
    if query.mode is not Mode.LEXICAL:
        assert load_encoder is not None
        vector = load_encoder().encode_claims([query.claim])[0]
        keys.append(table.nearest(vector, limit, scope)[0])
    if query.mode is not Mode.DENSE:
        bm25 = _SentenceScores(*table.matching(keywords(query.claim), limit, scope))
        keys.append(bm25.keys)
    return vector, bm25, keys


def _sentences_to_compare(
    table: PassageTable,
    query: Query,
    scope: PassageFilter,
    limit: int,
    bm25: _SentenceScores | None,
) -> Ints1d:
    """Return the keys of the sentences that may have the very words of a claim; none in other
    modes than hybrid, and of prose around a mask."""
    if query.mode is not Mode.HYBRID or bm25 is None or MASK.search(query.claim):
        return np.zeros(0, np.int64)
    if len(keywords(query.claim).split()) > FEW_KEYWORDS:
        return bm25.keys
    # A few common words do not single out a sentence, but all the words of the claim may.
    with_all, _ = table.matching(query.claim, limit, scope, has_all=True)
    return np.union1d(bm25.keys, with_all)


def _find_remembered(
    table: PassageTable, query: Query, candidates: _Candidates, matching: Ints1d
) -> list[tuple[RankedWindow, MatchKind]]:
    """Return the windows that have the very words of a claim, best first."""
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
            window = RankedWindow(start, end, len(remembered) + 1, 1 + match.share)
            remembered.append((window, match.kind))
    return remembered


@dataclass(frozen=True, slots=True)
class _SentenceScores:
    """The BM25 of the sentences that match a claim; both (m,)."""

    keys: Ints1d
    scores: Floats1d

    def of_rows(self, keys: Ints1d) -> Floats1d:
        """Return the scores of rows by their keys, 0 for those that do not match."""
        scores = np.zeros(len(keys), np.float32)
        order = np.argsort(self.keys)
        matching = np.isin(keys, self.keys)
        scores[matching] = self.scores[order][np.searchsorted(self.keys[order], keys[matching])]
        return scores


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The rows around the sentences that were retrieved, their runs, and the windows to rank."""

    rows: Neighbourhood
    runs: Ints1d
    windows: Windows

    def rank(self, scores: AnyFloats, limit: int) -> list[RankedWindow]:
        penalized = ranking.penalize_brevity(scores, self.rows.words, self.windows)
        return ranking.select_windows(penalized, self.windows, len(self.rows), limit)


def _candidates(
    table: PassageTable, keys: Ints1d, query: Query, scope: PassageFilter
) -> _Candidates:
    """Return the windows of sentences at most a window's length from a retrieved one."""
    reach = query.longest - 1
    rows = table.around(keys, reach + ranking.REACH, scope)
    runs = ranking.number_runs(rows.keys, rows.chapters)
    near = np.isin(rows.keys, (keys[:, None] + np.arange(-reach, reach + 1)).ravel())
    windows = ranking.build_windows(runs, query.shortest, query.longest)
    return _Candidates(rows, runs, ranking.windows_within(windows, near))


def _window_scores(
    candidates: _Candidates, vector: Floats1d | None, bm25: _SentenceScores | None
) -> dict[str, Floats1d]:
    """Return the scores of the windows by each retriever in use, (w,)."""
    rows, windows = candidates.rows, candidates.windows
    scores: dict[str, Floats1d] = {}
    if vector is not None:
        around = ranking.neighbourhood_scores(vector, rows.vectors, rows.weights, candidates.runs)
        scores["dense"] = ranking.dense_scores(vector, rows.vectors, rows.weights, windows, around)
    if bm25 is not None:
        scores["lexical"] = ranking.lexical_scores(bm25.of_rows(rows.keys), windows)
    return scores


def _hit(window: FusedWindow, keys: Ints1d, match: MatchKind | None) -> SearchHit:
    first = int(keys[window.start])
    edition, number = first >> EDITION_BITS, first & ((1 << EDITION_BITS) - 1)
    return SearchHit(
        edition,
        number,
        number + window.end - window.start,
        window.score,
        window.by.get("dense"),
        window.by.get("lexical"),
        match,
    )
