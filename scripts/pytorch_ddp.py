"""Training steps of several workers by DistributedDataParallel; for profile_pytorch.py."""

import contextlib
import json
import os
import socket
import statistics
import tempfile
import time
import types

from profile_common import SEED, UserError
from pytorch_ddp_costs import own_work
from pytorch_models import load_model
from pytorch_training import make_step

# Four of DistributedDataParallel's messages: as fast as one, and fewer to launch beside a step.
MESSAGE_BYTES = 100 * 2**20
# Steps without a wait between them, as training runs: at a wait the host's work of a step shows.
STEPS = 10
# Runs of profile_pytorch.profile() before those that it records.
TRACE_WARM_UP = 4
# All-reduces that are longer than the step they run beside.
LONGER = 2


def measure_ddp(torch, arguments, one_worker_seconds, measure, profile, trace_path):
    """Steps of `arguments.ddp` workers of this host, one a GPU; without GPUs, processes.

    {"workers", "latency_seconds": a step of worker 0, the mean of ten without a wait between
    them, "no_sync_latency_seconds": without gradients travelling, "worker_seconds": the median of
    these of every worker, "host_seconds": in which the host has launched a step, "contention": how
    many times as long a step takes while all-reduces run beside it, "message_slowdown": how many
    times as long these take, "to_device_seconds": {"pinned", "pageable"} of a worker's inputs,
    "trace": file of PyTorch's trace of worker 0's steps, in pairs without a wait between them}, and
    what pytorch_ddp_costs.own_work() says. "host_seconds", "contention", "message_slowdown" and
    "to_device_seconds" are null without GPUs. With `arguments.ddp_costs` there is neither
    "latency_seconds" nor "trace": what a prediction needs, before the step is measured.
    """
    if arguments.device == "cuda" and torch.cuda.device_count() < arguments.ddp:
        raise UserError(f"--ddp {arguments.ddp}: there are {torch.cuda.device_count()} GPUs")
    import torch.multiprocessing
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ddp.json")
        try:
            torch.multiprocessing.spawn(
                work, nprocs=arguments.ddp,
                args=(vars(arguments), free_port(), one_worker_seconds, measure, profile,
                      trace_path, path))
        except Exception as error:
            raise UserError(f"--ddp {arguments.ddp}: a worker failed: "
                            f"{str(error).strip().splitlines()[-1]}")
        with open(path) as file:
            return json.load(file)


