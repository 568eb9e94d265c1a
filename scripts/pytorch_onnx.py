"""ONNX models as PyTorch modules, for profile_pytorch.py: one module a node, named after the node.

What the operators do is in pytorch_onnx_operators.py.
"""

import copy
import functools
import itertools
import keyword
import re

import numpy
import onnx
import torch

from onnx_models import (bind_dimensions, describe_weights, make_inputs, name_nodes, read_model,
                         take_constant_weights)
from pytorch_onnx_operators import OPERATORS
from profile_common import UserError, one_line

# Domains of the standard's operators.
STANDARD = ("", "ai.onnx")


def load_onnx(path, batch, dims):
    """The model at a batch size, its inputs as a tuple of tensors, and what its weights are."""
    read, weights = read_with_weights(path)
    proto = copy.deepcopy(read)
    bind_dimensions(onnx, proto, batch, dims)
    kept = [node for node in proto.graph.node if not weights.keys() & set(node.output)]
    del proto.graph.node[:]
    proto.graph.node.extend(kept)
    feeds = make_inputs(onnx, numpy, proto, {}, print)
    model = Converter(path, proto, weights).convert(feeds)
    return model, tuple(map(to_tensor, feeds.values())), describe_weights(weights)


@functools.lru_cache(maxsize=1)  # one model at several batch sizes
def read_with_weights(path):
    proto = read_model(onnx, path)
    name_nodes(proto)
    # The model keeps the nodes that make them: the shapes of its layers come from theirs.
    return proto, take_constant_weights(onnx, numpy, copy.deepcopy(proto))


class Value:
    """A tensor of the model: a constant with its values, or only a shape and a type ("meta")."""

    def __init__(self, tensor, fx_node=None):
        self.tensor = tensor
        self.fx_node = fx_node

    @property
    def is_constant(self):
        return self.tensor.device.type != "meta"


class Node:
    """A node on its way to a module: its attributes, and what is known of its inputs."""

    def __init__(self, path, proto, opset, inputs):
        self.path, self.proto, self.opset, self.inputs = path, proto, opset, inputs
        self.attributes = {one.name: onnx.helper.get_attribute_value(one)
                           for one in proto.attribute}

    def fail(self, what):
        raise UserError(f"{self.path}: node {self.proto.name!r}: {self.proto.op_type}: {what}")

    def get(self, name, default=None):
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def tensor_attribute(self, name):
        return to_tensor(onnx.numpy_helper.to_array(self.attributes[name]))

    def has(self, index):
        return index < len(self.inputs) and self.inputs[index] is not None

    def is_constant(self, index):
        return self.inputs[index].is_constant

    def constant(self, index):
        """The tensor of an input that no other node computes; None for one left out."""
        if not self.has(index):
            return None
        if not self.is_constant(index):
            self.fail(f"input {self.proto.input[index]!r} must be a constant")
        return self.inputs[index].tensor

    def numbers(self, index):
        constant = self.constant(index)
        return None if constant is None else constant.flatten().tolist()

    def attribute_or_input(self, name, index):
        """A list that was an attribute in earlier opsets."""
        return self.get(name) if name in self.attributes else self.numbers(index)

    def shape(self, index=0):
        return list(self.inputs[index].tensor.shape)

    def type(self, index=0):
        return self.inputs[index].tensor.dtype

    def rank(self, index=0):
        return self.inputs[index].tensor.dim()

    def axis(self, default):
        axis = self.get("axis", default)
        return axis + self.rank() if axis < 0 else axis


class Converter:
    def __init__(self, path, proto, weights):
        self.path, self.proto = path, proto
        self.opset = max((one.version for one in proto.opset_import if one.domain in STANDARD),
                         default=1)
        self.root = torch.nn.Module()
        self.graph = torch.fx.Graph()
        self.names = set()
        self.values = {tensor.name: Value(to_tensor(onnx.numpy_helper.to_array(tensor)))
                       for tensor in proto.graph.initializer}
        self.values.update((name, Value(to_tensor(array))) for name, array in weights.items())

    def convert(self, feeds):
        """As a torch.fx.GraphModule in eval mode."""
        for name, array in feeds.items():
            stand_in = torch.empty(array.shape, dtype=to_tensor(array).dtype, device="meta")
            self.values[name] = Value(stand_in, self.graph.placeholder(self.identifier(name)))
        for proto in self.proto.graph.node:
            self.add(proto)
        outputs = tuple(self.argument(one.name) for one in self.proto.graph.output)
        self.graph.output(outputs[0] if len(outputs) == 1 else outputs)
        return torch.fx.GraphModule(self.root, self.graph, "OnnxModel").eval()

    def add(self, proto):
        if proto.domain not in STANDARD or proto.op_type not in OPERATORS:
            domain = f"{proto.domain}." if proto.domain else ""
            raise UserError(f"{self.path}: node {proto.name!r}: profile-pytorch cannot run the "
                            f"operator {domain}{proto.op_type}")
        missing = [name for name in proto.input if name and name not in self.values]
        if missing:
            raise UserError(f"{self.path}: node {proto.name!r}: nothing computes its input "
                            f"{missing[0]!r}")
        inputs = [self.values[name] if name else None for name in proto.input]
        node = Node(self.path, proto, self.opset, inputs)
        try:
            module, used = OPERATORS[proto.op_type](node)
            module.eval()
            results = run(module, [inputs[index] for index in used])
        except UserError:
            raise
        except Exception as error:
            node.fail(one_line(error))
        several = isinstance(results, (tuple, list))
        results = list(results) if several else [results]
        if all(one.device.type != "meta" for one in results):
            fx_nodes = [None] * len(results)
        else:
            name = self.identifier(proto.name)
            self.root.add_module(name, module)
            arguments = tuple(self.argument(proto.input[index]) for index in used)
            whole = self.graph.create_node("call_module", name, arguments, {}, name)
            fx_nodes = [self.graph.call_function(item, (whole, index))
                        for index in range(len(results))] if several else [whole]
        for name, tensor, fx_node in zip(proto.output, results, fx_nodes):
            self.values[name] = Value(tensor, fx_node)

    def argument(self, name):
        """Of a call: what a node computes, or a constant, which becomes a buffer when first used."""
        if name not in self.values:
            raise UserError(f"{self.path}: nothing computes the model's output {name!r}")
        value = self.values[name]
        if value.fx_node is None:
            place = self.identifier(name)
            self.root.register_buffer(place, value.tensor)
            value.fx_node = self.graph.get_attr(place)
        return value.fx_node

    def identifier(self, name):
        """A name of Python's kind, used once, for a name of ONNX's."""
        plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
        if not plain[0].isalpha() or keyword.iskeyword(plain) or hasattr(torch.nn.Module, plain):
            plain = f"node_{plain}"
        unique = next(candidate for candidate in itertools.chain(
            [plain], (f"{plain}_{count}" for count in itertools.count(2)))
            if candidate not in self.names)
        self.names.add(unique)
        return unique


def item(results, index):
    return results[index]


def run(module, values):
    """The results; of inputs that are not all constants only their shapes and types."""
    with torch.no_grad():
        if all(value.is_constant for value in values):
            return module(*[value.tensor for value in values])
        stand_ins = {name: torch.empty_like(tensor, device="meta") for name, tensor in
                     itertools.chain(module.named_parameters(), module.named_buffers())}
        return torch.func.functional_call(module, stand_ins,
                                          tuple(value.tensor.to("meta") for value in values))


def to_tensor(array):
    return torch.from_numpy(numpy.array(array))  # a copy: training writes to it
