#!/usr/bin/env python3
"""Records a real program that calls oneDNN, profiles it, makes a suite of its calls, measures that
suite, and asks for the bound.

usage: end_to_end.py FOLDER RECORD ANALYZE GENERATE BENCH_ONEDNN
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    folder = pathlib.Path(sys.argv[1])
    record, analyze, generate, bench = sys.argv[2:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    problems = ["relu/2x8x6x6", "softmax/16x10_a1", "conv/1x8x6x6_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_relu"]
    small = ["--precision=fp32", "--budget=0.01", "--benchmark_min_time=0.001"]
    program = [bench, *(f"--problem={key}" for key in problems), *small]

    # The program's output is its own: no line of the log is left in it.
    output = run(record, "--out", "run.db", "--", *program)
    assert "_verbose" not in output, output
    assert "softmax/16x10_a1" in output, output

    profile = json.loads(run(analyze, "profile", "run.db", "--format", "json"))
    kinds = {row["call"].removesuffix("_v2"): row["calls"] for row in profile["kinds"]}
    for kind in ("eltwise", "softmax", "convolution", "reorder"):
        assert kinds[kind] >= 1, kinds
    total = sum(row["share"] for row in profile["kinds"])
    assert abs(total - 1) < 1e-6, total
    assert profile["recordings"][0]["exit_status"] == 0, profile["recordings"]
    assert profile["recordings"][0]["calls"] == sum(kinds.values()), kinds

    run(generate, "--recording", "run.db", "--out", "suite")
    keys = set()
    for file in pathlib.Path("suite").glob("*.graph.json"):
        for layer in json.loads(file.read_text())["layers"]:
            keys.update(layer["problems"])
    for key in problems:
        assert key in keys, (key, keys)

    graphs = sorted(pathlib.Path("suite").glob("*.graph.json"))
    # A layer for each problem: the others are measured the same way.
    graph = json.loads(graphs[0].read_text())
    graph["layers"] = [layer for layer in graph["layers"]
                       if layer["cost"] == "measured" and set(layer["problems"]) <= set(problems)]
    for index, layer in enumerate(graph["layers"]):
        layer["inputs"] = [index - 1] if index else []
        layer["problems"] = layer["problems"][:3]
    pathlib.Path("some.graph.json").write_text(json.dumps(graph))
    run(bench, "--graph", "some.graph.json", *small, "--benchmark_out=some.json")
    bound = json.loads(run(analyze, "bound", "--graph", "some.graph.json", "--results", "some.json",
                           "--format", "json"))
    assert bound["reports"], bound


main()
