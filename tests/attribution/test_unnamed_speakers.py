"""People without a name: characters of one scene, or somebody who is named later."""

from __future__ import annotations

import re

import pytest

from scholar_indexes.attribution.unnamed_speakers import add_unnamed, without_silent
from scholar_indexes.coreference.mentions import find_mentions
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

PIP = Character("pip", "Pip", ("Pip",), Gender.MALE)
JOE = Character("mrs-joe", "Mrs. Joe", ("Mrs. Joe",), Gender.FEMALE)
ESTELLA = Character("estella", "Estella", ("Estella",), Gender.FEMALE)
CAST = (PIP, JOE, ESTELLA)

BREAK = "\n\n* * *\n\n"


def quoted(text: str) -> list[Quotation]:
    return [Quotation((Span(*match.span(1)),)) for match in re.finditer('"([^"]+)"', text)]


def descriptions(text: str, cast: tuple[Character, ...] = CAST) -> dict[str, list[str]]:
    """Return the descriptions of each character in a text, by name."""
    return {
        character.name: [place.of(text) for place in character.described]
        for character in add_unnamed(text, quoted(text), cast)
        if character.described
    }


def test_an_introduced_speaker_is_a_character_with_every_later_description() -> None:
    text = 'A young lady came out with keys. "Come in," said the girl. The young lady sat down.'
    assert descriptions(text) == {"the young lady": ["A young lady", "the girl", "The young lady"]}


def test_a_voice_belongs_to_the_person_who_appears_then() -> None:
    text = 'A clear voice asked: "Who?" The window was shut, and a young lady came.'
    assert descriptions(text) == {"the young lady": ["A clear voice", "a young lady"]}


def test_two_scenes_have_two_watchmen() -> None:
    scene = '"Halt," said the watchman.'
    assert descriptions(scene + BREAK + scene) == {
        "the watchman": ["the watchman"],
        "the watchman (2)": ["the watchman"],
    }


def test_a_rare_description_of_two_scenes_becomes_two_characters() -> None:
    watchman = Character("the-watchman", "the watchman", ("the watchman",), Gender.MALE)
    scene = '"Halt," said the watchman.'
    two = scene + BREAK + scene
    cast = add_unnamed(two, quoted(two), (watchman,))
    assert [(character.name, character.aliases) for character in cast] == [
        ("the watchman", ()),
        ("the watchman (2)", ()),
    ]
    assert add_unnamed(scene, quoted(scene), (watchman,)) == [watchman]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            'A girl came. "Come," said the girl. "Well?" said Estella.', id="named soon after"
        ),
        pytest.param('A girl named Estella came. "Come," said the girl.', id="named so"),
        pytest.param('A girl, Estella, came. "Come," said the girl.', id="in apposition"),
        pytest.param(
            'A girl came. "Come," said the girl, whose name was Estella.', id="whose name was"
        ),
    ],
)
def test_a_description_joins_the_name_that_the_scene_gives(text: str) -> None:
    assert descriptions(text)["Estella"] == ["A girl", "the girl"]


def test_somebody_who_was_named_before_is_not_the_stranger() -> None:
    text = 'Mrs. Joe sat.\n\nA girl came. "Come," said the girl. "Well?" said Mrs. Joe.'
    assert descriptions(text) == {"the girl": ["A girl", "the girl"]}


def test_somebody_named_much_later_is_not_the_stranger() -> None:
    text = 'A girl came. "Come," said the girl.' + " Rain fell." * 300 + ' "Well?" said Estella.'
    assert descriptions(text) == {"the girl": ["A girl", "the girl"]}


def test_a_name_called_to_somebody_is_hers() -> None:
    text = 'A young lady came. "Come," said the girl.' + " Rain fell." * 300
    text += ' I bawled Estella to a scornful young lady. "Well?" said Estella.'
    assert descriptions(text)["Estella"] == ["A young lady", "the girl", "a scornful young lady"]


def test_the_old_man_may_be_anybody_whom_the_narration_names() -> None:
    assert descriptions('Pip sat. "Come," said the old man.') == {}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('She was a girl. "Come," said the girl.', id="what somebody is"),
        pytest.param('He sat as if he were a king and a boy. "Come," he said.', id="a comparison"),
        pytest.param("Nobody spoke but a girl. The rain fell.", id="mentioned once, silent"),
    ],
)
def test_a_phrase_that_introduces_nobody_makes_no_character(text: str) -> None:
    assert descriptions(text) == {}


def test_ordinals_tell_people_apart() -> None:
    text = 'A man came. "I," said the man. Then a third man came. "You," said the third man.'
    assert list(descriptions(text).values()) == [
        ["A man", "the man"],
        ["a third man", "the third man"],
    ]


def test_a_described_character_is_found_only_where_described() -> None:
    text = 'A girl came. "Come," said the girl.' + BREAK + "The girl of another scene slept."
    cast = add_unnamed(text, quoted(text), CAST)
    mentioned = [mention.span.of(text) for mention in find_mentions(text, cast)]
    assert mentioned == ["A girl", "the girl"]


def test_the_unnamed_without_a_quotation_are_left_out() -> None:
    text = 'A girl came. "Come," said the girl.'
    *named, girl = add_unnamed(text, quoted(text), CAST)
    answer = Attribution(girl, QuoteKind.ANAPHORIC, None, 0.9)
    assert without_silent([*named, girl], [answer]) == [*named, girl]
    assert without_silent([*named, girl], []) == named


def test_a_blanked_heading_begins_a_scene() -> None:
    scene = '"Halt," said the watchman.'
    two = scene + "\n\n\n" + " " * 12 + "\n\n\n" + scene
    assert descriptions(two) == {
        "the watchman": ["the watchman"],
        "the watchman (2)": ["the watchman"],
    }
