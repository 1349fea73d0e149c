"""The bank that is made from automatic descriptions: what is fit for a question."""

from __future__ import annotations

import pytest

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.descriptions import automatic_bank
from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.characters.descriptions.bank import DescribedCharacter, DescriptionEvidence
from scholar_indexes.characters.descriptions.book_descriptions import BookDescriptions
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, Character, Gender, Span

FACTS = (
    "Mr. Hale married Jane.",
    "Mr. Hale built hives in a barn.",
    "Robert was born in Dublin.",
    "He sold eels.",
    "Her cousin, Mr. Hale, came.",
    "Robert flew his kite.",
    "Robert lost the key.",
    "Mr. Hale died.",
    "Mr. Hale met the sailor. He stole a ship.",
    "Mr. Hale met the sailor; and he built a boat.",
    "Mr. Hale was Marsh's cousin.",
    "Mr. Hale was Paul's cousin.",
)
TEXT = "\n\n".join(FACTS)
CHAPTER = Chapter(1, "", (), ChapterKind.CHAPTER, Span(0, len(TEXT)), Span(0, len(TEXT)))
BOOK = Book("own-x", "X", "A. B.", "en", "x.txt", "0" * 64)
OPENED = OpenBook.from_text(StoredBook(BOOK, 1, len(TEXT), 1, 1, "2026-01-01"), TEXT, [CHAPTER])


def person(gender: Gender, *aliases: str, narrator: bool = False) -> Character:
    return Character(aliases[0].lower().replace(" ", "-"), aliases[0], aliases, gender, narrator)


CAST = (
    person(Gender.FEMALE, "Jane Marsh", "Jane"),
    person(Gender.FEMALE, "Mrs. Gale"),
    person(Gender.MALE, "Mr. Hale", "Hale"),
    person(Gender.MALE, "Robert Stone", "Robert"),
    person(Gender.MALE, "Tom Webb", "Tom"),
    person(Gender.MALE, "the guardian"),
    person(Gender.MALE, "Paul Marsh", "Paul", "Marsh"),
)
JANE, GALE, HALE, ROBERT, TOM, GUARDIAN, PAUL = range(len(CAST))


def fact(
    character: int,
    kind: str,
    text: str,
    *places: int,
    score: float = 2.5,
    rivals: tuple[int, ...] = (),
) -> AutomaticDescription:
    """Return a description whose passages are the facts at the given places."""
    starts = [TEXT.index(FACTS[place]) for place in places]
    spans = (
        Span(start, start + len(FACTS[place])) for start, place in zip(starts, places, strict=True)
    )
    return AutomaticDescription(character, kind, text, tuple(spans), score, rivals)


MARRIED = fact(HALE, "deed", "the one who married {Jane Marsh}", 0)
BUILT_HIVES = fact(HALE, "deed", "the one who built hives in a barn", 1)
BORN = fact(ROBERT, "deed", "the one who was born in Dublin", 2)
KITE = fact(ROBERT, "motif", "the one often mentioned with the kite and the key", 5, 6)


def bank_of(*facts: AutomaticDescription) -> dict[str, DescribedCharacter]:
    bank = automatic_bank.to_bank(BookDescriptions(CAST, facts), OPENED.cite)
    return {entry.name: entry for entry in bank}


def texts(*facts: AutomaticDescription) -> list[str]:
    """Return the texts of the descriptions in the bank of facts."""
    bank = bank_of(*facts)
    return [item.text for entry in bank.values() for item in entry.descriptions]


@pytest.mark.parametrize(
    "unfit",
    [
        pytest.param(None, id="one fact"),
        pytest.param(fact(HALE, "deed", "the husband who married", 0), id="a word not there"),
        pytest.param(fact(HALE, "deed", "the one who sold eels", 3), id="a passage with no name"),
        pytest.param(fact(HALE, "deed", "the one who married", 0), id="one passage twice"),
        pytest.param(
            fact(HALE, "deed", "the one who stole a ship", 8), id="he, after another name"
        ),
        pytest.param(fact(HALE, "deed", "the one who built a boat", 9), id="he, in another clause"),
        pytest.param(
            fact(HALE, "relation", "the cousin of {Jane Marsh}", 4), id="a relative not named there"
        ),
        pytest.param(
            fact(HALE, "relation", "the cousin of {Paul Marsh}", 10), id="a surname of two people"
        ),
        pytest.param(fact(HALE, "relation", "the friend of {Jane Marsh}", 0), id="a friend"),
        pytest.param(fact(HALE, "deed", "the one who died", 7), id="what others did too"),
        pytest.param(
            fact(HALE, "deed", "the one who built hives", 1, score=1.0), id="not distinctive"
        ),
        pytest.param(
            fact(HALE, "deed", "the one who built hives", 1, rivals=(JANE, GALE, ROBERT, TOM)),
            id="true of nearly everybody",
        ),
    ],
)
def test_a_character_with_one_fit_fact_gets_no_questions(
    unfit: AutomaticDescription | None,
) -> None:
    assert texts(MARRIED, *([unfit] if unfit else [])) == []


def test_a_relation_to_somebody_by_name_is_a_fact() -> None:
    cousin = fact(HALE, "relation", "the cousin of {Paul Marsh}", 11)
    assert texts(cousin, BUILT_HIVES) == [cousin.text, BUILT_HIVES.text]


def test_a_character_of_two_facts_is_asked_about() -> None:
    assert texts(MARRIED, BUILT_HIVES, BORN) == [MARRIED.text, BUILT_HIVES.text]


def test_a_person_without_a_name_is_neither_asked_about_nor_a_choice() -> None:
    of_guardian = fact(HALE, "relation", "the brother of {the guardian}", 0)
    named_in = bank_of(MARRIED, BUILT_HIVES, of_guardian)
    assert list(named_in) == [
        "Jane Marsh",
        "Mrs. Gale",
        "Mr. Hale",
        "Robert Stone",
        "Tom Webb",
        "Paul Marsh",
    ]
    assert len(named_in["Mr. Hale"].descriptions) == 2


def test_the_genitive_of_a_name_is_no_word_of_a_fact() -> None:
    of_jane = fact(HALE, "deed", "the one who married {Jane Marsh}’s", 0)
    assert texts(of_jane, BUILT_HIVES) == [of_jane.text, BUILT_HIVES.text]


def test_motifs_are_proved_by_a_passage_for_each() -> None:
    (description,) = bank_of(KITE)["Robert Stone"].descriptions
    assert [proof.quote for proof in description.evidence] == [FACTS[5], FACTS[6]]


def test_rivals_are_known_by_name() -> None:
    built = fact(HALE, "deed", BUILT_HIVES.text, 1, rivals=(GALE,))
    first, second = bank_of(MARRIED, built)["Mr. Hale"].descriptions
    assert (first.rivals, second.rivals) == (set(), {"Mrs. Gale"})


def test_bank_has_levels_and_locators() -> None:
    descriptions = bank_of(MARRIED, BUILT_HIVES)["Mr. Hale"].descriptions
    assert [item.level for item in descriptions] == [2, 1]
    assert descriptions[0].evidence == (DescriptionEvidence("own-x:1.1:0-22", FACTS[0]),)
