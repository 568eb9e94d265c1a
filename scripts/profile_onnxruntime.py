"""Runs an ONNX model with ONNX Runtime on the CPU and records what it did.

Writes one JSON file: {"schema": 1, "framework": "onnxruntime", "version", "model", "batch",
"precision", "threads", "device", "weights", "latency_seconds": [one value a run, profiler off],
"trace": [ONNX Runtime's own profile events, of a few runs more]}.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
import time

from profile_common import (SEED, SMALLEST_WEIGHT, Parser, UserError, one_line, positive,
                            processor_name, run_main, write_json)

PROGRAM = "profile-onnxruntime"
SCHEMA = 1
PROFILED_RUNS = 5
CPU = "CPUExecutionProvider"


def main():
    arguments = parse_arguments()
    import numpy
    import onnx
    import onnxruntime

    model = read_model(onnx, arguments.model)
    batch = bind_dimensions(onnx, model, arguments.batch, dict(arguments.dim))
    name_nodes(model)
    weights = randomise_weights(onnx, numpy, model)
    serialized = model.SerializeToString()
    feeds = make_inputs(onnx, numpy, model, dict(arguments.input))

    def session(profile_prefix=None):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = arguments.threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.log_severity_level = 3
        if profile_prefix:
            options.enable_profiling = True
            options.profile_file_prefix = profile_prefix
        try:
            return onnxruntime.InferenceSession(
                serialized, options, providers=providers(onnxruntime, arguments.provider)
            )
        except Exception as error:
            raise UserError(f"{arguments.model}: ONNX Runtime refuses it: {one_line(error)}")

    try:
        latencies = measure(numpy, session(), feeds, arguments)
        trace = profile(session, feeds)
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{arguments.model}: batch {batch}: ONNX Runtime cannot run it: {one_line(error)}"
        )
    record = {
        "schema": SCHEMA,
        "framework": "onnxruntime",
        "version": onnxruntime.__version__,
        "model": os.path.splitext(os.path.basename(arguments.model))[0],
        "batch": batch,
        "precision": precision(onnx, model),
        "threads": arguments.threads,
        "provider": arguments.provider,
        "device": processor_name() if arguments.provider == CPU else None,
        "weights": weights,
        "latency_seconds": latencies,
        "trace": trace,
    }
    write_json(arguments.output, record)
    milliseconds = 1e3 * float(numpy.median(latencies))
    print(f"{arguments.output}: {milliseconds:.3f} ms (median of {len(latencies)} runs)")


def parse_arguments():
    parser = Parser(prog=PROGRAM, description="Profiles an ONNX model with ONNX Runtime.")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("--batch", type=positive, help="first dimension of the inputs")
    parser.add_argument("--dim", type=named_extent, action="append", default=[],
                        metavar="NAME=N|INPUT:AXIS=N", help="a dimension that the model leaves open")
    parser.add_argument("--input", type=named_text, action="append", default=[],
                        metavar="NAME=VALUE[,VALUE...]", help="values of an input")
    parser.add_argument("--threads", type=positive, default=default_threads(),
                        help="default: OMP_NUM_THREADS, else every core")
    parser.add_argument("--provider", default=CPU, help="who runs the operators; default: %(default)s")
    parser.add_argument("--runs", type=positive, help="default: 30 and more, for 3 seconds")
    parser.add_argument("-o", "--output", help="default: MODEL.onnxruntime.json, here")
    arguments = parser.parse_args()
    if not arguments.output:
        stem = os.path.splitext(os.path.basename(arguments.model))[0]
        arguments.output = f"{stem}.onnxruntime.json"
    return arguments


def named_text(text):
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def named_extent(text):
    name, value = named_text(text)
    return name, positive(value)


def default_threads():
    """The suites' rule: OMP_NUM_THREADS, else the cores this process may use."""
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return int(text) if text.isdigit() and int(text) > 0 else len(os.sched_getaffinity(0))


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


def bind_dimensions(onnx, model, batch, dims):
    """Gives the inputs' open dimensions a value, by name, by INPUT:AXIS, or, dimension 0 of every
    input that has the first input's, the batch; returns that."""
    inputs = graph_inputs(model)
    if not inputs or not inputs[0].type.tensor_type.shape.dim:
        if batch is not None:
            raise UserError("--batch: the model's first input has no dimensions; leave --batch out")
        return None
    for value in inputs:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            if not dimension.HasField("dim_value"):
                extent = dims.get(dimension.dim_param, dims.get(f"{value.name}:{axis}"))
                if extent is not None:
                    dimension.dim_value = extent
    first = inputs[0].type.tensor_type.shape.dim[0]
    old = first.dim_value if first.HasField("dim_value") else None
    if batch is None:
        batch = old
    for value in inputs:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            static = dimension.HasField("dim_value")
            if axis == 0 and (not static or dimension.dim_value == old) and batch is not None:
                dimension.dim_value = batch
            elif not static or dimension.dim_value <= 0:
                name = dimension.dim_param or f"{value.name}:{axis}"
                raise UserError(
                    f"input {value.name!r}: dimension {axis} is not known; "
                    + ("say --batch N" if axis == 0 else f"say --dim {name}=N")
                )
    if old is not None and old != batch:
        rescale_reshapes(onnx, model, old, batch)
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
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


