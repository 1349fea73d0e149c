"""The probability that a description means each character of a book.

    description -> parsed -> sentence scores -> features -> conditional logit -> probabilities

Characters that a description names, or describes in an embedded description ("the sister of the
man who elopes"), are resolved first; they must be present too, and are not the one sought.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats
from scholar_indexes.characters.solver.book_index import BookIndex, index_book
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.features import FeatureExtractor, softmax
from scholar_indexes.characters.solver.parsing import (
    ParsedDescription,
    head_noun_phrase,
    parse_description,
)
from scholar_indexes.characters.solver.sentence_scores import SentenceScorer, SentenceScores
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.characters.solver.weights import BASE_WEIGHTS, WEIGHTS
from scholar_indexes.coreference import mentions
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.types import Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People
    from scholar_indexes.models.encoder import Encoder

NAMED_SCORE = -30.0
"""The score of a candidate that the description names, and so does not mean."""

MIN_OTHERS = 0.3
"""A description has other characters only if their probabilities add up to more than this."""


@dataclass(frozen=True, slots=True)
class AnalyzedDescriptions:
    """Everything computed for d descriptions: the scores of the m sentences, the candidates that
    they name (d, c), how likely each candidate is another character in them (d, c), and the
    features (d, c, f)."""

    scores: SentenceScores
    named: Floats
    others: Floats
    features: Floats


class Solver:
    """A conditional logit (McFadden 1974) over the candidates of one book."""

    def __init__(
        self,
        sentences: SentenceIndex,
        candidates: Sequence[Candidate],
        dialogue: Dialogue | None,
        encoder: Encoder,
        index: BookIndex | None = None,
        people: People | None = None,
    ) -> None:
        """index is the index of the sentences and candidates; without it, the book is indexed now,
        with the people of the dialogue."""
        self.sentences, self.candidates = sentences, list(candidates)
        index = index or index_book(sentences, candidates, dialogue, encoder, people=people)
        self.presence = index.presence
        self._scorer = SentenceScorer(sentences, index, encoder)
        self._extractor = FeatureExtractor(candidates, index.presence, self._scorer)
        self._cast = [
            Character(
                str(row),
                candidate.name,
                tuple(dict.fromkeys((candidate.name, *candidate.aliases))),
            )
            for row, candidate in enumerate(candidates)
        ]

    def scores(self, descriptions: Sequence[str]) -> Floats:
        """Return the log probability of each candidate for each description, (d, c)."""
        if not descriptions or not self.candidates:
            return np.zeros((len(descriptions), len(self.candidates)), np.float32)
        return log_probabilities(self.analyze(descriptions))

    def features(
        self, descriptions: Sequence[str], base_weights: Sequence[float] = BASE_WEIGHTS
    ) -> Floats:
        """Return FEATURES of descriptions and candidates, (d, c, f); base_weights are the weights
        for embedded descriptions."""
        return self.analyze(descriptions, base_weights).features

    def analyze(
        self, descriptions: Sequence[str], base_weights: Sequence[float] = BASE_WEIGHTS
    ) -> AnalyzedDescriptions:
        """Parse, encode and score descriptions, each once."""
        parsed = [parse_description(description) for description in descriptions]
        texts = [description.text for description in parsed]
        outer_texts = [description.outer for description in parsed]
        distinct = list(dict.fromkeys([*texts, *outer_texts]))
        rows = {text: row for row, text in enumerate(distinct)}
        all_scores = self._scorer.scores(distinct)
        scores = all_scores.select([rows[text] for text in texts])
        outer_scores = all_scores.select([rows[text] for text in outer_texts])
        named = self.named(texts)
        others = self._find_others(parsed, named, base_weights)
        features = self._features(parsed, scores, outer_scores, others)
        return AnalyzedDescriptions(scores, named, others, features)

    def _features(
        self,
        parsed: Sequence[ParsedDescription],
        scores: SentenceScores,
        outer_scores: SentenceScores,
        others: Floats,
    ) -> Floats:
        has_inner = np.array([[bool(description.inner)] for description in parsed])
        has_others = others.sum(axis=1, keepdims=True) > MIN_OTHERS
        base = self._extractor.base([description.text for description in parsed], scores)
        paired = self._extractor.paired(scores, others)
        outer = self._extractor.outer(outer_scores, others, has_others)
        heads = [head_noun_phrase(description.outer) for description in parsed]
        columns = [
            *base,
            *(np.where(has_others, column, 0) for column in paired),
            *(np.where(has_inner, column, 0) for column in outer),
            *(np.where(has_inner, 0.5 * column, 0) for column in base),
            *self._extractor.head(heads),
        ]
        return np.stack(columns, axis=2).astype(np.float32)

    def base_features(self, descriptions: Sequence[str]) -> Floats:
        """Return BASE_FEATURES of descriptions and candidates, (d, c, f)."""
        columns = self._extractor.base(descriptions, self._scorer.scores(descriptions))
        return np.stack(columns, axis=2).astype(np.float32)

    def named(self, descriptions: Sequence[str]) -> Floats:
        """Return 1 for each candidate that a description names and 0 for others, (d, c).

        An alias with an article at the start of a description names nobody: "the doctor who takes a
        drug".
        """
        named = np.zeros((len(descriptions), len(self.candidates)), np.float32)
        for row, description in enumerate(descriptions):
            for mention in mentions.find_mentions(description, self._cast):
                if not _is_head(description, mention.span):
                    named[row, mention.character] = 1
        return named

    def _find_others(
        self, parsed: Sequence[ParsedDescription], named: Floats, base_weights: Sequence[float]
    ) -> Floats:
        """Return how likely each candidate is another character of a description, (d, c): named in
        it, or meant by an embedded description."""
        others = named.copy()
        inner = list(dict.fromkeys(text for description in parsed for text in description.inner))
        if not inner:
            return others
        table = self.base_features(inner) @ np.array(base_weights, np.float32)
        shares = softmax(np.where(self.named(inner) > 0, NAMED_SCORE, table))
        rows = {text: row for row, text in enumerate(inner)}
        for row, description in enumerate(parsed):
            for text in description.inner:
                others[row] = np.maximum(others[row], shares[rows[text]])
        return others


def _is_head(description: str, mention: Span) -> bool:
    """Return True for a name at the start of a description that begins with an article and is not
    a possessive: "the doctor", but not "the doctor's wife"."""
    first, *_ = mentions.name_words(mention.of(description))
    follows = description[mention.end : mention.end + 1]
    return mention.start == 0 and first in closed_classes.ARTICLES and follows not in ("'", "’")


def log_probabilities(analyzed: AnalyzedDescriptions) -> Floats:
    """Return the log probability of each candidate for each description, (d, c)."""
    table = analyzed.features @ np.array(WEIGHTS, np.float32)
    return log_softmax(np.where(analyzed.named > 0, NAMED_SCORE, table))


def log_softmax(scores: Floats) -> Floats:
    """Return the logarithm of the softmax of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
