"""The answers of language models: all that can be parsed counts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.llm.backend import Completion, parse_answer, parse_answers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param("I cannot help with that.", {}, id="nonsense"),
        pytest.param("[1, 2, {}, null]", {}, id="other JSON"),
        pytest.param('{"9": "Jane"}', {}, id="a number that was not asked"),
        pytest.param('{"1": {"name": "Jane"}}', {}, id="a nested answer"),
        pytest.param('{"1": 7, "2": ["Jane"]}', {}, id="no names"),
        pytest.param('{"1": "Jane", "2": "Mr. Da', {"1": "Jane"}, id="cut off in a name"),
        pytest.param('{"1": "Jane", "2', {"1": "Jane"}, id="cut off in a number"),
        pytest.param('{"1": "Jane",\n}', {"1": "Jane"}, id="a comma too many"),
        pytest.param('```json\n{"1": "Jane"}\n```', {"1": "Jane"}, id="in a fence"),
        pytest.param('Sure!\n{"1": "Jane"} Done.', {"1": "Jane"}, id="in talk"),
        pytest.param('{1: "Jane", \'2\': "Tom"}', {"1": "Jane", "2": "Tom"}, id="odd keys"),
        pytest.param('{"<1>": "Jane", "[2]": "Tom"}', {"1": "Jane", "2": "Tom"}, id="marked keys"),
        pytest.param('{"01": "Jane"}', {"1": "Jane"}, id="a leading zero"),
        pytest.param('{"1": null}', {"1": None}, id="null"),
        pytest.param('{"1": "Tom"} {"1": "Jane"}', {"1": "Jane"}, id="twice"),
        pytest.param('<think>{"1": "Tom"}</think>{"1": "Jane"}', {"1": "Jane"}, id="thinking"),
        pytest.param('{"reasoning": "at 1", "1": "Jane"}', {"1": "Jane"}, id="reasoning"),
        pytest.param('{"1": "A \\"B\\" \\u00e9"}', {"1": 'A "B" é'}, id="escapes"),
        pytest.param('{"1": "A \\x"}', {"1": "A \\x"}, id="a broken escape"),
    ],
)
def test_the_readable_part_of_an_answer_is_read(text: str, expected: dict[str, str]) -> None:
    assert parse_answer(Completion(text), ["1", "2"]) == expected


@given(
    st.dictionaries(st.integers(1, 999).map(str), st.text(max_size=20), max_size=8),
    st.sampled_from([None, 0, 1]),
)
def test_any_names_survive_json(answer: dict[str, str], indent: int | None) -> None:
    assert parse_answer(Completion(json.dumps(answer, indent=indent)), list(answer)) == answer


@given(st.text(st.sampled_from('12"\\:{} \n<>nul,[]a') | st.characters(), max_size=200))
def test_any_answer_at_all_is_survived(text: str) -> None:
    for number, name, span in parse_answers(text):
        assert number.isdecimal()
        assert name is None or text[span.start - 1] == text[span.end] == '"'


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["1", '1:"\\', '1: "', '"1"', '1:"\\"', " ", "\\", '1:"\\\\'])
def test_an_answer_without_end_is_read_to_its_end(unit: str) -> None:
    parse_answer(Completion(unit * 30_000), ["1"])
