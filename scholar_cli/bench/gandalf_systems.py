"""Systems that answer GANDALF's questions.

random       a lot by the question's id
tfidf        the paper's own (section 5.1): every choice makes a query of the name and
             the description; the answer is whose query is nearest to any paragraph
tfidf-named  the description alone, over the paragraphs that name the candidate
frequency    who is named most; says nothing of descriptions
solver       scholar's own (characters/solve.py)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from scholar_cli.bench.gandalf import Novel, Scores, System
from scholar_indexes.characters.questions import Question
from scholar_indexes.characters.wording import name_terms, words
from scholar_indexes.encoder import Encoder
from scholar_indexes.errors import NotThere
from scholar_indexes.models import ModelFiles

SYSTEMS = ("solver", "tfidf", "tfidf-named", "frequency", "random")

Floats = NDArray[np.float64]


def chosen(
    names: Sequence[str], encoder: Callable[[], Encoder], speakers: Callable[[], ModelFiles | None]
) -> dict[str, System]:
    """The systems of some names; raises NotThere for one that is none.

    encoder and speakers give the models of the solver, and are called only for it.
    """
    known: Mapping[str, Callable[[], System]] = {
        "solver": lambda: solver(encoder(), speakers()),
        "tfidf": lambda: tfidf,
        "tfidf-named": lambda: tfidf_named,
        "frequency": lambda: frequency,
        "random": lambda: by_lot,
    }
    missing = [each for each in names if each not in known]
    if missing:
        raise NotThere(f"there is no system {missing[0]!r}; choose from {', '.join(SYSTEMS)}")
    return {name: known[name]() for name in names}


def by_lot(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """Scores by lot, the same for the same question."""
    found: list[Scores] = []
    for each in questions:
        lots = Random(each.id)
        found.append([lots.random() for _ in each.choices])
    return found


def frequency(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """How often the rarest word of each name is in the book; by lot among descriptions."""
    counts = Counter(words(novel.draft.text))
    found: list[Scores] = []
    for each, lots in zip(questions, by_lot(novel, questions), strict=True):
        if each.kind == "name2desc":
            found.append(lots)
        else:
            often = [
                min((counts[term] for term in name_terms([name])), default=0)
                for name in each.choices
            ]
            found.append(often)
    return found


def tfidf(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """The paper's baseline: the highest cosine of name and description with any paragraph."""
    index = Paragraphs(_paragraphs(novel))
    found: list[Scores] = []
    for each in questions:
        found.append([float(index.cosines(f"{one} {other}").max(initial=0.0))
                      for one, other in _pairs(each)])  # fmt: skip
    return found


def tfidf_named(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
    """The highest cosine of the description with any paragraph that has a word of the name."""
    index = Paragraphs(_paragraphs(novel))
    found: list[Scores] = []
    for each in questions:
        scores = []
        for name, description in _pairs(each):
            naming = index.having(name_terms([name]))
            scores.append(float(index.cosines(description)[naming].max(initial=0.0)))
        found.append(scores)
    return found


def solver(encoder: Encoder, speakers: ModelFiles | None) -> System:
    """scholar's own: one table of descriptions and characters for each book."""
    from scholar_indexes.characters import solve
    from scholar_indexes.errors import NoMatch
    from scholar_indexes.speakers import dialogue

    def scored(novel: Novel, questions: Sequence[Question]) -> list[Scores]:
        draft = novel.draft
        method = dialogue.TRAINED if speakers else dialogue.SIEVE
        try:
            said = dialogue.read(draft.text, draft.chapters, method, speakers)
        except NoMatch:
            said = None
        names = sorted({name for each in questions for name, _ in _pairs(each)})
        told = sorted({description for each in questions for _, description in _pairs(each)})
        reading = solve.read(draft.text, draft.sentences, encoder)
        cast = solve.candidates(names, said.cast if said else ())
        table = solve.Solver(reading, cast, said, encoder).scores(told)
        row, column = {t: i for i, t in enumerate(told)}, {t: i for i, t in enumerate(names)}
        return [
            [float(table[row[description], column[name]]) for name, description in _pairs(each)]
            for each in questions
        ]

    return scored


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


def _pairs(question: Question) -> list[tuple[str, str]]:
    """The name and the description that each choice puts together."""
    if question.kind == "desc2name":
        return [(choice, question.text) for choice in question.choices]
    return [(question.text, choice) for choice in question.choices]


def _paragraphs(novel: Novel) -> list[str]:
    return [each for each in re.split(r"\n\s*\n", novel.draft.text) if each.strip()]
