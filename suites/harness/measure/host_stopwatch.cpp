#include "suites/harness/measure/host_stopwatch.h"

#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace benanza::harness {
namespace {

bool pin_this_thread(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
}

/// Tries to pin a thread to each processor rather than reading this thread's affinity mask: a
/// library may have bound it to one processor.
std::vector<int> usable_processors() {
  std::vector<int> processors;
  std::thread([&] {
    const auto configured = static_cast<int>(sysconf(_SC_NPROCESSORS_CONF));
    for (int processor = 0; processor < std::min(configured, CPU_SETSIZE); ++processor) {
      if (pin_this_thread(processor)) processors.push_back(processor);
    }
  }).join();
  if (processors.empty()) processors.push_back(0);
  return processors;
}

/// How often the system has taken a processor away from a thread of this process.
long interruptions() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

void write_lines(std::vector<unsigned char>& buffer) {
  constexpr std::size_t line_bytes = 64;
  for (std::size_t i = 0; i < buffer.size(); i += line_bytes) ++buffer[i];
  benchmark::ClobberMemory();
}

}  // namespace

CacheFlush CacheFlush::of_this_machine() {
  constexpr std::size_t unknown_bytes = std::size_t{64} << 20;
  CacheFlush flush{.processors = usable_processors()};
  std::size_t bytes = 0;
  for (const auto& cache : benchmark::CPUInfo::Get().caches) {
    if (cache.type == "Instruction" || cache.size <= 0) continue;
    const auto sharing = static_cast<std::size_t>(std::max(1, cache.num_sharing));
    bytes += static_cast<std::size_t>(cache.size) / std::min(sharing, flush.processors.size());
  }
  flush.cache_bytes = static_cast<std::int64_t>(bytes * flush.processors.size());
  flush.bytes_per_processor = bytes > 0 ? 2 * bytes : unknown_bytes;
  return flush;
}

double HostStopwatch::time(Primitive& primitive, std::int64_t calls) {
  const long before = interruptions();
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t call = 0; call < calls; ++call) primitive.run();
  if (finish_) finish_();
  const auto end = std::chrono::steady_clock::now();
  interrupted_ = interruptions() != before;
  return std::chrono::duration<double>(end - start).count();
}

double HostStopwatch::time_cold(Primitive& primitive) {
  flush_caches();
  return time(primitive, 1);
}

void HostStopwatch::flush_caches() {
  if (buffers_.empty()) {
    flush_ = CacheFlush::of_this_machine();
    buffers_.assign(flush_.processors.size(),
                    std::vector<unsigned char>(flush_.bytes_per_processor));
  }
  std::vector<std::thread> threads;
  threads.reserve(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    threads.emplace_back([processor = flush_.processors[i], &buffer = buffers_[i]] {
      pin_this_thread(processor);
      write_lines(buffer);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace benanza::harness
