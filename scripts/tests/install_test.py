#!/usr/bin/env python3
"""scripts/install with fakes of dpkg-query and pip: what it unpacks comes whole or not at all.

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


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("onednn/3.2", "cutensor/2.8.1", "cutensor/2.10.0"):
            path = self.folder / f"scripts/{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("wheels\n")
        shutil.copy(SOURCE / "scripts/install", self.folder / "scripts/install")
        self.program("tools/dpkg-query", "#!/bin/sh\nprintf 'install ok installed'\n")
        self.program("tools/python3", PYTHON.format(python=sys.executable, folder=self.folder))
        self.program("pip", PIP.format(folder=self.folder))

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def wheel(self, name, files):
        with zipfile.ZipFile(self.folder / f"{name}.whl", "w") as wheel:
            for path, text in files.items():
                wheel.writestr(path, text)

    def install(self, *arguments):
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return subprocess.run([self.folder / "scripts/install", *arguments], text=True,
                              capture_output=True, check=False, env={**os.environ, "PATH": path})

    def unpacked(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def expect_nothing_left(self, folder, message, *arguments):
        finished = self.install(*arguments)
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, f"^scripts/install: {message}\n$")
        self.assertEqual(self.unpacked(folder), [])


class Nothing(Case):
    def test_without_an_option_nothing_is_unpacked(self):
        finished = self.install()
        self.assertEqual((finished.returncode, finished.stdout + finished.stderr), (0, ""))
        for folder in (".onednn", ".cutensor"):
            self.assertFalse((self.folder / folder).exists())


class Onednn(Case):
    def setUp(self):
        super().setUp()
        data = "library-1.data/data/lib/libdnnl.so"
        self.wheel("library", {data: "x", f"{data}.3": "x", f"{data}.3.2": "x"})
        data = "headers-1.data/data"
        self.wheel("headers", {f"{data}/include/dnnl.h": "", f"{data}/lib/cmake/dnnl/dnnl-config.cmake": ""})

    def test_a_version_is_unpacked_once(self):
        for _ in range(2):
            finished = self.install("--onednn", "3.2")
            self.assertEqual((finished.returncode, finished.stderr), (0, ""))
            self.assertIn(f"oneDNN 3.2 is in {self.folder}/.onednn/3.2\n", finished.stdout)
            self.assertIn("-DBENANZA_ONEDNN=3.2", finished.stdout)
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("--require-hashes", calls[0])
        self.assertEqual(self.unpacked(".onednn"), ["3.2"])
        prefix = self.folder / ".onednn/3.2"
        self.assertTrue((prefix / "include/dnnl.h").exists())
        self.assertTrue((prefix / "lib/cmake/dnnl/dnnl-config.cmake").exists())
        for name in ("libdnnl.so", "libdnnl.so.3"):
            self.assertEqual(os.readlink(prefix / "lib" / name), "libdnnl.so.3.2")

    def test_without_a_network_nothing_is_left(self):
        self.program("pip", "#!/bin/sh\necho 'ERROR: no network' >&2\nexit 1\n")
        self.expect_nothing_left(".onednn", ".*pip.*ERROR: no network", "--onednn", "3.2")

    def test_wheels_that_hold_something_else(self):
        (self.folder / "library.whl").unlink()
        (self.folder / "headers.whl").unlink()
        self.wheel("other", {"other/file": ""})
        self.expect_nothing_left(".onednn", "cannot unpack oneDNN 3.2 into .*: cp: .*", "--onednn", "3.2")

    def test_a_version_that_is_not_there(self):
        for version in ([], ["9"]):
            finished = self.install("--onednn", *version)
            self.assertEqual(finished.returncode, 1)
            self.assertIn("there is 3.2\n", finished.stderr)


class Cutensor(Case):
    def setUp(self):
        super().setUp()
        self.wheel("cutensor", {"cutensor/include/cutensor.h": "", "cutensor/lib/libcutensor.so.2": "x",
                                "cutensor_cu13-2.10.0.dist-info/RECORD": ""})

    def test_the_newest_version_is_unpacked_once(self):
        for _ in range(2):
            finished = self.install("--cutensor")
            self.assertEqual((finished.returncode, finished.stderr), (0, ""))
            self.assertIn(f"cuTENSOR 2.10.0 is in {self.folder}/.cutensor/2.10.0/cutensor\n", finished.stdout)
            self.assertIn("CMake finds it there", finished.stdout)
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("--require-hashes", calls[0])
        self.assertIn("/scripts/cutensor/2.10.0.txt", calls[0])
        self.assertEqual(self.unpacked(".cutensor"), ["2.10.0"])
        self.assertEqual(self.unpacked(".cutensor/2.10.0"), ["cutensor"])
        self.assertFalse((self.folder / ".onednn").exists())
        prefix = self.folder / ".cutensor/2.10.0/cutensor"
        self.assertTrue((prefix / "include/cutensor.h").exists())
        self.assertEqual(os.readlink(prefix / "lib/libcutensor.so"), "libcutensor.so.2")
        self.assertEqual((prefix / "lib/libcutensor.so").read_text(), "x")

    def test_without_a_network_nothing_is_left(self):
        self.program("pip", "#!/bin/sh\necho 'ERROR: no network' >&2\nexit 1\n")
        self.expect_nothing_left(".cutensor", ".*cuTENSOR.*pip.*: ERROR: no network", "--cutensor")

    def test_of_what_pip_says_the_error_is_shown(self):
        for said, shown in (("ERROR: wrong hash\n  Got 0a", "ERROR: wrong hash"),
                            ("ERROR: Exception:\nTraceback\nOSError: no space", "OSError: no space")):
            self.program("pip", f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
            self.expect_nothing_left(".cutensor", f".*: {shown}", "--cutensor")

    def test_a_wheel_that_is_broken(self):
        (self.folder / "cutensor.whl").write_text("x")
        self.expect_nothing_left(".cutensor", "cannot unpack cuTENSOR 2.10.0 into .*: .*not a zip file",
                                 "--cutensor")

    def test_a_wheel_that_holds_something_else(self):
        self.wheel("cutensor", {"other/file": ""})
        self.expect_nothing_left(".cutensor", "cannot unpack cuTENSOR 2.10.0 into .*: mv: .*", "--cutensor")


class Pins(unittest.TestCase):
    def test_every_wheel_has_a_hash(self):
        files = [*(SOURCE / "scripts/onednn").glob("*.txt"), *(SOURCE / "scripts/cutensor").glob("*.txt")]
        self.assertGreaterEqual(len(files), 2)
        for path in files:
            wheels = [line for line in path.read_text().splitlines() if not line.startswith("#")]
            self.assertTrue(wheels, path)
            for line in wheels:
                self.assertRegex(line, r"^[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
