#!/usr/bin/env python3
"""scripts/slurm without a Slurm: the job files it writes, what it asks sbatch for, and what it refuses.

usage: slurm_files_test.py SOURCE_DIR
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])

# Hands out the numbers 1, 2, 3... and notes how it was called.
SBATCH = """\
#!/bin/bash
echo "$*" >>{log}
wc -l <{log}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        for name in ("benanza-generate", "benanza-zoo", "benanza-analyze", "bench_onednn", "bench_cudnn",
                     "bench_cublas"):
            self.program(f"build/bin/{name}", "#!/bin/sh\n")

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def slurm(self, *words):
        environment = {**os.environ, "PATH": f"{self.folder}/tools:/usr/bin:/bin"}
        return subprocess.run([sys.executable, SOURCE / "scripts/slurm", *map(str, words)], text=True,
                              capture_output=True, check=False, env=environment)

    def submit(self, *words):
        return self.slurm("submit", "--models", "mnist", "--shards", 4, "--out", self.out, "--build",
                          self.folder / "build", *words)

    def expect_refusal(self, finished, words):
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, f"^scripts/slurm: [^\n]*{words}[^\n]*\n$")

    def options(self, stage):
        text = (self.out / f"jobs/{stage}.sh").read_text()
        self.assertEqual(subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode, 0)
        return [line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH ")]


class Files(Case):
    def test_a_processor_is_measured_alone(self):
        finished = self.submit("--dry-run", "--partition", "cpu", "--time", "4:00:00", "--", "--constraint=rome")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        options = self.options("measure")
        for option in ("--partition=cpu", "--exclusive", "--requeue", "--signal=B:USR1@120", "--time=4:00:00",
                       "--constraint=rome"):
            self.assertIn(option, options)
        self.assertNotIn("--gres=gpu:1", options)
        for stage in ("generate", "merge", "report"):
            options = self.options(stage)
            self.assertIn("--partition=cpu", options)
            self.assertNotIn("--constraint=rome", options)

    def test_gpus_share_a_node(self):
        self.submit("--dry-run", "--suites", "cudnn,cublas")
        options = self.options("measure")
        self.assertIn("--gres=gpu:1", options)
        self.assertIn("--cpus-per-task=8", options)
        self.assertNotIn("--exclusive", options)

    def test_names_with_blanks_and_quotes_survive(self):
        model = self.folder / "it's a model.onnx"
        model.touch()
        self.submit("--dry-run", "--models", model)
        text = (self.out / "jobs/generate.sh").read_text()
        script = text.split("\ncd ")[0] + '\nprintf "%s" "${models[@]}"\n'
        printed = subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True)
        self.assertEqual(printed.stdout, str(model))


class Submitted(Case):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "log"
        self.program("tools/sbatch", SBATCH.format(log=self.log))
        self.program("tools/squeue", "#!/bin/sh\n")

    def calls(self):
        return [line.replace(f"{self.out}/jobs/", "").removeprefix("--parsable --kill-on-invalid-dep=yes ")
                for line in self.log.read_text().splitlines()]

    def test_every_stage_waits_for_the_one_before(self):
        finished = self.submit()
        self.assertIn("submitted: generate 1, measure 2, merge 3, report 4\n", finished.stdout)
        self.assertEqual(self.calls(), [
            "generate.sh", "--dependency=afterok:1 --array=1,2,3,4 measure.sh",
            "--dependency=afterok:2 merge.sh", "--dependency=afterok:3 report.sh"])

    def test_only_what_is_not_done_is_queued_again(self):
        self.submit()
        for mark in ("generate", "onednn.1of4", "onednn.3of4"):
            (self.out / "done" / mark).write_text("0\n")
        self.program("tools/squeue", "#!/bin/sh\necho '2|4|RUNNING|n7|None'\necho '9|3|RUNNING|n1|None'\n")
        finished = self.slurm("resume", self.out, "--", "--exclude=n2")
        self.assertEqual(finished.stdout, "submitted: shards 2, merge and report\n")
        self.assertEqual(self.calls()[4:], [
            "--array=2 --exclude=n2 measure.sh", "--dependency=afterok:2_4:5 merge.sh",
            "--dependency=afterok:6 report.sh"])

    def test_status_tells_what_is_left(self):
        self.submit()
        (self.out / "progress").mkdir()

        def progress(shard, **numbers):
            (self.out / f"progress/onednn.{shard}of4.json").write_text(json.dumps(numbers))

        for mark in ("generate", "onednn.1of4"):
            (self.out / "done" / mark).write_text("0\n")
        progress(1, rows=100, before=0, done=98, seconds=50.0)
        progress(2, rows=120, before=20, done=40, seconds=20.0)
        progress(3, rows=100, before=0, done=50, seconds=25.0)
        (self.out / "logs/measure.3.log").write_text("one\nn3: it broke\n")
        self.program("tools/squeue", "#!/bin/sh\necho '2|2|RUNNING|n7|None'\necho '2|4|PENDING||Resources'\n"
                                     "echo '3|N/A|PENDING||Dependency'\n")
        finished = self.slurm("status", self.out)
        # Shard 2 has 60 rows of half a second left; 4, of which nothing is known, follows it and takes as
        # long.
        self.assertEqual(finished.stdout, f"""\
generate   done: graphs
measure    1 of 4 shards, 210 of about 427 rows; about 0:01:00 left
       1   done     100 rows
       2   on n7    60 of 120 rows, 0:00:30 left
       3   stopped  50 of 100 rows; n3: it broke
       4   pending  (Resources)
merge      waits
report     not queued
to go on: scripts/slurm resume {self.out}
""")
        self.assertEqual(finished.returncode, 1)


class Refusals(Case):
    def test_one_line_each(self):
        self.expect_refusal(self.submit("--suites", "none"), "bench_none: not there; cmake --build")
        self.expect_refusal(self.submit("--models", "no.onnx"), "no.onnx: no such file")
        self.expect_refusal(self.submit("--shards", 0), "--shards: give 1 or more")
        self.assertFalse(self.out.exists())
        self.expect_refusal(self.slurm("status", self.folder), "is no folder of scripts/slurm")
        self.submit("--dry-run")
        self.expect_refusal(self.submit(), "out: is there already; scripts/slurm resume")

    def test_without_slurm(self):
        self.program("tools/python3", "")
        finished = subprocess.run(
            [sys.executable, SOURCE / "scripts/slurm", "submit", "--models", "mnist", "--shards", "4", "--out",
             self.out, "--build", self.folder / "build"], text=True, capture_output=True, check=False,
            env={**os.environ, "PATH": str(self.folder / "tools")})
        self.expect_refusal(finished, "sbatch: not there; this needs Slurm's programs")

    def test_what_sbatch_says(self):
        self.program("tools/sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition specified: x' >&2\nexit 1\n")
        for _ in range(2):
            self.expect_refusal(self.submit("--partition", "x"), "sbatch: error: invalid partition specified: x")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
