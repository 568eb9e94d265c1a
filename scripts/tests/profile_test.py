#!/usr/bin/env python3
"""Latencies in several processes: scripts/profile_processes.py, and the scripts of ONNX Runtime and PyTorch
with fakes of both.

usage: profile_test.py SOURCE_DIR
"""
import contextlib
import gc
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest
import weakref
from unittest import mock

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts"))

from profile_common import UserError, load_module
from profile_processes import (Budget, all_but_one, describe, fewer_threads, in_fresh_process, in_turn,
                               joined, timed, with_fewer_threads)

# Every process writes its number and its threads.
FAKE = """\
import json, os, time
__version__ = "0.1"


class SessionOptions:
    enable_profiling = False


class ExecutionMode:
    ORT_SEQUENTIAL = 0


def get_available_providers():
    return ["CPUExecutionProvider"]


class InferenceSession:
    def __init__(self, path, options, providers):
        self.options, self.runs = options, 0
        assert os.path.getsize(path) > 0
        if os.environ.get("REFUSES"):
            raise RuntimeError("no such operator")
        with open(os.environ["LOG"], "a") as log:
            print(os.getpid(), options.intra_op_num_threads, int(options.enable_profiling), file=log)

    def run(self, names, feeds):
        self.runs += 1
        if os.environ.get("DIES") and not self.options.enable_profiling:
            os._exit(9)
        time.sleep(0.001)
        return [feeds["x"]]

    def end_profiling(self):
        path = self.options.profile_file_prefix + ".json"
        events = []
        for run in range(self.runs):
            events.append({"cat": "Session", "name": "model_run", "ts": 100 * run, "dur": 90})
            events.append({"cat": "Node", "name": "r_kernel_time", "ts": 100 * run + 1, "dur": 80,
                           "args": {"op_name": "Relu", "node_index": "0"}})
        with open(path, "w") as file:
            json.dump(events, file)
        return path
"""


def number():
    return os.getpid()


def doubled(value):
    return 2 * value


def refuses():
    raise UserError("one line")


def fails():
    raise ValueError("two\nlines")


def dies():
    os._exit(3)


class Processes(unittest.TestCase):
    def test_each_is_a_new_one(self):
        numbers = {in_fresh_process(number) for _ in range(3)} | {os.getpid()}
        self.assertEqual(len(numbers), 4)
        self.assertEqual(in_fresh_process(doubled, 21), 42)

    def test_errors_are_one_line(self):
        for function, says in ((refuses, "^one line$"), (fails, "^ValueError: two lines$"),
                               (dies, "status 3")):
            with self.assertRaisesRegex(UserError, says):
                in_fresh_process(function)

    def test_several_share_the_time_of_one(self):
        one = Budget(seconds=3, runs=30, processes=1)
        self.assertEqual((one.seconds, one.runs, one.warm_up_seconds), (3, 30, 1))
        five = Budget(seconds=3, runs=30, processes=5)
        self.assertEqual((five.seconds, five.runs, five.warm_up_seconds), (0.6, 10, 0.2))
        # Each measures a few runs, however many there are.
        self.assertEqual(Budget(seconds=3, runs=30, processes=100).runs, 10)

    def test_fewer_processes_if_they_take_long(self):
        self.assertEqual(all_but_one(3, lambda: 7), [7, 7])
        self.assertEqual(all_but_one(1, lambda: 7), [])
        self.assertEqual(all_but_one(None, lambda: 7), 4 * [7])
        self.assertEqual(in_turn(4, 0, lambda: time.sleep(0.001)), [None])
        self.assertEqual(in_turn(4, 60, lambda: 7), 4 * [7])
        self.assertEqual(Budget(seconds=3, runs=30, processes=None).seconds, 0.6)

    def test_runs_that_are_asked_for(self):
        count = []
        samples = timed(lambda: count.append(1), Budget(3, 30, 5), runs=4)
        self.assertEqual((len(samples), len(count)), (4, 6))
        self.assertGreaterEqual(len(timed(lambda: None, Budget(0.01, 30, 5))), 10)

    def test_fewer_threads(self):
        self.assertEqual(fewer_threads(8), [4, 1])
        self.assertEqual(fewer_threads(3), [1])
        self.assertEqual(fewer_threads(2), [1])
        self.assertEqual(fewer_threads(1), [])
        rows = with_fewer_threads(4, lambda threads: {"latency_seconds": [threads]})
        self.assertEqual([(row["threads"], row["instead_of"], row["processes"]) for row in rows],
                         [(2, 4, 3 * [{"latency_seconds": [2]}]), (1, 4, 3 * [{"latency_seconds": [1]}])])

    def test_what_is_said(self):
        processes = [{"latency_seconds": [1e-3, 3e-3, 2e-3]}, {"latency_seconds": [4e-3, 5e-3]}]
        self.assertEqual(describe(processes), "2.000, 4.500 ms (medians of 2 processes)")
        self.assertEqual(describe(processes[:1]), "2.000 ms (median of 3 runs)")
        self.assertEqual(joined(processes), [1e-3, 3e-3, 2e-3, 4e-3, 5e-3])
        self.assertIsNone(joined(processes, "cuda_graph_latency_seconds"))


