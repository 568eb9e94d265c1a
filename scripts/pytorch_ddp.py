"""Training steps of several workers by DistributedDataParallel; for profile_pytorch.py."""

import contextlib
import json
import os
import socket
import tempfile
import time
import types

from profile_common import SEED, UserError
from pytorch_models import load_model
from pytorch_training import make_step

# As DistributedDataParallel's own messages.
BUCKET_BYTES = 25 * 2**20
# Steps without a wait between them, as training runs: at a wait the host's work of a step shows.
STEPS = 5
# All-reduces that are longer than the step they run beside.
LONGER = 1.5


def measure_ddp(torch, arguments, one_worker_seconds, measure):
    """Steps of `arguments.ddp` workers of this host, one a GPU; without GPUs, processes.

    {"workers", "latency_seconds": a step of worker 0, the mean of five without a wait between
    them, "no_sync_latency_seconds": without gradients travelling, "contention": how many times as long a step takes while all-reduces run beside it,
    "to_device_seconds": {"pinned", "pageable"} of a worker's inputs}; the last two null without GPUs.
    """
    if arguments.device == "cuda" and torch.cuda.device_count() < arguments.ddp:
        raise UserError(f"--ddp {arguments.ddp}: there are {torch.cuda.device_count()} GPUs")
    import torch.multiprocessing
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ddp.json")
        try:
            torch.multiprocessing.spawn(
                work, nprocs=arguments.ddp,
                args=(vars(arguments), free_port(), one_worker_seconds, measure, path))
        except Exception as error:
            raise UserError(f"--ddp {arguments.ddp}: a worker failed: "
                            f"{str(error).strip().splitlines()[-1]}")
        with open(path) as file:
            return json.load(file)


def free_port():
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def work(rank, options, port, one_worker_seconds, measure, path):
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
        result = worker_result(torch, dist, arguments, rank, one_worker_seconds, measure)
        if rank == 0:
            with open(path, "w") as file:
                json.dump(result, file)
    finally:
        dist.destroy_process_group()


def worker_result(torch, dist, arguments, rank, one_worker_seconds, measure):
    on_gpu = arguments.device == "cuda"
    # As many for each worker: who leaves off earlier leaves the others waiting.
    arguments.runs = arguments.runs or max(5, min(20, int(4 / STEPS / one_worker_seconds)))
    loaded = load_model(torch, arguments)
    model, inputs = loaded.module, loaded.inputs(arguments.batch)
    alone = make_step(torch, model, inputs, arguments)
    alone()
    # A parameter that no gradient reaches would be waited for.
    for parameter in model.parameters():
        parameter.requires_grad_(parameter.grad is not None)
    dist.barrier()
    contention = contention_of(torch, dist, alone, one_worker_seconds) if on_gpu else None

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

    latencies = seconds_of(step)
    silent = seconds_of(without_gradients_travelling)
    dist.barrier()
    return {"workers": arguments.ddp, "latency_seconds": latencies,
            "no_sync_latency_seconds": silent, "contention": contention,
            "to_device_seconds": to_device_seconds(torch, inputs) if on_gpu else None}


def contention_of(torch, dist, step, step_seconds):
    """Median of a step's time on the GPU beside all-reduces over that of a step alone."""
    values = torch.zeros(BUCKET_BYTES // 4, device="cuda")
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
    one = timed(lambda: all_reduces(10), side)
    torch.cuda.synchronize()
    # Every worker has to take part in as many.
    count = torch.tensor(LONGER * step_seconds / (seconds(one) / 10), device="cuda")
    dist.broadcast(count, 0)
    count = max(1, int(count.item()))
    ratios = []
    for _ in range(7):
        plain = timed(step, torch.cuda.current_stream())
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        travelling = timed(lambda: all_reduces(count), side)
        beside = timed(step, torch.cuda.current_stream())
        torch.cuda.synchronize()
        if seconds(travelling) >= seconds(beside):
            ratios.append(seconds(beside) / seconds(plain))
    return max(1.0, sorted(ratios)[len(ratios) // 2]) if ratios else None


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
