#!/usr/bin/env python3
"""ONNX models run by PyTorch: hand-computed results of small graphs, and scripts/profile-pytorch.

usage: pytorch_onnx_test.py SOURCE_DIR
Skipped (77) where there is no PyTorch with onnx; PYTHON names an interpreter that has them.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

SOURCE = pathlib.Path(sys.argv[1])
SKIPPED = 77
if any(importlib.util.find_spec(name) is None for name in ("torch", "onnx")):
    other = os.environ.pop("PYTHON", None)
    if other:
        os.execvp(other, [other, *sys.argv])
    print("skipped: no PyTorch with onnx")
    sys.exit(SKIPPED)
sys.path.insert(0, str(SOURCE / "scripts"))

import numpy
import onnx
import torch
from onnx import helper
from onnx.backend.test.case.node import collect_testcases

from profile_common import UserError
from pytorch_export import export_program, quiet
from pytorch_onnx import load_onnx
from pytorch_onnx_indices import MORE_OPERATORS

NINE = [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]


def model_of(nodes, shape, constants=None, opset=13):
    """A model of float tensors from "x", of that shape, to "y"."""
    kinds = {"f": onnx.TensorProto.FLOAT, "i": onnx.TensorProto.INT64}
    arrays = {name: numpy.array(value) for name, value in (constants or {}).items()}
    initializers = [helper.make_tensor(name, kinds[array.dtype.kind], array.shape, array.flatten())
                    for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "g",
                              [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
                              initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(op, *inputs, outputs=("y",), name="one", **attributes):
    return helper.make_node(op, inputs, outputs, name=name, **attributes)


class Onnx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.count = 0

    def load(self, nodes, shape, constants=None, opset=13, batch=None):
        self.count += 1
        path = self.folder / f"m{self.count}.onnx"
        onnx.save(model_of(nodes, shape, constants, opset), path)
        model, inputs, _ = load_onnx(str(path), batch, {})
        self.assertEqual(list(inputs[0].shape), [batch or shape[0], *shape[1:]])
        return model

    def expect(self, result, nodes, value, constants=None, opset=13):
        value = torch.tensor(value, dtype=torch.float32)
        model = self.load(nodes, list(value.shape), constants, opset)
        with torch.inference_mode():
            found = model(value)
        torch.testing.assert_close(found, torch.tensor(result, dtype=torch.float32))

    def test_max_pooling(self):
        def pool(**attributes):
            return [node("MaxPool", "x", strides=[2, 2], **attributes)]

        self.expect([[[[5, 6], [8, 9]]]], pool(kernel_shape=[2, 2], pads=[0, 0, 1, 1]), NINE)
        self.expect([[[[5, 6], [8, 9]]]], pool(kernel_shape=[2, 2], ceil_mode=1), NINE)
        self.expect([[[[5]]]], pool(kernel_shape=[2, 2]), NINE)
        self.expect([[[[1, 3], [7, 9]]]], pool(kernel_shape=[2, 2], pads=[1, 1, 0, 0]), NINE)
        self.expect([[[[1, 3], [7, 9]]]], pool(kernel_shape=[3, 3], pads=[2, 2, 0, 0]), NINE)
        self.expect([[[[5, 6], [8, 9]]]], pool(kernel_shape=[2, 2], auto_pad="SAME_UPPER"), NINE)
        self.expect([[[[1, 3], [7, 9]]]], pool(kernel_shape=[2, 2], auto_pad="SAME_LOWER"), NINE)
        negative = [[[[-1, -2, -3], [-4, -5, -6], [-7, -8, -9]]]]
        self.expect([[[[-1, -2], [-4, -5]]]], pool(kernel_shape=[2, 2], pads=[1, 1, 0, 0]), negative)

    def test_average_pooling(self):
        def pool(**attributes):
            return [node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2], **attributes)]

        self.expect([[[[3, 4.5], [7.5, 9]]]], pool(pads=[0, 0, 1, 1]), NINE)
        self.expect([[[[3, 4.5], [7.5, 9]]]], pool(ceil_mode=1), NINE)
        self.expect([[[[1, 2.5], [5.5, 7]]]], pool(pads=[1, 1, 0, 0]), NINE)
        self.expect([[[[3, 2.25], [3.75, 2.25]]]], pool(pads=[0, 0, 1, 1], count_include_pad=1),
                    NINE)
        self.expect([[[[0.25, 1.25], [2.75, 7]]]], pool(pads=[1, 1, 0, 0], count_include_pad=1),
                    NINE)
        self.expect([[[[1, 2.5], [5.5, 7]]]], pool(pads=[1, 1, 1, 1]), NINE)

    def test_convolutions(self):
        four = [[[[1, 2], [3, 4]]]]
        ones = {"w": numpy.ones((1, 1, 2, 2), numpy.float32)}
        self.expect([[[[3], [10]]]], [node("Conv", "x", "w", pads=[1, 0, 0, 0])], four, ones)
        self.expect([[[[10, 6], [7, 4]]]], [node("Conv", "x", "w", auto_pad="SAME_UPPER")], four, ones)
        self.expect([[[[10.5]]]], [node("Conv", "x", "w", "b")], four, {**ones, "b": [0.5]})
        weights = {"w": [[[[1.0, 2], [3, 4]]]]}
        self.expect([[[[3, 4]]]], [node("ConvTranspose", "x", "w", pads=[1, 0, 0, 0])], [[[[1]]]],
                    weights)
        self.expect([[[[4]]]], [node("ConvTranspose", "x", "w", pads=[1, 1, 0, 0])], [[[[1]]]],
                    weights)

    def test_products(self):
        weights = {"w": [[1.0, 2], [3, 4], [5, 6]], "c": [1.0, 0, -1]}
        self.expect([[8, 14, 20]], [node("Gemm", "x", "w", "c", transB=1, alpha=2.0, beta=2.0)],
                    [[1, 1]], weights)
        self.expect([[9, 12]], [node("Gemm", "x", "w")], [[1, 1, 1]], weights)
        self.expect([[9, 12], [9, 12]], [node("Gemm", "x", "w", transA=1)], [[1, 1]] * 3, weights)
        self.expect([[9, 12]], [node("MatMul", "x", "w")], [[1, 1, 1]], weights)
        self.expect([[5], [11], [17]], [node("MatMul", "w", "x")], [[1], [2]], weights)

    def test_normalizations(self):
        constants = {"s": [2.0, 1], "b": [0.0, 1], "m": [1.0, 0], "v": [3.0, 0]}
        self.expect([[[[2]], [[4]]]], [node("BatchNormalization", "x", "s", "b", "m", "v", epsilon=1.0)],
                    [[[[3]], [[3]]]], constants)
        # Three channels, of which each sees its neighbours: 2 / (1 + 3/3 * (1 + 4))^1.
        self.expect([[[[1 / 6]], [[2 / 15]], [[3 / 14]]]],
                    [node("LRN", "x", size=3, alpha=3.0, beta=1.0, bias=1.0)],
                    [[[[1]], [[2]], [[3]]]])
        self.expect([[[[0.25, 0.25]], [[0.25, 0.25]]]], [node("Softmax", "x", axis=1)],
                    [[[[0, 0]], [[0, 0]]]], opset=9)
        self.expect([[[[0.5, 0.5]], [[0.5, 0.5]]]], [node("Softmax", "x", axis=1)],
                    [[[[0, 0]], [[0, 0]]]], opset=13)

    def test_elementwise(self):
        self.expect([[[[-0.5]], [[-1]]]], [node("PRelu", "x", "s")], [[[[-1]], [[-1]]]],
                    {"s": [[[0.5]], [[1.0]]]})
        self.expect([[0, 6, 3]], [node("Clip", "x", "a", "b")], [[-1, 7, 3]], {"a": 0.0, "b": 6.0})
        self.expect([[-1, 2, 2]], [node("Clip", "x", min=-1.0, max=2.0)], [[-7, 7, 3]], opset=6)
        self.expect([[3, 6]], [node("Sum", "x", "x", "x")], [[1, 2]])
        self.expect([[[[3]], [[4]]]], [node("ImageScaler", "x", scale=2.0, bias=[1.0, 2.0])],
                    [[[[1]], [[1]]]])
        self.expect([[1, 0.5]], [node("Div", "a", "x")], [[2, 4]], {"a": [2.0]})
        self.expect([[-1, 1]], [node("Sub", "a", "x")], [[3, 1]], {"a": [2.0]})
        self.expect([[-0.5, 2]], [node("LeakyRelu", "x", alpha=0.5)], [[-1, 2]])

    def test_shapes(self):
        self.expect([[2, 3], [5, 6]], [node("Slice", "x", "s", "e", "a")], [[1, 2, 3], [4, 5, 6]],
                    {"s": [1], "e": [9], "a": [1]})
        self.expect([[2], [5]], [node("Slice", "x", starts=[1], ends=[-1], axes=[1])],
                    [[1, 2, 3], [4, 5, 6]], opset=9)
        self.expect([[3, 1, 2]], [node("Split", "x", outputs=("a", "b"), axis=1, split=[2, 1]),
                                  node("Concat", "b", "a", axis=1, name="two")], [[1, 2, 3]], opset=9)
        self.expect([[[[1, 1], [1, 1]]]], [node("Resize", "x", "", "s")], [[[[1]]]],
                    {"s": [1.0, 1, 2, 2]})
        self.expect([[2.0]], [node("ReduceMean", "x", axes=[2], keepdims=0)], [[[1, 3]]])
        self.expect([[1, 3], [2, 4]], [node("Transpose", "x", perm=[1, 0])], [[1, 2], [3, 4]])
        self.expect([[[1], [2]]], [node("Unsqueeze", "x", axes=[2])], [[1, 2]], opset=9)
        # A shape that is computed from the input's.
        self.expect([1, 2, 3, 4], [
            node("Shape", "x", outputs=("shape",), name="a"),
            node("Gather", "shape", "zero", outputs=("first",), name="b"),
            node("Mul", "first", "two", outputs=("all",), name="c"),
            node("Reshape", "x", "all", name="d")], [[1, 2], [3, 4]], {"zero": [0], "two": [2]})

    def test_gather(self):
        self.expect([[2], [5]], [node("Gather", "x", "at", axis=1)], [[1, 2, 3], [4, 5, 6]],
                    {"at": [1]})
        self.expect([3, 6], [node("Gather", "x", "at", axis=1)], [[1, 2, 3], [4, 5, 6]],
                    {"at": numpy.array(-1)})
        self.expect([[[4, 5], [1, 2]]], [node("Gather", "x", "at")], [[1, 2], [4, 5]],
                    {"at": [[1, 0]]})

    def test_pads(self):
        self.expect([[0, 1, 2, 0, 0]], [node("Pad", "x", "p")], [[1, 2]], {"p": [0, 1, 0, 2]})
        self.expect([[1, 1, 2]], [node("Pad", "x", "p", mode="edge")], [[1, 2]], {"p": [0, 1, 0, 0]})

    def test_operators_of_indices_agree_with_the_tests_of_onnx(self):
        agree = set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cases = collect_testcases(None)
        for case in cases:
            nodes = case.model.graph.node
            # PyTorch may take any of equal elements.
            if len(nodes) == 1 and nodes[0].op_type in MORE_OPERATORS and "same_values" not in case.name:
                if self.agrees(case):
                    agree.add(nodes[0].op_type)
        self.assertEqual(set(MORE_OPERATORS) - agree, set())

    def agrees(self, case):
        """False if PyTorch cannot run it. Inputs are computed or, where they have to be, constant."""
        given, expected = case.data_sets[0]
        for computed in (len(given), 1, 0):
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            for value, array in list(zip(case.model.graph.input, given))[computed:]:
                model.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
            del model.graph.input[computed:]
            path = str(self.folder / f"{case.name}_{computed}.onnx")
            onnx.save(model, path)
            try:
                run, _, _ = load_onnx(path, None, {})
                with torch.inference_mode():
                    found = run(*[torch.from_numpy(array) for array in given[:computed]])
            except (UserError, NotImplementedError, RuntimeError, TypeError):
                continue
            found = found if isinstance(found, tuple) else (found,)
            for one, right in zip(found, expected, strict=True):
                numpy.testing.assert_allclose(one.numpy(), right, 1e-3, 1e-5, err_msg=case.name)
                self.assertEqual(one.shape, right.shape, case.name)
            return True
        return False

    def test_a_batch_size_that_the_model_does_not_have(self):
        model = self.load([node("Reshape", "x", "shape", outputs=("r",), name="flat"),
                           node("MatMul", "r", "w", name="product")], [1, 2, 1, 2],
                          {"shape": [1, 4], "w": numpy.ones((4, 3), numpy.float32)}, batch=2)
        self.assertEqual(list(model(torch.ones(2, 2, 1, 2)).shape), [2, 3])

    def test_another_batch_for_a_file_with_a_class_token(self):
        # A token before two rows of two numbers; the rows of all images, doubled; each image as one row.
        model = self.load([node("Concat", "t", "x", outputs=["c"], axis=1),
                           node("Reshape", "c", "rows", outputs=["r"], name="a"),
                           node("Add", "r", "r", outputs=["d"], name="b"),
                           node("Reshape", "d", "images", name="e")], [1, 2, 2],
                          {"t": numpy.full((1, 1, 2), 9, numpy.float32), "rows": [3, 2], "images": [1, 6]}, batch=2)
        with torch.inference_mode():
            found = model(torch.tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], dtype=torch.float32))
        self.assertEqual(found.tolist(), [[18, 18, 2, 4, 6, 8], [18, 18, 10, 12, 14, 16]])

    def test_modules_are_named_after_nodes(self):
        model = self.load([node("Relu", "x", outputs=("a",), name="block/relu.1"),
                           node("Relu", "a", outputs=("b",), name="lambda"),
                           node("Relu", "b", outputs=("c",), name="train"),
                           node("Relu", "c", name="block/relu_1")], [1, 2])
        self.assertEqual([name for name, _ in model.named_children()],
                         ["block_relu_1", "node_lambda", "node_train", "block_relu_1_2"])
        self.assertEqual(model(torch.tensor([[-1.0, 1]])).tolist(), [[0, 1]])

    def test_weights_that_are_one_constant_become_random_ones(self):
        shape = helper.make_tensor("shape", onnx.TensorProto.INT64, [2], [4, 5])
        model = model_of([helper.make_node("ConstantOfShape", ["shape"], ["w"]),
                          node("MatMul", "x", "w")], [1, 4])
        model.graph.initializer.append(shape)
        path = self.folder / "constant.onnx"
        onnx.save(model, path)
        _, _, said = load_onnx(str(path), None, {})
        self.assertEqual(said, "1 constant weights replaced by random values, seed 20200518")
        module, _, _ = load_onnx(str(path), None, {})
        self.assertGreater(module.one.weight.std().item(), 0.1)

    def test_another_batch_for_a_file_without_weights(self):
        model = model_of([helper.make_node("ConstantOfShape", ["shape"], ["w"]),
                          node("MatMul", "x", "w", outputs=["m"]), node("Reshape", "m", "heads", name="b")], [1, 4])
        for name, values in (("shape", [4, 6]), ("heads", [1, 2, 3])):
            model.graph.initializer.append(helper.make_tensor(name, onnx.TensorProto.INT64, [len(values)], values))
        path = self.folder / "weightless.onnx"
        onnx.save(model, path)
        for batch in (3, 1):
            module, inputs, _ = load_onnx(str(path), batch, {})
            self.assertEqual(list(module(*inputs).shape), [batch, 2, 3])

    def test_what_cannot_be_run_is_named(self):
        for nodes, says in (
                ([node("NonZero", "x")], "node 'one': profile-pytorch cannot run the operator NonZero"),
                ([node("Conv", "x", "x")], "node 'one': Conv: input 'x' must be a constant"),
                ([node("MatMul", "x", "gone")], "node 'one': nothing computes its input 'gone'"),
                ([node("LRN", "x", size=2)], "node 'one': LRN: PyTorch's window of an even size")):
            with self.assertRaisesRegex(UserError, "^.*m[0-9]+.onnx: " + says):
                self.load(nodes, [1, 1, 1, 1])

    @unittest.skipUnless(importlib.util.find_spec("onnxscript"), "no onnxscript")
    def test_exported_programs_keep_the_batch_size_open(self):
        class Tokens(torch.nn.Module):
            """Its shapes contain the batch size, which tracing and a batch of 1 make constants."""

            def __init__(self):
                super().__init__()
                self.first = torch.nn.Parameter(torch.ones(1, 1, 4))

            def forward(self, x):
                rows = x.reshape(x.shape[0], 4, 9).permute(0, 2, 1)
                return torch.cat([self.first.expand(x.shape[0], -1, -1), rows], 1)

        with quiet(), torch.no_grad():
            exported = export_program(torch, Tokens().eval(), (torch.ones(1, 4, 3, 3),))
        dims = [[dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
                for value in (exported.graph.input[0], exported.graph.output[0])]
        self.assertEqual(dims, [["batch", 4, 3, 3], ["batch", 10, 4]])

    def test_several_models_and_batch_sizes_in_one_call(self):
        weights = {"w": numpy.ones((1, 1, 2, 2), numpy.float32)}
        for name, nodes in (("good", [node("Conv", "x", "w")]), ("bad", [node("NonZero", "x")])):
            onnx.save(model_of(nodes, [1, 1, 4, 4], weights), self.folder / f"{name}.onnx")
        finished = subprocess.run(
            [SOURCE / "scripts/profile-pytorch", self.folder / "bad.onnx", self.folder / "good.onnx",
             "--batch", "1,2", "--device", "cpu", "--runs", "3", "--processes", "2", "-o",
             self.folder / "out"],
            env={**os.environ, "PYTHON": sys.executable}, text=True, capture_output=True, check=False)
        self.assertEqual(finished.returncode, 1, finished.stderr)
        self.assertIn("profile-pytorch: 2 of 4 runs failed", finished.stderr)
        self.assertIn("bad.onnx: node 'one': profile-pytorch cannot run", finished.stderr)
        for batch in (1, 2):
            tag = f"good_b{batch}_fp32_cpu"
            record = json.loads((self.folder / "out" / f"{tag}.json").read_text())
            self.assertEqual((record["model"], record["batch"], record["weights"]),
                             ("good", batch, "as in the file"))
            self.assertEqual(len(record["latency_seconds"]), 6)
            self.assertTrue((self.folder / "out" / record["trace"]).is_file())
        self.assertFalse((self.folder / "out/good.onnx").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
