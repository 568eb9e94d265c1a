#!/usr/bin/env python3
"""The recipes of CONTRIBUTING.md, carried out: each folder of recipes/ is laid over a copy of the source
tree, its files are compiled, linked with what the build has made, and the program is asked whether it
knows the new operator, backend, importer or question. A new problem changes a type that most files see: the
generator and a suite are built once more, unoptimised and without the operators that its model does not need.

usage: recipes_test.py SOURCE_DIR BUILD_DIR
"""
import gzip
import json
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
RECIPES = pathlib.Path(__file__).resolve().parent / "recipes"


def run(*command, **options):
    finished = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    if finished.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: exit status {finished.returncode}\n"
                             f"{finished.stdout}{finished.stderr}")
    return finished.stdout


def cached(name):
    """A variable of the build's CMake cache."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def files(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def source_of(object_file):
    """Of an object in CMake's folders, A/CMakeFiles/target.dir/B/x.cpp.o: A/B/x.cpp."""
    return pathlib.Path(re.sub(r"CMakeFiles/[^/]+\.dir/|\.o$", "", object_file))


def varint(number):
    return bytes([number]) if number < 128 else bytes([number % 128 + 128]) + varint(number // 128)


def field(number, value):
    """A field of a protobuf message: an integer, a float, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def model_of(op, inputs, **reals):
    """An ONNX file: y = op(inputs), an operator of the domain com.example, for float tensors of 2 x 3."""
    def tensor(name):
        shape = b"".join(field(1, field(1, extent)) for extent in (2, 3))
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))
    node = b"".join(field(1, name) for name in inputs) + field(2, b"y") + field(4, op)
    for name, value in reals.items():
        node += field(5, field(1, name.encode()) + field(2, value) + field(20, 1))
    node += field(7, b"com.example")
    graph = field(1, node) + field(2, b"g") + b"".join(field(11, tensor(name)) for name in inputs)
    opsets = field(8, field(1, b"") + field(2, 17)) + field(8, field(1, b"com.example") + field(2, 1))
    return field(1, 8) + field(7, graph + field(12, tensor(b"y"))) + opsets


def copy_source(copy, *recipes):
    """The source tree with these recipes."""
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns(
        "build", "build-*", ".git", ".venv", "Testing", "__pycache__", "recipes"))
    for recipe in recipes:
        shutil.copytree(RECIPES / recipe, copy, dirs_exist_ok=True)


def configure(copy, build, *options):
    """As the build is configured, without tests and without CUDA."""
    run("cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DBENANZA_CUDA=OFF", "-DBUILD_TESTING=OFF",
        *(f"-D{name}={cached(name)}" for name in ("CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS",
                                                   "CMAKE_CXX_COMPILER")), *options)


@unittest.skipUnless((BUILD / "build.ninja").exists(), "the build is not one of Ninja")
class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.copy = cls.folder / "source"
        cls.build = cls.folder / "build"
        copy_source(cls.copy, *(one.name for one in RECIPES.iterdir() if one.name != "problem"))
        configure(cls.copy, cls.build, "-DBENANZA_UNITY=OFF", "-DBENANZA_PRECOMPILE=OFF",
                  f"-DCMAKE_CXX_FLAGS_RELEASE={cached('CMAKE_CXX_FLAGS_RELEASE')}")
        targets = run("ninja", "-C", cls.build, "-t", "targets", "all")
        cls.objects = [line.split(":")[0] for line in targets.splitlines()
                       if line.split(":")[0].endswith(".o")]

    def expect_only_new_files(self, recipe, count):
        """A recipe edits nothing, and adds so many files."""
        added = files(RECIPES / recipe)
        for path in added:
            self.assertFalse((SOURCE / path).exists(), f"{recipe} edits {path}")
        self.assertEqual(len(added), count, added)

    def compile(self, recipe):
        """The objects of a recipe's files and of the registries of their folders."""
        sources = {path for path in files(RECIPES / recipe) if path.suffix == ".cpp"}
        sources |= {path.with_name("registry.cpp") for path in sources}
        wanted = [one for one in self.objects if source_of(one) in sources]
        self.assertTrue(wanted, f"no target of CMake has the files of {recipe}")
        # Not by Ninja, which would first build what the objects are linked with later.
        for one in sorted(set(wanted)):
            (self.build / one).parent.mkdir(parents=True, exist_ok=True)
            command = run("ninja", "-C", self.build, "-t", "commands", one).splitlines()[-1]
            run("sh", "-c", command, cwd=self.build)
        return sorted(set(wanted))

    def link(self, program, objects, instead=()):
        """`program` of the build once more, with these objects; they replace those of the same name
        and whatever ends with one of `instead`."""
        command = run("ninja", "-C", BUILD, "-t", "commands", f"bin/{program}").splitlines()[-1]
        out = self.build / "bin" / program
        out.parent.mkdir(exist_ok=True)
        words = [word for word in shlex.split(command.split(" && ")[1])
                 if word not in objects and not any(word.endswith(end) for end in instead)]
        at = words.index("-o")
        words[at:at + 2] = [*(str(self.build / one) for one in objects), "-o", str(out)]
        run(*words, cwd=BUILD)
        return out

    def results(self):
        """Real ones; of which model does not matter here."""
        unpacked = self.build / "cublas.json"
        packed = SOURCE / "docs/results/1xH100-2026-11-22/results/cublas.json.gz"
        unpacked.write_bytes(gzip.decompress(packed.read_bytes()))
        return unpacked

    def test_a_question_is_one_file(self):
        self.expect_only_new_files("question", 1)
        analyze = self.link("benanza-analyze", self.compile("question"))
        self.assertIn("census", run(analyze, "--help"))
        graph = SOURCE / "analysis/tests/data/small.graph.json"
        expected = len(json.loads(graph.read_text())["layers"])
        answer = run(analyze, "census", "--graph", graph, "--results", self.results(), "--format",
                     "csv", "--allow-missing")
        counts = re.findall(r",(\d+)$", answer, re.MULTILINE)
        self.assertEqual(sum(map(int, counts)), expected, answer)

    def test_an_importer_is_one_file(self):
        self.expect_only_new_files("importer", 1)
        analyze = self.link("benanza-analyze", self.compile("importer"))
        profile = self.build / "stopwatch.json"
        profile.write_text('{"stopwatch": 1, "model": "nobody", "seconds": [0.001]}')
        refused = subprocess.run(
            [analyze, "bound", "--graph", SOURCE / "analysis/tests/data/small.graph.json",
             "--results", self.results(), "--profile", profile], text=True, capture_output=True,
            check=False)
        self.assertIn("profile of another model: of nobody", refused.stderr)

    def test_an_operator_is_one_file(self):
        self.expect_only_new_files("operator", 1)
        generate = self.link("benanza-generate", self.compile("operator"))
        model = self.build / "halve.onnx"
        model.write_bytes(model_of(b"Halve", [b"x"]))
        self.assertRegex(run(generate, "--summary", model), r"Halve +measured +1 +1 ")

    def test_a_library_log_is_one_file(self):
        self.expect_only_new_files("log", 1)
        objects = self.compile("log")
        record = self.link("benanza-record", objects)
        generate = self.link("benanza-generate", objects)
        log = self.build / "abacus.log"
        log.write_text("the program's own words\nabacus,add,64,0.5\nabacus,add,64,0.25\nabacus,add,x,1\n")
        recording = self.build / "abacus.db"
        run(record, "--log", log, "--out", recording, "--force")
        out = self.build / "recorded"
        run(generate, "--recording", recording, "--out", out)
        graphs = [json.loads(path.read_text()) for path in out.glob("*.graph.json")]
        self.assertIn(["add/64_64"], [layer.get("problems") for graph in graphs for layer in graph["layers"]])

    def test_a_backend_is_one_folder(self):
        self.expect_only_new_files("backend", 4)
        self.assertEqual({path.parts[:2] for path in files(RECIPES / "backend")},
                         {("suites", "example")})
        bench = self.link("bench_onednn", self.compile("backend"), instead=["/main.cpp.o"])
        out = self.build / "results.json"
        run(bench, "--problem=relu/2x8", "--problem=softmax/1x8_a1", "--budget=0.001",
            f"--benchmark_out={out}")
        rows = json.loads(out.read_text())["benchmarks"]
        self.assertEqual([(row["name"], row["status"]) for row in rows],
                         [("relu/2x8/fp32/plain/example/loop", "ok")])

    def test_a_problem_is_a_file_a_room(self):
        self.expect_only_new_files("problem", 4)
        copy, build = self.folder / "problem", self.folder / "problem-build"
        copy_source(copy, "problem")
        for folder in ("generator/onnx/operators", "generator/lists/kinds", "suites/onednn/ops"):
            for path in (copy / folder).glob("*.cpp"):
                if path.name != "clamp_sum.cpp":
                    path.unlink()
        model = self.folder / "clamp.onnx"
        model.write_bytes(model_of(b"ClampSum", [b"a", b"b"], low=-0.5, high=0.5))
        configure(copy, build, "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
                  "-DBENANZA_SUITES=onednn", "-DBENANZA_PRECISIONS=fp32", f"-DBENANZA_MODELS={model}")
        run("ninja", "-C", build, "bench_onednn")

        bench = build / "bin/bench_onednn"
        name = "clampsum/1x3_l-0.5_h0.5/fp32/plain/onednn/"
        self.assertIn(name, run(bench, "--benchmark_list_tests"))
        results = self.folder / "clamp.json"
        # Peaks are those of products, which were left out.
        run(bench, "--peaks=none", "--budget=0.001", f"--benchmark_out={results}")
        rows = json.loads(results.read_text())["benchmarks"]
        self.assertEqual({(row["name"].startswith(name), row["status"]) for row in rows}, {(True, "ok")})
        # The build's program does not know the operator, and needs not.
        graph, = build.glob("generated/*.graph.json")
        bound = json.loads(run(BUILD / "bin/benanza-analyze", "bound", "--graph", graph, "--results",
                               results, "--format", "json"))["reports"][0]
        self.assertTrue(bound["is_bound"])
        self.assertAlmostEqual(bound["bounds"]["sequential"]["seconds"] * 1e6,
                               min(row["real_time"] for row in rows))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
