#!/usr/bin/env python3
"""Compares the suite's times with those oneDNN itself prints (DNNL_VERBOSE=1), call by call.

usage: verbose_agreement.py BENCH_ONEDNN RESULTS.json... [--count N]
       verbose_agreement.py BENCH_ONEDNN --problems KEY... [--within FACTOR]

Takes N variants of 50 us and more, spread over the results, or each KEY's first one. Measures it, and
at once once more with the library's own clock running, and prints the ratio of the two medians. Two
runs, because printing costs some 15 us a call, which the suite's clock would count.

With --within, fails if the median ratio is beyond FACTOR or 1 / FACTOR. On a busy machine threads
wait milliseconds for each other, so that then the fastest tenths of several runs are compared, and
the threads are bound to processors.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile


def candidates(files, count):
    rows = []
    for file in files:
        with open(file) as stream:
            rows += json.load(stream)["benchmarks"]
    rows = [row for row in rows if row["status"] == "ok" and row["real_time"] >= 50]
    return rows[:: max(1, len(rows) // count)][:count]


def first_of(bench, key):
    """The first variant that the suite has for a problem."""
    command = [bench, f"--problem={key}", "--benchmark_list_tests"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


# Measuring peaks would print calls, too.
ENVIRONMENT = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "10000", "BENANZA_PEAKS": "none"}


def run(bench, name, verbose):
    """One run of the suite for one variant: its row, and what the library printed."""
    key = "/".join(name.split("/")[:2])
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done = subprocess.run(
            [bench, f"--problem={key}", "--budget=0.3", f"--benchmark_out={out}",
             "--benchmark_filter=^" + re.sub(r"([.+*?^$()\[\]{}|\\])", r"\\\1", name) + "$"],
            env={**ENVIRONMENT, **os.environ, "DNNL_VERBOSE": str(int(verbose))}, capture_output=True, text=True,
            check=True)
        with open(out) as stream:
            return json.load(stream)["benchmarks"][0], done.stdout


def fast(times):
    """The tenth of the times that is the fastest is at most this long."""
    return sorted(times)[len(times) // 10]


def measure(bench, name, summary):
    """Seconds per call: a summary of the suite's samples, and of the library's own lines."""
    row, _ = run(bench, name, verbose=False)
    _, printed = run(bench, name, verbose=True)
    times = {}
    for line in printed.splitlines():
        # "onednn_verbose,exec,cpu,convolution,jit:avx2,..."; since 3.3 "onednn_verbose,v1,primitive,exec,...".
        call = re.match(r"onednn_verbose,(?:v1,primitive,)?exec,[^,]*,([^,]*),([^,]*),.*,([^,]*)$", line)
        if call:
            times.setdefault(call.groups()[:2], []).append(float(call.group(3)) * 1e-3)
    # The calls that were timed are by far the most; the rest convert operands and results.
    own = max(times.values(), key=len)
    return summary(row["samples"]), summary(own)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("results", nargs="*")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--problems", nargs="+", default=[])
    parser.add_argument("--within", type=float)
    arguments = parser.parse_args()
    names = [first_of(arguments.bench, key) for key in arguments.problems]
    names += [row["name"] for row in candidates(arguments.results, arguments.count)]
    if not names:
        sys.exit("nothing to compare: give results with variants of 50 us and more, or --problems")
    ratios = []
    attempts, summary = (3, fast) if arguments.within else (1, statistics.median)
    for name in names:
        runs = [measure(arguments.bench, name, summary) for _ in range(attempts)]
        suite, library = (min(times) for times in zip(*runs))
        ratios.append(suite / library)
        print(f"{ratios[-1]:.3f}  {suite * 1e6:10.1f} us  {library * 1e6:10.1f} us  {name}")
    middle = statistics.median(ratios)
    within = sum(abs(ratio - 1) <= 0.03 for ratio in ratios)
    print(f"median ratio {middle:.3f}; {within} of {len(ratios)} within 3%")
    if arguments.within and not 1 / arguments.within <= middle <= arguments.within:
        sys.exit(f"the suite's clock and the library's differ by more than a factor of {arguments.within}")


if __name__ == "__main__":
    sys.exit(main())
