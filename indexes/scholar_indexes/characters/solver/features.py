"""The features of descriptions and candidates, which the solver's weights apply to.

A feature compares the sentences that match a description with those in which a candidate is
present, against the candidate's frequency in the book.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.gender import phrase_gender
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.presence import PresenceMatrix
from scholar_indexes.characters.solver.sentence_scores import SentenceScorer, SentenceScores
from scholar_indexes.characters.solver.window_vectors import WindowVectors
from scholar_indexes.types import Gender

MIN_SHARE = 1e-4
"""Added to a share of the book before its logarithm is taken."""

MIN_PAIR_SHARE = 1e-5
"""Added to the share of the book with two characters before its logarithm is taken."""

MAX_STANDARD_SCORE = 6.0
"""Standard scores of sentences are clipped to this."""

PROFILE_WINDOW = 3
"""The size in sentences of the windows whose vectors make the profile of a candidate."""


class FeatureExtractor:
    """Computes the features of descriptions for the c candidates of one book."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        presence: PresenceMatrix,
        scorer: SentenceScorer,
    ) -> None:
        self._genders = [candidate.gender for candidate in candidates]
        self._scorer = scorer
        self._presence = {
            "named": presence.named,
            "mentioned": presence.mentioned,
            "speaking": presence.speaking,
            "near": presence.near,
            "share": presence.near / (presence.near.sum(axis=0) + 0.3),
        }
        m = max(presence.near.shape[1], 1)
        self._pairs = _without_diagonal(presence.near @ presence.near.T) / np.float32(m)
        self._profiles = {
            name: _profiles(self._presence[name], scorer.windows)
            for name in ("mentioned", "speaking")
        }
        self._base_rates = {
            name: np.log(matrix.sum(axis=1) / m + MIN_SHARE)
            for name, matrix in self._presence.items()
        }

    def base(self, descriptions: Sequence[str], scores: SentenceScores) -> list[Floats]:
        """Return BASE_FEATURES, (d, c) each; scores are the scores of the descriptions."""
        genders = [phrase_gender(description) for description in descriptions]
        agreement = [[_agreement(gender, other) for other in self._genders] for gender in genders]
        return [
            self._log_lift(scores.combined, 1, "near"),
            self._log_lift(scores.combined, 1.5, "mentioned"),
            self._log_lift(scores.combined, 1.5, "speaking"),
            self._log_lift(scores.passage, 1, "near"),
            self._log_lift(scores.passage, 1, "mentioned"),
            self._log_lift(scores.passage, 1, "speaking"),
            self._log_lift(scores.token_near, 1, "named"),
            self._log_lift(scores.combined, 1.5, "share"),
            self._named_sum(scores.token_near),
            self._best_sentence(scores.combined),
            self._profile_similarity(scores.vectors, "mentioned"),
            self._profile_similarity(scores.vectors, "speaking"),
            np.array(agreement, np.float32),
        ]

    def paired(self, scores: SentenceScores, others: Floats) -> list[Floats]:
        """Return PAIR_FEATURES, "together" and "not the other", (d, c) each; others (d, c) is how
        likely each candidate is another character of the description."""
        mean = self._presence["near"].mean(axis=1)
        combined_share, combined_lift = self._pair_share(scores.combined, 1, "near", others)
        token_share, token_lift = self._pair_share(scores.token_near, 2, "named", others)
        together = (
            np.log(others @ self._pairs + MIN_PAIR_SHARE)
            - np.log(others @ mean + MIN_PAIR_SHARE)[:, None]
            - np.log(mean + MIN_SHARE)
        )
        return [
            combined_share,
            token_share,
            combined_lift,
            token_lift,
            together,
            np.log(1.02 - np.minimum(others, 1)),
        ]

    def outer(
        self, scores: SentenceScores, others: Floats, has_others: NDArray[np.bool_]
    ) -> list[Floats]:
        """Return the features of outer descriptions, (d, c) each; features of other characters are
        0 where has_others (d, 1) is False."""
        share, lift = self._pair_share(scores.combined, 1, "near", others)
        return [
            self._log_lift(scores.combined, 1, "near"),
            self._log_lift(scores.token_near, 1, "named"),
            self._profile_similarity(scores.vectors, "mentioned"),
            np.where(has_others, share, 0),
            np.where(has_others, lift, 0),
        ]

    def head(self, heads: Sequence[str]) -> list[Floats]:
        """Return how often the candidates are named near words like the head of each description,
        by similar words and by tokens, (d, c) each; 0 for an empty head."""
        columns = [np.zeros((len(heads), len(self._genders)), np.float32) for _ in range(2)]
        distinct = sorted({head for head in heads if head})
        if not distinct:
            return columns
        similar, token = self._scorer.head_scores(distinct)
        tables = self._log_lift(similar, 1.5, "named"), self._log_lift(token, 2, "named")
        for row, head in enumerate(heads):
            if head:
                for column, table in zip(columns, tables, strict=True):
                    column[row] = 0.7 * table[distinct.index(head)]
        return columns

    def _log_lift(self, scores: Floats, sharpness: float, name: str) -> Floats:
        """Return the logarithm of the share of matching sentences with each candidate, minus the
        logarithm of the candidate's share of the book, (d, c)."""
        share = _sentence_weights(scores, sharpness) @ self._presence[name].T
        lift: Floats = np.log(share + MIN_SHARE) - self._base_rates[name]
        return lift

    def _named_sum(self, scores: Floats) -> Floats:
        """Return the log sum of the matches of sentences that name each candidate, discounted by
        the number of these sentences, (d, c)."""
        named = self._presence["named"]
        total = np.log(np.exp(2 * scores) @ named.T + 1)
        result: Floats = total - 0.6 * np.log(named.sum(axis=1) + 5)
        return result

    def _best_sentence(self, scores: Floats) -> Floats:
        """Return the best match of a sentence near each candidate, centred, (d, c)."""
        best = [(scores + np.log(near + 1e-3)).max(axis=1) for near in self._presence["near"]]
        return _centre(np.stack(best, axis=1))

    def _pair_share(
        self, scores: Floats, sharpness: float, name: str, others: Floats
    ) -> tuple[Floats, Floats]:
        """Return how many of the matching sentences have both the others and each candidate, (d,
        c): the logarithm of the share among all candidates, and the logarithm of the lift over how
        often they are together in the book."""
        presence, weights = self._presence[name], _sentence_weights(scores, sharpness)
        both = (others @ presence * weights) @ presence.T - others * (weights @ (presence**2).T)
        observed, expected = np.maximum(both, 0), others @ self._pairs
        share = np.log(observed / (observed.sum(axis=1, keepdims=True) + 1e-9) + 0.005)
        lift = np.log(observed + MIN_PAIR_SHARE) - np.log(expected + MIN_PAIR_SHARE)
        return share, lift

    def _profile_similarity(self, vectors: Floats, name: str) -> Floats:
        """Return the cosines, times three, of descriptions and the profiles of the candidates,
        centred, (d, c)."""
        return 0.3 * _centre(10 * vectors @ self._profiles[name].T)


