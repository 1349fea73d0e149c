"""Descriptions that mean a named character throughout a book, and descriptions that do not."""

from __future__ import annotations

import pytest

from cast_texts import detect, detect_aliases
from scholar_indexes.coreference.described_identity import IDENTITY_RULES, IdentityEvidence

SCENERY = "The rain fell on the square and nobody went out before the evening came. " * 24
"""More words than there can be between two names in one scene."""

WALK = "went up the long hill beyond the river and the mill and the last of the houses"


def scenes(count: int, text: str) -> str:
    """Return a text `count` times, each in a scene of its own."""
    return "\n\n".join([f"{text} {SCENERY}"] * count)


def evidence(
    appositions: int = 0, places: int = 20, near: int = 0, in_scene: int = 0, expected: float = 0
) -> IdentityEvidence:
    return IdentityEvidence(appositions, places, near, in_scene, expected)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(evidence(), id="never together"),
        pytest.param(evidence(in_scene=11), id="in too few scenes"),
        pytest.param(evidence(in_scene=16, near=2), id="now and then in one sentence"),
        pytest.param(evidence(in_scene=16, expected=9), id="together by chance"),
        pytest.param(evidence(appositions=1, in_scene=4), id="one apposition in a few scenes"),
        pytest.param(evidence(appositions=1, in_scene=10, near=2), id="one apposition, and nearby"),
        pytest.param(evidence(appositions=2, in_scene=10, near=5), id="often nearby"),
        pytest.param(evidence(2, places=200, in_scene=20), id="mostly in other scenes"),
    ],
)
def test_a_name_and_a_description_that_may_be_two_people_stay_apart(case: IdentityEvidence) -> None:
    assert not any(rule.applies(case) for rule in IDENTITY_RULES)


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        pytest.param(evidence(appositions=2, in_scene=3), 0, id="explained twice"),
        pytest.param(evidence(appositions=1, in_scene=6), 1, id="explained once"),
        pytest.param(evidence(in_scene=13, near=1), 2, id="in many scenes"),
    ],
)
def test_each_rule_joins_what_it_is_for(case: IdentityEvidence, rule: int) -> None:
    assert [rule.applies(case) for rule in IDENTITY_RULES].index(True) == rule


def test_a_description_in_the_scenes_of_a_name_but_never_next_to_it_is_the_same_character() -> None:
    text = scenes(14, f"Mr. Homais bowed and {WALK}. “Good day,” said the druggist, and {WALK}.")
    assert {"Mr. Homais", "the druggist"} in detect_aliases(text)


def test_a_description_in_apposition_is_the_same_one() -> None:
    apposed = "Mr. Rankeillor, the lawyer, looked up. "
    text = apposed + scenes(11, f"“Well,” said Mr. Rankeillor, and {WALK}. “No,” said the lawyer.")
    assert {"Mr. Rankeillor", "the lawyer"} <= set(detect(text)[0].aliases)


def test_a_character_who_speaks_with_the_described_one_is_another() -> None:
    text = scenes(14, "“Good day,” said the druggist to Mr. Homais. “Good day,” said Mr. Homais.")
    assert {"Mr. Homais"} in detect_aliases(text)


def test_a_description_of_the_other_gender_is_another() -> None:
    text = scenes(14, f"Mr. Homais bowed and {WALK}. He sat. “Yes,” said the landlady, and {WALK}.")
    assert {"Mr. Homais"} in detect_aliases(text)


def test_a_relative_is_another_whatever_scenes_he_is_in() -> None:
    text = scenes(14, f"Mr. Branghton bowed and {WALK}. “Good day,” said the son, and {WALK}.")
    assert {"Mr. Branghton"} in detect_aliases(text)


def test_a_character_is_shown_by_a_name_and_not_by_a_description() -> None:
    text = scenes(
        14,
        f"Mr. Homais bowed and {WALK}. “Good day,” said the druggist, and {WALK}. “Yes,” said the "
        f"druggist, and {WALK}.",
    )
    [homais] = detect(text + SCENERY * 10)
    assert (homais.name, set(homais.aliases)) == ("Mr. Homais", {"Mr. Homais", "the druggist"})
