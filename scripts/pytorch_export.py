"""PyTorch models as ONNX, for profile_pytorch.py."""

import contextlib
import copy
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
    keywords = {"opset_version": OPSET, "do_constant_folding": True,
                "training": torch._C._onnx.TrainingMode.PRESERVE,
                "input_names": [f"input_{i}" if i else "input" for i in range(len(inputs))]}
    if tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2]) >= (2, 5):
        keywords["dynamo"] = False  # the exporter that is there without onnxscript
    buffer = io.BytesIO()
    try:
        with quiet(), torch.no_grad():
            exported = copy.deepcopy(model)
            tell_apart(exported)
            torch.onnx.export(exported, inputs, buffer, **keywords)
    except Exception as error:
        raise UserError(f"{path}: PyTorch cannot export the model: {one_line(error)}; "
                        "--attention eager may help, --no-onnx leaves it out")
    exported = onnx.load_from_string(buffer.getvalue())
    leave_weights_out(onnx, exported)
    with replacing(path) as temporary:
        onnx.save(exported, temporary)


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
