"""A small builder of ONNX graphs: names are counted, not random, so the same weights always give the same bytes."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto, helper

# Opset 17 has LayerNormalization; later ones change the form of Reduce operators and gain nothing here.
OPSET = 17
IR_VERSION = 8

# ONNX Runtime keeps images in blocks of 8 or 16 channels, by the processor. An operator whose channels do not fill
# blocks may fall back to the plain layout (depthwise convolutions do), with a reorder before and after. So channels
# inside a graph are filled up to a multiple of 16 with zeros: by zero weights, at no cost, as the blocks are computed
# whole anyway.
BLOCK = 16
# Operators that turn zero channels into zero channels, so that the filling goes on through them.
KEEPS_CHANNELS = {"Relu", "Clip", "LeakyRelu", "MaxPool", "AveragePool", "GlobalAveragePool", "Add", "Resize"}


class Graph:
    def __init__(self, name: str):
        self.name = name
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self._seen: dict[tuple, str] = {}
        # Channels of a value, filling included, and the values that have filling.
        self._channels: dict[str, int] = {}
        self._filled: set[str] = set()
        self._weights: dict[str, tuple[np.ndarray, np.ndarray | None]] = {}

    def input(self, name: str, shape: list) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def output(self, value: str, name: str, shape: list) -> None:
        """Declare `value` a result: the node that makes it is renamed, no Identity is added."""
        for node in reversed(self.nodes):
            if value in node.output:
                node.output[list(node.output).index(value)] = name
                break
        else:
            raise ValueError(f"{self.name}: output {name}: no node makes {value}")
        for node in self.nodes:
            for i, used in enumerate(node.input):
                if used == value:
                    node.input[i] = name
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def constant(self, array: np.ndarray) -> str:
        """A weight; equal arrays are stored once."""
        array = np.asarray(array, order="C")  # ascontiguousarray would make a scalar a vector
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self._seen:
            name = f"w{len(self.constants):04d}"
            self.constants.append(
                helper.make_tensor(
                    name,
                    helper.np_dtype_to_tensor_dtype(array.dtype),
                    array.shape,
                    array.astype(array.dtype.newbyteorder("<")).tobytes(),
                    raw=True,
                )
            )
            self._seen[key] = name
        return self._seen[key]

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def node(self, op: str, *inputs: str, outputs: int = 1, **attributes):
        """Append a node, give the name of its result (a list of names when it has several)."""
        number = len(self.nodes)
        names = [f"v{number:04d}" if outputs == 1 else f"v{number:04d}_{i}" for i in range(outputs)]
        attributes = {k: v for k, v in sorted(attributes.items()) if v is not None}
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{number:04d}", **attributes))
        channels = {self._channels[i] for i in inputs if i in self._channels}
        filled = [i for i in inputs if i in self._filled]
        if op in KEEPS_CHANNELS and channels:
            if len(channels) > 1:
                raise ValueError(f"{self.name}: {op} of values with {sorted(channels)} channels")
            (self._channels[names[0]],) = channels
            if filled:
                self._filled.add(names[0])
        elif filled and op not in ("Conv", "Shape"):
            raise ValueError(f"{self.name}: {op} would take filling for channels")
        return names[0] if outputs == 1 else names

    # Building blocks. Weights are [out, in / groups, height, width], values [batch, channels, height, width].

    def conv(
        self,
        x: str,
        weight: np.ndarray,
        bias: np.ndarray | None = None,
        *,
        stride=(1, 1),
        pads=(0, 0, 0, 0),
        groups=1,
        dilation=(1, 1),
    ) -> str:
        """The result has its channels filled up to whole blocks; `unfilled` takes that back."""
        wanted, given = weight.shape[0], weight.shape[1] * groups
        total = self._channels.get(x, given)
        if not given <= total < given + BLOCK:
            raise ValueError(f"{self.name}: a convolution of {given} channels on {total}")
        if groups == 1:
            blocks = -(-wanted // BLOCK) * BLOCK
            weight = _zeros_after(weight, 1, total)
        elif groups == given == wanted:
            groups = blocks = total
        else:
            raise ValueError(f"{self.name}: {groups} groups of {given} channels: only plain and depthwise convolutions")
        inputs = [x, self.constant(_zeros_after(weight, 0, blocks))]
        if bias is not None:
            inputs.append(self.constant(_zeros_after(bias, 0, blocks)))
        result = self.node(
            "Conv",
            *inputs,
            kernel_shape=list(weight.shape[2:]),
            strides=list(stride),
            pads=list(pads),
            group=groups,
            dilations=list(dilation) if tuple(dilation) != (1, 1) else None,
        )
        self._channels[result] = blocks
        if blocks != wanted:
            self._filled.add(result)
            if groups == 1:
                self._weights[result] = (weight, bias)
        return result

    def unfilled(self, x: str) -> str:
        """Take the zero channels off a result: the convolution that makes it does not make them."""
        if x not in self._filled:
            return x
        node = next(n for n in self.nodes if x in n.output)
        if x not in self._weights or any(x in n.input for n in self.nodes):
            raise ValueError(
                f"{self.name}: {x} is not the unused result of a plain convolution, its channels stay filled"
            )
        weight, bias = self._weights[x]
        node.input[1] = self.constant(weight)
        if bias is not None:
            node.input[2] = self.constant(bias)
        self._channels[x] = weight.shape[0]
        self._filled.remove(x)
        return x

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def relu6(self, x: str) -> str:
        """min(max(x, 0), 6), which ONNX Runtime fuses into the convolution before it."""
        return self.node("Clip", x, self.constant(np.float32(0)), self.constant(np.float32(6)))

    def prelu(self, x: str, slope: np.ndarray) -> str:
        """max(x, 0) + slope * min(x, 0), written as DW[1 - slope](Relu(x)) + DW[slope](x).

        ONNX Runtime has no PRelu in its blocked channel layout: the operator itself, or any elementwise way to write
        it, costs two reorders each time. 1x1 depthwise convolutions stay in the blocks, and the sum fuses into one.
        """
        slope = slope.reshape(-1).astype(np.float32)
        shape = (slope.size, 1, 1, 1)  # any filling gets slopes of 0: it stays 0
        rest = (np.float32(1) - slope).reshape(shape)
        if (slope <= 1).all():
            # The weights are positive, so Relu may come after them and fuses into the convolution.
            positive = self.relu(self.conv(x, rest, groups=slope.size))
        else:
            positive = self.conv(self.relu(x), rest, groups=slope.size)
        negative = self.conv(x, slope.reshape(shape), groups=slope.size)
        return self.node("Add", positive, negative)

    def grow_channels(self, x: str, channels: int, wanted: int) -> str:
        """Append zero channels. Those that fill the last block are there already; else a 1x1 convolution by the identity
        makes them, as Pad and Concat leave the blocked layout."""
        if wanted <= self._channels.get(x, channels):
            return x
        weight = np.zeros((wanted, channels, 1, 1), np.float32)
        weight[np.arange(channels), np.arange(channels)] = 1
        return self.conv(x, weight)

    def channels_last(self, x: str, *shape: int) -> str:
        """[batch, c, h, w] to [batch, h, w, c], then read as [batch, *shape]. A 0 as a dimension would copy it, so the
        batch stays free."""
        return self.node("Reshape", self.node("Transpose", self.unfilled(x), perm=[0, 2, 3, 1]), self.ints(0, *shape))

    def model(self) -> bytes:
        used = {i for node in self.nodes for i in node.input}
        constants = [c for c in self.constants if c.name in used]
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, constants)
        model = helper.make_model(
            graph,
            producer_name="turnwise",
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString(deterministic=True)


def _zeros_after(array: np.ndarray, axis: int, size: int) -> np.ndarray:
    """Zeros appended along an axis, up to a size."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, size - array.shape[axis])
    return np.pad(array, widths)


