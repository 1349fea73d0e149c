"""Claims as read by a book with known people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.coreference.people import SentencePeople
from scholar_indexes.retrieval.phrases import MeantPhrase, PhraseResolver
from scholar_indexes.retrieval.readings import NameIndex, Reading, may_name, names_within
from scholar_indexes.types import Character, Gender, Span

CAST = (
    Character("pip", "Pip", ("Pip", "Philip Pirrip"), Gender.MALE),
    Character("havisham", "Miss Havisham", ("Miss Havisham",), Gender.FEMALE),
    Character("estella", "Estella", ("Estella",), Gender.FEMALE),
    Character("smike", "the convict", ("the convict",), Gender.UNKNOWN),
    Character("sister", "Mrs. Joe Gargery", ("Mrs. Joe Gargery", "Mrs. Joe"), Gender.FEMALE),
    Character("joe", "Joe Gargery", ("Joe Gargery", "Joe"), Gender.MALE),
)
PRESENT = SentencePeople(CAST, np.arange(12), np.array([0, 0, 0, 0, 1, 2, 2, 3, 4, 5, 5, 5]))


@pytest.fixture
def names() -> NameIndex:
    return NameIndex(PRESENT)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        pytest.param("Pip is ashamed of home", "he is ashamed of home", id="subject"),
        pytest.param("why does Pip lie", "why does he lie", id="subject of a question"),
        pytest.param("Estella torments Pip", "she torments him", id="object"),
        pytest.param("Pip's shame", "his shame", id="owner"),
        pytest.param("pip’s shame", "his shame", id="small letters, curly apostrophe"),
        pytest.param("Miss Havisham's stopped clocks", "her stopped clocks", id="title"),
        pytest.param("Havisham hates men", "she hates men", id="surname alone"),
        pytest.param("Philip Pirrip grows up", "he grows up", id="another name"),
        pytest.param("the convict frightens Pip", "someone frightens him", id="described"),
        pytest.param("Joe is kind", "he is kind", id="of several the one who is there more"),
        pytest.param("Mrs. Joe is cruel", "she is cruel", id="the longest name"),
    ],
)
def test_pronouns_replace_names(names: NameIndex, claim: str, text: str) -> None:
    reading = names.read(claim)
    assert reading is not None
    assert reading.text == text


def test_names_are_no_words_of_the_claim(names: NameIndex) -> None:
    reading = names.read("Miss Havisham's love for Estella")
    assert reading is not None
    assert reading.people == (1, 2)
    assert reading.words.split() == ["love", "for"]


def test_every_name_is_read_as_a_pronoun(names: NameIndex) -> None:
    reading = names.read("Estella teaches Pip shame, and Estella laughs at Joe")
    assert reading is not None
    assert reading.people == (2, 0, 5)
    assert reading.text == "she teaches him shame, and her laughs at him"


@pytest.mark.parametrize(
    "claim",
    ["", "the mist on the marshes", "a joke about ships", "Drummle", "Joe Willet serves ale"],
)
def test_a_claim_that_names_nobody_of_the_book_has_no_reading(names: NameIndex, claim: str) -> None:
    assert names.read(claim) is None


def test_a_name_alone_stays_what_is_looked_for(names: NameIndex) -> None:
    reading = names.read("Miss Havisham")
    assert reading is not None
    assert (reading.text, reading.words, reading.people) == ("Miss Havisham", "", (1,))


def test_a_book_in_which_nobody_speaks_has_nobody_to_name() -> None:
    nobody = SentencePeople((), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert NameIndex(nobody).read("Pip is ashamed") is None


@given(st.text(max_size=80))
def test_any_text_can_be_read(claim: str) -> None:
    reading = NameIndex(PRESENT).read(f"Pip and {claim}")
    assert reading is not None
    assert 0 in reading.people


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("Pip is ashamed", True, id="name first"),
        pytest.param("the shame of Pip", True, id="name last"),
        pytest.param("the shame of a boy", False, id="no capital"),
        pytest.param("The shame of a boy", False, id="a function word first"),
    ],
)
def test_a_capital_may_be_a_name(claim: str, expected: bool) -> None:
    assert may_name(claim) is expected


def test_a_name_alone_stays_as_it_is(names: NameIndex) -> None:
    reading = names.read("Miss Havisham")
    assert reading is not None
    assert reading.text == "Miss Havisham"


def test_a_shared_name_means_the_character_in_most_sentences() -> None:
    people = SentencePeople(CAST, np.arange(4), np.array([4, 4, 5, 4]))
    reading = NameIndex(people).read("Gargery is cruel")
    assert reading is not None
    assert reading.people == (4,)
    as_often = SentencePeople(CAST, np.arange(4), np.array([4, 4, 5, 5]))
    first = NameIndex(as_often).read("Gargery is cruel")
    assert first is not None
    assert first.people == (4,)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        pytest.param("shame torments Pip", "shame torments him", id="behind a verb"),
        pytest.param("because Pip is ashamed", "because he is ashamed", id="behind a conjunction"),
        pytest.param("Pip", "Pip", id="nothing else"),
    ],
)
def test_a_name_is_a_subject_by_the_word_before_it(names: NameIndex, claim: str, text: str) -> None:
    reading = names.read(claim)
    assert reading is not None
    assert reading.text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She met\n    Kim at the gate.", True),
        ("Tea was poured; Kim drank.", True),
        ("Kim drank. Kim left.", False),
        ("She met Kimball at the gate.", False),
        ("“Kim!” she cried.", False),
        ("", False),
    ],
)
def test_a_name_within_a_sentence_is_told_from_a_first_word(text: str, expected: bool) -> None:
    assert names_within(text, ["Ann", "Kim"]) is expected


def test_no_names_are_within_any_text() -> None:
    assert not names_within("She met Kim at the gate.", [])


OSBORNES = (
    Character("george", "George Osborne", ("George", "Osborne"), Gender.MALE),
    Character("father", "Mr. Osborne", ("Mr. Osborne",), Gender.MALE),
    Character("nobody", "Mr. Nobody", ("Mr. Nobody",), Gender.MALE),
    Character("tapeworm", "Tapeworm", ("Tapeworm",), Gender.MALE),
    Character("clerk", "Mr. Tapeworm", ("Mr. Tapeworm",), Gender.MALE),
)


def read_osbornes(claim: str, *counts: int) -> tuple[int, ...]:
    """Return the people in a claim, given the number of sentences with each of OSBORNES."""
    characters = np.repeat(np.arange(len(counts)), counts)
    people = SentencePeople(OSBORNES, np.arange(len(characters)), characters)
    reading = NameIndex(people).read(claim)
    return reading.people if reading else ()


def test_a_name_means_who_is_called_so_and_not_another_of_that_surname() -> None:
    assert read_osbornes("Osborne gambles", 10, 400, 5, 5, 5) == (0,)


def test_an_elder_is_the_one_with_the_title() -> None:
    assert read_osbornes("old Osborne disowns his son", 400, 10, 5, 5, 5) == (1,)
    assert read_osbornes("young Osborne marries", 400, 10, 5, 5, 5) == (0,)
    assert read_osbornes("old George", 400, 10, 5, 5, 5) == (0,)


def test_a_surname_alone_does_not_mean_who_is_hardly_in_the_book() -> None:
    assert read_osbornes("Tapeworm dines", 300, 50, 5, 2, 9) == (4,)
    assert read_osbornes("Tapeworm dines", 300, 50, 5, 2, 2) == ()
    assert read_osbornes("Mr. Tapeworm dines", 300, 50, 5, 2, 2) == (4,)


@pytest.mark.parametrize("claim", ["Nobody loves him", "there is nobody to blame"])
def test_the_word_nobody_is_not_a_name(claim: str) -> None:
    assert read_osbornes(claim, 9, 9, 9, 9, 9) == ()


def test_the_word_nobody_after_a_title_is_a_name() -> None:
    assert read_osbornes("Mr. Nobody calls", 9, 9, 9, 9, 9) == (2,)


class Resolver:
    """Resolves "her friend" to the second character of the cast."""

    def resolve(self, claim: str, names: Mapping[Span, int]) -> list[MeantPhrase]:
        start = claim.index("her friend")
        whole = Span(start, start + len("her friend") + 2 * ("friend's" in claim))
        return [MeantPhrase(Span(start, start + len("her friend")), whole, 1)]


def read_phrase(claim: str, about: Sequence[int] = ()) -> Reading:
    resolver = cast(PhraseResolver, Resolver())
    reading = NameIndex(PRESENT).read(claim, lambda names_somebody: resolver, about)
    assert reading is not None
    return reading


def test_a_phrase_keeps_its_words() -> None:
    reading = read_phrase("Estella leaves her friend's house to Pip")
    assert reading.people == (2, 1, 0)
    assert reading.text == "she leaves her friend's house to him"
    assert reading.words.split() == ["leaves", "her", "friend's", "house", "to"]
    assert reading.meant == (("her friend", 1),)


def test_a_claim_without_a_name_can_mean_somebody() -> None:
    reading = read_phrase("her friend lies")
    assert (reading.people, reading.text) == ((1,), "her friend lies")


def test_characters_named_by_the_reader_take_precedence() -> None:
    assert read_phrase("her friend lies", [5]).meant == (("her friend", 5),)
    assert read_phrase("the mist", [5]).people == (5,)
    assert read_phrase("Joe lies", [5]).people == (5,)


def test_a_narrator_in_nearly_every_passage_is_not_looked_for_as_an_owner() -> None:
    narrator = Character("pip", "Pip", ("Pip",), Gender.MALE, narrator=True)
    people = SentencePeople((narrator, *CAST[1:]), np.arange(10), np.array([0] * 8 + [1, 2]))
    resolver = cast(PhraseResolver, OwnedResolver())
    names = NameIndex(people)
    owner = names.read("Pip's guardian is proud", lambda names_somebody: resolver)
    assert owner is not None
    assert owner.people == (1,)
    named = names.read("Pip's guardian is proud of Pip", lambda names_somebody: resolver)
    assert named is not None
    assert named.people == (0, 1)
    rarely = SentencePeople((narrator, *CAST[1:]), np.arange(10), np.array([0] * 3 + [1] * 7))
    seldom = NameIndex(rarely).read("Pip's guardian is proud", lambda names_somebody: resolver)
    assert seldom is not None
    assert seldom.people == (0, 1)


class OwnedResolver:
    """Resolves "Pip's guardian" to the second character of the cast."""

    def resolve(self, claim: str, names: Mapping[Span, int]) -> list[MeantPhrase]:
        return [MeantPhrase(Span(0, 14), Span(6, 14), 1)]
