#!/usr/bin/env python3
"""scripts/real-models with a fake benanza-generate, and its rules with numbers made by hand.

usage: real_models_test.py SOURCE_DIR
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts"))

from profile_common import UserError
from real_models import read_flags, refusal
from real_models_coverage import Weights, bytes_left_out
from real_models_measure import Times
from real_models_shapes import Truth, compare_shapes, stated_batch
from real_models_table import Row, report, summary

# Writes what FILE.fake.json says.
GENERATOR = """\
#!{python}
import json, os, sys
path, out = sys.argv[1], sys.argv[sys.argv.index("--out") + 1]
with open(path + ".fake.json") as file:
    said = json.load(file)
with open(path + ".asked", "w") as file:
    file.write(" ".join(sys.argv[2:]))
stem = os.path.join(out, os.path.basename(path)[:-len(".onnx")] + "_b1")
for kind in ("graph", "flow"):
    if kind in said:
        with open(f"{{stem}}.{{kind}}.json", "w") as file:
            json.dump(said[kind], file)
sys.stderr.write(said.get("stderr", "").replace("PATH", path))
sys.exit(said.get("status", 0))
"""


def layer(op, cost, *outputs, **more):
    return {"name": outputs[0][0], "op": op, "cost": cost, "reason": more.pop("reason", ""),
            "outputs": [{"name": name, "type": kind, "shape": shape}
                        for name, kind, shape in outputs], **more}


class LeftOut(unittest.TestCase):
    def left_out(self, cost, moved):
        graph = {"layers": [layer("Gather", cost, ("rows", "float", [5, 8]), bytes=moved),
                            layer("Relu", "measured", ("y", "float", [5, 8]), bytes=320)]}
        return bytes_left_out(graph, {"table": 32000}, {"table": {"rows", "y"}})

    def test_rows_of_a_table_alone(self):
        self.assertEqual(self.left_out("unsupported", 360), 360)
        self.assertEqual(self.left_out("unsupported", 64000), 32000)
        self.assertEqual(self.left_out("unsupported", None), 32000)
        self.assertEqual(self.left_out("movement", 320), 0)


class Shapes(unittest.TestCase):
    def compare(self, ours, theirs, flow=(), **more):
        graph = {"layers": [layer("Relu", "measured", ("y", *ours), **more)]}
        return compare_shapes(graph, {"tensors": list(flow)}, Truth({"y": theirs}, "run"))

    def test_equal_and_different(self):
        self.assertEqual(self.compare(("float", [1, 4]), ("float", [1, 4])).wrong, [])
        for ours in (("float", [4, 1]), ("float16", [1, 4]), ("float", [])):
            shapes = self.compare(ours, ("float", [1, 4]))
            self.assertEqual((shapes.compared, shapes.unknown), (1, 0))
            self.assertEqual(shapes.wrong, [f'"y": Benanza has {ours[0]} {ours[1]}, '
                                            "ONNX Runtime float [1, 4]"])

    def test_unknown_is_not_wrong(self):
        shapes = self.compare(("unknown", None), ("float", [1, 4]))
        self.assertEqual((shapes.compared, shapes.unknown, shapes.wrong), (0, 1, []))
        # The type alone is compared.
        self.assertEqual(len(self.compare(("int64", None), ("float", [1, 4])).wrong), 1)

    def test_what_the_data_decide_may_be_smaller(self):
        self.assertEqual(self.compare(("int64", [2, 9]), ("int64", [2, 3]), assumed="x:1=9").wrong, [])
        self.assertEqual(len(self.compare(("int64", [2, 9]), ("int64", [2, 3])).wrong), 1)
        self.assertEqual(len(self.compare(("int64", [2, 9]), ("int64", [2, 10]),
                                          assumed="x:1=9").wrong), 1)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def flags(self, text):
        (self.folder / "m.onnx.flags").write_text(text)
        return read_flags(str(self.folder / "m.onnx"))

    def test_flags(self):
        flags = self.flags('--dim "a + b=3" --dim x:2=0\n--input ids=1,2 # why\n')
        self.assertEqual((flags.batch, flags.dim, flags.input),
                         (None, [("a + b", 3), ("x:2", 0)], [("ids", "1,2")]))
        self.assertEqual(read_flags(str(self.folder / "other.onnx")).dim, [])
        for wrong in ("--dim a=-1", "--dmi a=1", '--dim "a=1'):
            with self.assertRaisesRegex(UserError, "^m.onnx.flags: "):
                self.flags(wrong)

    def test_refusals(self):
        def said(stderr):
            return refusal("d/m.onnx", types.SimpleNamespace(stderr=stderr, returncode=1))
        self.assertEqual(said('benanza-generate: d/m.onnx: dimensions have no value: "x" axis 2, "x" '
                              "axis 3 (w); give --dim x:2=N --dim w=N\n"),
                         "not read: open dimensions: write --dim x:2=N --dim w=N into m.onnx.flags")
        self.assertEqual(said("benanza-generate: warning: d/m.onnx: odd\nbenanza-generate: d/m.onnx: no\n"),
                         "not read: no")
        self.assertEqual(said(""), "not read: benanza-generate ended with status 1")


class Measured(unittest.TestCase):
    def times(self, latency, floor=1e-3, spread=(1.8e-3, 2.2e-3), partial=False, unsupported=0, **facts):
        return Times({**facts, "bounds": {"sequential": {"seconds": 2e-3, "spread_seconds": spread}},
                      "ladder": {"floor": {"seconds": floor}, "fused_seconds": 1.5e-3},
                      "partial": partial, "coverage": {"unsupported": {"layers": unsupported}}},
                     latency, ["it was stopped"])

    def test_flags(self):
        # With its interval, the bound with fusion may be 1.35 ms.
        self.assertEqual(self.times(1.4e-3).flags(), [])
        self.assertEqual(self.times(1.3e-3).flags(), ["bound with fusion above ORT"])
        self.assertEqual(self.times(1.4e-3, spread=None).flags(), ["bound with fusion above ORT"])
        self.assertEqual(self.times(0.9e-3).undercut(), ["floor above ORT", "bound with fusion above ORT"])
        self.assertEqual(self.times(1.4e-3, floor=None).flags(), [])
        self.assertEqual(self.times(2e-3, unsupported=1).flags(),
                         ["complete although something is left out"])
        self.assertEqual(self.times(2e-3, unsupported=1, partial=True).flags(), ["partial"])
        self.assertEqual(self.times(2e-3, unpacked_weights={"calls": 1}).flags(), ["weights unpacked"])

    def test_row(self):
        row = Row("m")
        row.layers = [layer("Conv", "measured", ("y", "float", [1])),
                      layer("Odd", "unsupported", ("z", "float", [1]), reason="why")]
        row.weights = Weights(4_000_000, 1_000_000)
        row.shapes = compare_shapes({"layers": row.layers}, {"tensors": []},
                                    Truth({"y": ("float", [1])}, "run"))
        self.assertFalse(row.is_bad())
        row.measured = self.times(0.9e-3)
        self.assertTrue(row.is_bad())
        self.assertIn("it was stopped", list(row.remarks()))
        text = report([row, Row("n")], True, False).splitlines()
        self.assertEqual(text[1].split()[:12], ["m", "1", "0", "0", "1", "4.000", "25.0", "1", "0", "0",
                                                "run", "1.000"])
        self.assertEqual(text[2].split()[:3], ["n", "-", "-"])
        self.assertEqual(text[4], "m: unsupported: Odd: why (1)")
        lines = report([row], False, True).splitlines()
        self.assertEqual(lines[2], "| m | 1 | 0 | 0 | 1 | 4.000 | 25.0 | 1 | 0 | 0 | run |")
        self.assertEqual(summary([row]), "1 file, 0 refused, 1 tensors compared, 0 wrong, "
                         "1 files with unsupported layers, 1 files with an undercut bound")


class Fake(unittest.TestCase):
    """A folder with models/ and a fake of benanza-generate."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        program = self.folder / "bin/benanza-generate"
        program.write_text(GENERATOR.format(python=sys.executable))
        program.chmod(0o755)
        (self.folder / "models/deep").mkdir(parents=True)

    def run_it(self, *flags):
        return subprocess.run([sys.executable, SOURCE / "scripts/real_models.py", self.folder / "models",
                               "--bin", self.folder / "bin", *flags],
                              capture_output=True, text=True, check=False)

    def refused(self, name):
        path = self.folder / "models" / f"{name}.onnx"
        path.write_bytes(b"")
        path.with_name(path.name + ".fake.json").write_text(json.dumps(
            {"status": 1, "stderr": 'benanza-generate: PATH: dimensions have no value: "x" axis 0 (n); '
                                    "give --dim n=N\n"}))


