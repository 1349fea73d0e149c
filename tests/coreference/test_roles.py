"""The roles that a book gives its people, by the mentions of them."""

from __future__ import annotations

import numpy as np
import pytest

from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.coreference.role_votes import NounPhrase, find_noun
from scholar_indexes.coreference.roles import FEATURES, FEATURES_OWNED, BookRoles
from scholar_indexes.types import Character, Gender, Span

ANN, TOM, BELL, MRS_BELL, CURATE = range(5)
CAST = (
    Character("ann", "Ann Bell", ("Ann", "Ann Bell"), Gender.FEMALE),
    Character("tom", "Tom", ("Tom",), Gender.MALE),
    Character("bell", "Mr. Bell", ("Mr. Bell",), Gender.MALE),
    Character("mrs-bell", "Mrs. Bell", ("Mrs. Bell",), Gender.FEMALE),
    Character("curate", "the curate", ("the curate",), Gender.UNKNOWN),
)


def read(text: str, cast: tuple[Character, ...] = CAST) -> BookRoles:
    """Return the roles of a text in which "[Tom:1]" is a mention of character 1; mentions may be
    nested."""
    plain, places, open_places = "", [], []
    at = 0
    while at < len(text):
        if text[at] == "[":
            open_places.append(len(plain))
        elif text[at] == ":" and open_places and text[at + 2 : at + 3] == "]":
            places.append((open_places.pop(), len(plain), int(text[at + 1])))
            at += 2
        else:
            plain += text[at]
        at += 1
    starts, ends, characters = np.array(sorted(places), np.int64).reshape(-1, 3).T
    nowhere = People(*(np.zeros(0, np.int64) for _ in range(3)))
    return BookRoles(plain, BookPeople(cast, People(starts, ends, characters), nowhere))


def owned(book: BookRoles, owner: int, noun: str, feature: str) -> dict[int, float]:
    """Return the characters with a feature for a noun of an owner, with its values."""
    column = book.features_owned(owner, noun)[:, FEATURES_OWNED.index(feature)]
    return {number: round(float(value), 2) for number, value in enumerate(column) if value}


def called(book: BookRoles, phrase: NounPhrase, feature: str) -> set[int]:
    """Return the characters with a feature for a phrase."""
    column = book.features(phrase)[:, FEATURES.index(feature)]
    return set(np.flatnonzero(column > 0).tolist())


@pytest.mark.parametrize(
    ("text", "noun", "modifiers"),
    [
        ("the old clerk who sat there", "clerk", ("old",)),
        ("clerk of the court", "clerk", ()),
        ("little cousin Tom", "cousin", ("little",)),
        ("half-brother", "half-brother", ()),
    ],
)
def test_the_noun_of_a_phrase_is_found(text: str, noun: str, modifiers: tuple[str, ...]) -> None:
    assert find_noun(text) == NounPhrase(modifiers, noun)


@pytest.mark.parametrize("text", ["the old house", "Tom", "", "of the clerk"])
def test_a_phrase_without_a_noun_for_a_person_has_none(text: str) -> None:
    assert find_noun(text) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[[her:0] brother:1] came.", id="a pronoun owns"),
        pytest.param("[[Ann:0]'s brother:1] came.", id="a name owns"),
        pytest.param("[[Ann:0]’s little brother:1] came.", id="a curly apostrophe, an adjective"),
    ],
)
def test_a_noun_phrase_is_a_vote_for_a_relative(text: str) -> None:
    book = read(text)
    assert owned(book, ANN, "brother", "votes") == {TOM: 0.69}
    assert not owned(book, TOM, "brother", "votes")


def test_a_relative_whose_owner_is_not_known_is_nobodys() -> None:
    book = read("[her brother:1] came to [Ann:0].")
    assert not owned(book, ANN, "brother", "votes")
    assert not called(book, NounPhrase((), "brother"), "votes")


