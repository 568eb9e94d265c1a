"""What scripts/bench asks of CMake and CTest, for programs that are there already. It runs as a program of its own:

usage: steps.py generate BUILD [OPTION OF benanza-generate...] -- MODEL...
       steps.py measure BUILD --algorithms SET

generate leaves in BUILD/generated what a build does, of .onnx files, names of the zoo, or zoo. measure runs each suite
in BUILD/bin for each operator of BUILD/generated/graphs.txt; results go to BUILD/results, rows to BUILD/measured.log.
SIGTERM ends it when the suite has ended, which gets that signal, too.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

# Short repetitions, spread over the run, each in a process of its own: so many make an interval.
SAMPLING = ("--benchmark_repetitions=5", "--processes=5", "--budget=0.02", "--ctest")
# What bounds rest on most comes first: a run may be stopped.
FIRST_OPERATORS = ("conv", "gemm")
FIRST_SUITES = {"gemm": "cublas"}  # of others cudnn
NOTHING_TO_MEASURE = 77  # by --ctest


def generate(build, options, models):
    zoo = build / "bin/benanza-zoo"
    if "zoo" in models:
        rows = subprocess.run([zoo, "--list"], text=True, capture_output=True, check=True).stdout.splitlines()[1:]
        models = [model for model in models if model != "zoo"] + [row.split()[0] for row in rows]
    files = []
    for model in models:
        if model.endswith(".onnx"):
            files.append(model)
            continue
        (build / "models").mkdir(exist_ok=True)
        files.append(str(build / "models" / f"{model}.onnx"))
        if not os.path.exists(files[-1]):
            subprocess.run([zoo, model, "-o", files[-1]], check=True)
    generated = build / "generated"
    generated.mkdir(exist_ok=True)
    (generated / "refused.txt").unlink(missing_ok=True)
    subprocess.run([build / "bin/benanza-generate", *options, "--skip-refused", generated / "refused.txt",
                    "--out", generated, *files], check=True)
    (generated / "refused.txt").touch()


def generated_set(text, name):
    """A list of generated/tests.cmake: set(BENANZA_OPERATORS "add" "conv")."""
    line = re.search(rf"^set\({name}((?: \"[^\"]*\")*)\)", text, re.MULTILINE)
    return re.findall(r'"([^"]*)"', line[1]) if line else []


def runs(build):
    """(operator, precision) of everything to measure, in order."""
    text = (build / "generated/tests.cmake").read_text()
    operators = generated_set(text, "BENANZA_OPERATORS")
    precisions = generated_set(text, "BENANZA_PRECISIONS")
    stored = {precision: generated_set(text, f"BENANZA_OPERATORS_{precision}")
              for precision in generated_set(text, "BENANZA_STORED_PRECISIONS") if precision not in precisions}
    for operator in sorted(operators, key=lambda name: name not in FIRST_OPERATORS):
        for precision in precisions + [one for one in stored if operator in stored[one]]:
            yield operator, precision


def suites(build):
    """[{name: devices}], those of GPUs before oneDNN."""
    found = {}
    for program in sorted((build / "bin").glob("bench_*")):
        name = program.name.removeprefix("bench_")
        if name.startswith("plan"):
            continue
        asked = subprocess.run([program, "--list-devices"], text=True, capture_output=True, check=False)
        found[name] = len(asked.stdout.splitlines())
    processor = {"onednn": found.pop("onednn")} if "onednn" in found else {}
    return [group for group in (found, processor) if group]


class Measurement:
    def __init__(self, build, algorithms):
        self.build, self.algorithms = build, algorithms
        self.graphs = [f"--graph={build}/generated/{name}" for name in
                       (build / "generated/graphs.txt").read_text().splitlines()]
        self.stopped, self.failed = False, False
        self.log = (build / "measured.log").open("w", encoding="utf-8")
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)

    def stop(self, *_):
        self.stopped = True

    def run(self):
        for group in suites(self.build):
            for operator, precision in runs(self.build):
                say(f"== {operator}, {precision}: {', '.join(group)}")
                first = FIRST_SUITES.get(operator, "cudnn")
                for suite, devices in sorted(group.items(), key=lambda item: item[0] != first):
                    if self.stopped:
                        return
                    self.measure(suite, operator, precision, devices)

    def measure(self, suite, operator, precision, devices):
        """On every device at once, a part on each."""
        folder = self.build / "results" / suite
        progress, children = [], []
        begin, start = self.log.tell(), time.monotonic()
        for part in range(1, max(devices, 1) + 1):
            name, shard = f"{operator}.{precision}", []
            if devices > 1:
                name, shard = f"{name}.{part}of{devices}", [f"--shard={part}/{devices}"]
            progress.append(self.build / f"progress.{part}.json")
            progress[-1].unlink(missing_ok=True)
            children.append(subprocess.Popen(
                [self.build / "bin" / f"bench_{suite}", *self.graphs, *SAMPLING, f"--algorithms={self.algorithms}",
                 f"--precision={precision}", f"--benchmark_filter=^{operator}/.*/{precision}/", *shard,
                 f"--progress={progress[-1]}", f"--benchmark_out={folder / name}.json"],
                stdout=self.log, stderr=self.log,
                env={**os.environ, **({"BENANZA_DEVICE": str(part - 1)} if devices > 1 else {})}))
        while any(child.poll() is None for child in children):
            time.sleep(0.2)
            show(suite, progress, start)
        show(suite, [], start)
        done, rows = progress_of(progress)
        if rows:
            say(f"   {suite}: {done} timings in {time.monotonic() - start:.0f} s")
        for file in progress:
            file.unlink(missing_ok=True)
        bad = [child.returncode for child in children if child.returncode not in (0, NOTHING_TO_MEASURE)]
        if bad and not self.stopped:
            self.failed = True
            why = self.last_line(begin) or f"status {bad[0]}"
            print(f"{suite}, {operator}, {precision} failed: {why}", file=sys.stderr)

    def last_line(self, begin):
        """Of what suites logged since then."""
        with (self.build / "measured.log").open(encoding="utf-8", errors="replace") as log:
            log.seek(begin)
            lines = [line for line in log.read().splitlines() if line.startswith("bench_")]
        return lines[-1] if lines else None


def say(text):
    print(text, flush=True)


def progress_of(files):
    """(done, of how many) timings, of suites' --progress files; (0, 0) before they measure."""
    done = rows = 0
    for file in files:
        try:
            state = json.loads(file.read_text())
        except (OSError, ValueError):
            continue
        rows += state["rows"]
        done += state["before"] + state["done"]
    return done, rows


def show(suite, files, start):
    """On a terminal, one line that the next replaces."""
    if sys.stderr.isatty():
        done, rows = progress_of(files)
        left = (time.monotonic() - start) * (rows - done) / max(done, 1)
        line = f"   {suite}: {done} of {rows} timings, about {left:.0f} s left" if done else ""
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def main(arguments):
    step, build, *rest = arguments
    build = pathlib.Path(build)
    if step == "generate":
        models = rest.index("--")
        try:
            generate(build, rest[:models], rest[models + 1:])
        except subprocess.CalledProcessError:
            return 1  # the program has said why
        return 0
    measurement = Measurement(build, rest[rest.index("--algorithms") + 1])
    measurement.run()
    return 1 if measurement.failed or measurement.stopped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
