"""Motifs of a character, and the rivals that a description may fit as well."""

from __future__ import annotations

import pytest

from scholar_indexes.characters.descriptions import automatic
from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.types import Character, Gender, Span

F, M = Gender.FEMALE, Gender.MALE


def person(gender: Gender, *aliases: str) -> Character:
    return Character(aliases[0].lower().replace(" ", "-"), aliases[0], aliases, gender)


CAST = (
    person(M, "Mr. Hale"),
    person(F, "Jane Marsh", "Jane"),
    person(M, "Robert Stone", "Robert"),
    person(M, "the guardian"),
    person(F, "Mary Marsh", "Mary"),
    person(M, "Tom"),
)
HALE, JANE, ROBERT, GUARDIAN, MARY, TOM = range(len(CAST))
REST = ["Jane went on. Robert stayed."] * 200


def descriptions_of(*chapters: list[str]) -> list[AutomaticDescription]:
    """Return the descriptions in a novel with the given paragraphs in each chapter, each with a
    long rest that says nothing."""
    bodies, text = [], ""
    for paragraphs in chapters:
        body = "\n\n".join([*paragraphs, *REST])
        bodies.append(Span(len(text), len(text) + len(body)))
        text += body + "\n\n"
    return automatic.find_descriptions(text, bodies, [], CAST)


def motifs_of(*chapters: list[str]) -> list[tuple[int, str]]:
    return [
        (description.character, description.text)
        for description in descriptions_of(*chapters)
        if description.kind == "motif"
    ]


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        pytest.param("Mr. Hale went for his kite.", "the kite", id="a thing"),
        pytest.param("Mr. Hale went for his kites.", "the kites", id="things"),
        pytest.param("Mr. Hale went to Walworth.", "Walworth", id="a place"),
        pytest.param("Mr. Hale went to Little Britain.", "Little Britain", id="a long name"),
        pytest.param("Mr. Hale went to the Castle.", "the Castle", id="a place with an article"),
    ],
)
def test_a_noun_that_recurs_with_a_character_describes_it(sentence: str, phrase: str) -> None:
    described = motifs_of([sentence] * 3, [sentence] * 3)
    assert described == [(HALE, f"the one often mentioned with {phrase}")]


@pytest.mark.parametrize(
    "chapters",
    [
        pytest.param((["Mr. Hale went for his kite."] * 6, []), id="in one chapter only"),
        pytest.param((["Mr. Hale went for his kite."],) * 3, id="rarely"),
        pytest.param((["Mr. Hale and Jane went for the kite."] * 3,) * 2, id="with two people"),
        pytest.param((["Mr. Hale went for his hat."] * 3,) * 2, id="what everybody has"),
        pytest.param((["Mr. Hale went with the doctor."] * 3,) * 2, id="a person"),
        pytest.param((["Mr. Hale went with the guardian."] * 3,) * 2, id="another character"),
        pytest.param((["Mr. Hale went to the Stones."] * 3,) * 2, id="the name of another"),
        pytest.param((["Mr. Hale went to Jane Dunn."] * 3,) * 2, id="a part of a name"),
        pytest.param((["Mr. Hale went to Mrs. Dunn."] * 3,) * 2, id="a name after a title"),
        pytest.param((["Mr. Hale went with caution."] * 3,) * 2, id="nothing that can be seen"),
    ],
)
def test_a_noun_that_does_not_recur_with_one_character_is_no_motif(
    chapters: tuple[list[str], ...],
) -> None:
    assert HALE not in dict(motifs_of(*chapters))


def rivals_of(*paragraphs: str) -> set[str]:
    """Return the rivals of the only description in paragraphs."""
    (description,) = descriptions_of(list(paragraphs))
    return {CAST[rival].name for rival in description.rivals}


def test_whoever_is_near_the_same_words_is_a_rival() -> None:
    rivals = rivals_of("Robert was born in Dublin.", "Jane knew a man born in Dublin.")
    assert rivals == {"Jane Marsh", "the guardian"}


def test_a_person_under_two_names_is_a_rival_unless_both_are_named_together() -> None:
    born = "Mr. Hale was born in Dublin."
    assert rivals_of(born) == {"the guardian", "Tom"}
    assert rivals_of(born, "Tom saw Mr. Hale.") == {"the guardian"}


def test_the_family_of_a_relation_are_rivals() -> None:
    text = ["Mr. Hale was Jane's uncle."]
    (uncle,) = [item for item in descriptions_of(text) if item.character == HALE]
    assert {CAST[rival].name for rival in uncle.rivals} == {"the guardian", "Tom", "Mary Marsh"}


def test_a_deed_of_one_moment_is_no_description() -> None:
    assert descriptions_of(["Jane joined Robert."]) == []
