"""Renaming the characters of texts, banks and casts."""

from __future__ import annotations

import re
from random import Random

import pytest

from renamed_casts import DARCY, FEW, F, M, U, names_of, small, who
from scholar_indexes.characters.anonymization.negation import negate_descriptions
from scholar_indexes.characters.anonymization.pseudonyms import (
    Names,
    map_names,
    packaged_names,
    pool_names,
)
from scholar_indexes.characters.anonymization.unambiguous_terms import NamePart, Term, find_terms
from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
    parse,
)
from scholar_indexes.errors import UsageError
from scholar_indexes.types import Gender

EMMA = [
    who("Emma Woodhouse", F, "Emma", "Miss Woodhouse"),
    who("George Knightley", M, "Mr. Knightley"),
]


def test_an_unknown_gender_is_refused_with_a_list_of_the_choices() -> None:
    with pytest.raises(UsageError, match=r"'swapped' is not a gender option.*switched"):
        map_names(EMMA, "", 1, "swapped")


def test_a_nationality_without_names_is_refused_with_a_list_of_the_choices() -> None:
    with pytest.raises(UsageError, match=r"'klingon' is not a nationality.*english.*nigerian"):
        map_names(EMMA, "", 1, nationality="klingon")


def test_an_empty_cast_leaves_a_text_unchanged() -> None:
    table = map_names([], "Call me Ishmael.", 1)
    assert (table.apply("Call me Ishmael."), table.terms, table.left) == (
        "Call me Ishmael.",
        {},
        {},
    )


def test_if_names_run_out_the_rarest_characters_keep_theirs_and_the_table_says_so() -> None:
    text = "Emma and Emma. Harriet."
    table = small(text, who("Harriet", F), who("Emma", F))
    assert table.apply(text) == "Zyla and Zyla. Harriet."
    assert table.left == {"Harriet": "no martian name is left for it"}


