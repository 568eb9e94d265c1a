"""More ONNX operators in PyTorch, for pytorch_onnx_operators.py: indices, comparisons, orders of elements."""

import math

import torch
from torch import nn
from torch.nn import functional

from pytorch_onnx_modules import Call, function, set_weights


def along_axis(call, default=0):
    """A function of all inputs and an axis."""
    return lambda node: (Call(lambda *tensors: call(*tensors, node.axis(default))),
                         tuple(range(len(node.inputs))))


def positive(indices, extent):
    return torch.where(indices < 0, indices + extent, indices)


def gather_elements(x, indices, axis):
    return torch.gather(x, axis, positive(indices, x.shape[axis]))


def scatter_elements(node):
    axis = node.axis(0)
    kind = {"none": None, "add": "sum", "mul": "prod", "max": "amax", "min": "amin"}[node.get("reduction", "none")]

    def scattered(x, indices, updates):
        indices = positive(indices, x.shape[axis])
        if kind is None:
            return torch.scatter(x, axis, indices, updates)
        return torch.scatter_reduce(x, axis, indices, updates, kind)

    return Call(scattered), (0, 1, 2)


def gather_nd(node):
    batch = node.get("batch_dims", 0)

    def gathered(x, indices):
        outer = x.shape[:batch]
        flat = x.reshape(-1, *x.shape[batch:])
        rows = indices.reshape(flat.shape[0], -1, indices.shape[-1])
        first = torch.arange(flat.shape[0], device=x.device)[:, None].expand(rows.shape[:2])
        found = flat[(first, *rows.unbind(-1))]
        return found.reshape(*outer, *indices.shape[batch:-1], *x.shape[batch + indices.shape[-1]:])

    return Call(gathered), (0, 1)


def scatter_nd(node):
    if node.get("reduction", "none") not in ("none", "add"):
        node.fail("only without reduction, or adding")
    adds = node.get("reduction", "none") == "add"

    def scattered(x, indices, updates):
        return torch.index_put(x, tuple(indices.unbind(-1)), updates, accumulate=adds)

    return Call(scattered), (0, 1, 2)


def place_of(call):
    def made(node):
        if node.get("select_last_index", 0):
            node.fail("PyTorch returns the first of equal elements")
        return Call(call, dim=node.axis(0), keepdim=bool(node.get("keepdims", 1))), (0,)
    return made


def top_k(node):
    count = node.get("k") or int(node.numbers(1)[0])
    return Call(lambda x: tuple(torch.topk(x, count, node.axis(-1), bool(node.get("largest", 1)),
                                           bool(node.get("sorted", 1))))), (0,)


def cumulative_sum(node):
    axis = int(node.numbers(1)[0])
    backwards, exclusive = node.get("reverse", 0), node.get("exclusive", 0)

    def summed(x):
        x = x.flip(axis) if backwards else x
        total = torch.cumsum(x, axis)
        total = total - x if exclusive else total
        return total.flip(axis) if backwards else total

    return Call(summed), (0,)


def sequence(node):
    begin, end, step = (node.constant(index).item() for index in range(3))
    numbers = torch.arange(begin, end, step, dtype=node.type())
    return Call(lambda: numbers), ()


def tile(node):
    return Call(torch.Tensor.repeat, [int(count) for count in node.numbers(1)]), (0,)


def triangle(node):
    diagonal = int((node.numbers(1) or [0])[0])
    return Call(torch.triu if node.get("upper", 1) else torch.tril, diagonal), (0,)


def one_hot(node):
    depth, (off, on) = int(node.numbers(1)[0]), node.numbers(2)
    axis = node.get("axis", -1)

    def made(indices):
        ones = functional.one_hot(positive(indices.long(), depth), depth).to(node.type(2))
        return torch.movedim(ones * (on - off) + off, -1, axis)

    return Call(made), (0,)


