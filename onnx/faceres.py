"""FaceRes: MobileNet v1 trained for identity (Savchenko 2019), in TensorFlow.js' graph form with weights of float16.

Only the part up to the global pooling is converted: the heads for age and gender are left out.
"""

from __future__ import annotations

import numpy as np

from graph import Graph
from tfjs import read_weights

SIDE = 224
BLOCKS = 13
# Depthwise convolutions that halve the side; the first convolution does too.
HALVING = (2, 4, 6, 12)
# TensorFlow's SAME padding of an even side with a 3x3 window and a step of 2: the odd row and column go after.
PADS = {1: (1, 1, 1, 1), 2: (0, 0, 1, 1)}


def convert(source: bytes, manifest: bytes) -> bytes:
    weights = read_weights(source, manifest)
    g = Graph("faceres")

    def clipped(x: str, name: str) -> str:
        if float(weights[f"{name}_relu/Cast"]) != 6.0:
            raise ValueError(f"{name}: not cut off at 6")
        return g.relu6(x)

    def full(x: str, name: str, *, stride: int, pads) -> str:
        kernel = weights[f"{name}/convolution/merged_input"].transpose(3, 2, 0, 1)
        return clipped(g.conv(x, kernel, weights[f"{name}_bn/batchnorm_1/sub"], stride=(stride, stride), pads=pads), name)

    def depthwise(x: str, name: str, stride: int) -> str:
        kernel = weights[f"{name}/depthwise_kernel"].transpose(2, 3, 0, 1).astype(np.float64)
        scale = weights[f"{name}_bn/batchnorm_1/mul"].astype(np.float64).reshape(-1, 1, 1, 1)
        bias = weights[f"{name}_bn/batchnorm_1/sub"]
        folded = (kernel * scale).astype(np.float32)
        return clipped(
            g.conv(x, folded, bias, stride=(stride, stride), pads=PADS[stride], groups=kernel.shape[0]), name
        )

    x = full(g.input("image", ["batch", 3, SIDE, SIDE]), "conv1", stride=2, pads=PADS[2])
    for block in range(1, BLOCKS + 1):
        x = depthwise(x, f"conv_dw_{block}", 2 if block in HALVING else 1)
        x = full(x, f"conv_pw_{block}", stride=1, pads=(0, 0, 0, 0))
    x = g.node("Flatten", g.node("GlobalAveragePool", x), axis=1)
    g.output(x, "descriptor", ["batch", 1024])
    return g.model()
