#pragma once

#include <optional>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/backend.h"

namespace benanza::onednn {

/// As many threads as OpenMP gives this thread's calls, while it lives. Empty: changes nothing.
class ThreadCount {
 public:
  explicit ThreadCount(std::optional<int> threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  std::optional<int> before_;
};

/// Counts of threads below all of them that may be the faster ones, in rising order: powers of two,
/// where so many threads have at most 2 MFLOP and 256 KiB each, for AlgorithmSet::all; every power
/// of two with_reference; none for best and leading, and where the library takes its threads from
/// elsewhere.
std::vector<int> fewer_threads(const Problem& problem, Precision precision,
                               harness::AlgorithmSet set);

/// An implementation's name, and the threads that it is asked for on; empty: all.
struct ThreadedName {
  harness::Algorithm implementation;
  std::optional<int> threads{};
  bool operator==(const ThreadedName&) const = default;
};
/// "jit:avx2.threads=1"; without a count the implementation's name alone.
harness::Algorithm to_string(const ThreadedName& name);
ThreadedName threaded_name(const harness::Algorithm& name);

}  // namespace benanza::onednn
