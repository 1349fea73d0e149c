"""Questions about characters: one right answer, nothing given away, nothing spoilt."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholar_indexes.characters.descriptions.bank import (
    DescribedCharacter,
    Description,
    DescriptionEvidence,
    parse,
)
from scholar_indexes.characters.quiz.question_lines import from_jsonl, to_jsonl
from scholar_indexes.characters.quiz.questions import (
    KINDS,
    LEVELS,
    QuizQuestion,
    generate_questions,
    repeat_questions,
)
from scholar_indexes.characters.quiz.visible_bank import first_chapters
from scholar_indexes.characters.quiz.wording import WORDING, query_only
from scholar_indexes.characters.terms import name_terms, tokenize
from scholar_indexes.errors import Damaged, NoMatch, ScholarError, UsageError
from scholar_indexes.types import Gender

BOOK = "own-harbour"

WOMEN = [
    "Ada Finch",
    "Bess Carr",
    "Clara Dunn",
    "Dora Hale",
    "Edith Moor",
    "Flora Pike",
    "Grace Rudd",
    "Hester Vane",
    "Ida Wren",
    "Joan Yates",
    "Kitty Finch",
]
MEN = ["Abel Crane", "Basil Frost", "Cyril Heath", "Denis Lamb", "Edgar Nash"]
DEEDS = (
    "keeps the lighthouse lamp|mends torn nets|sells eels at dawn|rows to the wreck|forges a will|"
    "hides a smuggler|teaches the choir|burns the chart|finds a drowned bell|wins the regatta|"
    "sleeps in the belfry|steals a compass|buries a trunk|paints the ferry|reads omens in tea|"
    "breeds grey geese"
).split("|")


def proof(chapter: int, at: int = 1) -> DescriptionEvidence:
    return DescriptionEvidence(f"{BOOK}:{chapter}.{at}:0-9", f"a passage of chapter {chapter}")


def person(
    name: str,
    *descriptions: tuple[int, str, int],
    gender: Gender = Gender.UNKNOWN,
    aliases: Any = (),
) -> DescribedCharacter:
    """Return a character with (level, text, chapter of its passage) for descriptions."""
    return DescribedCharacter(
        name,
        tuple(aliases),
        gender,
        tuple(Description(level, text, (proof(chapter),)) for level, text, chapter in descriptions),
    )


def harbour() -> list[DescribedCharacter]:
    """Return sixteen people; at level 2 each names the next, and chapters follow the order."""
    people = [(name, Gender.FEMALE) for name in WOMEN] + [(name, Gender.MALE) for name in MEN]
    return [
        person(
            name,
            (1, f"the one who {DEEDS[at]}", at + 1),
            (
                1,
                f"the {'woman' if gender is Gender.FEMALE else 'man'} whose cousin {DEEDS[at]}",
                at + 1,
            ),
            (2, f"the neighbour who {DEEDS[at]} for {{{people[(at + 2) % 16][0]}}}", at + 3),
            gender=gender,
            aliases=[name.split()[0]],
        )
        for at, (name, gender) in enumerate(people)
    ]


def make(bank: list[DescribedCharacter], n: int | None = None, **more: Any) -> list[QuizQuestion]:
    return generate_questions(bank, BOOK, n, tell=more.pop("tell", lambda line: None), **more)


@pytest.fixture(scope="module")
def every() -> list[QuizQuestion]:
    """Return all questions about the harbour."""
    return make(harbour())


@pytest.mark.parametrize(
    ("bank", "message"),
    [
        pytest.param([], "0 described characters", id="nobody"),
        pytest.param(harbour()[:1], "1 described characters", id="one character"),
        pytest.param([person("Ada"), person("Bess")], "nothing to ask", id="nothing described"),
        pytest.param(
            [
                person("Ada", (1, "the cook", 1), aliases=["Bess"]),
                person("Bess", (1, "the maid", 1)),
            ],
            "nothing to ask",
            id="two who go by one name",
        ),
        pytest.param(
            [person("Ada", (1, "the cook", 1)), person("Bess", (1, "The cook", 1))],
            "nothing to ask",
            id="one description of two",
        ),
        pytest.param(
            [person("Ada Finch", (1, "the finch who sings", 1)), person("Bess")],
            "nothing to ask",
            id="a description that says the name",
        ),
    ],
)
def test_where_nothing_can_be_asked_one_line_says_so(
    bank: list[DescribedCharacter], message: str
) -> None:
    with pytest.raises(NoMatch, match=rf"\Aown-harbour[^\n]*{message}[^\n]*;[^\n]*\Z"):
        make(bank, 5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "both"},
        {"levels": []},
        {"levels": [0, 1]},
        {"levels": [5]},
        {"n": 0},
        {"n": -1},
        {"choices": 1},
        {"choices": 10_000},
    ],
    ids=str,
)
def test_a_question_of_no_kind_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"; |: "):
        make(harbour(), **{"n": 3, **wrong})


def test_a_small_book_has_fewer_choices_and_a_message_says_so() -> None:
    lines: list[str] = []
    made = make(harbour()[:4], 3, levels=[1], tell=lines.append)
    assert {len(question.choices) for question in made} == {4}
    assert lines == [
        "own-harbour has descriptions of 4 characters, so there are questions with "
        "4 choices instead of 10"
    ]


def test_a_message_says_that_there_are_fewer_questions() -> None:
    lines: list[str] = []
    made = make(harbour(), 1_000, tell=lines.append)
    assert lines == [f"own-harbour has {len(made)} different questions of this kind, not 1000"]
    assert len({question.id for question in made}) == len(made)


def test_every_question_has_ten_choices_that_differ_and_one_is_right(
    every: list[QuizQuestion],
) -> None:
    by_name = {character.name: character for character in harbour()}
    assert {(question.kind, question.level) for question in every} == {
        (k, lv) for k in KINDS for lv in LEVELS
    }
    for question in every:
        assert len(question.choices) == len(set(question.choices)) == len(set(question.names)) == 10
        assert (
            question.character == question.names[question.answer] == question.name(question.answer)
        )
        if question.level <= 2:
            descriptions = {
                description.plain.replace("Finch", "").split(" for ")[0]
                for description in by_name[question.character].descriptions
            }
            assert question.description.replace("Finch", "").split(" for ")[0] in descriptions
            assert question.evidence


def test_no_choice_is_also_right(every: list[QuizQuestion]) -> None:
    of = {
        description.text: character.name
        for character in harbour()
        for description in character.descriptions
        if description.level < 2
    }
    for question in every:
        if question.kind == "name2desc" and question.level == 1:
            assert [of[choice] for choice in question.choices].count(question.text) == 1
        if question.kind == "desc2name":
            assert question.choices == question.names


def test_a_character_with_a_name_of_the_answer_is_not_offered() -> None:
    bank = harbour()
    bank[1] = replace(bank[1], aliases=("Bess", "Ada Finch"))
    for question in make(bank, None):
        if question.character in ("Ada Finch", "Bess Carr"):
            assert not {"Ada Finch", "Bess Carr"} <= set(question.names)


def test_nothing_names_the_answer(every: list[QuizQuestion]) -> None:
    for question in every:
        own = name_terms([question.character])
        if question.kind == "desc2name":
            assert own.isdisjoint(tokenize(question.text)), question
        else:
            assert all(own.isdisjoint(tokenize(choice)) for choice in question.choices), question


def test_another_of_the_same_surname_goes_by_another_name() -> None:
    bank = harbour()
    bank[0] = person(
        "Ada Finch",
        (2, "the aunt who scolds {Kitty Finch}", 1),
        aliases=["Ada"],
        gender=Gender.FEMALE,
    )
    made = make(bank, levels=[2])
    assert {question.description for question in made if question.character == "Ada Finch"} == {
        "the aunt who scolds Kitty"
    }
    bank[10] = replace(bank[10], aliases=())
    assert all(question.character != "Ada Finch" for question in make(bank, levels=[2]))


def test_whom_the_description_names_is_not_offered(every: list[QuizQuestion]) -> None:
    for question in every:
        if question.kind == "desc2name" and question.level in (2, 4):
            assert not any(name in question.text for name in question.choices), question


def test_wrong_choices_are_of_one_gender_as_far_as_they_go(every: list[QuizQuestion]) -> None:
    gender = {character.name: character.gender for character in harbour()}
    for question in every:
        same = sum(gender[name] is gender[question.character] for name in question.names)
        if question.level in (1, 3):
            assert same == (10 if gender[question.character] is Gender.FEMALE else 5), question
        else:
            assert same >= (9 if gender[question.character] is Gender.FEMALE else 4), question


def test_descriptions_offered_together_are_of_one_level(every: list[QuizQuestion]) -> None:
    ones = {
        description.plain
        for character in harbour()
        for description in character.descriptions
        if description.level == 1
    }
    for question in every:
        if question.kind == "name2desc":
            assert {choice in ones for choice in question.choices} == {question.level == 1}
            if question.level == 3:
                assert all(choice.count(" the ") >= 1 for choice in question.choices)


def test_answers_stand_anywhere() -> None:
    places = Counter(
        question.answer for seed in range(8) for question in make(harbour(), seed=seed)
    )
    expected = sum(places.values()) / 10
    assert sum((places[at] - expected) ** 2 / expected for at in range(10)) < 27.9  # p = 0.001


def test_a_short_quiz_asks_about_nobody_twice() -> None:
    for seed in range(5):
        made = make(harbour(), 16, seed=seed)
        assert len({question.character for question in made}) == 16


def test_over_all_questions_what_is_right_equally_often_is_offered_so(
    every: list[QuizQuestion],
) -> None:
    women = [character for character in harbour() if character.gender is Gender.FEMALE]
    phrases = {
        one.text for character in women for one in character.descriptions if "woman" in one.text
    }
    for kind, among in (("desc2name", set(WOMEN)), ("name2desc", phrases)):
        offers = Counter(
            choice for question in every if question.kind == kind for choice in question.choices
        )
        often = [offers[choice] for choice in among]
        assert max(often) - min(often) <= 3, kind


def test_a_seed_gives_the_same_questions_whatever_the_order_of_the_bank() -> None:
    bank = harbour()
    mixed = [replace(character, descriptions=character.descriptions[::-1]) for character in bank]
    random.Random(1).shuffle(mixed)
    assert make(mixed, 20, seed=7) == make(bank, 20, seed=7)
    assert make(bank, 20, seed=8) != make(bank, 20, seed=7)
    assert make(bank, 20, seed=7)[:5] == make(bank, 5, seed=7)


_PRINT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_quiz_questions import harbour, make
print([question.id for question in make(harbour(), 12, seed=3)])
"""


