"""Sentence encoders with a few thousand weights, made on the spot, in the files of real ones."""

from __future__ import annotations

import json
import shutil
import string
from pathlib import Path
from typing import Any

import pytest

from scholar_indexes.models import registry
from scholar_indexes.retrieval.rerankers.cross_encoders import THOROUGH_MODEL
from scholar_indexes.settings import DEFAULT_RERANKER

WORDS = (
    "the",
    "a",
    "of",
    "and",
    "in",
    "he",
    "she",
    "it",
    "was",
    "rain",
    "fell",
    "on",
    "house",
    "sea",
    "ship",
    "wept",
    "left",
    "went",
    "said",
    "why",
)


def make(folder: Path, pooling: str = "mean", *, positions: int = 64) -> Path:
    """Write a one-layer BERT with random but fixed weights, by sentence-transformers."""
    pytest.importorskip("sentence_transformers", reason="making a model needs torch")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    inner = make_bert(folder / "inner", positions=positions)
    transformer = modules.Transformer(str(inner), max_seq_length=32)
    pooled = modules.Pooling(32, pooling_mode=pooling)
    model = SentenceTransformer(modules=[transformer, pooled, modules.Normalize()], device="cpu")
    model.save(str(folder / "model"), create_model_card=False)
    return folder / "model"


def make_bert(folder: Path, *, positions: int = 64) -> Path:
    """Write such a BERT alone, without loading sentence-transformers, which takes seconds."""
    torch = pytest.importorskip("torch", reason="making a model needs torch")
    pytest.importorskip("transformers", reason="making a model needs torch")
    from transformers import BertModel

    folder.mkdir(parents=True)
    vocabulary = _tokenizer(folder)
    torch.manual_seed(7)
    config = _config(vocabulary, max_position_embeddings=positions)
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    return folder


def make_packaged(folder: Path) -> None:
    """Write such a model in the packaged form, into folder/packaged. An export writes equal weights
    once, so they are made to differ, as training would."""
    tiny = make(folder / "tiny", positions=512)
    pytest.importorskip("onnx", reason="needs the extra [lab]")
    import numpy as np
    from safetensors.numpy import load_file, save_file

    from scholar_cli.laboratory import encoder_export

    chance = np.random.default_rng(0)
    weights = {
        name: weight + 0.02 * chance.standard_normal(weight.shape, np.float32)
        for name, weight in load_file(tiny / "model.safetensors").items()
    }
    save_file(weights, tiny / "model.safetensors", {"format": "pt"})
    encoder_export.export(tiny, folder / "packaged", "tiny")


def make_cross_encoder(folder: Path, *, labels: int = 1) -> Path:
    """Write a one-layer BERT with random but fixed weights that scores pairs."""
    torch = pytest.importorskip("torch", reason="making a model needs torch")
    pytest.importorskip("sentence_transformers", reason="making a model needs torch")
    from transformers import BertForSequenceClassification

    vocabulary = _tokenizer(folder)
    torch.manual_seed(7)
    config = _config(vocabulary, num_labels=labels)
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    return folder


def _config(vocabulary: int, **more: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        **{"max_position_embeddings": 64, **more},
    )


def _tokenizer(folder: Path) -> int:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = string.ascii_lowercase + string.digits + ".,;:!?'\"-"
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*marks, *letters, *(f"##{letter}" for letter in letters), *WORDS]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=32,
    ).save_pretrained(folder)
    return len(vocabulary)


def rewrite(path: Path, **values: object) -> None:
    """Set some values of a JSON file."""
    read = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**read, **values}), "utf-8")


def make_companion(root: Path, score: float = 1.0) -> Path:
    """Write the package scholar_thorough with a model whose score of a pair is the number of tokens
    of its second text, times `score`; return the folder of the model."""
    import onnx
    from onnx import TensorProto, helper

    ids, mask, types = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    )
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["texts"])
    nodes = [
        helper.make_node("Cast", ["token_type_ids"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["numbers", "axes"], ["sums"], keepdims=0),
        helper.make_node("Mul", ["sums", "factor"], ["scores"]),
    ]
    constants = [
        helper.make_tensor("axes", TensorProto.INT64, [1], [1]),
        helper.make_tensor("factor", TensorProto.FLOAT, [], [score]),
    ]
    graph = helper.make_graph(nodes, "thorough", [ids, mask, types], [scores], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    package = root / registry.COMPANION
    folder = package / "weights" / THOROUGH_MODEL
    folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    onnx.save(model, folder / "model.onnx")
    small = registry.PACKAGED / DEFAULT_RERANKER
    for name in ("tokenizer.json", "config.json"):
        shutil.copyfile(small / name, folder / name)
    card = {
        "name": THOROUGH_MODEL,
        "task": registry.RERANKING,
        "layout": "enclosed",
        "weight": 0.5,
        "depth": 24,
        "dimensions": 1,
        "max_tokens": 512,
        "pooling": "none",
        "space": f"{THOROUGH_MODEL}-tiny",
        "weights_sha256": registry.file_sha256(folder / "model.onnx"),
        "files": {
            name: registry.file_sha256(folder / name)
            for name in ("model.onnx", "tokenizer.json", "config.json")
        },
    }
    (folder / "card.json").write_text(json.dumps(card), "utf-8")
    return folder