def fold_batch_norm(weight: np.ndarray, bias: np.ndarray | None, norm: dict[str, np.ndarray], epsilon: float = 1e-5):
    """The weight and bias of a convolution followed by batch normalisation. Elementwise and in float64: the bits then do
    not depend on the machine."""
    scale, shift = batch_norm_affine(norm, epsilon)
    folded = weight.astype(np.float64) * scale.reshape(-1, *[1] * (weight.ndim - 1))
    shift = shift if bias is None else shift + bias.astype(np.float64) * scale
    return folded.astype(np.float32), shift.astype(np.float32)


def batch_norm_affine(norm: dict[str, np.ndarray], epsilon: float = 1e-5):
    """scale and shift of a batch normalisation, in float64. Without weight and bias it is one that learns neither."""
    mean = norm["running_mean"].astype(np.float64)
    scale = 1.0 / np.sqrt(norm["running_var"].astype(np.float64) + epsilon)
    if "weight" in norm:
        scale = scale * norm["weight"].astype(np.float64)
    shift = -mean * scale
    if "bias" in norm:
        shift = shift + norm["bias"].astype(np.float64)
    return scale, shift


def exact_dot(weight: np.ndarray, per_channel: list[float]) -> np.ndarray:
    """Sum of weight[o, c, :, :] * per_channel[c] over c and positions, with fsum: order and machine do not matter."""
    out = []
    for row in weight.astype(np.float64):
        out.append(math.fsum(float(v) * per_channel[c] for c in range(row.shape[0]) for v in row[c].ravel()))
    return np.array(out)
