"""Every named pattern of descriptions gives the description of its example."""

from __future__ import annotations

import re

import pytest

from scholar_indexes.characters.descriptions import automatic
from scholar_indexes.characters.descriptions.patterns import appositions, predicates
from scholar_indexes.characters.descriptions.patterns.appositions import AppositionPattern
from scholar_indexes.characters.descriptions.patterns.predicates import PredicatePattern
from scholar_indexes.types import Character, Gender, Span

CAST = (
    Character("jane-marsh", "Jane Marsh", ("Jane Marsh", "Jane"), Gender.FEMALE),
    Character("mrs.-gale", "Mrs. Gale", ("Mrs. Gale",), Gender.FEMALE),
    Character("mr.-hale", "Mr. Hale", ("Mr. Hale", "Hale"), Gender.MALE),
    Character("robert-stone", "Robert Stone", ("Robert Stone", "Robert"), Gender.MALE),
)
PATTERNS = (*predicates.PATTERNS, *appositions.PATTERNS)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_pattern_gives_the_description_of_its_example(
    pattern: PredicatePattern | AppositionPattern,
) -> None:
    body = Span(0, len(pattern.example))
    antecedents = {match.start(): 0 for match in re.finditer("her ", pattern.example)}
    descriptions = automatic.find_descriptions(
        pattern.example, [body], [], CAST, antecedents=antecedents
    )
    assert pattern.description in [description.text for description in descriptions]


def test_patterns_have_names_and_examples_of_their_own() -> None:
    assert len({pattern.name for pattern in PATTERNS}) == len(PATTERNS)
    assert len({pattern.example for pattern in PATTERNS}) == len(PATTERNS)
    assert all(pattern.example and pattern.description for pattern in PATTERNS)
