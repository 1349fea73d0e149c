"""Narrators and gender: first persons, their relations, names and pronouns."""

from __future__ import annotations

import pytest

from cast_texts import detect, detect_aliases
from scholar_indexes.coreference.narrator import NARRATOR
from scholar_indexes.types import Gender
from short_novels import FILLER


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        pytest.param("Mrs. Dean rose. “So,” said Mrs. Dean.", Gender.FEMALE, id="honorific"),
        pytest.param("Sir Guyon rose. “So,” said Sir Guyon.", Gender.MALE, id="rank"),
        pytest.param("Martha smiled. “So,” said Martha.", Gender.FEMALE, id="given name"),
        pytest.param("“So,” said the old Queen. The old Queen rose.", Gender.FEMALE, id="noun"),
        pytest.param(
            "Zorbin smiled as he rose. Zorbin shook his head. “So,” said Zorbin, and he left. "
            "Zorbin thought he knew.",
            Gender.MALE,
            id="pronouns",
        ),
        pytest.param(
            "Zorbin smiled. “So,” said Zorbin. Zorbin’s hat fell.",
            Gender.UNKNOWN,
            id="nothing says it",
        ),
    ],
)
def test_gender_is_read_from_names_and_pronouns(text: str, gender: Gender) -> None:
    assert [character.gender for character in detect(text)] == [gender]


FIRST_PERSON = (
    "I went to the door and I knocked, and nobody let me in, so I sat down upon my box. "
    "I had no money and my coat was thin. “Come in,” said Holmes, and I went in. "
) * 10


def test_a_narrator_is_called_by_a_name_that_only_others_use() -> None:
    text = FIRST_PERSON + "“You see, Watson,” said Holmes. I looked at him. " * 8
    [narrator] = [character for character in detect(text) if character.narrator]
    assert narrator.aliases == ("Watson",)


def test_a_narrator_whom_nobody_names_is_the_narrator() -> None:
    [narrator] = [character for character in detect(FIRST_PERSON) if character.narrator]
    assert (narrator.name, narrator.gender) == (NARRATOR, Gender.UNKNOWN)


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        pytest.param("", {"my aunt"}, id="nobody has named her"),
        pytest.param(
            "So my aunt, Miss Betsey Trotwood, came. “No,” said Miss Betsey Trotwood. ",
            {"my aunt", "Miss Betsey Trotwood"},
            id="the narration names her",
        ),
        pytest.param("“Oh,” said Aunt Betsey. ", {"my aunt", "Aunt Betsey"}, id="by her title"),
        pytest.param(
            "So my aunt, Mr. John Dick and I came. “No,” said Mr. John Dick. ",
            {"my aunt"},
            id="a man beside her",
        ),
    ],
)
def test_whom_a_narrator_calls_my_aunt_is_a_character(text: str, aliases: set[str]) -> None:
    narration = "I looked at my aunt. “Oh,” said my aunt. I told my aunt that I knew. " * 12
    (aunt,) = [
        character for character in detect(text + narration) if "my aunt" in character.aliases
    ]
    assert set(aunt.aliases) == aliases
    assert aunt.gender is Gender.FEMALE


def test_a_priest_is_not_the_narrators_father() -> None:
    narration = "I looked at my father. “Oh,” said my father. I told my father that I knew. " * 12
    names = detect_aliases("“Ah,” said Father Flynn. " + narration)
    assert [{"my father"}, {"Father Flynn"}] == names[:2]


def test_my_aunt_is_nobody_where_only_others_say_it() -> None:
    text = "“I and my aunt,” said Jane. “Oh, my aunt!” Jane smiled. " * 12
    assert "my aunt" not in set().union(*detect_aliases(text))


def test_whom_a_tale_told_aloud_is_about_is_not_the_narrator() -> None:
    aloud = "“Then Weena smiled, and I took Weena home.” I looked at my watch. " * 20
    called = "“Come, Weena!” I thought that I knew. " * 6
    (narrator,) = [character for character in detect(aloud + called) if character.narrator]
    assert narrator.name == NARRATOR


def test_a_novel_in_the_third_person_has_no_narrator_however_much_i_is_spoken() -> None:
    text = "“I think I know my own mind,” said Emma, “and I want my tea.” Emma rose. " * 20
    assert not [character for character in detect(FILLER * 10 + text) if character.narrator]
