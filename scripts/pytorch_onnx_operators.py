"""ONNX operators in PyTorch, for pytorch_onnx.py.

A function per operator: from a Node to a torch.nn.Module and the indices of the inputs it is called
with; the others are constants that went into the module. A module where PyTorch has one (Conv2d,
Linear), else a call of a function of PyTorch (Call).
"""

import math

import torch
from torch import nn
from torch.nn import functional

from pytorch_onnx_indices import MORE_OPERATORS
from pytorch_onnx_modules import Call, Scaled, Shifted, by_rank, function, set_weights
from pytorch_onnx_windows import conv, conv_transpose, flat, global_pool, pool


def batch_normalization(node):
    if node.get("training_mode", 0):
        node.fail("only for inference")
    scale, bias, mean, variance = (node.constant(index) for index in range(1, 5))
    kind = nn.BatchNorm1d if node.rank() == 2 else by_rank(node, "BatchNorm")
    module = kind(scale.numel(), node.get("epsilon", 1e-5), 1 - node.get("momentum", 0.9),
                  device="meta")
    return set_weights(module, weight=scale, bias=bias, running_mean=mean.clone(),
                       running_var=variance.clone(), num_batches_tracked=torch.tensor(0)), (0,)


def instance_normalization(node):
    scale, bias = node.constant(1), node.constant(2)
    module = by_rank(node, "InstanceNorm")(scale.numel(), node.get("epsilon", 1e-5), affine=True,
                                           device="meta")
    return set_weights(module, weight=scale, bias=bias), (0,)


def layer_normalization(node):
    scale, bias = node.constant(1), node.constant(2)
    axis = node.axis(-1)
    module = nn.LayerNorm(node.shape()[axis:], node.get("epsilon", 1e-5), bias=bias is not None,
                          device="meta")
    tensors = {"weight": scale} if bias is None else {"weight": scale, "bias": bias}
    return set_weights(module, **tensors), (0,)


def lrn(node):
    if node.get("size") % 2 == 0:
        node.fail("PyTorch's window of an even size lies elsewhere")
    return nn.LocalResponseNorm(node.get("size"), node.get("alpha", 1e-4), node.get("beta", 0.75),
                                node.get("bias", 1.0)), (0,)


def linear(weight, bias):
    """weight: outputs by inputs."""
    module = nn.Linear(weight.shape[1], weight.shape[0], bias is not None, device="meta")
    tensors = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
    return set_weights(module, **tensors)


def gemm(node):
    alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
    is_a_turned, is_b_turned = node.get("transA", 0), node.get("transB", 0)
    fixed = node.is_constant(1) and (not node.has(2) or node.is_constant(2))
    if fixed and not is_a_turned and node.rank() == 2:
        weight, bias = node.constant(1), node.constant(2)
        weight = alpha * (weight if is_b_turned else weight.t().contiguous())
        if bias is None or bias.shape in ((weight.shape[0],), (1, weight.shape[0])):
            return linear(weight, None if bias is None else beta * bias.flatten()), (0,)

    def product(a, b, c=None):
        a, b = a.t() if is_a_turned else a, b.t() if is_b_turned else b
        if c is None:
            return alpha * torch.mm(a, b)
        return torch.addmm(c, a, b, beta=beta, alpha=alpha)

    return Call(product), (0, 1, 2) if node.has(2) else (0, 1)


def matmul(node):
    if node.is_constant(1) and node.rank(1) == 2 and not node.is_constant(0):
        return linear(node.constant(1).t().contiguous(), None), (0,)
    return Call(torch.matmul), (0, 1)


def softmax(function):
    def made(node):
        is_new = node.opset >= 13
        axis = node.axis(-1 if is_new else 1)
        if is_new or math.prod(node.shape()[axis + 1:]) == 1:
            return Call(function, dim=axis), (0,)
        shape = node.shape()
        return Call(lambda x: function(x.flatten(axis), dim=-1).reshape(shape)), (0,)
    return made


def unary(module, *attributes):
    """attributes: (name, default), the module's arguments in order."""
    return lambda node: (module(*[node.get(*one) for one in attributes]), (0,))


def of_many(call):
    """Of any number of inputs, one after the other."""
    def combined(first, *others):
        for other in others:
            first = call(first, other)
        return first
    return function(combined)


def division(node):
    whole = None if node.type().is_floating_point else "trunc"
    return Call(torch.div, rounding_mode=whole), (0, 1)


def prelu(node):
    slope = node.constant(1)
    extents = [1] * (node.rank() - slope.dim()) + list(slope.shape)
    if slope.numel() != 1 and slope.numel() != extents[1]:
        node.fail("PyTorch's slopes are one, or one a channel")
    return set_weights(nn.PReLU(slope.numel(), device="meta"), weight=slope.flatten()), (0,)


