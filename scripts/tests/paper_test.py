#!/usr/bin/env python3
"""scripts/paper draws a document from results, and checks it.

usage: paper_test.py SOURCE_DIR BUILD_DIR
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

source, build = map(pathlib.Path, sys.argv[1:])
graph_file = source / "analysis/tests/data/small.graph.json"
graph = json.loads(graph_file.read_text())
US = 1e-6
# Every call takes 10 us at fp32 and 4 us at fp16.
SECONDS = {"fp32": 10 * US, "fp16": 4 * US}


def results(path):
    keys = {key for layer in graph["layers"] for key in layer["problems"]}
    rows = []
    for key in sorted(keys):
        layout = "plain" if key.startswith(("gemm", "copy")) else "nchw"
        for precision, seconds in SECONDS.items():
            name = f"{key}/{precision}/{layout}/cudnn/a"
            rows.append({"name": name, "run_name": name, "run_type": "iteration", "repetition_index": 0,
                         "iterations": 30, "real_time": 7.0, "cpu_time": 7.0, "time_unit": "us",
                         "status": "ok", "samples": [seconds, seconds]})
    context = {"date": "today", "num_cpus": 2,
               "benanza": {"schema": 1, "backend": "cudnn", "system": {"device": "a GPU"}}}
    path.write_text(json.dumps({"context": context, "benchmarks": rows}))


def paper(*words):
    return subprocess.run([source / "scripts/paper", "--build", build, *words], text=True, capture_output=True)


def check(condition, *said):
    if not condition:
        sys.exit(" ".join(map(str, said)))


def table(folder, name):
    with open(folder / "tables" / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    results(scratch / "r.json")
    folder = scratch / "a paper"
    asked = ["--results", scratch / "r.json", "--graph", graph_file, "--precision", "fp32,fp16", "--out", folder]
    made = paper(*asked, "--title", "Of a small model")
    check(made.returncode == 0, made.stderr)
    check(made.stdout == f"{folder}/index.html\n", "printed:", made.stdout)

    calls = sum(len(layer["problems"]) for layer in graph["layers"] if layer["cost"] == "measured")
    for precision, seconds in SECONDS.items():
        row, = table(folder, f"latency_{precision}")
        check(abs(float(row["sequential_seconds"]) - calls * seconds) < 1e-12, row, calls)
    row, = table(folder, "tensor_cores")
    check(abs(float(row["speed_up"]) - 2.5) < 1e-9, row)
    row, = table(folder, "models")
    nodes = sum(layer["op"] != "ConstantOfShape" for layer in graph["layers"])
    check(int(row["layers"]) == nodes, row)
    check("<h1>Of a small model</h1>" in (folder / "index.html").read_text(), "no title")
    figures = sorted(path.name for path in (folder / "figures").iterdir())
    check(len(figures) >= 5 and all(name.endswith(".svg") for name in figures), figures)
    check((folder / "figures" / figures[0]).read_text().startswith("<svg xmlns="), "no SVG file")
    check("version: " in (folder / "manifest.txt").read_text(), "no version")

    good = paper("--check", folder)
    check(good.returncode == 0 and "drawn again alike" in good.stdout, good.stdout, good.stderr)

    # Again into the same folder: what an earlier run drew is gone.
    (folder / "figures" / "99_old.svg").write_text("old")
    check(paper(*asked).returncode == 0, "not drawn again")
    check(not (folder / "figures" / "99_old.svg").exists(), "an old figure is still there")

    (folder / "tables" / "models.csv").write_text("changed\n")
    bad = paper("--check", folder)
    check(bad.returncode == 1 and "not as they were written" in bad.stderr, bad.stdout, bad.stderr)
    check(paper(*asked).returncode == 0 and paper("--check", folder).returncode == 0, "not mended")

    # The bound's calls timed as one are kept with the folder, too.
    (scratch / "s.json").write_text(json.dumps(
        {"schema": 1, "command": "sequence",
         "systems": {"cudnn": {"device": "a GPU"}}, "model": graph["model"],
         "batch": graph["batch"], "precision": "fp32", "fused": True, "seconds": [0.5],
         "calls": [{"seconds": 0.25}]}))
    made = paper(*asked, "--sequence", scratch / "s.json")
    check(made.returncode == 0, made.stderr)
    row, = table(folder, "latency_fp32")
    check(float(row["in_sequence_fused_seconds"]) == 0.5, row)
    check((folder / "inputs/sequences/s.json").exists(), "no sequence among the inputs")
    check(paper("--check", folder).returncode == 0, "with a sequence it is drawn differently")

    # A recording becomes a chapter, and is kept with the folder.
    log = scratch / "log"
    log.write_text("onednn_verbose,exec,cpu,eltwise,jit:avx2,forward_inference,data_f32::blocked:a:f0 "
                   "diff_undef::undef::f0,,alg:eltwise_relu alpha:0 beta:0,8,0.25\n")
    recorded = subprocess.run([build / "bin/benanza-record", "--log", log, "--out", scratch / "run.db"],
                              text=True, capture_output=True)
    check(recorded.returncode == 0, recorded.stderr)
    made = paper(*asked, "--recording", scratch / "run.db")
    check(made.returncode == 0, made.stderr)
    row, = table(folder, "recordings_kinds")
    check((row["call"], float(row["seconds"])) == ("eltwise", 0.25e-3), row)
    check((folder / "inputs/recordings/run.db").exists(), "no recording among the inputs")
    refused = paper(*asked, "--recording", scratch / "run.db", "--recording", scratch / "run.db")
    check(refused.returncode == 1 and "another one is called run.db" in refused.stderr, refused.stderr)
    check(paper(*asked, "--recording", scratch / "run.db").returncode == 0, "not drawn again")
    check(paper("--check", folder).returncode == 0, "with a recording it is drawn differently")

    for words, says in [(["--check", scratch], "no SHA256SUMS"), (["--wrong", "x"], "unknown option --wrong"),
                        (["--out"], "--out needs a value"), (["--graph", graph_file], "--graph without --results"),
                        (["--results", scratch / "none", "--graph", graph_file, "--out", scratch / "n"], "none")]:
        refused = paper(*words)
        check(refused.returncode != 0 and says in refused.stderr, words, refused.stderr)
