#!/usr/bin/env python3
"""scripts/serve with fakes of what it calls, and with a stub of `benanza-zoo llm`.

usage: serve_test.py SOURCE_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()

# Leaves what scripts/bench does: a graph file for each model.
BENCH = """\
#!/bin/sh
echo bench "$@" >>log
mkdir -p build/generated build/results build/first build/plans
for file; do case $file in
  *.onnx) batch=$(echo "$file" | sed 's/.*_b\\([0-9]*\\)_p.*/\\1/')
          : >"build/generated/$(basename "$file" .onnx)_b$batch.graph.json"
          case "$*" in *--plan=unchecked*) : >"build/plans/$(basename "$file" .onnx)_b${batch}_bf16.run.json";; esac;;
esac; done
[ ! -e broken ]
"""


class Serve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        (self.folder / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts/serve", self.folder / "scripts/serve")
        self.program("scripts/bench", BENCH)
        self.program("build/bin/benanza-zoo", "#!/bin/sh\necho zoo \"$@\" >>log\nfor file; do :; done\n: >\"$file\"\n")
        self.program("build/bin/benanza-analyze", "#!/bin/sh\necho answer \"$@\"\n")
        (self.folder / "tiny").mkdir()
        (self.folder / "tiny/config.json").write_text("{}")

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def serve(self, *arguments):
        return subprocess.run([self.folder / "scripts/serve", *arguments], text=True, capture_output=True, check=False,
                              cwd=self.folder)

    def log(self, word):
        lines = (self.folder / "log").read_text().splitlines()
        return [line for line in lines if line.startswith(word + " ")]

    def graphs(self):
        return sorted(path.name for path in (self.folder / "build/serve/tiny/graphs").iterdir())

    def test_writes_measures_and_asks(self):
        finished = self.serve("--config", "tiny/config.json", "--batch", "1,8", "--past", "64", "--prompt", "32",
                              "--weights", "bf16,int4:32", "--cache", "bf16", "--", "--output", "9")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        models = self.folder / "build/serve/tiny/models"
        self.assertEqual(len(self.log("zoo")), 8)
        self.assertEqual(self.log("zoo")[0],
                         "zoo llm --config tiny/config.json --phase prefill --batch 1 --past 0 --new 32 --weights bf16 "
                         f"--cache bf16 --tensor-parallel 1 -o {models}/tiny_prefill_b1_p0_n32_bf16_bf16_tp1.onnx")
        self.assertEqual(self.log("zoo")[7],
                         "zoo llm --config tiny/config.json --phase decode --batch 8 --past 64 --new 1 --weights int4:32 "
                         f"--cache bf16 --tensor-parallel 1 -o {models}/tiny_decode_b8_p64_n1_int4-32_bf16_tp1.onnx")
        # A run for each batch size, at which it reads the models.
        runs = self.log("bench")
        self.assertEqual([run.count(".onnx") for run in runs], [4, 4])
        self.assertTrue(runs[1].endswith(f"--batch 8 --precision bf16 --time all --build {self.folder}/build"))
        self.assertEqual(len(self.graphs()), 8)
        self.assertTrue(finished.stdout.startswith(f"answer serve --graph={self.folder}/build/serve/tiny/graphs/"))
        self.assertTrue(finished.stdout.endswith(f"--results {self.folder}/build/results --precision bf16 "
                                                 "--config tiny/config.json --output 9\n"))

    def test_points_measured_earlier_stay(self):
        self.serve("--config", "tiny/config.json", "--batch", "1", "--past", "64")
        self.assertEqual(self.graphs(), ["tiny_decode_b1_p64_n1_stored_stored_tp1_b1.graph.json"])
        self.assertNotRegex(self.log("zoo")[0], "--weights|--cache")
        finished = self.serve("--config", "tiny/config.json", "--batch", "1", "--past", "128")
        self.assertEqual(finished.stdout.count("--graph="), 2)
        self.assertEqual(self.log("bench")[-1].count(".onnx"), 1)

    def test_runs_of_plans(self):
        finished = self.serve("--config", "tiny/config.json", "--batch", "1", "--past", "64", "--plan")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertIn(" --plan=unchecked", self.log("bench")[0])
        run = f"{self.folder}/build/plans/tiny_decode_b1_p64_n1_stored_stored_tp1_b1_bf16.run.json"
        self.assertIn(f" --plan {run} ", finished.stdout)
        # They count for later answers.
        finished = self.serve("--config", "tiny/config.json", "--batch", "1", "--past", "128")
        self.assertNotIn("--plan", self.log("bench")[1])
        self.assertEqual(finished.stdout.count(" --plan "), 1)

    def test_extend(self):
        self.serve("--config", "tiny/config.json", "--batch", "2", "--past", "64", "--prompt", "32", "--extend",
                   "--time", "5m")
        self.assertEqual(self.graphs(), ["tiny_extend_b2_p64_n32_stored_stored_tp1_b2.graph.json"])
        self.assertTrue((self.folder / "build/serve/tiny/first/2").is_dir())

    def test_a_point_that_fails_costs_no_other_its_answer(self):
        (self.folder / "broken").write_text("")
        finished = self.serve("--config", "tiny/config.json", "--batch", "1")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("answer serve", finished.stdout)
        self.assertEqual(finished.stderr, "scripts/serve: some points could not be measured: the reasons are above\n")

    def test_refusals(self):
        for arguments, says in (([], "name a model"), (["--config", "none.json"], "no such file"),
                                (["--config"], "needs a value"), (["--fast"], "unknown option --fast"),
                                (["--config", "tiny/config.json", "--batch", "many"], "say whole numbers"),
                                (["--config", "tiny/config.json", "--time", "soon"], "say 90s, 5m, 2h or all"),
                                (["--config", "tiny/config.json", "--extend"], "needs --past and --prompt")):
            finished = self.serve(*arguments)
            self.assertEqual((finished.returncode, finished.stdout), (2, ""))
            self.assertIn(says, finished.stderr)
            self.assertEqual(finished.stderr.count("\n"), 1)

    def test_without_sources(self):
        self.program("bin/benanza", BENCH)
        environment = {**os.environ, "BENANZA_COMMAND": str(self.folder / "bin/benanza"),
                       "BENANZA_PROGRAMS": str(self.folder / "build/bin")}
        finished = subprocess.run([self.folder / "scripts/serve", "--config", "tiny/config.json", "--batch", "1", "--out",
                                   "build"], text=True, capture_output=True, check=False, cwd=self.folder,
                                  env=environment)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertTrue(self.log("bench")[0].startswith("bench bench "))
        self.assertTrue(self.log("bench")[0].endswith(f"--out {self.folder}/build"))
        self.assertIn("answer serve", finished.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
