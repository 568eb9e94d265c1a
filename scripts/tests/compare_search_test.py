#!/usr/bin/env python3
"""compare-search with bench_fake, whose times are made up.

usage: compare_search_test.py SOURCE_DIR BENCH_FAKE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, SUITE = pathlib.Path(sys.argv[1]), sys.argv[2]


def compare(*words):
    return subprocess.run([SOURCE / "scripts" / "compare-search", SUITE, *words], capture_output=True, text=True)


class CompareSearch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    # Of the leading methods, direct is the fastest (100 us). A search goes on from step.150 to step.60.
    def test_table(self):
        done = compare("relu/1x8", "--layout", "nchw", "--out", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1].split(), ["100.00", "60.00", "60.00", "1.000", "1.667", "10", "relu/1x8"])
        self.assertIn("within 1% of the best of the three in 1 of 1 problems, at worst 0.0% behind", done.stdout)
        self.assertIn("leading takes +66.7%", done.stdout)
        self.assertEqual((self.folder / "winners.cases").read_text(),
                         "relu/1x8 fp32 nchw direct\nrelu/1x8 fp32 nchw step.60\n")

    def test_keys_of_a_file_and_flags_of_the_suite(self):
        keys = self.folder / "keys"
        keys.write_text("# two\nrelu/1x8\nrelu/2x8 fp32\n\n")
        done = compare("--keys", keys, "--", "--search-limit=0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--search-limit goes with --algorithms search", done.stderr)
        done = compare("--keys", keys, "--", "--budget=0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in 2 of 2 problems", done.stdout)

    def test_a_problem_without_a_time(self):
        done = compare("relu/1x8", "sigmoid/1x8")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sigmoid/1x8: no time with leading, search, every", done.stdout)
        self.assertIn("in 1 of 1 problems", done.stdout)

    def test_needs_the_suite(self):
        done = subprocess.run([SOURCE / "scripts/compare-search", self.folder / "none", "relu/1x8"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none: no such program; build it first", done.stderr)

    def test_needs_a_problem(self):
        self.assertIn("name a problem", compare().stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
