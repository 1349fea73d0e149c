"""The cast of a novel from its text: who is a character, and by which names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cast_texts import detect, detect_aliases
from scholar_indexes.books import samples
from scholar_indexes.books.formats import sources
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.lexicon import given_names
from short_novels import FILLER, find_quoted


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n\n ", id="only white space"),
        pytest.param("…—!?", id="only marks"),
        pytest.param("I", id="one letter"),
        pytest.param("THE END", id="capitals"),
        pytest.param("the rain fell.", id="no capital"),
        pytest.param("MR. MRS. DR.", id="titles in capitals"),
        pytest.param("Mr.", id="a title alone"),
        pytest.param("Duke of", id="a title without a place"),
    ],
)
def test_a_text_without_a_name_has_no_cast(text: str) -> None:
    assert detect_cast(text, []) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "They went to Netherton. She lived in Netherton, near Netherton.", id="a place"
        ),
        pytest.param("On Monday they left. It was Monday. Every Monday it rained.", id="a day"),
        pytest.param("It was in May. In May they left; it rained in May.", id="a month"),
        pytest.param("“Good God!” “Oh, Heaven help us!” “God forbid!”", id="exclamations"),
        pytest.param("In Gower Street they met. He came from Gower Street.", id="a street"),
        pytest.param("The French came. A French ship, and the French.", id="a nation"),
        pytest.param("Nothing came. Perhaps it rained. Nothing! Perhaps.", id="sentence openings"),
        pytest.param("They read the Bible, and the Times, and the Bible.", id="books"),
        pytest.param("“What’s-his-name came,” and Mr. What’s-his-name left.", id="a made-up name"),
        pytest.param("They sailed to New York. He lived in New York.", id="a place of two words"),
        pytest.param(
            "He slept at the Maypole. The Maypole’s sign shook. Men sat in the Maypole. “Oh!” said "
            "the Maypole. She left the Maypole for the Maypole.",
            id="a tavern",
        ),
        pytest.param(
            "“Zoons! You there.” “Zoons, what is it?” “Zoons!” he said. “Zoons!” “Zoons!”",
            id="an exclamation",
        ),
        pytest.param(
            "Thus Time came. So Time took all. It was time, or no time, or a bad time.",
            id="a common word",
        ),
        pytest.param(
            "“Yes, Sir You know it.” “No, Sir You do.” He saw Sir You there.", id="a pronoun"
        ),
        pytest.param("The Lord Mayor came. The Lord Mayor rose.", id="a title alone"),
        pytest.param("“Ma’am,” he said. “Yes, ma’am.” Ma’am!", id="an address"),
    ],
)
def test_names_of_places_and_things_are_not_characters(text: str) -> None:
    assert detect_aliases(text) == []


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        pytest.param("“Why?” said the Hatter. The Hatter sighed.", "the Hatter", id="capital"),
        pytest.param(
            "“Stop!” cried the policeman. “Stop,” said the policeman.", "the policeman", id="small"
        ),
        pytest.param(
            "“Oh,” said the Mock Turtle. The Mock Turtle wept.", "the Mock Turtle", id="two words"
        ),
    ],
)
def test_descriptions_that_speak_act_as_names(text: str, alias: str) -> None:
    assert [alias in aliases for aliases in detect_aliases(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The policeman stood there. A policeman came.", id="never speaks"),
        pytest.param("“Oh,” said the young man. “Ah,” said the young man.", id="may be anybody"),
        pytest.param(
            "“Oh,” said the others. “Ah,” said the others. “Oh!” cried the others.", id="several"
        ),
    ],
)
def test_other_descriptions_do_not(text: str) -> None:
    assert detect_aliases(text) == []


def test_a_title_after_the_goes_to_its_only_holder() -> None:
    names = detect_aliases(
        "Colonel Brandon bowed. “Yes,” said the Colonel. “No,” said the Colonel. "
        "Mr. Palmer came. “Ah,” said Mr. Palmer."
    )
    assert {"Colonel Brandon", "the Colonel"} in names


def test_a_title_with_an_adjective_means_who_has_the_title() -> None:
    names = detect_aliases(
        "Colonel Ducroix bowed. “Yes,” said Colonel Ducroix. “No,” said the bewildered Colonel. "
        "“Oh,” said the bewildered Colonel. “Ah,” said the Colonel. “So,” said the Colonel. "
        "The Colonel sat down."
    )
    assert {"Colonel Ducroix", "the Colonel", "the bewildered Colonel"} in names


def test_an_adjective_used_now_and_then_takes_no_title_from_its_holder() -> None:
    text = (
        "“Stay,” said Archdeacon Grantly. He sat. “No,” said the burly archdeacon. “Go,” said "
        "Archdeacon Grantly. “Oh,” said the burly archdeacon. "
        + "“Ah,” said the archdeacon. He rose. "
        * 24
    )
    assert {"Archdeacon Grantly", "the archdeacon"} in detect_aliases(text)


def test_a_surname_that_several_share_is_given_to_nobody() -> None:
    names = detect_aliases(
        "John Knightley rose. George Knightley rose. “Yes,” said John Knightley. "
        "“No,” said George Knightley. “Well, Knightley,” he said."
    )
    assert not [aliases for aliases in names if "Knightley" in aliases]


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        pytest.param(
            "Tom Gradgrind rose. "
            + "Young Tom sat. He saw young Tom. “Go,” said Tom. " * 3
            + "“No,” said Mr. Gradgrind. Mr. Gradgrind left. “Ah,” said Mr. Gradgrind. " * 3,
            ("Tom", "Mr. Gradgrind"),
            id="the young one is not Mr.",
        ),
        pytest.param(
            "George Emerson rose. “Go,” said George. " * 3
            + "There came old Mr. Emerson. “So,” said old Mr. Emerson. " * 3
            + "It was young Mr. Emerson.",
            ("George", "Mr. Emerson"),
            id="an old and a young Mr.",
        ),
    ],
)
def test_father_and_son_of_one_name_are_two(text: str, apart: tuple[str, str]) -> None:
    first, second = apart
    assert not [aliases for aliases in detect_aliases(text) if {first, second} <= aliases]
    assert all(any(name in aliases for aliases in detect_aliases(text)) for name in apart)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        pytest.param(
            "“No,” said Judge Pyncheon. The Judge rose. " * 6
            + "Clifford Pyncheon wept. "
            + "“Oh,” said Clifford. " * 30,
            "Clifford",
            "Judge Pyncheon",
            id="a rank and a given name",
        ),
        pytest.param(
            "Paul Morel came, and Walter Morel. " + "Paul saw Morel. Morel nodded. " * 40,
            "Paul",
            "Morel",
            id="a given name and a surname",
        ),
        pytest.param(
            "Mr. Dombey took Paul with him. " * 40 + "Paul Dombey slept.",
            "Paul",
            "Mr. Dombey",
            id="a given name and a title",
        ),
        pytest.param(
            "Mr. Brangwen smiled. “No,” said Mr. Brangwen. " * 3
            + "So Gudrun Brangwen came. "
            + "Gudrun knew that she had slept. He came. " * 30,
            "Gudrun",
            "Mr. Brangwen",
            id="a woman’s given name",
        ),
        pytest.param(
            "So Frederick Hale came. "
            + ("Frederick rose. " + FILLER + "“No,” said Mr. Hale. ") * 30,
            "Frederick",
            "Mr. Hale",
            id="a son in one scene with his father",
        ),
        pytest.param(
            "So Marfa Petrovna Svidrigailov smiled. Then Marfa Petrovna smiled. "
            + "Svidrigailov said that he knew. She smiled. " * 30,
            "Marfa Petrovna",
            "Svidrigailov",
            id="a man’s surname",
        ),
    ],
)
def test_two_of_one_surname_are_kept_apart(text: str, first: str, second: str) -> None:
    names = detect_aliases(text)
    assert any(first in aliases for aliases in names)
    assert any(second in aliases for aliases in names)
    assert not any({first, second} <= aliases for aliases in names)


@pytest.mark.parametrize("name", ["Friedrich Bhaer", "Conrad Fitch"])
def test_a_name_that_only_ends_like_a_patronymic_is_shown_whole(name: str) -> None:
    given, surname = name.split()
    (character,) = detect(
        f"So {name} smiled. {given} smiled. {surname} smiled. {name} smiled. " * 3
    )
    assert character.name == name


def test_one_who_goes_by_either_name_is_one() -> None:
    scene = "Gabriel smiled. " + FILLER + "Oak rose and went. " + FILLER
    (oak,) = detect_aliases("“No,” said Gabriel Oak. " + scene * 20)
    assert oak == {"Gabriel", "Oak", "Gabriel Oak"}


def test_a_woman_who_marries_stays_one() -> None:
    before = "“No,” said Grace Melbury. Grace smiled. " * 20 + "“No,” said Miss Melbury. "
    after = "“Yes,” said Grace Fitzpiers. “Oh,” said Mrs. Fitzpiers. “Ah,” said Dr. Fitzpiers. "
    grace = next(aliases for aliases in detect_aliases(before + after) if "Grace" in aliases)
    assert grace == {"Grace", "Grace Melbury", "Miss Melbury", "Grace Fitzpiers", "Mrs. Fitzpiers"}


def test_one_who_is_called_young_now_and_then_stays_one() -> None:
    text = "Henry Tilney rose. “Go,” said Henry. “So,” said Mr. Tilney. Young Henry left. " * 2
    assert {"Henry", "Mr. Tilney"} <= max(detect_aliases(text), key=len)


def test_the_most_named_come_first_and_ids_are_unique() -> None:
    cast = detect(
        "“Yes,” said Mr. Weston. “No,” said Mrs. Weston. " * 3 + "“Ah,” said Mr. Weston. " * 3
    )
    assert [aliases.id for aliases in cast] == ["mr-weston", "mrs-weston"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("lizzy", "elizabeth", True),
        ("lizzy", "eliza", True),
        ("bill", "william", True),
        ("tom", "john", False),
        ("kitty", "kitty", True),
        ("elizabeth", "eleanor", False),
        ("davie", "david", True),
        ("dolly", "darya", True),
        ("stiva", "stepan", True),
    ],
)
def test_given_names_match_their_short_forms(first: str, second: str, expected: bool) -> None:
    assert given_names.alike(first, second) is expected
    assert given_names.alike(second, first) is expected


LITERARY = st.lists(
    st.sampled_from(
        "Mr. Mrs. Sir Lady the The of and said Emma Tom Bennet Knightley de I my , . “ ” ’s ' - "
        "— \n\n _ Duke Hatter he she in May St. O'Brien é".split(" ")
    )
    | st.text(max_size=4),
    max_size=80,
).map(" ".join)


@given(LITERARY)
def test_any_text_has_a_cast_whose_names_are_its_own(text: str) -> None:
    cast = detect_cast(text, find_quoted(text))
    folded = [mentions.name_words(alias) for aliases in cast for alias in aliases.aliases]
    assert len(folded) == len(set(folded))
    assert len({character.id for character in cast}) == len(cast)
    assert sum(character.narrator for character in cast) <= 1
    assert all(aliases.name in aliases.aliases for aliases in cast)
    assert detect_cast(text, find_quoted(text)) == cast


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "number", "expected"),
    [
        ("pride", 5, {"Elizabeth Bennet", "Mr. Darcy", "Jane", "Mr. Bingley"}),
        ("gatsby", 5, {"Jay Gatsby", "Tom Buchanan", "Daisy", "Jordan Baker"}),
        ("frank", 8, {"Elizabeth Lavenza", "Victor", "Felix", "Justine Moritz", "Henry Clerval"}),
    ],
)
def test_the_bundled_novels_have_their_main_characters(
    title: str, number: int, expected: set[str]
) -> None:
    [sample] = [sample for sample in samples.bundled() if title in sample.title.lower()]
    text = sources.read(samples.read(sample), "sample").text
    assert {
        character.name for character in detect_cast(text, find_quoted(text))[:number]
    } >= expected


def test_the_mistress_is_not_who_is_called_mrs() -> None:
    text = "Mrs. Dean rose. “So,” said Mrs. Dean. “No,” said the mistress. The mistress left. " * 6
    assert {"the mistress"} in detect_aliases(text)


def test_a_character_known_by_occupation_needs_only_one_quotation() -> None:
    once = "“Well,” said the turnkey. “No,” said Ann Lee. Ann Lee left. The turnkey rose. "
    assert {"the turnkey"} in detect_aliases(once)
    assert {"the stranger"} not in detect_aliases(once.replace("turnkey", "stranger"))


@pytest.mark.parametrize("name", ["Owl Eyes", "Ben", "Trumpeter"])
def test_a_person_who_speaks_once_is_a_character(name: str) -> None:
    text = f"“No,” said Ann Lee. Ann Lee left. The rain fell. “It is late,” said {name}, and rose."
    assert detect_aliases(text) == [{"Ann Lee"}, {name}]


def test_i_is_no_part_of_a_description() -> None:
    text = "“Oh,” said the convict I knew. “Ah,” said the convict I knew. “Oh,” said the convict."
    assert detect_aliases(text) == [{"the convict"}]


def test_a_description_of_who_is_named_after_a_house_is_that_person() -> None:
    text = "“No,” said Aged. Aged rose. “Yes,” said the Aged. The Aged sat in a chair. Aged smiled."
    assert detect_aliases(text) == [{"Aged", "the Aged"}]