def rescale_reshapes(onnx, model, old, batch):
    """Constant targets of Reshape hold the model's old batch: [1, 1024] becomes [8, 1024].

    Only where the data changes with the input: a weight's shape has no batch.
    """
    targets = constant_tensors(model)
    varying = {value.name for value in graph_inputs(model)}
    for node in model.graph.node:
        if node.op_type == "Shape" or not varying.intersection(node.input):
            continue
        varying.update(node.output)
        if node.op_type != "Reshape" or node.input[0] not in varying:
            continue
        tensor = targets.get(node.input[1]) if len(node.input) > 1 else None
        target = onnx.numpy_helper.to_array(tensor).copy() if tensor is not None else []
        if len(target) == 0 or target[0] != old:
            continue
        target[0] = batch
        name = f"{node.input[1]}__batch_{batch}"
        if name not in targets:
            targets[name] = onnx.numpy_helper.from_array(target, name)
            model.graph.initializer.append(targets[name])
        node.input[1] = name


def name_nodes(model):
    """A node without a name of its own takes its first output's: the trace then says what it is."""
    names = collections.Counter(node.name for node in model.graph.node)
    for node in model.graph.node:
        if node.output and (not node.name or names[node.name] > 1):
            node.name = node.output[0]


def randomise_weights(onnx, numpy, model):
    """Weights that are one constant (ConstantOfShape) become random numbers.

    Their scale keeps activations near 1: equal weights end in overflow, zeros or denormals, and
    arithmetic on those may be slower or faster than on real weights. Says what it did.
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

    kept = []
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
        values = weight_values(numpy, generator, shape, *uses.get(node.output[0], (None, 0)))
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, node.output[0]))
    replaced = len(model.graph.node) - len(kept)
    del model.graph.node[:]
    model.graph.node.extend(kept)
    if replaced == 0:
        return "as in the file"
    return f"{replaced} constant weights replaced by random values, seed {SEED}"


def weight_values(numpy, generator, shape, node, index):
    operator = node.op_type if node is not None else ""
    if operator == "BatchNormalization":
        if index in (1, 4):  # scale, variance
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
    return (deviation * generator.standard_normal(shape)).astype(numpy.float32)


def make_inputs(onnx, numpy, model, stated):
    generator = numpy.random.default_rng(SEED + 1)
    feeds = {}
    for name in stated.keys() - {value.name for value in graph_inputs(model)}:
        print(f"{PROGRAM}: warning: --input {name}: the model has no input of that name",
              file=sys.stderr)
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


def providers(onnxruntime, name):
    """The one asked for, and the processor for what it cannot do."""
    known = onnxruntime.get_available_providers()
    if name not in known:
        raise UserError(f"--provider {name}: this ONNX Runtime has {', '.join(known)}; "
                        "install one that has it")
    return [name] if name == CPU else [name, CPU]


def measure(numpy, session, feeds, arguments):
    """Seconds per run, the profiler off, after a warm-up of a second or three runs."""
    start = time.perf_counter()
    warm = 0
    while warm < 3 or (time.perf_counter() - start < 1 and not arguments.runs):
        outputs = session.run(None, feeds)
        warm += 1
    for output in outputs:
        values = numpy.asarray(output)
        if numpy.issubdtype(values.dtype, numpy.floating) and not numpy.isfinite(values).all():
            print(f"{PROGRAM}: warning: {arguments.model}: the output is not finite; "
                  "times may not be those of real weights", file=sys.stderr)
    samples = []
    begin = time.perf_counter()
    while (len(samples) < arguments.runs if arguments.runs
           else len(samples) < 30 or time.perf_counter() - begin < 3):
        start = time.perf_counter()
        session.run(None, feeds)
        samples.append(time.perf_counter() - start)
    return samples


def profile(session, feeds):
    """Events of PROFILED_RUNS runs; those of the warm-up runs before them are dropped."""
    with tempfile.TemporaryDirectory() as folder:
        profiled = session(os.path.join(folder, "profile"))
        for _ in range(2 + PROFILED_RUNS):
            profiled.run(None, feeds)
        with open(profiled.end_profiling(), encoding="utf-8") as file:
            events = json.load(file)
    runs = [event for event in events if event["name"] == "model_run"]
    begin = min(event["ts"] for event in runs[-PROFILED_RUNS:])
    return [trimmed(event) for event in events
            if event.get("cat") in ("Node", "Session") and event["ts"] >= begin]


def trimmed(event):
    keep = ("op_name", "node_index", "provider")
    arguments = {key: value for key, value in event.get("args", {}).items() if key in keep}
    return {"cat": event["cat"], "name": event["name"], "ts": event["ts"], "dur": event["dur"],
            "args": arguments}


def precision(onnx, model):
    types = {value.type.tensor_type.elem_type for value in graph_inputs(model)}
    if onnx.TensorProto.FLOAT16 in types:
        return "fp16"
    if onnx.TensorProto.BFLOAT16 in types:
        return "bf16"
    return "fp32"


if __name__ == "__main__":
    run_main(PROGRAM, main)
