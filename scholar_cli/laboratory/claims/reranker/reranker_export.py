"""Export a trained cross-encoder to the packaged form: a quantized graph, a tokenizer and a card.

The word vectors of tokens in other scripts are left out; these tokens are read as unknown. A small
model has only its most frequent tokens; its tokenizer spells other words with these.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from scholar_cli.laboratory import quantization
from scholar_cli.laboratory.encoder_export import write_card, write_quantized
from scholar_indexes.books import samples
from scholar_indexes.books.adding import ingest
from scholar_indexes.guarded import read_json
from scholar_indexes.models.cross_encoder import (
    CLOSING,
    LAYOUTS,
    OPENING,
    PairLayout,
    PairReader,
    pad_pairs,
)
from scholar_indexes.models.cross_encoder_module import CrossEncoderModule, PairModule
from scholar_indexes.models.quantized_graph import STEP_UNIT
from scholar_indexes.models.registry import RERANKING, ModelFiles, file_sha256

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", OPENING, CLOSING)
"""Tokens that no text has."""

CALIBRATION_PAIRS = 100
"""Pairs that the graph is calibrated on."""

FILES = ("model.onnx", "config.json", "tokenizer.json")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SUMMARY = (
    "Reads a claim and a passage of a novel together, and scores how far the passage supports the "
    "claim, in addition to the first stage of the search (docs/ranking.md)."
)
USE = (
    "Yes: Apache-2.0. The claims that it learned from were written by a large language model, and "
    "scored by thorough-mpnet, about novels in the public domain in the United States. Its base, "
    "all-MiniLM-L6-v2, was trained by its authors on collections with terms of their own, MS "
    "MARCO's for research among them (see its card)."
)
LIMITS = "English novels before 1930; claims of a few words; does not know whom a pronoun means."

WEIGHT = 0.5
"""The weight of its scores relative to the first stage's, chosen on dev."""

DEPTH = 24
"""The number of passages that it reads on a CPU."""

TOKENS = 19_800
"""The number of tokens whose word vectors it has."""

CLAIM_WEIGHT = 50
"""The weight of a token of a claim: claims have modern words, which novels lack."""


def write_model(
    module: CrossEncoderModule,
    tokenizer: Tokenizer,
    base: ModelFiles,
    out: Path,
    training: Mapping[str, Any],
    texts: Iterable[str],
    claims: Iterable[str],
) -> dict[str, Any]:
    """Write a model folder; return its card. `base` is the model that training started from;
    `texts` and `claims` are what tokens are counted in."""
    kept = frequent_tokens(tokenizer, texts, claims)
    pruned = Pruned(module, kept, tokenizer.token_to_id("[UNK]") or 0)
    card = {
        "summary": SUMMARY,
        "licence": "Apache-2.0",
        "use": USE,
        "source": f"fine-tuned from {base.card()['space']} on the scores of thorough-mpnet for "
        "passages of novels; texts not included",
        "made_by": f"scholar-lab train reranker --base {base.name} --scores SCORES "
        f"--texts TEXTS --out {out.name}",
        "limits": LIMITS,
        "weight": WEIGHT,
        "depth": DEPTH,
        "tokens": len(kept),
        "training": dict(training),
    }
    config = read_json(base.folder / "config.json")
    without = without_tokens(read_json(base.folder / "tokenizer.json"), set(kept))
    speller = Tokenizer.from_str(json.dumps(without))
    speller.no_padding()
    speller.no_truncation()
    batches = calibration(speller, LAYOUTS["typed"])
    return write_cross_encoder(pruned, without, config, out, batches, card)


