#!/usr/bin/env python3
"""benanza-regress, as a person runs it: two folders with a suite each, the second of which says that some
calls take longer.

usage: regress_test.py SOURCE_DIR BENANZA_REGRESS BENCH_FAKE
"""
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

REGRESS, FAKE = map(pathlib.Path, sys.argv[2:4])

# Runs the suite, then multiplies the times of calls whose name holds a text.
SLOWED = """#!/usr/bin/env python3
import json, subprocess, sys
status = subprocess.run(["{fake}", *sys.argv[1:]], close_fds=False).returncode
for word in sys.argv[1:]:
    if not word.startswith("--benchmark_out="):
        continue
    path = word.split("=", 1)[1]
    results = json.load(open(path))
    for row in results["benchmarks"]:
        if "{text}" in row["name"] and row["status"] == "ok":
            if {factor} is None:
                row.update(status="unsupported", reason="not any more")
            else:
                row["samples"] = [sample * {factor} for sample in row["samples"]]
    results["context"]["benanza"]["system"]["fake_version"] = "1"
    json.dump(results, open(path, "w"))
sys.exit(status)
"""


class Regress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, name, text="nothing", factor=1):
        """A folder whose bin/bench_fake says that calls with `text` in their names take longer."""
        program = self.folder / name / "bin" / "bench_fake"
        program.parent.mkdir(parents=True)
        program.write_text(SLOWED.format(fake=FAKE, text=text, factor=factor))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return self.folder / name

    def regress(self, before, after, *more):
        return subprocess.run(
            [REGRESS, "--before", before, "--after", after, "--backend", "fake", "--problem", "relu/1x8",
             "--problem", "relu/2x8", "--algorithms", "all", "--filter", "direct", *more],
            text=True, capture_output=True, check=False)

    def test_the_same_twice_is_no_regression(self):
        out = self.folder / "out"
        done = self.regress(self.build("a"), self.build("b"), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 lost, 0 kernel, 0 heuristic", done.stdout)
        # Four visits to every call on either side, in turns, are kept; after two of them its operands
        # lie elsewhere.
        for side in ("before", "after"):
            results = json.loads((out / "fake" / f"000_{side}.json").read_text())
            self.assertEqual([len(row["samples"]) for row in results["benchmarks"]], [4] * 4)
            self.assertEqual(results["context"]["operands_moved"], "4")

    def test_a_call_that_only_one_side_has_is_lost(self):
        done = self.regress(self.build("a"), self.build("b", "relu/2x8/fp32/nhwc", None))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("1 lost", done.stdout)

    def test_a_slower_call_is_named_with_a_line_that_measures_it_again(self):
        junit = self.folder / "junit.xml"
        done = self.regress(self.build("a"), self.build("b", "relu/2x8/fp32/nhwc", 1.5), "--junit", junit)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("1 kernel", done.stdout)
        self.assertIn("1.500", done.stdout)
        self.assertIn(f"{self.folder}/b/bin/bench_fake --fresh", done.stdout)
        (suite,) = xml.etree.ElementTree.parse(junit).getroot()
        self.assertEqual(suite.get("failures"), "1")
        failed = [case.get("name") for case in suite if case.find("failure") is not None]
        self.assertEqual(failed, ["relu/2x8/fp32/nhwc/fake/direct"])

    def versions(self, places, *more):
        return subprocess.run([REGRESS, "--versions", "fake=" + ",".join(map(str, places)), *more],
                              text=True, capture_output=True, check=False)

    def test_of_several_versions_the_one_that_is_slower_is_named(self):
        places = [self.build("a"), self.build("b", "relu/2x8/fp32/nhwc", 1.5),
                  self.build("c", "relu/2x8/fp32/nhwc", 1.5)]
        done = self.versions(places, "--problem", "relu/1x8", "--problem", "relu/2x8", "--algorithms",
                             "all", "--filter", "direct", "--format", "json")
        self.assertEqual(done.returncode, 3, done.stderr)
        first = json.loads(done.stdout)["reports"][0]
        self.assertEqual(len(first["versions"]), 3)
        (change,) = first["changes"]
        self.assertEqual(change["came_in"], first["versions"][1])
        self.assertEqual(change["problem"], "relu/2x8/fp32/nhwc/fake/direct")

    def test_known_failures_are_looked_for_in_each_version(self):
        known = self.folder / "fake.tsv"
        known.write_text("library\tprecision\tproblem\tsize\tfrom\tto\tfixed\twhere\tsymptom\tsource\tnote\n"
                         "fake\tfp32\trelu/1x8\tsource\t1\t1\t\t\tcrash\thttps://example.org\t\n")
        cases = self.folder / "known.cases"
        done = self.regress("here", "here", "--known", known, "--cases", cases)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("relu/1x8 fp32 -> ok if supported", cases.read_text())
        done = self.versions([self.build("a")], "--known", known, "--format", "json")
        (row,) = json.loads(done.stdout)["reports"][0]["known_failures"]
        self.assertEqual(row["problem"], "relu/1x8")
        self.assertEqual(row["verdict"], "found" if done.returncode == 3 else "missed")

    def test_errors_are_one_line(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for before, after, words in ((self.folder / "none", "here", "no such folder"),
                                     (empty, "here", "neither bin/bench_fake nor shared libraries")):
            done = self.regress(before, after)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_missing_version_is_told_before_others_are_measured(self):
        known = self.folder / "fake.tsv"
        known.write_text("library\tprecision\tproblem\tsize\tfrom\tto\tfixed\twhere\tsymptom\tsource\tnote\n"
                         "fake\tfp32\trelu/1x8\tsource\t1\t1\t\t\tcrash\thttps://example.org\t\n")
        work = self.folder / "rounds"
        for flags in (["--known", known], ["--problem", "relu/1x8"]):
            done = self.versions(["here", self.folder / "none"], "--out", work, *flags)
            self.assertEqual(done.returncode, 1)
            self.assertIn("none: no such folder", done.stderr)
            self.assertFalse(list(work.glob("**/*.json")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
