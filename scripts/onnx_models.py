"""ONNX models for the scripts that run them: dimensions, batch size, names, weights, inputs."""

import collections
import json
import os
import re

from onnx_rebatch import rebatch
from profile_common import SEED, SMALLEST_WEIGHT, UserError, one_line


def read_model(onnx, path):
    if not os.path.isfile(path):
        raise UserError(f"{path}: no such file")
    try:
        model = onnx.load(path)
    except Exception as error:
        raise UserError(f"{path}: not an ONNX model: {one_line(error)}")
    if not model.graph.node or not model.opset_import:
        raise UserError(f"{path}: not an ONNX model: it has no nodes or no opset")
    return model


def graph_inputs(model):
    initializers = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in initializers]


def batch_axis(model, name):
    """Recurrent layers take (steps, batch, features), unless their attribute layout is 1, and initial
    states of (directions, batch, hidden)."""
    for node in model.graph.node:
        if node.op_type in ("LSTM", "GRU", "RNN"):
            if name in [node.input[place] for place in (0, 5, 6) if place < len(node.input)]:
                return 0 if any(a.name == "layout" and a.i == 1 for a in node.attribute) else 1
    return 0


def first_with_batch(model):
    """The first input that has a batch; None if there is none."""
    return next((value for value in graph_inputs(model)
                 if len(value.type.tensor_type.shape.dim) > batch_axis(model, value.name)), None)


def is_open(dimension):
    # Paddle writes -1.
    return not dimension.HasField("dim_value") or dimension.dim_value < 0


def named_extent_of(name, dims):
    """The extent of a dimension by its name, "past + new" and "2*heads" included; None if it is not
    known."""
    if name in dims:
        return dims[name]
    total = 0
    for sign, term in re.findall(r"([-+]?)([^-+]+)", name):
        product = 1
        for factor in term.split("*"):
            factor = factor.strip()
            value = int(factor) if factor.isdigit() else dims.get(factor)
            if value is None:
                return None
            product *= value
        total += -product if sign == "-" else product
    return total if re.search(r"[-+*]", name) else None


def batch_names(inputs, axes):
    """The names that the batch gives a value: those of the inputs' batch axes, "n" of "n + 1", too."""
    for value in inputs:
        for dimension in value.type.tensor_type.shape.dim[axes[value.name]:axes[value.name] + 1]:
            terms = [term.strip() for term in re.split(r"[+*]", dimension.dim_param)]
            names = [term for term in terms if term and not term.isdigit()]
            if is_open(dimension) and len(names) == 1:
                yield names[0]


def bind_dimensions(onnx, model, batch, dims):
    """Gives the inputs' open dimensions a value, by name, by INPUT:AXIS, or, that of the batch in
    every input that has the first one's, the batch; returns that. As benanza-generate does: inputs
    without such an axis, such as numbers, have none."""
    inputs = graph_inputs(model)
    axes = {value.name: batch_axis(model, value.name) for value in inputs}
    lead = first_with_batch(model)
    if lead is None:
        if batch is not None:
            raise UserError("--batch: the model's inputs have no such dimension; leave --batch out")
        return None
    first = lead.type.tensor_type.shape.dim[axes[lead.name]]
    if batch is not None:
        dims = {**dict.fromkeys(batch_names(inputs, axes), batch), **dims}
    was_open = {value.name for value in inputs
                for dimension in value.type.tensor_type.shape.dim[axes[value.name]:axes[value.name] + 1]
                if is_open(dimension)}
    for value in inputs:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            if is_open(dimension):
                extent = dims.get(f"{value.name}:{axis}", named_extent_of(dimension.dim_param, dims))
                if extent is not None:
                    dimension.dim_value = extent
    known = None if is_open(first) else first.dim_value
    old = None if lead.name in was_open else known
    if batch is None:
        batch = known
    for value in inputs:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            of_batch = axis == axes[value.name]
            is_old = dimension.dim_value == old and value.name not in was_open
            if of_batch and (is_open(dimension) or is_old) and batch is not None:
                dimension.dim_value = batch
            elif is_open(dimension):
                name = dimension.dim_param or f"{value.name}:{axis}"
                raise UserError(
                    f"input {value.name!r}: dimension {axis} is not known; "
                    + ("say --batch N" if of_batch else f"say --dim {name}=N")
                )
    del model.graph.value_info[:]
    for value in model.graph.output:
        if value.type.HasField("tensor_type"):  # others are maps and sequences
            value.type.tensor_type.ClearField("shape")
    if old is not None and old != batch:
        rebatch(onnx, model, inputs, old, batch)
    return batch


