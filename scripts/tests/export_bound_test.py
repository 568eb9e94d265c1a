#!/usr/bin/env python3
"""scripts/export-bound with an answer made by hand.

usage: export_bound_test.py SOURCE_DIR
"""
import json
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve() / "scripts/export-bound"


def report(model, partial=False):
    return {"model": model, "batch": 8, "precision": "fp16", "partial": partial,
            "bounds": {"sequential": {"seconds": 2e-3, "spread_seconds": [1.5e-3, 2.5e-3]}},
            "ladder": {"fused_seconds": 1e-3, "frameworks": [{"name": "pytorch, CUDA graph", "seconds": 4e-3}]}}


class Export(unittest.TestCase):
    def export(self, to, answer):
        finished = subprocess.run([SCRIPT, "--to", to], input=answer, text=True, capture_output=True, check=False)
        return finished.returncode, finished.stdout, finished.stderr

    def test_bencher(self):
        status, out, _ = self.export("bencher", json.dumps({"reports": [report("net")]}))
        self.assertEqual(status, 0)
        found = json.loads(out)
        self.assertEqual(list(found), ["net/batch 8/fp16/bound", "net/batch 8/fp16/bound with fusion",
                                       "net/batch 8/fp16/pytorch, CUDA graph"])
        latency = found["net/batch 8/fp16/bound"]["latency"]
        for key, nanoseconds in (("value", 2e6), ("lower_value", 1.5e6), ("upper_value", 2.5e6)):
            self.assertAlmostEqual(latency[key], nanoseconds)
        self.assertEqual(list(found["net/batch 8/fp16/bound with fusion"]["latency"]), ["value"])

    def test_github_action_benchmark(self):
        status, out, _ = self.export("github-action-benchmark", json.dumps({"reports": [report("net")]}))
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)[0], {"name": "net/batch 8/fp16/bound", "unit": "ms", "value": 2,
                                              "range": "1.5 to 2.5"})

    def test_a_partial_bound_is_left_out(self):
        answer = json.dumps({"reports": [report("net"), report("half", partial=True)]})
        status, out, said = self.export("bencher", answer)
        self.assertEqual((status, said), (1, "export-bound: half: its bound is PARTIAL and left out\n"))
        self.assertNotIn("half", out)

    def test_what_is_no_answer_is_refused(self):
        for answer in ("", "[]", '{"reports": [{"model": "m", "partial": false}]}', '{"reports": 1}'):
            status, out, said = self.export("bencher", answer)
            self.assertEqual((status, out), (1, ""), answer)
            self.assertEqual(said, "export-bound: this is no answer of `benanza-analyze bound --format json`\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
