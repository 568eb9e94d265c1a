"""Latencies in processes of their own.

The runs of one process share its placement of threads and memory. Another process may take another
time, however long each of them runs: only several processes show it.
"""

import math
import multiprocessing
import time

from profile_common import UserError, one_line

PROCESSES = 5
# With fewer threads than asked for: enough to see whether more of them help.
PROCESSES_OF_FEWER_THREADS = 3
# Of a number of processes that nobody asked for, no more are started after this time.
SECONDS_OF_PROCESSES = 15
SECONDS_OF_FEWER_THREADS = 10


class Budget:
    """How long one of `processes` processes (None: of PROCESSES) measures: its part of what a single
    one would take."""

    def __init__(self, seconds, runs, processes):
        processes = processes or PROCESSES
        self.seconds = seconds / processes
        self.runs = max(min(runs, 10), math.ceil(runs / processes))
        self.warm_up_seconds = max(0.2, self.seconds / 3)


def timed(run, budget, runs=None):
    """Seconds of each run, after a warm-up. `runs`: that many; None: what the budget says, and of a
    model so slow that this takes five times as long, fewer, but three at least."""
    begin = time.perf_counter()
    warm = 0
    while warm < 2 or (time.perf_counter() - begin < budget.warm_up_seconds and not runs):
        run()
        warm += 1
    samples = []
    begin = time.perf_counter()

    def is_enough():
        if runs:
            return len(samples) >= runs
        spent = time.perf_counter() - begin
        least = budget.runs if spent < 5 * budget.seconds else 3
        return len(samples) >= least and spent >= budget.seconds

    while not is_enough():
        start = time.perf_counter()
        run()
        samples.append(time.perf_counter() - start)
    return samples


def in_fresh_process(function, *arguments):
    """What the module's `function` returns in a new interpreter. Its UserError is raised here."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, function, arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        is_good, value = ours.recv()
    except EOFError:
        process.join()
        raise UserError(f"a process that measures ended with status {process.exitcode}")
    process.join()
    if not is_good:
        raise UserError(value)
    return value


def _answer(pipe, function, arguments):
    try:
        answer = True, function(*arguments)
    except UserError as error:
        answer = False, str(error)
    except KeyboardInterrupt:
        return
    except Exception as error:
        answer = False, one_line(error)
    pipe.send(answer)


def all_but_one(processes, measure):
    """What `measure()` returns in as many processes; None: in PROCESSES, or fewer if they take long."""
    if processes:
        return in_turn(processes - 1, math.inf, measure)
    return in_turn(PROCESSES - 1, SECONDS_OF_PROCESSES, measure)


def in_turn(count, seconds, measure):
    """What `measure()` returns, up to `count` times, but once is all after `seconds`."""
    begin = time.perf_counter()
    found = []
    while len(found) < count:
        if found and time.perf_counter() - begin > seconds:
            break
        found.append(measure())
    return found


def fewer_threads(threads):
    """Half of the threads, and one."""
    return sorted({threads // 2, 1} - {0, threads}, reverse=True)


def with_fewer_threads(threads, measure):
    """The profile's field `fewer_threads`. `measure(threads)` returns what one process measures."""
    rows = []
    for fewer in fewer_threads(threads):
        processes = in_turn(PROCESSES_OF_FEWER_THREADS, SECONDS_OF_FEWER_THREADS,
                            lambda threads=fewer: measure(threads))
        rows.append({"threads": fewer, "instead_of": threads, "processes": processes})
    return rows


def joined(processes, name="latency_seconds"):
    """The runs of all processes, in their order; None if they have none of that name."""
    if any(process.get(name) is None for process in processes):
        return None
    return [seconds for process in processes for seconds in process[name]]


def middle(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def describe(processes, name="latency_seconds"):
    """The median of every process: "1.103, 1.931 ms (medians of 2 processes)"."""
    medians = [1e3 * middle(process[name]) for process in processes]
    text = ", ".join(f"{value:.3f}" for value in medians)
    if len(processes) == 1:
        return f"{text} ms (median of {len(processes[0][name])} runs)"
    return f"{text} ms (medians of {len(processes)} processes)"
