"""RetinaFace (arXiv 1905.00641) with a MobileNetV1 0.25 backbone, from its PyTorch state dict.

Input: BGR minus 104, 117, 123. Outputs: location regressions, face probability and keypoint regressions of each anchor,
strides 8, 16, 32 in turn, rows, then columns, then the two sizes of the stride.
"""

from __future__ import annotations

import numpy as np

import torch_state
from graph import Graph, fold_batch_norm

SLOPE = 0.1


def convert(source: bytes) -> bytes:
    state = torch_state.load(source)
    g = Graph("retinaface")

    def conv_bn(x: str, name: str, number: int = 0, *, stride: int = 1, active: bool = True) -> str:
        weight = state[f"{name}.{number}.weight"]
        groups = weight.shape[0] if weight.shape[1] == 1 and weight.shape[0] > 1 else 1
        weight, bias = fold_batch_norm(weight, None, torch_state.group(state, f"{name}.{number + 1}"))
        pad = weight.shape[2] // 2
        x = g.conv(x, weight, bias, stride=(stride, stride), pads=(pad,) * 4, groups=groups)
        return g.node("LeakyRelu", x, alpha=SLOPE) if active else x

    def separable(x: str, name: str, stride: int) -> str:
        return conv_bn(conv_bn(x, name, 0, stride=stride), name, 3)

    x = g.input("image", ["batch", 3, "height", "width"])
    x = conv_bn(x, "body.stage1.0", stride=2)
    features = []
    for stage, strides in (
        ("body.stage1", (None, 1, 2, 1, 2, 1)),
        ("body.stage2", (2, 1, 1, 1, 1, 1)),
        ("body.stage3", (2, 1)),
    ):
        for number, stride in enumerate(strides):
            if stride is not None:
                x = separable(x, f"{stage}.{number}", stride)
        features.append(x)

    # Feature pyramid: each level takes the next coarser one, its nearest values at the finer size. The size is taken
    # from the finer level, not doubled: then any image size works, and none needs padding, which would change the
    # result.
    levels = [conv_bn(x, f"fpn.output{i}") for i, x in enumerate(features, 1)]
    for i in (1, 0):
        size = g.node(
            "Concat", g.node("Shape", levels[i + 1], start=0, end=2), g.node("Shape", levels[i], start=2, end=4), axis=0
        )
        up = g.node(
            "Resize",
            levels[i + 1],
            "",
            "",
            size,
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )
        levels[i] = conv_bn(g.node("Add", levels[i], up), f"fpn.merge{i + 1}")

    heads: dict[str, list[str]] = {"boxes": [], "scores": [], "keypoints": []}
    for i, x in enumerate(levels):
        ssh = f"ssh{i + 1}"
        half = conv_bn(x, f"{ssh}.conv3X3", active=False)
        shared = conv_bn(x, f"{ssh}.conv5X5_1")
        five = conv_bn(shared, f"{ssh}.conv5X5_2", active=False)
        seven = conv_bn(conv_bn(shared, f"{ssh}.conv7X7_2"), f"{ssh}.conv7x7_3", active=False)
        x = g.relu(g.node("Concat", half, five, seven, axis=1))
        for name, head, width in (("boxes", "BboxHead", 4), ("keypoints", "LandmarkHead", 10)):
            weight, bias = (state[f"{head}.{i}.conv1x1.{p}"] for p in ("weight", "bias"))
            heads[name].append(g.channels_last(g.conv(x, weight, bias), -1, width))
        # Softmax over (background, face) is the logistic function of their difference: one convolution does it.
        weight, bias = (state[f"ClassHead.{i}.conv1x1.{p}"].astype(np.float64) for p in ("weight", "bias"))
        logit = g.conv(x, weight[1::2] - weight[0::2], bias[1::2] - bias[0::2])
        heads["scores"].append(g.channels_last(logit, -1))

    for name, shape in (("boxes", [4]), ("scores", []), ("keypoints", [10])):
        value = g.node("Concat", *heads[name], axis=1)
        if name == "scores":
            value = g.node("Sigmoid", value)
        g.output(value, name, ["batch", "anchors", *shape])
    return g.model()
