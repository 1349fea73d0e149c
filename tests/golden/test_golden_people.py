"""The speakers of a whole novel and whom descriptions mean, compared with stored answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from golden_answers import CheckFigure, CheckGolden, first_words
from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.books.citation import locators
from scholar_indexes.characters.descriptions import bank
from scholar_indexes.characters.solver.character_candidates import candidates_from_names
from scholar_indexes.characters.solver.ranking import rank_characters
from scholar_indexes.characters.solver.sentence_vectors import encode_book
from scholar_indexes.characters.solver.solver import Solver
from scholar_indexes.characters.solver.weights import FEATURES
from scholar_indexes.models import engines, registry
from scholar_indexes.types import Attribution

GATSBY = 64317
EVERY_QUOTATION, EVERY_DESCRIPTION = 83, 4
"""One in this many quotations and descriptions is stored."""

NOBODY = "-"


@pytest.fixture(scope="module")
def gatsby(sample_draft: Callable[[int], BookDraft]) -> BookDraft:
    return sample_draft(GATSBY)


@pytest.fixture(scope="module")
def dialogue(gatsby: BookDraft) -> Dialogue:
    files = registry.find(pipeline.DEFAULT_MODEL, Path("nowhere"))
    return pipeline.attribute_book(gatsby.text, gatsby.chapters, pipeline.TRAINED, files)


@pytest.fixture(scope="module")
def people() -> list[bank.DescribedCharacter]:
    """Return the characters of the written bank."""
    return list(bank.load_packaged(f"pg{GATSBY}"))


@pytest.fixture(scope="module")
def solver(gatsby: BookDraft, dialogue: Dialogue, people: list[bank.DescribedCharacter]) -> Solver:
    """Return the solver for the characters of the bank, over the paragraphs that the written
    descriptions cite and their neighbours: the whole novel would take a quarter of a minute."""
    places = (
        locators.parse(passage.locator)
        for person in people
        for description in person.descriptions
        for passage in description.evidence
    )
    cited = {(place.chapter, place.paragraph) for place in places}
    sentences = [
        sentence
        for sentence in gatsby.sentences
        if any((sentence.chapter, sentence.paragraph + step) in cited for step in (-1, 0, 1))
    ]
    encoder = engines.load(registry.find("relic-minilm", Path("nowhere")), "cpu", 1)
    names = [person.name for person in people]
    candidates = candidates_from_names(names, dialogue.cast)
    return Solver(encode_book(gatsby.text, sentences, encoder), candidates, dialogue, encoder)


def speaker(attribution: Attribution) -> str:
    return attribution.speaker.name if attribution.speaker else NOBODY


def shares(names: Iterable[str]) -> list[list[Any]]:
    """Return the names and the share of each, the most frequent first."""
    counts = Counter(names)
    return [[name, round(count / counts.total(), 3)] for name, count in counts.most_common()]


def test_quotations_have_the_speakers_that_they_had(
    gatsby: BookDraft, dialogue: Dialogue, golden: CheckGolden
) -> None:
    sieve = pipeline.attribute_book(gatsby.text, gatsby.chapters, pipeline.SIEVE)
    answers: dict[str, Any] = {
        "kinds": shares(attribution.kind.value for attribution in dialogue.attributions),
        "speakers": shares(map(speaker, dialogue.attributions))[:8],
        "speakers of the sieve": shares(map(speaker, sieve.attributions))[:8],
    }
    for number in range(7, len(dialogue.quotations), EVERY_QUOTATION):
        quotation, by_model, by_sieve = (
            dialogue.quotations[number],
            dialogue.attributions[number],
            sieve.attributions[number],
        )
        answers[f"{number}: {first_words(quotation.of(gatsby.text), 8)}"] = [
            speaker(by_model),
            by_model.kind.value,
            by_model.form.value,
            round(by_model.confidence, 2),
            by_model.evidence.of(gatsby.text) if by_model.evidence else "",
            speaker(by_sieve),
            round(by_sieve.confidence, 2),
        ]
    golden("speakers", answers)


def described(people: list[bank.DescribedCharacter]) -> list[tuple[str, str]]:
    """Return the written descriptions without markup, and the names of their characters."""
    return [
        (description.plain, person.name) for person in people for description in person.descriptions
    ]


def test_descriptions_mean_whom_they_meant(
    solver: Solver, people: list[bank.DescribedCharacter], golden: CheckGolden
) -> None:
    answers = {
        text: [
            [people[result.row].name, round(result.probability, 3)]
            for result in rank_characters(text, solver, n=3)
        ]
        for text, _ in described(people)[::EVERY_DESCRIPTION]
    }
    golden("who", answers)


def test_the_features_of_descriptions_have_the_means_that_they_had(
    solver: Solver, people: list[bank.DescribedCharacter], golden: CheckGolden
) -> None:
    features = solver.features([text for text, _ in described(people)[::EVERY_DESCRIPTION]])
    means, deviations = features.mean(axis=(0, 1)), features.std(axis=(0, 1))
    golden(
        "solver_features",
        {
            name: [round(float(mean), 4), round(float(deviation), 4)]
            for name, mean, deviation in zip(FEATURES, means, deviations, strict=True)
        },
    )


def test_as_many_descriptions_find_their_character_as_did(
    solver: Solver, people: list[bank.DescribedCharacter], figure: CheckFigure
) -> None:
    by_character: dict[str, list[float]] = {}
    for text, name in described(people):
        best = rank_characters(text, solver, n=1, passages=0)[0]
        by_character.setdefault(name, []).append(float(people[best.row].name == name))
    figure("written descriptions whose character is first", list(by_character.values()))
