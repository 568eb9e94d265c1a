"""PyTorch models as ONNX, for profile_pytorch.py."""

import contextlib
import copy
import importlib.util
import io
import os

from profile_common import SMALLEST_WEIGHT, UserError, one_line, replacing

OPSET = 17


def export(torch, path, model, inputs):
    """Writes the model as ONNX, layer by layer as it is: batch normalisation stays unfolded."""
    try:
        import onnx
    except ImportError:
        raise UserError("the onnx package is missing: install it, or say --no-onnx")
    exporters = [export_by_tracing]
    if version_of(torch) >= (2, 5) and importlib.util.find_spec("onnxscript"):
        exporters.append(export_program)
    reasons = []
    for exporter in exporters:
        try:
            with quiet(), torch.no_grad():
                copied = copy.deepcopy(model)
                tell_apart(copied)
                exported = exporter(torch, copied, inputs)
            break
        except Exception as error:
            reasons.append(one_line(error))
    else:
        raise UserError(f"{path}: PyTorch cannot export the model: {'; '.join(reasons)}; "
                        "--attention eager may help, --no-onnx leaves it out")
    leave_weights_out(onnx, exported)
    with replacing(path) as temporary:
        onnx.save(exported, temporary)


def export_by_tracing(torch, model, inputs):
    """By the exporter that is there without onnxscript."""
    import onnx
    keywords = {"opset_version": OPSET, "do_constant_folding": True,
                "training": torch._C._onnx.TrainingMode.PRESERVE,
                "input_names": names_of(inputs)}
    if version_of(torch) >= (2, 5):
        keywords["dynamo"] = False
    buffer = io.BytesIO()
    torch.onnx.export(model, inputs, buffer, **keywords)
    return onnx.load_from_string(buffer.getvalue())


def export_program(torch, model, inputs):
    """By the exporter of torch.export, for what tracing lacks (grouped heads, running
    differences). Models with batch normalization are not optimized: that would fold it into
    convolutions."""
    folds = any(isinstance(module, torch.nn.modules.batchnorm._BatchNorm)
                for module in model.modules())
    keywords = {"dynamo": True, "optimize": not folds, "verbose": False,
                "input_names": names_of(inputs)}
    with contextlib.suppress(Exception):
        # An extent of 1 would be written as a constant, into shapes as well.
        two = tuple(torch.cat([value, value]) for value in inputs)
        batch = torch.export.Dim("batch")
        exported = torch.onnx.export(model, two, dynamic_shapes=tuple({0: batch} for _ in two),
                                     **keywords).model_proto
        if any(dim.dim_param for dim in exported.graph.input[0].type.tensor_type.shape.dim[:1]):
            return exported
    return torch.onnx.export(model, inputs, **keywords).model_proto


def names_of(inputs):
    return [f"input_{i}" if i else "input" for i in range(len(inputs))]


def version_of(torch):
    return tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])


def tell_apart(model):
    """Makes the parameters unequal: the exporter would store equal ones, as those of batch
    normalization are at first, as one, and a training step would have too few of them."""
    for number, parameter in enumerate(model.parameters()):
        if parameter.is_floating_point():
            parameter.view(-1)[:1] += 1 + number


def leave_weights_out(onnx, model):
    """Weights become ConstantOfShape nodes: small files of the same layers."""
    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        elements = 1
        for extent in tensor.dims:
            elements *= extent
        if tensor.data_type != onnx.TensorProto.FLOAT or elements < SMALLEST_WEIGHT:
            kept.append(tensor)
            continue
        shape = f"{tensor.name}__shape"
        kept.append(onnx.helper.make_tensor(shape, onnx.TensorProto.INT64, [len(tensor.dims)],
                                            list(tensor.dims)))
        value = onnx.helper.make_tensor("value", onnx.TensorProto.FLOAT, [1], [0.5])
        nodes.append(onnx.helper.make_node("ConstantOfShape", [shape], [tensor.name],
                                           name=f"{tensor.name}__weight", value=value))
    nodes.extend(graph.node)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    del graph.node[:]
    graph.node.extend(nodes)


@contextlib.contextmanager
def quiet():
    """The exporter's notes on standard output are not for the user."""
    with open(os.devnull, "w", encoding="utf-8") as sink, contextlib.redirect_stdout(sink):
        yield
