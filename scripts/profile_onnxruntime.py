"""Runs an ONNX model with ONNX Runtime on the CPU and records what it did.

Writes one JSON file: {"schema": 1, "framework": "onnxruntime", "version", "versions", "model",
"batch", "inputs": {name: extents}, "precision", "threads", "device", "weights", "latency_seconds":
[one value a run, profiler off], "processes": [{"latency_seconds": [the runs of one process]}, ...],
"fewer_threads": [{"threads", "instead_of", "processes": [the same with fewer threads]}, ...],
"trace": [ONNX Runtime's own profile events, of a few runs more, in another process, with the shapes
of every operator's operands and results]}.
"""

import argparse
import json
import os
import sys
import tempfile

from onnx_models import (bind_dimensions, describe_weights, graph_inputs, make_inputs, name_nodes,
                         read_model, read_taken_inputs, take_constant_weights)
from profile_common import (Parser, UserError, named_extent, named_text, one_line, positive,
                            processor_name, run_main, write_json)
from profile_processes import (PROCESSES, Budget, describe, in_fresh_process, joined, timed,
                               with_fewer_threads)

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
    weights = take_constant_weights(onnx, numpy, model)
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(values, name) for name, values in weights.items())
    feeds = make_inputs(onnx, numpy, model, {**read_taken_inputs(arguments.flow), **dict(arguments.input)}, warn)
    ran_at = precision(onnx, model)
    described = describe_weights(weights)

    try:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            with open(path, "wb") as file:
                file.write(model.SerializeToString())
            del model, weights  # Their memory is that of the processes now.
            trace = profile(numpy, onnxruntime, path, feeds, arguments)
            processes, fewer = latencies(path, feeds, arguments)
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
        "versions": {"onnx": onnx.__version__, "numpy": numpy.__version__},
        "model": os.path.splitext(os.path.basename(arguments.model))[0],
        "batch": batch,
        "inputs": {name: list(values.shape) for name, values in feeds.items()},
        "precision": ran_at,
        "threads": arguments.threads,
        "provider": arguments.provider,
        "device": processor_name() if arguments.provider == CPU else None,
        "weights": described,
        "latency_seconds": joined(processes),
        "processes": processes,
        "fewer_threads": fewer,
        "trace": trace,
    }
    write_json(arguments.output, record)
    print(f"{arguments.output}: {describe(processes)}")
    for row in fewer:
        print(f"{arguments.output}: with {row['threads']} of {row['instead_of']} threads: "
              f"{describe(row['processes'])}")


def parse_arguments():
    parser = Parser(prog=PROGRAM, description="Profiles an ONNX model with ONNX Runtime.")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("--batch", type=positive, help="first dimension of the inputs")
    parser.add_argument("--dim", type=named_extent, action="append", default=[],
                        metavar="NAME=N|INPUT:AXIS=N", help="a dimension that the model leaves open")
    parser.add_argument("--input", type=named_text, action="append", default=[],
                        metavar="NAME=VALUE[,VALUE...]", help="values of an input")
    parser.add_argument("--flow", metavar="FILE.flow.json",
                        help="of benanza-generate: inputs that decide lengths get those that it takes")
    parser.add_argument("--threads", type=positive, default=default_threads(),
                        help="default: OMP_NUM_THREADS, else every core")
    parser.add_argument("--provider", default=CPU, help="who runs the operators; default: %(default)s")
    parser.add_argument("--runs", type=positive,
                        help="of each process; default: 30 and more in all, for 3 seconds")
    parser.add_argument("--processes", type=positive, default=PROCESSES,
                        help="how many processes measure the latency, one after the other; default: "
                             "%(default)s. With one, fewer threads are not tried")
    parser.add_argument("-o", "--output", help="default: MODEL.onnxruntime.json, here")
    arguments = parser.parse_args()
    if not arguments.output:
        stem = os.path.splitext(os.path.basename(arguments.model))[0]
        arguments.output = f"{stem}.onnxruntime.json"
    return arguments


def warn(text):
    print(f"{PROGRAM}: warning: {text}", file=sys.stderr)


def default_threads():
    """The suites' rule: OMP_NUM_THREADS, else the cores this process may use."""
    text = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return int(text) if text.isdigit() and int(text) > 0 else len(os.sched_getaffinity(0))


def providers(onnxruntime, name):
    """The one asked for, and the processor for what it cannot do."""
    known = onnxruntime.get_available_providers()
    if name not in known:
        raise UserError(f"--provider {name}: this ONNX Runtime has {', '.join(known)}; "
                        "install one that has it")
    return [name] if name == CPU else [name, CPU]


def make_session(onnxruntime, path, arguments, profile_prefix=None):
    """Of the model file `path`, made from `arguments.model`."""
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
            path, options, providers=providers(onnxruntime, arguments.provider)
        )
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"{arguments.model}: ONNX Runtime refuses it: {one_line(error)}")


def latencies(path, feeds, arguments):
    """What each process measures, and the same with fewer threads. Each is a new one."""
    def with_threads(threads):
        changed = argparse.Namespace(**{**vars(arguments), "threads": threads})
        return in_fresh_process(measure, path, feeds, changed)

    processes = [with_threads(arguments.threads) for _ in range(arguments.processes)]
    if arguments.processes == 1 or arguments.provider != CPU:
        return processes, []
    return processes, with_fewer_threads(arguments.threads, with_threads)


def measure(path, feeds, arguments):
    """Seconds per run, the profiler off."""
    import onnxruntime

    session = make_session(onnxruntime, path, arguments)
    budget = Budget(seconds=3, runs=30, processes=arguments.processes)
    return {"latency_seconds": timed(lambda: session.run(None, feeds), budget, arguments.runs)}


def warn_if_not_finite(numpy, outputs, arguments):
    for output in outputs:
        values = numpy.asarray(output)
        if numpy.issubdtype(values.dtype, numpy.floating) and not numpy.isfinite(values).all():
            warn(f"{arguments.model}: the output is not finite; "
                 "times may not be those of real weights")


def profile(numpy, onnxruntime, path, feeds, arguments):
    """Events of PROFILED_RUNS runs; those of the warm-up runs before them are dropped."""
    with tempfile.TemporaryDirectory() as folder:
        profiled = make_session(onnxruntime, path, arguments, os.path.join(folder, "profile"))
        for _ in range(2 + PROFILED_RUNS):
            outputs = profiled.run(None, feeds)
        warn_if_not_finite(numpy, outputs, arguments)
        with open(profiled.end_profiling(), encoding="utf-8") as file:
            events = json.load(file)
    runs = [event for event in events if event["name"] == "model_run"]
    begin = min(event["ts"] for event in runs[-PROFILED_RUNS:])
    return [trimmed(event) for event in events
            if event.get("cat") in ("Node", "Session") and event["ts"] >= begin]


def trimmed(event):
    keep = ("op_name", "node_index", "provider", "input_type_shape", "output_type_shape")
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
