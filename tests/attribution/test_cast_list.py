"""The cast list of a play, and the full names of abbreviated headings."""

from __future__ import annotations

import pytest

from scholar_indexes.attribution.cast_list import expand_headings, read_cast_list

ELSINORE = """PERSONS REPRESENTED.

Hamlet, Son to the former, and Nephew to the present King.
Marcellus, Officer.
A Gentleman, Courtier.
Fortinbras, Prince of Norway.
Ghost of Hamlet's Father.
Servants to Hamlet.
Lords, Ladies, Messengers, and other
Attendants.

ACT I.

Hector enters.
"""
BRITAIN = """Dramatis Personae

SIR JOHN FALSTAFF
Scroop, Archbishop of York.
Archibald, Earl of Douglas.
Duke of Cornwall.
Cordelia, daughter to Lear.
Edmund Mortimer, Earl of March.
Lady Mortimer
GUIDERIUS and ARVIRAGUS, sons to Cymbeline.
MENAS,    friend to Pompey

SCENE: Britain.
"""


def full_names(text: str, *headings: str) -> dict[str, str]:
    """Return the full names of the headings that the cast list expands."""
    names = expand_headings(headings, read_cast_list(text))
    return {heading: full_name.name for heading, full_name in names.items()}


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        pytest.param("", "Ham", id="no list"),
        pytest.param("Hamlet, Son to the King.\n\nACT I.\n", "Ham", id="no title of a list"),
        pytest.param(ELSINORE, "Hec", id="a name after the list"),
        pytest.param(ELSINORE, "Hamlet", id="a name in full"),
        pytest.param(ELSINORE, "King", id="a word of a description"),
        pytest.param(ELSINORE, "Glou", id="another spelling"),
        pytest.param(ELSINORE, "Serv", id="a group"),
        pytest.param(ELSINORE, "Mess", id="a group later in the line"),
        pytest.param(BRITAIN, "Mort", id="two of a name"),
        pytest.param(BRITAIN, "Cor", id="two names with the same beginning"),
        pytest.param(BRITAIN, "Arch", id="a name and a calling"),
    ],
)
def test_a_heading_that_cuts_short_no_name_or_several_stays(text: str, heading: str) -> None:
    assert full_names(text, heading) == {}


@pytest.mark.parametrize(
    ("text", "heading", "name"),
    [
        pytest.param(ELSINORE, "Ham", "Hamlet", id="a name that others are described by"),
        pytest.param(ELSINORE, "For", "Fortinbras", id="a name like another word"),
        pytest.param(ELSINORE, "Gent", "Gentleman", id="an article"),
        pytest.param(BRITAIN, "Corn", "Duke of Cornwall", id="a title"),
        pytest.param(BRITAIN, "Fal", "Sir John Falstaff", id="capitals"),
        pytest.param(BRITAIN, "Lady M", "Lady Mortimer", id="two words"),
        pytest.param(BRITAIN, "Arv", "Arviragus", id="the second of a line"),
        pytest.param(BRITAIN, "Men", "Menas", id="columns"),
        pytest.param(ELSINORE.replace("PERSONS REPRESENTED", "CHARACTERS"), "Mar", "Marcellus"),
    ],
)
def test_a_heading_that_cuts_short_one_name_of_the_list_has_it(
    text: str, heading: str, name: str
) -> None:
    assert full_names(text, heading) == {heading: name}


def test_a_shorter_heading_means_whom_the_longer_one_does_not() -> None:
    assert full_names(BRITAIN, "Cor", "Corn") == {"Cor": "Cordelia", "Corn": "Duke of Cornwall"}


def test_a_heading_in_full_has_the_name_of_the_one_that_is_cut_short() -> None:
    assert full_names(BRITAIN, "Falstaff", "Fal") == {
        "Falstaff": "Sir John Falstaff",
        "Fal": "Sir John Falstaff",
    }
