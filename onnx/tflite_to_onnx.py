"""MediaPipe's TFLite graphs as ONNX: image networks in NCHW throughout, and the blendshape network (an MLP mixer).

A translation of just the operators that these graphs use; anything else is an error, never a guess.
"""

from __future__ import annotations

import numpy as np
import tflite

from face_api import same_pads
from graph import BLOCK, Graph

OPERATORS = {value: name for name, value in vars(tflite.BuiltinOperator).items() if isinstance(value, int)}
DTYPES = {
    tflite.TensorType.FLOAT32: "<f4",
    tflite.TensorType.FLOAT16: "<f2",
    tflite.TensorType.INT32: "<i4",
    tflite.TensorType.INT64: "<i8",
}


class Operator:
    def __init__(self, model, operator):
        code = model.OperatorCodes(operator.OpcodeIndex())
        self.name = OPERATORS[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        self.inputs = [int(i) for i in operator.InputsAsNumpy()]
        self.outputs = [int(i) for i in operator.OutputsAsNumpy()]
        self._table = operator.BuiltinOptions()

    def options(self, kind):
        options = kind()
        options.Init(self._table.Bytes, self._table.Pos)
        return options


class Source:
    """A TFLite file with one graph: its operators without DEQUANTIZE, which is done here (float16 weights)."""

    def __init__(self, data: bytes):
        if data[4:8] != b"TFL3":
            raise ValueError("not a TFLite file")
        model = tflite.Model.GetRootAsModel(data, 0)
        if model.SubgraphsLength() != 1:
            raise ValueError(f"{model.SubgraphsLength()} graphs in the TFLite file, expected 1")
        self.graph = model.Subgraphs(0)
        self.inputs = [int(i) for i in self.graph.InputsAsNumpy()]
        self.outputs = [int(i) for i in self.graph.OutputsAsNumpy()]
        self.values: dict[int, np.ndarray] = {}
        for i in range(self.graph.TensorsLength()):
            tensor = self.graph.Tensors(i)
            buffer = model.Buffers(tensor.Buffer())
            if buffer.DataLength():
                values = np.frombuffer(buffer.DataAsNumpy().tobytes(), DTYPES[tensor.Type()])
                sparsity = tensor.Sparsity()
                self.values[i] = (
                    values.reshape(self.shape(i)) if sparsity is None else _densified(values, sparsity, self.shape(i))
                )
        self.operators = []
        for i in range(self.graph.OperatorsLength()):
            operator = Operator(model, self.graph.Operators(i))
            if operator.name == "DEQUANTIZE" and operator.inputs[0] in self.values:
                self.values[operator.outputs[0]] = self.values[operator.inputs[0]].astype(np.float32)
            elif operator.name == "DENSIFY" and operator.inputs[0] in self.values:
                self.values[operator.outputs[0]] = self.values[operator.inputs[0]]
            else:
                self.operators.append(operator)

    def shape(self, tensor: int) -> list[int]:
        shape = self.graph.Tensors(tensor).ShapeAsNumpy()
        return [] if isinstance(shape, int) else [int(n) for n in shape]

    def name(self, tensor: int) -> str:
        return self.graph.Tensors(tensor).Name().decode()


INDEX_VECTORS = {
    tflite.SparseIndexVector.Int32Vector: (tflite.Int32Vector, "<i4"),
    tflite.SparseIndexVector.Uint16Vector: (tflite.Uint16Vector, "<u2"),
    tflite.SparseIndexVector.Uint8Vector: (tflite.Uint8Vector, "<u1"),
}


def _densified(values: np.ndarray, sparsity, shape: list[int]) -> np.ndarray:
    """A sparse tensor written out: its last dimension in compressed rows, all others dense, no blocks."""
    order, blocks = sparsity.TraversalOrderAsNumpy(), sparsity.BlockMapLength()
    dims = [sparsity.DimMetadata(k) for k in range(sparsity.DimMetadataLength())]
    formats = [d.Format() for d in dims]
    plain = [tflite.DimensionType.DENSE] * (len(shape) - 1) + [tflite.DimensionType.SPARSE_CSR]
    if blocks or list(order) != list(range(len(shape))) or formats != plain:
        raise ValueError(f"sparse weights in the order {list(order)}, formats {formats}, {blocks} blocks")

    def indices(kind: int, table) -> np.ndarray:
        vector_type, dtype = INDEX_VECTORS[kind]
        vector = vector_type()
        vector.Init(table.Bytes, table.Pos)
        return vector.ValuesAsNumpy().astype(np.int64)

    ends = indices(dims[-1].ArraySegmentsType(), dims[-1].ArraySegments())
    columns = indices(dims[-1].ArrayIndicesType(), dims[-1].ArrayIndices())
    rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    dense = np.zeros((int(np.prod(shape[:-1])), shape[-1]), values.dtype)
    if len(ends) != len(dense) + 1 or len(columns) != len(values) or len(rows) != len(values):
        raise ValueError(f"sparse weights of shape {shape}: {len(ends)} segments, {len(columns)} indices")
    dense[rows, columns] = values
    return dense.reshape(shape)


def convert(source: bytes, name: str, outputs: dict[str, str]) -> bytes:
    """`outputs` maps the TFLite graph's output names to those of the ONNX graph; outputs not named are left out."""
    tflite_graph = Source(source)
    if len(tflite_graph.shape(tflite_graph.inputs[0])) == 3:
        return convert_blendshapes(tflite_graph, name)
    return convert_image(tflite_graph, name, outputs)


def convert_image(source: Source, name: str, outputs: dict[str, str]) -> bytes:
    g = Graph(name)
    (image,) = source.inputs
    _, height, width, channels = source.shape(image)
    made = {image: g.input("image", ["batch", channels, height, width])}
    # A value that was pooled, padded or reshaped into the layout of an output: [batch, rows, columns], not NCHW.
    wanted = {source.name(i): i for i in source.outputs}
    unknown = set(outputs) - set(wanted)
    if unknown:
        raise ValueError(f"{name}: no output {sorted(unknown)}, the file has {sorted(wanted)}")
    needed = _needed(source, [wanted[o] for o in outputs])
    split = SplitPrelus(source)
    padded = _pads_of_convolutions(source)

    def active(x: str, function: int) -> str:
        if function == tflite.ActivationFunctionType.NONE:
            return x
        if function == tflite.ActivationFunctionType.RELU:
            return g.relu(x)
        if function == tflite.ActivationFunctionType.RELU6:
            return g.relu6(x)
        raise ValueError(f"{name}: activation {function} is not translated")

    def window(options, tensor: int, kernel: tuple[int, int]) -> dict:
        stride = (options.StrideH(), options.StrideW())
        pads = (0, 0, 0, 0)
        if options.Padding() == tflite.Padding.SAME:
            _, h, w, _ = source.shape(tensor)
            down, across = same_pads(h, kernel[0], stride[0]), same_pads(w, kernel[1], stride[1])
            pads = (down[0], across[1], down[2], across[3])
        return {"stride": stride, "pads": pads}

    for operator in source.operators:
        if operator.outputs[0] not in needed:
            continue
        first, out = operator.inputs[0], operator.outputs[0]
        match operator.name:
            case "CONV_2D" | "DEPTHWISE_CONV_2D":
                weight, bias = source.values[operator.inputs[1]], source.values[operator.inputs[2]]
                if operator.name == "CONV_2D":
                    options, groups = operator.options(tflite.Conv2DOptions), 1
                    weight = weight.transpose(0, 3, 1, 2)
                else:
                    options = operator.options(tflite.DepthwiseConv2DOptions)
                    weight = weight.transpose(3, 0, 1, 2)
                    groups = source.shape(first)[3]
                if (options.DilationHFactor(), options.DilationWFactor()) != (1, 1):
                    raise ValueError(f"{name}: a dilated convolution is not translated")
                at = window(options, first, weight.shape[2:])
                if first in padded:
                    at["pads"] = padded[first]
                if out in split.convolutions:
                    weight, bias = np.concatenate([weight, -weight]), np.concatenate([bias, -bias])
                elif out in split.depthwise:
                    slope = split.depthwise[out].reshape(-1, 1, 1, 1)
                    weight, bias, groups = (
                        np.concatenate([weight, -slope * weight]),
                        np.concatenate([bias, 0 * bias]),
                        2 * groups,
                    )
                elif first in split.depthwise:
                    weight = np.concatenate([weight, weight], 1)
                x = g.conv(made[first], weight, bias, groups=groups, **at)
                made[out] = g.relu(x) if out in split.convolutions else active(x, options.FusedActivationFunction())
            case "MAX_POOL_2D":
                options = operator.options(tflite.Pool2DOptions)
                kernel = (options.FilterHeight(), options.FilterWidth())
                at = window(options, first, kernel)
                x = g.node(
                    "MaxPool", made[first], kernel_shape=list(kernel), strides=list(at["stride"]), pads=list(at["pads"])
                )
                made[out] = active(x, options.FusedActivationFunction())
            case "PRELU" if first in split.convolutions:
                made[out] = made[first]
            case "PRELU":
                made[out] = g.prelu(made[first], source.values[operator.inputs[1]])
            case "RELU":
                made[out] = g.relu(made[first])
            case "LOGISTIC":
                made[out] = g.node("Sigmoid", g.unfilled(made[first]))
            case "ADD":
                x = g.node("Add", made[first], made[operator.inputs[1]])
                made[out] = active(x, operator.options(tflite.AddOptions).FusedActivationFunction())
            case "PAD" if out in padded:
                made[out] = made[first]
            case "PAD":
                made[out] = _pad(g, source, operator, made[first], name)
            case "RESIZE_BILINEAR":
                made[out] = _resize(g, source, operator, made[first], name)
            case "DEPTH_TO_SPACE":
                block = operator.options(tflite.DepthToSpaceOptions).BlockSize()
                made[out] = g.node("DepthToSpace", g.unfilled(made[first]), blocksize=block, mode="DCR")
            case "MEAN":
                if sorted(source.values[operator.inputs[1]].reshape(-1).tolist()) != [1, 2]:
                    raise ValueError(f"{name}: only the mean over rows and columns is translated")
                x = g.node("GlobalAveragePool", made[first])
                made[out] = g.node("Flatten", x, axis=1)
            case "FULLY_CONNECTED":
                weight, bias = source.values[operator.inputs[1]], source.values[operator.inputs[2]]
                x = g.node("Gemm", made[first], g.constant(weight.T), g.constant(bias))
                made[out] = active(x, operator.options(tflite.FullyConnectedOptions).FusedActivationFunction())
            case "RESHAPE":
                made[out] = g.channels_last(made[first], *source.shape(out)[1:])
            case "CONCATENATION":
                if len(source.shape(out)) != 3:
                    raise ValueError(f"{name}: only the concatenation of anchors is translated")
                made[out] = g.node("Concat", *[made[i] for i in operator.inputs], axis=1)
            case other:
                raise ValueError(f"{name}: operator {other} is not translated")

    for there, here in outputs.items():
        shape = source.shape(wanted[there])
        if len(shape) == 4 and shape[1:3] != [1, 1]:  # a map: its channels stay first
            made[wanted[there]] = g.unfilled(made[wanted[there]])
            shape = [1, shape[3], *shape[1:3]]
        elif len(shape) == 4:  # [1, 1, 1, n]: a vector
            made[wanted[there]] = g.node("Flatten", g.unfilled(made[wanted[there]]), axis=1)
            shape = [1, shape[3]]
        g.output(made[wanted[there]], here, ["batch", *shape[1:]])
    return g.model()


class SplitPrelus:
    """PReLUs that cost nothing: those between a convolution of few channels and a depthwise and a plain one.

    PReLU(u) = Relu(u) - slope * Relu(-u) is linear in [Relu(u), Relu(-u)], which the first convolution makes by itself when
    it computes [u, -u] with a Relu; the depthwise convolution takes in 1 and -slope, and the plain one after it adds the
    halves. Worth it where the twice as many channels still fit the blocks that are computed anyway.
    """

    def __init__(self, source: Source):
        self.convolutions: set[int] = set()
        self.depthwise: dict[int, np.ndarray] = {}  # output of the depthwise convolution: the slopes
        made_by = {operator.outputs[0]: operator for operator in source.operators}
        used_by: dict[int, list[Operator]] = {}
        for operator in source.operators:
            for i in operator.inputs:
                used_by.setdefault(i, []).append(operator)
        for prelu in source.operators:
            if prelu.name != "PRELU":
                continue
            u, out = prelu.inputs[0], prelu.outputs[0]
            first, users = made_by.get(u), used_by.get(out, [])
            after = used_by.get(users[0].outputs[0], []) if len(users) == 1 else []
            channels = source.shape(u)[3]
            if (
                2 * channels <= -(-channels // BLOCK) * BLOCK
                and len(used_by[u]) == 1
                and first is not None
                and first.name == "CONV_2D"
                and first.options(tflite.Conv2DOptions).FusedActivationFunction() == tflite.ActivationFunctionType.NONE
                and [o.name for o in users + after] == ["DEPTHWISE_CONV_2D", "CONV_2D"]
                and users[0].options(tflite.DepthwiseConv2DOptions).FusedActivationFunction()
                == tflite.ActivationFunctionType.NONE
                and not {u, out, users[0].outputs[0]} & set(source.outputs)
            ):
                self.convolutions.add(u)
                self.depthwise[users[0].outputs[0]] = source.values[prelu.inputs[1]].reshape(-1)


def _needed(source: Source, outputs: list[int]) -> set[int]:
    needed = set(outputs)
    for operator in reversed(source.operators):
        if needed & set(operator.outputs):
            needed |= set(operator.inputs)
    return needed


def _pads_of_convolutions(source: Source) -> dict[int, tuple[int, int, int, int]]:
    """Outputs of paddings that only convolutions without padding of their own read: the convolution pads by itself, where
    an operator of its own would leave the blocked layout."""
    found = {}
    for operator in source.operators:
        if operator.name != "PAD":
            continue
        out = operator.outputs[0]
        batch, rows, columns, channels = source.values[operator.inputs[1]].tolist()
        users = [o for o in source.operators if out in o.inputs]
        kinds = {"CONV_2D": tflite.Conv2DOptions, "DEPTHWISE_CONV_2D": tflite.DepthwiseConv2DOptions}
        if (
            not any(batch + channels)
            and out not in source.outputs
            and all(o.name in kinds and o.options(kinds[o.name]).Padding() == tflite.Padding.VALID for o in users)
        ):
            found[out] = (rows[0], columns[0], rows[1], columns[1])
    return found


def _pad(g: Graph, source: Source, operator: Operator, x: str, name: str) -> str:
    (batch, rows, columns, channels) = source.values[operator.inputs[1]].tolist()
    if any(batch):
        raise ValueError(f"{name}: padding of the batch is not translated")
    if any(channels):
        if any(rows) or any(columns) or channels[0]:
            raise ValueError(f"{name}: only channels after the last are padded")
        before = source.shape(operator.inputs[0])[3]
        return g.grow_channels(x, before, before + channels[1])
    return g.node("Pad", x, g.ints(0, 0, rows[0], columns[0], 0, 0, rows[1], columns[1]), mode="constant")


def _resize(g: Graph, source: Source, operator: Operator, x: str, name: str) -> str:
    options = operator.options(tflite.ResizeBilinearOptions)
    if options.AlignCorners():
        raise ValueError(f"{name}: a resize with aligned corners is not translated")
    before, after = source.shape(operator.inputs[0]), source.shape(operator.outputs[0])
    scales = np.array([1, 1, after[1] / before[1], after[2] / before[2]], np.float32)
    mode = "half_pixel" if options.HalfPixelCenters() else "asymmetric"
    return g.node("Resize", x, "", g.constant(scales), mode="linear", coordinate_transformation_mode=mode)


def convert_blendshapes(source: Source, name: str) -> bytes:
    """The blendshape network: points are centred and scaled, two dense layers make 96 tokens of 64 features, a learnt
    token comes first, four mixer blocks follow, and the first token gives the coefficients.

    The source writes dense layers as 1x1 convolutions with transposes around them and layer normalisation in eight
    operators. Here a dense layer over points or tokens is a convolution whose channels are the tokens, one over features
    a product of matrices: no transposes.
    """
    g = Graph(name)
    operators = [o for o in source.operators]
    dense = [o for o in operators if o.name == "CONV_2D"]
    blocks = (len(dense) - 3) // 4
    if len(dense) != 3 + 4 * blocks or sum(o.name == "RSQRT" for o in operators) != 2 * blocks:
        raise ValueError(f"{name}: not the mixer this translation knows: {len(dense)} dense layers")

    def weights(operator: Operator) -> tuple[np.ndarray, np.ndarray]:
        weight, bias = source.values[operator.inputs[1]], source.values[operator.inputs[2]]
        return weight.reshape(weight.shape[0], -1), bias

    def activation(x: str, operator: Operator) -> str:
        function = operator.options(tflite.Conv2DOptions).FusedActivationFunction()
        if function not in (tflite.ActivationFunctionType.NONE, tflite.ActivationFunctionType.RELU):
            raise ValueError(f"{name}: activation {function} is not translated")
        return g.relu(x) if function == tflite.ActivationFunctionType.RELU else x

    # Bias and Relu fuse into Conv and Gemm, which they do not into MatMul.
    def over_tokens(x: str, operator: Operator) -> str:
        weight, bias = weights(operator)
        x = g.node("Conv", x, g.constant(weight[:, :, None]), g.constant(bias), kernel_shape=[1])
        return activation(x, operator)

    def over_features(x: str, *layers: Operator) -> str:
        """x is [rows, features]"""
        for operator in layers:
            weight, bias = weights(operator)
            x = activation(g.node("Gemm", x, g.constant(weight.T), g.constant(bias)), operator)
        return x

    def rows(x: str, features: int) -> str:
        return g.node("Reshape", x, g.ints(-1, features))

    def tokens(x: str, count: int, features: int) -> str:
        return g.node("Reshape", x, g.ints(-1, count, features))

    # Each normalisation is ... ADD epsilon, RSQRT, MUL scale: take its two constants.
    scales, epsilons = [], []
    producer = {o.outputs[0]: o for o in operators}
    for operator in operators:
        if operator.name == "RSQRT":
            epsilons.append(_constant_input(source, producer[operator.inputs[0]]).item())
            (user,) = [o for o in operators if operator.outputs[0] in o.inputs]
            scales.append(_constant_input(source, user).reshape(-1))
    normalisations = iter(zip(scales, epsilons))

    def normalise(x: str) -> str:
        scale, epsilon = next(normalisations)
        return g.node("LayerNormalization", x, g.constant(scale), axis=-1, epsilon=float(epsilon))

    points = source.shape(source.inputs[0])[1]
    x = g.input("points", ["batch", points, 2])
    x = g.node("Sub", x, g.node("ReduceMean", x, axes=[1], keepdims=1))
    radius = g.node("ReduceL2", x, axes=[2], keepdims=1)
    x = g.node("Div", x, g.node("ReduceMean", radius, axes=[1], keepdims=1))
    gain = [o for o in operators if o.name == "MUL" and any(source.shape(i) == [] for i in o.inputs)]
    if len(gain) != 1:
        raise ValueError(f"{name}: expected one multiplication by a scalar, found {len(gain)}")
    x = g.node("Mul", x, g.constant(_constant_input(source, gain[0]).astype(np.float32)))

    count, features = weights(dense[0])[0].shape[0], weights(dense[1])[0].shape[0]
    x = tokens(over_features(rows(over_tokens(x, dense[0]), 2), dense[1]), count, features)
    (join,) = [o for o in operators if o.name == "CONCATENATION"]
    token = source.values[join.inputs[0]].reshape(1, 1, features)
    # The learnt token has a batch of one: Expand it to the input's.
    batch = g.node("Concat", g.node("Shape", x, start=0, end=1), g.ints(1, features), axis=0)
    x = g.node("Concat", g.node("Expand", g.constant(token), batch), x, axis=1)
    layers = iter(dense[2:-1])
    for _ in range(blocks):
        x = g.node("Add", over_tokens(over_tokens(normalise(x), next(layers)), next(layers)), x)
        mixed = over_features(rows(normalise(x), features), next(layers), next(layers))
        x = g.node("Add", tokens(mixed, count + 1, features), x)
    x = g.node("Gather", x, g.constant(np.int64(0)), axis=1)
    x = g.node("Sigmoid", over_features(x, dense[-1]))
    g.output(x, "blendshapes", ["batch", weights(dense[-1])[0].shape[0]])
    return g.model()


def _constant_input(source: Source, operator: Operator) -> np.ndarray:
    (index,) = [i for i in operator.inputs if i in source.values]
    return source.values[index]
