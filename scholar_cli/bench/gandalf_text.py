"""The paragraphs of a novel by TF-IDF, as GANDALF's baseline searches them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_cli.bench.gandalf import Novel
from scholar_indexes.characters.questions import Question
from scholar_indexes.characters.wording import words

Floats = NDArray[np.float64]


def pairs(question: Question) -> list[tuple[str, str]]:
    """The name and the description that each choice puts together."""
    if question.kind == "desc2name":
        return [(choice, question.text) for choice in question.choices]
    return [(question.text, choice) for choice in question.choices]


def of_novel(novel: Novel) -> list[str]:
    """The paragraphs of a novel."""
    return [each for each in re.split(r"\n\s*\n", novel.draft.text) if each.strip()]


class Paragraphs:
    """TF-IDF of paragraphs: counts times log((1 + n) / (1 + having)) + 1, of unit length."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._terms: dict[str, int] = {}
        counts = [Counter(words(each)) for each in paragraphs]
        rows = [row for row, each in enumerate(counts) for _ in each]
        terms = [self._terms.setdefault(word, len(self._terms)) for each in counts for word in each]
        times = np.array([times for each in counts for times in each.values()], np.float64)
        column = np.array(terms, np.int64)
        having = np.bincount(column, minlength=len(self._terms))
        self._n = len(paragraphs)
        self._idf = np.log((1 + self._n) / (1 + having)) + 1
        weight = times * self._idf[column] if len(column) else times
        row = np.array(rows, np.int64)
        length = np.sqrt(np.bincount(row, weight**2, minlength=self._n)) if self._n else weight
        weight = weight / length[row] if len(row) else weight
        order = np.argsort(column, kind="stable")
        self._rows, self._weights = row[order], weight[order]
        self._edges = np.concatenate(([0], np.cumsum(having)))

    def cosines(self, query: str) -> Floats:
        """The cosine of a text with each paragraph; words that are in none count in its length."""
        total, squares = np.zeros(self._n), 0.0
        for word, times in Counter(words(query)).items():
            term = self._terms.get(word)
            idf = float(self._idf[term]) if term is not None else float(np.log(1 + self._n) + 1)
            squares += (times * idf) ** 2
            if term is not None:
                those = slice(self._edges[term], self._edges[term + 1])
                total[self._rows[those]] += times * idf * self._weights[those]
        return total / max(float(np.sqrt(squares)), 1e-9)

    def having(self, terms: frozenset[str]) -> NDArray[np.bool_]:
        """Which paragraphs have any of some words."""
        found = np.zeros(self._n, bool)
        for each in terms:
            if (term := self._terms.get(each)) is not None:
                found[self._rows[self._edges[term] : self._edges[term + 1]]] = True
        return found
