#!/usr/bin/env python3
"""scripts/count, of a tiny repository.

usage: count_test.py SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COUNT = pathlib.Path(sys.argv[1]) / "scripts/count"
LONG = "\n".join(["int long_one() {", *["  f();"] * 59, "}", ""])  # 61 lines
SHORT = "\n".join(["int short_one() {", *["  f();"] * 58, "}", ""])  # 60 lines


class Count(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.git("init", "-q")
        self.commit({"core/problem/a.h": "1\n2\n",
                     "core/problem/a.cpp": SHORT,
                     "core/tests/problem/a_test.cpp": "1\n2\n3\n",
                     "record/logs/x.h": '#include "record/store/y.h"\n',
                     "record/store/y.h": "1\n",
                     "scripts/run": "#!/usr/bin/env bash\n1\n",
                     "scripts/ask.py": "1\n",
                     "scripts/tests/ask_test.py": "1\n2\n",
                     "scripts/requirements.txt": "1\n",
                     "README.md": "three words here\n",
                     "docs/a.md": "two words\n",
                     "docs/results/b.md": "one\n",
                     "models/notes.md": "not counted\n"})

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments],
                       cwd=self.folder, check=True, capture_output=True)

    def commit(self, texts):
        for path, text in texts.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def count(self, *revisions, folder="."):
        return subprocess.run([COUNT, *revisions], cwd=self.folder / folder, text=True, capture_output=True,
                              check=False)

    def rows(self, *revisions, **options):
        """{(title, row): numbers}."""
        found = {}
        for block in self.count(*revisions, **options).stdout.split("\n\n")[:-1]:
            title, *lines = re.sub("(before|files|after|change)", "", block).splitlines()
            for line in lines:
                row, *numbers = re.split(" {2,}", line)
                found[title.strip(), row] = [int(number) for number in " ".join(numbers).split()]
        return found

    def test_lines_and_files_of_each_folder_and_room(self):
        rows = self.rows()
        self.assertEqual(rows["lines of C++", "core"], [62, 2])
        self.assertEqual(rows["lines of C++", "core/problem"], [62, 2])
        self.assertEqual(rows["lines of C++", "record/logs"], [1, 1])
        self.assertEqual(rows["lines of C++", "all"], [64, 4])
        self.assertEqual(rows["lines of C++ tests", "core"], [3, 1])
        self.assertEqual(rows["lines of scripts", "bash"], [2, 1])
        self.assertEqual(rows["lines of scripts", "Python"], [1, 1])
        self.assertEqual(rows["lines of scripts", "Python tests"], [2, 1])

    def test_words_of_documents_and_of_results_apart(self):
        rows = self.rows()
        self.assertEqual(rows["words", "documents"], [5, 2])
        self.assertEqual(rows["words", "docs/results"], [1, 1])

    def test_what_is_not_committed_does_not_count(self):
        (self.folder / "core/problem/a.h").write_text("1\n" * 100)
        self.assertEqual(self.rows(folder="core/problem")["lines of C++", "core"], [62, 2])

    def test_two_revisions_are_before_after_and_their_difference(self):
        self.commit({"core/problem/a.h": "1\n", "suites/cudnn/b.cpp": "1\n"})
        rows = self.rows("HEAD~1", "HEAD")
        self.assertEqual(rows["lines of C++", "core"], [62, 2, 61, 2, -1, 0])
        self.assertEqual(rows["lines of C++", "suites/cudnn"], [0, 0, 1, 1, 1, 1])

    def test_long_functions_and_circles(self):
        self.commit({"core/problem/a.cpp": LONG, "record/store/y.h": '#include "record/logs/x.h"\n'})
        said = self.count("HEAD~1", "HEAD").stdout
        self.assertIn("functions of more than 60 lines: 0 -> 1\n  core/problem/a.cpp:1: 61\n", said)
        self.assertIn("folders of a part that include each other: 0 -> 1\n  record/logs <-> record/store: "
                      "record/logs/x.h, record/store/y.h\n", said)

    def test_a_revision_that_there_is_not(self):
        finished = self.count("nowhere")
        self.assertEqual(finished.returncode, 1)
        self.assertIn("count: ", finished.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