def _profiles(presence: Floats, windows: WindowVectors) -> Floats:
    """Return the mean window of each candidate minus the book's mean, as unit vectors (c, d)."""
    m = presence.shape[1]
    everywhere = np.full((1, m), 1 / max(m, 1), np.float32)
    means = windows.weighted_sums(presence, PROFILE_WINDOW)
    means = means / (presence.sum(axis=1, keepdims=True) + 1)
    means = means - windows.weighted_sums(everywhere, PROFILE_WINDOW)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    profiles: Floats = means / (lengths + np.float32(1e-6))
    return profiles


def softmax(scores: Floats) -> Floats:
    """Return the softmax of each row."""
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = odds / odds.sum(axis=1, keepdims=True)
    return shares


def _sentence_weights(scores: Floats, sharpness: float) -> Floats:
    """Return the softmax of each row of standard scores, clipped and multiplied by sharpness."""
    return softmax(np.float32(sharpness) * np.minimum(scores, np.float32(MAX_STANDARD_SCORE)))


def _agreement(gender: Gender, other: Gender) -> float:
    """Return 1 for the same gender, -1 for different ones, 0 if one is unknown."""
    if Gender.UNKNOWN in (gender, other):
        return 0.0
    return 1.0 if gender is other else -1.0


def _without_diagonal(pairs: Floats) -> Floats:
    """Return a table of pairs (c, c) with 0 for a candidate with itself."""
    result: Floats = pairs * (1 - np.eye(len(pairs), dtype=np.float32))
    return result


def _centre(scores: Floats) -> Floats:
    """Return each row minus its mean."""
    centred: Floats = scores - scores.mean(axis=1, keepdims=True)
    return centred
