"""Salience of characters in the narration: names, pronouns, scenes."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import salience
from scholar_indexes.attribution.name_roles import find_roles
from scholar_indexes.attribution.salience import Narration, SalienceState
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character, Gender, Quotation, Span

ANN = Character("ann", "Ann", ("Ann",), Gender.FEMALE)
CORA = Character("cora", "Cora", ("Cora",), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben",), Gender.MALE)
TELLER = Character("narrator", "the narrator", ("the narrator",), narrator=True)
CAST = (ANN, BEN, CORA)
HERE_LAST, HERE_FIRST, BEHIND, BEFORE, AFTER = range(salience.SLOTS)


def track(
    text: str, cast: tuple[Character, ...] = CAST, speakers: tuple[int, ...] | None = None
) -> list[SalienceState]:
    quotations = [Quotation((Span(*match.span(1)),)) for match in re.finditer('"([^"]+)"', text)]
    sieve = Sieve(text, quotations, cast)
    sieve.run()
    narration = Narration(sieve, [find_roles(text, mention) for mention in sieve.narrated])
    speakers = speakers or (-1,) * len(quotations)
    return salience.track_salience(
        narration, speakers, [float(speaker >= 0) for speaker in speakers]
    )


def foremost(text: str, cast: tuple[Character, ...] = CAST) -> Character:
    """Return the character most in focus at the last quotation."""
    near = track(text, cast)[-1].near
    return cast[max(near, key=lambda character: near[character])]


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        pytest.param('Ann woke. Ben slept.\n\n"Why?"', BEN, id="the last one named"),
        pytest.param('Ann saw Ben.\n\n"Why?"', ANN, id="a subject before an object"),
        pytest.param('Ann came. Ben slept. She rose. She sat.\n\n"Why?"', ANN, id="by a pronoun"),
        pytest.param('Ann came.\n\n* * *\n\nBen met Cora.\n\n"Why?"', BEN, id="of the same scene"),
    ],
)
def test_the_narration_is_about(text: str, whom: Character) -> None:
    assert foremost(text) is whom


def test_a_pronoun_never_means_somebody_whom_it_does_not_fit() -> None:
    (state,) = track('Ben and Ann met. She rose. "Why?"')
    slot = state.slots[HERE_LAST]
    assert slot is not None
    assert slot.shares == {0: 1.0}


def test_a_narrator_comes_into_focus_by_saying_i() -> None:
    assert foremost('Ann slept.\n\nThen I rose. "Why?"', (ANN, TELLER)) is TELLER


def test_a_new_scene_nearly_puts_the_old_one_out() -> None:
    before, after = (
        track(f'Ann came.\n\n{between}Ben woke.\n\n"Why?"')[0].far[0] for between in ("", "II\n\n")
    )
    assert after < before / 2


def test_speakers_are_salient_and_fade() -> None:
    text = '"Yes."\n\n"No."\n\nIt rained. It rained. It rained. It rained.\n\n"Why?"'
    first, second, third = track(text, speakers=(0, 1, -1))
    assert not first.near
    assert second.near == {0: 1.0}
    assert third.near[1] > third.near[0]


def test_an_answer_never_speaks_for_itself() -> None:
    """The text around a quotation is read as if its speaker were not known."""
    text = 'Ann and Cora met.\n\n"Why?" She rose.'
    assert track(text, speakers=(0,)) == track(text, speakers=(2,)) == track(text)


def test_the_sentences_next_to_a_quotation_have_subjects() -> None:
    text = 'Ann woke.\n\nCora came. Ben sat. "Why?" He rose.\n\nAnn wept.'
    (state,) = track(text)
    shares = [slot.shares if slot else None for slot in state.slots]
    assert shares[BEFORE] == {0: 1.0}
    assert shares[HERE_FIRST] == {2: 1.0}
    assert shares[HERE_LAST] == {1: 1.0}
    assert shares[BEHIND] == {1: 1.0}
    assert shares[AFTER] == {0: 1.0}
    assert [slot.is_named for slot in state.slots if slot] == [True, True, False, True, True]


def test_a_quotation_alone_has_no_sentences_next_to_it() -> None:
    first, second = track('"Why?"\n\n"No."')
    assert first.slots == second.slots == (None,) * salience.SLOTS


@pytest.mark.parametrize(
    "heading", ["* * *", "II", "CHAPTER IV. The End", "Chapter the Last", "[III]", "THE STORM"]
)
def test_headings_part_scenes(heading: str) -> None:
    text = f'Ann came.\n\n{heading}\n\nBen woke.\n\n"Why?"'
    assert track(text)[0].far[0] < 0.1


@pytest.mark.parametrize("paragraph", ["I rose.", "He said", '"STOP!"', "Part of it was gone."])
def test_short_paragraphs_are_no_headings(paragraph: str) -> None:
    assert track(f'Ann came.\n\n{paragraph}\n\nBen woke.\n\n"Why?"')[-1].far[0] > 0.2


WORDS = st.lists(
    st.sampled_from(
        ["Ann", "Ben", "she", "He", "I", "her", "said", ".", "!", "\n\n", '"Go."', '"', "* * *"]
    ),
    max_size=50,
).map(" ".join)


@given(WORDS)
def test_shares_are_shares(text: str) -> None:
    for state in track(text, (ANN, BEN, TELLER)):
        for shares in (
            state.near,
            state.far,
            *(slot.shares for slot in state.slots if slot),
        ):
            assert all(0 <= share <= 1 for share in shares.values())
            assert not shares or sum(shares.values()) == pytest.approx(1)


COUNT = Character("count", "Count Otto", ("Count Otto",), Gender.MALE)
DOCTOR = Character("doctor", "Dr. Lane", ("Dr. Lane",), Gender.MALE)
SMITH = Character("smith", "Colonel Smith", ("Colonel Smith",), Gender.MALE)
JONES = Character("jones", "Colonel Jones", ("Colonel Jones",), Gender.MALE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("said the count.", [("the count", 0)], id="a rank alone"),
        pytest.param("asked the doctor.", [("the doctor", 1)], id="a rank that is shortened"),
        pytest.param("The colonel sat.", [("The colonel", 2)], id="of several the first listed"),
        pytest.param(
            "Colonel Jones sat. The colonel rose.",
            [("Colonel Jones", 3), ("The colonel", 3)],
            id="of several the one named last",
        ),
        pytest.param("the Count Orlok rose", [], id="another of that rank"),
        pytest.param("he lost count; the admiral", [], id="nobody has it"),
    ],
)
def test_a_rank_alone_means_who_has_it(text: str, expected: list[tuple[str, int]]) -> None:
    cast = (COUNT, DOCTOR, SMITH, JONES)
    mentions_and_titles = mentions.find_mentions_and_titles(text, cast)
    assert [
        (mention.span.of(text), mention.character) for mention in mentions_and_titles
    ] == expected


@given(WORDS)
def test_ranks_leave_names_where_they_are(text: str) -> None:
    text += " the count and Count Otto"
    cast = (ANN, BEN, COUNT)
    named = mentions.find_mentions(text, cast)
    mentions_and_titles = mentions.find_mentions_and_titles(text, cast)
    assert [mention for mention in mentions_and_titles if mention in named] == named
    assert all(a.span.end <= b.span.start for a, b in pairwise(mentions_and_titles))
