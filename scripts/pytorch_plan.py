"""Finds the fastest way in which PyTorch runs a model: what its interface allows, one change at a time.

Each change is tried on top of those that were kept. Both ways run alternately, in rounds; the change
is kept if it is faster in nearly all of them and its results agree with those of the plain run. The
program prints the gains and the lines that make these changes, beside the time of Benanza's plan.
"""

import argparse
import gc
import json
import math
import os
import time
import typing
import warnings

from profile_common import (SEED, Parser, UserError, named_extent, one_line, positive, run_main,
                            write_json)
from profile_processes import fewer_threads, middle
from profile_pytorch import (EPILOG, PRECISIONS, capture, device_name, make_run, set_precision, waiter)
from pytorch_models import load_model

PROGRAM = "pytorch-plan"
SCHEMA = 1
# A change that gains less is not worth a line.
LEAST_GAIN = 0.02
# Of the largest element.
TOLERANCES = {"fp32": 1e-3, "tf32": 1e-2, "fp16": 2e-2, "bf16": 1e-1}


class Change(typing.NamedTuple):
    """`settings`: of the arguments; `lines`: of the user's program."""
    name: str
    settings: dict
    lines: str


CHANNELS_LAST = Change("channels last", {"channels_last": True},
                       "model = model.to(memory_format=torch.channels_last)\n"
                       "x = x.to(memory_format=torch.channels_last)")
FOLD = Change("folded normalization", {"fold": True},
              "model = torch.fx.experimental.optimization.fuse(model.eval())")
GRAPH = Change("CUDA graph", {"graph": True},
               "graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph):  # after three runs\n"
               "    y = model(x)\n# for each input: x.copy_(input); graph.replay()")
CHANGES = {
    "cuda": [GRAPH,
             Change("cuDNN's search", {"cudnn_benchmark": True},
                    "torch.backends.cudnn.benchmark = True"),
             FOLD, CHANNELS_LAST,
             Change("compiled", {"compile": True}, "model = torch.compile(model)")],
    "cpu": [FOLD,
            Change("compiled, weights frozen", {"compile": True, "freeze": True},
                   "torch._inductor.config.freezing = True\nmodel = torch.compile(model)"),
            CHANNELS_LAST],
}


def main():
    arguments = parse_arguments()
    import torch

    if arguments.device == "cuda" and not torch.cuda.is_available():
        raise UserError("PyTorch finds no GPU; --device cpu measures the processor")
    if arguments.device == "cpu" and arguments.precision == "tf32":
        raise UserError("tf32 needs a GPU")
    warnings.filterwarnings("ignore")
    plan_seconds = read_plan(arguments.plan) if arguments.plan else None
    changes = list(CHANGES[arguments.device])
    if arguments.device == "cpu":
        changes += [Change(f"{count} thread{'s' * (count > 1)}", {"threads": count},
                           f"torch.set_num_threads({count})")
                    for count in fewer_threads(torch.get_num_threads())]
        arguments.threads = torch.get_num_threads()
    make = lambda settings: Way(torch, arguments, settings)
    if arguments.output and not os.path.isdir(os.path.dirname(os.path.abspath(arguments.output))):
        raise UserError(f"{arguments.output}: its folder does not exist")
    print(f"{'change':<26} {'before ms':>10} {'after ms':>10} {'gain':>7}", flush=True)
    plain, best, rows = search(make, changes, arguments)
    report(rows, plain, best, plan_seconds)
    if arguments.output:
        write_json(arguments.output, {
            "schema": SCHEMA, "framework": "pytorch", "version": torch.__version__,
            "model": arguments.model, "batch": arguments.batch, "precision": arguments.precision,
            "device": device_name(torch, arguments), "plan_seconds": plan_seconds,
            "plain_seconds": plain.seconds, "seconds": best.seconds, "changes": rows})


class Way:
    """The model with some changes, ready to run."""

    def __init__(self, torch, arguments, settings):
        self.torch = torch
        self.settings = settings
        self.arguments = argparse.Namespace(**{**vars(arguments), **settings})
        self.seconds = None
        self.enter()
        torch.manual_seed(SEED)
        _, model, inputs_of, _ = load_model(torch, arguments)
        inputs = inputs_of(arguments.batch)
        if self.arguments.freeze:
            torch._inductor.config.freezing = True
        self.run = make_run(torch, model.eval(), inputs, self.arguments)
        # Weights are frozen by the first run.
        self.result = [value.detach().float().cpu() for value in tensors(torch, self.run())]
        if self.arguments.freeze:
            torch._inductor.config.freezing = False
        if self.arguments.graph:
            self.run = capture(torch, self.run)

    def enter(self):
        """Settings of the whole process."""
        set_precision(self.torch, self.arguments)
        if self.arguments.threads and self.torch.get_num_threads() != self.arguments.threads:
            self.torch.set_num_threads(self.arguments.threads)

    def round(self, runs):
        """Seconds a run."""
        self.enter()
        wait = waiter(self.torch, self.arguments)
        self.run()
        wait()
        begin = time.perf_counter()
        for _ in range(runs):
            self.run()
            wait()
        return (time.perf_counter() - begin) / runs

    def differs_from(self, other):
        """The largest difference, relative to the largest element; None if it is tolerated."""
        most = 0.0
        for mine, its in zip(self.result, other.result, strict=True):
            scale = max(its.abs().max().item(), 1e-30)
            most = max(most, (mine - its).abs().max().item() / scale)
        return most if not most <= TOLERANCES[self.arguments.precision] else None