def test_a_relation_of_one_character_implies_the_relation_of_the_other() -> None:
    book = read("[[his:1] sister:0] came.")
    assert owned(book, ANN, "brother", "votes for a like noun") == {TOM: 0.69}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[her:0] brother [Tom:1] came", id="before"),
        pytest.param("[her:0] brother, [Tom:1], came", id="before, between commas"),
        pytest.param("[Ann:0]'s brother [Tom:1] came", id="of a name"),
        pytest.param("[Tom:1], [her:0] brother, came", id="behind"),
        pytest.param("[Tom:1] was [her:0] only brother.", id="predicate"),
    ],
)
def test_a_noun_next_to_a_name_is_a_vote_of_its_own(text: str) -> None:
    assert owned(read(text), ANN, "brother", "beside a name") == {TOM: 0.69}


def test_a_noun_before_a_comma_and_a_clause_is_not_next_to_the_name() -> None:
    assert not owned(read("to [her:0] brother, [Tom:1] said"), ANN, "brother", "beside a name")


def test_titles_reveal_a_couple_and_a_parent() -> None:
    book = read("[Mr. Bell:2] and [Mrs. Bell:3] and [Ann:0]")
    assert owned(book, BELL, "wife", "a couple by title") == {MRS_BELL: 1.0}
    assert owned(book, MRS_BELL, "husband", "a couple by title")[BELL] == 1.0
    assert owned(book, ANN, "mother", "a couple by title") == {MRS_BELL: 1.0}
    assert owned(book, BELL, "daughter", "a couple by title") == {MRS_BELL: -1.0}


def test_relatives_share_a_surname_and_acquaintances_need_not() -> None:
    book = read("[Ann:0]")
    assert owned(book, ANN, "father", "same surname") == {ANN: 1.0, BELL: 1.0, MRS_BELL: 1.0}
    assert not owned(book, ANN, "friend", "same surname")


def test_a_name_near_the_mention_of_a_relative_counts() -> None:
    far = " and so on" * 60
    book = read(f"[her:0] aunt and [Mrs. Bell:3] came.{far} [Ann:0] sat.{far} [Ann:0] ate.{far}")
    near = owned(book, ANN, "aunt", "named where mentioned")
    assert near[MRS_BELL] > 0
    assert TOM not in near


def test_one_who_is_called_so_is_known_by_the_noun() -> None:
    book = read("[the clerk:1] wrote. [Tom:1], the young clerk, wrote. [the tall clerk:2] slept.")
    assert called(book, NounPhrase((), "clerk"), "votes") == {TOM, BELL}
    assert called(book, NounPhrase((), "clerk"), "beside a name") == {TOM}
    assert called(book, NounPhrase(("tall",), "clerk"), "votes with the modifiers") == {BELL}
    assert called(book, NounPhrase((), "secretary"), "votes for a like noun") == {TOM, BELL}
    assert called(book, NounPhrase((), "curate"), "alias") == {CURATE}


def test_a_relative_has_the_gender_of_the_noun_and_is_another_person() -> None:
    book = read("[Ann:0]")
    assert np.flatnonzero(book.may_be("sister", ANN)).tolist() == [MRS_BELL, CURATE]


def test_the_kin_of_a_narrator_is_known_by_alias() -> None:
    cast = (
        Character("i", "the narrator", ("the narrator",), narrator=True),
        Character("aunt", "my aunt", ("my aunt",), Gender.FEMALE),
    )
    book = read("[I:0] met [my aunt:1].", cast)
    assert set(owned(book, 0, "aunt", "beside a name")) == {1}


def test_the_share_of_a_narrator_is_of_the_whole_text() -> None:
    cast = (
        Character("all", "Ann", ("Ann",), narrator=True),
        Character("half", "Tom", ("Tom",), narrator=True, narrates=(Span(0, 5),)),
        Character("none", "Bell", ("Bell",)),
    )
    book = read("[0:0]123456789", cast)
    assert [book.share_told(number) for number in range(3)] == [1.0, 0.5, 0.0]


def test_a_book_in_which_nobody_is_meant_has_no_roles() -> None:
    nowhere = People(*(np.zeros(0, np.int64) for _ in range(3)))
    book = BookRoles("Nothing.", BookPeople((), nowhere, nowhere))
    assert book.features(NounPhrase((), "clerk")).shape == (0, len(FEATURES))
