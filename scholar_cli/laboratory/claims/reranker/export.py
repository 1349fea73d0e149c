"""Export a trained cross-encoder to the packaged form: a quantized graph, a tokenizer and a card.

Half of the weights of so small a model are word vectors. Only those of the tokens that novels have
are kept; all others are read as unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from scholar_cli.laboratory import quantization
from scholar_cli.laboratory.claims.reranker.lists import PairList
from scholar_cli.laboratory.export import write_card, write_quantized
from scholar_indexes.guarded import read_json
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule, PairModule
from scholar_indexes.models.quantized_graph import STEP_UNIT
from scholar_indexes.models.registry import RERANKING, file_sha256
from scholar_indexes.models.tokenizer_file import open_tokenizer

KEPT_TOKENS = 20_000
"""Tokens whose word vectors are kept, the most frequent ones."""

FILES = ("model.onnx", "config.json", "tokenizer.json")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SUMMARY = (
    "Reads a claim and a passage of a novel together and scores how far the passage bears the "
    "claim out, beside the first stage of the search; docs/ranking.md says how."
)
LIMITS = "English novels before 1930; claims of a few words; graded by a language model."


def write_model(
    model: CrossEncoderModule,
    base_folder: Path,
    lists: Sequence[PairList],
    out: Path,
    training: Mapping[str, Any],
    base: str,
    unknown: int,
) -> dict[str, Any]:
    """Write model.onnx, config.json, tokenizer.json and card.json into out; return the card.

    `base_folder` holds the encoder that training started from.
    """
    kept = count_tokens(lists)
    batches = quantization.calibration(open_tokenizer(base_folder), INPUTS)
    pruned = Pruned(model, kept, unknown)
    card = {
        "summary": SUMMARY,
        "licence": "Apache-2.0",
        "source": f"fine-tuned from {base} on graded claims; texts not included",
        "made_by": f"scholar-lab train reranker --out {out.name}",
        "limits": LIMITS,
        "tokens": len(kept),
        "training": dict(training),
    }
    config = read_json(base_folder / "config.json")
    return write_cross_encoder(pruned, base_folder, config, out, batches, card)


def write_cross_encoder(
    pruned: Pruned,
    base_folder: Path,
    config: Mapping[str, Any],
    out: Path,
    batches: Iterator[quantization.Inputs],
    card: Mapping[str, Any],
    words_file: str = "",
) -> dict[str, Any]:
    """Write a model folder; return its card, which `card` begins.

    `base_folder` holds the tokenizer, and `batches` are what the graph is calibrated with. The word
    vectors of a large model go to a file of their own, so that no file is too large for a host.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_quantized(pruned, batches, out / "model.onnx", INPUTS, "scores", {0: "texts"})
    if words_file:
        _move_words(out / "model.onnx", words_file)
    for name, content in {
        "tokenizer.json": read_json(base_folder / "tokenizer.json"),
        "config.json": config,
    }.items():
        (out / name).write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    weights_sha256 = file_sha256(out / "model.onnx")
    name = out.resolve().name
    whole = {
        "name": name,
        **card,
        "task": RERANKING,
        "precision": quantization.PRECISION,
        "dimensions": 1,
        "max_tokens": 512,
        "pooling": "none",
        "space": f"{name}-{weights_sha256[:8]}",
        "weights_sha256": weights_sha256,
        "files": {file: file_sha256(out / file) for file in (*FILES, words_file) if file},
    }
    write_card(out, whole)
    return whole


def _move_words(graph: Path, name: str) -> None:
    """Move the word vectors of a graph to a file in its folder."""
    import onnx
    from onnx.external_data_helper import set_external_data

    model = onnx.load(graph)
    for tensor in model.graph.initializer:
        if tensor.name == "words.codes":
            set_external_data(tensor, name)
    onnx.save(model, graph)
    (graph.parent / name).chmod(graph.stat().st_mode)


def count_tokens(lists: Sequence[PairList]) -> list[int]:
    """Return the ids of the most frequent tokens of some lists, ascending."""
    counts: Counter[int] = Counter()
    for pairs in lists:
        for ids, _, _ in pairs.pairs:
            counts.update(ids)
    return sorted(token for token, _ in counts.most_common(KEPT_TOKENS))


class WordTable(nn.Module):  # type: ignore[misc]
    """Word vectors as integers of 8 bits with a step for each row: marks have shorter vectors than
    words, and one step for all would be too coarse for them."""

    def __init__(self, vectors: torch.Tensor) -> None:
        super().__init__()
        steps = (vectors.abs().amax(1) / 127 / STEP_UNIT).ceil().clamp(min=1)
        codes = (vectors / (steps * STEP_UNIT)[:, None]).round().clamp(-127, 127)
        self.register_buffer("codes", codes.to(torch.int8))
        self.register_buffer("steps", steps.to(torch.int32))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the vectors (n, t, d) of rows (n, t)."""
        vectors: torch.Tensor = (
            self.codes[rows].float() * (self.steps[rows].float() * STEP_UNIT)[..., None]
        )
        return vectors


class Pruned(nn.Module):  # type: ignore[misc]
    """A cross-encoder with the word vectors of some tokens."""

    def __init__(self, model: PairModule, kept: Sequence[int], unknown: int) -> None:
        super().__init__()
        self.model = model.eval()
        model.is_exact = True
        rows = sorted({*kept, unknown})
        words = model.encoder.embeddings.word_embeddings
        numbers = torch.full((words.num_embeddings,), rows.index(unknown), dtype=torch.int32)
        numbers[torch.tensor(rows)] = torch.arange(len(rows), dtype=torch.int32)
        self.register_buffer("numbers", numbers)
        self.words = WordTable(words.weight.detach()[torch.tensor(rows)])

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the scores of pairs; the inputs are those of PairModule."""
        ids, mask, types = inputs
        vectors = self.words(self.numbers[ids].long())
        return self.model.rescale(self.model.read(vectors, ids, mask, types))
