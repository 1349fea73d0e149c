"""Cross-encoders as the second stage of search, in torch: the packaged one on a graphics card, and
any one of sentence-transformers.

Imported only if needed; the extra [gpu] installs its dependencies. The scores of other models have
scales of their own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from scholar_indexes.arrays import Floats1d
from scholar_indexes.errors import ConfigError
from scholar_indexes.models import torch_encoder
from scholar_indexes.models.cross_encoder import (
    DEPTH_ON_CARD,
    CrossEncoder,
    Inputs,
    PairModel,
    PairReader,
)
from scholar_indexes.models.encoder import marks
from scholar_indexes.models.quantized_graph import word_vectors
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.models.tokenizer_file import open_tokenizer
from scholar_indexes.types import Progress, silent

DEPTH = 32
"""The number of passages scored on a CPU."""

BATCH = 32

SPREAD = 1.0
"""The standard deviation, in logits, to which the scores of a claim's passages are scaled. It is
about a third of that for the scores of the first stage."""


class TorchCrossEncoder:
    """Scores passages for a claim, on the scale of the first stage."""

    is_slow = True
    context = 0

    def __init__(self, model: Any, name: str, depth: int) -> None:
        self._model = model
        self.name = name
        self.depth = depth

    def score(
        self,
        claim: str,
        passages: Sequence[tuple[str, str, str]],
        progress: Progress = silent,
    ) -> Floats1d:
        """Return the score of each passage (n,): standardized, since models differ in scale."""
        pairs = [(claim, text) for _, text, _ in passages]
        scores = self._model.predict(
            pairs, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True
        )
        raw = np.asarray(scores, np.float32).reshape(len(passages))
        standardized: Floats1d = SPREAD * (raw - raw.mean()) / max(float(raw.std()), 1e-6)
        return standardized


def load(model: ModelFiles, device: str, threads: int = 0) -> TorchCrossEncoder:
    """Return the cross-encoder of a model on a device, in bf16 on a graphics card.

    Raises ConfigError without torch or the device, or for a model with several scores, and Damaged
    if its files cannot be loaded.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigError(f"{model.name} needs torch; run: pip install 'scholar-cli[gpu]'")
    import sentence_transformers
    import torch
    import transformers

    device = torch_encoder.chosen(device)
    is_card = device != "cpu"
    if threads:
        torch.set_num_threads(threads)
    transformers.utils.logging.disable_progress_bar()
    try:
        loaded = sentence_transformers.CrossEncoder(
            str(model.folder),
            device=device,
            max_length=model.max_tokens,
            local_files_only=True,
            trust_remote_code=False,
            activation_fn=torch.nn.Identity(),
            model_kwargs={
                "use_safetensors": True,
                "dtype": torch.bfloat16 if is_card else torch.float32,
            },
        )
    except Exception as broken:
        raise torch_encoder.damaged(model, broken) from broken
    if loaded.num_labels != 1:
        raise ConfigError(
            f"{model.name} gives {loaded.num_labels} scores for a pair; choose a cross-encoder "
            "that gives one"
        )
    return TorchCrossEncoder(loaded, model.name, DEPTH_ON_CARD if is_card else DEPTH)


def load_packaged(model: ModelFiles, device: str, threads: int = 0) -> CrossEncoder:
    """Return a packaged cross-encoder on a device, in bf16 on a graphics card.

    Raises ConfigError without torch, onnx or the device, and Damaged if its files cannot be
    loaded.
    """
    if not all(map(importlib.util.find_spec, ("torch", "transformers", "onnx"))):
        raise ConfigError(
            f"{model.name} on {device} needs torch and onnx; run: pip install 'scholar-cli[gpu]'"
        )
    import torch

    device = torch_encoder.chosen(device)
    if threads:
        torch.set_num_threads(threads)
    try:
        pair_model = PairModel.of_card(model)
        tokenizer = open_tokenizer(model.folder)
        module = unpack(model, marks(tokenizer.token_to_id, model.name))
    except Exception as broken:
        raise torch_encoder.damaged(model, broken) from broken
    module.is_exact = device == "cpu"
    module = module.to(device).eval()

    def run(inputs: Inputs) -> Floats1d:
        tensors = {name: torch.from_numpy(array).to(device) for name, array in inputs.items()}
        with torch.inference_mode():
            scores: Floats1d = module(**tensors).float().cpu().numpy()
        return scores

    reader = PairReader(tokenizer, model.name, pair_model.layout)
    return CrossEncoder(run, reader, pair_model, DEPTH_ON_CARD)


def unpack(model: ModelFiles, ends: tuple[int, int]) -> Any:
    """Return the weights of a packaged cross-encoder as a module in float32; `ends` are the ids of
    [CLS] and [SEP]."""
    from scholar_indexes.models.cross_encoder_module import (
        CrossEncoderModule,
        LargeCrossEncoderModule,
    )

    weights = dict(torch_encoder.dequantized(model))
    # The graph has word vectors for only some tokens, and the number of each token's vector.
    if "words.codes" in weights:
        words = word_vectors(weights.pop("words.codes"), weights.pop("words.steps"))
    else:
        words = weights.pop("words.weight")
    words = words[weights.pop("numbers")]
    weights["encoder.embeddings.word_embeddings.weight"] = words
    encoder = torch_encoder.empty_transformer(model)
    kind = LargeCrossEncoderModule if encoder.config.model_type == "mpnet" else CrossEncoderModule
    module = kind(encoder, *ends)
    torch_encoder.fill(module, weights)
    return module