def test_ids_are_the_same_in_every_process() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PRINT, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert (
        outputs[0] == outputs[1] == f"{[question.id for question in make(harbour(), 12, seed=3)]}\n"
    )


def test_what_was_asked_is_asked_again_with_its_passages(every: list[QuizQuestion]) -> None:
    cards = [(question.character, question.description, question.level) for question in every]
    made = repeat_questions(harbour(), BOOK, cards, tell=lambda line: None)
    assert [
        (question.character, question.description, question.level) for question in made
    ] == cards
    for new, old in zip(made, every, strict=True):
        assert set(new.evidence) == set(old.evidence)
        assert len(new.choices) == 10


@pytest.mark.parametrize(
    "card",
    [
        ("Nobody", "the one who mends torn nets", 1),
        ("Bess Carr", "the one who sings", 1),
        ("Bess Carr", "the one who mends torn nets", 2),
        ("Bess Carr", "", 4),
    ],
    ids=["a character that is gone", "words that are gone", "another level", "no words"],
)
def test_what_the_bank_no_longer_says_is_left_out(card: tuple[str, str, int]) -> None:
    assert repeat_questions(harbour(), BOOK, [card], tell=lambda line: None) == []
    assert repeat_questions([], BOOK, [card], tell=lambda line: None) == []


