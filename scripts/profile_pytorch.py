"""Runs a model with PyTorch and records what it did.

Writes into a folder, for a model NAME and a run TAG (NAME_b<batch>_<precision>[_<option>]...):
  NAME.onnx          the same model at batch 1 or, if torch.export has to write it, for any batch, its
                     weights replaced by constants; not of an ONNX file
  TAG.trace.json.gz  PyTorch's own trace (Kineto, Chrome format) of one step, with shapes
  TAG.json           {"schema": 1, "framework": "pytorch", "version", "model", "batch", "precision",
                     "options": [...], "device", "device_kind": "cuda" | "cpu", "cuda", "cudnn",
                     "driver", "threads", "weights": what they are, "latency_seconds": [one value a run],
                     "cuda_graph_latency_seconds": [the same, or null], "processes": [these two of each
                     process], "fewer_threads": [{"threads", "instead_of", "processes"}], "trace": file
                     name}
Latencies are taken without the profiler, from the call to the end of the work on the device, in several
processes one after the other. The last of them also records the trace.
With --train a run is a training step; options then name the optimizer ("train_sgd"). With --ddp
TAG.json has "ddp", too, what pytorch_ddp.measure_ddp() returns, and TAG_ddp.trace.json.gz is the
trace of its worker 0.
"""

import argparse
import gc
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

from profile_common import (SEED, Parser, UserError, checksums, named_extent, one_line,
                            positive, processor_name, replacing, run_main, write_json)
from profile_processes import (PROCESSES, Budget, all_but_one, describe, in_fresh_process, joined,
                               timed, with_fewer_threads)
from pytorch_ddp import measure_ddp
from pytorch_export import OPSET, export
from pytorch_models import is_onnx, load_model
from pytorch_training import make_step

PROGRAM = "profile-pytorch"
SCHEMA = 1
PRECISIONS = ("fp32", "tf32", "fp16", "bf16")
EPILOG = """\
MODEL is a name of torchvision, timm or transformers (looked for in this order; torchvision:NAME,
timm:NAME and transformers:NAME say which), a folder with a transformers config.json, an ONNX file
(.onnx), or a Python file that defines model() -> torch.nn.Module and, unless it takes one
3x224x224 image, inputs(batch) -> tuple of tensors. Weights are random: nothing is downloaded; an ONNX
file's own are used. Several models, batch sizes and precisions run one after the other.
"""


def main():
    arguments = parse_arguments()
    import torch

    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise UserError("PyTorch finds no GPU; --device cpu profiles the processor")
    if arguments.device == "cpu" and (arguments.cuda_graphs or "tf32" in arguments.precision):
        raise UserError("--cuda-graphs and tf32 need a GPU")
    warnings.filterwarnings("ignore")
    make_folder(arguments.output)
    runs = [argparse.Namespace(**{**vars(arguments), "model": model, "batch": batch,
                                  "precision": precision})
            for model in arguments.models for batch in arguments.batch
            for precision in arguments.precision]
    failed = 0
    exported = set()
    for one in runs:
        try:
            profile_model(torch, one, exported)
        except UserError as error:
            if len(runs) == 1:
                raise
            print(f"{PROGRAM}: {error}", file=sys.stderr)
            failed += 1
        release(torch, arguments)
    if failed:
        raise UserError(f"{failed} of {len(runs)} runs failed")


def profile_model(torch, arguments, exported):
    """One run; the models that are in `exported` are there as ONNX."""
    # Before this process holds the model, too.
    processes = all_but_one(arguments.processes,
                            lambda: in_fresh_process(measure_alone, arguments, None))
    fewer = []
    if arguments.device == "cpu" and arguments.processes != 1:
        fewer = with_fewer_threads(torch.get_num_threads(), lambda threads: in_fresh_process(
            measure_alone, arguments, threads))
    torch.manual_seed(SEED)
    name, model, inputs_of, weights = load_model(torch, arguments)
    model.eval()
    if not arguments.no_onnx and not is_onnx(arguments.model) and name not in exported:
        path = os.path.join(arguments.output, f"{name}.onnx")
        export(torch, path, model, inputs_of(1))
        exported.add(name)
        print(f"{path}: batch 1, opset {OPSET}, weights left out")

    set_precision(torch, arguments)
    tag = "_".join([name, f"b{arguments.batch}", arguments.precision] + options(arguments))
    try:
        make = make_step if arguments.train else make_run
        run = make(torch, model, inputs_of(arguments.batch), arguments)
        warn_if_not_finite(torch, run, tag)
        processes.append(measure_all(torch, run, arguments))
        latencies = joined(processes)
        graph_latencies = joined(processes, "cuda_graph_latency_seconds")
        trace = f"{tag}.trace.json.gz"
        profile(torch, run, arguments, os.path.join(arguments.output, trace))
        alone = argparse.Namespace(**{**vars(arguments), "processes": 1})
        ddp = (measure_ddp(torch, alone, min(latencies), measure, profile,
                           os.path.join(arguments.output, f"{tag}_ddp.trace.json.gz"))
               if arguments.ddp else None)
    except UserError:
        raise
    except Exception as error:
        raise cannot_run(arguments, error)
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
        "weights": weights,
        "latency_seconds": latencies,
        "cuda_graph_latency_seconds": graph_latencies,
        "processes": processes,
        "fewer_threads": fewer,
        "trace": trace,
        "files": checksums(os.path.join(arguments.output, trace)),
    }
    if ddp:
        record["ddp"] = ddp
    path = os.path.join(arguments.output, f"{tag}.json")
    write_json(path, record)
    print(f"{path}: {describe(processes)}")
    for row in fewer:
        print(f"{path}: with {row['threads']} of {row['instead_of']} threads: "
              f"{describe(row['processes'])}")
    if graph_latencies:
        print(f"{path}: CUDA graph: {describe(processes, 'cuda_graph_latency_seconds')}")
    if ddp and "latency_seconds" in ddp:
        print(f"{path}: DDP, {arguments.ddp} workers: {describe([ddp])}", flush=True)


