#!/usr/bin/env python3
"""scripts/test and scripts/test-system with fakes of what they call.

usage: system_test.py SOURCE_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])

# Notes its call.
FAKE = "#!/bin/sh\necho {name} \"$@\" >>{folder}/calls\n"
DEBOOTSTRAP = FAKE + "[ ! -e {folder}/no_network ] || {{ echo 'E: no network'; exit 1; }}\nmkdir -p \"$3/etc\"\n"
APT = FAKE + "[ \"$1\" != indextargets ] || cat {folder}/mirrors\n"
WGET = FAKE + "[ ! -e {folder}/no_answer ]\n"
# In its namespace, a mount changes nothing here.
UNSHARE = "#!/bin/sh\n[ ! -e {folder}/no_mounts ] || exit 1\nshift 3\nexec \"$@\"\n"


class System(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.project = self.folder / "project"
        for name in ("test", "test-system"):
            self.program(self.project / f"scripts/{name}", (SOURCE / f"scripts/{name}").read_text())
        for name, text in (("debootstrap", DEBOOTSTRAP), ("apt-get", APT), ("unshare", UNSHARE),
                           ("mount", FAKE), ("chroot", FAKE), ("wget", WGET), ("id", "#!/bin/sh\necho 0\n"),
                           ("cmake", FAKE), ("ctest", FAKE), ("clang-format", FAKE)):
            self.fake(name, text)
        self.program(self.project / "scripts/install", FAKE.format(name="install", folder=self.folder))
        (self.project / "scripts/onnxruntime_environment.sh").write_text(
            'run_with_onnxruntime() { echo "with_onnxruntime $*" >> ' + f"{self.folder}/calls; }}\n")
        (self.folder / "mirrors").write_text("http://mirror.example/debian\nhttp://other.example/debian\n")
        (self.project / "a.cpp").write_text("int a;\n")
        (self.project / ".gitignore").write_text("/build/\n")
        for words in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *words], cwd=self.project, check=True)
        self.cache = self.folder / "cache"
        self.system = self.cache / "benanza/trixie/system"

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def fake(self, name, text):
        self.program(self.folder / "tools" / name, text.format(name=name, folder=self.folder))

    def run_test(self, *words):
        environment = {**os.environ, "PATH": f"{self.folder}/tools:{os.environ['PATH']}",
                       "XDG_CACHE_HOME": str(self.cache)}
        return subprocess.run([self.project / "scripts/test", *words], text=True, cwd=self.folder,
                              capture_output=True, check=False, env=environment)

    def calls(self):
        path = self.folder / "calls"
        calls = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return calls

    def test_packages_are_installed_before_anything_is_built(self):
        self.assertEqual(self.run_test("--only", "build").returncode, 0)
        calls = self.calls()
        self.assertEqual(calls[0].strip(), "install")
        self.assertEqual([call.split()[0] for call in calls[-6:-2]], ["cmake", "cmake", "ctest", "ctest"])
        self.assertIn("-DBENANZA_WERROR=ON", calls[-6])
        self.assertEqual(calls[-2:], [f"with_onnxruntime scripts/test tests/{name}_test.py {self.project}"
                                      for name in ("real_models", "profile")])

    def test_the_system_is_made_once(self):
        first = self.run_test("--system", "trixie")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        calls = self.calls()
        self.assertIn("debootstrap --variant=minbase trixie "
                      f"{self.cache}/benanza/trixie/incomplete http://mirror.example/debian", calls)
        self.assertRegex(calls[-1], f"^chroot {self.system} .*/srv/source/scripts/test --only build$")
        self.assertTrue((self.system / "srv/source/a.cpp").exists())
        second = self.run_test("--system", "trixie", "--only", "units,instructions")
        self.assertEqual(second.returncode, 0)
        calls = self.calls()
        self.assertFalse([call for call in calls if call.startswith("debootstrap")])
        self.assertRegex(calls[-1], "/srv/source/scripts/test --only units,instructions$")

    def test_flags_come_in_any_order(self):
        folder = self.folder / "elsewhere"
        result = self.run_test("--system", "trixie", "--only", "units", "--folder", str(folder))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(self.calls()[-1], f"^chroot {folder}/system .*/srv/source/scripts/test --only units$")

    def test_what_did_not_change_is_not_compiled_again(self):
        (self.project / "b.cpp").write_text("int b;\n")
        self.run_test("--system", "trixie")
        copies = [self.system / "srv/source" / name for name in ("a.cpp", "b.cpp")]
        for copy in copies:
            os.utime(copy, (1000, 1000))
        (self.system / "srv/source/build").mkdir()
        (self.project / "build").mkdir()
        (self.project / "build/ours").write_text("")
        # As a file of another checkout: different, and older.
        (self.project / "b.cpp").write_text("int c;\n")
        os.utime(self.project / "b.cpp", (500, 500))
        (self.project / "c.cpp").write_text("")
        (self.project / "a.cpp").touch()
        self.run_test("--system", "trixie")
        self.assertEqual(copies[0].stat().st_mtime, 1000)
        self.assertGreater(copies[1].stat().st_mtime, 1000)
        self.assertEqual(copies[1].read_text(), "int c;\n")
        self.assertTrue((self.system / "srv/source/c.cpp").exists())
        self.assertTrue((self.system / "srv/source/build").is_dir())
        self.assertFalse((self.system / "srv/source/build/ours").exists())
        (self.project / "c.cpp").unlink()
        self.run_test("--system", "trixie")
        self.assertFalse((self.system / "srv/source/c.cpp").exists())

    def test_a_folder_of_ones_own(self):
        self.run_test("--system", "trixie", "--folder", self.folder / "mine")
        self.assertTrue((self.folder / "mine/system/srv/source/a.cpp").exists())
        self.assertFalse(self.cache.exists())

    def test_whether_this_machine_can_do_it(self):
        check = ["--system", "trixie", "--check"]
        self.assertEqual(self.run_test(*check).returncode, 0)
        calls = self.calls()
        self.assertIn("wget -q --spider http://mirror.example/debian/dists/trixie/Release", calls)
        self.assertFalse([call for call in calls if call.startswith(("debootstrap", "chroot"))])
        (self.folder / "no_answer").touch()
        self.refused("http://mirror.example/debian does not answer", *check)
        # A system that is there needs no mirror to begin with.
        self.system.mkdir(parents=True)
        self.assertEqual(self.run_test(*check).returncode, 0)

    def refused(self, says, *words, status=1):
        done = self.run_test(*words)
        self.assertEqual(done.returncode, status)
        self.assertRegex(done.stderr, f"^scripts/test(-system)?: .*{says}.*\n$")

    def test_what_is_missing_is_one_line(self):
        (self.folder / "no_mounts").touch()
        self.refused("may not mount here: .*CAP_SYS_ADMIN", "--system", "trixie")
        (self.folder / "no_mounts").unlink()
        (self.folder / "mirrors").write_text("")
        self.refused("no mirror of Debian here: .*--mirror URL", "--system", "trixie")
        (self.folder / "mirrors").write_text("http://mirror.example/debian\n")
        (self.folder / "no_network").touch()
        self.refused("debootstrap failed: E: no network", "--system", "trixie")
        # A folder that was not finished is none.
        self.assertFalse(self.system.exists())
        self.fake("id", "#!/bin/sh\necho 1000\n")
        self.refused("needs root", "--system", "trixie")
        self.refused("say trixie or bookworm", "--system", "sid", status=2)
        self.refused("no such step", "--only", "all", status=2)
        self.refused("--folder goes with --system", "--folder", "x", status=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
