#!/usr/bin/env python3
"""scripts/slurm with a real Slurm of three virtual nodes: a node dies, a time limit is hit, a disk is full, a
node is of other hardware. Nothing is lost, nothing is measured twice.

usage: slurm_test.py SOURCE_DIR BIN_DIR
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from slurm_cluster import Cluster, missing

SOURCE, BIN = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SKIPPED = 77

# What happens on a node is in a file of its name, which the test writes.
BENCH = """\
#!/usr/bin/env bash
export FAKE_STAMP=1
source "{folder}/trouble.$SLURMD_NODENAME"
exec "{bench}" "$@"
"""


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number, value):
    """Of a protocol buffer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def relu_model(sizes):
    """ONNX: one Relu of (1, size) for every size, side by side."""

    def value(name, size):
        dims = b"".join(field(1, field(1, extent)) for extent in (1, size))
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))

    graph = b"".join(field(1, field(1, f"x{n}") + field(2, f"y{n}") + field(4, "Relu")) for n in sizes)
    graph += field(2, "relus")
    graph += b"".join(field(11, value(f"x{n}", n)) for n in sizes)
    graph += b"".join(field(12, value(f"y{n}", n)) for n in sizes)
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


class Slurm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="benanza-slurm-")
        self.folder = pathlib.Path(folder)
        self.addCleanup(shutil.rmtree, folder)
        self.folder.chmod(0o755)
        (self.folder / "cluster").mkdir()
        self.cluster = Cluster(self.folder / "cluster")
        # First to be cleaned up: no daemon outlives the test.
        self.enterContext(self.cluster)

        programs = self.folder / "build/bin"
        programs.mkdir(parents=True)
        for name in ("benanza-generate", "benanza-zoo", "benanza-analyze"):
            (programs / name).symlink_to(BIN / name)
        (programs / "bench_fake").write_text(BENCH.format(folder=self.folder, bench=BIN / "bench_fake"))
        (programs / "bench_fake").chmod(0o755)
        (self.folder / "relus.onnx").write_bytes(relu_model(range(8, 8 + 24)))
        for node in ("n1", "n2", "n3"):
            self.trouble(node, "")
        self.out = self.folder / "campaign"
        self.stamps = collections.defaultdict(set)

    def trouble(self, node, text):
        (self.folder / f"trouble.{node}").write_text(text + "\n")

    def slurm(self, *words, status=0):
        finished = subprocess.run([SOURCE / "scripts/slurm", *map(str, words)], text=True, check=False,
                                  capture_output=True, env=self.cluster.environment)
        self.assertEqual(finished.returncode, status, finished.stdout + finished.stderr)
        return finished.stdout + finished.stderr

    def submit(self, *words):
        return self.slurm("submit", "--models", self.folder / "relus.onnx", "--shards", 3, "--suites", "fake",
                          "--build", self.folder / "build", "--out", self.out, "--pause", 1, *words)

    def await_(self, what, condition, seconds=90):
        begin = time.time()
        self.await_quietly(what, condition, seconds)
        print(f"    {time.time() - begin:5.1f} s: {what}", flush=True)

    def await_quietly(self, what, condition, seconds):
        end = time.time() + seconds
        while not condition():
            if time.time() > end:
                logs = "".join(f"== {path}\n{path.read_text()[-1500:]}"
                               for path in sorted(self.out.glob("logs/*")))
                queue = self.cluster.call("squeue", check=False)
                logs += (self.folder / "cluster/slurmctld.log").read_text()[-5000:]
                self.fail(f"{what}: not within {seconds} s\n{queue}{logs}")
            self.look()
            time.sleep(0.1)

    def look(self):
        """Notes what is in the journals and results now."""
        for path in self.out.glob("results/*"):
            # Others are temporary: not written to their end yet.
            if path.suffix not in (".json", ".journal"):
                continue
            try:
                text = path.read_text()
            except FileNotFoundError:
                continue
            if path.suffix == ".journal":
                lines = text.split("\n")[:-1]
                rows = [row for row in map(json.loads, lines) if "name" in row]
            else:
                rows = json.loads(text)["benchmarks"]
            for row in rows:
                self.stamps[row["name"], row["repetition_index"]].add(row["stamp"])

    def rows(self, shard):
        """In the journal."""
        try:
            return (self.out / f"results/fake.{shard}of3.json.journal").read_text().count("\n") - 1
        except FileNotFoundError:
            return 0

    def log(self, shard):
        try:
            return (self.out / f"logs/measure.{shard}.log").read_text()
        except FileNotFoundError:
            return ""

    def is_done(self, mark):
        return (self.out / "done" / mark).exists()

    def queue(self, *options):
        return self.cluster.call("squeue", "-h", "--array", "-o", "%K %T %N", *options).splitlines()

    def expect_everything_once(self):
        self.look()
        rows = [(row["name"], row["repetition_index"]) for path in self.out.glob("results/*.json")
                for row in json.loads(path.read_text())["benchmarks"]]
        self.assertEqual(len(rows), len(set(rows)), "a row is doubled")
        for row, stamps in self.stamps.items():
            self.assertEqual(len(stamps), 1, f"{row} was measured again")
        self.assertEqual(set(rows), set(self.stamps), "a row is lost")
        # What one run measures on one machine.
        listed = subprocess.run([BIN / "bench_fake", f"--graph={next(self.out.glob('graphs/*.graph.json'))}",
                                 "--benchmark_list_tests=true"], text=True, capture_output=True, check=True)
        self.assertEqual({name for name, _ in rows}, set(listed.stdout.split()))
        tallies = json.loads(subprocess.run(
            [BIN / "benanza-analyze", "db", "list", self.out / "results.db", "--format", "json"], text=True,
            capture_output=True, check=True).stdout)
        self.assertEqual(sum(row["rows"] for row in tallies["rows"]), len(rows))
        self.assertIn("</html>", (self.out / "report.html").read_text())
        self.assertIn("LBL sequential", (self.out / "bound.txt").read_text())

    def test_a_full_disk_a_dead_node_and_a_time_limit(self):
        self.trouble("n1", "export FAKE_PAUSE_MS=30")
        self.trouble("n2", "export FAKE_PAUSE_MS=5; ulimit -f 6")
        self.trouble("n3", "export FAKE_PAUSE_MS=60")
        self.submit("--time", 1, "--grace", 45)
        self.await_("all nodes measure", lambda: all(self.rows(shard) > 5 for shard in (1, 2, 3)))
        self.assertEqual(sorted(self.queue("-t", "running")), [f"{n} RUNNING n{n}" for n in (1, 2, 3)])
        status = self.slurm("status", self.out)
        self.assertRegex(status, r"generate   done: graphs\nmeasure    0 of 3 shards, \d+ of \d+ rows; about ")
        self.assertRegex(status, r" 1   on n1 +\d+ of \d+ rows, \d:\d\d:\d\d left\n")
        self.assertRegex(status, r"merge      waits\nreport     waits\n$")

        self.await_("the full disk", lambda: "three times in a row" in self.log(2))
        self.assertIn("cannot write: File too large", self.log(2))
        self.await_("shard 2 ends", lambda: not [line for line in self.queue() if line.startswith("2 ")])
        status = self.slurm("status", self.out, status=1)
        self.assertRegex(status, r" 2   stopped +\d+ of \d+ rows; .* n2: bench_fake ended with status 1, three")
        self.assertIn(f"to go on: scripts/slurm resume {self.out}\n", status)
        # Room again. The other shards are still at it.
        self.trouble("n2", "export FAKE_PAUSE_MS=1")
        self.assertEqual(self.slurm("resume", self.out), "submitted: shards 2, merge and report\n")
        self.assertEqual(self.slurm("resume", self.out), "all shards are queued or done; nothing to resume\n")

        self.cluster.kill_node("n1")
        self.look()
        self.assertFalse(self.is_done("fake.1of3"), "too late")
        self.await_("the time limit", lambda: "time is up: queued again" in self.log(3))
        self.assertFalse(self.is_done("fake.3of3"), "too late")
        self.trouble("n3", "")
        self.await_("the report", lambda: self.is_done("report"))
        for shard in (1, 3):
            self.assertIn(f"shard {shard} of 3, start number 2", self.log(shard))
        # The shard whose time was up is that of the array's number, and was queued again alone.
        self.assertNotIn("start number 2", self.log(2))
        self.expect_everything_once()
        status = self.slurm("status", self.out)
        self.assertRegex(status, r"measure    3 of 3 shards, (\d+) of \1 rows\n")
        self.assertRegex(status, r"merge      done: results.db\nreport     done: report.html, bound.txt\n$")
        self.assertEqual(self.slurm("resume", self.out), "all is done\n")

    def test_nodes_of_other_hardware_are_refused(self):
        # Long enough to be seen running.
        for node in ("n1", "n3"):
            self.trouble(node, "export FAKE_PAUSE_MS=5")
        self.trouble("n2", "export FAKE_THREADS=8")
        # Whichever of the two kinds comes first sets the kind; here, those that are alike.
        self.submit("--", "--exclude=n2")
        self.await_("a system", (self.out / "system/fake.json").exists)
        # The third waits for a node: --exclusive.
        self.await_("two", lambda: len(self.queue("-t", "running")) == 2)
        self.cluster.call("scancel", "--state=pending", "--name=campaign.measure")
        self.await_("shards 1 and 2", lambda: self.is_done("fake.1of3") and self.is_done("fake.2of3"))
        self.slurm("resume", self.out, "--", "--exclude=", "--nodelist=n2")
        self.await_("the refusal", lambda: "cannot measure here" in self.log(3))
        self.assertRegex(self.log(3), r"bench_fake: system/fake.json: these measurements began on \S+ with threads = "
                                      r'"1", and here, on \S+, it is "8"; leave this machine out')
        self.await_("the end", lambda: not self.queue())
        self.assertIn("stopped", self.slurm("status", self.out, status=1))
        self.slurm("resume", self.out)
        self.await_("the report", lambda: self.is_done("report"))
        self.expect_everything_once()


if __name__ == "__main__":
    if missing():
        print(f"skipped: no {', '.join(missing())}; apt-get install slurm-wlm munge")
        sys.exit(SKIPPED)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    unittest.main(argv=sys.argv[:1], verbosity=2)