class Program(Fake):
    """What is said before a model is opened."""

    def test_open_dimensions(self):
        self.refused("deep/m")
        finished = self.run_it()
        self.assertEqual((finished.returncode, finished.stderr), (0, "1/1 deep/m\n"))
        self.assertIn("deep/m: not read: open dimensions: write --dim n=N into m.onnx.flags\n",
                      finished.stdout)
        self.assertRegex(finished.stdout, "(?m)^1 file, 1 refused, 0 tensors compared, 0 wrong, ")

    def test_command_line(self):
        for flags, says in (([], "no .onnx files below it"), (["--bin", os.devnull], "no benanza-generate"),
                            (["--measure"], "no bench_onednn"),
                            (["--time", "0"], "--time: '0' is not a number")):
            finished = self.run_it(*flags)
            self.assertEqual((finished.returncode, finished.stdout), (1, ""))
            self.assertRegex(finished.stderr, f"^real-models: .*{says}.*\n$")


@unittest.skipIf(any(importlib.util.find_spec(name) is None for name in ("numpy", "onnx")),
                 "no numpy with onnx")
class Models(Fake):
    """Without ONNX Runtime, shapes are inferred."""

    def add(self, name, said, rows="n"):
        """Relu(x W), W being 8 by 4 numbers of 4 bytes."""
        import numpy
        import onnx
        from onnx import helper, numpy_helper

        kind = onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["y"])], "g",
            [helper.make_tensor_value_info("x", kind, [rows, 8])],
            [helper.make_tensor_value_info("y", kind, None)],
            [numpy_helper.from_array(numpy.ones((8, 4), numpy.float32), "w")])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        path = self.folder / "models" / f"{name}.onnx"
        onnx.save(model, path)
        path.with_name(path.name + ".fake.json").write_text(json.dumps(said))
        return path

    def said(self, shape, cost="measured"):
        return {"graph": {"layers": [layer("MatMul", cost, ("p", "float", [1, 4]), reason="why", bytes=176),
                                     layer("Relu", "measured", ("y", "float", shape), bytes=32)]},
                "flow": {"tensors": [{"name": "x", "type": "float", "shape": [1, 8]}, {"layer": 0}]}}

    def test_right(self):
        path = self.add("deep/right", self.said([1, 4], "unsupported"))
        path.with_name(path.name + ".flags").write_text("--dim k=3\n")
        finished = self.run_it("--out", self.folder / "out")
        self.assertEqual((finished.returncode, finished.stderr), (0, "1/1 deep/right\n"))
        cells = finished.stdout.splitlines()[1].split()
        self.assertEqual(cells[:-1], ["deep/right", "1", "0", "0", "1", "0.000", "100.0", "2", "0", "0"])
        self.assertIn(cells[-1], ("run", "inferred"))
        self.assertIn("deep/right: unsupported: MatMul: why (1)\n", finished.stdout)
        self.assertRegex(finished.stdout, "(?m)^1 file, 0 refused, 2 tensors compared, 0 wrong, ")
        self.assertTrue((self.folder / "out/deep/right/right_b1.graph.json").exists())
        asked = path.with_name(path.name + ".asked").read_text()
        self.assertRegex(asked, "^--batch 1 --out .* --dim k=3$")

    def test_a_stated_batch(self):
        self.assertEqual(stated_batch(str(self.add("fixed", {}, 3))), 3)
        self.assertIsNone(stated_batch(str(self.add("open", {}))))
        self.assertIsNone(stated_batch(str(self.add("zero", {}, 0))))
        self.assertIsNone(stated_batch(os.devnull + "/none"))

    def test_wrong_shape_and_missing_dimensions(self):
        self.add("a_wrong", self.said([4, 1]))
        self.refused("b_open")
        finished = self.run_it()
        self.assertEqual((finished.returncode, finished.stderr), (1, "1/2 a_wrong\n2/2 b_open\n"))
        self.assertIn('a_wrong: wrong: "y": Benanza has float [4, 1], ONNX Runtime float [1, 4]\n',
                      finished.stdout)
        self.assertIn("b_open: not read: open dimensions: write --dim n=N into b_open.onnx.flags\n",
                      finished.stdout)
        self.assertRegex(finished.stdout, "(?m)^2 files, 1 refused, 2 tensors compared, 1 wrong, ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