def constant_tensors(model):
    """Initializers and Constant nodes, by tensor name."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value":
                    tensors[node.output[0]] = attribute.t
    return tensors


def name_nodes(model):
    """A node without a name of its own takes its first output's: the trace then says what it is."""
    names = collections.Counter(node.name for node in model.graph.node)
    for node in model.graph.node:
        if node.output and (not node.name or names[node.name] > 1):
            node.name = node.output[0]


def take_constant_weights(onnx, numpy, model):
    """Weights that are one constant (ConstantOfShape) become random numbers: {tensor: values};
    the model loses the nodes that made them.

    Their scale keeps activations near 1: equal weights end in overflow, zeros or denormals, and
    arithmetic on those may be slower or faster than on real weights.
    """
    generator = numpy.random.default_rng(SEED)
    constants = constant_tensors(model)
    uses = {}
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            uses.setdefault(name, (node, index))
    # A weight read through Identity is used as the Identity's readers use it.
    for node in reversed(model.graph.node):
        if node.op_type == "Identity" and node.output[0] in uses:
            uses[node.input[0]] = uses[node.output[0]]

    kept, weights = [], {}
    for node in model.graph.node:
        shape = None
        if node.op_type == "ConstantOfShape" and node.input[0] in constants:
            value = next((a.t for a in node.attribute if a.name == "value"), None)
            if value is None or value.data_type == onnx.TensorProto.FLOAT:
                dims = onnx.numpy_helper.to_array(constants[node.input[0]])
                shape = [int(extent) for extent in dims]
        if shape is None or numpy.prod(shape) < SMALLEST_WEIGHT:
            kept.append(node)
            continue
        weights[node.output[0]] = weight_values(numpy, generator, shape,
                                                *uses.get(node.output[0], (None, 0)))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return weights


def describe_weights(weights):
    if not weights:
        return "as in the file"
    return f"{len(weights)} constant weights replaced by random values, seed {SEED}"


def weight_values(numpy, generator, shape, node, index):
    operator = node.op_type if node is not None else ""
    if operator == "BatchNormalization":
        if index == 1:  # scale: sums of many residual branches stay within half precision
            return generator.uniform(0.25, 0.75, shape).astype(numpy.float32)
        if index == 4:  # variance
            return generator.uniform(0.5, 1.5, shape).astype(numpy.float32)
        return generator.uniform(-0.1, 0.1, shape).astype(numpy.float32)
    if len(shape) < 2:
        return generator.uniform(-0.1, 0.1, shape).astype(numpy.float32)
    transposed = operator == "Gemm" and any(a.name == "transB" and a.i for a in node.attribute)
    if operator in ("MatMul", "Gemm") and not transposed:
        fan_in = shape[-2]
    else:
        fan_in = int(numpy.prod(shape[1:]))
    deviation = (2.0 / max(fan_in, 1)) ** 0.5
    return numpy.float32(deviation) * generator.standard_normal(shape, dtype=numpy.float32)


def taken_inputs(flow):
    """The inputs of a flow file that decide lengths, and what benanza-generate takes these to be, as --input has
    them."""
    return {tensor["name"]: str(tensor["taken"]) for tensor in flow["tensors"] if "taken" in tensor}


def read_taken_inputs(path):
    if path is None:
        return {}
    try:
        with open(path, encoding="utf-8") as file:
            return taken_inputs(json.load(file))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UserError(f"--flow {path}: not a flow file: {one_line(error)}")


def make_inputs(onnx, numpy, model, stated, warn):
    """Values for every input; `warn` is told of those stated for none."""
    generator = numpy.random.default_rng(SEED + 1)
    feeds = {}
    for name in stated.keys() - {value.name for value in graph_inputs(model)}:
        warn(f"--input {name}: the model has no input of that name")
    for value in graph_inputs(model):
        tensor = value.type.tensor_type
        shape = [dimension.dim_value for dimension in tensor.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        if value.name in stated:
            feeds[value.name] = stated_values(numpy, value.name, stated[value.name], shape, dtype)
        elif numpy.issubdtype(dtype, numpy.floating):
            feeds[value.name] = generator.uniform(-1, 1, shape).astype(dtype)
        else:
            feeds[value.name] = numpy.ones(shape, dtype)
    return feeds


def stated_values(numpy, name, text, shape, dtype):
    """As many values as the input has elements, or one for all of them."""
    words = {"true": "1", "false": "0"} if dtype == numpy.bool_ else {}
    try:
        values = numpy.array([float(words.get(word, word)) if dtype.kind == "f"
                              else int(words.get(word, word)) for word in text.split(",")], dtype)
        return numpy.broadcast_to(values, [int(numpy.prod(shape))]).reshape(shape)
    except (ValueError, OverflowError):
        raise UserError(f"--input {name}={text}: the input has {int(numpy.prod(shape))} elements "
                        f"of type {dtype}: give as many values, or one for all")
