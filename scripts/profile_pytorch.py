"""Runs a model with PyTorch and records what it did.

Writes into a folder, for a model NAME and a run TAG (NAME_b<batch>_<precision>[_<option>]...):
  NAME.onnx          the same model at batch 1, its weights replaced by constants
  TAG.trace.json.gz  PyTorch's own trace (Kineto, Chrome format) of one step, with shapes
  TAG.json           {"schema": 1, "framework": "pytorch", "version", "model", "batch", "precision",
                     "options": [...], "device", "device_kind": "cuda" | "cpu", "cuda", "cudnn",
                     "driver", "threads", "weights", "latency_seconds": [one value a run],
                     "cuda_graph_latency_seconds": [the same, or null], "trace": file name}
Latencies are taken without the profiler, from the call to the end of the work on the device.
With --train a run is a training step; options then name the optimizer ("train_sgd"). With --ddp
TAG.json has "ddp", too, what pytorch_ddp.measure_ddp() returns, and TAG_ddp.trace.json.gz is the
trace of its worker 0.
"""

import argparse
import contextlib
import copy
import gzip
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

from profile_common import (SEED, SMALLEST_WEIGHT, Parser, UserError, one_line, positive,
                            processor_name, replacing, run_main, write_json)
from pytorch_ddp import measure_ddp
from pytorch_models import load_model
from pytorch_training import make_step

PROGRAM = "profile-pytorch"
SCHEMA = 1
PRECISIONS = ("fp32", "tf32", "fp16", "bf16")
OPSET = 17
EPILOG = """\
MODEL is a name of torchvision, timm or transformers (looked for in this order; torchvision:NAME,
timm:NAME and transformers:NAME say which), a folder with a transformers config.json, or a Python
file that defines model() -> torch.nn.Module and, unless it takes one 3x224x224 image,
inputs(batch) -> tuple of tensors. Weights are random: nothing is downloaded.
"""


def main():
    arguments = parse_arguments()
    import torch

    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise UserError("PyTorch finds no GPU; --device cpu profiles the processor")
    if arguments.device == "cpu" and (arguments.cuda_graphs or arguments.precision == "tf32"):
        raise UserError("--cuda-graphs and tf32 need a GPU")
    warnings.filterwarnings("ignore")
    torch.manual_seed(SEED)
    name, model, inputs_of = load_model(torch, arguments)
    model.eval()
    make_folder(arguments.output)
    if not arguments.no_onnx:
        path = os.path.join(arguments.output, f"{name}.onnx")
        export(torch, path, model, inputs_of(1))
        print(f"{path}: batch 1, opset {OPSET}, weights left out")

    set_precision(torch, arguments)
    tag = "_".join([name, f"b{arguments.batch}", arguments.precision] + options(arguments))
    try:
        make = make_step if arguments.train else make_run
        run = make(torch, model, inputs_of(arguments.batch), arguments)
        warn_if_not_finite(torch, run, tag)
        latencies = measure(torch, run, arguments)
        graph_latencies = None
        if arguments.cuda_graphs:
            graph_latencies = measure(torch, capture(torch, run), arguments)
        trace = f"{tag}.trace.json.gz"
        profile(torch, run, arguments, os.path.join(arguments.output, trace))
        ddp = (measure_ddp(torch, arguments, min(latencies), measure, profile,
                           os.path.join(arguments.output, f"{tag}_ddp.trace.json.gz"))
               if arguments.ddp else None)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"{arguments.model}: PyTorch cannot run it: {one_line(error)}")
    record = {
        "schema": SCHEMA,
        "framework": "pytorch",
        "version": torch.__version__,
        "model": f"{name}_training" if arguments.train else name,
        "batch": arguments.batch,
        "precision": arguments.precision,
        "options": options(arguments),
        "device": device_name(torch, arguments),
        "device_kind": arguments.device,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if arguments.device == "cuda" else None,
        "driver": driver() if arguments.device == "cuda" else None,
        "threads": torch.get_num_threads(),
        "weights": f"random, seed {SEED}",
        "latency_seconds": latencies,
        "cuda_graph_latency_seconds": graph_latencies,
        "trace": trace,
    }
    if ddp:
        record["ddp"] = ddp
    path = os.path.join(arguments.output, f"{tag}.json")
    write_json(path, record)
    print(f"{path}: {describe(latencies)}")
    if graph_latencies:
        print(f"{path}: CUDA graph: {describe(graph_latencies)}")
    if ddp:
        print(f"{path}: DDP, {arguments.ddp} workers: {describe(ddp['latency_seconds'])}")


def parse_arguments():
    parser = Parser(prog=PROGRAM, description="Profiles a model with PyTorch.", epilog=EPILOG,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("-o", "--output", metavar="DIR", required=True)
    parser.add_argument("--batch", type=positive, default=1)
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32",
                        help="fp32 turns TF32 off, which PyTorch leaves on for convolutions")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--cuda-graphs", action="store_true",
                        help="measure the latency of a CUDA graph of the model, too")
    parser.add_argument("--cudnn-benchmark", action="store_true",
                        help="torch.backends.cudnn.benchmark: try algorithms before the first run")
    parser.add_argument("--fold", action="store_true",
                        help="batch normalisation folded into convolutions (torch.fx)")
    parser.add_argument("--compile", action="store_true", help="torch.compile")
    parser.add_argument("--train", nargs="?", const="sgd", choices=("sgd", "adam"),
                        help="training steps: forward, cross entropy of the first output, backward, "
                             "update by SGD with momentum (or adam); fp16 and bf16 are mixed "
                             "precision with fp32 parameters")
    parser.add_argument("--ddp", type=positive, metavar="N",
                        help="training steps of N GPUs by DistributedDataParallel, too (with "
                             "--device cpu: of N processes)")
    parser.add_argument("--input-size", type=positive, help="height and width of images")
    parser.add_argument("--sequence", type=positive, default=128, help="tokens (default 128)")
    parser.add_argument("--attention", choices=("eager", "sdpa"),
                        help="of transformers models (default: the library's)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--runs", type=positive, help="default: 50 and more, for 2 seconds")
    parser.add_argument("--steps", type=positive, default=1, help="steps in the trace (default 1)")
    parser.add_argument("--no-onnx", action="store_true", help="leave NAME.onnx alone")
    arguments = parser.parse_args()
    if arguments.train and arguments.fold:
        parser.error("--fold is for inference: training keeps batch normalization by itself")
    if arguments.ddp and not arguments.train:
        parser.error("--ddp measures training steps: say --train, too")
    if arguments.ddp == 1:
        parser.error("--ddp: two workers or more")
    return arguments


