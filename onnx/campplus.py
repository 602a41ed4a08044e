"""CAM++ (arXiv 2303.00332) speaker embedding from its PyTorch state dict.

Input: 80-bin Kaldi filter banks, mean over time removed. Output: the 192-d embedding as the network gives it.

All convolutions are two-dimensional, those over frames alone of height 1: ONNX Runtime's blocked layout, where they run a
quarter faster, knows only images. The gates leave it (three small reorders a layer); the growing features do not.
"""

from __future__ import annotations

import numpy as np

import torch_state
from graph import Graph, batch_norm_affine, fold_batch_norm

BLOCKS = ((12, 1), (24, 2), (16, 2))  # layers, dilation
GROWTH = 32
SEGMENT = 100  # frames of one context segment


def convert(source: bytes, part: str = "campplus") -> bytes:
    """The whole network, or its two parts: `campplus_frames`, all before the pooling over time, and `campplus_head`, the last
    layer on mean and standard deviation. Between them the program pools over any frames it likes, and as often."""
    state = torch_state.load(source)
    g = Graph(part)
    if part == "campplus_head":
        g.output(embed(g, state, g.input("statistics", ["batch", 1024])), "embedding", ["batch", 192])
        return g.model()

    def conv2d(x: str, conv: str, norm: str, stride: int = 1) -> str:
        weight, bias = fold_batch_norm(state[f"{conv}.weight"], None, torch_state.group(state, norm))
        pad = weight.shape[2] // 2
        return g.conv(x, weight, bias, stride=(stride, 1), pads=(pad,) * 4)

    # Front: residual blocks over [batch, 1, mel band, frame], the stride halves the bands only.
    features = g.input("features", ["batch", "frames", 80])
    x = g.node("Unsqueeze", g.node("Transpose", features, perm=[0, 2, 1]), g.ints(1))
    x = g.relu(conv2d(x, "head.conv1", "head.bn1"))
    for layer in ("layer1", "layer2"):
        for number, stride in ((0, 2), (1, 1)):
            name = f"head.{layer}.{number}"
            y = g.relu(conv2d(x, f"{name}.conv1", f"{name}.bn1", stride))
            y = conv2d(y, f"{name}.conv2", f"{name}.bn2")
            if f"{name}.shortcut.0.weight" in state:
                x = conv2d(x, f"{name}.shortcut.0", f"{name}.shortcut.1", stride)
            x = g.relu(g.node("Add", y, x))
    x = g.relu(conv2d(x, "head.conv2", "head.bn2", 2))

    # The first time-delay layer takes channels x bands as channels. As its kernel spans all bands it is a convolution
    # of 10 x 5 over [bands, frames]: no reshape, no reorder.
    weight, bias = fold_batch_norm(
        state["xvector.tdnn.linear.weight"], None, torch_state.group(state, "xvector.tdnn.nonlinear.batchnorm")
    )
    width = weight.shape[2]
    weight = weight.reshape(weight.shape[0], 32, -1, width)
    x = g.relu(g.conv(x, weight, bias, stride=(1, 2), pads=(0, width // 2, 0, width // 2)))

    def conv1(x: str, weight: np.ndarray, bias: np.ndarray | None = None, dilation: int = 1) -> str:
        pad = (weight.shape[2] - 1) // 2 * dilation
        return g.conv(x, weight[:, :, None, :], bias, pads=(0, pad, 0, pad), dilation=(1, dilation))

    def norm_relu(x: str, name: str) -> str:
        """What comes before a convolution does not fold into it: a 1x1 depthwise convolution, with the Relu fused."""
        scale, shift = batch_norm_affine(torch_state.group(state, f"{name}.batchnorm"))
        return g.relu(g.conv(x, scale.reshape(-1, 1, 1, 1), shift, groups=scale.size))

    def conv1_norm(x: str, name: str, norm: str) -> str:
        return conv1(x, *fold_batch_norm(state[f"{name}.weight"], None, torch_state.group(state, f"{norm}.batchnorm")))

    pooling, spread = segments(g, x)
    again = np.ones((GROWTH, 1, 1, 1), np.float32)

    def dense(x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """On [batch, channels, segments], in the plain layout: there is too little in it for blocks."""
        return g.node("Conv", x, g.constant(weight), g.constant(bias), kernel_shape=[1])

    def layer(x: str, name: str, dilation: int) -> str:
        x = g.relu(conv1_norm(norm_relu(x, f"{name}.nonlinear1"), f"{name}.linear1", f"{name}.nonlinear2"))
        cam = torch_state.group(state, f"{name}.cam_layer")
        local = conv1(x, cam["linear_local.weight"], None, dilation)
        context = g.node("MatMul", g.node("Squeeze", x, g.ints(2)), pooling)
        context = g.relu(dense(context, cam["linear1.weight"], cam["linear1.bias"]))
        gate = g.node("MatMul", g.node("Sigmoid", dense(context, cam["linear2.weight"], cam["linear2.bias"])), spread)
        x = g.node("Mul", local, g.node("Unsqueeze", gate, g.ints(2)))
        # A convolution by one brings the 32 new channels back into blocks; else all features would leave them to meet
        # it.
        return g.conv(x, again, groups=GROWTH)

    for number, (layers, dilation) in enumerate(BLOCKS, 1):
        for i in range(1, layers + 1):
            x = g.node("Concat", x, layer(x, f"xvector.block{number}.tdnnd{i}", dilation), axis=1)
        transit = f"xvector.transit{number}"
        x = norm_relu(x, f"{transit}.nonlinear")
        if number < len(BLOCKS):
            x = conv1(x, state[f"{transit}.linear.weight"])
        else:
            x = g.relu(conv1_norm(x, f"{transit}.linear", "xvector.out_nonlinear"))

    if part == "campplus_frames":
        g.output(x, "frames", ["batch", 512, 1, "half_frames"])
        return g.model()

    # Statistics pooling: mean and sample standard deviation over time.
    mean = g.node("ReduceMean", x, axes=[3], keepdims=1)
    centred = g.node("Sub", x, mean)
    total = g.node("ReduceSumSquare", centred, axes=[3], keepdims=1)
    frames = g.node("Cast", g.node("Shape", x, start=3, end=4), to=1)
    count = g.node("Sub", frames, g.constant(np.array([1], np.float32)))
    deviation = g.node("Sqrt", g.node("Div", total, count))
    x = g.node("Flatten", g.node("Concat", mean, deviation, axis=1), axis=1)
    g.output(embed(g, state, x), "embedding", ["batch", 192])
    return g.model()


def embed(g: Graph, state: dict[str, np.ndarray], x: str) -> str:
    """The last layer: statistics [batch, 1024] to embeddings."""
    norm = torch_state.group(state, "xvector.dense.nonlinear.batchnorm")
    weight, bias = fold_batch_norm(state["xvector.dense.linear.weight"], None, norm)
    return g.node("Gemm", x, g.constant(weight[:, :, 0]), g.constant(bias), transB=1)


def segments(g: Graph, x: str) -> tuple[str, str]:
    """Context of a frame = mean over all frames + mean over its segment of 100 (the last may be shorter). Both at once
    are one product with a [frames, segments] matrix, and giving each frame its segment's gate is one with the transposed
    0 and 1; both are made once a run."""
    frames = g.node("Squeeze", g.node("Shape", x, start=3, end=4), g.ints(0))
    zero, one, length = (g.constant(np.int64(n)) for n in (0, 1, SEGMENT))
    of_frame = g.node("Div", g.node("Range", zero, frames, one), length)
    count = g.node("Add", g.node("Div", g.node("Sub", frames, one), length), one)
    segment = g.node("Range", zero, count, one)
    spread = g.node(
        "Cast", g.node("Equal", g.node("Unsqueeze", segment, g.ints(1)), g.node("Unsqueeze", of_frame, g.ints(0))), to=1
    )
    share = g.node("Div", spread, g.node("ReduceSum", spread, g.ints(1), keepdims=1))
    everywhere = g.node("Reciprocal", g.node("Cast", frames, to=1))
    return g.node("Transpose", g.node("Add", share, everywhere), perm=[1, 0]), spread
