"""Remembered words: which passages count as containing them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.results import MatchKind
from scholar_indexes.retrieval.verbatim import (
    MOST_PLACES,
    SPREAD,
    fold_words,
    match_sentences,
    match_words,
)

TRUTH = "It is a truth universally acknowledged, that a single man must be in want of a wife."


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        pytest.param("the death of the king", "the death of the queen was known", id="a turn"),
        pytest.param("pride and prejudice in society", "his pride, and her prejudice", id="topic"),
        pytest.param("call me", "Call me Ishmael.", id="two words"),
        pytest.param(
            "John Willet treats his grown son like a little boy",
            "How can I go and apologise like a little boy?",
            id="a small part",
        ),
        pytest.param("a b c d e f g h", "a x b x c x d x e x f x g x h", id="scattered"),
        pytest.param("", "Call me Ishmael.", id="nothing"),
        pytest.param("call me Ishmael", "", id="an empty sentence"),
    ],
)
def test_too_little_is_no_match(claim: str, passage: str) -> None:
    assert match_words(fold_words(claim), fold_words(passage)) is None


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        pytest.param("call me ishmael", "Call me Ishmael.", id="case"),
        pytest.param("I'll go to hell", "“All right, then, I’ll _go_ to hell”--", id="marks"),
        pytest.param("a cafe in the rain", "She knew a café, in the rain.", id="accents"),
        pytest.param("to be or not to be", "To be, or not to be: that is", id="function words"),
    ],
)
def test_a_whole_claim_in_a_row_is_verbatim(claim: str, passage: str) -> None:
    match = match_words(fold_words(claim), fold_words(passage))
    assert match is not None
    assert match.kind is MatchKind.VERBATIM


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("a truth universally acknowledged by all of them, as she says", MatchKind.PARTLY),
        ("it is not a truth universally acknowledged", MatchKind.ALTERED),
        ("a single man in possession of a large fortune", MatchKind.ALTERED),
        ("a truth universally acknowledged " + "and more of the same " * 24, MatchKind.PARTLY),
    ],
)
def test_a_claim_that_is_not_all_there_is_never_verbatim(claim: str, kind: MatchKind) -> None:
    match = match_words(fold_words(claim), fold_words(TRUTH))
    assert match is None or match.kind is not MatchKind.VERBATIM
    if match is not None:
        assert match.kind is kind


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("a single man should be in need of a wife", id="two words wrong"),
        pytest.param("it is a great truth so universally acknowledged", id="words put in"),
    ],
)
def test_most_of_the_words_in_order_are_altered(claim: str) -> None:
    match = match_words(fold_words(claim), fold_words(TRUTH))
    assert match is not None
    assert match.kind is MatchKind.ALTERED
    assert match.share < 1


def test_whole_matches_come_first_and_what_spans_two_sentences_is_both() -> None:
    sentences = {
        4: "Badly done of you, he said.",
        7: "It was badly done, indeed!",
        8: "You, whom she had known from an infant.",
        20: "They said it was badly done.",
    }
    places = match_sentences("badly done, indeed! You", sentences)
    assert places[0][:2] == (7, 2)
    assert match_sentences("badly done indeed", sentences)[0][:2] == (7, 1)


def test_a_part_that_occurs_in_many_places_is_no_memory() -> None:
    sentences = {key: f"Lady Catherine de Bourgh came, {key}." for key in range(0, 20, 2)}
    assert match_sentences("the pride of Lady Catherine de Bourgh in her rank", sentences) == []
    assert len(match_sentences("Lady Catherine de Bourgh", sentences)) == 10


@given(st.lists(st.sampled_from(["whale", "sea", "the", "of", "ship"]), max_size=12), st.text())
def test_a_claim_that_occurs_in_a_passage_is_always_matched(words: list[str], text: str) -> None:
    match = match_words(words, [*fold_words(text), *words, "end"])
    assert (match is not None and match.share == 1) or len(words) < 3


TIME = "it was the best of times and the worst of lamps in the harbour"


def test_a_part_of_a_claim_that_occurs_everywhere_is_no_match() -> None:
    part = "it was the best of times and the worst of moths"
    few = {10 * key: part for key in range(MOST_PLACES)}
    assert len(match_sentences(TIME, few)) == MOST_PLACES
    assert match_sentences(TIME, {**few, 1_000: part}) == []
    whole = {**few, 1_000: part, 2_000: TIME}
    assert [place[0] for place in match_sentences(TIME, whole)] == [2_000]


def test_places_come_by_their_share_and_then_in_the_order_of_the_book() -> None:
    sentences = {30: TIME, 20: "it was the best of times and the worst of moths", 10: TIME}
    assert [(first, size) for first, size, _ in match_sentences(TIME, sentences)] == [
        (10, 1),
        (30, 1),
        (20, 1),
    ]


def test_words_that_are_spread_too_far_are_no_match() -> None:
    claim = fold_words("lamps burned while moths danced around harbour walls tonight")
    assert len(claim) == 9
    most = int(SPREAD * len(claim)) - len(claim)

    def spread(gap: int) -> list[str]:
        return [*claim[:3], *["xylo"] * gap, *claim[3:6], "xylo", *claim[6:]]

    assert match_words(claim, spread(most - 1)) is not None
    assert match_words(claim, spread(most)) is None
