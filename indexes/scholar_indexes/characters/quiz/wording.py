"""A query-only baseline: answers to quiz questions by their wording, without the book.

GANDALF measures whether questions can be answered without reading; here a conditional logit over
features of the wording alone is fitted on some questions and answers the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from scholar_indexes.characters.folded_words import WORD, name_terms, tokenize
from scholar_indexes.characters.gender import is_gendered, name_gender, phrase_gender
from scholar_indexes.lexicon.social_words import MARRIED_WORDS, OCCUPATION_FIELDS, UNMARRIED_WORDS
from scholar_indexes.types import Gender

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scholar_indexes.characters.quiz.questions import QuizQuestion

    Floats = NDArray[np.float64]

DESC2NAME = "desc2name"
STEPS = 200
"""Gradient steps of a fit."""


@dataclass(frozen=True, slots=True)
class WordingStats:
    """Statistics of all questions together: the inverse document frequency of each word, and how
    often each choice is offered, by kind of question."""

    idf: Mapping[str, float]
    offers: Mapping[tuple[str, str], int]


Feature = Callable[["QuizQuestion", WordingStats], list[float]]


def _gender_agreement(question: QuizQuestion, stats: WordingStats) -> list[float]:
    """Return 1 for a choice of the question's gender, -1 for the other one, 0 if unknown."""
    is_name_asked = question.kind == DESC2NAME
    gender = (phrase_gender if is_name_asked else name_gender)(question.text)
    return [
        0.0 if Gender.UNKNOWN in (gender, choice) else (1.0 if gender is choice else -1.0)
        for choice in map(name_gender if is_name_asked else phrase_gender, question.choices)
    ]


def _gender_share(question: QuizQuestion, stats: WordingStats) -> list[float]:
    """Return the share of choices with the gender of each choice."""
    gender = name_gender if question.kind == DESC2NAME else phrase_gender
    genders = [gender(choice) for choice in question.choices]
    return [genders.count(value) / len(genders) for value in genders]


def _shared_names(question: QuizQuestion, stats: WordingStats) -> list[float]:
    terms, capitals = name_terms([question.text]), _capitalized_terms(question.text)
    return [
        float(bool(terms & _capitalized_terms(choice) or capitals & name_terms([choice])))
        for choice in question.choices
    ]


def _shared_rare_words(question: QuizQuestion, stats: WordingStats) -> list[float]:
    words = set(tokenize(question.text))
    return [
        sum(stats.idf.get(word, 0.0) for word in words.intersection(tokenize(choice)))
        for choice in question.choices
    ]


def _choice_similarity(question: QuizQuestion, stats: WordingStats) -> list[float]:
    """Return the weight of rare words that a choice shares with other choices."""
    counts = Counter(word for choice in question.choices for word in set(tokenize(choice)))
    return [
        sum(stats.idf.get(word, 0.0) for word in set(tokenize(choice)) if counts[word] > 1)
        for choice in question.choices
    ]


def _length(question: QuizQuestion, stats: WordingStats) -> list[float]:
    return [float(len(choice)) for choice in question.choices]


def _length_deviation(question: QuizQuestion, stats: WordingStats) -> list[float]:
    lengths = _length(question, stats)
    mean = sum(lengths) / len(lengths)
    return [abs(length - mean) for length in lengths]


def _capital_count(question: QuizQuestion, stats: WordingStats) -> list[float]:
    return [float(len(_capitalized_terms(choice))) for choice in question.choices]


def _genderedness(question: QuizQuestion, stats: WordingStats) -> list[float]:
    return [float(is_gendered(choice)) for choice in question.choices]


def _shared_occupation(question: QuizQuestion, stats: WordingStats) -> list[float]:
    words = set(tokenize(question.text))
    fields = [field for field in OCCUPATION_FIELDS if words & field]
    return [
        float(sum(bool(field.intersection(tokenize(choice))) for field in fields))
        for choice in question.choices
    ]


def _marital_status(question: QuizQuestion, stats: WordingStats) -> list[float]:
    """Return the agreement of a title, Mrs or Miss, with the words of a description."""
    if question.kind == DESC2NAME:
        status = _described_status(question.text)
        return [status * _titled_status(choice) for choice in question.choices]
    status = _titled_status(question.text)
    return [status * _described_status(choice) for choice in question.choices]


def _titled_status(name: str) -> float:
    return {"mrs": 1.0, "miss": -1.0}.get(next(iter(tokenize(name)), ""), 0.0)


def _described_status(text: str) -> float:
    words = set(tokenize(text))
    return float(bool(words & MARRIED_WORDS)) - float(bool(words & UNMARRIED_WORDS))


def _position(question: QuizQuestion, stats: WordingStats) -> list[float]:
    return [float(at) for at in range(len(question.choices))]


def _offer_rarity(question: QuizQuestion, stats: WordingStats) -> list[float]:
    """Return the rarity of each choice among all the questions: a choice that is the answer as
    often as others but is offered less is more likely to be the answer."""
    return [-math.log(stats.offers[question.kind, choice]) for choice in question.choices]


