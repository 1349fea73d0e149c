"""The features of each candidate, and the answers of a network that reads them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import features, linear_chain
from scholar_indexes.attribution.features import (
    BETWEEN,
    FEATURES,
    MOST,
    BookFeatures,
    CandidateRows,
    Guesses,
)
from scholar_indexes.attribution.linear_chain import TurnScorer
from scholar_indexes.attribution.name_roles import find_roles
from scholar_indexes.attribution.presence import MOST_ABSENT
from scholar_indexes.attribution.sieve import Sieve
from scholar_indexes.attribution.trained import UNNAMED, Attributor
from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character, Gender, Quotation, QuoteKind, Span

ANN = Character("ann", "Ann", ("Ann",), Gender.FEMALE)
BEN = Character("ben", "Ben", ("Ben",), Gender.MALE)
TELLER = Character("narrator", "the narrator", ("the narrator",), narrator=True)
TALK = '"Go on," said Ann to Ben.\n\n"No, Ann."\n\n"Why?"\n\nBen wept.'


def quoted(text: str) -> list[Quotation]:
    return [Quotation((Span(*match.span(1)),)) for match in re.finditer('"([^"]+)"', text)]


def read(text: str, cast: tuple[Character, ...] = (ANN, BEN)) -> Sieve:
    sieve = Sieve(text, quoted(text), cast)
    sieve.run()
    return sieve


def candidate_rows(text: str, cast: tuple[Character, ...] = (ANN, BEN)) -> CandidateRows:
    sieve = read(text, cast)
    return features.extract_features(BookFeatures(sieve), features.guess_by_rules(sieve))


def values_of(rows: CandidateRows, number: int) -> dict[int, np.ndarray]:
    """Return the feature rows of a quotation by candidate."""
    first, end = rows.edges[number : number + 2]
    return dict(zip(rows.characters[first:end].tolist(), rows.values[first:end], strict=True))


def test_everyone_near_a_quotation_is_a_candidate_once() -> None:
    rows = candidate_rows(TALK)
    for number in range(3):
        assert sorted(values_of(rows, number)) == [0, 1]


def test_the_narrator_is_always_a_candidate() -> None:
    rows = candidate_rows('"It rained."', (ANN, TELLER))
    assert list(values_of(rows, 0)) == [1]


def test_a_description_of_a_single_scene_speaks_only_by_its_cue() -> None:
    turnkey = Character("turnkey", "the turnkey", ("the turnkey",))
    text = 'Ann saw Ben. "Well?" said the turnkey. Ann wept.'
    assert list(values_of(candidate_rows(text, (ANN, BEN, turnkey)), 0)) == [2]
    often = "The turnkey rose. " * features.RARELY_DESCRIBED + text
    assert sorted(values_of(candidate_rows(often, (ANN, BEN, turnkey)), 0)) == [0, 1, 2]


def test_a_cue_speaks_for_whom_it_names_and_against_the_others() -> None:
    first = values_of(candidate_rows(TALK), 0)
    assert first[0][:2].tolist() == [1, 0]
    assert first[1][:2].tolist() == [0, 1]


def test_better_guesses_at_who_says_what_else_change_the_evidence() -> None:
    sieve = read(TALK)
    mine = features.extract_features(BookFeatures(sieve), Guesses([0, 1, 0], [1.0, 1.0, 1.0]))
    other = features.extract_features(BookFeatures(sieve), Guesses([1, 0, 1], [1.0, 1.0, 1.0]))
    assert (mine.characters == other.characters).all()
    assert not np.array_equal(mine.values, other.values)


@pytest.mark.parametrize(
    ("text", "owner", "thing", "acts", "opens"),
    [
        pytest.param("Ann looked up.", 0, 0, 1, 1, id="the subject of a sentence"),
        pytest.param("Then Ann quickly turned.", 0, 0, 1, 0, id="a subject within one"),
        pytest.param("He spoke to Ann.", 0, 1, 0, 0, id="spoken to"),
        pytest.param("Ann's hat fell.", 1, 0, 0, 0, id="an owner"),
        pytest.param("Ann’s hat fell.", 1, 0, 0, 0, id="an owner, curly"),
        pytest.param("It rained; Ann, who had slept, woke.", 0, 0, 1, 1, id="a subject set apart"),
        pytest.param("Letters from Jane Lee, Ann, and Tom.", 0, 1, 0, 0, id="in a list"),
        pytest.param("To Jane, Ann seemed ill.", 0, 0, 1, 1, id="after another's part"),
    ],
)
def test_a_name_plays_a_part_in_its_sentence(
    text: str, owner: bool, thing: bool, acts: bool, opens: bool
) -> None:
    (mention,) = mentions.find_mentions(text, [ANN])
    assert find_roles(text, mention) == (owner, thing, acts, opens)


def test_a_manner_of_speaking_supports_a_candidate() -> None:
    """Of two possible speakers, one has said "dey" before."""
    ann, ben = "\"Dey ain't gwine, dey ain't,\" said Ann.", '"We are going, we are," said Ben.'
    text = f'{ann}\n\n{ben}\n\n{"It rained. " * 9}\n\nAnn met Ben.\n\n"Dey ain\'t."'
    sieve = read(text)
    known = Guesses([0, 1, -1], [1.0, 1.0, 0.0])
    nobody = Guesses([-1, -1, -1], [0.0, 0.0, 0.0])
    changed = (
        values_of(features.extract_features(BookFeatures(sieve), known), 2),
        values_of(features.extract_features(BookFeatures(sieve), nobody), 2),
    )
    begin = features.GROUPS["voices"].start
    voice = slice(begin, begin + 2)
    assert changed[0][0][voice].min() > 0 > changed[0][1][voice].max()
    assert not changed[1][0][voice].any()


def test_a_book_without_characters_has_no_candidates() -> None:
    rows = candidate_rows(TALK, ())
    assert rows.values.shape == (0, FEATURES)
    assert rows.edges.tolist() == [0, 0, 0, 0]


def test_hundreds_of_names_around_give_a_bounded_number_of_candidates() -> None:
    cast = tuple(
        Character(f"{a}{b}", f"Q{a}{b}x", (f"Q{a}{b}x",)) for a in "abcdefgh" for b in "abcdefgh"
    )
    text = " ".join(character.name for character in cast) + ' came.\n\n"Why?"\n\n"No."'
    rows = candidate_rows(text, cast)
    assert np.diff(rows.edges).max() <= MOST


SPEECH = st.lists(
    st.sampled_from(
        ['"Go, Ann,"', "said Ann.", "Ben wept.", "\n\n", '"', "he said.", "I", '"No."']
    ),
    max_size=60,
).map(" ".join)


@given(SPEECH)
def test_values_are_few_finite_and_small(text: str) -> None:
    rows = candidate_rows(text, (ANN, BEN, TELLER))
    assert len(rows.edges) == len(quoted(text)) + 1
    assert np.isfinite(rows.values).all()
    assert np.abs(rows.values).max(initial=0) < 10


def believing(feature: int, weight: float = 9.0) -> TurnScorer:
    """Return a scorer that relies on one feature, and on no transition between quotations."""
    weights = np.zeros((FEATURES, 1), np.float32)
    weights[feature] = weight
    transition = np.zeros((BETWEEN, 2), np.float32), np.zeros(2, np.float32)
    return TurnScorer([(weights, np.zeros(1, np.float32))], [transition])


def test_the_best_candidate_is_the_answer_and_its_share_the_likelihood() -> None:
    guesses = linear_chain.decode(candidate_rows(TALK), [believing(0)])
    assert guesses.speakers[0] == 0
    assert guesses.probabilities[0] == pytest.approx(1, abs=1e-3)
    assert guesses.probabilities[1] == pytest.approx(0.5, abs=1e-3)


def test_without_candidates_a_quotation_has_no_speaker() -> None:
    attributions = Attributor([[believing(0)]], {})(TALK, quoted(TALK), ())
    assert [attribution.speaker for attribution in attributions] == [None, None, None]
    assert [attribution.confidence for attribution in attributions] == [0, 0, 0]


def test_an_answer_has_its_kind_its_evidence_and_a_calibrated_confidence() -> None:
    curves = {QuoteKind.EXPLICIT: [(0.0, 0.0), (1.0, 0.5)]}
    first, second, _ = Attributor([[believing(0)]], curves)(TALK, quoted(TALK), (ANN, BEN))
    assert (first.speaker, first.kind) == (ANN, QuoteKind.EXPLICIT)
    assert first.evidence is not None
    assert first.evidence.of(TALK) == "said Ann"
    assert first.confidence == pytest.approx(0.5, abs=1e-2)
    assert second.kind is QuoteKind.IMPLICIT


def test_a_name_that_is_called_is_the_evidence_for_who_answers() -> None:
    text = '"Come here, Ben."\n\n"Why?"\n\nAnn wept.'
    called = 5 + 5 + 13 + 7 + 5  # in the previous turn
    attributions = Attributor([[believing(called)]], {})(text, quoted(text), (ANN, BEN))
    assert attributions[1].speaker == BEN
    assert attributions[1].evidence is not None
    assert attributions[1].evidence.of(text) == "Ben"


def test_no_quotations_have_no_answers() -> None:
    assert Attributor([[believing(0)]], {})("It rained.", [], (ANN,)) == []


GIRL_TEXT = 'A girl came. "Come," said the girl.\n\n' + "Rain fell.\n\n" * 4 + '"Who?"\n\nAnn left.'


def test_somebody_without_a_name_is_a_candidate_only_in_that_conversation() -> None:
    place = GIRL_TEXT.index("the girl")
    girl = Character("girl", "the girl", (), Gender.FEMALE, described=(Span(place, place + 8),))
    rows = candidate_rows(GIRL_TEXT, (ANN, girl))
    assert sorted(values_of(rows, 0)) == [1]
    assert sorted(values_of(rows, 1)) == [0]


def test_an_absent_speaker_is_never_likely() -> None:
    text = 'Ann wept.\n\n* * *\n\nBen came.\n\n"Who is it?"'
    curves = {QuoteKind.IMPLICIT: [(0.0, 1.0), (1.0, 1.0)]}
    female = 5 + 3
    (answer,) = Attributor([[believing(female)]], curves)(text, quoted(text), (ANN, BEN))
    assert (answer.speaker, answer.confidence) == (ANN, MOST_ABSENT)
    assert MOST_ABSENT < 0.85


def test_a_scene_without_evidence_gives_no_confidence_above_one_half() -> None:
    text = 'Ann wept.\n\n* * *\n\n"Who is it?"\n\nRain fell.'
    curves = {QuoteKind.IMPLICIT: [(0.0, 1.0), (1.0, 1.0)]}
    (answer,) = Attributor([[believing(0)]], curves)(text, quoted(text), (ANN,))
    assert answer.confidence == 0.5


def test_an_unnamed_speaker_has_a_calibration_of_its_own() -> None:
    place = GIRL_TEXT.index("the girl")
    girl = Character("girl", "the girl", (), Gender.FEMALE, described=(Span(place, place + 8),))
    curves = {UNNAMED: [(0.0, 0.7), (1.0, 0.7)]}
    first, _ = Attributor([[believing(0)]], curves)(GIRL_TEXT, quoted(GIRL_TEXT), (ANN, girl))
    assert (first.speaker, first.confidence) == (girl, 0.7)
