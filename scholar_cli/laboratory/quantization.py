"""Quantize the graph of an encoder to the packaged form (described in models/quantized_graph.py).

Weights are rounded one input at a time; the following ones make up for the error of each, as far as
inputs of real text are correlated (Frantar et al. 2023, GPTQ). Inputs are smoothed as by Xiao et
al. (2023). Both use sentences of the bundled novels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, cycle, islice
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.books import samples
from scholar_indexes.books.adding import ingest
from scholar_indexes.errors import ConfigError
from scholar_indexes.models.quantized_graph import CODES, SCALE, SMOOTHING, linear_weights
from scholar_indexes.telemetry import disable_events

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto
    from tokenizers import Tokenizer

Inputs = Mapping[str, NDArray[np.int64]]
"""The inputs of a graph by name, each (n, t), without padding."""

LARGEST_CODE = 64
"""The largest code of a weight: two products with activations of 8 bits fit into 16 bits."""

FEWEST_OUTPUTS = 64
"""Layers with fewer outputs stay in float32: their time is negligible."""

FEWEST_CELLS = 100_000
"""Tables with fewer numbers stay in float32: their size is negligible."""

SMOOTHING_POWER = 0.5
"""The share of an input dimension's range that moves to the weights (SmoothQuant's alpha)."""

GELU_MINIMUM = 0.17
"""A GELU is never below minus this."""

BLOCK_ROWS = 128
"""Rows of weights whose errors are spread together over the rows after them."""

DAMPING = 0.01
"""Added to the diagonal of the inputs' second moments, as a share of its mean."""

CALIBRATION_TEXTS = 480
CALIBRATION_TOKENS = (2, 5, 12, 29, 61, 61)
"""The number of calibration texts, and their lengths in turn, in tokens without special ones: short
texts have other activations than long ones."""

PRECISION = "7-bit weights per output, activations of 8 bits per token"

INTEGERS = "com.microsoft"
"""The domain of ONNX Runtime's own operators."""


@dataclass(frozen=True, slots=True)
class LinearInput:
    """An input of linear layers: its calibration rows (r, k), the shift that is subtracted and the
    smoothing that divides it (k,), and whether it is quantized without negative values."""

    name: str
    rows: Floats2d
    shift: Floats1d
    smoothing: Floats1d
    is_positive: bool

    def quantized(self) -> Floats2d:
        """Return the rows as the graph reads them: shifted, smoothed and rounded."""
        smooth = (self.rows - self.shift) / self.smoothing
        lowest, highest = (0, 255) if self.is_positive else (-128, 127)
        largest = smooth.max(1) if self.is_positive else np.abs(smooth).max(1)
        step = np.maximum(largest, 1e-12)[:, None] / highest
        rounded: Floats2d = (np.clip(np.rint(smooth / step), lowest, highest) * step).astype(
            np.float32
        )
        return rounded


def float_graph(path: Path) -> ModelProto:
    """Return a graph in the earlier quantized form with its linear layers in float32.

    Raises ConfigError for a graph in another form.
    """
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(path)
    graph = model.graph
    weights = {node.name: matrix for node, matrix in linear_weights(graph)}
    integer_nodes = _nodes_of_type(graph, "MatMulInteger")
    if not integer_nodes:
        raise ConfigError(f"{path} has no 8-bit weights; export the folder it was made from")
    producer = {name: node for node in graph.node for name in node.output}
    consumer = {name: node for node in graph.node for name in node.input}
    nodes: dict[str, NodeProto] = {}
    dropped: set[str] = set()
    for node in integer_nodes:
        # DynamicQuantizeLinear, MatMulInteger, Cast, and Mul with the product of both scales
        quantizer, cast = producer[node.input[0]], consumer[node.output[0]]
        scaling = consumer[cast.output[0]]
        scales = next(producer[name] for name in scaling.input if name != cast.output[0])
        dropped.update((quantizer.name, node.name, cast.name, scales.name))
        constant = f"{node.name}/float"
        graph.initializer.append(numpy_helper.from_array(weights[node.name], constant))
        inputs = [quantizer.input[0], constant]
        nodes[scaling.name] = helper.make_node(
            "MatMul", inputs, list(scaling.output), name=node.name
        )
    kept = [nodes.get(node.name, node) for node in graph.node if node.name not in dropped]
    del graph.node[:]
    graph.node.extend(kept)
    return model


