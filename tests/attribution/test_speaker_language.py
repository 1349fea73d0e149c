"""Similarity of a quotation to the other quotations of a speaker."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import speaker_language
from scholar_indexes.attribution.speaker_language import LIKENESS, LIMIT, SpeakerLanguage

KIT, FAN = 0, 1


def build_language(
    *quotations: str, speakers: list[int], named: list[set[int]] | None = None
) -> SpeakerLanguage:
    return SpeakerLanguage(
        [speaker_language.count_words(quotation) for quotation in quotations],
        named or [set()] * len(quotations),
        speakers,
    )


def test_words_are_counted_in_lower_case_with_the_marks_that_give_a_tone() -> None:
    assert speaker_language.count_words("Dey ain't, DEY ain’t!") == {
        "dey": 2,
        "ain't": 1,
        "ain’t": 1,
        "!": 1,
    }


def test_a_turn_of_speech_points_to_whose_it_is() -> None:
    voice = build_language(
        "Dey ain't gwine, dey ain't",
        "We are going, we are",
        "Dey ain't",
        "We are",
        speakers=[FAN, KIT, -1, -1],
    )
    assert voice.likeness(2, FAN)[0] > 0 > voice.likeness(2, KIT)[0]
    assert voice.likeness(3, KIT)[0] > 0 > voice.likeness(3, FAN)[0]


def test_names_in_a_quotation_indicate_its_speaker() -> None:
    voice = build_language(
        "a", "b", "c", "d", speakers=[KIT, FAN, -1, -1], named=[{7}, {8}, {7}, {8}]
    )
    assert voice.likeness(2, KIT)[3] > voice.likeness(2, FAN)[3]
    assert voice.likeness(3, FAN)[3] > voice.likeness(3, KIT)[3]


def test_a_quotation_is_not_compared_with_itself() -> None:
    """Otherwise a first guess, right or wrong, would confirm itself."""
    quotations = ("Dey is dat", "We are going", "We are here")
    assert build_language(*quotations, speakers=[FAN, KIT, KIT]).likeness(0, FAN) == pytest.approx(
        build_language(*quotations, speakers=[-1, KIT, KIT]).likeness(0, FAN)
    )


def test_a_speaker_without_quotations_has_no_language() -> None:
    ratio, _, known, by_names, _, names = build_language("Go", "Stay", speakers=[KIT, -1]).likeness(
        1, 5
    )
    assert (ratio, known, by_names, names) == (0, 0, 0, 0)


def test_a_quotation_that_names_the_candidate_says_so() -> None:
    voice = build_language("Come, Kit", speakers=[-1], named=[{KIT}])
    assert [voice.likeness(0, character)[5] for character in (KIT, FAN)] == [1, 0]


@given(
    st.lists(
        st.tuples(st.text("ab !?-'’", max_size=30), st.integers(-1, 3), st.sets(st.integers(0, 3))),
        min_size=1,
        max_size=12,
    )
)
def test_every_likeness_is_a_bounded_number(quotations: list[tuple[str, int, set[int]]]) -> None:
    voice = SpeakerLanguage(
        [speaker_language.count_words(words) for words, _, _ in quotations],
        [named for _, _, named in quotations],
        [speaker for _, speaker, _ in quotations],
    )
    for number in range(len(quotations)):
        for speaker in range(4):
            likeness = voice.likeness(number, speaker)
            assert len(likeness) == LIKENESS
            assert all(math.isfinite(value) for value in likeness)
            assert max(map(abs, likeness[:2])) <= LIMIT
