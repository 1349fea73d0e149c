"""Whom the narration is about: names, pronouns, scenes."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.speakers import features, focus, mentions
from scholar_indexes.speakers.focus import Narration, Seen
from scholar_indexes.speakers.sieve import Sieve
from scholar_indexes.types import Character, Gender, Quotation, Span

ANN = Character("ann", "Ann", ("Ann",), Gender.FEMALE)
CORA = Character("cora", "Cora", ("Cora",), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben",), Gender.MALE)
TELLER = Character("narrator", "the narrator", ("the narrator",), narrator=True)
CAST = (ANN, BEN, CORA)
HERE_LAST, HERE_FIRST, BEHIND, BEFORE, AFTER = range(focus.SLOTS)


def seen(
    text: str, cast: tuple[Character, ...] = CAST, who: tuple[int, ...] | None = None
) -> list[Seen]:
    quotations = [Quotation((Span(*each.span(1)),)) for each in re.finditer('"([^"]+)"', text)]
    sieve = Sieve(text, quotations, cast)
    sieve.run()
    narration = Narration(sieve, [features.role(text, each) for each in sieve.told])
    speakers = who or (-1,) * len(quotations)
    return focus.seen(narration, speakers, [float(each >= 0) for each in speakers])


def foremost(text: str, cast: tuple[Character, ...] = CAST) -> Character:
    """Who is most in focus at the last quotation."""
    near = seen(text, cast)[-1].near
    return cast[max(near, key=lambda who: near[who])]


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
    (found,) = seen('Ben and Ann met. She rose. "Why?"')
    slot = found.slots[HERE_LAST]
    assert slot is not None
    assert slot.shares == {0: 1.0}


def test_a_narrator_comes_into_focus_by_saying_i() -> None:
    assert foremost('Ann slept.\n\nThen I rose. "Why?"', (ANN, TELLER)) is TELLER


def test_a_new_scene_nearly_puts_the_old_one_out() -> None:
    before, after = (
        seen(f'Ann came.\n\n{between}Ben woke.\n\n"Why?"')[0].far[0] for between in ("", "II\n\n")
    )
    assert after < before / 2


def test_who_speaks_is_in_focus_and_fades() -> None:
    text = '"Yes."\n\n"No."\n\nIt rained. It rained. It rained. It rained.\n\n"Why?"'
    first, second, third = seen(text, who=(0, 1, -1))
    assert not first.near
    assert second.near == {0: 1.0}
    assert third.near[1] > third.near[0]


def test_an_answer_never_speaks_for_itself() -> None:
    """What stands before and behind a quotation is read as if its speaker were not known."""
    text = 'Ann and Cora met.\n\n"Why?" She rose.'
    assert seen(text, who=(0,)) == seen(text, who=(2,)) == seen(text)


def test_the_sentences_beside_a_quotation_have_subjects() -> None:
    text = 'Ann woke.\n\nCora came. Ben sat. "Why?" He rose.\n\nAnn wept.'
    (found,) = seen(text)
    shares = [slot.shares if slot else None for slot in found.slots]
    assert shares[BEFORE] == {0: 1.0}
    assert shares[HERE_FIRST] == {2: 1.0}
    assert shares[HERE_LAST] == {1: 1.0}
    assert shares[BEHIND] == {1: 1.0}
    assert shares[AFTER] == {0: 1.0}
    assert [slot.named for slot in found.slots if slot] == [True, True, False, True, True]


def test_a_quotation_alone_has_no_sentences_beside_it() -> None:
    first, second = seen('"Why?"\n\n"No."')
    assert first.slots == second.slots == (None,) * focus.SLOTS


@pytest.mark.parametrize(
    "heading", ["* * *", "II", "CHAPTER IV. The End", "Chapter the Last", "[III]", "THE STORM"]
)
def test_headings_part_scenes(heading: str) -> None:
    text = f'Ann came.\n\n{heading}\n\nBen woke.\n\n"Why?"'
    assert seen(text)[0].far[0] < 0.1


@pytest.mark.parametrize("paragraph", ["I rose.", "He said", '"STOP!"', "Part of it was gone."])
def test_short_paragraphs_are_no_headings(paragraph: str) -> None:
    assert seen(f'Ann came.\n\n{paragraph}\n\nBen woke.\n\n"Why?"')[-1].far[0] > 0.2


WORDS = st.lists(
    st.sampled_from(
        ["Ann", "Ben", "she", "He", "I", "her", "said", ".", "!", "\n\n", '"Go."', '"', "* * *"]
    ),
    max_size=50,
).map(" ".join)


@given(WORDS)
@settings(max_examples=80, deadline=None)
def test_shares_are_shares(text: str) -> None:
    for each in seen(text, (ANN, BEN, TELLER)):
        for shares in (each.near, each.far, *(slot.shares for slot in each.slots if slot)):
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
    found = mentions.with_titles(text, cast)
    assert [(each.span.of(text), each.who) for each in found] == expected


@given(WORDS)
@settings(max_examples=60, deadline=None)
def test_ranks_leave_names_where_they_are(text: str) -> None:
    text += " the count and Count Otto"
    cast = (ANN, BEN, COUNT)
    named = mentions.find(text, cast)
    found = mentions.with_titles(text, cast)
    assert [each for each in found if each in named] == named
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))