@unittest.skipIf(any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx")),
                 "no numpy with onnx")
class OnnxRuntime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "onnxruntime.py").write_text(FAKE)
        import onnx
        from onnx import helper

        kind = onnx.TensorProto.FLOAT
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="r")], "g",
                                  [helper.make_tensor_value_info("x", kind, [1, 4])],
                                  [helper.make_tensor_value_info("y", kind, [1, 4])])
        onnx.save(helper.make_model(graph), self.folder / "m.onnx")

    def profile(self, *flags, **variables):
        return subprocess.run(
            [sys.executable, SOURCE / "scripts/profile_onnxruntime.py", self.folder / "m.onnx",
             "--runs", "3", "-o", self.folder / "p.json", *flags],
            capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(self.folder), "LOG": str(self.folder / "log"),
                 **variables})

    def sessions(self):
        lines = (self.folder / "log").read_text().splitlines()
        return [tuple(int(word) for word in line.split()) for line in lines]

    def test_five_processes_and_three_of_one_thread(self):
        finished = self.profile("--threads", "2")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        sessions = self.sessions()
        self.assertEqual(len({process for process, _, _ in sessions}), 9)
        self.assertEqual([row[1:] for row in sessions], [(2, 1)] + 5 * [(2, 0)] + 3 * [(1, 0)])
        record = json.loads((self.folder / "p.json").read_text())
        self.assertEqual([len(one["latency_seconds"]) for one in record["processes"]], 5 * [3])
        self.assertEqual(record["latency_seconds"],
                         [run for one in record["processes"] for run in one["latency_seconds"]])
        self.assertEqual([(row["threads"], row["instead_of"], len(row["processes"]))
                          for row in record["fewer_threads"]], [(1, 2, 3)])
        self.assertRegex(finished.stdout, "(?m)medians of 5 processes\\)$")
        self.assertRegex(finished.stdout, "with 1 of 2 threads: .* \\(medians of 3 processes\\)")

    def test_one_process(self):
        finished = self.profile("--threads", "2", "--processes", "1")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertEqual([row[1:] for row in self.sessions()], [(2, 1), (2, 0)])
        record = json.loads((self.folder / "p.json").read_text())
        self.assertEqual((len(record["processes"]), record["fewer_threads"]), (1, []))
        self.assertIn("median of 3 runs", finished.stdout)

    def test_a_process_that_ends_and_a_model_that_is_refused(self):
        for variable, says in (("DIES", "a process that measures ended with status 9"),
                               ("REFUSES", "ONNX Runtime refuses it: RuntimeError: no such operator")):
            finished = self.profile(**{variable: "1"})
            self.assertEqual((finished.returncode, finished.stdout), (1, ""))
            self.assertRegex(finished.stderr, f"^profile-onnxruntime: .*{says}\n$")
            self.assertFalse((self.folder / "p.json").exists())