def release(torch, arguments):
    """Memory of a run, for the next one."""
    gc.collect()
    if arguments.device == "cuda":
        torch.cuda.empty_cache()


def parse_arguments():
    parser = Parser(prog=PROGRAM, description="Profiles a model with PyTorch.", epilog=EPILOG,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", metavar="MODEL", nargs="+")
    parser.add_argument("-o", "--output", metavar="DIR", required=True)
    parser.add_argument("--batch", type=list_of(positive), default=[1], metavar="N[,N...]")
    parser.add_argument("--precision", type=list_of(precision), default=["fp32"],
                        metavar="P[,P...]",
                        help=f"{', '.join(PRECISIONS)}; fp32, the default, turns TF32 off, which "
                             "PyTorch leaves on for convolutions")
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
    parser.add_argument("--ddp-costs", action="store_true", help="with --ddp: only what predicts such a step")
    parser.add_argument("--input-size", type=positive, help="height and width of images")
    parser.add_argument("--sequence", type=positive, default=128, help="tokens (default 128)")
    parser.add_argument("--attention", choices=("eager", "sdpa"),
                        help="of transformers models (default: the library's)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--dim", type=named_extent, action="append", default=[],
                        metavar="NAME=N|INPUT:AXIS=N",
                        help="a dimension that an ONNX file leaves open")
    parser.add_argument("--runs", type=positive,
                        help="of each process; default: 50 and more in all, for --seconds; fewer of a "
                             "slow model")
    parser.add_argument("--seconds", type=float, default=2.0,
                        help="how long to measure (default 2)")
    parser.add_argument("--processes", type=positive,
                        help="how many processes measure the latency, one after the other, and share "
                             f"--seconds; default: {PROCESSES}, fewer if they take long. With one, fewer "
                             "threads of a processor are not tried")
    parser.add_argument("--steps", type=positive, default=1, help="steps in the trace (default 1)")
    parser.add_argument("--no-onnx", action="store_true", help="leave NAME.onnx alone")
    arguments = parser.parse_args()
    if arguments.train and arguments.fold:
        parser.error("--fold is for inference: training keeps batch normalization by itself")
    if arguments.ddp and not arguments.train:
        parser.error("--ddp measures training steps: say --train, too")
    if arguments.ddp_costs and not arguments.ddp:
        parser.error("--ddp-costs: say of how many GPUs with --ddp N")
    if arguments.ddp == 1:
        parser.error("--ddp: two workers or more")
    return arguments


def list_of(kind):
    return lambda text: [kind(part) for part in text.split(",")]


def precision(text):
    if text not in PRECISIONS:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(PRECISIONS)}")
    return text


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
    graph.kept = result, run  # their memory, the weights' too, lives as long as the graph
    return graph.replay


def measure_alone(arguments, threads):
    """What one process measures that does nothing else."""
    import torch

    warnings.filterwarnings("ignore")
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(SEED)
    _, model, inputs_of, _ = load_model(torch, arguments)
    model.eval()
    set_precision(torch, arguments)
    make = make_step if arguments.train else make_run
    try:
        run = make(torch, model, inputs_of(arguments.batch), arguments)
        return measure_all(torch, run, arguments)
    except UserError:
        raise
    except Exception as error:
        raise cannot_run(arguments, error)


def cannot_run(arguments, error):
    return UserError(f"{arguments.model}, batch {arguments.batch}, {arguments.precision}: "
                     f"PyTorch cannot run it: {one_line(error)}")


def measure_all(torch, run, arguments):
    """The runs of this process, and those as a CUDA graph."""
    found = {"latency_seconds": measure(torch, run, arguments)}
    if arguments.cuda_graphs:
        found["cuda_graph_latency_seconds"] = measure(torch, capture(torch, run), arguments)
    return found


def measure(torch, run, arguments):
    """Seconds per run, after a warm-up."""
    wait = waiter(torch, arguments)

    def run_and_wait():
        run()
        wait()

    return timed(run_and_wait, Budget(arguments.seconds, 50, arguments.processes), arguments.runs)


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
            with open(plain, "rb") as source, gzip.open(temporary, "wb", 6) as target:
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


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UserError(f"{path}: cannot make this folder: {error.strerror}")


if __name__ == "__main__":
    run_main(PROGRAM, main)