def _chapters(question: QuizQuestion) -> list[int]:
    return [int(passage.locator.split(":")[1].split(".")[0]) for passage in question.evidence]


@pytest.mark.parametrize("upto", [2, 5, 9, 14, 99])
def test_up_to_a_chapter_nothing_later_is_asked_or_offered(upto: int) -> None:
    bank = harbour()
    first = first_chapters(bank)
    late = {name for name in first if first[name] > upto}
    by_text = {
        description.plain: description
        for character in bank
        for description in character.descriptions
    }
    for seed in range(3):
        for question in make(bank, upto=upto, seed=seed):
            assert max(_chapters(question)) <= upto
            assert late.isdisjoint(question.names)
            shown = " ".join([question.text, *question.choices])
            assert not any(name in shown for name in late)
            for choice in question.choices:
                if choice in by_text:
                    assert (
                        int(by_text[choice].evidence[0].locator.split(":")[1].split(".")[0]) <= upto
                    )


@pytest.mark.parametrize(
    "known",
    [
        pytest.param(dict.fromkeys(WOMEN[:6], 1) | {"Ida Wren": 13}, id="first chapters"),
        pytest.param(set(WOMEN[:6]), id="names"),
        pytest.param(lambda name: name in WOMEN[:6], id="a function"),
    ],
)
def test_only_known_characters_are_mentioned(known: Any) -> None:
    made = make(harbour(), upto=12, known=known)
    assert {name for question in made for name in question.names} == set(WOMEN[:6])
    for question in made:
        shown = " ".join([question.text, *question.choices])
        assert not any(
            name.split()[0] in shown for name in WOMEN[6:] + MEN if name != "Kitty Finch"
        )


