#!/usr/bin/env python3
"""scripts/bench with the real generator, suite and analysis: a run for one model leaves another's alone.

usage: bench_files_test.py SOURCE_DIR PROGRAMS_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAMS = map(pathlib.Path, sys.argv[1:])

# Generates as BenanzaModel.cmake says, without a compiler; the suite is told what was compiled in.
CMAKE = """\
#!/bin/sh
if [ "$1" != --build ]; then printf '%s\\n' "$@" >configured; exit 0; fi
value() { sed -n "s/^-DBENANZA_$1=//p" configured | tr ';' "$2"; }
"$2/bin/benanza-generate" --batch "$(value BATCH_SIZES ,)" --precision "$(value PRECISIONS ,)" \\
  --skip-refused "$2/generated/refused.txt" --out "$2/generated" $(value MODELS ' ')
: >>"$2/generated/refused.txt"
"""
CTEST = """\
#!/bin/sh
cd build/generated && ../bin/bench_onednn $(sed s/^/--graph=/ graphs.txt) --algorithms=best --peaks=none \\
  --budget=0.002 --benchmark_repetitions=5 --benchmark_out=../results/onednn/all.json
"""


class BenchFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("tools/cmake", CMAKE), ("tools/ctest", CTEST),
                           ("scripts/install", "#!/bin/sh\n")):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        shutil.copy(SOURCE / "scripts/bench", self.folder / "scripts/bench")
        (self.folder / "build").mkdir()
        (self.folder / "build/bin").symlink_to(PROGRAMS)
        (self.folder / "build/generated").mkdir()
        for name in ("a", "b"):
            self.run_program(PROGRAMS / "benanza-zoo", "mnist", "-o", f"{name}.onnx")

    def run_program(self, *words):
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        done = subprocess.run(words, cwd=self.folder, env={**os.environ, "PATH": path}, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def bench(self, *words):
        return self.run_program(self.folder / "scripts/bench", *words)

    def rows(self):
        rows = json.loads((self.folder / "build/results/onednn/all.json").read_text())["benchmarks"]
        return {(row["name"], row["repetition_index"]): row for row in rows}

    def bound(self, graph):
        return self.run_program(PROGRAMS / "benanza-analyze", "bound", "--results", "build/results",
                                "--graph", f"build/generated/{graph}.graph.json").stdout

    def first_bound(self, graph):
        said = self.run_program(PROGRAMS / "benanza-first-bound", "--results", "build/results",
                                "--graph", f"build/generated/{graph}.graph.json").stdout
        return re.fullmatch(r"  a, batch 1, fp32: (.+)\n", said)[1]

    def assert_kept(self, before, now):
        """Rows marked as disturbed are measured again whenever a suite starts."""
        quiet = [name for name, row in before.items() if "disturbed" not in row]
        self.assertTrue(quiet)
        for name in quiet:
            self.assertEqual(now[name], before[name], name)
        return len(quiet) == len(before)

    def test_of_two_models_one_is_measured_again(self):
        self.bench("a.onnx", "--batch", "1")
        first = self.rows()
        before = self.bound("a_b1")
        self.assertEqual(self.first_bound("a_b1"), re.search(r"LBL sequential +([0-9.]+ ms)", before)[1])
        asked = [PROGRAMS / "benanza-first-bound", "--results", "build/results", "--graph",
                 "build/generated/a_b1.graph.json"]
        self.assertRegex(self.run_program(*asked, "--precision", "bf16").stdout,
                         r"^  a, batch 1, bf16: \(\d+ of \d+ layers have no time\)\n$")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(asked, cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "benanza-first-bound: cannot write to standard output\n"))
        said = self.bench("b.onnx", "--batch", "2").stdout
        self.assertNotIn("a, batch 1", said)
        self.assertIn("b, batch 2", said)
        both = self.rows()
        self.assert_kept(first, both)
        self.assertGreater(len(both), len(first))

        said = self.bench("b.onnx", "--batch", "2", "--fresh")
        self.assertIn("rows removed from 1 file", said.stderr)
        again = self.rows()
        self.assertEqual(again.keys(), both.keys())
        all_kept = self.assert_kept(first, again)
        for name in both.keys() - first.keys():
            if both[name]["status"] == "ok":
                self.assertNotEqual(again[name]["samples"], both[name]["samples"], name)
        if all_kept:
            self.assertEqual(self.bound("a_b1"), before)

        # What --fresh measures are the problems of b alone.
        said = self.bench("a.onnx", "--batch", "1")
        now = self.rows()
        self.assertEqual(now.keys(), again.keys())
        self.assert_kept(again, now)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
