#!/usr/bin/env python3
"""docs/examples: the jobs' commands have the flags that they use, and the notebook the columns that there are.

usage: examples_test.py SOURCE_DIR PROGRAMS
"""
import contextlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAMS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
EXAMPLES = SOURCE / "docs/examples"
ROW = ('{{"name": "relu/1x8/{precision}/nchw/onednn/{algorithm}", "run_type": "iteration", "status": "ok", '
       '"repetition_index": {repetition}, "process": {repetition}, "iterations": 1, "real_time": 1, "cpu_time": 1, '
       '"time_unit": "us", "heuristic_rank": {rank}, "FLOPs": 8, "samples": [{seconds}]}}')
RESULTS = ('{{"context": {{"benanza": {{"schema": 1, "backend": "onednn", "system": {{"onednn_version": "3.2", '
           '"cpu_model": "a CPU"}}}}}}, "benchmarks": [{rows}]}}')


def results():
    """Two algorithms, of which the library prefers the slower one, at two precisions, by two processes."""
    rows = [ROW.format(precision=precision, algorithm=algorithm, repetition=repetition, rank=rank, seconds=seconds)
            for precision in ("fp32", "bf16") for algorithm, rank, seconds in (("jit", 2, 1e-6), ("brg", 1, 3e-6))
            for repetition in (1, 2)]
    return RESULTS.format(rows=",\n".join(rows))


def commands(text):
    """[(program, flags)] of this project's programs in a job."""
    text = re.sub(r"\\?\n +(--)", r" \1", text)
    return [(found[1], re.findall(r"(?<= )--[a-z-]+", found[2]))
            for found in re.finditer(r"benanza/(scripts/bench|build/bin/[a-z-]+(?: (?:bound|history|db import))?)\b(.*)", text)]


class Jobs(unittest.TestCase):
    def test_their_flags_exist(self):
        for name, count in (("github-actions.yml", 4), ("gitlab-ci.yml", 3)):
            found = commands((EXAMPLES / name).read_text())
            self.assertEqual(len(found), count, found)
            for program, flags in found:
                words = program.split()
                path = SOURCE / words[0] if words[0].startswith("scripts") else PROGRAMS / pathlib.Path(words[0]).name
                usage = subprocess.run([path, *words[1:], "--help"], text=True, capture_output=True, check=True).stdout
                for flag in flags:
                    self.assertRegex(usage, rf"{flag}\b", program)

    def test_they_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        self.assertIn("bound", yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"])
        self.assertIn("script", yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["bound"])


class Notebook(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "onednn.json").write_text(results())
        self.table = subprocess.run([PROGRAMS / "benanza-analyze", "rows", self.folder / "onednn.json"], text=True,
                                    capture_output=True, check=True).stdout
        cells = json.loads((EXAMPLES / "results.ipynb").read_text())["cells"]
        self.code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]

    def test_its_columns_exist(self):
        columns = self.table.splitlines()[0].split(",")
        used = set(re.findall(r"\b(?:rows|ok)\.(\w+) ?(?:==|\]|&)", "\n".join(self.code)))
        used |= set(re.findall(r'"(\w+)"', self.code[1].splitlines()[0]))
        self.assertLessEqual({"status", "cold", "problem", "algorithm", "heuristic_rank"}, used)
        self.assertLessEqual({name for name in used if name not in ("groupby",)}, set(columns))

    def test_it_runs(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        (self.folder / "rows.csv").write_text(self.table)
        names = {}
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(io.StringIO()):
            for cell in self.code:
                exec(cell, names)
        self.assertIsInstance(names["best"], pandas.DataFrame)
        self.assertEqual(names["best"]["algorithm"].tolist(), ["jit", "jit"])
        self.assertAlmostEqual(names["best"]["choice_over_best"].iloc[0], 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
