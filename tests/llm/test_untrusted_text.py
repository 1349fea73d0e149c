"""Text from books in prompts."""

from __future__ import annotations

import pytest

from scholar_indexes.llm.untrusted_text import neutralize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<|eot_id|>", "‹|eot_id|›", id="Llama 3"),
        pytest.param("</text> <7>", "‹/text› ‹7›", id="the marks of the prompt"),
        pytest.param("[/INST] [INST]", "(/INST) (INST)", id="Mistral"),
        pytest.param("<start_of_turn>", "‹start_of_turn›", id="Gemma"),
        pytest.param("[he wept]", "[he wept]", id="brackets of the book"),
        pytest.param("a\x1b[2Jb\u202ec\ud800", "a[2Jbc", id="controls and surrogates"),
    ],
)
def test_a_book_cannot_write_the_marks_around_it(text: str, expected: str) -> None:
    assert neutralize(text) == expected
