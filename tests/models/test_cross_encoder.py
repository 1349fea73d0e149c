"""Pairs of a claim and a passage as the packaged cross-encoder reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.errors import Damaged
from scholar_indexes.models import cross_encoder, registry
from scholar_indexes.models.cross_encoder import (
    CLAIM_TOKENS,
    CONTEXT_TOKENS,
    PASSAGE_TOKENS,
    CrossEncoder,
    pad_pairs,
)
from scholar_indexes.settings import DEFAULT_RERANKER


@pytest.fixture(scope="module")
def packaged() -> CrossEncoder:
    return cross_encoder.load(registry.find(DEFAULT_RERANKER, Path("nowhere")), 1)


def test_what_bears_a_claim_out_scores_higher(packaged: CrossEncoder) -> None:
    passages = [
        ("", "She counted the spoons and locked them in the cupboard by the stairs.", ""),
        ("", "He wept at the grave every evening, and no word could comfort him.", ""),
        ("", "The coach left at nine, and the road to the town was good.", ""),
    ]
    scores = packaged.score("his grief for his dead wife", passages)
    assert scores.argmax() == 1


def test_scores_do_not_depend_on_what_is_read_beside(packaged: CrossEncoder) -> None:
    short, long = ("", "It rained.", ""), ("before", "It rained on the house. " * 30, "after")
    alone = packaged.score("the rain", [short])[0]
    assert packaged.score("the rain", [long, short, long])[1] == alone


@given(st.text(max_size=600), st.text(max_size=600))
def test_a_pair_is_cut_to_its_room(packaged: CrossEncoder, claim: str, text: str) -> None:
    ((ids, first, end),) = packaged.reader.read(claim, [(text, text, text)])
    assert len(ids) <= CLAIM_TOKENS + PASSAGE_TOKENS + 2 * CONTEXT_TOKENS + 3
    assert 2 <= first <= end < len(ids)


def test_nothing_is_scored_of_no_passages(packaged: CrossEncoder) -> None:
    assert packaged.score("a claim", []).tolist() == []


def test_pairs_are_padded_to_a_multiple() -> None:
    inputs = pad_pairs([([1, 2, 3], 1, 2), ([1, 2, 3, 4, 5], 2, 4)], 4)
    assert inputs["input_ids"].shape == (2, 8)
    assert inputs["attention_mask"].sum(axis=1).tolist() == [3, 5]
    assert np.flatnonzero(inputs["token_type_ids"][1]).tolist() == [2, 3]


def test_a_damaged_model_is_said(tmp_path: Path) -> None:
    folder = registry.find(DEFAULT_RERANKER, tmp_path).folder
    for name in ("card.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "model.onnx").write_bytes(b"garbage")
    with pytest.raises(Damaged, match="scholar models verify"):
        cross_encoder.load(registry.find(str(tmp_path), Path("nowhere")), 1)
