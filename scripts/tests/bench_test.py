#!/usr/bin/env python3
"""scripts/bench with fakes of what it calls: one model that fails costs no other its report.

usage: bench_test.py SOURCE_DIR
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(sys.argv[1])

# Configures, or "generates": every model but those called bad.
CMAKE = """\
#!/bin/sh
[ "$1" = --build ] || { echo "$@" >configured; exit 0; }
mkdir -p "$2/generated"
: >"$2/generated/good_b1.graph.json"
: >"$2/generated/other_b1.graph.json"
printf '%s\\n' good_b1.graph.json other_b1.graph.json >"$2/generated/graphs.txt"
: >"$2/generated/earlier_b1.graph.json"
cat refused >"$2/generated/refused.txt"
"""


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program("scripts/install", "#!/bin/sh\n")
        shutil.copy(SOURCE / "scripts/bench", self.folder / "scripts/bench")
        self.program("scripts/profile-onnxruntime",
                     "#!/bin/sh\ncase $1 in *other*) echo 'refused by ONNX Runtime' >&2; exit 1;; "
                     "esac\necho profiled $1\n")
        self.program("tools/cmake", CMAKE)
        self.program("tools/ctest", "#!/bin/sh\n")
        self.program("build/bin/benanza-analyze", "#!/bin/sh\necho report \"$@\"\n")
        (self.folder / "refused").write_text("")
        for model in ("good.onnx", "other.onnx", "bad.onnx"):
            (self.folder / model).write_text("")

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def bench(self, *arguments):
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return subprocess.run([self.folder / "scripts/bench", *arguments], text=True,
                              capture_output=True, check=False, cwd=self.folder,
                              env={**os.environ, "PATH": path})

    def test_all_is_well(self):
        finished = self.bench("good.onnx", "--profile")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertIn("/build/profiles/good_b1.json", finished.stdout)

    def test_the_calls_of_a_bound_are_timed_as_one(self):
        # Of other_b1, calls lack their time.
        self.program("build/bin/benanza-analyze",
                     "#!/bin/sh\ncase \"$*\" in calls*other*) exit 1;; calls*) exit 0;; esac\n"
                     "echo report \"$@\"\n")
        self.program("build/bin/bench_onednn",
                     "#!/bin/sh\n[ \"$1\" != --sequence ] || echo \"$@\" >>timed\n")
        finished = self.bench("good.onnx", "--precision", "fp32,bf16")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        made = f"{self.folder}/build/sequences/good_b1"
        runs = [f"{made}_{how}" for how in ("fp32", "fp32_fused", "bf16", "bf16_fused")]
        self.assertEqual((self.folder / "timed").read_text().splitlines(),
                         [f"--sequence {run}.calls.json --sequence-out {run}.json" for run in runs])
        self.assertIn(" ".join(f"--sequence {run}.json" for run in runs), finished.stdout)
        self.assertNotIn("sequences/other", finished.stdout)
        # On a GPU, they are cuDNN's and cuBLAS'.
        (self.folder / "timed").unlink()
        shutil.copy(SOURCE / "scripts/gpu-resources", self.folder / "scripts/gpu-resources")
        self.program("tools/nvidia-smi", "#!/bin/sh\necho 'GPU 0: H100 (UUID: GPU-0a)'\n")
        self.assertNotIn("--sequence", self.bench("good.onnx").stdout)
        self.assertFalse((self.folder / "timed").exists())
        self.program("build/bin/bench_cudnn",
                     "#!/bin/sh\n[ \"$1\" != --sequence ] || echo cudnn \"$@\" >>timed\n")
        # Of cuTENSOR's, bench_cudnn would run none.
        for library in ("cudnn", "cublas", "cutensor"):
            (self.folder / "build/results" / library).mkdir(parents=True, exist_ok=True)
        self.program("build/bin/benanza-analyze",
                     "#!/bin/sh\n[ \"$1\" != calls ] || echo \"$@\" >>asked\necho report \"$@\"\n")
        self.assertIn(f"--sequence {made}_fp32.json", self.bench("good.onnx").stdout)
        self.assertTrue((self.folder / "timed").read_text().startswith("cudnn --sequence "))
        self.assertIn("--backend cudnn --backend cublas --precision fp32",
                      (self.folder / "asked").read_text())

    def test_a_first_bound_comes_before_the_measurement(self):
        self.program("build/bin/benanza-first-bound", "#!/bin/sh\necho \"$@\" >>asked\n"
                     "echo '  good, batch 1, fp32: 4.9 ms'\n")
        # What answers other questions is built afterwards.
        self.program("tools/cmake", CMAKE + "echo built $4\n")
        self.program("build/bin/bench_onednn", "#!/bin/sh\n[ \"$1\" = --sequence ] || echo \"$@\" >>first\n")
        self.program("tools/ctest", "#!/bin/sh\necho measured\n")
        finished = self.bench("good.onnx")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        build = f"{self.folder}/build"
        self.assertEqual((self.folder / "first").read_text().splitlines(),
                         [f"--graph {build}/generated/good_b1.graph.json "
                          f"--graph {build}/generated/other_b1.graph.json --precision fp32 "
                          f"--algorithms {choices} --budget 0.01 --benchmark_out={build}/first/onednn.json"
                          for choices in ("best", "leading")])
        self.assertRegex(finished.stdout, r"(?s)built first-bound\n== bench_onednn: the library's first choices\n"
                         r"first bound, \d+ s after the start; alternatives will lower it:\n"
                         r"  good, batch 1, fp32: 4.9 ms\nbuilding benchmarks\nbuilt benchmarks\n"
                         r"== bench_onednn: leading methods, at most 60 s\nmeasured\n")
        self.assertEqual((self.folder / "asked").read_text().splitlines()[0],
                         f"--graph {build}/generated/good_b1.graph.json "
                         f"--graph {build}/generated/other_b1.graph.json --results={build}/first --precision fp32")
        self.assertNotIn("stopped", finished.stdout)

    @unittest.skipIf(shutil.which("nvidia-smi"), "there is a GPU")
    def test_with_a_limit_leading_methods_come_first_for_a_third_of_it(self):
        self.program("build/bin/benanza-analyze", "#!/bin/sh\n")
        self.program("build/bin/bench_onednn", "#!/bin/sh\n[ \"$1\" = --sequence ] || echo \"$@\" >>first\n"
                     "case \"$*\" in *leading*) exec sleep 60;; esac\n")
        self.program("tools/ctest", "#!/bin/sh\necho measured\n")
        finished = self.bench("good.onnx", "--time", "6s")
        self.assertIn("== bench_onednn: leading methods, at most 2 s\nmeasured\n", finished.stdout)
        runs = (self.folder / "first").read_text().splitlines()
        self.assertEqual([re.search(r"--algorithms (\w+)", run)[1] for run in runs], ["best", "leading"])
        self.assertTrue(runs[1].endswith(f"--benchmark_out={self.folder}/build/first/onednn.json"))

    def test_the_last_line_is_the_page(self):
        self.program("build/bin/benanza-analyze", "#!/bin/sh\necho report \"$@\"\n"
                     "[ \"$1\" != report ] || for out; do :; done\n[ \"$1\" != report ] || echo page >\"$out\"\n")
        finished = self.bench("good.onnx")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertEqual(finished.stdout.splitlines()[-1], f"{self.folder}/build/report.html")
        self.assertTrue((self.folder / "build/report.html").exists())
        # An old one is not this run's.
        self.program("build/bin/benanza-analyze", "#!/bin/sh\n[ \"$1\" != report ]\n")
        finished = self.bench("good.onnx")
        self.assertIn("there is no new", finished.stderr)
        self.assertNotIn("report.html", finished.stdout)

    def test_flags_of_the_generator_reach_cmake(self):
        self.bench("good.onnx", "--expert-load", "power_law:1.2")
        self.assertIn("-DBENANZA_PADDED=OFF ", (self.folder / "configured").read_text())
        self.assertIn("-DBENANZA_EXPERT_LOAD=power_law:1.2 ", (self.folder / "configured").read_text())
        self.bench("good.onnx", "--padded")
        self.assertIn("-DBENANZA_PADDED=ON ", (self.folder / "configured").read_text())
        # What no library does in 8 bits counts at fp32.
        self.bench("good.onnx", "--precision", "bf16,int8")
        self.assertIn("-DBENANZA_PRECISIONS=bf16;int8;fp32 ", (self.folder / "configured").read_text())

    def test_a_limit_ends_the_measurement_not_the_report(self):
        # Like a suite, it ends when asked to.
        self.program("tools/ctest", "#!/bin/sh\ntrap 'echo kept; exit 1' TERM\n"
                     "mkdir -p build/results/onednn; : >build/results/onednn/conv.json.journal\n"
                     "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & wait; done\necho too long\n")
        finished = self.bench("good.onnx", "--time", "1s")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertNotIn("too long", finished.stdout)
        self.assertIn("stopped after 1s: a longer run may find a lower bound; the same command with "
                      "--time all continues\n", finished.stdout)
        self.assertIn(f"--results {self.folder}/build/results --results {self.folder}/build/first",
                      finished.stdout.splitlines()[-1])

    def test_ctrl_c_ends_with_a_report(self):
        self.program("tools/ctest", "#!/bin/sh\ntrap 'echo kept; exit 1' TERM\necho measuring >begun\n"
                     "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & wait; done\necho too long\n")
        out = self.interrupted(send=os.kill)
        self.assertIn("interrupted: a longer run may find a lower bound", out)
        self.assertNotIn("too long", out)
        self.assertTrue(out.splitlines()[-1].startswith("report bound "))

    def interrupted(self, *flags, send=os.killpg):
        """The output after Ctrl-C, once a program has written "begun". `send`: to all of its processes, as a
        terminal does, or os.kill, to the script alone."""
        environment = {**os.environ, "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}
        with subprocess.Popen([self.folder / "scripts/bench", "good.onnx", *flags], text=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                              env=environment) as running:
            end = time.monotonic() + 10
            while not (self.folder / "begun").exists() and time.monotonic() < end:
                time.sleep(0.05)
            send(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=30)
        self.assertEqual((running.returncode, err), (0, ""))
        return out

    def test_ctrl_c_during_the_first_choices_ends_with_a_report(self):
        self.program("tools/ctest", "#!/bin/sh\necho measured\n")
        # Like a suite, it ends by itself when asked to.
        self.program("build/bin/bench_onednn", "#!/bin/sh\n[ \"$1\" != --sequence ] || exit 0\n"
                     "trap 'exit 130' INT\necho >begun\nfor i in 1 2 3 4 5 6 7 8 9; do sleep 1; done\n")
        out = self.interrupted()
        self.assertNotIn("measured\n", out)
        self.assertIn("no first bound", out)
        self.assertIn("interrupted: a longer run may find a lower bound", out)
        # Nothing else was measured.
        self.assertTrue(out.splitlines()[-1].startswith("report bound "))
        self.assertIn(f"--results {self.folder}/build/first", out.splitlines()[-1])
        self.assertNotIn(f"--results {self.folder}/build/results", out.splitlines()[-1])

    @unittest.skipIf(shutil.which("nvidia-smi"), "there is a GPU")
    def test_ctrl_c_during_the_leading_methods_ends_with_a_report(self):
        self.program("tools/ctest", "#!/bin/sh\necho measured\n")
        self.program("build/bin/bench_onednn", "#!/bin/sh\ncase \"$*\" in *leading*) ;; *) exit 0;; esac\n"
                     "trap 'echo kept >ended; exit 1' TERM\necho >begun\n"
                     "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & wait; done\n")
        out = self.interrupted("--time", "60s")
        self.assertTrue((self.folder / "ended").exists())
        self.assertNotIn("measured\n", out)
        self.assertIn("interrupted: a longer run may find a lower bound", out)
        self.assertTrue(out.splitlines()[-1].startswith("report bound "))

    def test_a_gate(self):
        # The second time, the model is slower.
        self.program("build/bin/benanza-analyze",
                     "#!/bin/sh\necho report \"$@\"\n"
                     "case $1 in compare) ! [ -e slower ] || { echo 'good: LBL 9% higher' >&2; exit 1; };; esac\n")
        (self.folder / "before").mkdir()
        finished = self.bench("good.onnx", "--gate", "before", "--tolerance", "3")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertIn(f"compare {self.folder}/before {self.folder}/build/results --graph "
                      f"{self.folder}/build/generated/good_b1.graph.json", finished.stdout)
        self.assertIn("--tolerance 3 --allow-missing --fail", finished.stdout)
        (self.folder / "slower").write_text("")
        finished = self.bench("good.onnx", "--gate", "before")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("LBL 9% higher", finished.stderr)
        self.assertIn("the gate is closed", finished.stderr)
        self.assertIn("report bound", finished.stdout)
        for wrong in (("--gate", "nothing"), ("--tolerance", "3"), ("--tolerance", "few", "--gate", "before"),
                      ("--gate", "build/results")):
            finished = self.bench("good.onnx", *wrong)
            self.assertEqual(finished.returncode, 2)
            self.assertIn(wrong[0], finished.stderr)

    def test_limits_are_times(self):
        for limit in ("5", "-1s", "soon"):
            finished = self.bench("good.onnx", "--time", limit)
            self.assertEqual((finished.returncode, finished.stderr),
                             (2, f"scripts/bench: --time {limit}: say 90s, 5m, 2h or all\n"))

    def test_the_report_is_of_the_models_asked_for(self):
        finished = self.bench("good.onnx", "other.onnx")
        self.assertIn("other_b1.graph.json", finished.stdout)
        self.assertNotIn("earlier", finished.stdout)

    def test_what_belongs_to_other_models_stays(self):
        kept = [self.folder / "build" / name for name in
                ("sequences/earlier_b1_fp32.json", "results/onednn/conv.fp32.json")]
        old = self.folder / "build/sequences/good_b1_fp32.json"
        for path in (*kept, old):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("kept")
        self.program("build/bin/bench_onednn",
                     "#!/bin/sh\ncase $1 in --forget) echo \"$@\" >>forgotten;; esac\n")
        # A suite that measured nothing is not asked.
        self.program("build/bin/bench_eigen", "#!/bin/sh\necho eigen >>forgotten\n")
        self.assertEqual(self.bench("good.onnx").returncode, 0)
        self.assertFalse((self.folder / "forgotten").exists())
        finished = self.bench("good.onnx", "--fresh", "--precision", "bf16", "--training")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        build = f"{self.folder}/build"
        self.assertEqual((self.folder / "forgotten").read_text(),
                         f"--forget {build}/results/onednn --precision bf16,fp32 "
                         f"--graph={build}/generated/good_b1.graph.json "
                         f"--graph={build}/generated/other_b1.graph.json\n")
        for path in kept:
            self.assertEqual(path.read_text(), "kept")
        self.assertFalse(old.exists())

    def test_results_that_cannot_be_forgotten(self):
        (self.folder / "build/results/onednn").mkdir(parents=True)
        self.program("tools/ctest", "#!/bin/sh\necho measured\n")
        # 77: there is no device, and nothing to measure again.
        for status, measures in ((1, False), (77, True)):
            self.program("build/bin/bench_onednn",
                         f"#!/bin/sh\n[ $1 != --forget ] || exit {status}\n")
            finished = self.bench("good.onnx", "--fresh")
            self.assertEqual("measured" in finished.stdout, measures)
            self.assertEqual(finished.returncode == 0, measures)

    def test_calls_that_do_not_run_as_one(self):
        self.program("build/bin/bench_onednn", "#!/bin/sh\necho why >&2\nexit 1\n")
        finished = self.bench("good.onnx")
        self.assertEqual(finished.returncode, 1)
        self.assertNotIn("--sequence ", finished.stdout.splitlines()[-1])
        self.assertIn("scripts/bench: good_b1_fp32: its calls do not run one after the other; why is above",
                      finished.stderr)

    def test_deepbench(self):
        cmake = self.folder / "tools/cmake"
        cmake.write_text(cmake.read_text().replace("good_b1", "deepbench_training")
                         .replace('other_b1', 'deepbench_inference_device'))
        finished = self.bench("deepbench", "--set", "inference_device,training")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        configured = (self.folder / "configured").read_text()
        self.assertIn("-DBENANZA_MODELS=deepbench/inference_device;deepbench/training", configured)
        # There is no GPU.
        self.assertIn("-DBENANZA_CUDA=OFF", configured)
        self.assertIn("-DBENANZA_PRECISIONS=fp32;fp16;int8", configured)
        report = finished.stdout.splitlines()[-1]
        self.assertRegex(report, "^report deepbench --graph .*training.graph.json --graph "
                                 ".*inference_device.graph.json .*--precision fp32,fp16,int8 --html ")
        self.bench("deepbench", "--set", "training")
        configured = (self.folder / "configured").read_text()
        self.assertIn("-DBENANZA_PRECISIONS=fp32;fp16 ", configured)

    def test_a_training_step_at_a_half_precision_is_measured_in_fp32_too(self):
        for asked, measured in (("bf16", "bf16;fp32"), ("fp16,fp32", "fp16;fp32"),
                                ("tf32", "tf32")):
            self.bench("good.onnx", "--training", "--precision", asked)
            configured = (self.folder / "configured").read_text()
            self.assertIn(f"-DBENANZA_PRECISIONS={measured} ", configured)
        self.bench("good.onnx", "--precision", "bf16")
        self.assertIn("-DBENANZA_PRECISIONS=bf16 ", (self.folder / "configured").read_text())

    def test_a_model_that_onnx_runtime_refuses(self):
        finished = self.bench("other.onnx", "good.onnx", "--profile")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("profiled", finished.stdout)
        report = finished.stdout.splitlines()[-1]
        self.assertIn("good_b1.graph.json", report)
        self.assertIn("other_b1.graph.json", report)
        self.assertIn("good_b1.json", report)
        self.assertNotIn("profiles/other_b1.json", report)
        self.assertRegex(finished.stderr, "scripts/bench: .*/other.onnx, batch 1: no profile;")

    def test_profiles_of_pytorch(self):
        self.program("scripts/profile-pytorch",
                     "#!/bin/sh\necho pytorch \"$@\"\nfor last; do :; done\n"
                     "[ -z \"$FAILS\" ] || exit 1\n"
                     "for b in 1 8; do : >$last/good_b${b}_fp32$TAIL.json; done\n")
        flags = "--batch 1,8 --precision fp32"
        profiles = f"{self.folder}/build/profiles"
        for gpus, tail, device in ((0, "_cpu", "cpu"), (1, "", "cuda --cuda-graphs")):
            shutil.copy(SOURCE / "scripts/gpu-resources", self.folder / "scripts/gpu-resources")
            lines = "".join(f"echo 'GPU {gpu}: H100 (UUID: GPU-{gpu}a)'\n" for gpu in range(gpus))
            self.program("tools/nvidia-smi", "#!/bin/sh\n" + lines)
            os.environ["TAIL"] = tail
            finished = self.bench("good.onnx", "--profile=pytorch", *flags.split())
            self.assertEqual((finished.returncode, finished.stderr), (0, ""))
            self.assertIn(f"pytorch {self.folder}/good.onnx {flags} --device {device} -o {profiles}\n",
                          finished.stdout)
            self.assertIn(f"--profile {profiles}/good_b8_fp32{tail}.json", finished.stdout)
        os.environ["FAILS"] = "yes"
        self.addCleanup(os.environ.pop, "FAILS")
        finished = self.bench("good.onnx", "--profile=pytorch", *flags.split())
        self.assertEqual(finished.returncode, 1)
        # Files of an earlier run are no profiles of this one.
        self.assertNotIn("--profile ", finished.stdout)
        self.assertRegex(finished.stderr, "good.onnx, batch 8, fp32: no profile; PyTorch's reason")
        refused = self.bench("good.onnx", "--profile=pytorch", "--input", "a=1")
        self.assertEqual(refused.returncode, 2)

    def test_a_model_that_the_generator_refuses(self):
        (self.folder / "refused").write_text(f"{self.folder}/bad.onnx\tbad.onnx: no model\n")
        finished = self.bench("bad.onnx", "good.onnx", "--profile")
        self.assertEqual(finished.returncode, 1)
        self.assertNotIn("bad.onnx", finished.stdout)
        self.assertIn("report bound", finished.stdout)
        self.assertRegex(finished.stderr, "^scripts/bench: left out: bad.onnx: no model\\n$")

    def test_another_version_of_onednn(self):
        self.program("scripts/install", "#!/bin/sh\necho install \"$@\"\n")
        self.program("build-onednn-3.2/bin/benanza-analyze", "#!/bin/sh\necho report \"$@\"\n")
        finished = self.bench("good.onnx", "--onednn", "3.2")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertIn("install --onednn 3.2\n", finished.stdout)
        self.assertIn(f"--results {self.folder}/build-onednn-3.2/results", finished.stdout)
        configured = (self.folder / "configured").read_text()
        self.assertIn(f"-B {self.folder}/build-onednn-3.2 ", configured)
        self.assertIn("-DBENANZA_ONEDNN=3.2\n", configured)

    def test_all_gpus_of_a_host(self):
        shutil.copy(SOURCE / "scripts/gpu-resources", self.folder / "scripts/gpu-resources")
        self.program("tools/ctest", "#!/bin/sh\necho ctest \"$@\"\n")
        for gpus, flags in ((1, ""), (2, f" -j 2 --resource-spec-file {self.folder}/build/gpus.json")):
            lines = "".join(f"echo 'GPU {gpu}: H100 (UUID: GPU-{gpu}a)'\n" for gpu in range(gpus))
            self.program("tools/nvidia-smi", "#!/bin/sh\n" + lines)
            finished = self.bench("good.onnx")
            self.assertIn(f"-L bench --output-on-failure{flags}\n", finished.stdout)

    def test_a_measurement_that_fails(self):
        self.program("tools/ctest", "#!/bin/sh\nexit 8\n")
        finished = self.bench("good.onnx")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("report bound", finished.stdout)
        self.assertIn("scripts/bench: some measurements failed", finished.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
