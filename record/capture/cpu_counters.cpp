#include "record/capture/cpu_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace benanza::record {
namespace {

constexpr std::uint64_t cache(std::uint64_t which, std::uint64_t operation, std::uint64_t result) {
  return which | operation << 8 | result << 16;
}

FileDescriptor open_counter(const CounterKind& kind) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  // Unprivileged users may count user mode only.
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return FileDescriptor(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

std::string reason(int error) {
  switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "this processor, or the virtual machine around it, does not have it";
    case EACCES:
    case EPERM:
      return "the system forbids it: /proc/sys/kernel/perf_event_paranoid must be 2 or less, and a "
             "container must allow perf_event_open";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    default:
      return std::strerror(error);
  }
}

}  // namespace

const std::vector<CounterKind>& counter_kinds() {
  static const std::vector<CounterKind> kinds{
      {"cycles", "cycles of the processor while it works", PERF_TYPE_HARDWARE,
       PERF_COUNT_HW_CPU_CYCLES},
      {"instructions", "instructions done", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
      {"cache_references", "reads and writes that reach the last cache", PERF_TYPE_HARDWARE,
       PERF_COUNT_HW_CACHE_REFERENCES},
      {"cache_misses", "those that the last cache does not have", PERF_TYPE_HARDWARE,
       PERF_COUNT_HW_CACHE_MISSES},
      {"branches", "branches done", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
      {"branch_misses", "mispredicted branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
      {"stalled_cycles_frontend", "front-end stall cycles", PERF_TYPE_HARDWARE,
       PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
      {"stalled_cycles_backend", "back-end stall cycles", PERF_TYPE_HARDWARE,
       PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
      {"l1d_loads", "reads of the first data cache", PERF_TYPE_HW_CACHE,
       cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ,
             PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
      {"l1d_load_misses", "those that it does not have", PERF_TYPE_HW_CACHE,
       cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ,
             PERF_COUNT_HW_CACHE_RESULT_MISS)},
      {"dtlb_load_misses", "data TLB misses", PERF_TYPE_HW_CACHE,
       cache(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_READ,
             PERF_COUNT_HW_CACHE_RESULT_MISS)},
      {"task_nanoseconds", "time on processors, summed over threads", PERF_TYPE_SOFTWARE,
       PERF_COUNT_SW_TASK_CLOCK},
      {"page_faults", "page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};
  return kinds;
}

std::string why_not(const CounterKind& kind) {
  return open_counter(kind).get() >= 0 ? "" : reason(errno);
}

CpuCounters::CpuCounters(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto& kinds = counter_kinds();
    const auto kind =
        std::ranges::find_if(kinds, [&](const CounterKind& one) { return one.name == name; });
    if (kind == kinds.end()) {
      throw Error("--counters " + name + ": there is no such counter; --list-counters names them");
    }
    FileDescriptor file = open_counter(*kind);
    if (file.get() < 0) throw Error("--counters " + name + ": " + reason(errno));
    counters_.push_back({name, std::move(file)});
  }
}

std::vector<CountedValue> CpuCounters::read() const {
  std::vector<CountedValue> values;
  for (const Counter& counter : counters_) {
    struct {
      std::uint64_t value;
      std::uint64_t enabled;
      std::uint64_t running;
    } data{};
    CountedValue one{.name = counter.name};
    if (::read(counter.file.get(), &data, sizeof data) == sizeof data && data.running > 0) {
      one.running_part = static_cast<double>(data.running) / static_cast<double>(data.enabled);
      one.value = static_cast<double>(data.value) / *one.running_part;
    }
    values.push_back(std::move(one));
  }
  return values;
}

}  // namespace benanza::record
