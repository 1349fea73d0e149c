"""The comparison of a cast with an annotated one."""

from __future__ import annotations

import pytest

from scholar_cli.laboratory.pdnc import casts
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.types import Character, Gender
from short_novels import find_quoted


def people(*aliases_of: tuple[str, ...]) -> tuple[Character, ...]:
    return tuple(Character(names[0], names[0], names, Gender.FEMALE) for names in aliases_of)


def test_b_cubed_is_as_by_hand() -> None:
    # Two mentions of a are cast as x and one as y; one of b is cast as y, another not at all.
    purity, completeness = casts.b_cubed({(0, 0): 2, (0, 1): 1, (1, 1): 1}, {0: 3, 1: 2})
    assert purity == pytest.approx((2 + 2 * 0.5) / 4)
    assert completeness == pytest.approx((2 * 2 / 3 + 1 / 3 + 1 / 2) / 5)


def test_each_annotated_character_is_answered_for_once() -> None:
    assert casts.match_greedily({(0, 0): 5, (1, 0): 4, (1, 1): 1}) == {0: 0, 1: 1}
    assert casts.match_greedily({(0, 0): 5, (1, 0): 4}) == {0: 0}


def test_a_cast_is_measured_where_it_meets_the_annotated_one() -> None:
    text = "“Yes,” said Emma. “No,” said Jane. " * 12
    spoken = find_quoted(text)
    novel = AnnotatedNovel(
        "n",
        text,
        people(("Emma",), ("Jane",)),
        tuple(map(str, range(24))),
        tuple(spoken),
        (0, 1) * 12,
        ("Explicit",) * 24,
    )
    right = casts.measure(novel, people(("Emma",), ("Jane",)))
    assert (right.speakers, right.said, right.purity, right.completeness) == (1, 1, 1, 1)
    assert (right.gender, right.narrator, right.strangers) == (1, 1, 0)
    half = casts.measure(novel, people(("Emma",)))
    assert (half.speakers, half.said, half.purity, half.completeness) == (0.5, 0.5, 1, 0.5)
    mixed = casts.measure(novel, people(("Emma", "Jane")))
    assert (mixed.speakers, mixed.purity, mixed.completeness) == (0.5, 0.5, 1)
