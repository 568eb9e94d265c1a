"""best-plan: rounds, what is kept, failures. With programs that only pretend."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))

# Notes its arguments; writes what --out, -o or --benchmark_out= names.
PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(os.environ["FOLDER"])
with open(folder / "calls", "a") as calls:
    calls.write(" ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]) + "\\n")
times = json.loads((folder / "times").read_text())
for index, word in enumerate(sys.argv):
    if word in ("--out", "-o"):
        pathlib.Path(sys.argv[index + 1]).write_text(word)
    if word.startswith("--benchmark_out="):
        print("Running it", file=sys.stderr)
        print("7 tensors agree in", len(times), file=sys.stderr)
        if not times:
            sys.exit("no call")
        row = {"run_type": "iteration", "real_time": times.pop(0)}
        (folder / "times").write_text(json.dumps(times))
        parallel = dict(row, real_time=0.1, branches=1)
        pathlib.Path(word.split("=", 1)[1]).write_text(json.dumps({"benchmarks": [row, parallel]}))
"""


class BestPlan(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        scripts = self.folder / "scripts"
        scripts.mkdir()
        shutil.copy(ROOT / "scripts" / "best-plan", scripts)
        for name in ("scripts/plan-values", "benanza-analyze", "bench_plan", "bench_plan_nvidia"):
            program = self.folder / name
            program.write_text(PROGRAM)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def run_it(self, times, *more):
        (self.folder / "times").write_text(json.dumps(times))
        (self.folder / "calls").write_text("")
        result = subprocess.run(
            [self.folder / "scripts/best-plan", "m.onnx", "--graph", "m.graph.json", "--results", "r",
             "--precision", "fp32", "--batch", "1", "--programs", self.folder, "--out", self.folder / "m", *more],
            env=dict(os.environ, FOLDER=str(self.folder)), capture_output=True, text=True)
        self.calls = (self.folder / "calls").read_text().splitlines()
        return result

    def left(self):
        return sorted(path.name for path in self.folder.glob("m*"))

    def time(self):
        return json.loads((self.folder / "m.run.json").read_text())["benchmarks"][0]["real_time"]

    def test_keeps_the_fastest_of_three(self):
        result = self.run_it([5, 3, 4])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.left(), ["m.json", "m.run.json"])
        self.assertEqual(self.time(), 3)
        self.assertEqual(result.stderr, "7 tensors agree in 2\n", "of the plan that is kept")
        plans = [call for call in self.calls if call.startswith("benanza-analyze")]
        self.assertNotIn("--plan=", plans[0])
        self.assertTrue(plans[2].endswith(f"--plan={self.folder}/m.round1.run.json "
                                          f"--plan={self.folder}/m.round2.run.json"), plans[2])

    def test_unchecked_plans_need_no_values(self):
        self.assertEqual(self.run_it([5, 3, 4], "--unchecked").returncode, 0)
        self.assertEqual(self.time(), 3)
        self.assertNotIn("plan-values", " ".join(self.calls))
        self.assertNotIn("--values", " ".join(self.calls))

    def test_of_equally_fast_plans_the_last_is_kept(self):
        self.assertEqual(self.run_it([300, 302, 304]).returncode, 0)
        self.assertEqual(self.time(), 302, "its prediction knows of a run")

    def test_a_plan_on_a_gpu_expects_the_gaps_of_other_plans(self):
        for name in ("a.run.json", "b.run.json", "a.json", "m.run.json", "m.old.run.json"):
            (self.folder / name).write_text("{}")
        gpu = ["--runner", "bench_plan_nvidia"]
        self.assertEqual(self.run_it([5], *gpu).returncode, 0)
        self.assertTrue(self.calls[0].endswith(f"--gaps={self.folder}/a.run.json --gaps={self.folder}/b.run.json"),
                        self.calls[0])
        # Runs on another device.
        refusing = self.folder / "benanza-analyze"
        refusing.write_text(refusing.read_text() + "\nsys.exit(any('--gaps' in word for word in sys.argv))\n")
        self.assertEqual(self.run_it([5], *gpu).returncode, 0)
        self.assertIn("--gaps", self.calls[0])
        self.assertNotIn("--gaps", self.calls[1])
        self.assertEqual(self.run_it([5, 4, 3]).returncode, 0)
        self.assertNotIn("--gaps", " ".join(self.calls), "a processor's plans know of their own runs")

    def test_a_plan_on_a_gpu_is_made_once_unless_told_otherwise(self):
        self.assertEqual(self.run_it([5, 3], "--runner", "bench_plan_nvidia").returncode, 0)
        self.assertEqual(self.time(), 5)
        self.assertEqual(self.run_it([5, 3], "--runner", "bench_plan_nvidia", "--rounds=2").returncode, 0)
        self.assertEqual(self.time(), 3)

    def test_no_rounds_are_refused(self):
        for rounds in ("0", "-1"):
            result = self.run_it([5], "--rounds", rounds)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"--rounds {rounds}: at least 1", result.stderr)

    def test_keeps_what_ran_before_a_failure(self):
        result = self.run_it([5])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no call", result.stderr)
        self.assertEqual(self.time(), 5)

    def test_fails_without_any_run(self):
        self.assertEqual(self.run_it([]).returncode, 1)
        self.assertEqual(self.left(), [])

    def test_a_missing_program_is_named(self):
        (self.folder / "bench_plan").unlink()
        result = self.run_it([1])
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "^best-plan: .*/bench_plan: No such file or directory\n$")
        self.assertEqual(self.left(), [])

    def test_ctrl_c_is_one_line_and_leaves_nothing(self):
        (self.folder / "bench_plan").write_text("#!/bin/sh\nkill -INT $PPID\nsleep 5\n")
        result = self.run_it([1])
        self.assertEqual(result.returncode, 130)
        self.assertEqual(result.stderr, "best-plan: interrupted\n")
        self.assertEqual(self.left(), [])

    def test_passes_flags_on(self):
        self.run_it([1, 1, 1], "--dim", "n=4", "--input", "x=1", "--backend", "onednn")
        self.assertIn("--backend=onednn", self.calls[0])
        self.assertTrue(self.calls[1].endswith("--dim=n=4 --input=x=1"), self.calls[1])


if __name__ == "__main__":
    unittest.main()
