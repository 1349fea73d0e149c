"""The people of a novel: all mentions of characters, by the packaged resolver, and their cache."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.attribution.people import find_people
from scholar_indexes.coreference import people as cache
from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.coreference.resolver import model as resolver
from scholar_indexes.coreference.resolver.model import CoreferenceModel
from scholar_indexes.models import registry
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

ELIZABETH = Character("e", "Elizabeth Bennet", ("Elizabeth Bennet", "Elizabeth"), Gender.FEMALE)
DARCY = Character("d", "Mr. Darcy", ("Mr. Darcy", "Darcy"), Gender.MALE)
TELLER = Character("t", "Pip", ("Pip",), Gender.MALE, narrator=True)
TEXT = (
    "Mr. Darcy came into the room and bowed to Elizabeth. He was grave, and his face was pale. "
    "“I am glad that I may go,” said she. “You know my mother.”"
)


@pytest.fixture(scope="module")
def model() -> CoreferenceModel:
    return resolver.load(registry.find(resolver.DEFAULT_MODEL, Path("nowhere")), 1)


def dialogue_of(text: str, cast: tuple[Character, ...], *speakers: Character | None) -> Dialogue:
    quotations = [Quotation((Span(*match.span(1)),)) for match in re.finditer("“([^”]+)”", text)]
    attributions = [Attribution(speaker, QuoteKind.ANAPHORIC, None, 0.9) for speaker in speakers]
    return Dialogue(cast, tuple(quotations), tuple(attributions))


def read(model: CoreferenceModel, text: str, dialogue: Dialogue) -> list[tuple[str, str]]:
    """Return the words of each mention of a character, with the character's name."""
    people = find_people(text, dialogue, model).mentions
    return [
        (text[start:end], dialogue.cast[character].name)
        for start, end, character in zip(
            people.starts.tolist(), people.ends.tolist(), people.characters.tolist(), strict=True
        )
    ]


def test_names_pronouns_and_the_speaker_of_i_mean_characters(model: CoreferenceModel) -> None:
    cast = (ELIZABETH, DARCY)
    people = read(model, TEXT, dialogue_of(TEXT, cast, ELIZABETH, ELIZABETH))
    darcy = [words for words, name in people if name == DARCY.name]
    elizabeth = [words for words, name in people if name == ELIZABETH.name]
    assert darcy[:3] == ["Mr. Darcy", "He", "his"]
    assert elizabeth == ["Elizabeth", "I", "I", "she", "my"]  # neither "You" nor "my mother"


def test_i_in_the_narration_is_the_narrator(model: CoreferenceModel) -> None:
    text = "I went to the forge, and Joe looked at me. “I knew it,” said Joe."
    joe = Character("j", "Joe", ("Joe",), Gender.MALE)
    people = read(model, text, dialogue_of(text, (TELLER, joe), joe))
    assert [words for words, name in people if name == "Pip"] == ["I", "me"]
    assert [words for words, name in people if name == "Joe"] == ["Joe", "I", "Joe"]


def test_a_text_without_a_cast_has_no_mentions(model: CoreferenceModel) -> None:
    assert len(find_people("It rained. He left.", Dialogue((), (), ()), model).mentions) == 0
    assert len(find_people("", Dialogue((), (), ()), model).mentions) == 0


SENTENCES = np.array([[1, 1, 0, 9], [1, 1, 10, 20], [1, 2, 21, 30], [2, 1, 31, 40]], np.int32)
PEOPLE = BookPeople(
    (ELIZABETH, DARCY),
    People(np.array([0, 4, 32]), np.array([3, 9, 35]), np.array([1, 0, 1])),
    People(np.array([12]), np.array([28]), np.array([0])),
)


def test_a_sentence_has_whom_it_mentions_and_who_says_it() -> None:
    people = PEOPLE.in_sentences(SENTENCES)
    assert people.within(0, 1) == [ELIZABETH, DARCY]
    assert people.within(1, 3) == [ELIZABETH]
    assert people.within(0, 4) == [ELIZABETH, DARCY]  # she is in three sentences, he in two
    assert people.within(4, 9) == []
    assert people.sentences_with(0).tolist() == [0, 1, 2]
    assert people.sentences_with(1).tolist() == [0, 3]


def test_a_book_without_sentences_has_nobody_in_them() -> None:
    people = PEOPLE.in_sentences(np.zeros((0, 4), np.int32))
    assert people.within(0, 1) == []


@pytest.mark.parametrize(
    ("numbers", "filled"),
    [
        ([], []),
        ([3], [3]),
        ([0, 2], [0, 1, 2]),
        ([0, 3], [0, 3]),
        ([2, 4], [2, 4]),  # the fourth begins a chapter
    ],
)
def test_one_sentence_between_two_is_filled_in_within_a_chapter(
    numbers: list[int], filled: list[int]
) -> None:
    chapters = np.array([1, 1, 1, 1, 2, 2])
    assert cache.fill_gaps(np.array(numbers, np.int64), chapters) == filled


def test_people_are_kept_under_their_key(tmp_path: Path) -> None:
    cache.save(tmp_path, "key", PEOPLE)
    again = cache.load(tmp_path, "key", 40)
    assert again is not None
    assert again.cast == PEOPLE.cast
    for places in ("mentions", "speeches"):
        for name in ("starts", "ends", "characters"):
            kept = getattr(getattr(again, places), name)
            assert kept.tolist() == getattr(getattr(PEOPLE, places), name).tolist()
    assert cache.load(tmp_path, "other", 40) is None


def test_people_of_a_longer_book_are_not_taken(tmp_path: Path) -> None:
    cache.save(tmp_path, "key", PEOPLE)
    assert cache.load(tmp_path, "key", 34) is None


def test_people_who_are_not_in_the_cast_are_not_taken(tmp_path: Path) -> None:
    cache.save(tmp_path, "key", replace(PEOPLE, cast=(ELIZABETH,)))
    assert cache.load(tmp_path, "key", 40) is None


def test_a_damaged_file_counts_as_absent(tmp_path: Path) -> None:
    cache.save(tmp_path, "key", PEOPLE)
    file = tmp_path / cache.FILE
    file.write_bytes(file.read_bytes()[:-40])
    assert cache.load(tmp_path, "key", 40) is None
