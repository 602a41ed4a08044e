"""The converted PyTorch and face-api networks again, in plain NumPy and nothing folded: what a conversion is checked
against. Slow and direct on purpose; shares no code with the converters but the readers of the weights."""

from __future__ import annotations

import numpy as np


def conv2d(x, weight, bias=None, stride=1, pads=(0, 0, 0, 0), groups=1):
    """x [batch, in, height, width], weight [out, in / groups, kh, kw], pads top, left, bottom, right."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    kh, kw = weight.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))[:, :, ::stride, ::stride]
    if groups == 1:
        out = np.tensordot(windows, weight, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    else:  # depthwise
        out = np.einsum("bchwij,cij->bchw", windows, weight[:, 0])
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


def pool2d(x, size, stride, reduce):
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]
    return reduce(windows, axis=(4, 5))


def relu(x):
    return np.maximum(x, 0)


def retinaface(state, image):
    def norm(x, name):
        mean, var, weight, bias = (
            state[f"{name}.{p}"].reshape(1, -1, 1, 1).astype(np.float64)
            for p in ("running_mean", "running_var", "weight", "bias")
        )
        return (x - mean) / np.sqrt(var + 1e-5) * weight + bias

    def leaky(x):
        return np.where(x > 0, x, 0.1 * x)

    def conv_bn(x, name, number=0, stride=1):
        weight = state[f"{name}.{number}.weight"].astype(np.float64)
        groups = x.shape[1] if weight.shape[1] == 1 else 1
        return norm(
            conv2d(x, weight, stride=stride, pads=(weight.shape[2] // 2,) * 4, groups=groups), f"{name}.{number + 1}"
        )

    def separable(x, name, stride):
        return leaky(conv_bn(leaky(conv_bn(x, name, 0, stride)), name, 3))

    x = leaky(conv_bn(image.astype(np.float64), "body.stage1.0", stride=2))
    features = []
    for stage, first, strides in ((1, 1, (1, 2, 1, 2, 1)), (2, 0, (2, 1, 1, 1, 1, 1)), (3, 0, (2, 1))):
        for i, stride in enumerate(strides, first):
            x = separable(x, f"body.stage{stage}.{i}", stride)
        features.append(x)

    def nearest(x, like):
        rows, columns = (np.arange(like.shape[a]) * x.shape[a] // like.shape[a] for a in (2, 3))
        return x[:, :, rows][:, :, :, columns]

    p3, p4, p5 = (leaky(conv_bn(f, f"fpn.output{i}")) for i, f in enumerate(features, 1))
    p4 = leaky(conv_bn(p4 + nearest(p5, p4), "fpn.merge2"))
    p3 = leaky(conv_bn(p3 + nearest(p4, p3), "fpn.merge1"))
    results = ([], [], [])
    for i, x in enumerate((p3, p4, p5)):
        shared = leaky(conv_bn(x, f"ssh{i + 1}.conv5X5_1"))
        seven = conv_bn(leaky(conv_bn(shared, f"ssh{i + 1}.conv7X7_2")), f"ssh{i + 1}.conv7x7_3")
        x = relu(
            np.concatenate([conv_bn(x, f"ssh{i + 1}.conv3X3"), conv_bn(shared, f"ssh{i + 1}.conv5X5_2"), seven], 1)
        )
        for result, head, width in zip(results, ("BboxHead", "ClassHead", "LandmarkHead"), (4, 2, 10)):
            y = conv2d(x, state[f"{head}.{i}.conv1x1.weight"], state[f"{head}.{i}.conv1x1.bias"])
            result.append(y.transpose(0, 2, 3, 1).reshape(x.shape[0], -1, width))
    boxes, classes, keypoints = (np.concatenate(r, 1) for r in results)
    classes = np.exp(classes - classes.max(-1, keepdims=True))
    return boxes, (classes / classes.sum(-1, keepdims=True))[..., 1], keypoints


def _normalise(image):
    return (image.astype(np.float64) - np.array([122.782, 117.001, 104.298]).reshape(1, 3, 1, 1)) / 255


def _same(size, stride):
    """TensorFlow's SAME padding of a 3x3 window."""
    total = max((-(-size // stride) - 1) * stride + 3 - size, 0)
    return (total // 2, total // 2, total - total // 2, total - total // 2)


def face_recognition(weights, image):
    def conv(x, name, stride=1, valid=False):
        y = conv2d(
            x,
            weights[f"{name}/conv/filters"].transpose(3, 2, 0, 1),
            weights[f"{name}/conv/bias"],
            stride,
            (0,) * 4 if valid else (1,) * 4,
        )
        return y * weights[f"{name}/scale/weights"].reshape(1, -1, 1, 1) + weights[f"{name}/scale/biases"].reshape(
            1, -1, 1, 1
        )

    x = pool2d(relu(conv(_normalise(image), "conv32_down", 2, True)), 3, 2, np.max)
    for name in [*(f"conv32_{i}" for i in (1, 2, 3)), "conv64_down", *(f"conv64_{i}" for i in (1, 2, 3)), "conv128_down", "conv128_1", "conv128_2",
                 "conv256_down", "conv256_1", "conv256_2", "conv256_down_out"]:  # fmt: skip
        if "down" not in name:
            x = relu(conv(relu(conv(x, f"{name}/conv1")), f"{name}/conv2") + x)
            continue
        y = conv(relu(conv(x, f"{name}/conv1", 2, True)), f"{name}/conv2")
        x = pool2d(x, 2, 2, np.mean)
        whole = np.zeros((x.shape[0], y.shape[1], *x.shape[2:]))
        whole[:, : x.shape[1]] += x
        whole[:, :, : y.shape[2], : y.shape[3]] += y
        x = relu(whole)
    return x.mean((2, 3)) @ weights["fc"]


def face_expression(weights, image):
    def separable(x, name, stride):
        depthwise = weights[f"{name}/depthwise_filter"].transpose(2, 3, 0, 1)
        x = conv2d(x, depthwise, None, stride, _same(x.shape[2], stride), groups=x.shape[1])
        return conv2d(x, weights[f"{name}/pointwise_filter"].transpose(3, 2, 0, 1), weights[f"{name}/bias"])

    x = _normalise(image)
    for block in ("dense0", "dense1", "dense2", "dense3"):
        if block == "dense0":
            kernel = weights["dense0/conv0/filters"].transpose(3, 2, 0, 1)
            first = relu(conv2d(x, kernel, weights["dense0/conv0/bias"], 2, _same(x.shape[2], 2)))
        else:
            first = relu(separable(x, f"{block}/conv0", 2))
        second = separable(first, f"{block}/conv1", 1)
        third = separable(relu(first + second), f"{block}/conv2", 1)
        fourth = separable(relu(first + second + third), f"{block}/conv3", 1)
        x = relu(first + second + third + fourth)
    x = pool2d(x, 7, 2, np.mean)
    logits = x.reshape(x.shape[0], -1) @ weights["fc/weights"] + weights["fc/bias"]
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def faceres(weights, image):
    def cut(x):
        return np.clip(x, 0, 6)

    def bias(name):
        return weights[f"{name}_bn/batchnorm_1/sub"].astype(np.float64).reshape(1, -1, 1, 1)

    def full(x, name, stride=1, pads=(0, 0, 0, 0)):
        kernel = weights[f"{name}/convolution/merged_input"].astype(np.float64).transpose(3, 2, 0, 1)
        return cut(conv2d(x, kernel, stride=stride, pads=pads) + bias(name))

    x = full(image.astype(np.float64), "conv1", 2, _same(image.shape[2], 2))
    for block in range(1, 14):
        name, stride = f"conv_dw_{block}", 2 if block in (2, 4, 6, 12) else 1
        kernel = weights[f"{name}/depthwise_kernel"].astype(np.float64).transpose(2, 3, 0, 1)
        scale = weights[f"{name}_bn/batchnorm_1/mul"].astype(np.float64).reshape(1, -1, 1, 1)
        y = conv2d(x, kernel, None, stride, _same(x.shape[2], stride), groups=x.shape[1])
        x = full(cut(y * scale + bias(name)), f"conv_pw_{block}")
    return x.mean((2, 3))
