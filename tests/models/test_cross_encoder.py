"""Pairs of a claim and a passage as the packaged cross-encoder reads them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from scholar_indexes.errors import Damaged
from scholar_indexes.models import cross_encoder, registry
from scholar_indexes.models.cross_encoder import (
    CLAIM_TOKENS,
    LAYOUTS,
    CrossEncoder,
    PairLayout,
    PairReader,
    pad_pairs,
)
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.settings import DEFAULT_RERANKER

PACKAGED = registry.find(DEFAULT_RERANKER, Path("nowhere"))


@cache
def tokenizer() -> Tokenizer:
    return open_tokenizer(PACKAGED.folder)


@pytest.fixture(scope="module")
def packaged() -> CrossEncoder:
    return cross_encoder.load(PACKAGED, 1)


def test_a_supporting_passage_scores_higher(packaged: CrossEncoder) -> None:
    passages = [
        ("", "She counted the spoons and locked them in the cupboard by the stairs.", ""),
        ("", "He wept at the grave every evening, and no word could comfort him.", ""),
        ("", "The coach left at nine, and the road to the town was good.", ""),
    ]
    scores = packaged.score("his grief for his dead wife", passages)
    assert scores.argmax() == 1


def test_scores_do_not_depend_on_the_rest_of_the_batch(packaged: CrossEncoder) -> None:
    short, long = ("", "It rained.", ""), ("before", "It rained on the house. " * 30, "after")
    alone = packaged.score("the rain", [short])[0]
    assert packaged.score("the rain", [long, short, long])[1] == alone


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@given(claim=st.text(max_size=600), text=st.text(max_size=600))
def test_a_pair_is_cut_to_its_room(layout: PairLayout, claim: str, text: str) -> None:
    reader = PairReader(tokenizer(), PACKAGED.name, layout)
    ((ids, first, end),) = reader.read(claim, [(text, text, text)])
    assert len(ids) <= CLAIM_TOKENS + layout.passage_tokens + 2 * layout.context_tokens + 6
    assert end - first <= layout.passage_tokens
    assert 2 <= first <= end < len(ids)


def test_an_enclosed_passage_has_a_token_on_either_side() -> None:
    reader = PairReader(tokenizer(), PACKAGED.name, LAYOUTS["enclosed"])
    ((ids, first, end),) = reader.read("grief", [("It rained.", "He wept.", "She left.")])
    words = [tokenizer().id_to_token(token) for token in ids]
    assert words[: first + 1] == [
        "[CLS]",
        "grief",
        "[SEP]",
        "[SEP]",
        "it",
        "rained",
        ".",
        "[unused0]",
        "he",
    ]
    assert words[end - 1 :] == [".", "[unused1]", "she", "left", ".", "[SEP]"]


def test_nothing_is_scored_of_no_passages(packaged: CrossEncoder) -> None:
    assert packaged.score("a claim", []).tolist() == []


def test_pairs_are_padded_to_a_multiple() -> None:
    inputs = pad_pairs([([1, 2, 3], 1, 2), ([1, 2, 3, 4, 5], 2, 4)], 4)
    assert inputs["input_ids"].shape == (2, 8)
    assert inputs["attention_mask"].sum(axis=1).tolist() == [3, 5]
    assert np.flatnonzero(inputs["token_type_ids"][1]).tolist() == [2, 3]


def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    folder = registry.find(DEFAULT_RERANKER, tmp_path).folder
    for name in ("card.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"garbage")
    with pytest.raises(Damaged, match="scholar models verify"):
        cross_encoder.load(registry.find(str(tmp_path), Path("nowhere")), 1)