def free_port():
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def work(rank, options, port, one_worker_seconds, measure, profile, trace_path, path):
    import torch
    import torch.distributed as dist

    arguments = types.SimpleNamespace(**options)
    on_gpu = arguments.device == "cuda"
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    if on_gpu:
        torch.cuda.set_device(rank)
    else:
        torch.set_num_threads(max(1, torch.get_num_threads() // arguments.ddp))
    dist.init_process_group("nccl" if on_gpu else "gloo", rank=rank, world_size=arguments.ddp)
    try:
        torch.manual_seed(SEED)
        allowed = arguments.precision != "fp32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
        torch.backends.cudnn.benchmark = arguments.cudnn_benchmark
        result = worker_result(torch, dist, arguments, rank, one_worker_seconds, measure, profile,
                               trace_path)
        if rank == 0:
            with open(path, "w") as file:
                json.dump(result, file)
    finally:
        dist.destroy_process_group()


def worker_result(torch, dist, arguments, rank, one_worker_seconds, measure, profile,
                  trace_path):
    on_gpu = arguments.device == "cuda"
    # As many for each worker: who leaves off earlier leaves the others waiting.
    arguments.runs = arguments.runs or max(5, min(20, int(2.5 / STEPS / one_worker_seconds)))
    loaded = load_model(torch, arguments)
    model, inputs = loaded.module, loaded.inputs(arguments.batch)
    alone = make_step(torch, model, inputs, arguments)
    alone()
    # A parameter that no gradient reaches would be waited for.
    for parameter in model.parameters():
        parameter.requires_grad_(parameter.grad is not None)
    dist.barrier()
    contention, slowdown = (contention_of(torch, dist, alone, one_worker_seconds) if on_gpu
                            else (None, None))

    wrapped = []

    def wrap(plain):
        devices = {"device_ids": [rank]} if on_gpu else {}
        wrapped.append(torch.nn.parallel.DistributedDataParallel(plain, **devices))
        return wrapped[0]

    step = make_step(torch, model, inputs, arguments, wrap)

    def without_gradients_travelling():
        with wrapped[0].no_sync():
            step()

    def seconds_of(one):
        def several():
            for _ in range(STEPS):
                one()

        dist.barrier()
        return [seconds / STEPS for seconds in measure(torch, several, arguments)]

    result = {"workers": arguments.ddp}
    if not arguments.ddp_costs:
        result["latency_seconds"] = seconds_of(step)
    silent = seconds_of(without_gradients_travelling)
    workers = [None] * arguments.ddp
    dist.all_gather_object(workers, statistics.median(silent))
    result |= {"no_sync_latency_seconds": silent, "worker_seconds": workers,
               "host_seconds": host_seconds(torch, dist, step) if on_gpu else None,
               "contention": contention, "message_slowdown": slowdown,
               "to_device_seconds": to_device_seconds(torch, inputs) if on_gpu else None}

    def two_steps():
        step()
        step()

    if not arguments.ddp_costs:
        # All workers take as many steps as the one that is traced.
        trace(torch, dist, rank, two_steps, arguments, profile, trace_path)
        result["trace"] = os.path.basename(trace_path)
    result.update(own_work(torch, dist, wrapped[0], arguments.ddp))
    dist.barrier()
    return result


def trace(torch, dist, rank, run, arguments, profile, path):
    """What profile() writes of worker 0; the others run as often: they wait for each other."""
    dist.barrier()
    if rank == 0:
        profile(torch, run, arguments, path)
        return
    for _ in range(TRACE_WARM_UP + arguments.steps):
        run()


def host_seconds(torch, dist, step):
    """Median of the time in which the host has launched a step that nothing waits for."""
    samples = []
    for _ in range(5):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step()
        samples.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return statistics.median(samples)


def contention_of(torch, dist, step, step_seconds):
    """Medians of a step's time on the GPU beside all-reduces over that of a step alone, and of the
    time of these all-reduces over that of all-reduces alone. None where they ended first."""
    values = torch.zeros(MESSAGE_BYTES // 4, device="cuda")
    side = torch.cuda.Stream()

    def timed(work, stream):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record(stream)
        work()
        end.record(stream)
        return begin, end

    def seconds(events):
        return events[0].elapsed_time(events[1]) / 1e3

    def all_reduces(count):
        with torch.cuda.stream(side):
            for _ in range(count):
                dist.all_reduce(values)

    all_reduces(3)
    torch.cuda.synchronize()
    ten = timed(lambda: all_reduces(10), side)
    torch.cuda.synchronize()
    one_all_reduce = seconds(ten) / 10
    # Every worker has to take part in as many.
    count = torch.tensor(LONGER * step_seconds / one_all_reduce, device="cuda")
    dist.broadcast(count, 0)
    count = max(1, int(count.item()))
    ratios = []
    slowdowns = []
    for _ in range(7):
        plain = timed(step, torch.cuda.current_stream())
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        travelling = timed(lambda: all_reduces(count), side)
        beside = timed(step, torch.cuda.current_stream())
        torch.cuda.synchronize()
        if seconds((travelling[0], beside[1])) <= seconds(travelling):
            ratios.append(seconds(beside) / seconds(plain))
            # Those before the step's begin and behind its end are as fast as alone.
            meanwhile = count - (seconds(travelling) - seconds(beside)) / one_all_reduce
            if meanwhile > 0:
                slowdowns.append(seconds(beside) / (meanwhile * one_all_reduce))
    return [max(1.0, statistics.median(found)) if found else None for found in (ratios, slowdowns)]


def to_device_seconds(torch, inputs):
    """Median of ten copies of a worker's inputs to the device, by the host's clock."""
    found = {}
    for kind, there in (("pinned", [value.pin_memory() for value in inputs]),
                        ("pageable", [value.clone() for value in inputs])):
        samples = []
        for _ in range(12):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            kept = [value.to("cuda", non_blocking=True) for value in there]
            torch.cuda.synchronize()
            samples.append(time.perf_counter() - begin)
            del kept
        found[kind] = sorted(samples[2:])[5]
    return found
