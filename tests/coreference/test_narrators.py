"""Narrators and gender: first persons, their relations, names and pronouns."""

from __future__ import annotations

import pytest

from cast_texts import detect, detect_aliases
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.coreference.narrator import NARRATOR, Narrators
from scholar_indexes.types import Character, Gender, Span
from short_novels import FILLER, find_quoted


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
            id="a man with her",
        ),
    ],
)
def test_the_aunt_of_a_narrator_is_a_character(text: str, aliases: set[str]) -> None:
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


def test_a_character_in_a_spoken_tale_is_not_the_narrator() -> None:
    aloud = "“Then Weena smiled, and I took Weena home.” I looked at my watch. " * 20
    called = "“Come, Weena!” I thought that I knew. " * 6
    (narrator,) = [character for character in detect(aloud + called) if character.narrator]
    assert narrator.name == NARRATOR


def test_a_novel_in_the_third_person_has_no_narrator_however_much_i_is_spoken() -> None:
    text = "“I think I know my own mind,” said Emma, “and I want my tea.” Emma rose. " * 20
    assert not [character for character in detect(FILLER * 10 + text) if character.narrator]


HE_TELLS = (
    "I went to the gate and I waited, and my horse was tired. “Well, Gilbert?” said Rose. "
    "I told her that I knew. Rose smiled at me. "
) * 8
SHE_TELLS = (
    "I sat at my window and I wrote, and nobody heard me. “Come, Helen,” said Rachel. "
    "I said that I came. Rachel rose before me. "
) * 8


def told_by(text: str) -> list[tuple[str, list[str]]]:
    """Return the narrators of a text, each with the first words of each stretch they narrate."""
    return [
        (character.name, [" ".join(span.of(text).split()[:3]) for span in character.narrates])
        for character in detect_cast(text, find_quoted(text))
        if character.narrator
    ]


def test_two_narrators_are_known_by_the_names_that_others_use() -> None:
    his, hers = HE_TELLS * 3, SHE_TELLS * 3
    text = f"CHAPTER I\n\n{his}\n\nCHAPTER II\n\n{hers}\n\nCHAPTER III\n\n{his}"
    assert sorted(told_by(text)) == [
        ("Gilbert", ["I went to", "I went to"]),
        ("Helen", ["I sat at"]),
    ]


def test_a_heading_names_the_narrator_whom_nobody_calls() -> None:
    told = "I wrote in my book, and I saw my light go out. “Hush,” said Lucy Westenra. " * 6
    other = "I drove home, and I saw my friends. “No,” said Dr. Seward. “Mina Harker!” " * 6
    text = f"DR. SEWARD'S DIARY\n\n{told}\n\nMINA HARKER'S JOURNAL\n\n{other}"
    assert ("Dr. Seward", ["I wrote in"]) in told_by(text)
    assert ("Mina Harker", ["I drove home,"]) in told_by(text)


def test_a_narrator_whom_others_call_by_two_names_is_one() -> None:
    handel = HE_TELLS.replace("Gilbert", "Handel").replace("Rose", "Herbert")
    both = HE_TELLS.replace("Gilbert", "Pip") + "“Handel, my dear Pip!” said Joe. "
    text = f"CHAPTER I\n\n{both * 2}\n\nCHAPTER II\n\n{handel * 2}\n\nCHAPTER III\n\n{both * 2}"
    (narrator,) = [
        character for character in detect_cast(text, find_quoted(text)) if character.narrator
    ]
    assert {"Pip", "Handel"} <= set(narrator.aliases)


def test_only_a_headed_tale_has_a_narrator_in_a_novel_in_the_third_person() -> None:
    third = "Emma rose. “So,” said Emma. “Why?” said Daniel, and he went to the window. " * 60
    tale = "I ran, and I hid my face, and they never found me. “Daniel!” said Emma. " * 3
    assert told_by(f"CHAPTER I\n\n{third}\n\nCHAPTER II\n\n{tale}\n\nCHAPTER III\n\n{third}") == []
    headed = f"CHAPTER I\n\n{third}\n\nDANIEL'S STORY\n\n{tale}\n\nCHAPTER II\n\n{third}"
    assert told_by(headed) == [("Daniel", ["I ran, and"])]


def test_forms_of_address_indicate_the_gender_of_an_unnamed_narrator() -> None:
    text = FIRST_PERSON + "“I think not, miss,” said Grose. “No, miss,” said Grose. I rose. " * 4
    [narrator] = [character for character in detect(text) if character.narrator]
    assert (narrator.name, narrator.gender) == (NARRATOR, Gender.FEMALE)


def test_i_means_the_narrator_of_the_passage() -> None:
    she = Character("a", "Ann", ("Ann",), narrator=True, narrates=(Span(0, 10), Span(30, 40)))
    he = Character("b", "Ben", ("Ben",), narrator=True, narrates=(Span(10, 20),))
    narrators = Narrators([she, he])
    assert [narrators.at(place) for place in (0, 9, 10, 25, 35, 40)] == [0, 0, 1, None, 0, None]
    everywhere = Narrators([Character("c", "Cleo", ("Cleo",), narrator=True)])
    assert everywhere.at(7) == 0
