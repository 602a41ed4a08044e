"""pyannote's segmentation-3.0 in two graphs, as windows overlap and its first layer need not be computed for each.

The network brings a window to mean 0 and deviation 1, then to a scale and shift of its own, convolves it with 80 sinc filters (251
samples wide, 10 apart) and keeps the largest magnitude of every three neighbours. All but the magnitude is affine, so one pass over
the recording as it is serves every window: `segmentation_filters`. With c what it says of zeros and c + r of ones, its value y in a
window of another mean and deviation is (y - c - r mean) / deviation + c; the highest and lowest of neighbours stay what they are, and
the larger magnitude of the two is what the rest of the network, `segmentation_windows`, begins with."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import numpy_helper

from graph import Graph

# The filters' name in the source, whose exporter computed them.
FILTERS = "/sincnet/conv1d.0/Concat_2_output_0"
POOL = 3
STRIDE = 10


def convert(source: bytes, part: str) -> bytes:
    graph, weights = read(source)
    match part:
        case "segmentation_filters":
            return filters(weights)
        case "segmentation_windows":
            return windows(graph, weights)
    raise ValueError(part)


def read(source: bytes) -> tuple[onnx.GraphProto, dict[str, np.ndarray]]:
    graph = onnx.load_from_string(source).graph
    return graph, {c.name: numpy_helper.to_array(c) for c in graph.initializer}


def filters(weights: dict[str, np.ndarray]) -> bytes:
    g = Graph("segmentation_filters")
    x = g.input("samples", [1, 1, 1, "samples"])
    scale, shift = (weights[f"sincnet.wav_norm1d.{of}"].astype(np.float64) for of in ("weight", "bias"))
    kernels = weights[FILTERS].astype(np.float64)
    # Exactly rounded sums: their bits do not depend on the order a processor adds in.
    sums = np.array([math.fsum(kernel.ravel()) for kernel in kernels])
    y = g.conv(x, (kernels * scale)[:, :, None, :], sums * shift, stride=(1, STRIDE))
    pool = {"kernel_shape": [1, POOL], "strides": [1, POOL]}
    g.output(g.node("MaxPool", y, **pool), "highest", [1, 80, 1, "steps"])
    g.output(g.node("Neg", g.node("MaxPool", g.node("Neg", y), **pool)), "lowest", [1, 80, 1, "steps"])
    return g.model()


def windows(graph: onnx.GraphProto, weights: dict[str, np.ndarray]) -> bytes:
    g = Graph("segmentation_windows")
    x = g.input("magnitudes", ["batch", 80, "steps"])

    def norm(x: str, number: int) -> str:
        name = f"sincnet.norm1d.{number}"
        return leaky(
            g.node(
                "InstanceNormalization",
                x,
                g.constant(weights[f"{name}.weight"]),
                g.constant(weights[f"{name}.bias"]),
                epsilon=1e-5,
            )
        )

    def leaky(x: str) -> str:
        return g.node("LeakyRelu", x, alpha=0.01)

    x = norm(x, 0)
    for number in (1, 2):
        weight, bias = (g.constant(weights[f"sincnet.conv1d.{number}.{of}"]) for of in ("weight", "bias"))
        x = g.node("MaxPool", g.node("Conv", x, weight, bias, kernel_shape=[5]), kernel_shape=[POOL], strides=[POOL])
        x = norm(x, number)
    x = g.node("Transpose", x, perm=[2, 0, 1])
    for lstm in (n for n in graph.node if n.op_type == "LSTM"):
        w, r, b = (g.constant(weights[name]) for name in lstm.input[1:4])
        x = g.node("LSTM", x, w, r, b, outputs=1, direction="bidirectional", hidden_size=128)
        # [frames, directions, batch, 128] to [frames, batch, both]
        x = g.node("Reshape", g.node("Transpose", x, perm=[0, 2, 1, 3]), g.ints(0, 0, 256))
    x = g.node("Transpose", x, perm=[1, 0, 2])
    products = [n for n in graph.node if n.op_type == "MatMul"]
    for product, name in zip(products, ("linear.0", "linear.1", "classifier"), strict=True):
        x = g.node(
            "Add", g.node("MatMul", x, g.constant(weights[product.input[1]])), g.constant(weights[f"{name}.bias"])
        )
        x = leaky(x) if name != "classifier" else g.node("LogSoftmax", x, axis=-1)
    g.output(x, "logits", ["batch", "frames", 7])
    return g.model()
