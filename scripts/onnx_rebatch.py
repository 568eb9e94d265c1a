"""Models whose file fixes the batch, at another one, as benanza-generate reads them with --batch."""

import itertools
import math

# Shapes follow each other: a change shows what the next layer gets.
MOST_PASSES = 1000


def rebatch(onnx, model, inputs, old, batch):
    """Changes what holds the batch `old` besides the inputs, which have the new one: targets of Reshape, sizes of
    Resize, and constants that Concat and recurrent layers take beside data. Only where the data changes with an
    input: a weight's shape has no batch."""
    if old == 0:
        return
    changed = set()
    for _ in range(MOST_PASSES if model.graph.node else 0):
        shapes = shapes_of(onnx, model, inputs)
        before = len(changed)
        nodes = []
        for node in model.graph.node:
            if node.output[0] not in changed:
                widened = wide_constants(onnx, node, shapes, old, batch)
                nodes += widened
                if widened or change_target(onnx, model, node, shapes, old, batch):
                    changed.add(node.output[0])
            nodes.append(node)
        if len(changed) == before:
            return
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del model.graph.node[:]
        model.graph.node.extend(copies)


class Shapes(dict):
    """Extents by name of a tensor; those that are not known are missing. `varying`: tensors that change with an
    input. `numbers`: integers of constants, by name."""

    def __init__(self, shapes, varying, numbers):
        super().__init__(shapes)
        self.varying, self.numbers = varying, numbers


def shapes_of(onnx, model, inputs):
    """By ONNX's inference, which does not see the values of large constants."""
    light = onnx.ModelProto()
    light.ir_version = model.ir_version
    light.opset_import.extend(model.opset_import)
    light.functions.extend(model.functions)
    light.graph.name = model.graph.name
    light.graph.node.extend(model.graph.node)
    light.graph.input.extend(model.graph.input)
    named = {value.name for value in light.graph.input}
    numbers = {}
    for tensor in model.graph.initializer:
        if math.prod(tensor.dims) <= 64:
            light.graph.initializer.append(tensor)
            if tensor.data_type == onnx.TensorProto.INT64:
                numbers[tensor.name] = onnx.numpy_helper.to_array(tensor).flatten().tolist()
        elif tensor.name not in named:
            light.graph.input.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value" and \
                    attribute.t.data_type == onnx.TensorProto.INT64 and math.prod(attribute.t.dims) <= 64:
                numbers[node.output[0]] = onnx.numpy_helper.to_array(attribute.t).flatten().tolist()
    inferred = onnx.shape_inference.infer_shapes(light, data_prop=True).graph
    shapes = {}
    for value in [*inferred.input, *inferred.value_info, *inferred.output]:
        kind = value.type.tensor_type
        if kind.HasField("shape") and all(extent.HasField("dim_value") for extent in kind.shape.dim):
            shapes[value.name] = [extent.dim_value for extent in kind.shape.dim]
    shapes.update((tensor.name, list(tensor.dims)) for tensor in model.graph.initializer)
    varying = {value.name for value in inputs}
    for node in model.graph.node:
        if node.op_type != "Shape" and varying.intersection(node.input):
            varying.update(node.output)
    return Shapes(shapes, varying, numbers)


def change_target(onnx, model, node, shapes, old, batch):
    """Whether a Reshape or Resize got another target."""
    if node.op_type not in ("Reshape", "Resize"):
        return False
    place = 1 if node.op_type == "Reshape" else 3
    name = node.input[place] if len(node.input) > place else ""
    data = shapes.get(node.input[0])
    if data is None or name not in shapes.numbers or node.input[0] not in shapes.varying:
        return False
    copies = not any(one.name == "allowzero" and one.i for one in node.attribute)
    made = (scaled_target(shapes.numbers[name], data, copies, old, batch) if place == 1 else
            scaled_sizes(shapes.numbers[name], data, old, batch))
    if made is None:
        return False
    node.input[place] = f"{name} of batch {batch}, for {node.output[0]}"
    model.graph.initializer.append(
        onnx.helper.make_tensor(node.input[place], onnx.TensorProto.INT64, [len(made)], made))
    return True


def wide_constants(onnx, node, shapes, old, batch):
    """Nodes that repeat the node's constants of the old batch; it takes their results."""
    made = []
    for place, axis in narrow_constants(node, shapes, old, batch):
        wide = f"{node.input[place]} of batch {batch}, for {node.output[0]}"
        made.append(onnx.helper.make_node("Concat", [node.input[place]] * (batch // old), [wide], axis=axis))
        node.input[place] = wide
    return made


def scaled_target(target, data, zero_copies, old, batch):
    """The target of a Reshape with its batch scaled: the first extent that data has not, or the first one.

    None if that is not needed or not possible."""
    scaled = scaled_at(target, 0, old, batch)
    if -1 in target:
        # It would take up the new batch: only one that leads is certain.
        return scaled if target[0] == old and data[:1] == [batch] else None
    # Axes in front of the batch stay as they are.
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(target, data))
    later = scaled_at(target, len(list(same)), old, batch)
    if later is not None and math.prod(later) == math.prod(data):
        return later if later != target else None
    if scaled is None:
        return None
    filled = [data[axis] if extent == 0 and zero_copies and axis < len(data) else extent
              for axis, extent in enumerate(scaled)]
    return scaled if math.prod(filled) == math.prod(data) and scaled != target else None


def scaled_at(target, axis, old, batch):
    """`target` with one extent scaled; None if that is not possible."""
    if axis >= len(target) or target[axis] <= 0 or target[axis] * batch % old != 0:
        return None
    return [*target[:axis], target[axis] * batch // old, *target[axis + 1:]]


def scaled_sizes(sizes, data, old, batch):
    """The sizes of a Resize for the new batch; None if they need not change."""
    fits = len(sizes) == len(data) and sizes[:1] == [old] and data[:1] == [batch]
    return [batch, *sizes[1:]] if fits else None


def narrow_constants(node, shapes, old, batch):
    """(input, axis) of each constant of the old batch that the node takes beside data of the new one."""
    if batch % old != 0:
        return []
    attributes = {one.name: one.i for one in node.attribute}
    if node.op_type == "Concat":
        axis, places = 0, range(len(node.input))
        data = [shapes[name] for name in node.input if name in shapes.varying and name in shapes]
        joined = attributes.get("axis", 1)
        if not data or joined in (0, -len(data[0])):
            return []
    elif node.op_type in ("LSTM", "GRU", "RNN"):
        axis, places = 0 if attributes.get("layout", 0) else 1, (5, 6)
        data = [shapes[node.input[0]]] if node.input[0] in shapes and node.input[0] in shapes.varying else []
    else:
        return []
    if not any(len(one) > axis and one[axis] == batch for one in data):
        return []
    # One of unknown extents is as wide as the data was in the file.
    return [(place, axis) for place in places
            if place < len(node.input) and node.input[place] and node.input[place] not in shapes.varying
            and shapes.get(node.input[place], [old] * 2)[axis:axis + 1] == [old]]