def quantize(model: ModelProto, batches: Iterator[Inputs], out: Path) -> None:
    """Write a float32 graph in the packaged form. Its inputs are `input_ids`, `attention_mask` and,
    for pairs of texts, `token_type_ids`; `batches` are calibration inputs."""
    import onnx
    from onnx.shape_inference import infer_shapes
    from onnxruntime.quantization import quantize_dynamic

    layers = [
        (node, weights)
        for node, weights in linear_weights(model.graph)
        if weights.shape[1] >= FEWEST_OUTPUTS
    ]
    weights_by_input: dict[str, list[Floats2d]] = {}
    for node, weights in layers:
        weights_by_input.setdefault(node.input[0], []).append(weights)
    normalized = {node.output[0] for node in _nodes_of_type(model.graph, "LayerNormalization")}
    rows = _run(infer_shapes(model), list(weights_by_input), batches)
    inputs = {
        name: _linear_input(name, rows[name], weights_by_input[name], name in normalized)
        for name in weights_by_input
    }
    rewriter = _Rewriter(model.graph, inputs)
    rewriter.rewrite({node.name: weights for node, weights in layers})
    model.opset_import.append(onnx.helper.make_opsetid(INTEGERS, 1))
    # ONNX Runtime's own quantizer converts the embedding tables of tokens and positions to int8.
    quantize_dynamic(
        model,
        out,
        nodes_to_exclude=_small_tables(model.graph),
        op_types_to_quantize=["Gather"],
    )
    quantized = onnx.load(out)
    _shorten_names(quantized.graph)
    onnx.save(quantized, out)


def _nodes_of_type(graph: GraphProto, kind: str) -> list[NodeProto]:
    return [node for node in graph.node if node.op_type == kind]


def _small_tables(graph: GraphProto) -> list[str]:
    """Return the names of the look-ups in tables of too few cells to be worth 8 bits."""
    large = {tensor.name for tensor in graph.initializer if prod(tensor.dims) >= FEWEST_CELLS}
    return [node.name for node in _nodes_of_type(graph, "Gather") if node.input[0] not in large]


def _shorten_names(graph: GraphProto) -> None:
    """Shorten the names that nothing looks up; this saves a fifth of a megabyte."""
    linear = {node.name for node, _ in linear_weights(graph)}
    outputs = {tensor.name for tensor in graph.output}
    short: dict[str, str] = {}
    for node in graph.node:
        if node.name not in linear:
            node.name = ""
        for name in node.output:
            if name and name not in outputs and not name.endswith(CODES):
                short[name] = f"t{len(short)}"
        node.input[:] = [short.get(name, name) for name in node.input]
        node.output[:] = [short.get(name, name) for name in node.output]
    del graph.value_info[:]