def clip(node):
    low, high = (node.get(name) if name in node.attributes else (node.numbers(index) or [None])[0]
                 for name, index in (("min", 1), ("max", 2)))
    if (low, high) == (0, 6):
        return nn.ReLU6(), (0,)
    return (nn.Identity() if low is None and high is None else Call(torch.clamp, low, high)), (0,)


def hard_sigmoid(node):
    alpha, beta = node.get("alpha", 0.2), node.get("beta", 0.5)
    if beta == 0.5 and math.isclose(alpha, 1 / 6, rel_tol=1e-6):
        return nn.Hardsigmoid(), (0,)
    return Call(lambda x: torch.clamp(alpha * x + beta, 0, 1)), (0,)


def image_scaler(node):
    scaled = Scaled(torch.tensor(node.get("scale", 1.0)))
    bias = torch.tensor(node.get("bias")).reshape(-1, 1, 1)
    return nn.Sequential(scaled, Shifted(bias)), (0,)


def concat(node):
    return Call(lambda *tensors: torch.cat(tensors, node.axis(0))), tuple(range(len(node.inputs)))


def reshape(node):
    target = [int(extent) for extent in node.attribute_or_input("shape", 1)]
    if not node.get("allowzero", 0):
        target = [node.shape()[i] if extent == 0 else extent for i, extent in enumerate(target)]
    return Call(torch.reshape, target), (0,)


def flatten(node):
    axis = node.axis(1)
    if 1 == axis < node.rank():
        return nn.Flatten(), (0,)
    return Call(torch.reshape, [math.prod(node.shape()[:axis]), -1]), (0,)


def transpose(node):
    return Call(torch.permute, node.get("perm", list(reversed(range(node.rank()))))), (0,)


def squeeze(node):
    axes = node.attribute_or_input("axes", 1)
    if axes is None:
        axes = [axis for axis, extent in enumerate(node.shape()) if extent == 1]
    return Call(torch.squeeze, tuple(axes)), (0,)


def unsqueeze(node):
    axes = node.attribute_or_input("axes", 1)
    rank = node.rank() + len(axes)
    places = {axis % rank for axis in axes}
    extents = iter(node.shape())
    target = [1 if axis in places else next(extents) for axis in range(rank)]
    return Call(torch.reshape, target), (0,)


def expand(node):
    target = torch.broadcast_shapes(node.shape(), [int(one) for one in node.numbers(1)])
    return Call(torch.broadcast_to, target), (0,)


def slices(node):
    starts, ends = node.attribute_or_input("starts", 1), node.attribute_or_input("ends", 2)
    axes = node.attribute_or_input("axes", 3) or range(len(starts))
    steps = node.numbers(4) or [1] * len(starts)
    if min(steps) < 1:
        node.fail("PyTorch has no negative steps")
    place = [slice(None)] * node.rank()
    for axis, start, end, step in zip(axes, starts, ends, steps):
        place[axis] = slice(start, end, step)
    return Call(lambda x: x[tuple(place)]), (0,)


def split(node):
    axis = node.axis(0)
    sizes = node.attribute_or_input("split", 1)
    if sizes is None:
        each = -(-node.shape()[axis] // len(node.proto.output))
        return Call(torch.split, each, axis), (0,)
    return Call(torch.split, [int(size) for size in sizes], axis), (0,)


def pad(node):
    pads = node.attribute_or_input("pads", 1)
    mode = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}.get(
        node.get("mode", "constant")) or node.fail("PyTorch has no such mode")
    if node.has(3):
        node.fail("only without axes")
    pairs = flat([int(pad) for pad in pads[:node.rank()]], [int(pad) for pad in pads[node.rank():]])
    while mode != "constant" and len(pairs) > 2 and pairs[-2:] == [0, 0]:
        pairs = pairs[:-2]
    value = (node.numbers(2) or [node.get("value", 0.0)])[0] if mode == "constant" else None
    return Call(functional.pad, pairs, mode, value), (0,)


def gather(node):
    axis = node.axis(0)
    before = (slice(None),) * axis
    if node.rank(1) == 0:
        # PyTorch would read the value of a lone index.
        return Call(lambda x, index: x[(*before, index.reshape(1))].squeeze(axis)), (0, 1)
    return Call(lambda x, indices: x[(*before, indices)]), (0, 1)


def reduction(call):
    def made(node):
        axes = node.attribute_or_input("axes", 1)
        if not axes and node.get("noop_with_empty_axes", 0):
            return nn.Identity(), (0,)
        axes = [int(axis) for axis in axes] if axes else list(range(node.rank()))
        return Call(call, dim=axes, keepdim=bool(node.get("keepdims", 1))), (0,)
    return made


