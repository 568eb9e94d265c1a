#!/usr/bin/env python3
"""The command benanza with fakes of the programs that it starts.

usage: command_test.py SOURCE_DIR
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

SOURCE = pathlib.Path(sys.argv[1]).resolve()

ANALYZE = """\
#!/bin/sh
if [ "$1" = --help ]; then
  printf 'Options:\\n  -h,--help     Print\\n\\nSubcommands:\\n  bound         Lower-bound latency\\n'
  printf '  tensor-cores  What they gain\\n'
  exit
fi
case "$*" in
  report*) for out; do :; done; echo page >"$out";;
  calls*) exit 1;;
  *) echo answer "$@";;
esac
"""
GENERATE = """\
#!/bin/sh
[ "$1" != --version ] || { printf 'benanza-generate 0.1.0\\nGNU 12.2.0, Release\\n'; exit; }
echo "$@" >>log
while [ "$1" != --out ]; do shift; done
cat >"$2/tests.cmake" <<'END'
set(BENANZA_OPERATORS "add" "conv" "gemm")
set(BENANZA_PRECISIONS "fp32")
set(BENANZA_OPERATORS_int8 "gemm")
set(BENANZA_OPERATORS_fp8 "add" "gemm")
set(BENANZA_STORED_PRECISIONS "int8" "fp8")
END
echo good_b1.graph.json >"$2/graphs.txt"
"""
# Measures nothing, but says what it was asked for.
SUITE = """\
#!/bin/sh
case $1 in
  --list-devices) echo '0: a processor'; exit;;
  --version) printf 'bench_onednn 0.1.0\\nGNU 12.2.0, Release\\noneDNN 2.6.3\\n'; exit;;
esac
for word; do case $word in
  --benchmark_out=*) mkdir -p "$(dirname "${word#*=}")"; : >"${word#*=}";;
  --progress=*) echo '{"rows": 4, "before": 1, "done": 3, "seconds": 2.0}' >"${word#*=}";;