@pytest.mark.parametrize(
    "place", ["own-harbour", "nonsense", "own-harbour:99999999.1"], ids=["a book", "none", "broken"]
)
def test_a_passage_without_a_chapter_could_be_anywhere(place: str) -> None:
    bank = harbour()
    odd = Description(1, "the one who comes back rich", (DescriptionEvidence(place, "words"),))
    bank[0] = replace(bank[0], descriptions=(*bank[0].descriptions, odd))
    none = Description(1, "the one who comes back poor")
    bank[1] = replace(bank[1], descriptions=(*bank[1].descriptions, none))
    shown = to_jsonl(make(bank, upto=16))
    assert "comes back" not in shown
    assert "comes back rich" in to_jsonl(make(bank))


def test_a_later_name_is_not_used_before_its_chapter() -> None:
    bank = harbour()
    bank[10] = replace(bank[10], aliases=("Mrs. Nash", "Kitty"))
    bank[0] = person(
        "Ada Finch",
        (2, "the aunt who scolds {Kitty Finch}", 1),
        (1, "the one who naps", 1),
        gender=Gender.FEMALE,
    )
    assert "scolds Mrs. Nash" in to_jsonl(make(bank))
    early = to_jsonl(make(bank, upto=11))
    assert "scolds Kitty" in early
    assert "Nash" not in early


def test_before_two_characters_are_known_there_is_nothing_to_ask() -> None:
    with pytest.raises(NoMatch, match=r"up to chapter 1 has 1 described characters.*read on"):
        make(harbour(), 3, upto=1)


def test_cards_of_later_chapters_wait(every: list[QuizQuestion]) -> None:
    cards = [(question.character, question.description, question.level) for question in every]
    made = repeat_questions(harbour(), BOOK, cards, upto=6, tell=lambda line: None)
    assert made
    assert all(max(_chapters(question)) <= 6 for question in made)
    assert len(made) == sum(
        max(_chapters(question)) <= 6
        for question in repeat_questions(harbour(), BOOK, cards, tell=lambda line: None)
    )


GOOD: dict[str, Any] = {
    "question_id": "q1",
    "book": "pg1342",
    "kind": "desc2name",
    "level": 1,
    "text": "the aunt",
    "choices": ["Ada", "Bess"],
    "answer": 1,
}


def test_questions_are_written_in_the_form_of_the_benchmark(every: list[QuizQuestion]) -> None:
    first = json.loads(to_jsonl(every[:1]))
    assert list(first) == ["question_id", "book", "kind", "level", "text", "choices", "answer"]
    assert first["choices"][first["answer"]] == every[0].choices[every[0].answer]
    bare = [replace(question, names=(), evidence=()) for question in every]
    assert from_jsonl(to_jsonl(every)) == bare
    assert from_jsonl(to_jsonl(every, full=True)) == every
    assert [question.character for question in bare] == [question.character for question in every]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"kind": "riddle"}, "kind 'riddle'", id="a kind that is none"),
        pytest.param({"level": 5}, "level '5'", id="a level that is none"),
        pytest.param({"level": True}, "level 'True'", id="a level that is no number"),
        pytest.param({"answer": 2}, "answer '2'; write 0 to 1", id="an answer not offered"),
        pytest.param({"answer": -1}, "answer '-1'", id="an answer before the first"),
        pytest.param({"answer": "1"}, "answer '1'", id="an answer in words"),
        pytest.param({"choices": ["Ada"]}, "1 choices", id="no choice"),
        pytest.param({"choices": "Ada"}, "a list should be", id="choices that are a word"),
        pytest.param({"choices": ["Ada", 3]}, "'3' where a text", id="a choice that is a number"),
        pytest.param({"choices": ["Ada", "\x1b"]}, "where a text", id="a choice of nothing"),
        pytest.param({"text": ""}, "where a text", id="no text"),
        pytest.param({"text": None}, "'None' where a text", id="null for text"),
        pytest.param({"question_id": 7}, "'7' where a text", id="a number for an id"),
        pytest.param({"names": ["Ada"]}, "1 names behind 2", id="too few names"),
        pytest.param({"evidence": [{"quote": "x"}]}, "'locator' is missing", id="no locator"),
        pytest.param({"evidence": ["x"]}, "no JSON object of this form", id="evidence in words"),
    ],
)
def test_a_line_that_is_no_question_is_named(change: dict[str, Any], message: str) -> None:
    text = json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, "question_id": "q2", **change})
    with pytest.raises(Damaged, match=r"\Amine, line 3: [^\n]*; mend that line\Z") as raised:
        from_jsonl(text, "mine")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "3", '"text"', "null", "[" * 100_000, "{}", '{"choices": {}}', "1" * 5_000],
    ids=lambda line: line[:9],
)
def test_a_line_that_is_no_object_is_named(line: str) -> None:
    with pytest.raises(Damaged, match=r"\Aq, line 1: [^\n]*; mend that line\Z"):
        from_jsonl(line, "q")