class PyTorch(unittest.TestCase):
    """scripts/profile_pytorch.py without PyTorch: a fake that counts."""

    def profile(self, *flags):
        import profile_pytorch

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.threads, self.runs = [], 0

        def run():
            self.runs += 1

        torch = types.SimpleNamespace(
            __version__="0.1", version=types.SimpleNamespace(cuda=None), manual_seed=lambda seed: None,
            get_num_threads=lambda: 4, set_num_threads=self.threads.append)
        model = types.SimpleNamespace(eval=lambda: None)
        fakes = {"in_fresh_process": lambda function, *arguments: function(*arguments),
                 "load_model": lambda torch, arguments: ("m", model, lambda batch: (), "random"),
                 "make_run": lambda *arguments: run, "set_precision": lambda *arguments: None,
                 "warn_if_not_finite": lambda *arguments: None, "profile": lambda torch, run, arguments, path: pathlib.Path(path).write_bytes(b"")}
        command = ["profile-pytorch", "m", "--device", "cpu", "--runs", "2", "--no-onnx", "-o",
                   folder.name, *flags]
        with mock.patch.multiple(profile_pytorch, **fakes), mock.patch.object(sys, "argv", command), \
                mock.patch.dict(sys.modules, torch=torch), contextlib.redirect_stdout(io.StringIO()):
            arguments = profile_pytorch.parse_arguments()
            for name, value in (("model", "m"), ("batch", 1), ("precision", "fp32")):
                setattr(arguments, name, value)
            profile_pytorch.profile_model(torch, arguments, set())
        return json.loads(pathlib.Path(folder.name, "m_b1_fp32_cpu.json").read_text())

    def test_five_processes_and_three_with_fewer_threads(self):
        record = self.profile()
        self.assertEqual([len(one["latency_seconds"]) for one in record["processes"]], 5 * [2])
        self.assertEqual(len(record["latency_seconds"]), 10)
        self.assertIsNone(record["cuda_graph_latency_seconds"])
        self.assertEqual([(row["threads"], row["instead_of"], len(row["processes"]))
                          for row in record["fewer_threads"]], [(2, 4, 3), (1, 4, 3)])
        self.assertEqual(self.threads, [2, 2, 2, 1, 1, 1])
        self.assertEqual(self.runs, 11 * (2 + 2))  # with two to warm up

    def test_one_process(self):
        record = self.profile("--processes", "1")
        self.assertEqual((len(record["processes"]), record["fewer_threads"], self.threads), (1, [], []))


class Capture(unittest.TestCase):
    """A CUDA graph reads the weights where they were: they must not be freed before it."""

    def test_the_graph_keeps_the_run_and_its_result(self):
        import profile_pytorch

        class Graph:
            def replay(self):
                pass

        class Kept:
            pass

        weights = Kept()
        results = []

        def run(weights=weights):
            results.append(weakref.ref(made := Kept()))
            return made

        stream = mock.MagicMock()
        torch = types.SimpleNamespace(cuda=mock.MagicMock(CUDAGraph=Graph, current_stream=stream))
        of_weights = weakref.ref(weights)
        replay = profile_pytorch.capture(torch, run)
        del run, weights
        gc.collect()
        self.assertIsNotNone(of_weights())
        self.assertIsNotNone(results[-1]())
        self.assertTrue(callable(replay))


class ModelFiles(unittest.TestCase):
    """Dataclasses look for their module by its name, as torch.compile does."""

    def test_a_file_is_a_module_that_shadows_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "json.py")
            path.write_text("from __future__ import annotations\nimport dataclasses\n\n"
                            "@dataclasses.dataclass\nclass Size:\n    rows: int = 3\n")
            self.assertEqual(load_module(path).Size().rows, 3)
            self.assertIs(sys.modules["json"], json)


class WhichOnnxRuntime(unittest.TestCase):
    """scripts/onnxruntime_environment.sh."""

    def python_of(self, version):
        """The interpreter that runs a script, where python3 has that version of ONNX Runtime."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        modules = pathlib.Path(folder.name)
        for name in ("numpy", "onnx", "onnxruntime"):
            (modules / f"{name}.py").write_text(f"__version__ = '{version}'\n")
        script = f"""source {SOURCE}/scripts/onnxruntime_environment.sh
