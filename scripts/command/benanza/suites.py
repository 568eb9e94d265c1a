"""What the suites of this installation can measure here, and with which libraries."""
import shutil
import subprocess

from benanza.libraries import missing_library

NVIDIA = ("cublas", "cudnn", "cusparse", "cutensor", "nccl", "plan_nvidia")
# Their problems come from the command line or from a plan, not from a model.
NOT_OF_MODELS = ("mpi", "nccl", "plan", "plan_nvidia")


def has_gpu():
    """By what scripts/bench asks, too."""
    return shutil.which("nvidia-smi") is not None


def usable(places, libraries):
    """(suites that can measure a model here, {suite: why not})."""
    good, lacking = [], {}
    for suite in places.suites():
        if suite in NOT_OF_MODELS:
            continue
        if suite in NVIDIA and not has_gpu():
            lacking[suite] = "no NVIDIA GPU here"
            continue
        asked = ask(places, libraries, suite, "--list-devices")
        if asked.returncode == 0 and asked.stdout.strip():
            good.append(suite)
        else:
            lacking[suite] = reason(asked, libraries)
    return good, lacking


def ask(places, libraries, suite, flag):
    return subprocess.run([places.program(f"bench_{suite}"), flag], text=True, capture_output=True, check=False,
                          env=libraries.environment())


def reason(asked, libraries):
    lines = asked.stderr.strip().splitlines()
    return missing_library(asked.stderr, libraries) or (lines[-1] if lines else "it finds no device")


def grouped(lacking):
    """["cublas, cudnn: no NVIDIA GPU here"]."""
    suites = {}
    for suite, why in lacking.items():
        suites.setdefault(why, []).append(suite)
    return [f"{', '.join(names)}: {why}" for why, names in suites.items()]


def versions(places, libraries, suites):
    """({"oneDNN": "2.6.3"}, {suite: why it cannot say}). Versions are of what is loaded."""
    known, lacking = {}, {}
    for suite in suites:
        asked = ask(places, libraries, suite, "--version")
        if asked.returncode != 0:
            lacking[suite] = reason(asked, libraries)
            continue
        for line in asked.stdout.splitlines():
            name, _, version = line.rpartition(" ")
            # The program, its commit and its compiler come first.
            if name and version[0].isdigit() and not name.startswith(("bench_", "commit", "GNU", "Clang")):
                known[name] = version
    return known, lacking
