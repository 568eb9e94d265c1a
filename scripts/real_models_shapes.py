"""Shapes and types of a model's tensors: Benanza's compared with ONNX Runtime's."""

import math
import os
import tempfile

from onnx_models import (batch_axis, bind_dimensions, first_with_batch, graph_inputs, is_open,
                         make_inputs, read_model, taken_inputs)
from profile_common import SEED, UserError, one_line
from profile_processes import in_fresh_process

# Weights that are absent are made up, unless they are larger than this.
MOST_BYTES_MADE_UP = 1 << 30
# Tensors that one run hands out.
TENSORS_OF_A_RUN = 200


class Truth:
    """{tensor: (type, shape)}, by `how`: "run" or "inferred", and why it was not run."""

    def __init__(self, tensors, how, why=""):
        self.tensors, self.how, self.why = tensors, how, why


class Shapes:
    """What became of the comparison. `wrong`: one sentence each."""

    def __init__(self, compared, wrong, unknown, truth):
        self.compared, self.wrong, self.unknown = compared, wrong, unknown
        self.how, self.why = truth.how, truth.why


def true_shapes(path, flags, flow):
    """By ONNX Runtime, or where it cannot run the model by ONNX's inference."""
    try:
        return Truth(in_fresh_process(run_model, path, flags, flow), "run")
    except UserError as error:
        why = str(error)
    try:
        return Truth(in_fresh_process(infer_model, path, flags, flow), "inferred", why)
    except UserError as error:
        return Truth({}, "neither", f"{why}; nor inferred: {error}")


def stated_batch(path):
    """The batch that the file fixes; None if it is open, or the file cannot be read."""
    try:
        import onnx

        model = onnx.load(path, load_external_data=False)
    except Exception:
        return None  # benanza-generate says why
    lead = first_with_batch(model)
    if lead is None:
        return None
    dimension = lead.type.tensor_type.shape.dim[batch_axis(model, lead.name)]
    return None if is_open(dimension) or dimension.dim_value == 0 else dimension.dim_value


def compare_shapes(graph, flow, truth):
    """`graph`, `flow`: what benanza-generate writes of the file."""
    outputs = [output for layer in graph["layers"] for output in layer["outputs"]]
    known = {tensor["name"]: (tensor.get("type") or "unknown", tensor.get("shape"))
             for tensor in [*flow["tensors"], *outputs] if tensor.get("name")}
    assumed = {output["name"] for layer in graph["layers"] if layer.get("assumed")
               for output in layer["outputs"]}
    compared, unknown, wrong = 0, 0, []
    for name, (kind, shape) in truth.tensors.items():
        ours, extents = known.get(name, ("unknown", None))
        if ours == "unknown" and extents is None:
            unknown += 1
            continue
        compared += 1
        is_right = ours in ("unknown", kind) and (
            extents is None or fits(extents, shape, name in assumed))
        if not is_right:
            wrong.append(f'"{name}": Benanza has {ours} {extents}, ONNX Runtime {kind} {shape}')
    return Shapes(compared, wrong, unknown, truth)


def fits(extents, shape, is_assumed):
    """Extents that the data decide are assumed as large as can be."""
    if is_assumed and len(extents) == len(shape):
        return all(ours >= theirs for ours, theirs in zip(extents, shape))
    return list(extents) == list(shape)


def bound_model(onnx, path, flags, flow):
    """The model with the extents that its inputs have in the flow file, and whether its weights are
    absent. Inputs that are not in there get those that `flags` state."""
    absent = has_absent_weights(onnx, path)
    model = onnx.load(path, load_external_data=False) if absent else read_model(onnx, path)
    extents = {tensor.get("name"): tensor.get("shape") for tensor in flow["tensors"]}
    dims, batch = dict(flags.dim), flags.batch
    lead = first_with_batch(model)
    if lead is None:
        batch = None
    elif extents.get(lead.name):
        batch = extents[lead.name][batch_axis(model, lead.name)]
    for value in graph_inputs(model):
        axes = value.type.tensor_type.shape.dim
        for axis, dimension in enumerate(axes):
            if dimension.HasField("dim_value") and dimension.dim_value < 0:
                dimension.ClearField("dim_value")  # as Paddle writes an open one
            if not dimension.HasField("dim_value") and extents.get(value.name):
                dimension.dim_value = extents[value.name][axis]
            elif not dimension.HasField("dim_value") and axis == 0 and batch is None:
                dimension.dim_value = flags.batch
    bind_dimensions(onnx, model, batch, dims)
    return model, absent


