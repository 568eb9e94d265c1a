#!/usr/bin/env python3
"""The first screen of README.md names both commands, on the systems that scripts/test-system knows.

usage: readme_test.py SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1])
# Of a terminal.
SCREEN = 40
README = (SOURCE / "README.md").read_text().splitlines()
COMMANDS = [line.strip() for line in README if line.startswith("    scripts/")]


class Readme(unittest.TestCase):
    def test_both_commands_are_on_the_first_screen(self):
        first = [line.split()[0] for line in README[:SCREEN] if line.startswith("    scripts/")]
        self.assertLessEqual({"scripts/bench", "scripts/test"}, set(first))

    def test_their_flags_exist(self):
        for command in COMMANDS:
            words = command.split("#")[0].split()
            usage = subprocess.run([SOURCE / words[0], "--help"], text=True, capture_output=True, check=False)
            self.assertEqual(usage.returncode, 0, command)
            for flag in [word.split("=")[0] for word in words if word.startswith("--")]:
                self.assertRegex(usage.stdout, rf"{flag}\b", command)

    def test_both_set_up_what_is_missing(self):
        for name in ("bench", "test"):
            self.assertRegex((SOURCE / "scripts" / name).read_text(), r'(?m)^ *("\$root/)?scripts/install', name)

    def test_the_systems_are_those_that_are_tested(self):
        versions = {"12": "bookworm", "13": "trixie"}
        text = "\n".join(README)
        named = set(re.findall(r"Debian (\d+)", text)) | set(re.findall(r"Debian \d+ (?:or|and) (\d+)", text))
        self.assertEqual(named, set(versions))
        known = (SOURCE / "scripts/test-system").read_text()
        for version, name in versions.items():
            self.assertIn(f"{name} ({version})", known)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
