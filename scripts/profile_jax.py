"""Profiles a function of JAX: latency, a trace of its profiler, and XLA's text of the program."""

import argparse
import glob
import os
import shutil
import tempfile

import jax
import jax.profiler

from profile_common import (Parser, UserError, checksums, load_module, one_line, positive, processor_name,
                            replacing, run_main, write_json)
from profile_processes import PROCESSES, Budget, describe, in_fresh_process, joined, timed

PROGRAM = "profile-jax"
EPILOG = """\
FILE.py defines model(batch), which returns a function and the list of its arguments:

    def model(batch):
        weights = jax.random.normal(jax.random.PRNGKey(0), (64, 10))
        return lambda x: x @ weights, [jax.numpy.ones((batch, 64))]

It is compiled with jax.jit. Three files are written: NAME.json for `benanza-analyze --profile`,
NAME.trace.json.gz (jax.profiler) and NAME.hlo.txt (the compiled program, with its shapes).
"""


def load_model(path, batch):
    try:
        module = load_module(path)
    except (OSError, AttributeError, ImportError, SyntaxError) as error:
        raise UserError(f"{path}: cannot be loaded: {one_line(error)}")
    if not hasattr(module, "model"):
        raise UserError(f"{path}: defines no model(batch); --help shows one")
    try:
        function, arguments = module.model(batch)
        return function, list(arguments)
    except Exception as error:  # Whatever the user's code throws.
        raise UserError(f"{path}: model({batch}) fails: {one_line(error)}")


def compile_model(path, function, arguments):
    try:
        return jax.jit(function).lower(*arguments).compile()
    except Exception as error:
        raise UserError(f"{path}: JAX cannot compile it: {one_line(error)}")


def measure(compiled, arguments, options):
    """The runs of this process."""
    budget = Budget(seconds=1, runs=30, processes=options.processes)
    return {"latency_seconds": timed(lambda: jax.block_until_ready(compiled(*arguments)), budget,
                                     options.runs)}


def measure_alone(options):
    """What one process measures that does nothing else."""
    function, arguments = load_model(options.file, options.batch)
    return measure(compile_model(options.file, function, arguments), arguments, options)


def trace(compiled, arguments, steps, path):
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for step in range(steps):
                with jax.profiler.StepTraceAnnotation("step", step_num=step):
                    jax.block_until_ready(compiled(*arguments))
        files = glob.glob(os.path.join(folder, "**", "*.trace.json.gz"), recursive=True)
        if len(files) != 1:
            raise UserError(f"JAX {jax.__version__} wrote {len(files)} traces, not one")
        with replacing(path) as temporary:
            shutil.copyfile(files[0], temporary)


def device_name():
    device = jax.devices()[0]
    if device.platform == "cpu":
        return processor_name()
    return device.device_kind


def write_text(path, text):
    with replacing(path) as temporary:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = Parser(prog=PROGRAM, description="Profiles a model with JAX.", epilog=EPILOG,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.py")
    parser.add_argument("--batch", type=positive, default=1)
    parser.add_argument("--runs", type=positive,
                        help="of each process, timed without the profiler; default: 30 and more in all, "
                             "for a second")
    parser.add_argument("--processes", type=positive, default=PROCESSES,
                        help="how many processes measure the latency, one after the other; default: "
                             "%(default)s")
    parser.add_argument("--steps", type=positive, default=5, help="traced")
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "fp16", "bf16"],
                        help="of the products, as the model has it; JAX's own default for fp32 on "
                             "a GPU is tf32")
    parser.add_argument("-o", "--out", default=".", metavar="DIR")
    options = parser.parse_args()

    name = os.path.splitext(os.path.basename(options.file))[0]
    # Before this process holds the device.
    processes = [in_fresh_process(measure_alone, options) for _ in range(options.processes - 1)]
    function, arguments = load_model(options.file, options.batch)
    compiled = compile_model(options.file, function, arguments)
    os.makedirs(options.out, exist_ok=True)
    base = os.path.join(options.out, name)
    write_text(base + ".hlo.txt", compiled.as_text())
    processes.append(measure(compiled, arguments, options))
    trace(compiled, arguments, options.steps, base + ".trace.json.gz")
    write_json(base + ".json", {
        "schema": 1,
        "framework": "jax",
        "version": jax.__version__,
        "model": name,
        "batch": options.batch,
        "precision": options.precision,
        "device": device_name(),
        "latency_seconds": joined(processes),
        "processes": processes,
        "hlo": name + ".hlo.txt",
        "trace": name + ".trace.json.gz",
        "files": checksums(base + ".hlo.txt", base + ".trace.json.gz"),
    })
    print(f"{base}.json: {describe(processes)}")


if __name__ == "__main__":
    run_main(PROGRAM, main)
