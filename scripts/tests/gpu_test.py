#!/usr/bin/env python3
"""The list of tests on machines with and without GPUs: which tests there are, and, with what
scripts/gpu-resources writes, one measuring process per GPU.

usage: gpu_test.py SOURCE_DIR CTEST
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, CTEST = pathlib.Path(sys.argv[1]), sys.argv[2]

TWO_GPUS = """\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5b3c0a1d-77aa-1b2c-9d8e-0123456789ab)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-00c0ffee-77aa-1b2c-9d8e-0123456789ab)
"""
IDS = ["gpu_5b3c0a1d_77aa_1b2c_9d8e_0123456789ab", "gpu_00c0ffee_77aa_1b2c_9d8e_0123456789ab"]

# A suite that lists its devices, or takes half a second and notes when it had which GPU.
BENCH = """\
#!/usr/bin/env python3
import os, sys, time
if sys.argv[1:] == ["--list-devices"]:
    print({devices!r}, end="")
    sys.exit()
begin = time.time()
time.sleep(0.5)
gpu = os.environ.get("CTEST_RESOURCE_GROUP_0_GPUS") or os.environ.get("BENANZA_DEVICE", "any")
words = [word for word in sys.argv if "shard" in word or "filter" in word or "_out=" in word]
with open({log!r}, "a") as log:
    log.write(f"{{begin}} {{time.time()}} {{gpu}} {{' '.join(words)}}\\n")
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def resources(self, nvidia_smi, target="gpus.json"):
        """Runs the script with a fake nvidia-smi, or with none."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        for tool in ("bash", "env", "mktemp", "chmod", "mv", "rm"):
            link = tools / tool
            if not link.exists():
                link.symlink_to(f"/usr/bin/{tool}")
        if nvidia_smi is not None:
            self.program("tools/nvidia-smi", nvidia_smi)
        return subprocess.run(
            [SOURCE / "scripts/gpu-resources", self.folder / target], text=True,
            capture_output=True, env={**os.environ, "PATH": str(tools)}, check=False)

    @staticmethod
    def lister(text, status=0):
        return f"#!/bin/sh\n/bin/cat <<'END'\n{text}END\nexit {status}\n"

    def ids(self):
        document = json.loads((self.folder / "gpus.json").read_text())
        self.assertEqual(document["version"], {"major": 1, "minor": 0})
        gpus = document["local"][0]["gpus"]
        self.assertEqual({gpu["slots"] for gpu in gpus}, {1})
        return [gpu["id"] for gpu in gpus]

    def expect_refusal(self, finished, words):
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, f"^scripts/gpu-resources: [^\n]*{words}[^\n]*\n$")
        self.assertFalse((self.folder / "gpus.json").exists())


class Script(Case):
    def test_every_gpu_by_its_uuid(self):
        finished = self.resources(self.lister(TWO_GPUS))
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        self.assertEqual(self.ids(), IDS)
        self.assertEqual(len(list(self.folder.glob("gpus.json*"))), 1)

    def test_parts_instead_of_a_divided_gpu(self):
        self.resources(self.lister(
            "GPU 0: NVIDIA H100 (UUID: GPU-5b3c0a1d-77aa)\n"
            "  MIG 3g.40gb     Device  0: (UUID: MIG-aa-01)\n"
            "  MIG 3g.40gb     Device  1: (UUID: MIG-aa-02)\n"
            "GPU 1: NVIDIA H100 (UUID: GPU-00c0ffee-77aa)\n"))
        self.assertEqual(self.ids(), ["mig_aa_01", "mig_aa_02", "gpu_00c0ffee_77aa"])

    def test_without_a_gpu_it_says_so_in_one_line(self):
        self.expect_refusal(self.resources(None), "no NVIDIA GPU: there is no nvidia-smi")
        self.expect_refusal(self.resources(self.lister("No devices found.\nmore\n", 6)),
                            "no NVIDIA GPU: nvidia-smi: No devices found.")
        self.expect_refusal(self.resources(self.lister("")), "no NVIDIA GPU: nvidia-smi lists none")

    def test_a_file_that_cannot_be_written(self):
        finished = self.resources(self.lister(TWO_GPUS), "nowhere/gpus.json")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("nowhere/gpus.json: cannot write", finished.stderr)


class WithCTest(Case):
    def write_tests(self, cudnn, backends="cudnn"):
        """The project's list of tests, with `cudnn` as the text of its suite."""
        (self.folder / "generated").mkdir()
        (self.folder / "generated/tests.cmake").write_text(
            "set(BENANZA_OPERATORS conv relu)\nset(BENANZA_PRECISIONS fp32 fp16)\n"
            "set(BENANZA_GRAPHS)\n")
        tests = (SOURCE / "ctest/tests.cmake.in").read_text()
        for name, value in {"backends": backends, "gpu_backends": "cudnn",
                            "generated": self.folder / "generated", "programs": self.folder,
                            "results": self.folder}.items():
            tests = tests.replace(f"@{name}@", str(value))
        (self.folder / "CTestTestfile.cmake").write_text(tests)
        self.program("bench_cudnn", cudnn)
        self.program("bench_onednn", "#!/bin/sh\n")

    def ctest(self, *flags):
        finished = subprocess.run([CTEST, "--test-dir", self.folder, *flags], text=True,
                                  capture_output=True, check=False)
        self.assertEqual(finished.returncode, 0, finished.stdout + finished.stderr)
        return finished.stdout + finished.stderr

    def run_bench_tests(self, *flags, devices=1):
        """Of a suite with GPUs: (begin, end, gpu) of each of its tests, and all flags by test."""
        log = self.folder / "log"
        listed = "".join(f"{device}\tNVIDIA H100\n" for device in range(devices))
        self.write_tests(BENCH.format(log=str(log), devices=listed))
        self.ctest("-L", "bench", "-j", "4", *flags)
        runs = [line.split(" ", 3) for line in log.read_text().splitlines()]
        self.assertEqual(len(runs), 4)
        self.flags = [flags for *_, flags in runs]
        return [(float(begin), float(end), gpu) for begin, end, gpu, _ in runs]

    def expect_all_at_once(self, runs):
        overlaps = [(a, b) for a in runs for b in runs if a < b and b[0] < a[1]]
        self.assertTrue(overlaps, "the GPUs were used one after the other")
        return overlaps

    def test_one_process_per_gpu_and_all_gpus_at_once(self):
        self.resources(self.lister(TWO_GPUS))
        for devices in (1, 2):
            with self.subTest(devices_that_the_suite_sees=devices):
                shutil.rmtree(self.folder / "generated", ignore_errors=True)
                (self.folder / "log").unlink(missing_ok=True)
                runs = self.run_bench_tests("--resource-spec-file", self.folder / "gpus.json",
                                            devices=devices)
                self.assertEqual({gpu for _, _, gpu in runs}, {f"id:{id},slots:1" for id in IDS})
                for a, b in self.expect_all_at_once(runs):
                    self.assertNotEqual(a[2], b[2], "two processes on one GPU")

    def test_one_part_per_gpu_and_precision(self):
        runs = self.run_bench_tests(devices=2)
        self.expect_all_at_once(runs)
        self.assertEqual(sorted(self.flags), sorted(
            f"--benchmark_filter=/{precision}/ --shard={part}/2 "
            f"--benchmark_out={self.folder}/cudnn/{precision}.{part}of2.json"
            for precision in ("fp32", "fp16") for part in (1, 2)))
        # Where CTest allocates nothing, a part has a GPU all the same.
        for (_, _, gpu), flags in zip(runs, self.flags):
            self.assertIn(f"--shard={int(gpu) + 1}/2", flags)

    def test_with_one_gpu_there_is_a_test_per_operator_and_precision(self):
        self.run_bench_tests()
        self.assertEqual(sorted(self.flags), sorted(
            f"--benchmark_filter=^{operator}/.*/{precision}/ "
            f"--benchmark_out={self.folder}/cudnn/{operator}.{precision}.json"
            for precision in ("fp32", "fp16") for operator in ("conv", "relu")))

    def test_without_a_gpu_its_tests_are_left_out_and_one_line_says_so(self):
        for cudnn in (BENCH.format(log="/dev/null", devices=""),
                      "#!/bin/sh\necho 'libcudnn.so.9: cannot open' >&2\nexit 127\n"):
            shutil.rmtree(self.folder / "generated", ignore_errors=True)
            self.write_tests(cudnn, "onednn;cudnn")
            tests = self.ctest("-N")
            self.assertIn("bench.onednn.conv.fp32", tests)
            self.assertNotIn(".cudnn.", tests)
            lines = [line for line in tests.splitlines() if "cudnn" in line]
            self.assertEqual(len(lines), 1, tests)
            self.assertIn("cudnn: no GPU here, its tests are left out", lines[0])
            self.assertIn("Total Tests: 5", tests)  # four measurements and a smoke test

    def test_with_a_gpu_its_tests_are_there(self):
        self.write_tests(BENCH.format(log="/dev/null", devices="0\tNVIDIA H100\n"), "onednn;cudnn")
        tests = self.ctest("-N")
        self.assertIn("bench.cudnn.conv.fp16", tests)
        self.assertIn("smoke.cudnn", tests)
        self.assertNotIn("no GPU", tests)

    def test_without_the_file_no_gpu_is_named(self):
        self.assertEqual({gpu for _, _, gpu in self.run_bench_tests()}, {"any"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
