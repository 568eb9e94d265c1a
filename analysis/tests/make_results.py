#!/usr/bin/env python3
"""Writes a results file with a given number of rows, as the cuDNN suite writes them, for timing
imports: every problem of the graphs at two precisions, layouts and several algorithms first, then
problems made up. Times are random (fixed seed), about 20 samples a row.

    make_results.py --rows 1000000 --out big.json [GRAPH.json...]
"""

import argparse
import json
import random


def problems(graphs):
    seen = {}
    for path in graphs:
        with open(path) as file:
            graph = json.load(file)
        for layer in graph["layers"]:
            for key in layer["problems"]:
                seen[key] = None
        for fusion in graph.get("fusions", []):
            seen[fusion["problem"]] = None
    yield from seen
    number = 0
    while True:
        number += 1
        yield (f"conv/{number % 64 + 1}x{number % 2039 + 1}x{number % 97 + 3}x{number % 101 + 3}"
               f"_k{number // 64 + 1}x3x3_p1.1.1.1_s1x1_d1x1_g1")


def variants(key):
    plain = key.split("/")[0] in ("gemm", "copy")
    for precision in ("fp32", "fp16"):
        for layout in ("plain",) if plain else ("nchw", "nhwc"):
            for algorithm in ("implicit_gemm", "implicit_precomp_gemm", "gemm", "fft_tiling",
                              "winograd_nonfused"):
                for repetition in range(2):
                    yield f"{key}/{precision}/{layout}/cudnn/{algorithm}", repetition


def row(name, repetition, rank, random_number):
    time = 2e-6 + 1e-4 * random_number()
    samples = [time * (1 + 0.02 * random_number()) for _ in range(16 + int(8 * random_number()))]
    listed = ",".join(map(repr, samples))
    us = sorted(samples)[len(samples) // 2] * 1e6
    return (f'{{"name":"{name}","family_index":7,"per_family_instance_index":0,"run_name":"{name}",'
            f'"run_type":"iteration","repetitions":2,"repetition_index":{repetition},"threads":1,'
            f'"iterations":{len(samples) * 97},"real_time":{us!r},"cpu_time":{us!r},'
            f'"time_unit":"us","status":"ok","FLOP/s":{1e7 / us!r},"bytes/s":{1e6 / us!r},'
            f'"FLOPs":42581376,"bytes":3763200,"workspace_bytes":{rank * 269696},'
            f'"min":{min(samples)!r},"cv":0.0094477449515568,"sample_count":{len(samples)},'
            f'"calls_per_sample":97,"timed_seconds":{sum(samples) * 97!r},'
            f'"stopped_by":"converged","samples":[{listed}],"explicit_padding":false,'
            f'"heuristic_rank":{rank},"tensor_core_by_name":true,"timing":"graph"}}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("graphs", nargs="*")
    options = parser.parse_args()
    random_number = random.Random(1).random
    left = options.rows
    with open(options.out, "w") as out:
        context = {"executable": "make_results.py", "num_cpus": 2,
                   "benanza": {"schema": 1, "backend": "cudnn", "system": {"device": "made up"}}}
        out.write('{\n"context": ' + json.dumps(context, indent=1) + ',\n"benchmarks": [')
        separator = "\n"
        for key in problems(options.graphs):
            for rank, (name, repetition) in enumerate(variants(key)):
                if left == 0:
                    break
                out.write(separator + row(name, repetition, rank // 2 % 5 + 1, random_number))
                separator = ",\n"
                left -= 1
            if left == 0:
                break
        out.write("\n]\n}\n")


if __name__ == "__main__":
    main()
