"""The two networks of face-api: identity (dlib's ResNet with 29 layers, CC0) and expression (dense separable CNN).

Their weights are uint8, a tensor's value = stored * scale + min; a manifest lists them in the order of the file. Both
graphs take RGB in 0..255: means and scale are inside.
"""

from __future__ import annotations

import numpy as np

from graph import Graph, exact_dot
from tfjs import read_weights

MEAN_RGB = [122.782, 117.001, 104.298]
SCALE = 255.0


def convert_recognition(source: bytes, manifest: bytes) -> bytes:
    weights = read_weights(source, manifest)
    g = Graph("face_recognition")

    def conv(x: str, name: str, *, stride: int = 1, pads=(1, 1, 1, 1), first: bool = False) -> str:
        """Convolution and its channel scale, folded; the first also takes the input's means and scale, exact since it
        has no padding."""
        kernel = weights[f"{name}/conv/filters"].transpose(3, 2, 0, 1).astype(np.float64)
        scale = weights[f"{name}/scale/weights"].astype(np.float64)
        bias = weights[f"{name}/conv/bias"].astype(np.float64)
        if first:
            kernel = kernel / SCALE
            bias = bias - exact_dot(kernel, MEAN_RGB)
        bias = bias * scale + weights[f"{name}/scale/biases"].astype(np.float64)
        return g.conv(x, kernel * scale.reshape(-1, 1, 1, 1), bias, stride=(stride, stride), pads=pads)

    def residual(x: str, name: str) -> str:
        y = conv(g.relu(conv(x, f"{name}/conv1")), f"{name}/conv2")
        return g.relu(g.node("Add", y, x))

    def residual_down(x: str, name: str, side: int, channels: int) -> tuple[str, int]:
        """Halves the side. The convolution has no padding: where it comes out one row and column short of the pooled
        input, a zero row and column are appended to its result."""
        wanted = weights[f"{name}/conv1/conv/bias"].size
        short, pooled = (side - 3) // 2 + 1, side // 2
        y = g.relu(conv(x, f"{name}/conv1", stride=2, pads=(0, 0, 0, 0)))
        y = conv(y, f"{name}/conv2")
        x = g.node("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
        if wanted != channels:
            x = g.grow_channels(x, channels, wanted)
        if short != pooled:
            # Padding as a depthwise convolution by one: Pad would leave the blocked layout.
            pads = (0, 0, pooled - short, pooled - short)
            y = g.conv(y, np.ones((wanted, 1, 1, 1), np.float32), pads=pads, groups=wanted)
        return g.relu(g.node("Add", y, x)), pooled

    x = g.input("image", ["batch", 3, 150, 150])
    x = g.relu(conv(x, "conv32_down", stride=2, pads=(0, 0, 0, 0), first=True))
    x = g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
    side, channels = 35, 32
    for name in ("conv32_1", "conv32_2", "conv32_3", "conv64_down", "conv64_1", "conv64_2", "conv64_3", "conv128_down", "conv128_1",
                 "conv128_2", "conv256_down", "conv256_1", "conv256_2", "conv256_down_out"):  # fmt: skip
        if "down" in name:
            x, side = residual_down(x, name, side, channels)
            channels = weights[f"{name}/conv1/conv/bias"].size
        else:
            x = residual(x, name)
    x = g.node("Flatten", g.node("GlobalAveragePool", x), axis=1)
    g.output(g.node("MatMul", x, g.constant(weights["fc"])), "descriptor", ["batch", 128])
    return g.model()


def convert_expression(source: bytes, manifest: bytes) -> bytes:
    weights = read_weights(source, manifest)
    g = Graph("face_expression")

    def separable(x: str, name: str, side: int, stride: int) -> str:
        depthwise = weights[f"{name}/depthwise_filter"].transpose(2, 3, 0, 1)
        pointwise = weights[f"{name}/pointwise_filter"].transpose(3, 2, 0, 1)
        x = g.conv(x, depthwise, stride=(stride, stride), pads=same_pads(side, 3, stride), groups=depthwise.shape[0])
        return g.conv(x, pointwise, weights[f"{name}/bias"])

    x = g.input("image", ["batch", 3, 112, 112])
    # The first convolution pads with the mean colour, so the mean is taken off before it and not folded.
    x = g.node("Sub", x, g.constant(np.array(MEAN_RGB, np.float32).reshape(1, 3, 1, 1)))
    side = 112
    for number in range(4):
        block = f"dense{number}"
        if number == 0:
            kernel = weights["dense0/conv0/filters"].transpose(3, 2, 0, 1).astype(np.float64) / SCALE
            x = g.conv(x, kernel, weights["dense0/conv0/bias"], stride=(2, 2), pads=same_pads(side, 3, 2))
        else:
            x = separable(x, f"{block}/conv0", side, 2)
        side = -(-side // 2)
        # Every layer adds to the sum of all before it, and the Relu of that sum feeds the next.
        total = x = g.relu(x)
        for i in (1, 2, 3):
            total = g.node("Add", separable(x, f"{block}/conv{i}", side, 1), total)
            x = g.relu(total)
    x = g.node("AveragePool", x, kernel_shape=[7, 7], strides=[2, 2])
    x = g.node("Gemm", g.node("Flatten", x, axis=1), g.constant(weights["fc/weights"]), g.constant(weights["fc/bias"]))
    g.output(g.node("Softmax", x, axis=1), "probabilities", ["batch", 7])
    return g.model()


def same_pads(side: int, kernel: int, stride: int) -> tuple[int, int, int, int]:
    """TensorFlow's SAME padding of a square: the odd row and column go after."""
    total = max((-(-side // stride) - 1) * stride + kernel - side, 0)
    before = total // 2
    return (before, before, total - before, total - before)
