#!/usr/bin/env python3
"""Kills a suite with SIGKILL at random moments and checks that no finished measurement is lost.

usage: survives_kill.py BENCH FOLDER [--kills 5] [--seed 1] [--longest 5] [-- FLAGS of the suite]

Every start must still know what an earlier one had finished (its journal only grows), and the last
start, which is left alone, must end with all rows, those of the killed ones unchanged. FOLDER is made
anew.
"""
import argparse
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time


def journal_rows(path):
    """Complete lines; the last one may have been cut off."""
    if not path.exists():
        return []
    return path.read_bytes().split(b"\n")[1:-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=5, help="seconds before a kill, at most")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:end])
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    moments = random.Random(arguments.seed)
    out = arguments.folder / "killed.json"
    journal = arguments.folder / "killed.json.journal"
    command = [arguments.bench, f"--benchmark_out={out}", *words[end + 1:]]
    known = []
    for kill in range(arguments.kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.5, arguments.longest))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            sys.exit(f"the suite ended by itself before kill {kill + 1}: give it more to do")
        rows = journal_rows(journal)
        lost = [row for row in known if row not in rows]
        print(f"kill {kill + 1}: {len(rows)} finished, {len(lost)} lost", flush=True)
        if lost:
            sys.exit(1)
        known = rows
    code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    with out.open() as file:
        names = [row["name"] for row in json.load(file)["benchmarks"]]
    kept = sum(1 for row in known if json.loads(row)["name"] in names)
    print(f"left alone: exit {code}, {len(names)} rows, {kept} of {len(known)} earlier ones")
    sys.exit(code != 0 or kept != len(known))


if __name__ == "__main__":
    main()
