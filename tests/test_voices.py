"""How alike a quotation is to what else somebody says."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.speakers import voices
from scholar_indexes.speakers.voices import LIKENESS, MOST, Voices

KIT, FAN = 0, 1


def heard(*said: str, who: list[int], named: list[set[int]] | None = None) -> Voices:
    return Voices([voices.words(each) for each in said], named or [set()] * len(said), who)


def test_words_are_counted_in_lower_case_with_the_marks_that_give_a_tone() -> None:
    assert voices.words("Dey ain't, DEY ain’t!") == {"dey": 2, "ain't": 1, "ain’t": 1, "!": 1}


def test_a_turn_of_speech_points_to_whose_it_is() -> None:
    voice = heard(
        "Dey ain't gwine, dey ain't", "We are going, we are", "Dey ain't", "We are",
        who=[FAN, KIT, -1, -1],
    )  # fmt: skip
    assert voice.likeness(2, FAN)[0] > 0 > voice.likeness(2, KIT)[0]
    assert voice.likeness(3, KIT)[0] > 0 > voice.likeness(3, FAN)[0]


def test_whom_a_quotation_names_points_to_who_speaks_of_them() -> None:
    voice = heard("a", "b", "c", "d", who=[KIT, FAN, -1, -1], named=[{7}, {8}, {7}, {8}])
    assert voice.likeness(2, KIT)[3] > voice.likeness(2, FAN)[3]
    assert voice.likeness(3, FAN)[3] > voice.likeness(3, KIT)[3]


def test_nobody_is_thought_to_speak_like_themselves_for_the_very_quotation_in_question() -> None:
    """Else a first guess, right or wrong, would prove itself."""
    said = ("Dey is dat", "We are going", "We are here")
    assert heard(*said, who=[FAN, KIT, KIT]).likeness(0, FAN) == pytest.approx(
        heard(*said, who=[-1, KIT, KIT]).likeness(0, FAN)
    )


def test_of_someone_unheard_nothing_is_known() -> None:
    ratio, _, known, by_names, _, names = heard("Go", "Stay", who=[KIT, -1]).likeness(1, 5)
    assert (ratio, known, by_names, names) == (0, 0, 0, 0)


def test_a_quotation_that_names_the_candidate_says_so() -> None:
    voice = heard("Come, Kit", who=[-1], named=[{KIT}])
    assert [voice.likeness(0, each)[5] for each in (KIT, FAN)] == [1, 0]


@given(
    st.lists(
        st.tuples(st.text("ab !?-'’", max_size=30), st.integers(-1, 3), st.sets(st.integers(0, 3))),
        min_size=1,
        max_size=12,
    )
)
def test_every_likeness_is_a_bounded_number(told: list[tuple[str, int, set[int]]]) -> None:
    voice = Voices(
        [voices.words(said) for said, _, _ in told],
        [named for _, _, named in told],
        [who for _, who, _ in told],
    )
    for number in range(len(told)):
        for who in range(4):
            found = voice.likeness(number, who)
            assert len(found) == LIKENESS
            assert all(math.isfinite(each) for each in found)
            assert max(map(abs, found[:2])) <= MOST
