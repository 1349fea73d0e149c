"""TF-IDF search of the paragraphs of a novel, as in GANDALF's baseline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_cli.laboratory.gandalf.gandalf_bench import QuestionedNovel
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.characters.quiz.questions import QuizQuestion

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def choice_pairs(question: QuizQuestion) -> list[tuple[str, str]]:
    """Return the name and the description that each choice of a question combines."""
    if question.kind == "desc2name":
        return [(choice, question.text) for choice in question.choices]
    return [(question.text, choice) for choice in question.choices]


def split_paragraphs(novel: QuestionedNovel) -> list[str]:
    """Return the paragraphs of a novel."""
    return [paragraph for paragraph in re.split(r"\n\s*\n", novel.draft.text) if paragraph.strip()]


class ParagraphIndex:
    """TF-IDF vectors of paragraphs, of unit length; the inverse document frequency of a term is
    log((1 + n) / (1 + document frequency)) + 1."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._n = len(paragraphs)
        self._terms: dict[str, int] = {}
        rows, columns, counts = self._count_terms(paragraphs)
        document_frequency = np.bincount(columns, minlength=len(self._terms))
        self._idf = np.log((1 + self._n) / (1 + document_frequency)) + 1
        weights = _normalize(counts * self._idf[columns], rows, self._n) if len(rows) else counts
        order = np.argsort(columns, kind="stable")
        self._rows, self._weights = rows[order], weights[order]
        self._offsets = np.concatenate(([0], np.cumsum(document_frequency)))

    def _count_terms(self, paragraphs: Sequence[str]) -> tuple[Ints, Ints, Floats]:
        """Number the terms; return the paragraph, the term and the count of each distinct pair."""
        rows, columns, counts = list[int](), list[int](), list[int]()
        for row, paragraph in enumerate(paragraphs):
            for word, count in Counter(tokenize(paragraph)).items():
                rows.append(row)
                columns.append(self._terms.setdefault(word, len(self._terms)))
                counts.append(count)
        return (
            np.array(rows, np.int64),
            np.array(columns, np.int64),
            np.array(counts, np.float64),
        )

    def cosines(self, query: str) -> Floats:
        """Return the cosine of a text with each paragraph; unknown words count in its norm."""
        cosines, squares = np.zeros(self._n), 0.0
        for word, count in Counter(tokenize(query)).items():
            term = self._terms.get(word)
            idf = float(self._idf[term]) if term is not None else float(np.log(1 + self._n) + 1)
            squares += (count * idf) ** 2
            if term is not None:
                postings = self._postings(term)
                cosines[self._rows[postings]] += count * idf * self._weights[postings]
        return cosines / max(float(np.sqrt(squares)), 1e-9)

    def contains_any(self, terms: frozenset[str]) -> NDArray[np.bool_]:
        """Return a mask (n,) of the paragraphs that contain any of the terms."""
        mask = np.zeros(self._n, bool)
        for word in terms:
            if (term := self._terms.get(word)) is not None:
                mask[self._rows[self._postings(term)]] = True
        return mask

    def _postings(self, term: int) -> slice:
        return slice(self._offsets[term], self._offsets[term + 1])


def _normalize(weights: Floats, rows: Ints, n: int) -> Floats:
    """Return the weights scaled to unit length per row."""
    norms: Floats = np.sqrt(np.bincount(rows, weights**2, minlength=n))
    normalized: Floats = weights / norms[rows]
    return normalized
