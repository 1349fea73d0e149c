"""Names of one person are joined into a character, and names of others are kept apart."""

from __future__ import annotations

import pytest

from cast_texts import detect_aliases


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
            id="a short form next to another name",
        ),
        pytest.param(
            "“No,” said John Silver. " * 5 + "“Eh,” said John Trelawney. "
            "Mr. Trelawney rose. Mr. Trelawney smiled. “Aye,” said John.",
            [{"John Silver", "John"}, {"John Trelawney", "Mr. Trelawney"}],
            id="a given name goes to whom it names in full",
        ),
        pytest.param(
            "“No,” said Hiram Yorke. " * 5
            + "“Oh,” said Martin Yorke. "
            + "Martin rose, and then Martin spoke. " * 15
            + "“Ah,” said Mr. Yorke.",
            [{"Hiram Yorke", "Mr. Yorke"}, {"Martin Yorke", "Martin"}],
            id="a father is called by the surname and his son by the given name",
        ),
        pytest.param(
            "“No,” said Mrs. Casaubon. Mr. Casaubon bowed. " * 5
            + "“No,” said Dorothea Brooke. Mr. Casaubon rose. “Oh,” said Miss Brooke. " * 10,
            [{"Mr. Casaubon"}, {"Mrs. Casaubon"}, {"Dorothea Brooke", "Miss Brooke"}],
            id="a mother named first is no bride",
        ),
        pytest.param(
            "“No,” said Jane Bennet. “So,” said Elizabeth Bennet. "
            + "Jane rose. Elizabeth smiled. “Miss Elizabeth!” he said. “Ah,” said Elizabeth. " * 5
            + "“Oh,” said Miss Bennet.",
            [
                {"Jane Bennet", "Miss Bennet", "Jane"},
                {"Elizabeth Bennet", "Elizabeth", "Miss Elizabeth"},
            ],
            id="the eldest sister",
        ),
        pytest.param(
            "“No,” said Silas Wegg. " * 6
            + "“So,” said Mr. Silas Wegg. " * 5
            + "Silas rose. " * 5
            + "“Oh,” said Mr. Wegg. " * 40,
            [{"Silas Wegg", "Mr. Silas Wegg", "Mr. Wegg", "Silas"}],
            id="a full name with a title now and then",
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
