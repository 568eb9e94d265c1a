#!/usr/bin/env python3
"""scripts/install --onednn with fakes of dpkg-query and pip: a version comes whole or not at all.

usage: install_test.py SOURCE_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv[1])

# Makes an environment whose pip "downloads" the wheels of the test; all else is Python's.
PYTHON = """\
#!/bin/sh
[ "$2" = venv ] || exec {python} "$@"
mkdir -p "$3/bin"
cp {folder}/pip "$3/bin/pip"
"""
PIP = """\
#!/bin/sh
echo "$@" >>{folder}/calls
while [ "$1" != -d ]; do shift; done
mkdir -p "$2"
cp {folder}/*.whl "$2"
"""


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "scripts/onednn").mkdir(parents=True)
        shutil.copy(SOURCE / "scripts/install", self.folder / "scripts/install")
        (self.folder / "scripts/onednn/3.2.txt").write_text("wheels\n")
        self.program("tools/dpkg-query", "#!/bin/sh\nprintf 'install ok installed'\n")
        self.program("tools/python3", PYTHON.format(python=sys.executable, folder=self.folder))
        self.program("pip", PIP.format(folder=self.folder))
        self.wheel("library", {"lib/libdnnl.so": "x", "lib/libdnnl.so.3": "x",
                               "lib/libdnnl.so.3.2": "x"})
        self.wheel("headers", {"include/dnnl.h": "", "lib/cmake/dnnl/dnnl-config.cmake": ""})

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def wheel(self, name, files):
        with zipfile.ZipFile(self.folder / f"{name}.whl", "w") as wheel:
            for path, text in files.items():
                wheel.writestr(f"{name}-1.data/data/{path}", text)

    def install(self, *arguments):
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return subprocess.run([self.folder / "scripts/install", *arguments], text=True,
                              capture_output=True, check=False, env={**os.environ, "PATH": path})

    def unpacked(self):
        return sorted(path.name for path in (self.folder / ".onednn").iterdir())

    def test_without_a_version_there_is_nothing_to_do(self):
        finished = self.install()
        self.assertEqual((finished.returncode, finished.stdout + finished.stderr), (0, ""))
        self.assertFalse((self.folder / ".onednn").exists())

    def test_a_version_is_unpacked_once(self):
        for _ in range(2):
            finished = self.install("--onednn", "3.2")
            self.assertEqual((finished.returncode, finished.stderr), (0, ""))
            self.assertIn(f"oneDNN 3.2 is in {self.folder}/.onednn/3.2\n", finished.stdout)
            self.assertIn("-DBENANZA_ONEDNN=3.2", finished.stdout)
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("--require-hashes", calls[0])
        self.assertEqual(self.unpacked(), ["3.2"])
        prefix = self.folder / ".onednn/3.2"
        self.assertTrue((prefix / "include/dnnl.h").exists())
        self.assertTrue((prefix / "lib/cmake/dnnl/dnnl-config.cmake").exists())
        for name in ("libdnnl.so", "libdnnl.so.3"):
            self.assertEqual(os.readlink(prefix / "lib" / name), "libdnnl.so.3.2")

    def test_without_a_network_nothing_is_left(self):
        self.program("pip", "#!/bin/sh\necho 'ERROR: no network' >&2\nexit 1\n")
        finished = self.install("--onednn", "3.2")
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, "^scripts/install: .*pip.*ERROR: no network\n$")
        self.assertEqual(self.unpacked(), [])

    def test_a_version_that_is_not_there(self):
        for version in ([], ["9"]):
            finished = self.install("--onednn", *version)
            self.assertEqual(finished.returncode, 1)
            self.assertIn("there is 3.2\n", finished.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
