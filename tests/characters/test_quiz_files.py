"""Questions written to files and read from them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbour import harbour, make_quiz
from scholar_indexes.characters.quiz.question_lines import from_jsonl, to_jsonl
from scholar_indexes.characters.quiz.questions import (
    QuizQuestion,
)
from scholar_indexes.errors import Damaged


@pytest.fixture(scope="module")
def every() -> list[QuizQuestion]:
    """Return all questions about the harbour."""
    return make_quiz(harbour())


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
        pytest.param({"choices": "Ada"}, "expected a list", id="choices that are a word"),
        pytest.param(
            {"choices": ["Ada", 3]}, "expected text, got '3'", id="a choice that is a number"
        ),
        pytest.param({"choices": ["Ada", "\x1b"]}, "expected text, got", id="a choice of nothing"),
        pytest.param({"text": ""}, "expected text, got", id="no text"),
        pytest.param({"text": None}, "expected text, got 'None'", id="null for text"),
        pytest.param({"question_id": 7}, "expected text, got '7'", id="a number for an id"),
        pytest.param({"names": ["Ada"]}, "1 names for 2", id="too few names"),
        pytest.param({"evidence": [{"quote": "x"}]}, "'locator' is missing", id="no locator"),
        pytest.param({"evidence": ["x"]}, "not a JSON object of this form", id="evidence in words"),
    ],
)
def test_a_line_that_is_no_question_is_named(change: dict[str, Any], message: str) -> None:
    text = json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, "question_id": "q2", **change})
    with pytest.raises(Damaged, match=r"\Amine, line 3: [^\n]*; fix that line\Z") as raised:
        from_jsonl(text, "mine")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "3", '"text"', "null", "[" * 100_000, "{}", '{"choices": {}}', "1" * 5_000],
    ids=lambda line: line[:9],
)
def test_a_line_that_is_no_object_is_named(line: str) -> None:
    with pytest.raises(Damaged, match=r"\Aq, line 1: [^\n]*; fix that line\Z"):
        from_jsonl(line, "q")


def test_an_id_comes_once() -> None:
    with pytest.raises(Damaged, match="line 2: question_id 'q1' appears twice"):
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
