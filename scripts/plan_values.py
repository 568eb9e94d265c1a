"""Computes the tensors of a plan with ONNX Runtime on the CPU, without its optimizations.

Writes them as safetensors, all in F32: the model's constants, inputs, and what its layers make. Weights
that are one constant become random numbers, as in profile-onnxruntime.
"""

import argparse
import json
import os
import sys
import tempfile

from onnx_models import (bind_dimensions, constant_tensors, make_inputs, read_model,
                         read_taken_inputs, take_constant_weights)
from profile_common import (Parser, UserError, named_extent, named_text, one_line, positive,
                            run_main)

PROGRAM = "plan-values"
# Of these types, all become F32; integers, which choose rows, are exact up to 2^24.
NUMBERS = ("bool", "float16", "float32", "float64", "int32", "int64")


def main():
    arguments = parse_arguments()
    import numpy
    import onnx
    import onnxruntime

    names = plan_tensors(arguments.plan)
    model = read_model(onnx, arguments.model)
    bind_dimensions(onnx, model, arguments.batch, dict(arguments.dim))
    weights = take_constant_weights(onnx, numpy, model)
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(values, name) for name, values in weights.items())
    feeds = make_inputs(onnx, numpy, model, {**read_taken_inputs(arguments.flow), **dict(arguments.input)}, warn)
    values = {name: onnx.numpy_helper.to_array(tensor)
              for name, tensor in constant_tensors(model).items() if name in names}
    values.update({name: array for name, array in feeds.items() if name in names})
    values.update(run(onnx, onnxruntime, model, feeds, names - values.keys(), arguments.model))
    missing = sorted(names - values.keys())
    if missing:
        warn(f"{len(missing)} tensors of the plan are none of the model: "
             + ", ".join(missing[:3]))
    write_safetensors(numpy, values, arguments.output)
    print(f"{arguments.output}: {len(values)} tensors")


def warn(text):
    print(f"{PROGRAM}: warning: {text}", file=sys.stderr)


def parse_arguments():
    parser = Parser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("--plan", required=True, metavar="PLAN.json",
                        help="of benanza-analyze plan --out")
    parser.add_argument("--batch", type=positive, metavar="N")
    parser.add_argument("--dim", type=named_extent, action="append", default=[],
                        metavar="NAME=N", help="an open dimension, by name or INPUT:AXIS")
    parser.add_argument("--input", type=named_text, action="append", default=[],
                        metavar="NAME=VALUE", help="values of an input, or one for all")
    parser.add_argument("--flow", metavar="FILE.flow.json",
                        help="of benanza-generate: inputs that decide lengths get those that it takes")
    parser.add_argument("-o", "--output", metavar="OUT.safetensors")
    arguments = parser.parse_args()
    if arguments.output is None:
        arguments.output = os.path.splitext(arguments.plan)[0] + ".safetensors"
    return arguments


def plan_tensors(path):
    try:
        with open(path, encoding="utf-8") as file:
            tensors = json.load(file)["tensors"]
        return {tensor["name"] for tensor in tensors if tensor.get("name")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not a plan of benanza-analyze plan: {one_line(error)}")


def run(onnx, onnxruntime, model, feeds, wanted, path):
    """Those of the tensors that some node makes."""
    made = {name for node in model.graph.node for name in node.output}
    outputs = sorted(made & wanted)
    known = {value.name for value in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs
                              if name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.onnx")
            onnx.save_model(model, file, save_as_external_data=True, location="model.data")
            session = onnxruntime.InferenceSession(file, options,
                                                   providers=["CPUExecutionProvider"])
            return dict(zip(outputs, session.run(outputs, feeds)))
    except Exception as error:
        raise UserError(f"{path}: ONNX Runtime cannot run it: {one_line(error)}")


def write_safetensors(numpy, values, path):
    """A header of eight bytes of length and JSON, then the data."""
    header, offset = {}, 0
    arrays = {name: numpy.asarray(array) for name, array in values.items()}
    numbers = {name: array for name, array in arrays.items() if array.dtype.name in NUMBERS}
    for name, array in numbers.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [offset, offset + 4 * array.size]}
        offset += 4 * array.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".incomplete", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in numbers.values():
            file.write(numpy.ascontiguousarray(array, dtype="<f4").tobytes())
    os.replace(path + ".incomplete", path)


if __name__ == "__main__":
    run_main(PROGRAM, main)
