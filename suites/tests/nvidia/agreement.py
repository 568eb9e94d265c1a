#!/usr/bin/env python3
"""How far results of a GPU suite can be trusted.

agreement.py RESULTS.json [AGAIN.json]

RESULTS.json: rows by status and why. Where it was made with --kernels, our time against CUPTI's of
the same calls: of graphs as a whole, whose kernels it leaves alone, and of single kernels, while
they ran and from the first one's begin to the last one's end. With --counters, which rows used
Tensor Cores by the library's claim, by kernel name and by hardware counter, and where the last two
disagree.
AGAIN.json: a second run of the same suite; relative differences of the medians, and, where it was
made without --kernels and RESULTS.json with, its times against CUPTI's.
"""

import collections
import json
import statistics
import sys

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
SHORTEST = 2e-6  # of the rows whose times are compared


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    rows = read(sys.argv[1])
    statuses(rows)
    times(rows, "our time")
    tensor_cores(rows)
    if len(sys.argv) == 3:
        again = read(sys.argv[2])
        repeated(rows, again)
        if not any("kernel_seconds" in row for row in again):
            times(timed_elsewhere(rows, again), "the second run's time")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["benchmarks"]


def seconds(row):
    return row["real_time"] * SECONDS[row["time_unit"]]


def statuses(rows):
    print(f"{len(rows)} rows:", dict(collections.Counter(row["status"] for row in rows)))
    reasons = collections.Counter(
        (row["status"], row.get("error_message", "")) for row in rows if row["status"] != "ok")
    for (status, reason), count in reasons.most_common(12):
        print(f"  {count:5} {status}: {reason[:160]}")


def timed_elsewhere(rows, again):
    """What CUPTI says in `rows`, with the times of `again`."""
    second = {row["name"]: row for row in again if row["status"] == "ok"}
    return [row | {"real_time": second[row["name"]]["real_time"],
                   "time_unit": second[row["name"]]["time_unit"]}
            for row in rows if row["name"] in second]


def times(rows, ours):
    compared(rows, "graph_seconds", f"{ours} against CUPTI's of a graph of calls")
    compared(rows, "kernel_seconds", f"{ours} against CUPTI's while kernels ran")
    compared(rows, "kernel_span_seconds", f"{ours} against CUPTI's from the first kernel to the last")


def compared(rows, column, meaning):
    pairs = [(row, seconds(row), row[column]) for row in rows
             if row["status"] == "ok" and row.get(column) and seconds(row) >= SHORTEST]
    if not pairs:
        return
    near = [abs(ours - cupti) <= max(0.03 * cupti, 0.3e-6) for _, ours, cupti in pairs]
    ratios = [ours / cupti for _, ours, cupti in pairs]
    print(f"{meaning}, {len(pairs)} rows of {SHORTEST * 1e6:.0f} us and more: "
          f"within 3% or 0.3 us: {100 * sum(near) / len(near):.1f}%; "
          f"median ratio {statistics.median(ratios):.3f}")
    by_kernels = collections.defaultdict(list)
    for (row, _, _), good in zip(pairs, near):
        by_kernels[row.get("kernels_per_call", 0)].append(good)
    for count, good in sorted(by_kernels.items(), key=lambda item: float(item[0])):
        print(f"  {count} kernels per call: {sum(good)} of {len(good)}")
    worst = sorted(pairs, key=lambda pair: -abs(pair[1] - pair[2]) / pair[2])
    for row, ours, cupti in worst[:8]:
        print(f"  {row['name']}: {ours * 1e6:.2f} us, CUPTI {cupti * 1e6:.2f} us")


def tensor_cores(rows):
    counted = [row for row in rows if row["status"] == "ok" and "tensor_core_counted" in row]
    if not counted:
        return
    columns = ("tensor_core_claimed", "tensor_core_by_name", "tensor_core_counted")
    table = collections.Counter(tuple(row.get(column) for column in columns) for row in counted)
    print(f"Tensor Cores in {len(counted)} rows (claimed, named, counted):")
    for key, count in table.most_common():
        print(f"  {count:5} {key}")
    disagreeing = [row for row in counted
                   if row.get("tensor_core_by_name") is not None
                   and bool(row["tensor_core_by_name"]) != bool(row["tensor_core_counted"])]
    print(f"  name and counter disagree in {len(disagreeing)} rows")
    for row in disagreeing[:20]:
        print(f"  {row['name']}: {row.get('kernel_names', '')[:200]}")


def repeated(rows, again):
    second = {row["name"]: seconds(row) for row in again if row["status"] == "ok"}
    differences = sorted(
        abs(seconds(row) - second[row["name"]]) / seconds(row)
        for row in rows if row["status"] == "ok" and row["name"] in second)
    if not differences:
        sys.exit(f"{sys.argv[2]}: no row of {sys.argv[1]} is in it: run the same suite twice")
    within = sum(difference <= 0.03 for difference in differences) / len(differences)
    print(f"{len(differences)} rows in both: median difference "
          f"{100 * statistics.median(differences):.2f}%, within 3%: {100 * within:.1f}%")


if __name__ == "__main__":
    main()