def options(arguments):
    """What makes this run another than the plain one, as parts of file names."""
    chosen = {"channels_last": arguments.channels_last,
              "cudnn_benchmark": arguments.cudnn_benchmark,
              "fold": arguments.fold,
              "compile": arguments.compile,
              f"train_{arguments.train}": arguments.train is not None,
              "cpu": arguments.device == "cpu"}
    if arguments.attention:
        chosen[f"attention_{arguments.attention}"] = True
    return [name for name, is_chosen in chosen.items() if is_chosen]


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


def set_precision(torch, arguments):
    allowed = arguments.precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed
    torch.backends.cudnn.benchmark = arguments.cudnn_benchmark


def make_run(torch, model, inputs, arguments):
    """A function that runs the model once on the device, and what to wait with."""
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(arguments.precision, torch.float32)
    device = torch.device(arguments.device)
    if arguments.fold:
        from torch.fx.experimental import optimization
        model = optimization.fuse(model)
    model = model.to(device=device, dtype=dtype)
    placed = []
    for value in inputs:
        value = value.to(device=device, dtype=dtype if value.is_floating_point() else value.dtype)
        if arguments.channels_last and value.dim() == 4:
            value = value.contiguous(memory_format=torch.channels_last)
        placed.append(value)
    if arguments.channels_last:
        model = model.to(memory_format=torch.channels_last)
    if arguments.compile:
        model = torch.compile(model)

    def run():
        with torch.inference_mode():
            return model(*placed)

    return run


def capture(torch, run):
    """A function that replays the run's kernels as one CUDA graph."""
    try:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                run()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = run()
    except Exception as error:
        raise UserError(f"--cuda-graphs: the model cannot be captured: {one_line(error)}; "
                        "leave --cuda-graphs out")
    graph.result = result  # its memory lives as long as the graph
    return graph.replay


def measure(torch, run, arguments):
    """Seconds per run, after a warm-up of a second and ten runs at least."""
    wait = waiter(torch, arguments)
    start = time.perf_counter()
    warm = 0
    while warm < 3 or (not arguments.runs and (warm < 10 or time.perf_counter() - start < 1)):
        run()
        wait()
        warm += 1
    samples = []
    begin = time.perf_counter()
    while (len(samples) < arguments.runs if arguments.runs
           else len(samples) < 50 or time.perf_counter() - begin < 2):
        start = time.perf_counter()
        run()
        wait()
        samples.append(time.perf_counter() - start)
    return samples


def waiter(torch, arguments):
    return torch.cuda.synchronize if arguments.device == "cuda" else lambda: None


def profile(torch, run, arguments, path):
    """The trace of some steps, after warm-up steps with the profiler on."""
    from torch import profiler

    activities = [profiler.ProfilerActivity.CPU]
    if arguments.device == "cuda":
        activities.append(profiler.ProfilerActivity.CUDA)
    wait = waiter(torch, arguments)
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "trace.json")
        schedule = profiler.schedule(wait=1, warmup=3, active=arguments.steps, repeat=1)
        with profiler.profile(activities=activities, record_shapes=True, schedule=schedule,
                              on_trace_ready=lambda done: done.export_chrome_trace(plain)) as steps:
            for _ in range(4 + arguments.steps):
                run()
                wait()
                steps.step()
        if not os.path.isfile(plain):
            raise UserError(f"{path}: PyTorch's profiler wrote no trace")
        with replacing(path) as temporary:
            with open(plain, "rb") as source, gzip.open(temporary, "wb") as target:
                shutil.copyfileobj(source, target)


def warn_if_not_finite(torch, run, tag):
    result = run()
    values = result if isinstance(result, (list, tuple)) else [result]
    for value in values:
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            if not torch.isfinite(value).all():
                print(f"{PROGRAM}: warning: {tag}: the output is not finite; times may not be "
                      "those of real weights", file=sys.stderr)


def device_name(torch, arguments):
    if arguments.device == "cuda":
        return torch.cuda.get_device_name()
    return processor_name()


def driver():
    """Version of the NVIDIA driver; None where it cannot be asked."""
    try:
        output = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return output.splitlines()[0].strip() if output.strip() else None


def describe(latencies):
    ordered = sorted(latencies)
    count = len(ordered)
    return (f"{1e3 * ordered[count // 2]:.3f} ms (median of {count} runs; "
            f"10% under {1e3 * ordered[count // 10]:.3f}, "
            f"10% over {1e3 * ordered[count - 1 - count // 10]:.3f})")


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UserError(f"{path}: cannot make this folder: {error.strerror}")


@contextlib.contextmanager
def quiet():
    """The exporter's notes on standard output are not for the user."""
    with open(os.devnull, "w", encoding="utf-8") as sink, contextlib.redirect_stdout(sink):
        yield


if __name__ == "__main__":
    run_main(PROGRAM, main)