def tensors(torch, result):
    """The tensors of floats among what a model returns."""
    if isinstance(result, torch.Tensor):
        return [result] if result.is_floating_point() and result.numel() else []
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [tensor for one in result for tensor in tensors(torch, one)]
    return []


def search(make, changes, arguments):
    """The plain way and the fastest, timed side by side, and a row for each change."""
    plain = best = make({})
    rows = []
    for change in changes:
        row = {"change": change.name, "kept": False, "lines": change.lines}
        rows.append(row)
        best = attempt(make, change, row, plain, best, arguments)
        print(row_text(row), flush=True)
        gc.collect()
    before, after = compare(plain, best, arguments)
    # The first comparison is of the plain way, too, before others took memory and started processes.
    first = rows[0].get("before_seconds", math.inf) if rows else math.inf
    plain.seconds, best.seconds = min(first, middle(before)), middle(after)
    return plain, best, rows


def attempt(make, change, row, plain, best, arguments):
    """The faster of the best way and that with the change, as the row then says."""
    try:
        way = make({**best.settings, **change.settings})
    except Exception as error:
        row["reason"] = str(error) if isinstance(error, UserError) else one_line(error)
        return best
    difference = way.differs_from(plain)
    if difference is not None:
        row["reason"] = f"its results differ by {difference:.1g} of the largest element"
        return best
    before, after = compare(best, way, arguments)
    row.update(before_seconds=middle(before), after_seconds=middle(after), kept=is_faster(before, after))
    return way if row["kept"] else best


def compare(one, other, arguments):
    """Seconds a run of both, by rounds."""
    runs = max(1, int(arguments.seconds / (2 * arguments.rounds * max(one.round(1), 1e-6))))
    other.round(1)
    pairs = [(one.round(runs), other.round(runs)) for _ in range(arguments.rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def is_faster(before, after):
    """In four of five rounds, which chance alone makes of 15 in 2% of cases, and by enough."""
    won = sum(b > a for b, a in zip(before, after))
    return won >= math.ceil(0.8 * len(before)) and middle(after) < (1 - LEAST_GAIN) * middle(before)


def row_text(row):
    if "after_seconds" not in row:
        return f"{row['change']:<26} not possible: {row['reason']}"
    gain = 1 - row["after_seconds"] / row["before_seconds"]
    return (f"{row['change']:<26} {1e3 * row['before_seconds']:10.3f} {1e3 * row['after_seconds']:10.3f} "
            f"{100 * gain:6.1f}%{'  kept' if row['kept'] else ''}")


def report(rows, plain, best, plan_seconds):
    print(f"\nPyTorch: {1e3 * plain.seconds:.3f} ms before, {1e3 * best.seconds:.3f} ms with what was kept"
          + (f"; Benanza's plan: {1e3 * plan_seconds:.3f} ms" if plan_seconds else ""))
    kept = [row for row in rows if row["kept"]]
    for row in kept:
        print(row["lines"])


def read_plan(path):
    """The median of a run of bench_plan, in seconds; of several, the fastest."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    times = {}
    try:
        with open(path, encoding="utf-8") as file:
            for row in json.load(file)["benchmarks"]:
                if row["run_type"] == "iteration" and row["name"].startswith("plan/"):
                    times.setdefault(row["run_name"], []).append(row["real_time"] * units[row["time_unit"]])
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        times = {}
    if not times:
        raise UserError(f"{path}: no run of bench_plan (its --benchmark_out)")
    return min(middle(values) for values in times.values())


def some_seconds(text):
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError
    return value


def parse_arguments():
    parser = Parser(prog=PROGRAM, description=__doc__.partition("\n")[0], epilog=EPILOG,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--batch", type=positive, default=1, metavar="N")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--plan", metavar="RUN", help="what bench_plan wrote, to compare with")
    parser.add_argument("-o", "--output", metavar="FILE", help="write all this as JSON")
    parser.add_argument("--rounds", type=positive, default=15,
                        help="in which both ways run alternately (default: %(default)s)")
    parser.add_argument("--seconds", type=some_seconds, default=4.0,
                        help="of measuring for each change (default: %(default)s)")
    parser.add_argument("--input-size", type=positive, help="height and width of images")
    parser.add_argument("--sequence", type=positive, default=128, help="tokens (default 128)")
    parser.add_argument("--attention", choices=("eager", "sdpa"),
                        help="of transformers models (default: the library's)")
    parser.add_argument("--dim", type=named_extent, action="append", default=[],
                        metavar="NAME=N|INPUT:AXIS=N",
                        help="a dimension that an ONNX file leaves open")
    parser.set_defaults(channels_last=False, cudnn_benchmark=False, fold=False, compile=False,
                        freeze=False, graph=False, threads=None)
    return parser.parse_args()


if __name__ == "__main__":
    run_main(PROGRAM, main)