def calibration(tokenizer: Tokenizer, names: Sequence[str]) -> Iterator[Inputs]:
    """Yield calibration inputs from sentences of the bundled novels: texts in two parts, which
    differ in token type if the graph reads types."""
    sentences: list[str] = []
    for sample in samples.bundled():
        source = ingest.BookSource(
            samples.read(sample), samples.origin(sample), sample.gutenberg_id
        )
        draft = ingest.parse_draft(source)
        spans = [sentence.span for sentence in draft.sentences]
        sentences += [draft.text[span.start : span.end] for span in spans[100 :: len(spans) // 900]]
    first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    encodings = tokenizer.encode_batch(sentences, add_special_tokens=False)
    tokens = [token for encoding in encodings for token in encoding.ids]
    sizes = islice(cycle(CALIBRATION_TOKENS), CALIBRATION_TEXTS)
    for end, size in zip(accumulate(sizes), cycle(CALIBRATION_TOKENS)):
        own = tokens[end - size : end]
        if not own:
            return
        half = len(own) // 3
        ids = np.array([[first, *own[:half], last, *own[half:], last]], np.int64)
        types = np.zeros_like(ids)
        types[0, half + 2 : -1] = 1
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        yield {name: known[name] for name in names}


def _run(
    model: ModelProto, tensors: Sequence[str], batches: Iterator[Inputs]
) -> dict[str, Floats2d]:
    """Return the rows (r, k) of a graph's tensors for the given inputs."""
    import onnx
    import onnxruntime

    disable_events(onnxruntime)
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    known = {info.name: info for info in watched.graph.value_info}
    watched.graph.output.extend(known[name] for name in tensors)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        watched.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    rows: dict[str, list[Floats2d]] = {name: [] for name in tensors}
    for batch in batches:
        for name, values in zip(tensors, session.run(list(tensors), dict(batch)), strict=True):
            rows[name].append(values.reshape(-1, values.shape[-1]))
    return {name: np.concatenate(parts) for name, parts in rows.items()}


def _linear_input(
    name: str, rows: Floats2d, weights: Sequence[Floats2d], is_normalized: bool
) -> LinearInput:
    """Return the quantization of an input of linear layers. Only a layer normalization can shift
    and smooth at no cost."""
    width = rows.shape[1]
    if rows.min() >= -GELU_MINIMUM:
        shift = np.full(width, -GELU_MINIMUM, np.float32)
        return LinearInput(name, rows, shift, np.ones(width, np.float32), True)
    if not is_normalized:
        return LinearInput(
            name, rows, np.zeros(width, np.float32), np.ones(width, np.float32), False
        )
    shift = rows.mean(0)
    largest_input = np.maximum(np.abs(rows - shift).max(0), 1e-5)
    largest_weight = np.maximum(np.max([np.abs(matrix).max(1) for matrix in weights], axis=0), 1e-5)
    smoothing = largest_input**SMOOTHING_POWER / largest_weight ** (1 - SMOOTHING_POWER)
    return LinearInput(name, rows, shift, smoothing.astype(np.float32), is_positive=False)


def round_weights(weights: Floats2d, inputs: Floats2d) -> tuple[NDArray[np.int8], Floats1d]:
    """Return codes (k, n) and a scale for each column (n,) of weights (k, n), given inputs (r, k).

    Frantar et al. 2023: rows are rounded in the order of their inputs' second moments, and the
    error of each is spread over the following ones by the inverse of the matrix of second moments.
    """
    scale = np.maximum(np.abs(weights).max(0), 1e-12) / LARGEST_CODE
    moments = inputs.astype(np.float64).T @ inputs
    moments[np.diag_indices_from(moments)] += DAMPING * moments.diagonal().mean()
    order = np.argsort(-moments.diagonal(), kind="stable")
    inverse = np.linalg.inv(moments[np.ix_(order, order)])
    spread = np.linalg.cholesky(inverse).T  # the upper factor
    left = weights[order].astype(np.float64)
    codes = np.zeros(weights.shape, np.int8)
    for start in range(0, len(left), BLOCK_ROWS):
        end = min(start + BLOCK_ROWS, len(left))
        errors = np.zeros((end - start, left.shape[1]))
        for row in range(start, end):
            rounded = np.clip(np.rint(left[row] / scale), -LARGEST_CODE, LARGEST_CODE)
            codes[order[row]] = rounded
            errors[row - start] = (left[row] - rounded * scale) / spread[row, row]
            left[row:end] -= spread[row, row:end, None] * errors[row - start]
        left[end:] -= spread[start:end, end:].T @ errors
    return codes, scale.astype(np.float32)


class _Rewriter:
    """Rewrites the nodes of a graph."""

    def __init__(self, graph: GraphProto, inputs: Mapping[str, LinearInput]) -> None:
        self._graph = graph
        self._inputs = inputs
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, NDArray[np.generic]] = {}
        self._consumers: dict[str, list[NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                self._consumers.setdefault(name, []).append(node)
        self._stored = {tensor.name for tensor in graph.initializer}
        self._replaced: set[str] = set()

    def rewrite(self, weights_by_node: Mapping[str, Floats2d]) -> None:
        """Replace the linear layers of the named nodes, and all softmaxes."""
        from onnx import numpy_helper

        self._mask_column()
        done: set[str] = set()
        for node in list(self._graph.node):
            if node.name in self._replaced:
                continue
            if node.name in weights_by_node:
                name = node.input[0]
                if name not in done:
                    self._quantize_input(self._inputs[name])
                    done.add(name)
                self._multiply(node, weights_by_node[node.name], self._inputs[name])
            elif node.op_type == "Softmax":
                self._softmax(node)
            else:
                self._nodes.append(node)
        used = {name for node in self._nodes for name in node.input}
        kept = [tensor for tensor in self._graph.initializer if tensor.name in used]
        del self._graph.node[:], self._graph.initializer[:]
        self._graph.node.extend(self._nodes)
        self._graph.initializer.extend(kept)
        self._graph.initializer.extend(
            numpy_helper.from_array(array, name) for name, array in self._constants.items()
        )

    def _add(self, kind: str, inputs: Sequence[str], output: str, **attributes: object) -> str:
        from onnx import helper

        domain = INTEGERS if kind == "MatMulIntegerToFloat" else ""
        self._nodes.append(
            helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes)
        )
        return output

    def _constant(self, name: str, value: NDArray[np.generic]) -> str:
        self._constants[name] = value
        return name

    def _quantize_input(self, of: LinearInput) -> None:
        name = of.name
        smooth = self._smooth(of)
        if of.is_positive:
            magnitude, steps = smooth, 255
        else:
            magnitude, steps = self._add("Abs", [smooth], f"{name}/magnitude"), 127
        zero = self._constant(f"zero/{steps}", np.array(128 if steps == 127 else 0, np.uint8))
        count = self._constant(f"steps/{steps}", np.array(steps, np.float32))
        tiny = self._constant("tiny", np.array(1e-12, np.float32))
        one = self._constant("one", np.array(1, np.float32))
        largest = self._add("ReduceMax", [magnitude], f"{name}/largest", axes=[-1], keepdims=1)
        largest = self._add("Max", [largest, tiny], f"{name}/range")
        per_step = self._add("Div", [count, largest], f"{name}/per_step")
        self._add("Div", [largest, count], f"{name}/step")
        scaled = self._add("Mul", [smooth, per_step], f"{name}/scaled")
        self._add("QuantizeLinear", [scaled, one, zero], f"{name}{CODES}")

    def _smooth(self, of: LinearInput) -> str:
        """Return the name of the shifted and smoothed input."""
        name = of.name
        if of.is_positive:
            shift = self._constant(f"{name}/shift", of.shift[:1])
            return self._add("Sub", [name, shift], f"{name}/smooth")
        normalization = next((node for node in self._nodes if name in node.output), None)
        if normalization is None or normalization.op_type != "LayerNormalization":
            return name
        source, gain, bias = normalization.input
        shift = self._constant(f"{name}/shift", of.shift)
        smoothing = self._constant(f"{name}{SMOOTHING}", of.smoothing)
        gain = self._add("Div", [gain, smoothing], f"{name}/gain")
        lower = self._add("Sub", [bias, shift], f"{name}/lower")
        bias = self._add("Div", [lower, smoothing], f"{name}/bias")
        smooth = self._add("LayerNormalization", [source, gain, bias], f"{name}/smooth")
        self._nodes[-1].attribute.extend(normalization.attribute)
        return smooth

    def _multiply(self, node: NodeProto, weights: Floats2d, of: LinearInput) -> None:
        name, output = of.name, node.output[0]
        base = node.name.strip("/")
        codes, scale = round_weights(weights * of.smoothing[:, None], of.quantized())
        zero = f"zero/{255 if of.is_positive else 127}"
        product = self._add(
            "MatMulIntegerToFloat",
            [
                f"{name}{CODES}",
                self._constant(f"{base}{CODES}", codes),
                self._constant("one", np.array(1, np.float32)),
                self._constant(f"{base}{SCALE}", scale),
                zero,
            ],
            f"{base}/product",
        )
        self._nodes[-1].name = node.name
        scaled = self._add("Mul", [product, f"{name}/step"], f"{base}/scaled")
        shifted = self._constant(f"{base}/shifted", of.shift @ weights)
        addition = self._consumers[output][0]
        bias = next((name for name in addition.input if name in self._stored), None)
        if addition.op_type == "Add" and bias:
            # Both are constants, which ONNX Runtime adds once.
            shifted = self._add("Add", [bias, shifted], f"{base}/shifted_bias")
            output = addition.output[0]
            self._replaced.add(addition.name)
        self._add("Add", [scaled, shifted], output)

    def _mask_column(self) -> None:
        """Write the mask as two columns of numbers, (n, 1, t, 2): the sums of a product with a
        single column are in another order."""
        self._add("Cast", ["attention_mask"], "mask/numbers", to=1)
        axes = self._constant("mask/axes", np.array([1, 3], np.int64))
        self._add("Unsqueeze", ["mask/numbers", axes], "mask/column")
        self._add("Concat", ["mask/column"] * 2, "mask/columns", axis=3)

    def _softmax(self, node: NodeProto) -> None:
        """Write a softmax that sums in the same order on every processor and with any padding. ONNX
        Runtime's own adds as many numbers at once as a processor can."""
        source, output = node.input[0], node.output[0]
        largest = self._add("ReduceMax", [source], f"{output}/largest", axes=[-1], keepdims=1)
        below = self._add("Sub", [source, largest], f"{output}/below")
        powers = self._add("Exp", [below], f"{output}/powers")
        totals = self._add("MatMul", [powers, "mask/columns"], f"{output}/totals")
        total = self._add("ReduceMax", [totals], f"{output}/total", axes=[-1], keepdims=1)
        self._add("Div", [powers, total], output)
