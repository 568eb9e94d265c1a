"""benanza COMMAND ...: starts the program of each command. Its exit status and signals are its own."""
import os
import pathlib
import re
import subprocess
import sys

from benanza import libraries as vendors
from benanza.bench import FLAGS, VALUED, bench
from benanza.libraries import Refused
from benanza.pages import completion, man
from benanza.places import of_wheel
from benanza.suites import grouped, versions

# Programs of the same name: benanza-generate.
TOOLS = {"generate": "problems of an ONNX model or a recording",
         "record": "run a program and record its calls of these libraries",
         "regress": "compare two builds or libraries by alternating runs",
         "zoo": "a model of the zoo as an ONNX file",
         "analyze": "the questions below: benanza analyze bound is benanza bound"}
OWN = {"bench": "measure a model and report: start here",
       "measure": "run one suite: benanza measure SUITE ..."}
# They load the libraries that are measured.
MEASURE = ("bench", "measure", "regress", "version")


def main(places=None, arguments=None):
    places = places or of_wheel()
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        return dispatch(places, arguments)
    except Refused as refused:
        print(f"benanza: {refused}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"benanza: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def dispatch(places, arguments):
    before = next((i for i, word in enumerate(arguments) if not word.startswith("-") and
                   arguments[i - 1:i] != [vendors.OPTION]), len(arguments))
    wanted, flags = vendors.taken_from(arguments[:before])
    command, rest = "".join(arguments[before:before + 1]), arguments[before + 1:]
    if flags[:1] in (["--man"], ["--completion"]):
        print(page(places, flags + arguments[before:]), end="")
        return 0
    if flags[:1] == ["--version"]:
        command = "version"
    elif flags[:1] in (["--help"], ["-h"]) or not command:
        print(usage(places), end="")
        return 0 if flags else 2
    elif flags:
        raise Refused(f"unknown option {flags[0]}; --help lists what there is")
    if command in MEASURE:
        late, rest = vendors.taken_from(rest)
        chosen = vendors.choose(late or wanted)
        return with_libraries(places, command, rest, chosen)
    if wanted:
        raise Refused(f"{vendors.OPTION} goes with {', '.join(MEASURE[:3])}")
    if command == "serve" and measures_first(rest):
        return serve(places, rest)
    if command in TOOLS:
        return start(places, f"benanza-{command}", rest)
    if command in questions(places):
        return start(places, "benanza-analyze", [command, *rest])
    raise Refused(f"unknown command {command}; --help lists them")


def with_libraries(places, command, rest, chosen):
    if command == "version":
        print(version(places, chosen), end="")
        return 0
    if command == "bench":
        return bench(rest, places, chosen)
    if command == "regress":
        return start(places, "benanza-regress", rest, chosen.environment())
    if not rest or rest[0].startswith("-"):
        raise Refused(f"measure needs a suite: {', '.join(places.suites())}")
    suite = rest[0].removeprefix("bench_")
    return start(places, f"bench_{suite}", rest[1:], chosen.environment())


def measures_first(rest):
    """Of `benanza serve`, a question that is asked of graphs there are: whether a model's file is named instead."""
    own = rest[:rest.index("--")] if "--" in rest else rest
    names = {word.partition("=")[0] for word in own}
    return "--config" in names and "--graph" not in names


def serve(places, rest):
    """Becomes scripts/serve, which comes back for `benanza bench`."""
    sys.stdout.flush()
    environment = {**os.environ, "BENANZA_COMMAND": str(pathlib.Path(sys.argv[0]).resolve()),
                   "BENANZA_PROGRAMS": str(places.programs), "BENANZA_SERVE": "benanza serve"}
    os.execvpe("bash", ["bash", str(places.scripts / "serve"), *rest], environment)
    return 1


def start(places, name, arguments, environment=None):
    """Becomes the program."""
    path = places.program(name)
    if not path:
        raise Refused(f"{name} is not part of this installation; its suites: {', '.join(places.suites())}")
    sys.stdout.flush()
    os.execve(path, [str(path), *arguments], environment or dict(os.environ))
    return 1


def by_name():
    """Today's programs under their own names, in a wheel: benanza-analyze, bench_onednn."""
    places, name = of_wheel(), os.path.basename(sys.argv[0])
    try:
        measures = name.startswith("bench_") or name == "benanza-regress"
        return start(places, name, sys.argv[1:], vendors.choose().environment() if measures else None)
    except Refused as refused:
        print(f"{name}: {refused}", file=sys.stderr)
        return 2


def questions(places):
    """{name: one line} of benanza-analyze."""
    program = places.program("benanza-analyze")
    if not program:
        return {}
    text = subprocess.run([program, "--help"], text=True, capture_output=True, check=False).stdout
    return dict(re.findall(r"^  ([a-z][a-z-]*) {2,}(\S.*)$", text.partition("\nSubcommands:")[2], re.MULTILINE))


def tables(places):
    return {"Commands": OWN | TOOLS, "Questions about graphs, results and profiles": questions(places)}


def closing(places):
    return [f"Suites here: {', '.join(places.suites())}.", "benanza COMMAND --help says more of each.",
            f"{vendors.OPTION}: NVIDIA's libraries from PyTorch's packages (the default where there are any), from the",
            f"system, or from a folder. The variable {vendors.VARIABLE} says the same."]


def usage(places):
    text = f"usage: benanza [{vendors.OPTION} torch|system|DIR] COMMAND ...\n       benanza --version\n"
    for title, rows in tables(places).items():
        text += f"\n{title}\n" + "".join(f"  {name:<19} {line}\n" for name, line in rows.items())
    return "\n".join([text, *closing(places)]) + "\n"


def page(places, flags):
    if flags[0] == "--man":
        return man(own_version(places)[0].split()[-1], tables(places), closing(places))
    commands = [name for rows in tables(places).values() for name in rows]
    return completion(flags[1] if flags[1:] else "bash", commands, TOOLS, (*VALUED, *FLAGS), places.suites())


def own_version(places):
    """Lines: "benanza 0.1.0", the commit, the compiler."""
    program = places.program("benanza-generate")
    text = subprocess.run([program, "--version"], text=True, capture_output=True, check=False).stdout
    return text.replace("benanza-generate", "benanza", 1).splitlines()


def version(places, chosen):
    """The program's, and of each library that a suite loads."""
    known, lacking = versions(places, chosen, places.suites())
    lines = own_version(places) + [f"{name} {number}" for name, number in known.items()]
    if known.keys() & {"cuDNN", "cuBLAS"}:
        lines.append(f"NVIDIA's libraries from {chosen.source}")
    return "\n".join(lines + [f"cannot run here: {line}" for line in grouped(lacking)]) + "\n"
