"""One decoder layer by tensor parallel GPUs, as a CUDA graph with PyTorch's collectives.

    python3 tensor_parallel.py alone OUT.json        # each share on one GPU, without collectives
    python3 tensor_parallel.py together N OUT.json   # on N GPUs

Seconds of a layer: medians of 30 samples of 20 replays, of the slowest GPU.
"""
import json
import os
import statistics
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing

from tp_layer import WIDTH, Layer

TOKENS = (128, 2048)
SAMPLES, REPLAYS = 30, 20


def seconds_of(parallel, tokens, reduce):
    torch.manual_seed(1)
    layer = Layer(parallel, tokens, reduce).to(device="cuda", dtype=torch.bfloat16).eval()
    x = torch.randn(1, tokens, WIDTH, device="cuda", dtype=torch.bfloat16)
    with torch.inference_mode():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                layer(x)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            layer(x)
    samples = []
    for sample in range(SAMPLES + 3):
        torch.cuda.synchronize()
        if reduce is not None:
            dist.barrier()
            torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(REPLAYS):
            graph.replay()
        end.record()
        torch.cuda.synchronize()
        if sample >= 3:
            samples.append(begin.elapsed_time(end) / 1e3 / REPLAYS)
    return statistics.median(samples)


def work(rank, parallel, out):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=parallel)
    found = {}
    for tokens in TOKENS:
        own = seconds_of(parallel, tokens, dist.all_reduce)
        every = [None] * parallel
        dist.all_gather_object(every, own)
        found[tokens] = every
    if rank == 0:
        json.dump({"parallel": parallel, "device": torch.cuda.get_device_name(),
                   "pytorch": torch.__version__, "nccl": torch.cuda.nccl.version(),
                   "seconds": {t: max(every) for t, every in found.items()},
                   "every_gpu": found}, open(out, "w"), indent=1)
    dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1] == "alone":
        found = {n: {t: seconds_of(n, t, None) for t in TOKENS} for n in (1, 2, 4, 8)}
        json.dump({"device": torch.cuda.get_device_name(), "pytorch": torch.__version__, "seconds": found},
                  open(sys.argv[2], "w"), indent=1)
    else:
        torch.multiprocessing.spawn(work, nprocs=int(sys.argv[2]), args=(int(sys.argv[2]), sys.argv[3]))
