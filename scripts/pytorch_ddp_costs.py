"""What DistributedDataParallel does beside computing and sending gradients, each part measured
alone; for pytorch_ddp.py.

From S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB
2020, and torch/csrc/distributed/c10d/{reducer,comm}.cpp: worker 0 sends its buffers before each
forward pass (packed by type, unpacked one by one); a gradient that is complete is multiplied by 1 /
workers into its bucket; when all buckets have travelled, each gradient is copied back.
"""

import statistics
import time

# As DistributedDataParallel sends buffers.
BROADCAST_BYTES = 250 * 2**20
REPEATS = 5
# A GPU's queue takes about a thousand before the host has to wait.
LAUNCHES = 400
# In which a host launches something, with much to spare; at 2 GHz 50 us.
CYCLES = 100_000
# Sizes of copies from one to the next.
STEP = 4
# Memory that copies go through: more than caches hold.
POOL_BYTES = {"cuda": 256 * 2**20, "cpu": 64 * 2**20}
# Copies of one size at most.
COPIES = 100


def own_work(torch, dist, ddp, workers):
    """{"copies": [{"bytes", "seconds", "scaled_seconds"}], "buffers": {type: [bytes of each]},
    "pack_seconds", "unpack_seconds", "buffers_seconds"} of a DistributedDataParallel that has done
    a step; seconds are of the device, None where there is nothing to do. All workers call it."""
    gradients = [parameter.grad for parameter in ddp.module.parameters()
                 if parameter.grad is not None and parameter.grad.numel()]
    buffers = [buffer for buffer in ddp.modules_buffers if buffer.numel()]
    by_type = {}
    for buffer in buffers:
        by_type.setdefault(str(buffer.dtype).split(".")[-1], []).append(bytes_of(buffer))
    device = gradients[0].device
    largest = max(*map(bytes_of, gradients), *map(sum, by_type.values()), 4)
    result = {"copies": copies(torch, device, largest, workers),
              "buffers": by_type}
    buckets = [torch.empty_like(gradient) for gradient in gradients]
    result["pack_seconds"] = seconds_of(torch, device, [
        lambda gradient=gradient, bucket=bucket: torch.mul(gradient, 1 / workers, out=bucket)
        for gradient, bucket in zip(gradients, buckets)])
    result["unpack_seconds"] = seconds_of(torch, device, [bucket.clone for bucket in buckets])
    result["buffers_seconds"] = None
    if buffers:
        group = dist.distributed_c10d._get_default_group()
        result["buffers_seconds"] = seconds_of(
            torch, device,
            [lambda: dist._broadcast_coalesced(group, buffers, BROADCAST_BYTES, 0)],
            launches_each=len(buffers) + 8, before=dist.barrier)
    return result


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def copies(torch, device, largest, workers):
    """Of fp32 values, from a few bytes to `largest`: plain copies, and those that multiply."""
    sizes = []
    size = 4
    while size < largest:
        sizes.append(size)
        size *= STEP
    sizes.append(largest // 4 * 4 or 4)
    pool = max(POOL_BYTES[device.type], sizes[-1]) // 4
    source, target = torch.ones(pool, device=device), torch.ones(pool, device=device)
    found = []
    for size in sizes:
        elements = size // 4
        count = min(COPIES, pool // elements)
        # Apart as far as the pool allows, and on the boundaries that a bucket's tensors have.
        stride = max(pool // count // 128 * 128, elements)
        places = [slice(begin, begin + elements)
                  for begin in range(0, min(count * stride, pool - elements + 1), stride)]
        pairs = [(source[place], target[place]) for place in places]
        plain = seconds_of(torch, device, [lambda one=one, other=other: other.copy_(one)
                                           for one, other in pairs])
        scaled = seconds_of(torch, device,
                            [lambda one=one, other=other: torch.mul(one, 1 / workers, out=other)
                             for one, other in pairs])
        found.append({"bytes": size, "seconds": plain / len(pairs),
                      "scaled_seconds": scaled / len(pairs)})
    return found


def seconds_of(torch, device, calls, launches_each=1, before=None):
    """Median of the device's seconds for all calls, one behind the other. A GPU sleeps until it has
    got them: no gap of the host is counted. What they return is kept until the end."""
    each = max(1, LAUNCHES // launches_each)
    samples = []
    for _ in range(REPEATS):
        total = 0
        kept = []
        for begin in range(0, len(calls), each):
            part = calls[begin:begin + each]
            if before:
                before()
            if device.type == "cuda":
                total += on_gpu(torch, part, CYCLES * launches_each * len(part), kept)
            else:
                start = time.perf_counter()
                kept.extend(call() for call in part)
                total += time.perf_counter() - start
        samples.append(total)
    return statistics.median(samples)


def on_gpu(torch, calls, cycles, kept):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(cycles)
    begin.record()
    kept.extend(call() for call in calls)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3
