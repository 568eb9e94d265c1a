#pragma once

#include <optional>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/backend.h"

namespace benanza::onednn {

/// Sets the number of OpenMP threads for the calls of this thread while it lives. Empty: changes
/// nothing.
class ThreadCount {
 public:
  explicit ThreadCount(std::optional<int> threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  std::optional<int> before_;
};

/// Returns, in rising order, the thread counts below the maximum that may be faster. For
/// AlgorithmSet::all these are the powers of two for which each thread has at most 2 MFLOP and 256
/// KiB (in a step of a recurrence: 512 KiB); of these one thread alone for leading; for
/// with_reference all powers of two; none for best, and if the library does not use OpenMP's
/// threads.
std::vector<int> fewer_threads(const Problem& problem, Precision precision,
                               harness::AlgorithmSet set);

/// An implementation's name and its number of threads; empty: all threads.
struct ThreadedName {
  harness::Algorithm implementation;
  std::optional<int> threads{};
  bool operator==(const ThreadedName&) const = default;
};
/// "jit:avx2.threads=1", or the implementation's name if there is no count.
harness::Algorithm to_string(const ThreadedName& name);
ThreadedName threaded_name(const harness::Algorithm& name);

}  // namespace benanza::onednn
