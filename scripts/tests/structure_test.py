#!/usr/bin/env python3
"""The structure of the sources: no two folders include each other, a table of a question is a Table<Row>,
no function of a question is long, and files can be compiled together.

usage: structure_test.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts"))
from source_structure import PARTS, circles, functions, is_test, long_functions, repeated_types

# Tables whose columns are the recordings or the chapters that there are.
MADE_BY_HAND = ("analysis/questions/profile/", "analysis/questions/report/overview.cpp")


def sources(part):
    """{path: text} of all files of a part but tests."""
    paths = {str(path.relative_to(SOURCE)): path for path in sorted((SOURCE / part).rglob("*"))
             if path.suffix in (".h", ".cpp")}
    return {name: path.read_text() for name, path in paths.items() if not is_test(name)}


class Structure(unittest.TestCase):
    def test_no_two_folders_include_each_other(self):
        for part in PARTS:
            self.assertEqual(circles(sources(part)), [])

    def test_functions_of_questions_are_short(self):
        self.assertEqual(long_functions(sources("analysis/questions")), {})

    def test_tables_of_questions_are_made_by_table(self):
        names = [name for name, text in sources("analysis/questions").items()
                 if re.search(r"^ *Sheet \w+\{", text, re.MULTILINE)]
        self.assertEqual([name for name in names if not name.startswith(MADE_BY_HAND)], [])


    def test_hidden_types_of_a_part_differ(self):
        for part in ("analysis", "core", "generator", "models", "record", "suites"):
            for wanted in (False, True):
                texts = {str(path.relative_to(SOURCE)): path.read_text() for path in (SOURCE / part).rglob("*.cpp")
                         if is_test(str(path.relative_to(SOURCE))) == wanted}
                self.assertEqual(repeated_types(texts), [])


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

    def test_repeated_types(self):
        one = "namespace a {\nnamespace {\n\nstruct Row {\n};\nclass Later;\nusing Rows = int;\n\n}  // namespace\n" \
              "struct Seen {\n};\n}  // namespace a\n"
        self.assertEqual(repeated_types({"x.cpp": one, "y.cpp": one}), ["a::Row: x.cpp, y.cpp"])
        self.assertEqual(repeated_types({"x.cpp": one, "y.cpp": one.replace("namespace a", "namespace b")}), [])
        other = one.replace("Row ", "Two ").replace("int", "char")
        self.assertEqual(repeated_types({"x.cpp": one, "y.cpp": other}), ["a::Rows: x.cpp, y.cpp"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
