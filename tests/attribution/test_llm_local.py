"""Whole books attributed by a language model in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tiny_causal
from llm_books import BOOK, CAST, HOSTILE, names, quoted, whole
from scholar_indexes.attribution.by_language_model.attributor import attribute
from scholar_indexes.attribution.by_language_model.cast_labels import CastLabels
from scholar_indexes.attribution.by_language_model.chunks import Chunk
from scholar_indexes.attribution.by_language_model.prompt import build_prompt, mark_quotations
from scholar_indexes.llm.backend import Completion
from scholar_indexes.llm.loading import load
from scholar_indexes.llm.local_model import LocalModel
from scholar_indexes.types import Span


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return load(str(tiny_causal.make(tmp_path_factory.mktemp("causal") / "tiny")), "cpu")


@pytest.mark.slow
def test_a_whole_book_is_attributed_by_a_local_model(tiny: LocalModel, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    cast = (*CAST, HOSTILE)

    def run(backend: Any) -> list[Any]:
        return attribute(
            BOOK,
            quoted(BOOK),
            cast,
            whole(BOOK),
            backend,
            answers=answers,
            chunk_tokens=400,
            overlap_tokens=100,
        )

    attributions = run(tiny)
    assert None not in names(attributions)
    assert all(0 < attribution.confidence < 1 for attribution in attributions)

    class Elsewhere(LocalModel):
        def complete(self, *args: Any, **options: Any) -> Completion:
            raise AssertionError("it was answered before")

    assert run(Elsewhere(tiny.model, tiny.tokenizer, tiny.name)) == attributions


def test_a_model_that_can_read_no_more_is_asked_for_the_rest(
    tmp_path: Path, tiny: LocalModel
) -> None:
    small = load(str(tiny_causal.make(tmp_path / "small", positions=160)), "cpu")
    text = "“Go,” said Jane.\n" * 120
    chunk = Chunk(Span(0, len(text)), tuple(range(120)))
    ids = [str(n) for n in range(1, 121)]
    prompt = build_prompt(
        mark_quotations(text, chunk, quoted(text)), CastLabels(CAST).lines, ids, {}
    )
    answered = small.count_tokens(tiny.complete(prompt, ids, ["Jane Bennet", "Mr. Darcy"]).text)
    small.max_tokens = small.count_tokens(prompt[0]["content"]) + 300 + answered // 2
    lines: list[str] = []
    attributions = attribute(text, quoted(text), CAST, whole(text), small, say=lines.append)
    assert None not in names(attributions)
    assert "but none when asked again" in lines[0]
