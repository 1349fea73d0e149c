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
    ("text", "expected"),
    [
        pytest.param(
            "Mr. Darcy bowed. “No,” said Darcy. Mr. Darcy was silent. “Yes,” said Mr. Darcy.",
            [{"Mr. Darcy", "Darcy"}],
            id="a title and the surname alone",
        ),
        pytest.param(
            "Elizabeth Bennet smiled. “Yes,” said Elizabeth. “Come, Lizzy,” he said. Lizzy came.",
            [{"Elizabeth Bennet", "Elizabeth", "Lizzy"}],
            id="a nickname",
        ),
        pytest.param(
            "Mr. Bennet sighed. “My dear,” said Mrs. Bennet. Mr. Bennet rose. Mrs. Bennet wept.",
            [{"Mr. Bennet"}, {"Mrs. Bennet"}],
            id="husband and wife",
        ),
        pytest.param(
            "Jane Bennet smiled. Mary Bennet read. “Oh,” said Jane Bennet. “So,” said Mary Bennet.",
            [{"Jane Bennet"}, {"Mary Bennet"}],
            id="two sisters",
        ),
        pytest.param(
            "Sir Thomas Bertram came. “Go,” said Sir Thomas. Tom Bertram laughed. Tom went out.",
            [{"Sir Thomas Bertram", "Sir Thomas"}, {"Tom Bertram", "Tom"}],
            id="father and son",
        ),
        pytest.param(
            "Dr. Watson came. “Well, Watson,” said Holmes. Doctor Watson rose. Holmes laughed.",
            [{"Dr. Watson", "Doctor Watson", "Watson"}, {"Holmes"}],
            id="a title written in full",
        ),
        pytest.param(
            "Mrs. John Dashwood came, and John Dashwood came. “Yes,” said Mrs. John Dashwood. "
            "“No,” said John Dashwood.",
            [{"Mrs. John Dashwood"}, {"John Dashwood"}],
            id="a wife by her husband’s name",
        ),
        pytest.param(
            "Detective-Inspector Japp rose. “So,” said Inspector Japp. Japp smiled.",
            [{"Detective-Inspector Japp", "Japp"}],
            id="a title with a hyphen",
        ),
        pytest.param(
            "The Duchess of Wick came. “Oh,” said the Duchess of Wick. The Duchess of Wick smiled.",
            [{"Duchess of Wick", "the Duchess"}],
            id="a title with a place",
        ),
        pytest.param(
            "Lady Catherine de Bourgh rose. “So,” said Lady Catherine de Bourgh.",
            [{"Lady Catherine de Bourgh"}],
            id="a particle",
        ),
        pytest.param(
            "The Musgroves came. Mr. Musgrove rose. “Yes,” said Mr. Musgrove. The Musgroves left.",
            [{"Mr. Musgrove"}],
            id="a family is nobody",
        ),
        pytest.param(
            "“No,” said Poor Emma. But Emma smiled. “Emma,” he said. Then Emma rose.",
            [{"Emma"}],
            id="words before the name",
        ),
        pytest.param(
            "Emma’s hand shook. “Go,” said Emma. Emma’s brother came.",
            [{"Emma"}],
            id="possessives",
        ),
        pytest.param(
            "Gabriel Oak rose. “Go,” said Gabriel. “No,” said Farmer Oak. Farmer Oak smiled.",
            [{"Gabriel Oak", "Gabriel", "Farmer Oak"}],
            id="a calling before the name",
        ),
        pytest.param(
            "“No,” said Parson Thirdly. Parson Thirdly rose. “Oh,” said Mr. Thirdly.",
            [{"Parson Thirdly", "Mr. Thirdly"}],
            id="a calling or Mr.",
        ),
        pytest.param(
            "“No,” said Mr. Pumblechook. Mr. Pumblechook rose. “Oh,” said Uncle Pumblechook.",
            [{"Mr. Pumblechook", "Uncle Pumblechook"}],
            id="an uncle or Mr.",
        ),
        pytest.param(
            "“No,” said Mr. Jaggers. " * 9 + "“I saw Mithter Jaggerth.” “It’s Mas’r Jaggers.”",
            [{"Mr. Jaggers", "Mithter Jaggerth", "Mas’r Jaggers"}],
            id="a dialect",
        ),
        pytest.param(
            "“No,” said Hepzibah. Hepzibah smiled. “Oh, Cousin Hepzibah!” “Yes, Miss Hepzibah.” "
            "“Well, Miss Hepzibah.” “Ah, Miss Hepzibah.” “No,” said Hepzibah Pyncheon.",
            [{"Hepzibah", "Cousin Hepzibah", "Miss Hepzibah", "Hepzibah Pyncheon"}],
            id="Miss and a given name",
        ),
        pytest.param(
            "“No,” said Judge Pyncheon. Judge Pyncheon rose. It was Judge Jaffrey Pyncheon. “Oh,” "
            "said Jaffrey Pyncheon. “Ah,” said Clifford Pyncheon. Clifford Pyncheon wept.",
            [
                {"Judge Pyncheon", "Judge Jaffrey Pyncheon", "Jaffrey Pyncheon"},
                {"Clifford Pyncheon"},
            ],
            id="a rank with the given name now and then",
        ),
        pytest.param(
            "“No,” said Alan Breck. “Alan Breck Stewart,” he said. Alan Breck rose. “Oh,” said "
            "Alan.",
            [{"Alan Breck", "Alan Breck Stewart", "Alan"}],
            id="a second given name",
        ),
        pytest.param(
            "“No,” said Elizabeth-Jane. “Oh,” said Elizabeth. Elizabeth-Jane rose.",
            [{"Elizabeth-Jane", "Elizabeth"}],
            id="half a given name",
        ),
        pytest.param(
            "“No,” said Camilla, and she wept. " * 9 + "So Mr. Camilla and Mrs. Camilla came.",
            [{"Camilla", "Mrs. Camilla"}, {"Mr. Camilla"}],
            id="a wife by her surname",
        ),
        pytest.param(
            "“No,” said Huck. “Oh,” said Huck Finn. Huck Finn rose. “Yes,” said Huckleberry. "
            "Huck nodded. Huckleberry rose. It was Huckleberry Finn, and he knew Huckleberry Finn.",
            [{"Huck", "Huck Finn", "Huckleberry", "Huckleberry Finn"}],
            id="a name cut short",
        ),
        pytest.param(
            "“No,” said St. John. “Yes,” said Mr. Rivers. St. John smiled at St. John Rivers.",
            [{"St. John", "Mr. Rivers", "St. John Rivers"}],
            id="a saint’s name",
        ),
        pytest.param(
            "“No,” said Alec d’Urberville. “Yes,” said d’Urberville. “Oh,” said Alec. "
            "And d’Urberville smiled.",
            [{"Alec d’Urberville", "d’Urberville", "Alec"}],
            id="a surname with a small letter",
        ),
        pytest.param(
            "“No,” said Injun Joe. Injun Joe rose. “Oh,” said Joe Harper. “Ah,” said Joe.",
            [{"Injun Joe"}, {"Joe Harper", "Joe"}],
            id="a nickname with a given name",
        ),
        pytest.param(
            "“Ja,” said Dr. Van Helsing. Abraham Van Helsing rose. Van Helsing smiled. “So,” said "
            "Professor Van Helsing.",
            [{"Dr. Van Helsing", "Van Helsing", "Professor Van Helsing", "Abraham Van Helsing"}],
            id="a learned man",
        ),
        pytest.param(
            "“No,” said Captain Dobbin. William Dobbin rose. Dobbin smiled. “Yes,” said Major "
            "Dobbin.",
            [{"Captain Dobbin", "Dobbin", "Major Dobbin", "William Dobbin"}],
            id="a promotion",
        ),
        pytest.param(
            "“No,” said Mr. Trelawney. John Trelawney rose. “Yes,” said Squire Trelawney. “Oh,” "
            "said the squire. “Ah,” said the squire.",
            [{"Mr. Trelawney", "Squire Trelawney", "the squire", "John Trelawney"}],
            id="one of two titles alone",
        ),
        pytest.param(
            "“No,” said Dairyman Crick. Dairyman Crick rose. “Oh,” said the dairyman. “Ah,” said "
            "the dairyman. “Eh,” said the dairyman.",
            [{"Dairyman Crick", "the dairyman"}],
            id="a calling alone",
        ),
        pytest.param(
            "“No,” said Bessie. Bessie smiled. “Yes,” said Eliza. Eliza smiled.",
            [{"Bessie"}, {"Eliza"}],
            id="two names short for a third",
        ),
        pytest.param(
            "“No,” said Lef Nicolaievitch. Lef Nicolaievitch rose. “Yes,” said Prince Lef "
            "Nicolaievitch Muishkin. “Oh,” said Muishkin.",
            [{"Lef Nicolaievitch", "Prince Lef Nicolaievitch Muishkin", "Muishkin"}],
            id="a patronymic",
        ),
        pytest.param(
            "“No,” said Parfen Rogojin. Parfen Rogojin rose. “Oh,” said Parfen Semionovitch. “Ah,” "
            "said Parfen Semeonovitch. Parfen Semionovitch and Parfen Semeonovitch smiled.",
            [{"Parfen Rogojin", "Parfen Semionovitch", "Parfen Semeonovitch"}],
            id="two spellings of a patronymic",
        ),
        pytest.param(
            "“No,” said Parfen Rogojin. Parfen Lebedeff rose. “Oh,” said Parfen Lebedeff. “Ah,” "
            "said Parfen Semionovitch. Parfen Semionovitch smiled. Parfen Rogojin rose.",
            [{"Parfen Rogojin"}, {"Parfen Lebedeff"}, {"Parfen Semionovitch"}],
            id="a patronymic of two",
        ),
        pytest.param(
            "“Go, Rodya Pyotr Petrovitch,” said Rodion Raskolnikov. "
            + "“Rodya!” he said. " * 12
            + "Rodion Raskolnikov rose. “No,” said Rodion Raskolnikov. “Oh,” said Rodion.",
            [{"Rodion Raskolnikov", "Rodya", "Rodion"}],
            id="a short form beside another name",
        ),
        pytest.param(
            "“No,” said John Silver. " * 5 + "“Eh,” said John Trelawney. "
            "Mr. Trelawney rose. Mr. Trelawney smiled. “Aye,” said John.",
            [{"John Silver", "John"}, {"John Trelawney", "Mr. Trelawney"}],
            id="a given name goes to whom it names in full",
        ),
        pytest.param(
            "“No,” said Wilfred Osbaldistone. “Oh,” said Wilfred. "
            + "Wilfred rose. " * 12
            + "“Ah,” said Will Tresham. Will Tresham smiled. " * 4,
            [{"Wilfred Osbaldistone", "Wilfred"}, {"Will Tresham"}],
            id="a whole name is no short form",
        ),
        pytest.param(
            "“Oh, Em’ly,” he said. “No,” said Em’ly. Em’ly smiled. “Yes,” said Emily. Emily rose.",
            [{"Em’ly", "Emily"}],
            id="a dialect",
        ),
        pytest.param(
            "“No,” said Elizabeth-Jane. Elizabeth-Jane smiled. “Yes,” said Elizabeth. She rose.",
            [{"Elizabeth-Jane", "Elizabeth"}],
            id="half of a double name",
        ),
        pytest.param(
            "“No,” said Rosamond Vincy. “Oh, Rosy,” he said. “Rosy!” he said. “Now, Rosy!” he "
            "said. “Yes,” said Rosy. Rosamond smiled.",
            [{"Rosamond Vincy", "Rosy", "Rosamond"}],
            id="a pet form that is spoken",
        ),
        pytest.param(
            "“No,” said Rosamond Vincy. “Yes,” said Rosy. Rosy rose. Rosamond Vincy smiled.",
            [{"Rosamond Vincy"}, {"Rosy"}],
            id="a pet form in the narration",
        ),
        pytest.param(
            "“Mr. Gray,” she said. “Mr. Gray!” Dorian Gray rose. “No,” said Grace. “Oh,” said "
            "Dorian Gray. Grace smiled.",
            [{"Mr. Gray", "Dorian Gray"}, {"Grace"}],
            id="a surname like a pet form",
        ),
        pytest.param(
            "“No,” said Gavrila Ivolgin. " + "“Yes,” said Gania. " * 22 + "“Mr. Gania!” they said.",
            [{"Gavrila Ivolgin", "Gania", "Mr. Gania"}],
            id="a title once before a given name",
        ),
        pytest.param(
            "“No,” said Prince Nicholas Bolkonski. Prince Nicholas Bolkonski rose. “Oh,” said "
            "Nicholas Rostov. Nicholas Rostov smiled. “Ah,” said Nicholas. Nicholas smiled.",
            [{"Prince Nicholas Bolkonski"}, {"Nicholas Rostov", "Nicholas"}],
            id="a prince is called one",
        ),
        pytest.param(
            "“No,” said John Dashwood. “Oh,” said Mrs. John. Mrs. John smiled. “Ah,” said John.",
            [{"John Dashwood", "John"}, {"Mrs. John"}],
            id="a wife by a given name",
        ),
        pytest.param(
            "“No,” said Marius. Marius rose. “Oui,” said M. Marius. M. Paul, M. Henri and M. Luc "
            "smiled. “Oh,” said M. Luc. “Oh,” said M. Paul. “Oh,” said M. Henri. Henri smiled.",
            [{"Marius", "M. Marius"}, {"M. Henri", "Henri"}, {"M. Paul"}, {"M. Luc"}],
            id="French titles",
        ),
        pytest.param(
            "“No,” said Prince S. They rose. “No,” said Prince S. They left. The prince left.",
            [],
            id="an initial ends a sentence",
        ),
        pytest.param(
            "“No,” said Mr. Lorry. “Oh,” said the gentle Mr. Lorry. “Ah,” said the gentle Mr. "
            "Lorry.",
            [{"Mr. Lorry"}],
            id="an adjective before a title",
        ),
    ],
)
def test_names_of_one_person_are_joined_and_others_kept_apart(
    text: str, expected: list[set[str]]
) -> None:
    names = detect_aliases(text)
    assert sorted(map(sorted, names)) == sorted(map(sorted, expected))


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
