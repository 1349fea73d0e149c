"""The form of a packaged ONNX graph: 7-bit weights, and activations quantized token by token.

A linear layer of such a graph reads x (t, k), one row for each token, and multiplies integers:

    z = (x - shift) / smoothing         folded into the layer normalization that produces x
    q = round(z * 127 / max |z|) + 128       one range for each token, uint8
    y = (q - 128) @ codes * scale * (max |z| / 127) + bias + shift @ weights

`codes` are 7-bit integers (k, n) and `scale` has one number for each output (n,). The sums of
two products then fit into 16 bits, so that every x86 kernel of ONNX Runtime computes the same
integers, with or without VNNI instructions. A row has a range of its own, so the vectors of a text
do not depend on the texts in its batch. `smoothing` moves the largest values from the activations
to the weights (Xiao et al. 2023, SmoothQuant). Activations that are never far below zero, the
outputs of a GELU, use the whole range of uint8: q = round(z * 255 / max z).

Softmax is written out, with its sums as products with the mask, because ONNX Runtime's own adds
in an order that depends on the processor and on padding. All other operators give the same bits
with AVX2 and with AVX-512, so a text has the same vector on both, alone or in a batch.

An earlier form has 8-bit weights and one range for all activations of a batch
(DynamicQuantizeLinear, MatMulInteger). It can be read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats2d

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto

STEP_UNIT = 2.0**-24
"""The unit of the steps of word vectors: a table has 8-bit integers and a step for each row."""

CODES, SCALE, SMOOTHING = "/codes", "/scale", "/smoothing"
"""The suffixes of initializer names: codes and scale of a weight, smoothing of its input."""

_MULTIPLICATION = re.compile(r"/(?:Gemm_)?MatMul.*$")


def layer_name(node: NodeProto) -> str:
    """Return the name that torch gives the linear layer of a node."""
    return _MULTIPLICATION.sub("", node.name).strip("/").removeprefix("model/").replace("/", ".")


def linear_weights(graph: GraphProto) -> Iterator[tuple[NodeProto, Floats2d]]:
    """Yield each node that multiplies by a constant matrix, and the matrix in float32 (k, n)."""
    from onnx import numpy_helper

    stored = {tensor.name: tensor for tensor in graph.initializer}

    def array(name: str) -> NDArray[Any]:
        values: NDArray[Any] = numpy_helper.to_array(stored[name])
        return values

    for node in graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            base = node.input[1].removesuffix(CODES)
            weights = array(node.input[1]).astype(np.float32) * array(base + SCALE)
            smoothing = node.input[0].removesuffix(CODES) + SMOOTHING
            if smoothing in stored:
                weights = weights / array(smoothing)[:, None]
            yield node, weights
        elif node.op_type == "MatMulInteger":
            yield node, dequantized_tensor(graph, node.input[1].removesuffix("_quantized"))
        elif node.op_type == "MatMul" and node.input[1] in stored:
            yield node, array(node.input[1])


def word_vectors(codes: NDArray[np.int8], steps: NDArray[np.int32]) -> Floats2d:
    """Return word vectors (n, d) from their codes (n, d) and the steps of their rows (n,)."""
    vectors: Floats2d = codes.astype(np.float32) * (steps[:, None] * np.float32(STEP_UNIT))
    return vectors


def dequantized_tensor(graph: GraphProto, name: str) -> NDArray[np.float32]:
    """Return as float32 a tensor that ONNX Runtime's quantizer stored as codes, scale and zero."""
    from onnx import numpy_helper

    parts = {tensor.name: tensor for tensor in graph.initializer if tensor.name.startswith(name)}
    codes, zero, scale = (
        numpy_helper.to_array(parts[name + ending]).astype(np.float32)
        for ending in ("_quantized", "_zero_point", "_scale")
    )
    tensor: NDArray[np.float32] = ((codes - zero) * scale).astype(np.float32)
    return tensor
