"""How many bytes of weights and caches belong to layers that Benanza does not support."""

import re

from profile_common import SMALLEST_WEIGHT, UserError, one_line

# Inputs that hold the keys and values of earlier tokens.
CACHE = re.compile("past|cache", re.IGNORECASE)
# Of elements smaller than a byte; text has no size.
BITS = {"INT4": 4, "UINT4": 4, "FLOAT4E2M1": 4, "INT2": 2, "UINT2": 2, "STRING": 0}


class Weights:
    """Bytes of all weights and caches, and of what unsupported layers read of them."""

    def __init__(self, everything, left_out):
        self.everything, self.left_out = everything, left_out

    def percent(self):
        return 100 * self.left_out / self.everything if self.everything else 0


def coverage(path, graph, flow):
    """`graph`, `flow`: what benanza-generate writes of the file."""
    import onnx

    try:
        model = onnx.load(path, load_external_data=False)
    except Exception as error:
        raise UserError(f"not an ONNX model: {one_line(error)}")
    sizes = stored_bytes(onnx, model, {tensor.get("name"): tensor.get("shape")
                                         for tensor in flow["tensors"]})
    readers = readers_of(model, sizes)
    return Weights(sum(sizes.values()), bytes_left_out(graph, sizes, readers))


def bytes_left_out(graph, sizes, readers):
    """Of a tensor, no more than the layer moves that reads most of it: few rows of a table."""
    moved = {output["name"]: layer["bytes"] for layer in graph["layers"]
             if layer["cost"] == "unsupported" for output in layer["outputs"]}
    left_out = 0
    for name, size in sizes.items():
        by_readers = [size if moved[result] is None else min(size, moved[result])
                      for result in readers[name] if result in moved]
        left_out += max(by_readers, default=0)
    return left_out


def graphs_of(graph):
    """The graph and all graphs inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                yield from graphs_of(inner)


def stored_bytes(onnx, model, extents):
    """{tensor: bytes as stored} of initializers, constants and inputs of keys and values."""
    def size_of(kind, dims):
        name = onnx.TensorProto.DataType.Name(kind)
        bits = BITS[name] if name in BITS else 8 * onnx.helper.tensor_dtype_to_np_dtype(kind).itemsize
        count = 1
        for extent in dims:
            count *= extent
        return (count * bits + 7) // 8, count

    sizes = {}
    for graph in graphs_of(model.graph):
        tensors = [(tensor.name, tensor) for tensor in graph.initializer]
        tensors += [(node.output[0], attribute.t) for node in graph.node for attribute in node.attribute
                    if node.op_type == "Constant" and attribute.name == "value"]
        for name, tensor in tensors:
            size, count = size_of(tensor.data_type, tensor.dims)
            if count >= SMALLEST_WEIGHT:
                sizes[name] = size
    for value in model.graph.input:
        if CACHE.search(value.name) and value.name not in sizes and extents.get(value.name):
            sizes[value.name], _ = size_of(value.type.tensor_type.elem_type, extents[value.name])
    return sizes


def readers_of(model, sizes):
    """{tensor: outputs of the nodes that read it}, through nodes that read nothing but constants."""
    stems = {name: {name} for name in sizes}
    readers = {name: set() for name in sizes}
    constants = {tensor.name for graph in graphs_of(model.graph) for tensor in graph.initializer}
    for graph in graphs_of(model.graph):
        for node in graph.node:
            origins = set().union(*(stems.get(name, set()) for name in node.input))
            if all(name in constants for name in node.input if name):
                constants.update(node.output)
                for output in node.output:
                    stems[output] = stems.get(output, set()) | origins
            for origin in origins:
                readers[origin].update(node.output)
    return readers
