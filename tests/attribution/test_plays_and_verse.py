"""Books other than novels: plays, whose headings name the speakers, and verse, which has none;
and novels of unusual forms."""

from __future__ import annotations

import pytest

from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.attribution.plays import read_play
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.profiles import character_profiles
from scholar_indexes.errors import NoMatch
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Book, Chapter, ChapterKind, Span

BOOK = Book("own-boat", "The Boat", "Ann Example", "en", "a test", "0" * 64)
CAPITALS = "ANNA.\nYou are late.\n\nMRS. WREN.\nThe boat was late.\n\n"
PLAYS = {
    "a line to the heading": CAPITALS,
    "a heading before the words": "ANNA. You are late.\n\nMRS. WREN. The boat was late.\n\n",
    "a colon": "ANNA: You are late.\n\nMRS. WREN: The boat was late.\n\n",
    "directions": "ANNA. [Coldly.] You are late.\n\nMRS. WREN (_rising_). The boat was late.\n\n",
    "italics": "_Anna._ You are late.\n\n_Mrs Wren._ The boat was late.\n\n",
    "shortened": "Ann.\nYou are late.\n\nWren.\nThe boat was late.\n\n",
    "a paragraph to the heading": "ANNA\n\nYou are late.\n\nMRS. WREN\n\nThe boat was late.\n\n",
}
NOVEL = "“You are late,” said Anna.\n\n“The boat was late,” said Mrs. Wren.\n\n"
POEM = (
    "The boat was late, the quay was wet,\nAnd Anna at the water-stair\n"
    "Stood with the lamps that others set\nTo light the men who were not there.\n\n"
)


def attributed(text: str, method: str = pipeline.SIEVE) -> Dialogue:
    return read(text, method=method)[1]


def read(text: str, start: int = 0, method: str = pipeline.SIEVE) -> tuple[OpenBook, Dialogue]:
    """Return a book of one chapter, which begins at `start`, and its dialogue."""
    body = Span(start, len(text))
    chapters = [Chapter(1, "Act 1", (), ChapterKind.CHAPTER, body, body)]
    stored = StoredBook(BOOK, 1, len(text), 1, 1, "2026-01-01")
    dialogue = pipeline.attribute_book(text, chapters, method)
    return OpenBook.from_text(stored, text, chapters), dialogue


def speeches(text: str, dialogue: Dialogue) -> list[tuple[str, str]]:
    """Return the name of each speaker ("?" for none) with the words."""
    return [
        (attribution.speaker.name if attribution.speaker else "?", quotation.of(text))
        for quotation, attribution in zip(dialogue.quotations, dialogue.attributions, strict=True)
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NOVEL * 20, id="a novel"),
        pytest.param("CHAPTER ONE\n\n" + NOVEL * 20, id="a heading"),
        pytest.param("".join(f"{'I' * (n % 3 + 1)}.\n\n{POEM}" for n in range(30)), id="stanzas"),
        pytest.param(NOVEL * 20 + CAPITALS, id="a scene of a play within a novel"),
        pytest.param("ANNA.\nYou are late.\n\n" * 20, id="one name"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_text_with_few_speech_headings_is_no_play(text: str) -> None:
    assert read_play(text, [Span(0, len(text))]) is None


@pytest.mark.parametrize("form", PLAYS)
@pytest.mark.parametrize("method", [pipeline.SIEVE, pipeline.TRAINED])
def test_the_headings_of_a_play_say_who_speaks(form: str, method: str) -> None:
    text = PLAYS[form] * 10
    dialogue = attributed(text, method)
    assert len(dialogue.quotations) == 20
    assert len(dialogue.cast) == 2
    (first, anna), (second, wren) = speeches(text, dialogue)[:2]
    assert first.startswith("Ann")
    assert "Wren" in second
    assert anna.endswith("You are late.")
    assert wren.endswith("The boat was late.")
    assert {attribution.confidence for attribution in dialogue.attributions} == {1.0}
    evidence = dialogue.attributions[0].evidence
    assert evidence is not None
    assert evidence.of(text).strip("_.:").lower().startswith("ann")
    assert dialogue.is_play


def test_a_speech_goes_on_over_paragraphs_and_directions_until_the_next_scene() -> None:
    text = (
        f"{CAPITALS * 10}ANNA.\nOnce more.\n\n[She rises.]\n\nAnd again.\n\nACT II\n\nA quay.\n\n"
        "ALL.\nFarewell!"
    )
    dialogue = attributed(text)
    assert speeches(text, dialogue)[-2:] == [
        ("Anna", "Once more. And again."),
        ("?", "Farewell!"),
    ]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        pytest.param("P. King.", "P. King", id="an initial"),
        pytest.param("I Play.", "I Play", id="a Roman number"),
        pytest.param("2 KEEPER.", "2 Keeper", id="a number before capitals"),
        pytest.param("M. JOURDAIN.", "M. Jourdain", id="an initial before capitals"),
    ],
)
def test_a_heading_that_begins_with_a_number_or_an_initial_names_a_speaker(
    heading: str, name: str
) -> None:
    text = f"{CAPITALS * 10}{heading}\nThe tide has turned.\n\n"
    assert speeches(text, attributed(text))[-2:] == [
        ("Mrs. Wren", "The boat was late."),
        (name, "The tide has turned."),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "Ros. and Guil.",
        "Ros and Guil.",
        "DUKE and SENATORS.",
        "FIRST and SECOND SERVANT.",
        "PHRYNIA AND TIMANDRA.",
        "QUINTUS & MARTIUS.",
        "CLEOMENES, DION.",
    ],
)
def test_a_speech_of_two_people_together_has_no_speaker(heading: str) -> None:
    text = f"{CAPITALS * 10}{heading}\nWe will, my lord.\n\n"
    dialogue = attributed(text)
    assert speeches(text, dialogue)[-1] == ("?", "We will, my lord.")
    assert dialogue.attributions[-1].confidence == 0
    assert [character.name for character in dialogue.cast] == ["Anna", "Mrs. Wren"]


