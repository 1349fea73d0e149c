"""Weights of the large cross-encoder: of its base, and of one that was taught elsewhere.

The base has MPNet's vocabulary, which is BERT's moved by four with marks of its own. The module
reads BERT's numbers, so that the packaged tokenizer serves, and its table is put in that order.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors
import safetensors.torch
import torch
import transformers

from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import read_json
from scholar_indexes.models.cross_encoder_module import LargeCrossEncoderModule

TOKENS = 30_522
MOVED = 4
"""BERT's number of a token, plus this, is MPNet's."""

MARKS = {"[CLS]": 0, "[PAD]": 1, "[SEP]": 2, "[MASK]": 30_526}
"""MPNet's numbers of the marks."""

SCALE = "#s"
"""Ends the name of the scales of a matrix that is stored as int8 rows."""

PARTS = {"o": "attention.attn.o", "n1": "attention.LayerNorm", "i": "intermediate.dense"}
PARTS |= {"f": "output.dense", "n2": "output.LayerNorm"}
"""Parts of a layer by their names in a file of weights, as the module calls them."""

SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
"""The numbers of a configuration that say how large a model is."""

Weights = dict[str, torch.Tensor]


def large_module(marks: Mapping[str, int], **sizes: int) -> LargeCrossEncoderModule:
    """Return the module with random weights, of the sizes of all-mpnet-base-v2 by default; `marks`
    are the tokenizer's numbers of the marks."""
    config = transformers.MPNetConfig(
        vocab_size=TOKENS,
        max_position_embeddings=514,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=1e-5,
        **sizes,
    )
    encoder = transformers.MPNetModel(config, add_pooling_layer=False)
    return LargeCrossEncoderModule(encoder, marks["[CLS]"], marks["[SEP]"])


def read_base(folder: Path, marks: Mapping[str, int]) -> LargeCrossEncoderModule:
    """Return the module with the encoder of a folder of all-mpnet-base-v2 and a new head.

    Raises UsageError for a folder of another model.
    """
    try:
        config = read_json(folder / "config.json")
        sizes = {name: int(config[name]) for name in SIZES}
        stored = safetensors.torch.load_file(folder / "model.safetensors")
        table = in_order(stored.pop("embeddings.word_embeddings.weight"), marks)
        module = large_module(marks, **sizes)
        missing, _ = module.encoder.load_state_dict(
            {**stored, "embeddings.word_embeddings.weight": table}, strict=False
        )
    except (
        OSError,
        KeyError,
        TypeError,
        ValueError,
        RuntimeError,
        safetensors.SafetensorError,
    ) as broken:
        raise UsageError(f"{folder} holds no all-mpnet-base-v2: {broken}") from None
    if missing:
        raise UsageError(f"{folder} holds no all-mpnet-base-v2: it lacks {missing[0]}")
    return module


def read(path: Path, marks: Mapping[str, int]) -> LargeCrossEncoderModule:
    """Return the module with the weights of a file that was written by another program: int8 rows
    with a scale each, an attention's three matrices in one.

    Raises UsageError for a file of other weights.
    """
    try:
        stored = _stored(path)
        layers = {int(name.split(".")[2]) for name in stored if name.startswith("enc.layers.")}
        renamed: Weights = {
            "encoder.embeddings.word_embeddings.weight": in_order(stored["enc.word.weight"], marks),
            "encoder.embeddings.position_embeddings.weight": stored["enc.pos.weight"],
            "encoder.embeddings.LayerNorm.weight": stored["enc.norm.weight"],
            "encoder.embeddings.LayerNorm.bias": stored["enc.norm.bias"],
            "encoder.encoder.relative_attention_bias.weight": stored["enc.rel.weight"],
            "cosine": stored["cos"],
        }
        for layer in layers:
            for kind in ("weight", "bias"):
                of, to = f"enc.layers.{layer}", f"encoder.encoder.layer.{layer}"
                for part, matrix in zip("qkv", stored[f"{of}.qkv.{kind}"].chunk(3), strict=True):
                    renamed[f"{to}.attention.attn.{part}.{kind}"] = matrix
                for short, long in PARTS.items():
                    renamed[f"{to}.{long}.{kind}"] = stored[f"{of}.{short}.{kind}"]
        for short, long in {"head.0": "hidden", "head.2": "output"}.items():
            for kind in ("weight", "bias"):
                renamed[f"{long}.{kind}"] = stored[f"{short}.{kind}"]
        module = large_module(marks)
        module.load_state_dict(renamed)
    except (OSError, KeyError, ValueError, RuntimeError, zipfile.BadZipFile) as broken:
        raise UsageError(f"{path} holds no weights of the large model: {broken}") from None
    return module


def _stored(path: Path) -> Weights:
    """Return the arrays of a file in float32, by name."""
    arrays: Weights = {}
    with np.load(path, allow_pickle=False) as stored:
        for name in stored.files:
            if not name.endswith(SCALE):
                array = stored[name].astype(np.float32)
                if name + SCALE in stored.files:
                    array *= stored[name + SCALE][:, None]
                arrays[name] = torch.from_numpy(array)
    return arrays


def in_order(table: torch.Tensor, marks: Mapping[str, int]) -> torch.Tensor:
    """Return MPNet's table of word vectors in the order of BERT's numbers."""
    ordered = table[MOVED:][:TOKENS].clone()
    for mark, row in MARKS.items():
        ordered[marks[mark]] = table[row]
    return ordered