esac; done
echo onednn "$@" >>log
"""
MISSING = """\
#!/bin/sh
echo "bench_cudnn: error while loading shared libraries: libcudnn.so.9: cannot open shared object file" >&2
exit 127
"""


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        launcher = (SOURCE / "scripts/command/launcher.py.in").read_text()
        self.program("bin/benanza", launcher.replace("@command@", str(SOURCE / "scripts/command"))
                     .replace("@scripts@", str(SOURCE / "scripts")))
        self.program("bin/benanza-analyze", ANALYZE)
        self.program("bin/benanza-first-bound", "#!/bin/sh\necho '  good, batch 1, fp32: 4.9 ms'\n")
        self.program("bin/benanza-generate", GENERATE)
        self.program("bin/benanza-record", "#!/bin/sh\necho recorded \"$@\"\nkill -TERM $$\n")
        self.program("bin/benanza-regress", "#!/bin/sh\necho path $LD_LIBRARY_PATH\nexit 3\n")
        self.program("bin/benanza-zoo", "#!/bin/sh\necho zoo \"$@\" >>log\n: >\"$3\"\n")
        self.program("bin/bench_onednn", SUITE)
        (self.folder / "good.onnx").write_text("")
        self.environment = {**{name: value for name, value in os.environ.items() if name not in
                               ("VIRTUAL_ENV", "PYTHON", "LD_LIBRARY_PATH", "BENANZA_LIBRARIES")},
                            "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def benanza(self, *arguments, **variables):
        return subprocess.run([self.folder / "bin/benanza", *arguments], text=True, capture_output=True, check=False,
                              cwd=self.folder, env={**self.environment, **variables})

    def refusal(self, *arguments, **variables):
        finished = self.benanza(*arguments, **variables)
        self.assertEqual((finished.returncode, finished.stdout), (2, ""))
        self.assertEqual(finished.stderr.count("\n"), 1)
        return finished.stderr

    def packages(self, *libraries):
        """An interpreter whose environment has PyTorch and these files."""
        site = self.folder / "site"
        for name in ("torch/version.py", *libraries):
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text("")
        self.program("python", f"#!/bin/sh\nPYTHONPATH={site} exec {sys.executable} \"$@\"\n")
        return {"PYTHON": str(self.folder / "python")}

    def gpu(self):
        self.program("tools/nvidia-smi", "#!/bin/sh\necho 'GPU 0: H100 (UUID: GPU-0a)'\n")

    def log(self):
        return (self.folder / "log").read_text().splitlines()

    def test_help_lists_commands_and_questions(self):
        text = self.benanza("--help").stdout
        for line in (r"^  bench +measure a model", r"^  record +\S", r"^  tensor-cores +What they gain$",
                     r"Suites here: onednn\."):
            self.assertRegex(text, re.compile(line, re.MULTILINE))

    def test_commands_become_the_programs(self):
        self.assertEqual(self.benanza("bound", "--graph", "g").stdout, "answer bound --graph g\n")
        self.assertEqual(self.benanza("analyze", "bound").stdout, "answer bound\n")
        finished = self.benanza("record", "--", "python", "--version", "--libraries", "torch")
        self.assertEqual((finished.returncode, finished.stdout),
                         (-signal.SIGTERM, "recorded -- python --version --libraries torch\n"))
        self.assertEqual(self.benanza("regress").returncode, 3)
        self.benanza("measure", "onednn", "--smoke")
        self.assertEqual(self.log(), ["onednn --smoke"])

    def test_serve_measures_a_model_or_is_a_question(self):
        self.program("bin/benanza-zoo", "#!/bin/sh\necho zoo \"$@\" >>log\nfor file; do :; done\n: >\"$file\"\n")
        (self.folder / "tiny.json").write_text("{}")
        finished = self.benanza("serve", "--config", "tiny.json", "--batch", "1", "--past", "64", "--time", "5m")
        # The suite's graph is none of the model's.
        self.assertEqual(finished.stderr, "benanza serve: no point could be read: the reasons are above\n")
        model = f"{self.folder}/benanza-serve-tiny/serve/tiny/models/tiny_decode_b1_p64_n1_stored_stored_tp1.onnx"
        self.assertEqual(self.log()[0], "zoo llm --config tiny.json --phase decode --batch 1 --past 64 --new 1 "
                                        f"--tensor-parallel 1 -o {model}")
        self.assertIn(f"{self.folder}/benanza-serve-tiny/generated {model}", self.log()[1])
        self.assertIn("unknown command serve;", self.refusal("serve", "--graph", "g", "--config", "tiny.json"))

    def test_refusals(self):
        self.assertIn("unknown command fast;", self.refusal("fast"))
        self.assertIn("unknown option --fast;", self.refusal("--fast", "bound"))
        self.assertIn("measure needs a suite: onednn", self.refusal("measure"))
        self.assertIn("bench_cudnn is not part of this installation", self.refusal("measure", "cudnn"))
        self.assertIn("--libraries goes with bench", self.refusal("--libraries", "system", "bound"))
        self.assertIn("--libraries needs a value", self.refusal("bench", "--libraries"))
        self.assertIn("name a model", self.refusal("bench", "--time", "5m"))
        self.assertIn("scripts/bench deepbench", self.refusal("bench", "deepbench"))
        self.assertIn("another oneDNN needs a build", self.refusal("bench", "good.onnx", "--onednn", "3.2"))
        self.assertIn("unknown option --quick", self.refusal("bench", "good.onnx", "--quick"))
        self.assertIn("a build is there", self.refusal("bench", "good.onnx", "--out", "."))

    def test_libraries_come_from_pytorch_or_a_folder(self):
        cublas = "nvidia/cu13/lib/libcublas.so.13"
        torch = self.packages(cublas, "nvidia/cudnn/lib/libcudnn.so.9", "cutensor/lib/libcutensor.so.2")
        site = self.folder / "site"
        path = f"{site}/nvidia/cu13/lib:{site}/nvidia/cudnn/lib:{site}/cutensor/lib"
        for arguments in (["regress"], ["--libraries", "torch", "regress"], ["regress", "--libraries=torch"]):
            self.assertEqual(self.benanza(*arguments, **torch).stdout, f"path {path}\n")
        self.assertEqual(self.benanza("regress", LD_LIBRARY_PATH="/mine", **torch).stdout, f"path {path}:/mine\n")
        self.assertEqual(self.benanza("regress", "--libraries", "system", **torch).stdout, "path\n")
        self.assertEqual(self.benanza("regress", BENANZA_LIBRARIES="system", **torch).stdout, "path\n")
        folder = (site / cublas).parent
        self.assertEqual(self.benanza("regress", "--libraries", str(folder.parent)).stdout, f"path {folder}\n")
        self.assertIn("say torch, system or a folder", self.refusal("regress", "--libraries", "nothing"))
        self.assertIn("has no PyTorch", self.refusal("regress", "--libraries", "torch"))

    def test_a_pytorch_without_libraries(self):
        torch = self.packages()
        self.assertEqual(self.benanza("regress", **torch).stdout, "path\n")
        self.assertIn("PyTorch for CUDA 13", self.refusal("regress", "--libraries", "torch", **torch))

    def test_versions_are_those_of_what_is_loaded(self):
        self.program("bin/bench_cudnn", MISSING)
        torch = self.packages("nvidia/cudnn/lib/libcudnn.so.8")
        self.assertEqual(self.benanza("--version", **torch).stdout,
                         "benanza 0.1.0\nGNU 12.2.0, Release\noneDNN 2.6.3\ncannot run here: cudnn: libcudnn.so.9 is "
                         f"missing (PyTorch's packages in {self.folder}/site: libcudnn.so.8)\n")

    def test_bench(self):
        finished = self.benanza("bench", "good.onnx", "--batch=2", "--dim", "n=3")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        out = self.folder / "benanza-good"
        lines = finished.stdout.splitlines()
        self.assertEqual(lines[0], "measures oneDNN 2.6.3")
        self.assertIn("  good, batch 1, fp32: 4.9 ms", lines)
        self.assertRegex(finished.stdout, r"\n== conv, fp32: onednn\n   onednn: 4 timings in \d+ s\n")
        self.assertEqual(lines[-1], f"{out}/report.html")
        self.assertTrue((out / "report.html").exists())
        generated, first, leading, *runs = self.log()
        self.assertEqual(generated, f"--batch 2 --precision fp32 --dim=n=3 --skip-refused {out}/generated/refused.txt "
                                    f"--out {out}/generated {self.folder}/good.onnx")
        self.assertIn("--algorithms best --budget 0.01", first)
        self.assertIn("--algorithms leading --budget 0.01", leading)
        # Products first; what a file stores in 8 bits, at those, too.
        self.assertEqual([re.search(r"filter=\^(\w+)/\.\*/(\w+)/", run).groups() for run in runs],
                         [("conv", "fp32"), ("gemm", "fp32"), ("gemm", "int8"), ("gemm", "fp8"), ("add", "fp32"),
                          ("add", "fp8")])
        self.assertIn("--benchmark_repetitions=5 --processes=5 --budget=0.02 --ctest --algorithms=all "
                      "--precision=fp32 ", runs[0])
        self.assertTrue((out / "results/onednn/gemm.int8.json").exists())

    def test_bench_of_the_zoo(self):
        self.assertEqual(self.benanza("bench", "mnist", "vgg16", "--out", "mine").returncode, 0)
        out = self.folder / "mine"
        self.assertEqual(self.log()[:2], [f"zoo {name} -o {out}/models/{name}.onnx" for name in ("mnist", "vgg16")])
        self.assertIn(f"{out}/models/mnist.onnx {out}/models/vgg16.onnx", self.log()[2])

    @unittest.skipIf(shutil.which("nvidia-smi"), "there is a GPU")
    def test_bench_says_what_it_leaves_out(self):
        self.program("bin/bench_cudnn", MISSING)
        self.assertIn("not measured: cudnn: no NVIDIA GPU here\n", self.benanza("bench", "good.onnx").stdout)
        self.gpu()
        finished = self.benanza("bench", "good.onnx")
        self.assertIn("not measured: cudnn: libcudnn.so.9 is missing\n", finished.stdout)
        # oneDNN's bound then is all that there is.
        self.assertIn("== bench_onednn: the library's first choices\n", finished.stdout)
        self.assertFalse((self.folder / "benanza-good/bin/bench_cudnn").exists())

    def test_gpus_are_measured_at_once(self):
        self.gpu()
        self.program("bin/bench_cudnn", SUITE.replace("echo '0: a processor'", "printf '0: H100\\n1: H100\\n'")
                     .replace("oneDNN 2.6.3", "cuDNN 9.19.0").replace("echo onednn", "echo cudnn $BENANZA_DEVICE"))
        finished = self.benanza("bench", "good.onnx")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertTrue(finished.stdout.startswith("measures cuDNN 9.19.0, oneDNN 2.6.3; NVIDIA's from the system\n"))
        runs = [line for line in self.log() if "filter=^conv" in line]
        self.assertEqual(sorted(re.sub(r"^(\w+ \d) .*(--shard=\S+) .*/", r"\1 \2 ", run) for run in runs[:2]),
                         ["cudnn 0 --shard=1/2 conv.fp32.1of2.json", "cudnn 1 --shard=2/2 conv.fp32.2of2.json"])
        self.assertTrue(runs[2].startswith("onednn "))

    def test_first_the_library_that_an_operator_rests_on(self):
        self.gpu()
        for name in ("cublas", "cudnn"):
            self.program(f"bin/bench_{name}", SUITE.replace("echo onednn", f"echo {name}"))
        self.benanza("bench", "good.onnx")
        runs = [line for line in self.log() if "/fp32/" in line and not line.startswith("onednn")]
        self.assertEqual([re.sub(r"^(\w+) .*filter=\^(\w+)/.*", r"\1 \2", run) for run in runs],
                         ["cudnn conv", "cublas conv", "cublas gemm", "cudnn gemm", "cudnn add", "cublas add"])

    def test_a_suite_without_such_an_operator(self):
        self.program("bin/bench_onednn", SUITE + "case $* in *^conv*) exit 77;; esac\n")
        finished = self.benanza("bench", "good.onnx")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))

    def test_a_suite_that_fails(self):
        self.program("bin/bench_onednn",
                     SUITE + "case $* in *conv*) echo 'bench_onednn: no memory' >&2; exit 1;; esac\n")
        finished = self.benanza("bench", "good.onnx")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("onednn, conv, fp32 failed: bench_onednn: no memory\n", finished.stderr)
        self.assertIn("== add, fp32: onednn\n", finished.stdout)
        self.assertTrue(finished.stdout.splitlines()[-1].endswith("report.html"))

    def test_time_and_ctrl_c_end_with_a_report(self):
        # Like a suite, it ends when asked to.
        self.program("bin/bench_onednn", SUITE + "case $* in *processes*) trap 'echo kept >>log; exit 1' TERM\n"
                     ": >begun; for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & wait $!; done;; esac\n")
        finished = self.benanza("bench", "good.onnx", "--time", "1s")
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertIn("stopped after 1s", finished.stdout)
        self.assertEqual(self.log()[-1], "kept")
        (self.folder / "begun").unlink()
        with subprocess.Popen([self.folder / "bin/benanza", "bench", "good.onnx"], text=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment) as running:
            for _ in range(200):
                if (self.folder / "begun").exists():
                    break
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=30)
        self.assertEqual((running.returncode, err), (0, ""))
        self.assertIn("interrupted", out)
        self.assertTrue(out.splitlines()[-1].endswith("report.html"))

    def test_every_option_of_scripts_bench_is_offered_or_refused(self):
        option = re.compile(r"^(--[a-z]+)", re.MULTILINE)
        there = option.findall(subprocess.run([SOURCE / "scripts/bench", "--help"], text=True, capture_output=True,
                                              check=True).stdout)
        here = option.findall(self.benanza("bench", "--help").stdout)
        self.assertEqual([name for name in there if name not in here], ["--set", "--onednn", "--build"])
        for name in here:
            if name not in ("--libraries", "--profile"):
                self.assertNotIn("unknown option", self.benanza("bench", name, "--help").stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
