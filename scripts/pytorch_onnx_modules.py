"""What the ONNX operators' modules are made of, for pytorch_onnx_operators.py and pytorch_onnx_windows.py."""

from torch import nn


class Call(nn.Module):
    """A function of tensors, and more arguments after them."""

    def __init__(self, function, *more, **keywords):
        super().__init__()
        self.function, self.more, self.keywords = function, more, keywords

    def forward(self, *tensors):
        return self.function(*tensors, *self.more, **self.keywords)


def function(call, *more, **keywords):
    """Of an operator that is a function of all of its inputs."""
    return lambda node: (Call(call, *more, **keywords), tuple(range(len(node.inputs))))


def by_rank(node, name, index=0):
    """Conv -> nn.Conv2d for an image's four dimensions."""
    rank = node.rank(index) - 2
    if rank not in (1, 2, 3):
        node.fail(f"PyTorch has none over {rank} dimensions")
    return getattr(nn, f"{name}{rank}d")


def set_weights(module, **tensors):
    for name, tensor in tensors.items():
        is_parameter = isinstance(getattr(module, name), nn.Parameter)
        setattr(module, name, nn.Parameter(tensor, requires_grad=tensor.is_floating_point())
                if is_parameter else tensor)
    return module


class Scaled(nn.Module):
    def __init__(self, factors):
        super().__init__()
        self.register_buffer("factors", factors)

    def forward(self, tensor):
        return tensor * self.factors


class Shifted(nn.Module):
    def __init__(self, terms):
        super().__init__()
        self.register_buffer("terms", terms)

    def forward(self, tensor):
        return tensor + self.terms