@pytest.mark.parametrize(
    ("text", "new"),
    [
        pytest.param("Lizzy Darcy", "{L} {D}", id="whole name"),
        pytest.param("Lizzy's, Darcy’s", "{L}'s, {D}’s", id="both apostrophes"),
        pytest.param("Darcy'll, Darcy’d", "{D}'ll, {D}’d", id="other suffixes"),
        pytest.param("DARCY'S HOUSE", "{DC}'S HOUSE", id="capitals"),
        pytest.param("the Darcys' ball", "the {D}s' ball", id="plural"),
        pytest.param("the Marshes", "the {P}", id="plural of sh"),
        pytest.param("two Lizzys, a Jims", "two Lizzys, a Jims", id="no plural of first names"),
        pytest.param("_Darcy_ and _Lizzy_", "_{D}_ and _{L}_", id="emphasis"),
        pytest.param("'Lizzy' “Darcy”", "'{L}' “{D}”", id="quotation marks"),
        pytest.param("Darcy--Lizzy—Darcy", "{D}--{L}—{D}", id="dashes"),
        pytest.param("Darcy-like, ex-Darcy", "{D}-like, ex-{D}", id="hyphens"),
        pytest.param("{Lizzy Darcy}", "{{{L} {D}}}", id="slot of a description"),
        pytest.param("Mr.\nDarcy", "Mr.\n{D}", id="line break"),
        pytest.param("darcy lizzy dARCY", "darcy lizzy dARCY", id="other case"),
        pytest.param("Darcyx xDarcy Darcy2 2Darcy", "Darcyx xDarcy Darcy2 2Darcy", id="in words"),
        pytest.param("O'Darcy, Lizzy'an", "O'Darcy, Lizzy'an", id="in words with apostrophes"),
        pytest.param("Mr. she his Mrs.", "Mr. she his Mrs.", id="titles and pronouns stay"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_only_names_change(text: str, new: str) -> None:
    names = names_of(DARCY)
    marsh = names["Marsh"]
    wanted = new.format(
        L=names["Lizzy"],
        D=names["Darcy"],
        DC=names["Darcy"].upper(),
        P=marsh + ("es" if marsh.endswith(("x", "sh")) else "s"),
    )
    assert DARCY.apply(text) == wanted
    assert DARCY.apply_with_map(text).text == wanted


def test_a_plural_that_is_a_word_of_the_book_stays() -> None:
    text = "Mr. Wood in the woods of Woods."
    assert small(text, who("Mr. Wood", M)).apply(text).endswith("in the woods of Woods.")


def test_a_longer_name_is_its_own() -> None:
    table = small("", who("William", M), who("Mr. Williams", M))
    assert names_of(table)["William"] == "Krog"
    assert table.apply("Williams") == names_of(table)["Williams"]
    assert table.apply("Williams") != "Krogs"


@pytest.mark.parametrize(
    ("choice", "lizzy", "jim"),
    [
        pytest.param("kept", F, M, id="kept"),
        pytest.param("switched", M, F, id="switched"),
        pytest.param("female", F, F, id="all women"),
        pytest.param("male", M, M, id="all men"),
    ],
)
def test_first_names_are_of_the_gender_asked_for(choice: str, lizzy: Gender, jim: Gender) -> None:
    cast = [who("Lizzy Darcy", F), who("Jim Marsh", M)]
    for nationality in packaged_names():
        table = map_names(cast, "", 3, choice, nationality.nationality)
        of = {F: nationality.female, M: nationality.male}
        assert names_of(table)["Lizzy"] in of[lizzy]
        assert names_of(table)["Jim"] in of[jim]
        assert {names_of(table)["Darcy"], names_of(table)["Marsh"]} <= set(nationality.last)


def test_any_gender_gives_names_of_both() -> None:
    cast = [who(f"L{'xyz'[at % 3] * (at + 1)}", F) for at in range(20)]
    names = set(names_of(map_names(cast, "", 3, "any", "swedish")).values())
    swedish = next(name for name in packaged_names() if name.nationality == "swedish")
    assert names & set(swedish.female)
    assert names & set(swedish.male)


def test_a_gender_nobody_knows_is_that_of_the_name() -> None:
    assert find_terms([who("Lizzy")], "")[0] == [Term("Lizzy", NamePart.FIRST, F)]
    assert find_terms([who("Queequeg")], "")[0] == [Term("Queequeg", NamePart.FIRST, U)]


def test_the_seed_says_all() -> None:
    def renamed(seed: int) -> tuple[str, str]:
        table = map_names(EMMA, "", seed)
        return table.nationality, table.name("Emma Woodhouse and George Knightley")

    assert renamed(7) == renamed(7)
    assert len({renamed(seed) for seed in range(20)}) > 10
    assert len({renamed(seed)[0] for seed in range(40)}) > 5


def test_the_order_of_characters_does_not_matter() -> None:
    text = "Emma and George and Emma"
    there, back = map_names(EMMA, text, 7), map_names(EMMA[::-1], text, 7)
    assert there == back


def test_the_names_that_come_along_are_names() -> None:
    for nation in packaged_names():
        names = [*nation.female, *nation.male, *nation.last]
        assert len(set(names)) == len(names), nation.nationality
        assert min(len(nation.female), len(nation.male), len(nation.last)) >= 40, nation.nationality
        assert [name for name in names if not re.fullmatch("[A-Z][a-z]+", name)] == []


BANK = list(
    parse(
        '{"name": "Emma Woodhouse", "aliases": ["Emma"], "gender": "female", "descriptions": ['
        '{"level": 1, "text": "the heiress"}, {"level": 2, "text": "the pupil of {Mr. Knightley}",'
        ' "evidence": [{"locator": "pg158:1.1:0-9", "quote": "Emma, said Mr. Knightley"}]}]}\n'
        '{"name": "Mr. Knightley", "gender": "male", "descriptions": ['
        '{"level": 1, "text": "the squire"}]}\n'
        '{"name": "Harriet Smith", "gender": "female", "descriptions": ['
        '{"level": 1, "text": "the natural daughter"}]}',
        "pg158",
    )
)


def test_a_bank_is_renamed_throughout_and_stays_a_bank() -> None:
    table = small("", *[who(character.name, character.gender) for character in BANK])
    assert table == map_names(BANK, "", 1, nationality=FEW)
    emma, knightley, harriet = map(table.described, BANK)
    assert emma.descriptions[1].names == (knightley.name,)
    assert emma.descriptions[1].evidence == (
        DescriptionEvidence("pg158:1.1:0-9", table.apply("Emma, said Mr. Knightley")),
    )
    assert "Emma" not in str(emma)
    assert emma.gender is F
    assert harriet.descriptions[0].text == "the natural daughter"


def test_a_character_of_a_cast_keeps_id_and_gender() -> None:
    table = small("", *EMMA)
    emma = table.character(EMMA[0])
    assert (emma.id, emma.gender, emma.aliases[0]) == ("emma-woodhouse", F, emma.name)
    assert not {"Emma", "Woodhouse"} & set(" ".join(emma.aliases).split())


def test_denials_are_of_somebody_else_of_that_gender_if_there_is_one() -> None:
    denials = [
        (character.name, description.level, description.text)
        for character, description in negate_descriptions(BANK, Random(1))
    ]
    assert denials == [
        ("Emma Woodhouse", 1, "the heiress, and not the natural daughter"),
        ("Emma Woodhouse", 2, "the pupil of {Mr. Knightley}, and not the natural daughter"),
        ("Mr. Knightley", 1, denials[2][2]),
        ("Harriet Smith", 1, "the natural daughter, and not the heiress"),
    ]
    assert denials[2][2] in {
        "the squire, and not the heiress",
        "the squire, and not the natural daughter",
    }


def test_a_bank_of_one_denies_nothing() -> None:
    alone = DescribedCharacter("A", (), U, (Description(1, "the hermit"),))
    assert list(negate_descriptions([alone], Random(1))) == []


def test_names_of_several_books_are_pooled_by_part_and_gender() -> None:
    darcy = [who("Fitzwilliam Darcy", M), who("Lizzy Bennet", F), who("Grace Poole", F)]
    pool = pool_names([(EMMA, ""), (darcy, "grace")])
    assert pool == Names(
        "pooled",
        ("Emma", "Lizzy"),
        ("Fitzwilliam", "George"),
        ("Bennet", "Darcy", "Knightley", "Poole", "Woodhouse"),
    )
    table = map_names(EMMA, "Emma Woodhouse. George Knightley.", 5, nationality=pool)
    assert table.name("Emma") == "Lizzy"
    assert table.name("George") == "Fitzwilliam"
    assert set(names_of(table).values()) <= {*pool.female, *pool.male, *pool.last}
