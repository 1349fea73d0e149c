"""The prompts that ask a language model for the speakers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chat_server as chat
from chat_server import ChatServer, remote_model
from llm_books import CAST, attribute_book, names, quoted
from scholar_indexes.attribution.by_language_model.attributor import Strategy, attribute
from scholar_indexes.attribution.by_language_model.chunks import Chunk
from scholar_indexes.attribution.by_language_model.prompt import mark_quotations
from scholar_indexes.types import Character, Quotation, Span


def test_pieces_of_a_quotation_carry_one_number_before_the_mark() -> None:
    text = "“Go,” he said, “now.” ‘No.’"
    quotations = [Quotation((Span(1, 4), Span(16, 20))), Quotation((Span(23, 26),))]
    assert mark_quotations(text, Chunk(Span(0, len(text)), (0, 1)), quotations) == (
        "<1>“Go,” he said, <1>“now.” <2>‘No.’"
    )


@given(st.text(max_size=200), st.data())
def test_only_the_requested_numbers_are_in_angle_brackets(text: str, data: Any) -> None:
    cuts = data.draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=5, unique=True))
    quotations = [Quotation((Span(at, at + 1),)) for at in sorted(cuts) if text]
    chunk = Chunk(Span(0, len(text)), tuple(range(len(quotations))))
    shown = mark_quotations(text, chunk, quotations)
    assert re.findall(r"<(.*?)>", shown) == [str(n + 1) for n in range(len(quotations))]
    assert shown.count("<") == len(quotations)


def test_the_model_is_shown_the_text_the_numbers_and_every_name() -> None:
    with ChatServer(chat.answer_well) as chat_server:
        attribute(
            "“Go,” said Jane Bennet.",
            quoted("“Go,” said"),
            CAST,
            [Span(0, 23)],
            remote_model(chat_server),
        )
    (prompt,) = chat_server.prompts
    assert "<text>\n<1>“Go,” said Jane Bennet.\n</text>" in prompt
    assert "- Jane Bennet; Jane, Miss Bennet\n- Mr. Darcy; Darcy\n" in prompt
    assert '"1"' in prompt


def test_a_narrator_is_marked_and_two_of_one_name_are_numbered() -> None:
    cast = (
        Character("n", "_narr", ("Nick",), narrator=True),
        Character("a", "Tom", ("Tom",)),
        Character("b", "Tom", ("Tom",)),
    )
    with ChatServer(chat.reply_with('{"1": "Tom (2)"}')) as chat_server:
        attributions = attribute(
            "“Go.”", quoted("“Go.”"), cast, [Span(0, 5)], remote_model(chat_server)
        )
    assert "- Nick; _narr, the narrator, who says I\n- Tom\n- Tom (2)\n" in chat_server.prompts[0]
    assert attributions[0].speaker is cast[2]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_earlier_answers_are_shown_where_they_may_be_refined(strategy: Strategy) -> None:
    with ChatServer(chat.answer_well) as chat_server:
        attribute_book(
            remote_model(chat_server),
            strategy=strategy,
            chunk_tokens=80,
            overlap_tokens=25,
        )
    assert len(chat_server.prompts) > 2
    shown = ["were read as spoken by: <1> " in prompt for prompt in chat_server.prompts]
    assert shown == [False] + [strategy is Strategy.INCREMENTAL] * (len(shown) - 1)


@pytest.mark.parametrize(
    ("strategy", "expected"), [(Strategy.FIRST, "Jane Bennet"), (Strategy.INCREMENTAL, "Mr. Darcy")]
)
def test_the_strategy_decides_whether_the_first_or_the_refined_answer_counts(
    strategy: Strategy, expected: str
) -> None:
    def everyone(name: str) -> chat.Answer:
        return chat.reply_with(json.dumps({str(n): name for n in range(1, 13)}))

    with ChatServer(everyone("Jane"), everyone("Darcy")) as chat_server:
        attributions = attribute_book(
            remote_model(chat_server),
            strategy=strategy,
            chunk_tokens=120,
            overlap_tokens=60,
        )
    assert len(chat_server.requests) == 2
    assert names(attributions)[0] == "Jane Bennet"
    assert names(attributions)[-1] == "Mr. Darcy"
    shared = re.findall(r"Line (\d+)", chat_server.prompts[1])[0]
    assert names(attributions)[int(shared) - 1] == expected