def depth_to_space(node):
    size = node.get("blocksize")
    if node.get("mode", "DCR") == "CRD":
        return nn.PixelShuffle(size), (0,)
    n, c, h, w = node.shape()

    def moved(x):
        x = x.reshape(n, size, size, c // size**2, h, w).permute(0, 3, 4, 1, 5, 2)
        return x.reshape(n, c // size**2, h * size, w * size)

    return Call(moved), (0,)


def space_to_depth(node):
    size = node.get("blocksize")
    if node.get("mode", "DCR") == "CRD":
        return nn.PixelUnshuffle(size), (0,)
    n, c, h, w = node.shape()

    def moved(x):
        x = x.reshape(n, c, h // size, size, w // size, size).permute(0, 3, 5, 1, 2, 4)
        return x.reshape(n, c * size**2, h // size, w // size)

    return Call(moved), (0,)


def einsum(node):
    return Call(lambda *tensors: torch.einsum(node.get("equation"), *tensors)), tuple(range(len(node.inputs)))


def remainder(node):
    return Call(torch.fmod if node.get("fmod", 0) else torch.remainder), (0, 1)


def group_normalization(node):
    scale, bias = node.constant(1), node.constant(2)
    if scale.numel() != node.shape()[1]:
        node.fail("only with a scale for each channel")
    module = nn.GroupNorm(node.get("num_groups"), scale.numel(), node.get("epsilon", 1e-5), device="meta")
    return set_weights(module, weight=scale, bias=bias), (0,)


def rms_normalization(node):
    scale, axis = node.constant(1), node.axis(-1)
    module = nn.RMSNorm(node.shape()[axis:], node.get("epsilon", 1e-5), device="meta")
    return set_weights(module, weight=scale.expand(node.shape()[axis:]).contiguous()), (0,)


def reduced(call):
    """A function of a tensor whose reduced axes are its last one."""
    def made(node):
        axes = node.attribute_or_input("axes", 1)
        if not axes and node.get("noop_with_empty_axes", 0):
            return nn.Identity(), (0,)
        axes = sorted(int(axis) % node.rank() for axis in axes or range(node.rank()))
        kept = [extent for axis, extent in enumerate(node.shape()) if axis not in axes]
        with_ones = [1 if axis in axes else extent for axis, extent in enumerate(node.shape())]
        target = with_ones if node.get("keepdims", 1) else kept
        order = [axis for axis in range(node.rank()) if axis not in axes] + axes
        return Call(lambda x: call(x.permute(order).reshape(*kept, -1)).reshape(target)), (0,)
    return made


def swish(node):
    alpha = node.get("alpha", 1.0)
    return (nn.SiLU() if alpha == 1 else Call(lambda x: x * torch.sigmoid(alpha * x))), (0,)


MORE_OPERATORS = {
    "Acos": function(torch.acos),
    "Acosh": function(torch.acosh),
    "And": function(torch.logical_and),
    "ArgMax": place_of(torch.argmax),
    "ArgMin": place_of(torch.argmin),
    "Asin": function(torch.asin),
    "Asinh": function(torch.asinh),
    "Atan": function(torch.atan),
    "Atanh": function(torch.atanh),
    "Ceil": function(torch.ceil),
    "Celu": lambda node: (nn.CELU(node.get("alpha", 1.0)), (0,)),
    "Cosh": function(torch.cosh),
    "CumSum": cumulative_sum,
    "DepthToSpace": depth_to_space,
    "Einsum": einsum,
    "Floor": function(torch.floor),
    "GatherElements": along_axis(gather_elements),
    "GatherND": gather_nd,
    "Greater": function(torch.gt),
    "GreaterOrEqual": function(torch.ge),
    "GroupNormalization": group_normalization,
    "IsNaN": function(torch.isnan),
    "Less": function(torch.lt),
    "LessOrEqual": function(torch.le),
    "Mod": remainder,
    "Not": function(torch.logical_not),
    "OneHot": one_hot,
    "Or": function(torch.logical_or),
    "RMSNormalization": rms_normalization,
    "Range": sequence,
    "ReduceL1": reduced(lambda x: x.abs().sum(-1)),
    "ReduceLogSum": reduced(lambda x: x.sum(-1).log()),
    "ReduceLogSumExp": reduced(lambda x: x.logsumexp(-1)),
    "ReduceProd": reduced(lambda x: x.prod(-1)),
    "ReduceSumSquare": reduced(lambda x: x.square().sum(-1)),
    "Round": function(torch.round),
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "Selu": lambda node: (Call(lambda x: node.get("gamma", 1.0507009873554805) * torch.where(
        x > 0, x, node.get("alpha", 1.6732632423543772) * torch.expm1(x))), (0,)),
    "Sign": function(torch.sign),
    "Sinh": function(torch.sinh),
    "Size": lambda node: (Call(lambda: torch.tensor(math.prod(node.shape()))), ()),
    "Softsign": lambda node: (nn.Softsign(), (0,)),
    "SpaceToDepth": space_to_depth,
    "Swish": swish,
    "Tan": function(torch.tan),
    "ThresholdedRelu": lambda node: (nn.Threshold(node.get("alpha", 1.0), 0.0), (0,)),
    "Tile": tile,
    "TopK": top_k,
    "Trilu": triangle,
    "Xor": function(torch.logical_xor),
}
