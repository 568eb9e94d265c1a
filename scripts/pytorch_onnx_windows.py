"""ONNX operators that slide a window over an image, for pytorch_onnx_operators.py."""

import math

import torch
from torch import nn
from torch.nn import functional

from pytorch_onnx_modules import Call, Scaled, by_rank, set_weights


class Window:
    """Of a convolution or a pooling; lists of one number a dimension."""

    def __init__(self, node, kernel):
        self.extents = node.shape()[2:]
        rank = len(self.extents)
        self.kernel = list(kernel)
        self.strides = node.get("strides", [1] * rank)
        self.dilations = node.get("dilations", [1] * rank)
        self.spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        self.is_ceil = bool(node.get("ceil_mode", 0))
        pads = node.get("pads", [0] * 2 * rank)
        self.begin, self.end = list(pads[:rank]), list(pads[rank:])
        automatic = node.get("auto_pad", "NOTSET")
        if automatic.startswith("SAME"):
            for i in range(rank):
                outputs = -(-self.extents[i] // self.strides[i])
                total = max((outputs - 1) * self.strides[i] + self.spans[i] - self.extents[i], 0)
                less, more = total // 2, total - total // 2
                upper = automatic == "SAME_UPPER"
                self.begin[i], self.end[i] = (less, more) if upper else (more, less)

    def outputs(self):
        found = []
        for i, extent in enumerate(self.extents):
            room = extent + self.begin[i] + self.end[i] - self.spans[i]
            count = (-(-room // self.strides[i]) if self.is_ceil else room // self.strides[i]) + 1
            if self.is_ceil and (count - 1) * self.strides[i] >= extent + self.begin[i]:
                count -= 1
            found.append(count)
        return found

    def outputs_in_pytorch(self, is_ceil):
        """With pads as large at the end as at the beginning."""
        alike = Window.__new__(Window)
        alike.__dict__.update(self.__dict__, end=self.begin, is_ceil=is_ceil)
        return alike.outputs()

    def ends(self):
        """Pads at the end with which the last window just fits; negative: some of it is unused."""
        return [(count - 1) * stride + span - extent - begin for count, stride, span, extent, begin
                in zip(self.outputs(), self.strides, self.spans, self.extents, self.begin)]


def flat(begin, end):
    """As functional.pad takes them: last dimension first."""
    return [pad for pair in zip(reversed(begin), reversed(end)) for pad in pair]


def padded(window, begin, end, value, module):
    return nn.Sequential(Call(functional.pad, flat(begin, end), value=value), module)


def conv(node):
    weight, bias = node.constant(1), node.constant(2)
    window = Window(node, weight.shape[2:])
    groups = node.get("group", 1)
    alike = window.begin == window.end
    module = by_rank(node, "Conv")(
        weight.shape[1] * groups, weight.shape[0], tuple(window.kernel), tuple(window.strides),
        tuple(window.begin) if alike else 0, tuple(window.dilations), groups,
        bias is not None, device="meta")
    set_weights(module, weight=weight, **({} if bias is None else {"bias": bias}))
    return (module if alike else padded(window, window.begin, window.end, 0.0, module)), (0,)


def conv_transpose(node):
    weight, bias = node.constant(1), node.constant(2)
    window = Window(node, weight.shape[2:])
    groups, rank = node.get("group", 1), len(window.kernel)
    more = node.get("output_padding", [0] * rank)
    if "output_shape" in node.attributes or node.get("auto_pad", "NOTSET") != "NOTSET":
        node.fail("only with stated pads")
    alike = window.begin == window.end
    module = by_rank(node, "ConvTranspose")(
        weight.shape[0], weight.shape[1] * groups, tuple(window.kernel), tuple(window.strides),
        tuple(window.begin) if alike else 0, tuple(more), groups, bias is not None,
        tuple(window.dilations), device="meta")
    set_weights(module, weight=weight, **({} if bias is None else {"bias": bias}))
    if alike:
        return module, (0,)
    cut = flat([-pad for pad in window.begin], [-pad for pad in window.end])
    return nn.Sequential(module, Call(functional.pad, cut)), (0,)


def pool(node):
    """PyTorch's own rounding up stands for pads at the end where it gives the same."""
    window = Window(node, node.get("kernel_shape"))
    is_max = node.proto.op_type == "MaxPool"
    counts_pads = not is_max and bool(node.get("count_include_pad", 0))
    if len([name for name in node.proto.output if name]) > 1:
        node.fail("only without indices")
    if not is_max and any(dilation != 1 for dilation in window.dilations):
        node.fail("PyTorch's average has no dilations")

    def made(pads, is_ceil):
        if is_max:
            return by_rank(node, "MaxPool")(tuple(window.kernel), tuple(window.strides), pads,
                                            tuple(window.dilations), ceil_mode=is_ceil)
        return by_rank(node, "AvgPool")(tuple(window.kernel), tuple(window.strides), pads,
                                        is_ceil, counts_pads)

    fits = all(2 * pad <= k for pad, k in zip(window.begin, window.kernel))
    for is_ceil in (False, True):
        same = window.outputs() == window.outputs_in_pytorch(is_ceil)
        if counts_pads:
            same = same and window.begin == window.end and is_ceil == window.is_ceil
        if fits and same:
            return made(tuple(window.begin), is_ceil), (0,)
    bare = padded(window, window.begin, window.ends(), -math.inf if is_max else 0.0,
                  made((0,) * len(window.kernel), False))
    if is_max:
        return bare, (0,)
    # Averages over whole windows, zeros included: of which only some count.
    counted = torch.ones([1, 1] + window.extents)
    if counts_pads:
        counted = functional.pad(counted, flat(window.begin, window.end), value=1.0)
        shift = [0] * len(window.kernel)
        ends = [inner - outer for inner, outer in zip(window.ends(), window.end)]
        counted = functional.pad(counted, flat(shift, ends))
        shares = bare[1](counted)
    else:
        shares = bare(counted)
    return nn.Sequential(bare, Scaled(1 / shares)), (0,)


def global_pool(name):
    return lambda node: (by_rank(node, name)(1), (0,))
