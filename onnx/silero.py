"""Silero VAD for many chunks a call, as matrix products. The source's convolutions have four places of each chunk to slide over, too few
for a convolution to be fast; written as products over all chunks they take under a third of the time."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from graph import Graph

CHUNK = 576
HOP = 128
FRAMES = 4
BINS = 129


def convert(source: bytes) -> bytes:
    graph = onnx.load_from_string(source).graph
    weights = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    g = Graph("silero_vad_16k_sequence")
    chunks = g.input("input", ["chunks", CHUNK])
    h, c = (g.input(name, [1, 1, HOP]) for name in "hc")

    # Short-time Fourier transform: 256 samples every 128, the last frame with 64 samples mirrored. The source makes one
    # more frame before these, mirrored at the start, and drops it.
    mirrored = g.ints(*range(CHUNK - 2, CHUNK - 2 - HOP // 2, -1))
    blocks = g.node("Concat", chunks, g.node("Gather", chunks, mirrored, axis=1), axis=1)
    blocks = g.node("Reshape", blocks, g.ints(-1, FRAMES + 1, HOP))
    halves = [g.node("Slice", blocks, g.ints(i), g.ints(i + FRAMES), g.ints(1)) for i in (0, 1)]
    basis = weights["stft.forward_basis_buffer"][:, 0].T
    spectrum = g.node("MatMul", g.node("Concat", *halves, axis=2), g.constant(basis))
    parts = g.node("Split", g.node("Mul", spectrum, spectrum), g.ints(BINS, BINS), outputs=2, axis=2)
    x = g.node("Reshape", g.node("Sqrt", g.node("Add", *parts)), g.ints(-1, FRAMES * BINS))

    frames = FRAMES
    for number, stride in enumerate((1, 2, 2, 1)):
        matrix, bias, frames = over_frames(
            weights[f"encoder.{number}.weight"], weights[f"encoder.{number}.bias"], frames, stride
        )
        x = g.relu(g.node("Gemm", x, g.constant(matrix), g.constant(bias)))

    lstm = next(n for n in graph.node if n.op_type == "LSTM")
    w, r, b = (g.constant(weights[name]) for name in lstm.input[1:4])
    x = g.node("Unsqueeze", x, g.ints(1))
    x, hn, cn = g.node("LSTM", x, w, r, b, "", h, c, outputs=3, hidden_size=HOP)
    x = g.relu(g.node("Squeeze", x, g.ints(1, 2)))
    x = g.node(
        "Sigmoid",
        g.node("Gemm", x, g.constant(weights["output.weight"][:, :, 0].T), g.constant(weights["output.bias"])),
    )
    g.output(g.node("Squeeze", x, g.ints(1)), "speech_probs", ["chunks"])
    g.output(hn, "hn", [1, 1, HOP])
    g.output(cn, "cn", [1, 1, HOP])
    return g.model()


def over_frames(weight: np.ndarray, bias: np.ndarray, frames: int, stride: int) -> tuple[np.ndarray, np.ndarray, int]:
    """A convolution of three taps over `frames` zero-padded frames, as one product with all of them."""
    out, channels, taps = weight.shape
    made = -(-frames // stride)
    matrix = np.zeros((frames, channels, made, out), np.float32)
    for i in range(made):
        for tap in range(taps):
            frame = i * stride + tap - taps // 2
            if 0 <= frame < frames:
                matrix[frame, :, i] = weight[:, :, tap].T
    return matrix.reshape(frames * channels, made * out), np.tile(bias, made), made