def resize(node):
    """Whole multiples of the nearest pixel, and linear interpolation as PyTorch has it."""
    is_upsample = node.proto.op_type == "Upsample"
    scales = node.attribute_or_input("scales", 1 if is_upsample or node.opset < 11 else 2)
    sizes = None if is_upsample else node.numbers(3)
    old = node.shape()[2:]
    new = sizes[2:] if sizes else [int(extent * scale) for extent, scale in zip(old, scales[2:])]
    mode = node.get("mode", "nearest")
    where = node.get("coordinate_transformation_mode",
                     "asymmetric" if is_upsample or node.opset < 11 else "half_pixel")
    if mode == "nearest" and all(b % a == 0 for a, b in zip(old, new)):
        return nn.Upsample(tuple(new), mode="nearest"), (0,)
    aligned = where == "align_corners"
    if mode == "linear" and (aligned or where in ("half_pixel", "pytorch_half_pixel")):
        name = ("linear", "bilinear", "trilinear")[len(new) - 1]
        return nn.Upsample(tuple(new), mode=name, align_corners=aligned), (0,)
    return node.fail(f"PyTorch has no mode {mode} with {where} coordinates from {old} to {new}")


def cast(node):
    types = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 5: torch.int16, 6: torch.int32,
             7: torch.int64, 9: torch.bool, 10: torch.float16, 11: torch.float64,
             16: torch.bfloat16}
    to = types.get(node.get("to")) or node.fail("to a type that PyTorch has not")
    if to.is_floating_point and node.type().is_floating_point and not node.is_constant(0):
        return nn.Identity(), (0,)  # the precision is the caller's choice
    return Call(torch.Tensor.to, to), (0,)


def constant(node):
    if "value" in node.attributes:
        value = node.tensor_attribute("value")
    else:
        name, = node.attributes
        if not name.startswith("value_") or "string" in name:
            node.fail(f"attribute {name}")
        value = torch.tensor(node.get(name))
    return Call(lambda: value), ()


def constant_of_shape(node):
    value = node.tensor_attribute("value").reshape(()) if "value" in node.attributes \
        else torch.tensor(0.0)
    return Call(lambda shape: value.expand(shape.tolist()).clone()), (0,)


def shape(node):
    shape_ = torch.tensor(node.shape()[node.get("start", 0):node.get("end")])
    return Call(lambda: shape_), ()


OPERATORS = {
    "Abs": function(torch.abs),
    "Add": function(torch.add),
    "AveragePool": pool,
    "BatchNormalization": batch_normalization,
    "Cast": cast,
    "Clip": clip,
    "Concat": concat,
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Cos": function(torch.cos),
    "Div": division,
    "Dropout": lambda node: (nn.Dropout(), (0,)),
    "Elu": unary(nn.ELU, ("alpha", 1.0)),
    "Equal": function(torch.eq),
    "Erf": function(torch.erf),
    "Exp": function(torch.exp),
    "Expand": expand,
    "Flatten": flatten,
    "Gather": gather,
    "Gelu": lambda node: (nn.GELU(node.get("approximate", "none")), (0,)),
    "Gemm": gemm,
    "GlobalAveragePool": global_pool("AdaptiveAvgPool"),
    "GlobalMaxPool": global_pool("AdaptiveMaxPool"),
    "HardSigmoid": hard_sigmoid,
    "HardSwish": unary(nn.Hardswish),
    "Identity": unary(nn.Identity),
    "ImageScaler": image_scaler,
    "InstanceNormalization": instance_normalization,
    "LRN": lrn,
    "LayerNormalization": layer_normalization,
    "LeakyRelu": unary(nn.LeakyReLU, ("alpha", 0.01)),
    "Log": function(torch.log),
    "LogSoftmax": softmax(torch.log_softmax),
    "MatMul": matmul,
    "Max": of_many(torch.maximum),
    "MaxPool": pool,
    "Min": of_many(torch.minimum),
    "Mish": unary(nn.Mish),
    "Mul": function(torch.mul),
    "Neg": function(torch.neg),
    "PRelu": prelu,
    "Pad": pad,
    "Pow": function(torch.pow),
    "Reciprocal": function(torch.reciprocal),
    "ReduceL2": reduction(torch.linalg.vector_norm),
    "ReduceMax": reduction(torch.amax),
    "ReduceMean": reduction(torch.mean),
    "ReduceMin": reduction(torch.amin),
    "ReduceSum": reduction(torch.sum),
    "Relu": unary(nn.ReLU),
    "Reshape": reshape,
    "Resize": resize,
    "Shape": shape,
    "Sigmoid": unary(nn.Sigmoid),
    "Sin": function(torch.sin),
    "Slice": slices,
    "Softmax": softmax(torch.softmax),
    "Softplus": unary(nn.Softplus),
    "Split": split,
    "Sqrt": function(torch.sqrt),
    "Squeeze": squeeze,
    "Sub": function(torch.sub),
    "Sum": of_many(torch.add),
    "Tanh": unary(nn.Tanh),
    "Transpose": transpose,
    "Unsqueeze": unsqueeze,
    "Upsample": resize,
    "Where": function(torch.where),
} | MORE_OPERATORS
