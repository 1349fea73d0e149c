"""Fitting the referents of noun phrases."""

from __future__ import annotations

import numpy as np
import pytest

from scholar_cli.laboratory.meant.meant_data import PhraseClaim
from scholar_indexes.coreference.roles import FEATURES_OWNED
from scholar_indexes.retrieval.phrases import OWNED, PhraseCandidates
from scholar_indexes.types import Span

pytest.importorskip("torch", reason="training needs the extra [lab]")

from scholar_cli.laboratory.meant import phrases_training
from scholar_cli.laboratory.meant.phrases_training import PhraseExample, PhraseSettings


def example(book: str, right: int, feature: int) -> PhraseExample:
    """Return a phrase with three candidates, of which the right one has the feature."""
    features = np.zeros((3, len(FEATURES_OWNED)), np.float32)
    features[right, feature] = 2
    candidates = PhraseCandidates(features, np.ones(3, np.bool_), OWNED)
    claim = PhraseClaim(book, "her son", Span(0, 7), ("Tom",))
    return PhraseExample(claim, candidates, np.eye(3, dtype=np.float32)[right])


def test_an_informative_feature_gets_more_weight_than_its_prior() -> None:
    examples = [example(str(number), number % 3, 1) for number in range(6)]
    fitted = phrases_training.fit(examples, OWNED, PhraseSettings(ridge=0.01))
    prior = phrases_training.PRIORS[OWNED]
    assert fitted.weights[1] > prior[1]
    assert fitted.weights[0] == pytest.approx(prior[0], abs=0.01)
    assert all(fitted.best(one.candidates)[0] == np.argmax(one.right) for one in examples)


def test_the_more_phrases_lack_whom_they_mean_the_likelier_nobody_is() -> None:
    examples = [example(str(number), number % 3, 1) for number in range(6)]
    seldom = phrases_training.fit(examples, OWNED, PhraseSettings(absent=0.1))
    often = phrases_training.fit(examples, OWNED, PhraseSettings(absent=1.0))
    assert often.nobody > seldom.nobody
    candidates = examples[0].candidates
    assert often.best(candidates)[1] < seldom.best(candidates)[1]


def test_every_phrase_is_measured_once_by_weights_of_other_books() -> None:
    examples = [example(str(number), number % 3, 1) for number in range(6)]
    answers = phrases_training.cross_validate(examples, PhraseSettings())
    assert len(answers) == len(examples)
    assert all(is_right for is_right, _ in answers)