make_environment() {{ echo made >&2; exit 1; }}
run_with_onnxruntime me profile_onnxruntime.py --help"""
        return subprocess.run(["bash", "-c", script], text=True, capture_output=True, check=False,
                              env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": folder.name,
                                   "BENANZA_VENV": f"{folder.name}/none"})

    def test_one_that_is_there(self):
        found = self.python_of("1.20.0")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("usage:", found.stdout)

    def test_one_that_is_too_old(self):
        found = self.python_of("1.19.2")
        self.assertEqual((found.returncode, found.stderr), (1, "made\n"))


class PyTorchPlan(unittest.TestCase):
    """scripts/pytorch_plan.py without PyTorch: ways that take given times."""

    def search(self, seconds, refused=()):
        import pytorch_plan

        class Way:
            def __init__(self, settings):
                if refused and set(refused) & set(settings):
                    raise pytorch_plan.UserError("cannot be captured")
                self.settings, self.seconds = settings, None

            def differs_from(self, other):
                return 0.5 if "wrong" in self.settings else None

            def round(self, runs):
                return seconds(self.settings)

        changes = [pytorch_plan.Change(name, {name: True}, f"{name}()") for name in ("graph", "fold", "wrong")]
        return pytorch_plan.search(Way, changes, types.SimpleNamespace(rounds=5, seconds=0.0))

    def test_changes_are_kept_on_top_of_each_other(self):
        plain, best, rows = self.search(lambda settings: 4.0 / (1 + len(settings)))
        self.assertEqual([(row["change"], row["kept"]) for row in rows],
                         [("graph", True), ("fold", True), ("wrong", False)])
        self.assertEqual((best.settings, best.seconds), ({"graph": True, "fold": True}, 4.0 / 3))
        self.assertEqual((rows[1]["before_seconds"], rows[1]["after_seconds"]), (2.0, 4.0 / 3))
        self.assertEqual(rows[2]["reason"], "its results differ by 0.5 of the largest element")

    def test_what_gains_little_or_fails_is_not(self):
        plain, best, rows = self.search(lambda settings: 0.99 if settings else 1.0, refused=["graph"])
        self.assertEqual([row["kept"] for row in rows], 3 * [False])
        self.assertEqual(rows[0]["reason"], "cannot be captured")
        self.assertEqual((best.settings, best.seconds), ({}, 1.0))

    def test_four_of_five_rounds(self):
        import pytorch_plan

        self.assertTrue(pytorch_plan.is_faster([5, 5, 5, 5, 5], [4, 4, 4, 4, 9]))
        self.assertFalse(pytorch_plan.is_faster([5, 5, 5, 5, 5], [4, 4, 4, 9, 9]))

    def test_report_and_plan(self):
        import pytorch_plan

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            rows = [{"run_type": "iteration", "name": "plan/m_b1/fp32/manual_time", "run_name": name,
                     "real_time": value, "time_unit": "ms"}
                    for name, value in (("a", 3.0), ("a", 4.0), ("a", 9.0), ("a/branches", 3.5))]
            path.write_text(json.dumps({"benchmarks": rows}))
            self.assertAlmostEqual(pytorch_plan.read_plan(path), 3.5e-3)
            path.write_text("{}")
            with self.assertRaisesRegex(pytorch_plan.UserError, "run.json: no run of bench_plan"):
                pytorch_plan.read_plan(path)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            plain, best, rows = self.search(lambda settings: 4e-3 / (1 + len(settings)))
            pytorch_plan.report(rows, plain, best, 1e-3)
        text = out.getvalue()
        self.assertRegex(text, r"graph +4\.000 +2\.000 +50\.0%  kept\n")
        self.assertIn("PyTorch: 4.000 ms before, 1.333 ms with what was kept; Benanza's plan: 1.000 ms\n"
                      "graph()\nfold()\n", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