def write_cross_encoder(
    pruned: Pruned,
    tokenizer: Mapping[str, Any],
    config: Mapping[str, Any],
    out: Path,
    batches: Iterator[quantization.Inputs],
    card: Mapping[str, Any],
    words_file: str = "",
) -> dict[str, Any]:
    """Write a model folder; return its card, which `card` begins.

    `tokenizer` is the content of its file, and `batches` are what the graph is calibrated with. The
    word vectors of a large model go to a file of their own, so that no file is too large for a
    host.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_quantized(pruned, batches, out / "model.onnx", INPUTS, "scores", {0: "texts"})
    if words_file:
        _move_words(out / "model.onnx", words_file)
    for name, content in {
        "tokenizer.json": tokenizer,
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


def kept_tokens(tokenizer: Tokenizer) -> list[int]:
    """Return the ids of the tokens whose word vectors are kept, ascending: all but tokens without a
    meaning and tokens of other scripts. A name may be any word, and this model reads names."""
    return sorted(
        number
        for token, number in tokenizer.get_vocab().items()
        if token in MARKS or not (token.startswith("[unused") or _is_foreign(token))
    )


def frequent_tokens(
    tokenizer: Tokenizer, texts: Iterable[str], claims: Iterable[str], size: int = TOKENS
) -> list[int]:
    """Return the ids of `size` kept tokens, ascending: single characters, which can spell any word,
    and the tokens that are most frequent in texts and claims."""
    counts: Counter[int] = Counter()
    for text in texts:
        for encoding in tokenizer.encode_batch(text.split("\n\n"), add_special_tokens=False):
            counts.update(encoding.ids)
    for encoding in tokenizer.encode_batch(list(claims), add_special_tokens=False):
        counts.update(dict.fromkeys(encoding.ids, CLAIM_WEIGHT))

    def rank(number: int) -> tuple[bool, int]:
        token = tokenizer.id_to_token(number) or ""
        return token in MARKS or len(token.removeprefix("##")) == 1, counts[number]

    return sorted(sorted(kept_tokens(tokenizer), key=rank, reverse=True)[:size])


def without_tokens(tokenizer: Mapping[str, Any], kept: Set[int]) -> dict[str, Any]:
    """Return the content of a tokenizer's file with only the kept tokens, under the same ids."""
    vocabulary = tokenizer["model"]["vocab"]
    left = {token: number for token, number in vocabulary.items() if number in kept}
    return {**tokenizer, "model": {**tokenizer["model"], "vocab": left}}


def _is_foreign(token: str) -> bool:
    """Return True for a token with a letter that is not Latin."""
    return any(
        character.isalpha() and not unicodedata.name(character, "").startswith("LATIN")
        for character in token
    )


def calibration(tokenizer: Tokenizer, layout: PairLayout) -> Iterator[quantization.Inputs]:
    """Yield pairs from the bundled novels: a sentence of another place as the claim, and a run of
    one to five sentences with the text around it."""
    reader = PairReader(tokenizer, "the base", layout)
    draw = np.random.default_rng(0)
    drafts = [
        ingest.parse_draft(
            ingest.BookSource(samples.read(sample), samples.origin(sample), sample.gutenberg_id)
        )
        for sample in samples.bundled()
    ]
    for number in range(CALIBRATION_PAIRS):
        draft = drafts[number % len(drafts)]
        spans = [sentence.span for sentence in draft.sentences]
        first = int(draw.integers(10, len(spans) - 20))
        size = int(draw.integers(1, 6))
        claim = spans[int(draw.integers(0, len(spans)))]
        edges = (
            spans[first - 6].start,
            spans[first].start,
            spans[first + size - 1].end,
            spans[first + size + 5].end,
        )
        before, passage, after = (
            " ".join(draft.text[start:end].split()) for start, end in pairwise(edges)
        )
        words = draft.text[claim.start : claim.end].split()[: int(draw.integers(3, 15))]
        pairs = reader.read(" ".join(words), [(before, passage, after)])
        yield dict(pad_pairs(pairs))


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
    """A cross-encoder with word vectors for only the kept tokens."""

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
        """Return the scores of pairs; the inputs are the same as for PairModule."""
        ids, mask, types = inputs
        vectors = self.words(self.numbers[ids].long())
        return self.model.read(vectors, ids, mask, types)
