"""The packaged graphs give the same numbers on every processor, close to the numbers of float32."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import older_processor
from scholar_indexes.models import registry
from scholar_indexes.models.onnx_encoder import open_session
from scholar_indexes.models.registry import ModelFiles

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "vectors.npz"
ENCODERS = ("all-MiniLM-L6-v2", "litbank-people", "relic-minilm")
GRAPHS = (*ENCODERS, "claims-minilm")
TEXTS = (
    "Gatsby believed in the green light, the orgastic future that year by year recedes before us.",
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, "
    "must be in want of a wife.",
    "“Cursed creator!”",
    "We train twin networks with a contrastive loss; error falls from 9.4 to 7.1 %.",
    "No.",
)

Arrays = NDArray[Any]


def packaged(name: str) -> ModelFiles:
    return registry.find(name, registry.PACKAGED)


def run(name: str, texts: tuple[str, ...]) -> list[Arrays]:
    """Return the output of a graph for texts in one batch: token vectors (t, d), or scores (1,)."""
    session, tokenizer = open_session(packaged(name))
    tokens = [tokenizer.encode(text).ids for text in texts]
    ids, mask, types = np.zeros((3, len(texts), max(map(len, tokens))), np.int64)
    for row, own in enumerate(tokens):
        ids[row, : len(own)], mask[row, : len(own)] = own, 1
        types[row, len(own) // 2 : len(own) - 1] = 1
    inputs = {"input_ids": ids, "attention_mask": mask}
    if name not in ("all-MiniLM-L6-v2", "relic-minilm"):
        inputs["token_type_ids"] = types
    output = session.run(None, inputs)[0]
    rows = zip(output, tokens, strict=True)
    return [np.atleast_1d(row)[: len(own)] for row, own in rows]


def cosines(left: list[Arrays], right: list[Arrays]) -> list[float]:
    """Return the cosine of the mean vectors of each pair of texts."""
    pairs = zip(left, right, strict=True)
    means = [(one.mean(0), other.mean(0)) for one, other in pairs]
    return [
        float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)) for one, other in means
    ]


@pytest.mark.parametrize("name", GRAPHS)
def test_no_sum_of_two_products_leaves_16_bits(name: str) -> None:
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(packaged(name).onnx)).graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    products = [node for node in graph.node if "MatMulInteger" in node.op_type]
    assert len(products) == 36
    for node in products:
        codes = numpy_helper.to_array(stored[node.input[1]]).astype(int)
        assert 2 * 255 * abs(codes).max() < 2**15


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.usefixtures("no_remembered_answers")
def test_a_text_gives_the_same_bits_alone_and_in_a_batch(name: str) -> None:
    alone = [run(name, (text,))[0] for text in TEXTS]
    for one, other in zip(alone, run(name, TEXTS), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ENCODERS)
def test_the_vectors_are_the_same_on_other_processors(
    name: str, request: pytest.FixtureRequest
) -> None:
    vectors = run(name, TEXTS)
    if request.config.getoption("--update-golden"):
        kept = dict(np.load(GOLDEN)) if GOLDEN.exists() else {}
        kept |= {name: np.array([vector.mean(0) for vector in vectors])}
        np.savez_compressed(GOLDEN, **dict(sorted(kept.items())))
    with np.load(GOLDEN) as golden:
        kept_vectors = [vector[None] for vector in golden[name]]
    assert min(cosines(vectors, kept_vectors)) > 0.9999


@pytest.mark.parametrize("name", ENCODERS)
def test_the_vectors_are_close_to_the_vectors_of_float_weights(name: str) -> None:
    import torch

    from scholar_indexes.models import torch_encoder

    types_of_tokens = {"type_vocab_size": 8} if name == "litbank-people" else {}
    network = torch_encoder.unpack(packaged(name), **types_of_tokens).eval()
    tokenizer = open_session(packaged(name))[1]
    exact = []
    for text in TEXTS:
        ids = torch.tensor([tokenizer.encode(text).ids])
        types = torch.zeros_like(ids)
        if name == "litbank-people":
            types[:, ids.shape[1] // 2 : -1] = 1
        with torch.inference_mode():
            exact.append(network(input_ids=ids, token_type_ids=types).last_hidden_state[0].numpy())
    nearness = cosines(run(name, TEXTS), exact)
    assert np.mean(nearness) > 0.995
    assert min(nearness) > 0.99


HASH_OUTPUTS = """
import sys
sys.path[:0] = sys.argv[1:]
from hashlib import sha256
from test_quantized_graph import GRAPHS, TEXTS, run, softmax
for outputs in (*(run(name, TEXTS) for name in GRAPHS), [softmax()]):
    print(sha256(b"".join(output.tobytes() for output in outputs)).hexdigest())
"""


def softmax() -> Arrays:
    """Return the result of ONNX Runtime's own softmax, whose last digits depend on the
    processor."""
    import onnxruntime
    from onnx import TensorProto, helper

    shape = [64, 100]
    graph = helper.make_graph(
        [helper.make_node("Softmax", ["x"], ["y"])],
        "softmax",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    numbers = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    probabilities: Arrays = session.run(None, {"x": numbers})[0]
    return probabilities


def has_avx512() -> bool:
    try:
        return "avx512_vnni" in Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512 with VNNI to hide")
@pytest.mark.skipif(not shutil.which("objdump") or not shutil.which("cc"), reason="needs binutils")
def test_a_processor_without_vnni_computes_the_same_bits(tmp_path: Path) -> None:
    tests = Path(__file__).parents[1]

    def outputs(variables: dict[str, str]) -> list[str]:
        command = [sys.executable, "-c", HASH_OUTPUTS, str(tests), str(tests / "models")]
        environment = {**os.environ, **variables}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    *this_one, control = outputs({})
    *older, older_control = outputs(older_processor.build(tmp_path))
    assert control != older_control, "no processor feature was hidden"
    assert len(this_one) == len(GRAPHS)
    assert this_one == older
