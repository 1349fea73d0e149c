"""Encoders that need torch: a GPU, or any sentence-transformers model.

Imported only on request; the extra [gpu] installs what it needs.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.claims import MASK
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.models.encoder import Encoder, MeanPooled, Tokenizer, marks
from scholar_indexes.models.quantized_graph import (
    dequantized_tensor,
    layer_name,
    linear_weights,
)
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.models.tokenizer_file import open_tokenizer

_NAMED = re.compile(r"(?:model\.|words\.|numbers$)")
"""The start of the names of weights in an exported graph; constants have other names."""


def load(model: ModelFiles, device: str, threads: int = 0) -> Encoder:
    """Return the encoder of a model on a device; see engines.load for what it raises."""
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigError(
            f"{model.name} on {device} needs torch; run: pip install 'scholar-cli[gpu]'"
        )
    import torch

    device = chosen(device)
    if threads:
        torch.set_num_threads(threads)

    if model.onnx is not None:
        return _unpacked(model, device)

    import sentence_transformers
    import transformers

    transformers.utils.logging.disable_progress_bar()
    try:
        loaded = sentence_transformers.SentenceTransformer(
            str(model.folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as broken:
        raise damaged(model, broken) from broken
    loaded.eval()
    kinds = [type(module).__name__ for module in loaded]
    if (
        # Only mean pooling allows late chunking: a sentence is the mean of its tokens.
        model.pooling == "mean"
        and not any(loaded.prompts.values())
        and kinds[:2] == ["Transformer", "Pooling"]
        and set(kinds[2:]) <= {"Normalize"}
    ):
        return _mean_pooled(loaded[0].auto_model, _tokenizer(loaded.tokenizer), model)
    return SentencePooled(loaded, model)


def chosen(device: str) -> str:
    """Return the device that "auto" or a name means; raises ConfigError if it is missing."""
    import torch

    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if device == "auto":
        return next(name for name, there in available.items() if there)
    if not available.get(device):
        raise ConfigError(f"this machine has no {device} device; use --device cpu")
    return device


def computes_bfloat16() -> bool:
    """Return True if the processor multiplies bfloat16; emulating it takes fifty times as long as
    float32."""
    import torch

    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def _unpacked(model: ModelFiles, device: str) -> MeanPooled:
    """Load a packaged model in torch, so that one file serves both engines."""
    if importlib.util.find_spec("onnx") is None:
        raise ConfigError(
            f"{model.name} on {device} needs onnx; run: pip install 'scholar-cli[gpu]'"
        )
    transformer = unpack(model)
    try:
        tokenizer = open_tokenizer(model.folder)
    except Exception as broken:
        raise damaged(model, broken) from broken

    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    return _mean_pooled(
        transformer.to(device).eval(), _Tokens(tokenize, tokenizer.token_to_id), model
    )


def unpack(model: ModelFiles, **options: Any) -> Any:
    """Return a packaged encoder's weights as a transformer in float32; `options` change its
    configuration. Raises Damaged if its files cannot be loaded."""
    try:
        transformer = empty_transformer(model, **options)
        fill(transformer, dict(dequantized(model)))
    except Exception as broken:
        raise damaged(model, broken) from broken
    return transformer


def empty_transformer(model: ModelFiles, **options: Any) -> Any:
    """Return a randomly initialized transformer with a model's configuration plus `options`."""
    import transformers

    config = transformers.AutoConfig.from_pretrained(model.folder, local_files_only=True, **options)
    return transformers.AutoModel.from_config(config)


def fill(module: Any, weights: Mapping[str, NDArray[Any]]) -> None:
    """Load weights into a module; raises ValueError if one outside the pooler is missing."""
    import torch

    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    left_out = module.load_state_dict(tensors, strict=False).missing_keys
    if any(not name.startswith("pooler.") for name in left_out):
        raise ValueError(f"it lacks {left_out[0]}")


def dequantized(model: ModelFiles) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the weights of an exported graph by the names that torch gives them.

    Layer norms, biases and tables keep their names in the graph; a linear layer's weight is
    found by the node that multiplies by it, and is stored transposed.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(model.onnx)).graph
    for tensor in graph.initializer:
        plain = tensor.name.removesuffix("_quantized")
        if not _NAMED.match(tensor.name) or "/" in plain:
            continue
        if plain != tensor.name:
            if not plain.endswith("_Transposed"):
                yield plain.removeprefix("model."), dequantized_tensor(graph, plain)
        elif not tensor.name.endswith(("_scale", "_zero_point")):
            yield tensor.name.removeprefix("model."), numpy_helper.to_array(tensor).copy()
    for node, weights in linear_weights(graph):
        yield f"{layer_name(node)}.weight", weights.T.copy()


def damaged(model: ModelFiles, broken: Exception) -> Damaged:
    """Return the error for a model whose files cannot be loaded."""
    return Damaged(
        f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
        f"run: scholar models verify {model.name}"
    )


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokenizer of a model: from texts to ids, and the id of a mark."""

    tokenize: Tokenizer
    token_to_id: Callable[[str], int | None]


def _tokenizer(loaded: Any) -> _Tokens:
    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        ids: list[list[int]] = loaded(
            list(texts), add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return ids

    def token_to_id(token: str) -> int | None:
        vocabulary: dict[str, int] = loaded.get_vocab()
        return vocabulary.get(token)

    return _Tokens(tokenize, token_to_id)


def _mean_pooled(transformer: Any, tokens: _Tokens, model: ModelFiles) -> MeanPooled:
    import torch

    def run(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        with torch.inference_mode():
            vectors = transformer(
                input_ids=torch.from_numpy(ids).to(transformer.device),
                attention_mask=torch.from_numpy(mask).to(transformer.device),
            ).last_hidden_state
        array: NDArray[np.float32] = vectors.float().cpu().numpy()
        return array

    return MeanPooled(
        run,
        tokens.tokenize,
        space=model.space,
        dimensions=int(transformer.config.hidden_size),
        marks=marks(tokens.token_to_id, model.name),
        max_tokens=model.max_tokens,
        mask=tokens.token_to_id("[MASK]") if model.masked else None,
    )


class SentencePooled:
    """A model that does not use mean pooling: each sentence is encoded separately."""

    def __init__(self, loaded: Any, model: ModelFiles) -> None:
        self._loaded = loaded
        self.space = model.space
        self.dimensions = int(
            (
                getattr(loaded, "get_embedding_dimension", None)
                or loaded.get_sentence_embedding_dimension
            )()
        )

    def encode(self, texts: Sequence[str]) -> Floats2d:
        return self._encode(self._loaded.encode_query, texts)

    def encode_claims(self, claims: Sequence[str]) -> Floats2d:
        return self.encode([MASK.sub(" ", claim) for claim in claims])

    def encode_sentences(
        self, sentences: Sequence[str], chapters: Sequence[int]
    ) -> tuple[Floats2d, Floats1d]:
        vectors = self._encode(self._loaded.encode_document, sentences)
        words = np.array([len(sentence.split()) for sentence in sentences], np.float32)
        return vectors, np.maximum(words, 1)

    def _encode(self, encode: Any, texts: Sequence[str]) -> Floats2d:
        vectors: Floats2d = encode(
            list(texts), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return vectors.astype(np.float32).reshape(len(texts), self.dimensions)
