"""Attribution by the rules of the sieve."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.attribution import sieve
from scholar_indexes.attribution.sieve import NEAREST_RIGHT, SHARE_RIGHT, SieveRule
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

F, M = Gender.FEMALE, Gender.MALE

CAST = (
    Character("elizabeth", "Elizabeth", ("Elizabeth", "Lizzy"), F),
    Character("jane", "Jane", ("Jane",), F),
    Character("bennet", "Mr. Bennet", ("Mr. Bennet",), M),
    Character("darcy", "Darcy", ("Darcy", "Mr. Darcy"), M),
)

System = Callable[[str, Sequence[Quotation], Sequence[Character]], list[Attribution]]

SYSTEMS = pytest.mark.parametrize("system", [sieve.attribute_nearest, sieve.attribute])


def read(text: str) -> list[Quotation]:
    """Return the quotations of a text, each between “ and ”."""
    starts = [at + 1 for at, letter in enumerate(text) if letter == "“"]
    ends = [at for at, letter in enumerate(text) if letter == "”"]
    return [Quotation((Span(start, end),)) for start, end in zip(starts, ends, strict=True)]


def decisions(text: str) -> list[tuple[str | None, SieveRule]]:
    """Return the speaker of each quotation, and the rule that decided it."""
    return [
        (CAST[mention.character].name if mention else None, stage)
        for mention, stage, _ in sieve.decide(text, read(text), CAST)
    ]


@SYSTEMS
def test_without_a_name_a_quotation_has_no_speaker(system: System) -> None:
    text = "“Who is it?” said he.\n\n“No one.”"
    for answer in system(text, read(text), CAST):
        assert (answer.speaker, answer.evidence, answer.confidence) == (None, None, 0.0)


@SYSTEMS
def test_no_quotations_have_no_answers(system: System) -> None:
    assert system("Jane left.", [], CAST) == []
    assert system("", [], ()) == []


@SYSTEMS
def test_answers_carry_what_decided_and_how_often_it_is_right(system: System) -> None:
    text = "Jane came in. “Who is it?” said Mr. Bennet.\n\n“No one.”"
    answers = system(text, read(text), CAST)
    assert answers[0].speaker == CAST[2]
    assert answers[0].kind is QuoteKind.EXPLICIT
    assert answers[0].evidence is not None
    assert answers[0].evidence.of(text).endswith("Mr. Bennet")
    assert answers[0].confidence > answers[1].confidence > 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("Jane rose. “No.” Darcy sat.", "Darcy", id="behind, when as near"),
        pytest.param("Jane, “No.” It rained. Darcy sat.", "Jane", id="before, when nearer"),
        pytest.param("“No, Lizzy.” It rained. Darcy sat.", "Darcy", id="not a name in speech"),
    ],
)
def test_the_nearest_name_in_the_narration_is_taken(text: str, name: str) -> None:
    answer = sieve.attribute_nearest(text, read(text), CAST)[0]
    assert answer.speaker is not None
    assert answer.speaker.name == name
    assert answer.evidence is not None
    assert answer.evidence.of(text) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("“No,” said Jane.", [("Jane", SieveRule.NAMED)], id="named"),
        pytest.param(
            "“Come, Jane,” said Darcy.\n\n“No.”",
            [("Darcy", SieveRule.NAMED), ("Jane", SieveRule.ADDRESSED)],
            id="addressed",
        ),
        pytest.param(
            "Jane met Mr. Bennet.\n\n“No,” said she.",
            [("Jane", SieveRule.PRONOUN)],
            id="a pronoun of her gender",
        ),
        pytest.param(
            "Jane met Elizabeth.\n\n“No,” said Elizabeth.\n\n“Yes,” she replied.",
            [("Elizabeth", SieveRule.NAMED), ("Jane", SieveRule.PRONOUN)],
            id="a pronoun is not who spoke just before",
        ),
        pytest.param(
            "“No,” said Jane. “Never.”",
            [("Jane", SieveRule.NAMED), ("Jane", SieveRule.TOGETHER)],
            id="together",
        ),
        pytest.param("“No.” Jane left the room.", [("Jane", SieveRule.SINGLE)], id="single"),
        pytest.param(
            "“No,” said Jane.\n\n“Yes,” said Darcy.\n\n“No!”\n\n“Yes!”\n\n“No!”",
            [
                ("Jane", SieveRule.NAMED),
                ("Darcy", SieveRule.NAMED),
                ("Jane", SieveRule.TURNS),
                ("Darcy", SieveRule.TURNS),
                ("Jane", SieveRule.TURNS),
            ],
            id="turns",
        ),
        pytest.param(
            "“No.”\n\n“Yes.”\n\n“No,” said Jane.\n\n“Yes,” said Darcy.",
            [
                ("Jane", SieveRule.TURNS),
                ("Darcy", SieveRule.TURNS),
                ("Jane", SieveRule.NAMED),
                ("Darcy", SieveRule.NAMED),
            ],
            id="turns backwards",
        ),
        pytest.param(
            "It rained. Jane rose from her chair.\n\n“No.”",
            [("Jane", SieveRule.FINAL)],
            id="the end of the narration before",
        ),
        pytest.param(
            "“No,” said Jane.\n\n“Yes,” said Darcy.\n\nIt rained.\n\n“No.”",
            [("Jane", SieveRule.NAMED), ("Darcy", SieveRule.NAMED), ("Jane", SieveRule.LOOSE)],
            id="turns over an interruption",
        ),
        pytest.param(
            "“No,” said Jane.\n\nIt rained.\n\nIt snowed.\n\nIt froze.\n\n“Yes.”",
            [("Jane", SieveRule.NAMED), ("Jane", SieveRule.MAJORITY)],
            id="majority",
        ),
        pytest.param(
            "They had come with Darcy. “No.”", [("Darcy", SieveRule.NEAREST)], id="nearest"
        ),
        pytest.param("“No.”", [(None, SieveRule.NOBODY)], id="nobody"),
    ],
)
def test_each_stage_decides_in_its_turn(
    text: str, expected: list[tuple[str | None, SieveRule]]
) -> None:
    assert decisions(text) == expected


def test_the_narrators_i_is_the_narrator() -> None:
    narrator = Character("watson", "Watson", ("Watson",), M, narrator=True)
    text = "“No,” said I."
    answer = sieve.attribute(text, read(text), (*CAST, narrator))[0]
    assert (answer.speaker, answer.kind) == (narrator, QuoteKind.ANAPHORIC)
    assert answer.confidence == SHARE_RIGHT[SieveRule.LISTED]


def test_few_people_name_themselves() -> None:
    text = "“Yes,” said Jane.\n\n“No,” said Darcy.\n\n“But Jane left.”"
    assert decisions(text)[2][0] != "Jane"


def test_every_stage_and_kind_has_a_share_in_the_unit_interval() -> None:
    assert set(SHARE_RIGHT) == set(SieveRule)
    assert set(NEAREST_RIGHT) == set(QuoteKind)
    assert all(0 <= share <= 1 for share in (*SHARE_RIGHT.values(), *NEAREST_RIGHT.values()))


NOVEL = st.lists(
    st.sampled_from(
        ["“No", ",” ", ".”", "said ", "Jane", " Darcy", " he ", "\n\n", "She ", "Mr. Bennet", ". "]
    )
    | st.characters(codec="utf-8"),
    max_size=80,
).map("".join)


@given(NOVEL, st.lists(st.tuples(st.integers(0, 200), st.integers(1, 40)), max_size=8))
def test_any_text_gets_an_answer_for_each_quotation(
    text: str, places: list[tuple[int, int]]
) -> None:
    quotations = [
        Quotation((Span(start, min(start + length, len(text))),))
        for start, length in places
        if start < len(text)
    ]
    for system in (sieve.attribute_nearest, sieve.attribute):
        answers = system(text, quotations, CAST)
        assert len(answers) == len(quotations)
        for answer in answers:
            assert (answer.speaker is None) == (answer.evidence is None)
            assert answer.speaker is None or answer.speaker in CAST
            assert 0 <= answer.confidence <= 1
            if answer.evidence is not None:
                assert 0 <= answer.evidence.start < answer.evidence.end <= len(text)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["“No.” ", "“No,” said Jane. ", "“Jane, no.”\n\n", "Jane. “No.”"])
def test_many_quotations_of_any_layout_are_answered(unit: str) -> None:
    text = unit * 1_500
    assert len(sieve.attribute(text, read(text), CAST)) == 1_500
