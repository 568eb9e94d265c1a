"""benanza bench: scripts/bench without its sources. This checks the options, gathers the programs that can run here,
and hands over."""
import os
import pathlib
import shutil
import sys

from benanza.libraries import Refused
from benanza.suites import grouped, usable, versions

USAGE = """\
usage: benanza bench MODEL... [--out DIR] [--time LIMIT] [--libraries torch|system|DIR] [OPTION...]

MODEL        an .onnx file, a name of the zoo (benanza zoo --list), or zoo for all of it
--out        folder of everything measured, continued by the next run (default: benanza-MODEL)
--time       stop measuring after this long, 90s, 5m or 2h; all: when everything is measured (default: 5m)
--libraries  of NVIDIA: PyTorch's packages (default, if there are any), the system's, or a folder's
--batch      batch sizes, 1,8 (default: 1)
--dim        value of a dimension that a model leaves open: NAME=N or TENSOR:AXIS=N
--input      values of an input that decides what a model does: NAME=VALUE[,VALUE...]
--expert-load  tokens of each expert of a mixture: balanced (default), power_law:ALPHA or N,N,...
--precision  fp32, bf16, int8, ... (default: fp32)
--algorithms best, leading (the library's top few per method), all (default) or search (every setting, briefly)
--training   a training step (with SGD, or =adam) instead of inference
--padded     also measure products and convolutions padded to sizes that fast kernels like, copies counted
--profile    run each model with ONNX Runtime, too, and compare; =pytorch: with your PyTorch
--plan       also run each model's calls as one program, checked against ONNX Runtime; =unchecked: with random values
--fresh      measure again what was measured of these models before
--gate       fail if a model is slower than in these results of an earlier run, a copy of DIR/results
--tolerance  of the gate, in percent (default: 5)

A first bound is printed soon. It falls while alternatives are measured. Ctrl-C ends with the report of what there is;
the last line is the path of the same as a page.
"""
VALUED = ("--out", "--time", "--batch", "--dim", "--input", "--expert-load", "--precision", "--algorithms", "--gate",
          "--tolerance")
FLAGS = ("--training", "--training=sgd", "--training=adam", "--profile", "--profile=onnxruntime", "--profile=pytorch",
         "--padded", "--plan", "--plan=unchecked", "--fresh")
NEEDS_SOURCES = {"--onednn": "another oneDNN needs a build: scripts/bench of the sources has this option",
                 "--build": "there is nothing to build: say --out DIR",
                 "--set": "DeepBench needs the sources: scripts/bench deepbench",
                 "deepbench": "DeepBench needs the sources: scripts/bench deepbench"}
# What suites cannot do without.
PROGRAMS = ("benanza-generate", "benanza-first-bound", "benanza-analyze", "benanza-zoo", "bench_plan",
            "bench_plan_nvidia")


def parse(arguments):
    """(models, {option: last value}, words for scripts/bench)."""
    models, values, passed, words = [], {}, [], list(arguments)
    while words:
        word = words.pop(0)
        option, equals, value = word.partition("=")
        if option in NEEDS_SOURCES:
            raise Refused(f"{option}: {NEEDS_SOURCES[option]}")
        if option in VALUED:
            if not equals and not words:
                raise Refused(f"{option} needs a value")
            values[option] = value if equals else words.pop(0)
            if option != "--out":
                passed += [option, values[option]]
        elif word in FLAGS:
            passed.append(word)
        elif word.startswith("-"):
            raise Refused(f"unknown option {word}; --help lists them")
        else:
            models.append(word)
            passed.append(word)
    if not models:
        raise Refused("name a model: an .onnx file, or a name that benanza zoo --list shows")
    return models, values, passed


def default_folder(models):
    return "benanza-" + pathlib.Path(models[0]).name.removesuffix(".onnx") + ("-and-more" if models[1:] else "")


def gather(places, suites, folder):
    """<folder>/bin: links to the programs that can run here, and to no others."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if not old.is_symlink():
            raise Refused(f"--out {folder.parent}: a build is there; name another folder")
        old.unlink()
    for name in (*PROGRAMS, *(f"bench_{suite}" for suite in suites)):
        if places.program(name):
            (folder / name).symlink_to(places.program(name))


def bench(arguments, places, libraries):
    """Does not return, but for errors."""
    if {"-h", "--help"} & set(arguments):
        print(USAGE, end="")
        return 0
    models, values, passed = parse(arguments)
    if not shutil.which("bash"):
        raise Refused("bench needs bash")
    suites, lacking = usable(places, libraries)
    if not suites:
        raise Refused("no suite can run here: " + "; ".join(grouped(lacking)))
    out = pathlib.Path(values.get("--out") or default_folder(models)).resolve()
    gather(places, suites, out / "bin")
    known, _ = versions(places, libraries, suites)
    of_nvidia = f"; NVIDIA's from {libraries.source}" if {"cudnn", "cublas"} & set(suites) else ""
    print("measures " + ", ".join(f"{name} {version}" for name, version in known.items()) + of_nvidia)
    for line in grouped(lacking):
        print(f"not measured: {line}")
    sys.stdout.flush()
    if "--time" not in values:
        passed += ["--time", "5m"]
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    environment = {"BENANZA_VENV": f"{cache}/benanza/onnxruntime", "PYTHON": libraries.python,
                   **libraries.environment(), "BENANZA_PYTHON": sys.executable, "BENANZA_BENCH": "benanza bench",
                   "BENANZA_STEPS": str(pathlib.Path(__file__).with_name("steps.py"))}
    os.execvpe("bash", ["bash", str(places.scripts / "bench"), *passed, "--build", str(out)], environment)
    return 1
