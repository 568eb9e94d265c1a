#!/usr/bin/env python3
"""The extents that scripts/onnx_models.py gives a model's inputs, without the package onnx.

usage: onnx_models_test.py SOURCE_DIR
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import unittest
from types import SimpleNamespace

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts"))

from onnx_models import batch_axis, bind_dimensions, named_extent_of, read_taken_inputs
from onnx_rebatch import Shapes, narrow_constants, scaled_sizes, scaled_target
from profile_common import UserError, named_extent


class Dimension:
    """Of a protobuf message: a number, a name, or neither."""

    def __init__(self, text):
        self.dim_value = text if isinstance(text, int) else None
        self.dim_param = "" if isinstance(text, int) else text

    def HasField(self, name):
        return getattr(self, name) is not None


def tensor(name, *dims):
    shape = SimpleNamespace(dim=[Dimension(dim) for dim in dims])
    return SimpleNamespace(name=name, type=SimpleNamespace(tensor_type=SimpleNamespace(shape=shape)))


def node(op, *inputs, **attributes):
    return SimpleNamespace(op_type=op, input=list(inputs), output=["y"],
                           attribute=[SimpleNamespace(name=n, i=v) for n, v in attributes.items()])


def model(*inputs, nodes=()):
    return SimpleNamespace(graph=SimpleNamespace(input=list(inputs), initializer=[], node=list(nodes),
                                                 value_info=[], output=[]))


def extents(bound):
    return [[dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in bound.graph.input]


class Type:
    """Of a value, as protobuf has it: whoever writes to a kind makes the value one of that kind."""

    def __init__(self, kind):
        self.kind, self.cleared = kind, []
        self.tensor_type = SimpleNamespace(ClearField=self.cleared.append)

    def HasField(self, kind):
        return kind == self.kind


class Binding(unittest.TestCase):
    def test_the_batch_of_time_major_inputs_is_axis_1(self):
        lstm = model(tensor("x", 25, 3, 256), tensor("h", 1, 3, 512),
                     nodes=[node("LSTM", "x", "w", "r", "", "", "h")])
        self.assertEqual(bind_dimensions(None, lstm, None, {}), 3)
        self.assertEqual(extents(lstm), [[25, 3, 256], [1, 3, 512]])
        open_lstm = model(tensor("x", 25, "n", 256), nodes=[node("LSTM", "x", "w", "r")])
        self.assertEqual(bind_dimensions(None, open_lstm, 2, {}), 2)
        self.assertEqual(extents(open_lstm), [[25, 2, 256]])
        self.assertEqual(batch_axis(model(nodes=[node("GRU", "x", "w", "r", layout=1)]), "x"), 0)

    def test_a_first_dimension_that_is_stated_by_name_has_that_value(self):
        two = model(tensor("tokens", "t", 4), tensor("lengths", "n"))
        bind_dimensions(None, two, 2, {"t": 7})
        self.assertEqual(extents(two), [[7, 4], [2]])

    def test_the_batch_is_that_of_the_first_input_with_such_an_axis(self):
        two = model(tensor("condition"), tensor("x", 2, 8), tensor("past", "n", 3))
        self.assertEqual(bind_dimensions(None, two, 1, {}), 1)
        self.assertEqual(extents(two), [[], [1, 8], [1, 3]])
        with self.assertRaisesRegex(UserError, "have no such dimension"):
            bind_dimensions(None, model(tensor("condition")), 1, {})

    def test_only_tensors_among_the_outputs_lose_their_shape(self):
        outputs = [SimpleNamespace(type=Type(kind)) for kind in ("tensor_type", "sequence_type")]
        classes = model(tensor("x", "n", 4))
        classes.graph.output = outputs
        bind_dimensions(None, classes, 2, {})
        self.assertEqual([value.type.cleared for value in outputs], [["shape"], []])

    def test_lengths_are_those_that_the_flow_file_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.flow.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"tensors": [{"name": "x", "shape": [2, 7]}, {"name": "lengths", "taken": 7}]}, file)
            self.assertEqual(read_taken_inputs(path), {"lengths": "7"})
            self.assertEqual(read_taken_inputs(None), {})
            with open(path, "w", encoding="utf-8") as file:
                file.write("[]")
            with self.assertRaisesRegex(UserError, "not a flow file"):
                read_taken_inputs(path)

    def test_an_extent_may_be_0(self):
        self.assertEqual(named_extent("past=0"), ("past", 0))
        self.assertEqual(named_extent("past=127"), ("past", 127))
        with self.assertRaises(argparse.ArgumentTypeError):
            named_extent("past=-1")

    def test_names_are_sums_and_products_of_others(self):
        dims = {"past": 127, "new": 1, "heads": 4}
        self.assertEqual(named_extent_of("past + new", dims), 128)
        self.assertEqual(named_extent_of("2*heads + 1", dims), 9)
        self.assertEqual(named_extent_of("past-new", dims), 126)
        self.assertEqual(named_extent_of("past", dims), 127)
        for name in ("", "other", "past + other", "floor(past)"):
            self.assertIsNone(named_extent_of(name, dims))
        bound = model(tensor("x", "n", "new"), tensor("mask", "n", "past + new"), tensor("k", "n", "n"))
        bind_dimensions(None, bound, 2, dims)
        self.assertEqual(extents(bound), [[2, 1], [2, 128], [2, 2]])

    def test_sums_follow_from_the_batch(self):
        bound = model(tensor("lengths", "batch + 1"), tensor("x", "2*batch", 2), tensor("y", "batch"))
        self.assertEqual(bind_dimensions(None, bound, 4, {}), 4)
        self.assertEqual(extents(bound), [[5], [8, 2], [4]])

    def test_minus_one_is_open_and_0_is_an_extent(self):
        bound = model(tensor("x", -1, 3, -1), tensor("past", "n", 0))
        bind_dimensions(None, bound, 1, {"x:2": 48})
        self.assertEqual(extents(bound), [[1, 3, 48], [1, 0]])
        with self.assertRaisesRegex(UserError, r"dimension 2 is not known; say --dim x:2=N"):
            bind_dimensions(None, model(tensor("x", -1, 3, -1)), 1, {})
        with self.assertRaisesRegex(UserError, r"dimension 0 is not known; say --batch N"):
            bind_dimensions(None, model(tensor("x", "n", 3)), None, {})


class Rebatch(unittest.TestCase):
    """A file of batch 2, at batch 6: generator/onnx/infer/rebatch.cpp does the same."""

    def test_targets_of_reshape_grow_if_the_elements_do(self):
        def scaled(target, data, copies=True):
            return scaled_target(target, data, copies, 2, 6)
        self.assertEqual(scaled([2, 12], [6, 3, 4]), [6, 12])
        self.assertEqual(scaled([16, 5], [6, 8, 5]), [48, 5], "the batch times 8 heads")
        self.assertEqual(scaled([2, 0, 2, 2], [6, 3, 4]), [6, 0, 2, 2], "0 copies an extent")
        self.assertIsNone(scaled([2, 0, 2, 2], [6, 3, 4], copies=False))
        self.assertIsNone(scaled([2, 12], [2, 3, 4]), "as many elements as before")
        self.assertEqual(scaled([2, -1], [6, 3, 4]), [6, -1])
        self.assertIsNone(scaled([4, -1], [6, 3, 4]), "-1 takes up the batch")
        self.assertIsNone(scaled([2, -1], [3, 6, 4]), "another axis may be the batch")
        self.assertIsNone(scaled([-1, 12], [6, 3, 4]))
        self.assertIsNone(scaled_target([3, 5], [2, 5], True, 2, 3), "3 * 3 / 2 is no extent")
        self.assertEqual(scaled_target([15, 8, 16], [15, 1, 64], True, 2, 1), [15, 4, 16], "sequences come first")

    def test_sizes_of_resize(self):
        self.assertEqual(scaled_sizes([2, 3, 8, 8], [6, 3, 4, 4], 2, 6), [6, 3, 8, 8])
        self.assertIsNone(scaled_sizes([8, 8], [6, 3, 4, 4], 2, 6), "of some axes")
        self.assertIsNone(scaled_sizes([2, 3, 8, 8], [2, 3, 4, 4], 2, 6))

    def test_constants_beside_data_are_repeated(self):
        shapes = Shapes({"data": [6, 4, 8], "token": [2, 1, 8], "wide": [6, 1, 8], "x": [5, 6, 8],
                         "state": [1, 2, 4], "rows": [4, 6, 8]}, {"data", "x", "rows"}, {})

        def found(*arguments, old=2, **attributes):
            return narrow_constants(node(*arguments, **attributes), shapes, old, 6)
        self.assertEqual(found("Concat", "token", "data", axis=1), [(0, 0)])
        self.assertEqual(found("Concat", "data", "unknown", axis=-1), [(1, 0)])
        self.assertEqual(found("Concat", "wide", "data", axis=1), [])
        self.assertEqual(found("Concat", "token", "data", axis=0), [])
        self.assertEqual(found("Concat", "token", "data", axis=-3), [])
        self.assertEqual(found("Concat", "token", "rows", axis=1), [], "its first axis is not the batch")
        self.assertEqual(found("Concat", "token", "data", axis=1, old=4), [], "6 is no multiple of 4")
        self.assertEqual(found("LSTM", "x", "w", "r", "", "", "state", "state"), [(5, 1), (6, 1)])
        self.assertEqual(found("Add", "token", "data"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