PERSONS = "PERSONS REPRESENTED.\n\nHamlet, Son to the King.\nFortinbras, Prince of Norway.\n\n"
ELSINORE = "Ham.\nFor this relief, Fortinbras!\n\nFor.\nGo, Hamlet.\n\nFort.\nGo.\n\n" * 5


@pytest.fixture(scope="module")
def elsinore() -> tuple[OpenBook, Dialogue]:
    """Return a play with abbreviated headings, and with the full names before its first act."""
    return read(PERSONS + ELSINORE, len(PERSONS))


def test_a_character_with_an_abbreviated_heading_has_the_full_name(
    elsinore: tuple[OpenBook, Dialogue],
) -> None:
    book, dialogue = elsinore
    assert speeches(book.text, dialogue)[:3] == [
        ("Hamlet", "For this relief, Fortinbras!"),
        ("Fortinbras", "Go, Hamlet."),
        ("Fortinbras", "Go."),
    ]
    assert len(dialogue.cast) == 2


@pytest.mark.parametrize("name", ["Hamlet", "Ham", "hamlet"])
def test_a_character_with_an_abbreviated_heading_is_found_by_heading_and_by_name(
    elsinore: tuple[OpenBook, Dialogue], name: str
) -> None:
    assert pipeline.find_character(elsinore[1].cast, name).name == "Hamlet"


def test_headings_and_words_like_them_are_no_mentions(
    elsinore: tuple[OpenBook, Dialogue],
) -> None:
    profiles = character_profiles(*elsinore)
    counts = {
        profile.character.name: (profile.quotations, profile.mentions) for profile in profiles
    }
    assert counts == {"Hamlet": (5, 5), "Fortinbras": (10, 5)}


def test_headings_in_full_are_no_mentions_and_who_is_never_named_first_speaks() -> None:
    text = f"{CAPITALS}ANNA.\nWho called, Mrs. Wren?\n\n" * 5
    anna, wren = character_profiles(*read(text))
    assert (anna.character.name, anna.mentions, wren.mentions) == ("Anna", 0, 5)
    assert anna.first.endswith(":1.1:6-19")


def test_verse_says_that_speakers_are_not_found_and_how_to_go_on() -> None:
    with pytest.raises(NoMatch, match=r"is verse.*scholar find"):
        attributed(POEM * 10)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NOVEL, id="one chapter of two lines"),
        pytest.param(NOVEL * 20 + POEM, id="a poem in a novel"),
        pytest.param("“I am here,” I said.\n\n“I am not,” I said.\n\n" * 20, id="all I"),
    ],
)
def test_a_novel_of_few_forms_has_its_quotations(text: str) -> None:
    dialogue = attributed(text)
    assert len(dialogue.quotations) >= 2
    assert not dialogue.is_play


def test_a_novel_without_speech_says_so() -> None:
    with pytest.raises(NoMatch, match="nobody speaks"):
        attributed("It rained on the quay, and the boat was late.\n\n" * 50)


def test_a_novel_of_a_thousand_names_is_read() -> None:
    endings = ("dan", "fer", "gis", "kel", "lom", "mur", "nap", "pos", "rud", "tiv")
    names = [
        f"{first}{vowel}{last}{ending}"
        for first in "BDFGHJKLMN"
        for vowel in "aeiou"
        for last in "rl"
        for ending in endings
    ]
    text = "".join(
        f"“It is late,” said Mr. {name}.\n\nMr. {name} rose. Mr. {name} left.\n\n" for name in names
    )
    dialogue = attributed(text)
    speakers = {
        attribution.speaker.name for attribution in dialogue.attributions if attribution.speaker
    }
    assert len(speakers) > 900
