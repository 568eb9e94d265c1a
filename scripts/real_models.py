"""Checks how Benanza reads the ONNX files below a folder.

Of each file: the shape and type of every tensor, compared with ONNX Runtime's; how many layers are
measured, moved, free and unsupported, and the share of the weights and caches that unsupported
layers read. With --measure, the floor and the bounds beside ONNX Runtime's latency.

Flags of benanza-generate that a file needs (--dim NAME=N, --input NAME=VALUE) are in FILE.onnx.flags.
Without --batch, a file has the batch that it states, otherwise 1.
"""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from profile_common import Parser, UserError, named_extent, named_text, one_line, positive, run_main
from profile_processes import in_fresh_process
from real_models_coverage import coverage
from real_models_measure import PROGRAMS, measure
from real_models_shapes import compare_shapes, stated_batch, true_shapes
from real_models_table import Row, report, summary

PROGRAM = "real-models"
GENERATOR = "benanza-generate"
SECONDS_TO_READ = 300


def main():
    arguments = parse_arguments()
    for program in [GENERATOR, *(PROGRAMS if arguments.measure else ())]:
        if not os.access(os.path.join(arguments.bin, program), os.X_OK):
            raise UserError(f"{arguments.bin}: no {program}: build it, or say --bin DIR")
    files = find_models(arguments.folder)
    rows = []
    with scratch_folder(arguments.out) as out:
        try:
            for path in files:
                rows.append(check_file(path, out, arguments))
                print(f"{len(rows)}/{len(files)} {rows[-1].name}", file=sys.stderr, flush=True)
        finally:  # after Ctrl-C, too
            print(report(rows, arguments.measure, arguments.markdown))
            print(summary(rows), flush=True)
    sys.exit(1 if any(row.is_bad() for row in rows) else 0)


def parse_arguments():
    parser = Parser(prog=PROGRAM, description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--bin", default=os.path.join(root, "build", "bin"), metavar="DIR",
                        help="where Benanza's programs are; default: build/bin")
    parser.add_argument("--out", metavar="DIR", help="keep the graph files and results here")
    parser.add_argument("--measure", action="store_true",
                        help="also measure with oneDNN and ONNX Runtime, one thread each")
    parser.add_argument("--time", type=positive, default=60, metavar="SECONDS",
                        help="oneDNN's measurements of a model end then; default: %(default)s")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def find_models(folder):
    if not os.path.isdir(folder):
        raise UserError(f"{folder}: no such folder")
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
             if name.endswith(".onnx")]
    if not found:
        raise UserError(f"{folder}: no .onnx files below it")
    return sorted(found)


def scratch_folder(out):
    """`out`, which stays, or a folder that is removed."""
    if out is None:
        return tempfile.TemporaryDirectory(prefix="benanza-real-models.")
    os.makedirs(out, exist_ok=True)
    return contextlib.nullcontext(out)


def check_file(path, out, arguments):
    row = Row(os.path.relpath(path, arguments.folder)[:-len(".onnx")])
    folder = os.path.join(out, row.name)
    try:
        flags = read_flags(path)
        if flags.batch is None:
            flags.batch = in_fresh_process(stated_batch, path) or 1
        graph_file, flow_file = generate(path, flags, folder, arguments.bin)
        graph = read_json(graph_file)
        # There is none of a model that has sequences of tensors, for example.
        flow = read_json(flow_file) if os.path.exists(flow_file) else {"tensors": []}
        row.layers = [layer for layer in graph["layers"] if layer["op"] != "Constant"]
        row.weights = in_fresh_process(coverage, path, graph, flow)
        row.shapes = compare_shapes(graph, flow, true_shapes(path, flags, flow))
        if arguments.measure:
            row.measured = measure(path, flags, flow, graph_file, folder, arguments)
    except UserError as error:
        row.problem = str(error)
    return row


def read_flags(path):
    """The file's flags, of which ONNX Runtime's run needs batch, dim and input."""
    parser = Parser(prog=f"{path}.flags", add_help=False)
    parser.add_argument("--batch", type=positive)
    parser.add_argument("--dim", type=named_extent, action="append", default=[])
    parser.add_argument("--input", type=named_text, action="append", default=[])
    text = ""
    with contextlib.suppress(FileNotFoundError), open(f"{path}.flags", encoding="utf-8") as file:
        text = file.read()
    try:
        return parser.parse_args(shlex.split(text, comments=True))
    except (UserError, ValueError) as error:
        raise UserError(f"{os.path.basename(path)}.flags: {error}")


def generate(path, flags, folder, programs):
    """Paths of the graph file and the flow file that benanza-generate writes."""
    os.makedirs(folder, exist_ok=True)
    command = [os.path.join(programs, GENERATOR), path, "--batch", str(flags.batch), "--out", folder]
    for name, extent in flags.dim:
        command += ["--dim", f"{name}={extent}"]
    for name, value in flags.input:
        command += ["--input", f"{name}={value}"]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, errors="replace",
                                  timeout=SECONDS_TO_READ, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"not read: {GENERATOR} takes more than {SECONDS_TO_READ} s")
    if finished.returncode != 0:
        raise UserError(refusal(path, finished))
    stem = os.path.join(folder, f"{os.path.basename(path)[:-len('.onnx')]}_b{flags.batch}")
    return f"{stem}.graph.json", f"{stem}.flow.json"


def refusal(path, finished):
    """Why benanza-generate reads no model, and what to do where dimensions lack a value."""
    lines = [line for line in finished.stderr.splitlines() if ": warning: " not in line]
    text = lines[-1] if lines else f"{GENERATOR} ended with status {finished.returncode}"
    text = text.removeprefix(f"{GENERATOR}: ").removeprefix(f"{path}: ")
    dims = re.findall(r"--dim (?:'[^']+'|\S+=N)|--batch N", text)
    if "no value" in text and dims:
        return f"not read: open dimensions: write {' '.join(dims)} into {os.path.basename(path)}.flags"
    return f"not read: {text}"


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: not written by {GENERATOR}: {one_line(error)}")


if __name__ == "__main__":
    run_main(PROGRAM, main)
