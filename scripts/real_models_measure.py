"""A model's floor and bounds by oneDNN beside ONNX Runtime's latency, one thread each."""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time

from onnx_models import make_inputs, taken_inputs
from profile_common import UserError
from profile_onnxruntime import CPU
from profile_onnxruntime import measure as measure_process
from profile_processes import in_fresh_process, middle
from real_models_shapes import bound_model

SUITE, ANALYSIS = PROGRAMS = ("bench_onednn", "benanza-analyze")
# What oneDNN is measured with, one after the other; ONNX Runtime runs before, between and after them.
PASSES = ("best", "all")
SECONDS_TO_END = 15
SAMPLING = ("--benchmark_repetitions=3", "--processes=3", "--budget=0.01")


class Times:
    """Seconds. `lower`: the fused bound's, less what its interval allows."""

    def __init__(self, answer, latency, remarks):
        bounds, ladder = answer["bounds"]["sequential"], answer["ladder"]
        spread = bounds["spread_seconds"]
        self.sequential = bounds["seconds"]
        self.floor = ladder["floor"]["seconds"]
        self.fused = ladder["fused_seconds"]
        share = spread[0] / self.sequential if spread and self.sequential else 1
        self.lower = self.fused * share
        self.latency = latency
        self.partial = answer["partial"]
        self.unpacked = "unpacked_weights" in answer
        self.unsupported = answer["coverage"]["unsupported"]["layers"]
        self.remarks = remarks

    def undercut(self):
        return [text for text, seconds in (("floor above ORT", self.floor),
                                           ("bound with fusion above ORT", self.lower))
                if seconds is not None and seconds > self.latency]

    def flags(self):
        complete = "complete although something is left out"
        return self.undercut() + ([complete] if self.unsupported and not self.partial else []) + (
            ["partial"] if self.partial else []) + (["weights unpacked"] if self.unpacked else [])


def measure(path, flags, flow, graph_file, folder, arguments):
    programs, seconds = arguments.bin, arguments.time
    results = os.path.join(folder, "results")
    os.makedirs(results, exist_ok=True)
    remarks, begin = [], time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.onnx")
        feeds = in_fresh_process(prepare, path, flags, flow, model)
        try:
            medians = [latency(path, model, feeds)]
        except UserError:  # with its extents, but perhaps not without them
            model = path
            medians = [latency(path, model, feeds)]
        for number, algorithms in enumerate(PASSES, 1):
            left = seconds * number / len(PASSES) - (time.monotonic() - begin)
            remarks += run_suite(graph_file, results, algorithms, programs, max(left, 1))
            medians.append(latency(path, model, feeds))
    if not any(name.endswith(".json") for name in os.listdir(results)):
        raise UserError(f"not measured: --time {seconds:.0f} is too short to measure any call: give a larger one")
    return Times(bound(graph_file, results, programs), min(medians), remarks)


def prepare(path, flags, flow, target):
    """Writes the model with its extents into `target` and returns its inputs."""
    import numpy
    import onnx

    model, absent = bound_model(onnx, path, flags, flow)
    if absent:
        raise UserError("not measured: its weights are absent")
    onnx.save_model(model, target, save_as_external_data=True, location="model.data")
    return make_inputs(onnx, numpy, model, {**taken_inputs(flow), **dict(flags.input)}, lambda text: None)


def latency(path, model, feeds):
    """The median of a process of ONNX Runtime."""
    arguments = argparse.Namespace(model=path, threads=1, provider=CPU, processes=len(PASSES) + 1, runs=None)
    return middle(in_fresh_process(measure_process, model, feeds, arguments)["latency_seconds"])


def run_suite(graph_file, results, algorithms, programs, seconds):
    """Remarks: the time was too short, or rows are incorrect. What was measured counts."""
    out = os.path.join(results, f"{algorithms}.json")
    command = [os.path.join(programs, SUITE), f"--graph={graph_file}", f"--algorithms={algorithms}",
               "--precision=fp32", *SAMPLING, f"--benchmark_out={out}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}) as suite:
        try:
            _, said = suite.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            stop(suite)
            return [f"measuring \"{algorithms}\" was stopped after {seconds:.0f} s: more with --time"]
        except BaseException:
            os.killpg(suite.pid, signal.SIGKILL)  # it has processes of its own
            raise
    if suite.returncode == 0:
        return []
    failed = f"{SUITE}: {last_line(said, suite.returncode)}"
    if not os.path.exists(out):
        raise UserError(f"not measured: {failed}")
    return [failed]


def stop(suite):
    """It ends after the current call and writes what it has; or it is killed, and leaves its journal."""
    os.killpg(suite.pid, signal.SIGTERM)
    try:
        suite.communicate(timeout=SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(suite.pid, signal.SIGKILL)


def bound(graph_file, results, programs):
    command = [os.path.join(programs, ANALYSIS), "bound", "--graph", graph_file, "--results", results,
               "--precision", "fp32", "--allow-missing", "--format", "json"]
    finished = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    try:
        return json.loads(finished.stdout)["reports"][0]
    except (ValueError, LookupError):
        said = last_line(finished.stderr, finished.returncode)
        raise UserError(f"not measured: {ANALYSIS}: {said}")


def last_line(said, status):
    lines = said.strip().splitlines()
    return lines[-1] if lines else f"status {status}"