def test_an_id_comes_once() -> None:
    with pytest.raises(Damaged, match="line 2: question_id 'q1' is there twice"):
        from_jsonl((json.dumps(GOOD) + "\n") * 2)


def test_texts_of_others_are_made_fit_to_be_shown() -> None:
    (read,) = from_jsonl(json.dumps({**GOOD, "text": "the\n\x1b[31maunt \ud800\u202e"}))
    assert read.text == "the [31maunt"


@given(st.text(max_size=200))
def test_no_text_does_harm_when_read_as_questions(text: str) -> None:
    with suppress(Damaged):
        assert from_jsonl(text) == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from([*GOOD, "names", "evidence"]), _JSON)
def test_no_value_does_harm_where_another_belongs(field: str, value: Any) -> None:
    try:
        (read,) = from_jsonl(json.dumps({**GOOD, field: value}))
    except Damaged:
        return
    assert from_jsonl(to_jsonl([read], full=True)) == [read]


_NAME = st.sampled_from([*WOMEN, *MEN, "Ada", "Bess", "Mr. Finch"])
_PERSON = st.builds(
    lambda name, aliases, gender, texts: {
        "name": name,
        "aliases": aliases,
        "gender": gender,
        "descriptions": [
            {
                "level": 1 + ("{" in text),
                "text": text,
                "evidence": [{"locator": f"{BOOK}:{chapter}.1", "quote": "words"}],
            }
            for text, chapter in texts
            if f"{{{name}}}" not in text
        ],
    },
    _NAME,
    st.lists(_NAME, max_size=2),
    st.sampled_from([*Gender]),
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "the cook",
                    "the finch",
                    "the woman next door",
                    "a boy",
                    "the aunt of {Ada Finch}",
                    "the man {Abel Crane} owes",
                    "{Ada Finch} and {Abel Crane} by turns",
                ]
            ),
            st.integers(0, 5),
        ),
        max_size=3,
    ),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(_PERSON, max_size=8, unique_by=lambda character: character["name"]), st.integers(0, 5)
)
def test_whatever_the_bank_questions_are_sound(people: list[dict[str, Any]], upto: int) -> None:
    there = {person["name"] for person in people}
    for name in ("Ada Finch", "Abel Crane"):
        if name not in there:
            people.append({"name": name, "descriptions": []})
    for person in people:
        person["descriptions"].append({"level": 1, "text": "the one without a passage"})
    bank = list(parse("\n".join(map(json.dumps, people)), "mine"))
    for limits in ({}, {"upto": upto}):
        try:
            made = make(bank, **limits)
        except NoMatch:
            continue
        for question in made:
            assert 2 <= len(set(question.choices)) == len(question.choices) <= 10
            assert name_terms([question.character]).isdisjoint(tokenize(question.description))
            assert not limits or max(_chapters(question)) <= upto


def test_questions_about_the_harbour_give_little_away() -> None:
    made = [question for seed in range(3) for question in make(harbour(), seed=seed)]
    unlike = list({question.id: question for question in made}.values())
    assert query_only(unlike) < 0.1 + 0.06, "five men among sixteen people tell something"
    assert set(WORDING) >= {"gender", "length", "names", "rare words"}


def test_every_error_is_one_of_ours() -> None:
    for wrong in ([], harbour()[:1]):
        with pytest.raises(ScholarError):
            make(wrong)
