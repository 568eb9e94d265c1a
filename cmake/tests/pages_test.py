#!/usr/bin/env python3
"""What the programs write about themselves, as its readers read it: the man pages by groff, the
completions by bash.

usage: pages_test.py BIN_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

BIN = pathlib.Path(sys.argv.pop(1))
PROGRAMS = [name for name in ("benanza-generate", "benanza-analyze", "benanza-record", "benanza-regress",
                              "benanza-zoo", "bench_onednn") if (BIN / name).exists()]

# Completes the words of its arguments, the last one being typed, as Tab does.
COMPLETE = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$(complete -p -- "$1" | sed 's/.*-F \([^ ]*\).*/\1/')"
printf '%s\n' "${COMPREPLY[@]}"
"""


def written(program, *flags):
    return subprocess.run([BIN / program, *flags], check=True, text=True, capture_output=True).stdout


class ManPages(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "needs groff")
    def test_groff_renders_them_without_warnings(self):
        for program in (*PROGRAMS, "benanza"):
            with self.subTest(program):
                finished = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-rCHECKSTYLE=3"],
                                          input=written(program, "--man"), text=True,
                                          capture_output=True, check=True)
                self.assertEqual(finished.stderr, "")
                if program != "benanza":
                    self.assertIn("Print the versions of the program", finished.stdout)

    def test_every_question_has_a_section(self):
        page = written("benanza-analyze", "--man")
        for question in ("bound", "inspect", "db import"):
            self.assertIn(f'.SH "benanza\\-analyze {question}"\n', page)


class Completions(unittest.TestCase):
    def complete(self, program, *words):
        """What bash offers after these words; the last one is being typed."""
        script = BIN.parent / "pages" / f"{program}.bash"
        finished = subprocess.run(["bash", "-c", COMPLETE, "complete", script, program, *words],
                                  check=True, text=True, capture_output=True,
                                  env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual(finished.stderr, "")
        return finished.stdout.split()

    def test_subcommands(self):
        self.assertIn("tensor-cores", self.complete("benanza-analyze", ""))
        self.assertEqual(self.complete("benanza-analyze", "tens"), ["tensor-cores"])
        self.assertEqual(self.complete("benanza-analyze", "db", ""), ["import", "list", "export"])

    def test_flags_are_those_of_the_subcommand(self):
        self.assertIn("--fallback", self.complete("benanza-analyze", "bound", "--"))
        self.assertEqual(self.complete("benanza-analyze", "--"), ["--help", "--version"])
        self.assertEqual(self.complete("benanza-zoo", "resnet50_v1", "--we"), ["--weights"])

    def test_values_that_are_one_of_a_few(self):
        self.assertEqual(self.complete("benanza-zoo", "--weights", "r"), ["random"])
        # bash takes "--format=js" for three words.
        self.assertEqual(self.complete("benanza-analyze", "bound", "--format", "=", "js"), ["json"])
        self.assertEqual(self.complete("benanza-analyze", "bound", "--format", "="),
                         ["table", "markdown", "json", "csv"])

    def test_anything_else_is_left_to_names_of_files(self):
        self.assertEqual(self.complete("benanza-analyze", "bound", "--graph", ""), [])
        self.assertEqual(self.complete("benanza-generate", "resn"), [])

    def test_one_command_hands_over_to_the_programs(self):
        self.assertEqual(self.complete("benanza", "tens"), ["tensor-cores"])
        self.assertEqual(self.complete("benanza", "bench", "--ti"), ["--time"])
        self.assertEqual(self.complete("benanza", "zoo", "--weights", "r"), ["random"])
        self.assertIn("--fallback", self.complete("benanza", "bound", "--"))

    @unittest.skipUnless("bench_onednn" in PROGRAMS, "bench_onednn is not built")
    def test_flags_of_suites_are_of_three_kinds(self):
        offered = self.complete("bench_onednn", "--")
        for flag in ("--algorithms", "--peaks", "--benchmark_filter"):
            self.assertIn(flag, offered)


if __name__ == "__main__":
    unittest.main()