def has_absent_weights(onnx, path):
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception as error:
        raise UserError(f"{path}: not an ONNX model: {one_line(error)}")
    folder = os.path.dirname(path)
    return any(not os.path.isfile(os.path.join(folder, entry.value))
               for tensor in model.graph.initializer for entry in tensor.external_data
               if entry.key == "location")


def run_model(path, flags, flow):
    import numpy
    import onnx
    import onnxruntime

    model, absent = bound_model(onnx, path, flags, flow)
    if absent:
        make_up_weights(onnx, numpy, model)
    feeds = make_inputs(onnx, numpy, model, {**taken_inputs(flow), **dict(flags.input)}, lambda text: None)
    kinds = {value.name: value.type.tensor_type.elem_type for value in graph_inputs(model)}
    stated = {value.name for value in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(names)
                              if name not in stated)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.onnx")
        try:
            onnx.save_model(model, file, save_as_external_data=True, location="model.data")
            session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
            values = {name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array, kinds[name])
                      if array.dtype.kind not in "OSU"
                      else onnxruntime.OrtValue.ortvalue_from_numpy(array)
                      for name, array in feeds.items()}
            found = {}
            for begin in range(0, len(names), TENSORS_OF_A_RUN):
                some = names[begin:begin + TENSORS_OF_A_RUN]
                found.update(zip(some, map(lambda value: described(onnx, value),
                                           session.run_with_ort_values(some, values))))
        except Exception as error:
            raise UserError(f"ONNX Runtime cannot run it: {one_line(error)}")
    return {name: value for name, value in found.items() if value is not None}


def described(onnx, value):
    """None of what is no tensor."""
    if value is None or not value.has_value() or not value.is_tensor():
        return None
    return onnx.TensorProto.DataType.Name(value.element_type()).lower(), list(value.shape())


def make_up_weights(onnx, numpy, model):
    generator = numpy.random.default_rng(SEED)
    absent = [tensor for tensor in model.graph.initializer if tensor.external_data]
    sizes = [math.prod(tensor.dims) for tensor in absent]
    if 4 * sum(sizes) > MOST_BYTES_MADE_UP:
        raise UserError("its weights are absent, and too large to make up")
    for tensor, size in zip(absent, sizes):
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        if numpy.issubdtype(kind, numpy.floating) or tensor.data_type == onnx.TensorProto.BFLOAT16:
            values = (0.02 * generator.standard_normal(size)).astype(kind)
        elif kind.kind in "iu" and kind.itemsize == 1:
            values = generator.integers(0, 2 if "int4" in kind.name else 100, size).astype(kind)
        else:
            values = numpy.zeros(size, kind)
        made = onnx.numpy_helper.from_array(values.reshape(tensor.dims), tensor.name)
        tensor.CopyFrom(made)


def infer_model(path, flags, flow):
    import onnx

    model, _ = bound_model(onnx, path, flags, flow)
    try:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception as error:
        raise UserError(one_line(error))
    found = {}
    for value in [*inferred.graph.value_info, *inferred.graph.output]:
        tensor = value.type.tensor_type
        dims = tensor.shape.dim
        if tensor.elem_type and tensor.HasField("shape") and all(d.HasField("dim_value") for d in dims):
            found[value.name] = (onnx.TensorProto.DataType.Name(tensor.elem_type).lower(),
                                 [dimension.dim_value for dimension in dims])
    return found
