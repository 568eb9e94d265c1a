#!/usr/bin/env python3
"""The structure of the sources: no two folders include each other, a table of a question is a Table<Row>,
and no function of a question is long.

usage: structure_test.py SOURCE_DIR
"""
import collections
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
# Parts whose folders are checked; all of their files but tests.
PARTS = ("analysis", "models", "record", "suites/harness", "suites/nvidia", "suites/onednn")
LONGEST_FUNCTION = 60
# Tables whose columns are the recordings or the chapters that there are.
MADE_BY_HAND = ("analysis/questions/profile/", "analysis/questions/report.cpp")


def sources(part):
    for path in sorted((SOURCE / part).rglob("*")):
        if path.suffix in (".h", ".cpp") and "tests" not in path.relative_to(SOURCE).parts:
            yield path


def included_folders(texts):
    """{(folder, other folder): [a file of folder that includes one of the other]} of {path: text}."""
    edges = collections.defaultdict(list)
    for path, text in texts.items():
        folder = path.rpartition("/")[0]
        for other in re.findall(r'^#include "([^"]+)/[^"/]+"', text, re.MULTILINE):
            if other != folder:
                edges[folder, other].append(path)
    return edges


def circles(texts):
    edges = included_folders(texts)
    return [f"{a} <-> {b}: {edges[a, b][0]}, {edges[b, a][0]}"
            for a, b in sorted(edges) if a < b and (b, a) in edges]


def functions(text):
    """(first line, number of lines) of functions, outside of types or members of them. As clang-format
    leaves them, they begin at the left, or two blanks from it, and end with a brace below their beginning."""
    lines = text.split("\n")
    in_type = False
    for end, line in enumerate(lines):
        if re.match(r"(template.*)?(struct|class|union)\b.*\{$", line):
            in_type = True
        if line.startswith("};"):
            in_type = False
        if line != "}" and not (in_type and line == "  }"):
            continue
        indent = line[:-1]
        begin = next((i for i in range(end - 1, -1, -1) if re.match(indent + r"[\w~]", lines[i])), end)
        if not re.match(r"namespace\b", lines[begin]):
            yield begin + 1, end - begin + 1


class Structure(unittest.TestCase):
    def test_no_two_folders_include_each_other(self):
        for part in PARTS:
            texts = {str(path.relative_to(SOURCE)): path.read_text() for path in sources(part)}
            self.assertEqual(circles(texts), [])

    def test_functions_of_questions_are_short(self):
        long = [f"{path.relative_to(SOURCE)}:{line}: {count} lines"
                for path in sources("analysis/questions")
                for line, count in functions(path.read_text()) if count > LONGEST_FUNCTION]
        self.assertEqual(long, [])

    def test_tables_of_questions_are_made_by_table(self):
        names = [str(path.relative_to(SOURCE)) for path in sources("analysis/questions")
                 if re.search(r"^ *Sheet \w+\{", path.read_text(), re.MULTILINE)]
        self.assertEqual([name for name in names if not name.startswith(MADE_BY_HAND)], [])


class Self(unittest.TestCase):
    """The checks find what they look for."""

    def test_circles(self):
        texts = {"a/x.h": '#include "b/y.h"\n', "b/y.h": '#include "a/c/z.h"\n', "b/z.cpp": '#include "a/x.h"\n'}
        self.assertEqual(circles(texts), ["a <-> b: a/x.h, b/z.cpp"])
        del texts["b/z.cpp"]
        self.assertEqual(circles(texts), [])

    def test_functions(self):
        text = "\n".join(["namespace a {", "", "/// One.", "int one() {", "", "  return 1;", "}", "",
                          "struct Two {", "  int two(int a,", "          int b) {", "    return 2;", "  }", "  int three = 3;",
                          "};", "", "}  // namespace a"])
        self.assertEqual(list(functions(text)), [(4, 4), (10, 4)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