FEATURES: Mapping[str, Feature] = {
    "gender": _gender_agreement,
    "gender among the choices": _gender_share,
    "names": _shared_names,
    "rare words": _shared_rare_words,
    "likeness": _choice_similarity,
    "length": _length,
    "odd length": _length_deviation,
    "capitals": _capital_count,
    "neutrality": _genderedness,
    "calling": _shared_occupation,
    "marriage": _marital_status,
    "place": _position,
    "offers": _offer_rarity,
}
"""Features of a question by name, each with one value for each choice."""

WORDING = tuple(name for name in FEATURES if name != "offers")
"""The features of a question by itself, without the other questions."""


def query_only(
    questions: Sequence[QuizQuestion], features: Collection[str] = WORDING, folds: int = 5
) -> float:
    """Return the accuracy in [0, 1] of a classifier that sees the questions and not the book.

    For each question it scores the choices by the named FEATURES, with weights fitted on the
    questions of the other folds: a conditional logit (McFadden 1974), which learns the direction
    in which each feature gives answers away. Tied choices count by their share. Raises ValueError
    without questions.
    """
    if not questions:
        raise ValueError("no questions to answer")
    tables = _feature_tables(questions, features)
    answers = [question.answer for question in questions]
    fold_of = [
        int.from_bytes(sha256(question.id.encode()).digest()[:4], "big") % folds
        for question in questions
    ]
    correct = 0.0
    for fold in set(fold_of):
        train, test = _train_and_test(fold_of, fold)
        weights = _fit([tables[at] for at in train], [answers[at] for at in train])
        correct += sum(_credit(tables[at], weights, answers[at]) for at in test)
    return correct / len(questions)


def _train_and_test(fold_of: Sequence[int], fold: int) -> tuple[list[int], list[int]]:
    """Return the indices of the questions to fit weights on and of the questions in a fold.

    If a fold contains all the questions, the weights are fitted and tested on the same ones.
    """
    test = [at for at, other in enumerate(fold_of) if other == fold]
    train = [at for at, other in enumerate(fold_of) if other != fold]
    return train or test, test


def chance(questions: Sequence[QuizQuestion]) -> float:
    """Return the expected accuracy of blind guessing."""
    return sum(1 / len(question.choices) for question in questions) / len(questions)


def _credit(table: Floats, weights: Floats, answer: int) -> float:
    """Return the share of the answer among the choices with the best score; 0 without it."""
    import numpy as np

    scores = np.round(table @ weights, 9)
    best = np.flatnonzero(scores == scores.max())
    return float(answer in best) / len(best)


def _feature_tables(questions: Sequence[QuizQuestion], features: Collection[str]) -> list[Floats]:
    """Return the (choices, 2 x features) table of each question, standardised per question.

    A feature that is the same for all choices is 0; desc2name and name2desc have separate columns.
    """
    import numpy as np

    offers = Counter(
        (question.kind, choice) for question in questions for choice in question.choices
    )
    stats = WordingStats(_inverse_document_frequencies(questions), offers)
    tables = []
    for question in questions:
        columns = [FEATURES[name](question, stats) for name in features]
        table = np.array(columns, dtype=np.float64).T
        deviation = table.std(axis=0)
        table = (table - table.mean(axis=0)) / np.where(deviation > 1e-9, deviation, 1.0)
        zeros = np.zeros_like(table)
        halves = (table, zeros) if question.kind == DESC2NAME else (zeros, table)
        tables.append(np.concatenate(halves, axis=1))
    return tables


def _fit(tables: Sequence[Floats], answers: Sequence[int]) -> Floats:
    """Return the maximum-likelihood weights for the answers, with an L2 penalty of w² / 2."""
    import numpy as np

    weights = np.zeros(tables[0].shape[1])
    most_choices = max(len(table) for table in tables)
    stacked = np.zeros((len(tables), most_choices, len(weights)))
    mask = np.zeros((len(tables), most_choices), dtype=bool)
    for at, table in enumerate(tables):
        stacked[at, : len(table)], mask[at, : len(table)] = table, True
    chosen = stacked[np.arange(len(tables)), list(answers)].sum(axis=0)
    for _ in range(STEPS):
        scores = np.where(mask, stacked @ weights, -np.inf)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
        gradient = chosen - np.einsum("qc,qcf->f", odds, stacked) - weights
        weights = weights + gradient / len(tables)
    return weights


def _inverse_document_frequencies(questions: Sequence[QuizQuestion]) -> dict[str, float]:
    texts = {text for question in questions for text in (question.text, *question.choices)}
    counts = Counter(word for text in texts for word in set(tokenize(text)))
    return {word: math.log(len(texts) / count) for word, count in counts.items()}


def _capitalized_terms(text: str) -> frozenset[str]:
    return name_terms(word for word in WORD.findall(text) if word[0].isupper())
